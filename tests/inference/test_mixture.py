import numpy as np
import pytest

import softsym as ss
from softsym.inference.kernel_selection import KernelSelection
from softsym.inference.kernels import Kernel
from softsym.inference.mixture import alone, components_of, optimise_weights

CUBIC = [Kernel("polynomial", 3)]


@pytest.fixture(scope="module")
def selecting():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    Y = X * np.sum(X**2, axis=1, keepdims=True) + [0.0, 0.0, 1.0] + 0.05 * rng.standard_normal((60, 3))
    groups = [ss.group("O(2)@z"), ss.group("O(2)@x")]
    selection = KernelSelection.fit(X, Y, ss.rep("V"), ss.rep("V"), groups, kernels=CUBIC)
    return selection, {group.name: selection.profile(group) for group in groups}


def test_what_holds_has_all_the_weight(selecting):
    selection, profiles = selecting
    components, noises = optimise_weights(selection, components_of(selection, profiles, CUBIC))
    assert sum(c.weight for c in components) == pytest.approx(1.0)
    assert sum(c.weight for c in components if "O(2)@z" in c.has) > 0.99
    assert len(noises) == len(selection.blocks(selection.groups))


def test_one_at_a_time(selecting):
    singles = alone(*selecting)
    held, unconstrained = singles["O(2)@z"]
    assert (held.weight, unconstrained) == (1.0, 0.0)
    broken, unconstrained = singles["O(2)@x"]
    assert broken.weight + unconstrained == pytest.approx(1.0)
    assert unconstrained > 0


def test_what_holds_is_not_given_up_for_what_holds_in_part(selecting):
    components = components_of(*selecting, CUBIC)
    named = [component.has for component in components if component.has]
    assert ("O(2)@z", "O(2)@x") in named
    assert all("O(2)@z" in has for has in named)


def test_the_same_kernel_is_not_taken_twice():
    X = np.random.default_rng(0).standard_normal((40, 3))
    groups = [ss.group("SO(2)@z"), ss.group("O(2)@z"), ss.O(2).about("z").conjugated(np.eye(3))]
    selection = KernelSelection.fit(X, X[:, 2:] ** 2 * X, ss.rep("V"), ss.rep("V"), groups, kernels=CUBIC)
    profiles = {group.name: selection.profile(group) for group in groups}
    methods = [c.candidate.method for c in components_of(selection, profiles, CUBIC)]
    assert methods.count("averaged over 16 elements") == 1
