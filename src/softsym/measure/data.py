r"""The equivariance error of data.

How exactly a data set has a symmetry is the equivariance error of the function that made it: the true target, without noise, in the
place of a network. It is what a network's own error is compared with when symmetries are discovered.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softsym.groups import Group
from softsym.measure.error import Function, equivariance_error
from softsym.reps import Rep


def data_error(
    target: Function,
    x: Any,
    rep_in: Rep | str,
    rep_out: Rep | str,
    G: Group | str,
    n_transforms: int = 10,
    normalize: str = "sum",
    seed: int | np.random.Generator = 0,
    sampler: str = "haar",
    chunk: int | None = None,
) -> float:
    """The equivariance error of the true target function on inputs of the data set.

    Args:
        target: The true function, rows (m, size of ``rep_in``) to rows (m, size of ``rep_out``), without noise.
        x: Inputs (n, size of ``rep_in``).
        rep_in: Representation of the input.
        rep_out: Representation of the output.
        G: The group.
        n_transforms: How many group elements.
        normalize: ``sum``, ``product`` or ``none``, see :func:`~softsym.measure.equivariance_errors`.
        seed: Seed or generator of the elements.
        sampler: ``haar``, or ``gaussian``, with which the paper's data errors were measured.
        chunk: How many elements to treat at once.

    Example:
        >>> import numpy as np
        >>> x = np.random.default_rng(0).standard_normal((100, 3))
        >>> def stretched_length(x):
        ...     return np.linalg.norm(x * [1.0, 1.0, 1.5], axis=1)
        >>> round(data_error(stretched_length, x, "V", "S", "O(2)@z"), 6)
        0.0
        >>> data_error(stretched_length, x, "V", "S", "O(2)@x") > 0.01
        True
    """
    return equivariance_error(target, x, rep_in, rep_out, G, n_transforms, normalize, seed, sampler, chunk)
