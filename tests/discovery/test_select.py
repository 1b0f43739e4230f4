"""Selection by stacking: what is fitted, what is given up, what is taken, and whether a network is trained."""

import functools
from dataclasses import dataclass, replace

import numpy as np
import pytest

import softsym as ss
from softsym.discovery.fit_data import Rows, Shape, Target
from softsym.discovery.models import base
from softsym.discovery.models.base import Model, Stack
from softsym.discovery.select import (
    ENSEMBLE,
    Baseline,
    Baselines,
    Candidate,
    FittedModels,
    combine,
    convex_weights,
    fit_models,
    make_table,
    mixture_weights,
    network_shape,
    select_supported,
    should_train_network,
    stack,
)
from softsym.discovery.symmetries import Symmetries, Symmetry
from tests.discovery.training_data import SHAPE, fit_data

RNG = np.random.default_rng(0)


@dataclass(frozen=True, eq=False)
class Given(Model):
    """A model that is the truth and a mistake."""

    title: str
    mistake: float = 0.0
    exact: tuple = ()
    kind = "given"

    @property
    def name(self):
        return self.title

    @property
    def exact_groups(self):
        return self.exact

    def predict(self, X):
        return X[:, :1] + self.mistake

    def std(self, X):
        return np.ones((len(X), 1))

    def fit(self, rows):
        return self

    def to_state(self):
        return {}, {}

    @classmethod
    def from_state(cls, about, arrays):
        return cls("it")

    def module(self):
        raise NotImplementedError


def make_rows(n=200, groups=None):
    X = RNG.standard_normal((n, 3))
    return Rows(X, X[:, :1], row_groups=groups)


def candidate(name, errors, rows, exact=()):
    return Candidate(Given(name, exact=exact), rows.Y + errors)


def test_weights_are_those_of_the_best_combination():
    first, second = RNG.standard_normal((2, 1000, 1))
    weights = convex_weights([first, 2 * second])
    assert weights == pytest.approx([0.8, 0.2], abs=0.05)
    assert convex_weights([first, np.full_like(first, np.inf)]).tolist() == [1.0, 0.0]
    assert convex_weights([np.zeros((5, 1)), np.zeros((5, 1))]).sum() == pytest.approx(1.0)


def test_mixtures_of_classes_have_the_largest_likelihood():
    p = RNG.uniform(0.1, 0.9, size=(500, 2))
    weights = mixture_weights(p)
    grid = np.linspace(0, 1, 101)
    likelihoods = [np.log(p @ [w, 1 - w]).mean() for w in grid]
    assert weights[0] == pytest.approx(grid[int(np.argmax(likelihoods))], abs=0.03)


def test_models_whose_errors_differ_are_stacked():
    rows = make_rows()
    a, b = RNG.standard_normal((2, 200, 1))
    best = combine([candidate("a", a, rows), candidate("b", b, rows), candidate("poor", 9 * a, rows)], rows)
    assert set(best.model.shares) == {"a", "b"}
    assert rows.losses(best.predicted).mean() < 0.7
    assert best.model.weights[0] >= best.model.weights[1]


def test_a_single_model_is_taken_where_the_stack_is_no_better():
    rows = make_rows()
    a = RNG.standard_normal((200, 1))
    near = candidate("near", a + 0.001 * RNG.standard_normal((200, 1)), rows)
    assert combine([candidate("a", a, rows), near], rows).model.name in ("a", "near")
    exact = candidate("exact", a * 1.001, rows, exact=("O(3)",))
    assert combine([candidate("a", a, rows), near, exact], rows).model is exact.model


def test_classes_are_stacked_by_their_log_loss():
    X = RNG.standard_normal((300, 2))
    rows = Rows(X, np.eye(2)[(X[:, 0] > 0).astype(int)], target=Target.CLASSES)
    sure = np.where(rows.Y > 0, 0.9, 0.1)
    even = np.full((300, 2), 0.5)
    best = combine([Candidate(Given("sure"), sure), Candidate(Given("even"), even)], rows)
    assert best.model.name == "sure"


def test_networks_join_by_validation_rows():
    rows, validation = make_rows(), np.arange(200) >= 150
    good, network = 0.5 * RNG.standard_normal((2, 200, 1))
    predicted = np.where(validation[:, None], rows.Y + network, np.nan)
    best = stack([candidate("good", good, rows), Candidate(Given("network"), predicted)], rows, validation)
    assert set(best.model.shares) == {"good", "network"}
    assert np.isfinite(best.predicted).all(1).tolist() == validation.tolist()
    poor = Candidate(Given("network"), np.where(validation[:, None], rows.Y + 50 * network, np.nan))
    alone = stack([candidate("good", good, rows), poor], rows, validation)
    assert alone.model.shares == {"good": 1.0}
    assert alone.is_complete
    assert stack([], rows, validation) is None


@functools.cache
def noisy():
    """Vectors of which O(2)@z knows everything; 8 % noise."""
    data = fit_data(300, model="auto")
    Y = data.rows.Y + 0.3 * np.random.default_rng(1).standard_normal(data.rows.Y.shape)
    return fit_data(rows=Rows(data.rows.X, Y), model="auto")


@functools.cache
def fitted():
    data = noisy()
    return fit_models(data, list(SHAPE.groups[1:]), list(SHAPE.groups))


