"""Devices, precisions and processes of training: one process on the CPU, or what Lightning Fabric offers.

Fabric takes seconds to import and is used only where it is needed. Without it the same operations give the same bits.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

from softsym.errors import InputError

if TYPE_CHECKING:
    from torch import Tensor, nn
    from torch.optim import Optimizer

    from softsym.training.config import TrainingConfig

DEVICES = ("cpu", "cuda", "mps")  # names of devices


class Devices:
    """One process on the CPU, in the precision of the model, by the names of :class:`lightning_fabric.Fabric`, which it stands for."""

    global_rank: int = 0  # number of this process
    world_size: int = 1  # how many share each batch

    def setup(self, model: nn.Module, optimizer: Optimizer) -> tuple[Any, Any]:
        """The model as it is to be called, and the optimizer as it is to be stepped."""
        return model, optimizer

    def to_device(self, values: Tensor) -> Tensor:
        """A tensor on the device."""
        return values

    def backward(self, loss: Tensor) -> None:
        """Gradients of a loss."""
        loss.backward()

    def all_reduce(self, value: Tensor, *, reduce_op: str) -> Tensor:
        """The mean over processes."""
        return value


def make_fabric(config: TrainingConfig, processes_here: int, is_parallel: bool) -> Devices:
    """Lightning Fabric; several processes synchronise by DDP."""
    from lightning_fabric import Fabric

    devices, strategy = max(config.devices, processes_here), "ddp" if is_parallel else "auto"
    fabric = Fabric(accelerator=config.accelerator, devices=devices, strategy=strategy, precision=config.precision)
    if is_parallel:
        fabric.launch()
    return cast(Devices, fabric)


def make_devices(config: TrainingConfig) -> Devices:
    """Chooses devices by a configuration; processes that torchrun started are recognised by its environment variables."""
    if config.accelerator in DEVICES:
        check_device(config.accelerator)
    here = int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    is_parallel = config.devices > 1 or int(os.environ.get("WORLD_SIZE", "1")) > 1
    is_simple = config.accelerator == "cpu" and config.precision == "32-true" and here == 1
    chosen = Devices() if is_simple and not is_parallel else make_fabric(config, here, is_parallel)
    if config.batch % chosen.world_size:
        raise InputError(f"the batch of {config.batch} must be a multiple of the {chosen.world_size} processes")
    return chosen


def check_device_name(name: str) -> None:
    """Refuses an unknown device, before torch is imported."""
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
