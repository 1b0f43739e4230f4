from .builtin import FIXED_SEED as FIXED_SEED
from .builtin import TRUTH_ABSENT_ABOVE as TRUTH_ABSENT_ABOVE
from .builtin import Synthetic as Synthetic
from .builtin import Task as Task
from .builtin import stream as stream
from .golfball import GolfBall as GolfBall
from .golfball import fly as fly
from .golfball import last_velocity as last_velocity
from .paper import CosSim as CosSim
from .paper import Inertia as Inertia
from .parse import Arguments as Arguments
from .parse import check_task_name as check_task_name
from .parse import is_task as is_task
from .parse import read_data as read_data
from .parse import registered_tasks as registered_tasks
from .parse import task as task
from .parse import task_parameters as task_parameters
from .parse import task_table as task_table

__all__: list[str]
