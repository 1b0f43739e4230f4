"""Compiles the interpreter for this machine once, keeps it in the user's cache folder, and loads it.

Nothing depends on it: without a C compiler, where torch's OpenMP and matrix library cannot be found, or with ``SOFTSYM_NATIVE=0``
in the environment, :func:`library` is None and layers run in ordinary torch operations.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import logging
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import torch

SOURCE = Path(__file__).with_name("samples.c")
FLAGS = (
    *("-std=c11", "-O3", "-march=native", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math"),
    *("-fPIC", "-fopenmp"),
)
DEFINES: dict[torch.dtype, tuple[str, ...]] = {torch.float32: (), torch.float64: ("-DDOUBLE",)}
MULTIPLY = {torch.float32: "sgemm_", torch.float64: "dgemm_"}
PATIENCE = 120  # seconds that a compiler may take

Runner = Callable[..., None]

_log = logging.getLogger(__name__)


def available(dtype: torch.dtype = torch.float32) -> bool:
    """Whether hidden layers run in compiled code on this machine.

    Example:
        >>> isinstance(available(), bool)
        True
    """
    return library(dtype) is not None


@functools.cache
def library(dtype: torch.dtype) -> Runner | None:
    """The compiled interpreter for a kind of numbers; None if there is none."""
    if dtype not in DEFINES or os.environ.get("SOFTSYM_NATIVE") == "0":
        return None
    compiler = _compiler()
    if compiler is None:
        _log.info("no C compiler found: layers run in ordinary torch operations")
        return None
    try:
        return _load(_built(compiler, dtype), dtype)
    except (OSError, AttributeError, subprocess.SubprocessError) as error:
        _log.info("layers run in ordinary torch operations: %s", error)
        return None


def _compiler() -> str | None:
    named = os.environ.get("CC")
    return shutil.which(named) if named else shutil.which("cc") or shutil.which("gcc")


def _built(compiler: str, dtype: torch.dtype) -> Path:
    """The shared library, compiled now unless it is in the cache."""
    folder = _private_folder()
    question = repr((SOURCE.read_bytes(), FLAGS, DEFINES[dtype], compiler, platform.machine(), _processor()))
    path = folder / f"samples-{hashlib.sha256(question.encode()).hexdigest()[:24]}.so"
    if path.exists():
        return path
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        compiled, linked = Path(scratch, "samples.o"), Path(scratch, "samples.so")
        _call(compiler, *FLAGS, *DEFINES[dtype], "-c", str(SOURCE), "-o", str(compiled))
        # Linked without OpenMP's library: its symbols come from the one torch has loaded, so that both share their threads.
        _call(compiler, "-shared", str(compiled), "-o", str(linked), "-lm")
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


def _load(path: Path, dtype: torch.dtype) -> Runner:
    """The interpreter, with the matrix product of the library that torch brings."""
    loaded = ctypes.CDLL(str(path))
    pointer, long, short = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32
    loaded.run.argtypes = [pointer, short, pointer, long, long, short, pointer]
    loaded.run.restype = None
    multiply = ctypes.cast(getattr(_torch_library(), MULTIPLY[dtype]), pointer)
    return lambda *arguments: loaded.run(*arguments, multiply)


def _torch_library() -> ctypes.CDLL:
    return ctypes.CDLL(str(Path(torch.__file__).with_name("lib") / "libtorch_cpu.so"))
