"""Types of arrays that the whole package speaks of."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
"""Real numbers."""
Index: TypeAlias = NDArray[np.int64]
"""Row numbers, labels, places."""
Arrays: TypeAlias = dict[str, NDArray[Any]]
"""Named arrays, as they are stored."""
