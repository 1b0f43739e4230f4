"""The numbers of every task, as printed and as in the published code."""

import pytest

import softsym as ss
from softsym.datasets import task
from softsym.errors import InputError
from softsym.nn import count_parameters
from softsym_lab.experiments.presets import chosen_preset, match_width, preset, replace_numbers
from softsym_lab.runs.spec import RunSpec
from tests.datasets.test_parse import ALL


def test_inertia_as_the_paper_prints():
    found = preset("inertia:Ox(2)", "paper")
    assert (found.batch, found.max_epochs, found.lr, found.weight_decay) == (500, 8000, 1e-3, 2e-4)
    assert (found.width, found.rpp_width, found.lambda0, found.gamma) == (384, 270, 100, 2)
    assert (found.adjust_at, found.patience, found.init, found.sizes) == (2000, 50, "standard", (1000, 1000, 1000))
    assert (found.round_up, found.fixed_data) == (False, False)


def test_inertia_as_the_code_has_it():
    found = preset("inertia", "code")
    assert (found.width, found.rpp_width, found.max_epochs, found.lambda0) == (128, 89, 8000, 100)
    assert (found.round_up, found.fixed_data) == (True, True)


@pytest.mark.parametrize(("variant", "lambda0"), [("both", 0.005), ("SO(3)", 0.1), ("S(3)", 0.01), ("soft", 0.005)])
def test_cossim(variant, lambda0):
    found = preset(f"cossim:{variant}", "paper")
    assert (found.batch, found.max_epochs, found.lr, found.weight_decay) == (200, 10000, 2e-4, 2e-5)
    assert (found.width, found.rpp_width, found.lambda0, found.adjust_at) == (128, 45, lambda0, 2500)
    code = preset(f"cossim:{variant}", "code")
    assert (code.lr, code.max_epochs, code.adjust_at, code.lambda0) == (1e-3, 2000, 500, 0.01)


@pytest.mark.parametrize(
    ("normalisation", "epochs", "lambda0", "adjust_at"),
    [("scale-aware", 750, 0.2, 125), ("symmetry-aware", 500, 0.3, 100), ("symmetry-scale-aware", 500, 5.0, 100)],
)
def test_motion(normalisation, epochs, lambda0, adjust_at):
    found = preset(f"motion:{normalisation}", "paper")
    runs = {name: RunSpec(found.task, name, found) for name in ("mlp", "emlp", "per", "rpp", "mixed")}
    assert (runs["mlp"].settings.batch, runs["per"].settings.batch) == (256, 128)
    assert (runs["emlp"].settings.epochs, runs["per"].settings.epochs) == (epochs, 500)
    assert (runs["per"].width, runs["rpp"].width, runs["mixed"].width) == (384, 269, 269)
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


def test_presets_with_changes():
    numbers = chosen_preset("inertia:Oz(2)", "paper", epochs=80, width=96)
    assert (numbers.max_epochs, numbers.adjust_at, numbers.width, numbers.rpp_width) == (80, 20, 96, 68)
    assert chosen_preset("inertia:Oz(2)", "paper") == preset("inertia:Oz(2)", "paper")
    assert chosen_preset("inertia:Oz(2)", "paper", strengths="fixed").strengths == "fixed"
    with pytest.raises(InputError, match="preset paper with these changes: early stopping counts from twice"):
        chosen_preset("inertia:Oz(2)", "paper", epochs=2)
    with pytest.raises(InputError, match="input should be 'one-shot', 'continuous', 'by-data' or 'fixed'"):
        chosen_preset("inertia:Oz(2)", "paper", strengths="two-shot")


def test_changed_numbers_are_checked_again():
    numbers = preset("inertia", "quick")
    assert replace_numbers(numbers, {"lr": 0.5}) == numbers.model_copy(update={"lr": 0.5})
    with pytest.raises(InputError, match=r"^Input should be greater than 0$"):
        replace_numbers(numbers, {"lr": 0.0})


def mlp(width: int) -> ss.nn.MLP:
    return ss.nn.MLP("5S + 5V", "T(2)", "O(3)", width=width, layers=3)


@pytest.mark.parametrize("width", [8, 9, 57, 200])
def test_finds_the_width_it_came_from(width):
    assert match_width(mlp, count_parameters(mlp(width))) == width


def test_takes_the_closer_neighbour():
    low, high = count_parameters(mlp(40)), count_parameters(mlp(41))
    assert match_width(mlp, low + 1) == 40
    assert match_width(mlp, high - 1) == 41


def test_stays_in_range():
    assert match_width(mlp, 1, range(10, 21)) == 10
    assert match_width(mlp, 10**9, range(10, 21)) == 20


def test_models_of_several_kinds():
    wanted = count_parameters(ss.nn.SoftMLP("2S + 2V", "V", "O(3)", width=60, layers=3))
    width = match_width(lambda w: ss.nn.RPP("2S + 2V", "V", "O(3)", width=w, layers=3), wanted, range(8, 120))
    found = count_parameters(ss.nn.RPP("2S + 2V", "V", "O(3)", width=width, layers=3))
    assert abs(found - wanted) < 0.1 * wanted


def test_no_parameters():
    with pytest.raises(InputError, match=r"cannot match 0 parameters; pass a positive number"):
        match_width(mlp, 0)
