"""Devices, precisions and processes of training: one process on the CPU, or what Lightning Fabric offers.

Fabric takes seconds to import and is used only where it is needed. Without it the same operations give the same bits.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from softsym.errors import InputError

if TYPE_CHECKING:
    from torch import Tensor, nn
    from torch.optim import Optimizer

    from softsym.training.config import TrainingConfig

DEVICES = ("cpu", "cuda", "mps")
"""Names of devices."""


class Devices:
    """Where training computes: one process on the CPU, in the precision of the model, unless a subclass says otherwise."""

    rank: int = 0
    """Number of this process."""
    processes: int = 1
    """How many share each batch."""

    def setup(self, model: nn.Module, optimizer: Optimizer) -> tuple[Any, Any]:
        """The model as it is to be called, and the optimizer as it is to be stepped."""
        return model, optimizer

    def place(self, values: Tensor) -> Tensor:
        """A tensor on the device."""
        return values

    def backward(self, loss: Tensor) -> None:
        """Gradients of a loss."""
        loss.backward()

    def mean(self, value: Tensor) -> Tensor:
        """The mean over processes."""
        return value


class FabricDevices(Devices):
    """Lightning Fabric; several processes synchronise by DDP."""

    def __init__(self, config: TrainingConfig, processes_here: int, is_parallel: bool) -> None:
        from lightning_fabric import Fabric

        self.fabric = Fabric(
            accelerator=config.accelerator,
            devices=max(config.devices, processes_here),
            strategy="ddp" if is_parallel else "auto",
            precision=config.precision,
        )
        if is_parallel:
            self.fabric.launch()
        self.rank, self.processes = self.fabric.global_rank, self.fabric.world_size

    def setup(self, model: nn.Module, optimizer: Optimizer) -> tuple[Any, Any]:
        """Wraps both by Fabric, on its device."""
        wrapped, stepped = self.fabric.setup(model, optimizer)
        return wrapped, stepped

    def place(self, values: Tensor) -> Tensor:
        """Copies to Fabric's device."""
        placed: Tensor = self.fabric.to_device(values)
        return placed

    def backward(self, loss: Tensor) -> None:
        """Scales the loss as the precision needs."""
        self.fabric.backward(loss)

    def mean(self, value: Tensor) -> Tensor:
        """Averages over all processes."""
        reduced: Tensor = self.fabric.all_reduce(value, reduce_op="mean")  # type: ignore[assignment]
        return reduced


def make_devices(config: TrainingConfig) -> Devices:
    """Chooses devices by a configuration; processes that torchrun started are recognised by its environment variables."""
    if config.accelerator in DEVICES:
        check_device(config.accelerator)
    here = int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    is_parallel = config.devices > 1 or int(os.environ.get("WORLD_SIZE", "1")) > 1
    is_simple = config.accelerator == "cpu" and config.precision == "32-true" and here == 1
    chosen = Devices() if is_simple and not is_parallel else FabricDevices(config, here, is_parallel)
    if config.batch % chosen.processes:
        raise InputError(f"the batch of {config.batch} must be a multiple of the {chosen.processes} processes")
    return chosen


def check_device_name(name: str) -> None:
    """Refuses an unknown device, before torch is imported.

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
        raise InputError(f"torch {torch.__version__} finds no device {name!r} here; pass one that is there: {here}")


def is_first_process() -> bool:
    """Whether this is the process that writes, of those that share a run (as torchrun or Fabric number them)."""
    rank = os.environ.get("RANK")
    if rank is not None:
        return int(rank) == 0
    return all(int(os.environ.get(name, "0")) == 0 for name in ("LOCAL_RANK", "NODE_RANK"))
