import numpy as np
from threadpoolctl import threadpool_info

from softsym.inference.likelihood.blas_threads import one_blas_thread


def threads():
    np.ones((2, 2)) @ np.ones((2, 2))  # so that the library is loaded
    return sorted(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")


def test_one_thread_inside_and_as_many_as_before_outside():
    before = threads()
    with one_blas_thread():
        assert set(threads()) == {1}
    assert threads() == before
