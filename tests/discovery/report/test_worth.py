"""What a symmetry is worth, in held-out errors."""

import pytest

from softsym.discovery.report.worth import compute_worth
from tests.discovery.small import estimator, fitted, rows


def test_a_process_without_softly_and_exactly():
    fit = estimator(model="gp").fit(*rows(200)).fit_
    by_group = {row.group: row for row in compute_worth(fit)}
    assert list(by_group) == ["O(2)@x", "O(2)@z"]
    assert by_group["O(2)@x"].exactly > 0.1  # forced upon data that do not have it
    assert by_group["O(2)@x"].softly < 1e-3
    assert by_group["O(2)@z"].exactly < 1e-3


def test_a_network_an_ordinary_one_and_a_projected_one():
    fit = fitted().fit_
    x, z = compute_worth(fit)
    assert (x.group, x.model) == ("O(2)@x", "network")
    assert x.softly == z.softly == pytest.approx(1 - fit.baselines["network"].explained)
    assert x.without == pytest.approx(1 - fit.baselines["ordinary network"].explained)
    assert x.exactly > z.exactly
    assert z.exactly == pytest.approx(1 - fitted().project("O(2)@z").model.fit_.explained())


def test_a_model_without_either_says_nothing():
    assert compute_worth(estimator(model="linear").fit(*rows(100)).fit_) == ()