def test_all_models_and_baselines_are_candidates():
    names = [one.model.name for one in fitted().selectable]
    expected = {base.MEAN, base.LINEAR, base.GP, base.GP_SUPPORTED, base.GP_UNCONSTRAINED, base.RIDGE, base.KERNEL}
    assert expected | {base.BOOSTING, base.PERCEPTRON, base.CONSTANT, base.EXTRAPOLATION} <= set(names)
    assert any(name.startswith("linear + ") for name in names)  # outputs are of the inputs' type, and nearly linear
    rows = noisy().development
    for one in fitted().selectable:
        if one.is_complete and one.model.kind in ("affine", "kernel ridge"):
            assert np.allclose(one.model.std(rows.X)[0] ** 2, np.mean((one.predicted - rows.Y) ** 2, axis=0))


def test_hopeless_models_are_given_up_after_the_first_fold():
    data = fit_data(300)  # without noise: nothing comes near the linear map
    models = fit_models(data, list(SHAPE.groups), list(SHAPE.groups))
    boosting = models.find(base.BOOSTING)
    assert not boosting.is_complete
    assert np.isfinite(boosting.predicted).all(1).sum() == (data.folds == 0).sum()


@pytest.mark.parametrize(("model", "names"), [("linear", [base.LINEAR]), ("gp", [base.GP]), ("network", [])])
def test_only_what_was_requested_may_be_selected(model, names):
    models = fit_models(fit_data(100, model=model), list(SHAPE.groups), list(SHAPE.groups))
    assert [one.model.name for one in models.selectable] == names
    assert {base.RIDGE, base.KERNEL, base.BOOSTING, base.PERCEPTRON} <= {one.model.name for one in models.others}


def test_the_table_shows_all_models_and_marks_the_selected_one():
    data, models = noisy(), fitted()
    gp, ridge = models.find(base.GP).model, models.find(base.RIDGE).model
    single = make_table(data, Stack((gp,), (1.0,)), 0.1, models.selectable)
    assert [row.is_returned for row in single] == [True] + [False] * (len(single) - 1)
    assert len(single) == len(models.selectable)
    both = make_table(data, Stack((gp, ridge), (0.75, 0.25)), 0.1, models.selectable)
    assert (both[0].name, both[0].validation_error) == (ENSEMBLE, 0.1)
    assert [row.verdict for row in both[:3]] == ["returned", "75% of it", "25% of it"]
    again = Baselines([Baseline.from_dict(row) for row in both.to_dicts()])
    assert [row.to_dict() for row in again] == both.to_dicts()


def test_who_is_better_is_better_by_more_than_a_hundredth():
    rows = [Baseline("a", 1, 1.0, 0.5, is_returned=True), Baseline("b", 1, 0.995, 0.5), Baseline("c", 1, 0.9, 0.5)]
    assert [row.name for row in Baselines(rows).better] == ["c"]


def test_a_network_is_trained_where_it_can_add_something():
    data, models = noisy(), fitted()
    is_trained, why = should_train_network(data, models)
    assert not is_trained
    assert "is noise" in why
    assert should_train_network(fit_data(100, model="network"), models)[0]
    assert not should_train_network(fit_data(100, model="gp"), models)[0]
    missing = FittedModels((), refused={base.GP: "no kernel"})
    assert should_train_network(data, missing)[1].endswith("(no kernel)")
    is_trained, why = should_train_network(fit_data(300, budget=1e-9), models)
    assert (is_trained, "used up" in why) == (False, True)
    exact = fit_data(300)
    simple = fit_models(exact, list(SHAPE.groups[1:]), list(SHAPE.groups))
    assert "little to gain" in should_train_network(exact, simple)[1]


def test_a_network_is_trained_where_a_perceptron_is_better():
    rows, models = noisy().development, fitted()
    perfect = replace(models.find(base.PERCEPTRON), predicted=rows.Y + 1e-3)
    others = [one for one in models.selectable if one.model.name != base.PERCEPTRON]
    _, why = should_train_network(noisy(), FittedModels((*others, perfect)))
    assert why == "a small perceptron predicts better than closed forms"


def test_candidates_without_overlap_or_refuted_are_not_used():
    table = Symmetries(
        [
            Symmetry("O(2)@x", "undecided", overlap=0.1),
            Symmetry("O(2)@y", "absent", overlap=0.9),
            Symmetry("O(2)@z", "exact", overlap=0.9),
            Symmetry("O(3)", "soft"),
        ]
    )
    groups = [ss.group(row.name) for row in table]
    supported, overlapping = select_supported(groups, table)
    assert [group.name for group in supported] == ["O(2)@z", "O(3)"]
    assert [group.name for group in overlapping] == ["O(2)@y", "O(2)@z", "O(3)"]
    shape = Shape.of(ss.rep("V"), ss.rep("V"), groups[:3])
    assert network_shape(shape, groups[2:3]).groups == (groups[2],)
    assert network_shape(shape, groups[2:3]).largest == groups[2]
    assert network_shape(shape, []) is shape


@pytest.mark.parametrize(
    ("share", "text"), [(0.9994, "99.9 %"), (0.9998, "99.98 %"), (0.999999, "> 99.99 %"), (1.0, "100.0 %")]
)
def test_all_is_explained_only_where_it_is(share, text):
    table = str(Baselines([Baseline("gp", 0.1, 0.1, share)]))
    assert table.splitlines()[1].endswith(f"  {text}")
