"""Compiles C sources for this machine once, keeps the result in the user's cache folder, and loads it.

Nothing depends on it: where that is not possible, :func:`can_run` is false, :func:`build` says why, and everything runs in ordinary
torch operations. So it does inside :func:`torch_only`. A compiler that does not finish in :data:`COMPILE_SECONDS` is ended, and not
asked again for a day, by this process or any other.
"""

from __future__ import annotations

import contextlib
import contextvars
import ctypes
import functools
import hashlib
import inspect
import itertools
import os
import platform
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Self, TypeVar, cast
from weakref import WeakValueDictionary

import torch
from torch import Tensor

from softsym.errors import InputError, in_one_line
from softsym.io import digest, private_folder, put_bytes, put_text
from softsym.limits import hold

OPENMP, PROCESSOR = "-fopenmp", "-march=native"
FLAGS = ("-std=c11", "-O3", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math", "-fPIC")
# What not every compiler takes is left out where it fails: Apple's has no OpenMP, clang's calls a library that torch has not loaded.
ATTEMPTS = ((*FLAGS, PROCESSOR, OPENMP), (*FLAGS, PROCESSOR), FLAGS)
DEFINES: dict[torch.dtype, tuple[str, ...]] = {torch.float32: (), torch.float64: ("-DDOUBLE",)}
COMPILE_SECONDS = 20  # that a compiler may take
FORGET_SECONDS = 86_400  # after which one that took longer is asked again

T = TypeVar("T", bound=torch.autograd.Function)
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
        known = cls._known.get(number)
        if not isinstance(known, cls):
            raise InputError(f"there is no {cls.__name__} of number {number} in this process")
        return known

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), self._arguments


class LayoutError(Exception):
    """A library whose structures or constants are not those of this version of softsym."""


def torch_only() -> contextlib.AbstractContextManager[None]:
    """Does without compiled code inside a ``with`` block.

    Example:
        >>> from softsym.native import available
        >>> with torch_only():
        ...     available()
        False
    """
    return hold(_wanted, False)


def is_torch_only() -> bool:
    """Whether this is inside :func:`torch_only`."""
    return not _wanted.get()


@functools.cache
def build(source: Source, dtype: torch.dtype) -> Built:
    """Compiles a source for a kind of numbers, or finds it compiled, and loads it; tried once in a process."""
    if dtype not in DEFINES:
        return Built(None, f"{source.path.name} is not compiled for {dtype}")
    if os.name == "nt":
        return Built(None, "Windows is not supported: its stack is not aligned for the vectors of compiled code")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return Built(None, "no C compiler (cc or gcc) was found")
    reasons: list[str] = []
    for flags in ATTEMPTS:
        try:
            path = _library(source, compiler, (*flags, *DEFINES[dtype]))
            library = ctypes.CDLL(str(path))
            check_layout(library, source, dtype)
        except (TimeoutError, LayoutError) as error:  # other flags will not change it
            reasons.insert(0, str(error))
            break
        except OSError as error:
            reasons.append(in_one_line(error))
            continue
        threaded = bool(ctypes.c_int64.in_dll(library, "threaded").value)
        return Built(library, "", compiler, (*flags, *DEFINES[dtype]), path, threaded)
    return Built(None, f"{source.path.name}: {reasons[0]}", compiler)


def entry(source: Source, dtype: torch.dtype, name: str) -> Callable[..., int]:
    """A function of a compiled source; its callers have asked whether it is there."""
    library = build(source, dtype).library
    if library is None:
        raise InputError(f"there is no compiled code of {source.path.name} for {dtype}")
    return cast(Callable[..., int], getattr(library, name))


def check_tensors(tensors: Sequence[Tensor], dtype: torch.dtype, needed: Sequence[int], *, exact: bool = False) -> None:
    """Refuses tensors that compiled code would read or write outside of, or take for other numbers than they are."""
    if len(tensors) != len(needed):
        raise InputError(f"compiled code was prepared for {len(needed)} tensors, got {len(tensors)}")
    for k, (tensor, count) in enumerate(zip(tensors, needed, strict=True)):
        numbers = tensor.numel()
        if numbers < count or (exact and numbers != count):
            raise InputError(
                f"compiled code was prepared for {count} numbers in tensor {k}, got shape {tuple(tensor.shape)}; "
                "do not exchange the data of a parameter for others of another shape"
            )
        if tensor.dtype != dtype or not tensor.is_cpu or not tensor.is_contiguous():
            raise InputError(f"compiled code takes contiguous {dtype} on CPUs, got {tensor.dtype} on {tensor.device}")
        if tensor.untyped_storage().nbytes() < (tensor.storage_offset() + numbers) * tensor.element_size():
            raise InputError(f"the memory of tensor {k} was released or made smaller")


def can_run(source: Source, tensors: Sequence[Tensor]) -> bool:
    """Whether compiled code can run on these tensors: on the CPU, of one dtype, and not in a program that will run without softsym."""
    dtype = tensors[0].dtype
    exporting = getattr(torch.compiler, "is_exporting", torch.compiler.is_compiling)  # new in torch 2.7
    leaves = bool(exporting() or torch.jit.is_tracing())  # type: ignore[attr-defined]
    return not leaves and all(t.is_cpu and t.dtype == dtype for t in tensors) and _is_compiled(source, dtype)


def _is_compiled(source: Source, dtype: torch.dtype) -> bool:
    return _wanted.get() and build(source, dtype).library is not None


