"""The paper's networks, built for a task."""

import pytest
from lab.tests.runs.small import preset
from lab.tests.zoo.small import error_of, made

from softsym.datasets import task
from softsym.groups import group
from softsym.nn import MLP, ScaleCanonical, SoftMLP
from softsym_lab.zoo import MODELS, Blueprint, build
from softsym_lab.zoo.networks import exact_and_soft


def test_the_plain_network():
    built = made("mlp", width=17)
    assert isinstance(built.model, MLP)
    assert built.model.layers[1].weight.shape == (17, 17)
    assert (built.regularizer, built.on_batch, built.on_loss) == (None, None, None)
    assert error_of(built.model, "O(3)") > 0.1


def test_emlp_is_equivariant_to_its_group():
    assert error_of(made("emlp").model, "O(3)") < 1e-5
    about_z = made("emlp", group="O(2)@z").model
    assert error_of(about_z, "O(2)@z") < 1e-5
    assert error_of(about_z, "O(3)") > 1e-2


def test_frame_averages_are_equivariant_to_their_group():
    assert error_of(made("fa").model, "O(3)") < 1e-5
    assert error_of(made("fa", group="SO(3)").model, "SO(3)") < 1e-5


def test_rpp_has_its_own_width_and_decays():
    numbers = preset().model_copy(update={"rpp_width": 14})
    assert MODELS["rpp"].width(numbers) == 14
    model = made("rpp", rpp_width=14, residual_decay=0.5, equivariant_decay=0.25).model
    assert (model.residual_decay, model.equivariant_decay) == (0.5, 0.25)
    assert model.group.name == "O(3)"
    assert made("rpp", group="O(2)@z").model.group.name == "O(2)@z"


@pytest.mark.parametrize(
    ("variant", "given", "exact", "soft"),
    [
        ("Oz(2)", None, ["O(2)@z"], ["O(2)@x", "O(2)@y"]),
        ("Oz(2)", "O(2)@x", ["O(2)@x"], ["O(2)@y", "O(2)@z"]),
        ("O(3)", None, ["O(2)@x", "O(2)@y", "O(2)@z"], []),
        ("soft", None, ["O(2)@x", "O(2)@y", "O(2)@z"], ["O(2)@x", "O(2)@y", "O(2)@z"]),
    ],
)
def test_which_groups_are_exact(variant, given, exact, soft):
    inertia = task(f"inertia:{variant}")
    plan = Blueprint(inertia, preset(), 8, 0, given and group(given), inertia.groups)
    assert [[G.name for G in part] for part in exact_and_soft(plan)] == [exact, soft]


def test_mixed_is_equivariant_to_the_exact_groups_only():
    model = made("mixed").model
    assert error_of(model, "O(2)@z") < 1e-5
    assert error_of(model, "O(2)@x") > 1e-6


def test_per_is_a_free_network_and_the_penalties_of_all_candidates():
    built = made("per", lambda0=7.0)
    assert dict(built.regularizer.strengths) == {"O(2)@x": 7.0, "O(2)@y": 7.0, "O(2)@z": 7.0}
    assert made("per", groups=["O(3)"]).regularizer.strengths.keys() == {"O(3)"}


def test_per_undoes_sizes_where_it_is_asked_to_and_a_candidate_scales():
    assert type(made("per", canonical_scale=True).model) is SoftMLP
    numbers = preset().model_copy(update={"canonical_scale": True})
    built = build("per", task("cossim:SO(3)"), numbers, 0)
    assert type(built.model) is ScaleCanonical
    assert built.regularizer.strengths.keys() == {"SO(3)", "Scaling(3)"}
    assert type(build("per", task("cossim:SO(3)"), preset(), 0).model) is SoftMLP


def test_per_has_its_own_batch_and_epochs_where_there_are_such():
    numbers, model = preset(), MODELS["per"]
    assert (model.batch(numbers), model.epochs(numbers)) == (numbers.batch, numbers.max_epochs)
    own = numbers.model_copy(update={"per_batch": 7, "per_max_epochs": 19})
    assert (model.batch(own), model.epochs(own)) == (7, 19)
    assert MODELS["mlp"].batch(own) == numbers.batch
