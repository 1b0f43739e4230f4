"""One thread for each linear-algebra call: matrices here are small and many, and threads of one call wait for each other, spinning."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from threadpoolctl import threadpool_limits


@contextlib.contextmanager
def one_blas_thread() -> Iterator[None]:
    """A context, or a decorator, in which BLAS uses one thread. Results do not depend on the number of cores then.

    Example:
        >>> from threadpoolctl import threadpool_info
        >>> import numpy
        >>> with one_blas_thread():
        ...     {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}
        {1}
    """
    with threadpool_limits(limits=1, user_api="blas"):
        yield
