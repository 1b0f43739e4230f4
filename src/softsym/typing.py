"""Types of arrays that the whole package speaks of."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]  # real numbers
Index: TypeAlias = NDArray[np.int64]  # row numbers, labels, places
Arrays: TypeAlias = dict[str, NDArray[Any]]  # named arrays, as they are stored
