"""Ways to learn with candidates: without any active group each is plain training, and each does something with one."""

import pytest
import torch

from softsym_lab.benchmarks.planted.cases import cases
from softsym_lab.benchmarks.planted.methods import METHODS, Training, methods

POINTS = next(case for case in cases() if case.name == "points")


def weights(name, strengths):
    (x, y), _ = POINTS.draw(0)
    net = Training(POINTS, METHODS[name], strengths, seed=0, epochs=1).run((x[:60], y[:60]))
    return torch.cat([p.detach().flatten() for p in net.parameters()])


@pytest.mark.filterwarnings("ignore::UserWarning")  # of layer norms
@pytest.mark.parametrize("name", [name for name in METHODS if name != "plain"])
def test_strengths_decide(name):
    groups = METHODS[name].groups(POINTS)
    plain = weights("plain", {})
    assert torch.equal(weights(name, dict.fromkeys(groups, 0.0)), plain)
    assert not torch.allclose(weights(name, dict.fromkeys(groups, 1.0)), plain)


def test_candidates():
    assert METHODS["plain"].groups(POINTS) == ()
    assert METHODS["augmented by what holds"].groups(POINTS) == ("O(2)@z",)
    assert METHODS["per"].groups(POINTS) == POINTS.finite
    assert METHODS["per, adjusted once"].groups(POINTS) == POINTS.groups


def test_where_nothing_holds_every_candidate_is_shown_alone():
    digits = next(case for case in cases() if not case.holds)
    named = methods(digits)
    assert "augmented by what holds" not in named
    assert named["per, C(4) at 10"].groups(digits) == ("C(4)",)
    assert len(named) == len(METHODS) - 1 + 3 * len(digits.groups)
    assert list(methods(POINTS)) == list(METHODS)
