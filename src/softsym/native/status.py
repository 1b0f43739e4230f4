"""What runs here: compiled code or not, and why."""

from __future__ import annotations

import importlib
import platform
import warnings
from dataclasses import asdict, dataclass
from typing import Any

import torch

from softsym.errors import SlowTrainingWarning
from softsym.native import blocks, program
from softsym.native.build import build, switched_off
from softsym.native.matrix_product import matrix_product

SOURCES = (blocks.SOURCE, program.SOURCE)
_announced: list[str] = []  # once in a process is enough


@dataclass(frozen=True)
class Status:
    """What compiled code does in this process.

    Args:
        compiled: Whether all of it runs: hidden layers, projections, penalties and proximal steps, in single precision.
        reason: Why not, in one line; empty if it runs.
        compiler: Path of the compiler; empty if there is none.
        flags: What it was told.
        libraries: The compiled files.
        matrix_product: Whose matrix product it calls.
        threaded: Whether it can use more than one thread.
        threads: How many threads torch may use now.
    """

    compiled: bool
    reason: str
    compiler: str
    flags: tuple[str, ...]
    libraries: tuple[str, ...]
    matrix_product: str
    threaded: bool
    threads: int

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()
        }


def status() -> Status:
    """Looks, compiling what has not been compiled yet (a few seconds, once on a machine).

    Example:
        >>> from softsym.native import torch_only
        >>> with torch_only():
        ...     status().reason
        'switched off by torch_only'
    """
    threads = torch.get_num_threads()
    if switched_off():
        return Status(False, "switched off by torch_only", "", (), (), "", False, threads)
    builds = [build(source, torch.float32) for source in SOURCES]
    product = matrix_product(torch.float32)
    reasons = [built.reason for built in builds if built.library is None]
    if product is None:
        reasons.append("neither torch nor SciPy shows its matrix product (sgemm)")
    return Status(
        not reasons,
        reasons[0] if reasons else "",
        builds[0].compiler,
        builds[0].flags,
        tuple(str(built.path) for built in builds if built.path is not None),
        product.origin if product is not None else "",
        all(built.threaded for built in builds),
        threads,
    )


def available() -> bool:
    """Whether compiled code runs on this machine, all of it.

    Example:
        >>> available() == (status().reason == "")
        True
    """
    return status().compiled


def announce() -> None:
    """Warns, once in a process, where training is slow for want of compiled code; not where it is switched off on purpose."""
    if _announced or switched_off():
        return
    reason = status().reason
    _announced.append(reason)
    if reason:
        warnings.warn(
            f"training runs without compiled code, about half as fast: {reason} (see `softsym doctor`)",
            SlowTrainingWarning,
            stacklevel=2,
        )


def environment() -> dict[str, Any]:
    """What speed and the last bits of a result depend on.

    Example:
        >>> sorted(environment())
        ['compiled', 'machine', 'numpy', 'python', 'softsym', 'threads', 'torch']
    """
    import numpy as np

    return {
        "softsym": importlib.import_module("softsym").__version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
        "threads": torch.get_num_threads(),
        "machine": platform.machine(),
        "compiled": available(),
    }
