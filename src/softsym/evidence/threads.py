"""One thread for each linear-algebra call: matrices here are small and many, and threads of one call wait for each other."""

from __future__ import annotations

from threadpoolctl import threadpool_limits


def one_blas_thread() -> threadpool_limits:
    """A context in which BLAS uses one thread: several groups at once gain more, and results do not depend on the number of cores.

    Example:
        >>> from threadpoolctl import threadpool_info
        >>> import numpy
        >>> with one_blas_thread():
        ...     {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}
        {1}
    """
    return threadpool_limits(limits=1, user_api="blas")
