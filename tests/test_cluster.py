"""A Ray cluster: what is refused, in one line, before anything waits."""

import sys
from types import SimpleNamespace

import pytest

from softsym.cluster import check_engine, connect
from softsym.errors import InputError


def test_without_ray_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(
        InputError, match=r"this engine needs Ray: pip install 'softsym\[ray\]', or pass --engine local"
    ):
        connect(None, 1)


def test_engines_have_names():
    check_engine("local", None)
    check_engine("ray", "10.0.0.1:6379")
    with pytest.raises(InputError, match="unknown engine 'slurm'; pass local or ray"):
        check_engine("slurm", None)


def test_nobody_at_the_address():
    pytest.importorskip("ray")
    with pytest.raises(InputError, match=r"no Ray cluster at 127\.0\.0\.1:9: .*refused; pass another --address"):
        connect("127.0.0.1:9", 1)


def test_a_cluster_of_ones_own_listens_on_this_machine_alone(monkeypatch):
    asked = {}
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(init=lambda **options: asked.update(options)))
    connect(None, 2)
    assert asked["_node_ip_address"] == "127.0.0.1"
    assert asked["include_dashboard"] is False
