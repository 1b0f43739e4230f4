import pytest
from pydantic import ValidationError

from softsym.errors import InputError
from softsym.tasks import Preset, preset, task
from tests.tasks.test_parse import ALL


def test_inertia_as_the_paper_prints():
    found = preset("inertia:Ox(2)", "paper")
    assert (found.batch, found.max_epochs, found.lr, found.weight_decay) == (500, 8000, 1e-3, 2e-4)
    assert (found.width, found.rpp_width, found.lambda0, found.gamma) == (384, 270, 100, 2)
    assert (found.adjust_at, found.patience, found.init, found.sizes) == (
        2000,
        50,
        "standard",
        (1000, 1000, 1000),
    )
    assert (found.round_up, found.fixed_data) == (False, False)


def test_inertia_as_the_code_has_it():
    found = preset("inertia", "code")
    assert (found.width, found.rpp_width, found.max_epochs, found.lambda0) == (128, 89, 8000, 100)
    assert (found.round_up, found.fixed_data) == (True, True)


@pytest.mark.parametrize(
    ("variant", "lambda0"), [("both", 0.005), ("SO(3)", 0.1), ("S(3)", 0.01), ("soft", 0.005)]
)
def test_cossim(variant, lambda0):
    found = preset(f"cossim:{variant}", "paper")
    assert (found.batch, found.max_epochs, found.lr, found.weight_decay) == (200, 10000, 2e-4, 2e-5)
    assert (found.width, found.rpp_width, found.lambda0, found.adjust_at) == (128, 45, lambda0, 2500)
    code = preset(f"cossim:{variant}", "code")
    assert (code.lr, code.max_epochs, code.adjust_at, code.lambda0) == (1e-3, 2000, 500, 0.01)


@pytest.mark.parametrize(
    ("normalisation", "epochs", "lambda0", "adjust_at"),
    [
        ("scale-aware", 750, 0.2, 125),
        ("symmetry-aware", 500, 0.3, 100),
        ("symmetry-scale-aware", 500, 5.0, 100),
    ],
)
def test_motion(normalisation, epochs, lambda0, adjust_at):
    found = preset(f"motion:{normalisation}", "paper")
    assert (found.batch_of("mlp"), found.batch_of("per")) == (256, 128)
    assert (found.epochs_of("emlp"), found.epochs_of("per")) == (epochs, 500)
    assert (found.width_of("per"), found.width_of("rpp"), found.width_of("mixed")) == (384, 269, 269)
    assert (found.lambda0, found.gamma, found.adjust_at, found.init) == (lambda0, 5, adjust_at, "half-soft")
    assert (found.lr, found.weight_decay, found.sizes) == (2e-4, 0, (16814, 3339, 3563))
    assert preset(f"motion:{normalisation}", "code").init == "half-soft-code"


def test_code_names_the_variant_of_the_code():
    assert preset("cossim:S(3)", "code").task == "cossim:S(3)-code"
    assert preset("cossim:S(3)-code", "code").task == "cossim:S(3)-code"
    assert preset("cossim:SO(3)", "code").task == "cossim:SO(3)"
    assert preset("motion:scale-aware", "code").task == "motion:scale-aware,settings=code"
    assert preset("cossim:S(3)", "paper").task == "cossim:S(3)"


@pytest.mark.parametrize("text", ALL)
def test_every_task_has_a_quick_preset(text):
    found = preset(text, "quick")
    assert found.task == task(text).name
    assert 2 * found.adjust_at < found.max_epochs <= 300


def test_there_is_no_such_preset():
    with pytest.raises(InputError, match="golfball:wind=none has no preset 'paper'; it has quick"):
        preset("golfball", "paper")
    with pytest.raises(InputError, match=r"inertia:Oz\(2\) has no preset 'slow'; it has paper, code, quick"):
        preset("inertia", "slow")


def test_presets_are_checked_and_frozen():
    found = preset("inertia", "quick")
    fields = found.model_dump()
    assert Preset.model_validate(fields) == found
    for change in (
        {"epoch": 3},
        {"lr": 0},
        {"width": -1},
        {"init": "hard"},
        {"adjust_at": 200},
        {"lambda0": float("nan")},
    ):
        with pytest.raises(ValidationError):
            Preset.model_validate(fields | change)
    with pytest.raises(ValidationError, match="frozen"):
        found.lr = 1.0
