from .blocks import Blocks as Blocks
from .blocks import Projection as Projection
from .blocks import Quadratic as Quadratic
from .blocks import Resolvent as Resolvent
from .blocks import SmallMatrices as SmallMatrices
from .blocks import SmallSpectra as SmallSpectra
from .blocks import Subspace as Subspace
from .blocks import project as project
from .build import full_precision as full_precision
from .build import is_mixed as is_mixed
from .build import is_torch_only as is_torch_only
from .build import torch_only as torch_only
from .hidden_layer import Copies as Copies
from .hidden_layer import Gates as Gates
from .hidden_layer import HiddenLayer as HiddenLayer
from .hidden_layer import Plan as Plan
from .hidden_layer import Term as Term
from .hidden_layer import run_hidden_layer as run_hidden_layer
from .runtime import Status as Status
from .runtime import announce as announce
from .runtime import available as available
from .runtime import cores as cores
from .runtime import environment as environment
from .runtime import free_cores as free_cores
from .runtime import status as status
from .runtime import step_threads as step_threads

__all__: list[str]
