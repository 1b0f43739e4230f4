"""Where a training computes: this process alone, or what Lightning Fabric offers (devices, precisions, processes that share batches).

Fabric takes seconds to import and is asked only when a run wants what it offers. Alone, the same operations run without it, to the
same bits.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Protocol

from softsym.errors import InputError
from softsym.training.settings import Settings

if TYPE_CHECKING:
    from torch import Tensor, nn
    from torch.optim import Optimizer

DEVICES = ("cpu", "cuda", "mps")
"""What a training can be told to compute on."""


class Devices(Protocol):
    """What the loop asks of the place where it computes."""

    rank: int
    """Number of this process."""
    processes: int
    """How many share each batch."""

    def setup(self, model: nn.Module, optimizer: Optimizer) -> tuple[Any, Any]:
        """The model as it is to be called, and the optimizer as it is to be stepped."""

    def place(self, values: Tensor) -> Tensor:
        """A tensor on the device."""

    def backward(self, loss: Tensor) -> None:
        """Gradients of a loss."""

    def mean(self, value: Tensor) -> Tensor:
        """The mean over processes."""


class Alone:
    """One process, one CPU, numbers as they are."""

    rank, processes = 0, 1

    def setup(self, model: nn.Module, optimizer: Optimizer) -> tuple[Any, Any]:
        """Both as they are."""
        return model, optimizer

    def place(self, values: Tensor) -> Tensor:
        """Where it is."""
        return values

    def backward(self, loss: Tensor) -> None:
        """Torch's own."""
        loss.backward()

    def mean(self, value: Tensor) -> Tensor:
        """Of one."""
        return value


class ByFabric:
    """Devices, precision and processes as Fabric has them; several processes talk by DDP."""

    def __init__(self, settings: Settings, processes_here: int, is_parallel: bool) -> None:
        from lightning_fabric import Fabric

        self.fabric = Fabric(
            accelerator=settings.accelerator,
            devices=max(settings.devices, processes_here),
            strategy="ddp" if is_parallel else "auto",
            precision=settings.precision,
        )
        if is_parallel:
            self.fabric.launch()
        self.rank, self.processes = self.fabric.global_rank, self.fabric.world_size

    def setup(self, model: nn.Module, optimizer: Optimizer) -> tuple[Any, Any]:
        """Wrapped by Fabric, on its device."""
        wrapped, stepped = self.fabric.setup(model, optimizer)
        return wrapped, stepped

    def place(self, values: Tensor) -> Tensor:
        """On Fabric's device."""
        placed: Tensor = self.fabric.to_device(values)
        return placed

    def backward(self, loss: Tensor) -> None:
        """With the scaling that the precision needs."""
        self.fabric.backward(loss)

    def mean(self, value: Tensor) -> Tensor:
        """Over all processes."""
        reduced: Tensor = self.fabric.all_reduce(value, reduce_op="mean")  # type: ignore[assignment]
        return reduced


def make_devices(settings: Settings) -> Devices:
    """The place where a run with these settings computes; processes that torchrun started are found by its environment variables."""
    if settings.accelerator in DEVICES:
        check_device(settings.accelerator)
    here = int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    is_parallel = settings.devices > 1 or int(os.environ.get("WORLD_SIZE", "1")) > 1
    is_plain = settings.accelerator == "cpu" and settings.precision == "32-true" and here == 1
    chosen: Devices = Alone() if is_plain and not is_parallel else ByFabric(settings, here, is_parallel)
    if settings.batch % chosen.processes:
        raise InputError(
            f"the batch of {settings.batch} must be a multiple of the {chosen.processes} processes"
        )
    return chosen


def check_device_name(name: str) -> None:
    """Refuses a device that nobody knows, before torch is imported.

    Example:
        >>> check_device_name("gpu")
        Traceback (most recent call last):
        ...
        softsym.errors.InputError: unknown device 'gpu'; pass one of cpu, cuda, mps
    """
    if name not in DEVICES:
        raise InputError(f"unknown device {name!r}; pass one of {', '.join(DEVICES)}")


def check_device(name: str) -> None:
    """Refuses a device that is not there."""
    import torch

    check_device_name(name)
    known = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not known[name]:
        here = ", ".join(device for device, is_there in known.items() if is_there)
        raise InputError(
            f"torch {torch.__version__} finds no device {name!r} here; pass one that is there: {here}"
        )


def is_first_process() -> bool:
    """Whether this is the process that writes, of those that share a run (as torchrun or Fabric number them)."""
    rank = os.environ.get("RANK")
    if rank is not None:
        return int(rank) == 0
    return all(int(os.environ.get(name, "0")) == 0 for name in ("LOCAL_RANK", "NODE_RANK"))
