"""Connection to a Ray cluster: an existing one, or one that is started on this machine (the ``[ray]`` extra).

One that is started here listens on this machine alone (127.0.0.1): whoever reaches a cluster can run code on it. Ray 2.52 and later
can ask for a token (``RAY_AUTH_MODE=token``), which clusters of several machines should.
"""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from softsym.errors import InputError

LOOPBACK = "127.0.0.1"
RETRIES = 2  # retries of work whose process or machine died
T = TypeVar("T")
R = TypeVar("R")


def connect(address: str | None, workers: int) -> Any:
    """Connects to a cluster and returns Ray's module; refuses an address without a cluster."""
    ray = ray_module()
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        if address is None:
            ray.init(num_cpus=workers, include_dashboard=False, _node_ip_address=LOOPBACK, **quiet)
        else:
            host, _, port = address.removeprefix("ray://").rpartition(":")
            if host and port.isdigit():  # Ray would try for minutes
                socket.create_connection((host, int(port)), timeout=5).close()
            ray.init(address=address, **quiet)
    except (OSError, RuntimeError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(
            f"no Ray cluster at {address or 'this machine'}: {reason}; pass another --address, or --engine local"
        ) from error
    return ray


def map_on_cluster(ray: Any, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """Applies a function to items on the machines of a cluster that :func:`connect` returned; results come in their order.

    What a machine that died was working on is done again elsewhere; at most twice as many items as the cluster has cores are waiting.
    """
    remote = ray.remote(max_retries=RETRIES)(function)
    most = 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))
    waiting: deque[Any] = deque()
    for item in items:
        waiting.append(remote.remote(item))
        if len(waiting) >= most:
            yield ray.get(waiting.popleft())
    while waiting:
        yield ray.get(waiting.popleft())


def ray_module() -> Any:
    """Ray's module, which takes seconds to import."""
    try:
        import ray
    except ImportError as error:
        raise InputError("this engine needs Ray: pip install 'softsym[ray]', or pass --engine local") from error
    return ray


def check_engine(name: str, address: str | None) -> None:
    """Refuses an unknown engine, and an address without Ray."""
    if name not in ("local", "ray"):
        raise InputError(f"unknown engine {name!r}; pass local or ray")
    if name == "local" and address is not None:
        raise InputError("--address is that of a Ray cluster; pass --engine ray with it")
