"""The matrix product that compiled code calls: the one torch brings or, where that is hidden, SciPy's.

Torch's comes first: no second matrix library then competes for the processor, and it is the one that torch's own products use.
"""

from __future__ import annotations

import ctypes
import functools
from dataclasses import dataclass
from types import ModuleType

import torch

NAMES = {torch.float32: "sgemm", torch.float64: "dgemm"}


@dataclass(frozen=True)
class MatrixProduct:
    """A function in Fortran's conventions, and what limits its threads for the thread that calls it.

    Args:
        origin: Which library it is from.
        address: The function.
        limit: Takes a number of threads and returns the one before; None if there is no such function.
    """

    origin: str
    address: ctypes.c_void_p
    limit: ctypes.c_void_p | None


@functools.cache
def matrix_product(dtype: torch.dtype) -> MatrixProduct | None:
    """The matrix product of a kind of numbers; None if there is none."""
    return from_torch(dtype) or from_scipy(dtype)


def from_torch(dtype: torch.dtype) -> MatrixProduct | None:
    """The one torch's libraries show, if they do; asked through the extension module, so that their names do not matter."""
    address = _symbol(torch._C, f"{NAMES.get(dtype)}_")
    if address is None:
        return None
    return MatrixProduct("torch", address, _symbol(torch._C, "MKL_Set_Num_Threads_Local"))


def from_scipy(dtype: torch.dtype) -> MatrixProduct | None:
    """SciPy's, which it offers to C code on every platform."""
    from scipy.linalg import cython_blas

    capsule = cython_blas.__pyx_capi__.get(NAMES.get(dtype))
    if capsule is None:
        return None
    api = ctypes.pythonapi
    name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", api))
    address_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", api)
    )
    address = ctypes.c_void_p(address_of(capsule, name_of(capsule)))
    return MatrixProduct("scipy", address, _symbol(cython_blas, "openblas_set_num_threads_local"))


def _symbol(module: ModuleType, name: str) -> ctypes.c_void_p | None:
    """The address of a function in an extension module or in the libraries it is linked with."""
    try:
        return ctypes.cast(getattr(ctypes.CDLL(str(module.__file__)), name), ctypes.c_void_p)
    except (OSError, AttributeError):
        return None
