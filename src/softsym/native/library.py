"""Compiles C sources for this machine once, keeps the result in the user's cache folder, and loads it.

Nothing depends on it: without a C compiler, where torch's OpenMP or matrix library cannot be found, or inside :func:`torch_only`,
:func:`compiled` is None and everything runs in ordinary torch operations.
"""

from __future__ import annotations

import contextlib
import contextvars
import ctypes
import functools
import hashlib
import logging
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import torch

FLAGS = (
    *("-std=c11", "-O3", "-march=native", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math"),
    *("-fPIC", "-fopenmp"),
)
DEFINES: dict[torch.dtype, tuple[str, ...]] = {torch.float32: (), torch.float64: ("-DDOUBLE",)}
MULTIPLY = {torch.float32: "sgemm_", torch.float64: "dgemm_"}
PATIENCE = 120  # seconds that a compiler may take

_log = logging.getLogger(__name__)
_wanted: contextvars.ContextVar[bool] = contextvars.ContextVar("softsym_native", default=True)


def available() -> bool:
    """Whether compiled code is used on this machine.

    Example:
        >>> isinstance(available(), bool)
        True
    """
    return compiled(Path(__file__).with_name("blocks.c"), torch.float32) is not None


@contextlib.contextmanager
def torch_only() -> Iterator[None]:
    """Does without compiled code inside a ``with`` block.

    Example:
        >>> with torch_only():
        ...     available()
        False
    """
    token = _wanted.set(False)
    try:
        yield
    finally:
        _wanted.reset(token)


def compiled(source: Path, dtype: torch.dtype) -> ctypes.CDLL | None:
    """A C source compiled for a kind of numbers; None where that is not possible or not wanted."""
    return _compiled(source, dtype) if _wanted.get() and dtype in DEFINES else None


@functools.cache
def _compiled(source: Path, dtype: torch.dtype) -> ctypes.CDLL | None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        _log.info("no C compiler found: everything runs in ordinary torch operations")
        return None
    try:
        return ctypes.CDLL(str(_built(source, compiler, dtype)))
    except (OSError, subprocess.SubprocessError) as error:
        _log.info("%s runs in ordinary torch operations: %s", source.stem, error)
        return None


@functools.cache
def matrix_product(dtype: torch.dtype) -> ctypes.c_void_p | None:
    """The address of the matrix product (sgemm or dgemm) of the library that torch brings; None if it is hidden."""
    return _address(MULTIPLY[dtype]) if dtype in MULTIPLY else None


@functools.cache
def thread_limit() -> ctypes.c_void_p | None:
    """The address of what limits that library's threads for the thread that calls it; None if there is no such function."""
    return _address("MKL_Set_Num_Threads_Local")


def _address(name: str) -> ctypes.c_void_p | None:
    path = Path(torch.__file__).with_name("lib") / "libtorch_cpu.so"
    try:
        return ctypes.cast(getattr(ctypes.CDLL(str(path)), name), ctypes.c_void_p)
    except (OSError, AttributeError):
        return None


def _built(source: Path, compiler: str, dtype: torch.dtype) -> Path:
    """The shared library, compiled now unless it is in the cache."""
    folder = _private_folder()
    question = repr((source.read_bytes(), FLAGS, DEFINES[dtype], compiler, platform.machine(), _processor()))
    path = folder / f"{source.stem}-{hashlib.sha256(question.encode()).hexdigest()[:24]}.so"
    if path.exists():
        return path
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        made, linked = Path(scratch, "made.o"), Path(scratch, "linked.so")
        _call(compiler, *FLAGS, *DEFINES[dtype], "-c", str(source), "-o", str(made))
        # Linked without OpenMP's library: its symbols come from the one torch has loaded, so that both share their threads.
        _call(compiler, "-shared", str(made), "-o", str(linked), "-lm")
        os.replace(linked, path)  # whole, or not there
    return path


def _private_folder() -> Path:
    """A folder that only this user can write to: what lies in it is executed."""
    from platformdirs import user_cache_path

    folder = user_cache_path("softsym", appauthor=False) / "native"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if hasattr(os, "getuid"):
        status = folder.stat()
        if status.st_uid != os.getuid() or status.st_mode & 0o022:
            raise PermissionError(f"{folder} can be written to by others")
    return folder


def _processor() -> str:
    """What tells processors apart for which ``-march=native`` means different things."""
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        return platform.processor()
    return next((line for line in lines if line.startswith(("flags", "Features"))), platform.processor())


def _call(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
