"""Compiles C sources for this machine once, keeps the result in the user's cache folder, and loads it.

Nothing depends on it: where that is not possible, :func:`load` is None, :func:`build` says why, and everything runs in ordinary
torch operations. So it does inside :func:`torch_only`.
"""

from __future__ import annotations

import contextlib
import contextvars
import ctypes
import functools
import hashlib
import itertools
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Self, cast
from weakref import WeakValueDictionary

import torch

from softsym.io import digest, put_bytes, put_text

OPENMP, PROCESSOR = "-fopenmp", "-march=native"
FLAGS = ("-std=c11", "-O3", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math", "-fPIC")
# What not every compiler takes is left out where it fails: Apple's has no OpenMP, clang's calls a library that torch has not loaded.
ATTEMPTS = ((*FLAGS, PROCESSOR, OPENMP), (*FLAGS, PROCESSOR), FLAGS)
DEFINES: dict[torch.dtype, tuple[str, ...]] = {torch.float32: (), torch.float64: ("-DDOUBLE",)}
COMPILE_SECONDS = 120  # seconds that a compiler may take

_wanted: contextvars.ContextVar[bool] = contextvars.ContextVar("softsym_native", default=True)


@dataclass(frozen=True, eq=False)
class Source:
    """A C file, and numbers that its constant ``layout`` must hold, by name: sizes of structures and shared constants."""

    path: Path
    sizes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Built:
    """A source compiled for one dtype; or, if ``library`` is None, the ``reason`` why it could not be, in one line."""

    library: ctypes.CDLL | None
    reason: str = ""
    compiler: str = ""
    flags: tuple[str, ...] = ()
    path: Path | None = None
    threaded: bool = False


class Numbered:
    """What operators of torch, which take tensors and numbers only, know by a number as long as it lives; copies of a network share it."""

    _known: ClassVar[WeakValueDictionary[int, Numbered]] = WeakValueDictionary()
    _numbers = itertools.count()

    def __init__(self, *arguments: object) -> None:
        self.number = next(self._numbers)
        self._known[self.number], self._arguments = self, arguments

    @classmethod
    def numbered(cls, number: int) -> Self:
        """The object of a number."""
        return cast(Self, cls._known[number])

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), self._arguments


class LayoutError(Exception):
    """A library whose structures or constants are not those of this version of softsym."""


@contextlib.contextmanager
def torch_only() -> Iterator[None]:
    """Does without compiled code inside a ``with`` block.

    Example:
        >>> from softsym.native import available
        >>> with torch_only():
        ...     available()
        False
    """
    token = _wanted.set(False)
    try:
        yield
    finally:
        _wanted.reset(token)


def is_torch_only() -> bool:
    """Whether this is inside :func:`torch_only`."""
    return not _wanted.get()


def load(source: Source, dtype: torch.dtype) -> ctypes.CDLL | None:
    """A C source compiled for a kind of numbers; None where that is not possible or not wanted."""
    return build(source, dtype).library if _wanted.get() and dtype in DEFINES else None


@functools.cache
def build(source: Source, dtype: torch.dtype) -> Built:
    """Compiles a source, or finds it compiled, and loads it; tried once in a process."""
    if os.name == "nt":
        return Built(
            None, "Windows is not supported: its stack is not aligned for the vectors of compiled code"
        )
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return Built(None, "no C compiler (cc or gcc) was found")
    reasons: list[str] = []
    for flags in ATTEMPTS:
        try:
            path = _library(source, compiler, (*flags, *DEFINES[dtype]))
            library = ctypes.CDLL(str(path))
            check_layout(library, source, dtype)
        except (OSError, subprocess.SubprocessError) as error:
            reasons.append(_in_one_line(error, compiler))
            continue
        except LayoutError as error:  # other flags will not change it
            reasons.insert(0, str(error))
            break
        threaded = bool(ctypes.c_int64.in_dll(library, "threaded").value)
        return Built(library, "", compiler, (*flags, *DEFINES[dtype]), path, threaded)
    return Built(None, f"{source.path.name}: {reasons[0]}", compiler)


def check_layout(library: ctypes.CDLL, source: Source, dtype: torch.dtype) -> None:
    """Refuses a library that was written for other structures or constants: it would read and write the wrong memory."""
    expected = {"size of a number": dtype.itemsize, **source.sizes}
    try:
        length = ctypes.c_int64.in_dll(library, "layout_length").value
        found = list((ctypes.c_int64 * length).in_dll(library, "layout"))
    except ValueError as error:  # no such name in the library
        raise LayoutError(
            f"the compiled library does not say how its structures are laid out: {error}"
        ) from error
    for (name, ours), theirs in zip(expected.items(), found, strict=False):
        if ours != theirs:
            raise LayoutError(f"compiled code and Python disagree: {name} is {theirs} there and {ours} here")
    if length != len(expected):
        raise LayoutError(f"compiled code and Python disagree: {length} sizes there and {len(expected)} here")


def _library(source: Source, compiler: str, flags: tuple[str, ...]) -> Path:
    """The shared library in the cache folder, or in a temporary one where that cannot be used."""
    question = repr((source.path.read_bytes(), flags, compiler, platform.machine(), _processor()))
    name = f"{source.path.stem}-{hashlib.sha256(question.encode()).hexdigest()[:24]}.so"
    try:
        return _compile(source, compiler, flags, _private_folder() / name)
    except OSError:
        return _compile(source, compiler, flags, _temporary_folder() / name)


def _compile(source: Source, compiler: str, flags: tuple[str, ...], path: Path) -> Path:
    """Compiled now unless it is there, and whole: a damaged library would take the process with it."""
    checksum = path.with_suffix(".checksum")
    if not _is_whole(path, checksum):
        with tempfile.TemporaryDirectory() as scratch:
            made, linked = Path(scratch, "made.o"), Path(scratch, "made.so")
            _call(compiler, *flags, "-c", str(source.path), "-o", str(made))
            # Linked without OpenMP's library: its symbols come from the one torch has loaded, so that both share their threads.
            _call(compiler, "-shared", str(made), "-o", str(linked), "-lm")
            library = linked.read_bytes()
        put_bytes(path, library)
        put_text(checksum, digest(library))
    return path


def _is_whole(path: Path, checksum: Path) -> bool:
    try:
        return digest(path.read_bytes()) == checksum.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False


def cache_folder() -> Path:
    """Where compiled code is kept."""
    from platformdirs import user_cache_path

    return user_cache_path("softsym", appauthor=False) / "native"


def _private_folder() -> Path:
    """The cache folder, if only this user can write to it: what lies in it is executed."""
    folder = cache_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if hasattr(os, "getuid"):
        status = folder.stat()
        if status.st_uid != os.getuid() or status.st_mode & 0o022:
            raise PermissionError(f"{folder} can be written to by others")
    return folder


@functools.cache
def _temporary() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="softsym-", ignore_cleanup_errors=True)


def _temporary_folder() -> Path:
    """A folder of this process alone, gone when it ends."""
    return Path(_temporary().name)


def _processor() -> str:
    """What tells processors apart for which ``-march=native`` means different things."""
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        return platform.processor()
    return next((line for line in lines if line.startswith(("flags", "Features"))), platform.processor())


def _call(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=COMPILE_SECONDS)


def _in_one_line(error: Exception, compiler: str) -> str:
    """What went wrong, with the first line that the compiler wrote."""
    if not isinstance(error, subprocess.CalledProcessError):
        return " ".join(str(error).split())
    first = next((line.strip() for line in error.stderr.splitlines() if line.strip()), "it said nothing")
    return f"{compiler} failed: {first}"