# What torch.compiler.assume_constant_result does, without the seconds that the import of torch's compiler takes.
_is_compiled._dynamo_marked_constant = True  # type: ignore[attr-defined]


def name_signature(function: type[T]) -> type[T]:
    """Writes a signature down that torch looks up at every call: working it out anew takes 30 microseconds a layer."""
    setattr(function.forward, "__signature__", inspect.signature(function.forward))  # noqa: B010
    return function


# Schemas are written out: the oldest supported torch infers none from lists and tuples.
custom_op = functools.partial(torch.library.custom_op, mutates_args=(), device_types="cpu")


def is_mixed(values: Tensor) -> bool:
    """Whether mixed precision is in force where values are; a device that knows none, such as ``meta``, has none."""
    kind = values.device.type
    # torch.compile traces the second question only, and never runs on devices that cannot answer it.
    is_known = torch.compiler.is_compiling() or torch.amp.is_autocast_available(kind)
    return is_known and torch.is_autocast_enabled(kind)


def full_precision(values: Tensor) -> contextlib.AbstractContextManager[object]:
    """A block in which operations have the precision of their operands."""
    mixed = is_mixed(values)
    return torch.autocast(values.device.type, enabled=False) if mixed else contextlib.nullcontext()


def check_layout(library: ctypes.CDLL, source: Source, dtype: torch.dtype) -> None:
    """Refuses a library that was written for other structures or constants: it would read and write the wrong memory."""
    expected = {"size of a number": dtype.itemsize, **source.sizes}
    try:
        length = ctypes.c_int64.in_dll(library, "layout_length").value
        found = list((ctypes.c_int64 * length).in_dll(library, "layout"))
    except ValueError as error:  # no such name in the library
        raise LayoutError(f"the compiled library does not say how its structures are laid out: {error}") from error
    for (name, ours), theirs in zip(expected.items(), found, strict=False):
        if ours != theirs:
            raise LayoutError(f"compiled code and Python disagree: {name} is {theirs} there and {ours} here")
    if length != len(expected):
        raise LayoutError(f"compiled code and Python disagree: {length} sizes there and {len(expected)} here")


def _library(source: Source, compiler: str, flags: tuple[str, ...]) -> Path:
    """The shared library in the cache folder, or in a temporary one where that cannot be used; compiled now unless it is there."""
    question = repr((source.path.read_bytes(), flags, compiler, platform.machine(), _processor()))
    name = f"{source.path.stem}-{hashlib.sha256(question.encode()).hexdigest()[:24]}.so"
    try:
        folder = private_folder(cache_folder())
    except OSError:
        folder = Path(_temporary().name)
    if not _is_whole(folder / name):  # a damaged library would take the process with it
        library = _compile(source, compiler, flags, folder)
        try:
            _put_library(folder / name, library)
        except OSError:
            folder = Path(_temporary().name)
            _put_library(folder / name, library)
    return folder / name


def _put_library(path: Path, library: bytes) -> None:
    put_bytes(path, library)
    put_text(path.with_suffix(".checksum"), digest(library))


def _compile(source: Source, compiler: str, flags: tuple[str, ...], folder: Path) -> bytes:
    """The bytes of the library; a compiler that took too long before is not asked again."""
    status = Path(compiler).stat()
    key = repr((compiler, status.st_mtime_ns, status.st_size)).encode()
    note = folder / f"slow-compiler-{digest(key)[:16]}"
    said = f"{compiler} did not finish within {COMPILE_SECONDS} s and is not asked for a day (remembered in {note})"
    if note.exists() and time.time() - note.stat().st_mtime < FORGET_SECONDS:
        raise TimeoutError(said)
    with tempfile.TemporaryDirectory() as scratch:
        made, linked = Path(scratch, "made.o"), Path(scratch, "made.so")
        try:
            _call(compiler, *flags, "-c", str(source.path), "-o", str(made))
            # Linked without OpenMP's library: its symbols come from the one torch has loaded, so that both share their threads.
            _call(compiler, "-shared", str(made), "-o", str(linked), "-lm")
        except subprocess.TimeoutExpired as error:
            with contextlib.suppress(OSError):
                put_text(note, said)
            raise TimeoutError(said) from error
        return linked.read_bytes()


def _is_whole(path: Path) -> bool:
    try:
        return digest(path.read_bytes()) == path.with_suffix(".checksum").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False


def cache_folder() -> Path:
    """Where compiled code is kept."""
    from platformdirs import user_cache_path

    return user_cache_path("softsym", appauthor=False) / "native"


@functools.cache
def _temporary() -> tempfile.TemporaryDirectory[str]:
    """A folder of this process alone, gone when it ends."""
    return tempfile.TemporaryDirectory(prefix="softsym-", ignore_cleanup_errors=True)


def _processor() -> str:
    """What tells processors apart for which ``-march=native`` means different things."""
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        return platform.processor()
    return next((line for line in lines if line.startswith(("flags", "Features"))), platform.processor())


def _call(*command: str) -> None:
    """Runs a compiler in a session of its own, which ends with all its processes if it takes too long."""
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(
        command, stdin=nothing, stdout=nothing, stderr=pipe, text=True, start_new_session=True
    ) as process:
        try:
            errors = process.communicate(timeout=COMPILE_SECONDS)[1]
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode:
        first = next((line.strip() for line in errors.splitlines() if line.strip()), "it said nothing")
        raise OSError(f"{command[0]} failed: {first}")
