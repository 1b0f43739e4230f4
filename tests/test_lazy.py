"""Names that are loaded when they are used."""

import subprocess
import sys

import pytest

import softsym.regularize
import softsym.training
from softsym.lazy import lazy


@pytest.mark.parametrize("package", [softsym.training, softsym.regularize])
def test_every_name_is_there_and_none_is_a_module(package):
    for name in package.__all__:
        found = getattr(package, name)
        assert getattr(found, "__name__", "").rpartition(".")[2] == name or not hasattr(found, "__name__")
        assert name in dir(package)


def test_other_names_are_not():
    get, names = lazy("math", {"x": "y"})
    assert {"sqrt", "y"} <= set(names())
    with pytest.raises(AttributeError, match="module 'math' has no attribute 'z'"):
        get("z")


def test_the_names_of_models_and_rules_cost_no_torch():
    code = (
        "import sys; from softsym.training.zoo import MODELS; from softsym.regularize.strengths import CONTROLLERS\n"
        "from softsym.training import RunSpec, Settings\n"
        "print(*MODELS, *CONTROLLERS, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [
        "mlp", "emlp", "rpp", "mixed", "per", "fa", "augment", "sample", "balanced", "jacobian",
        "gp", "soft-kernel", "kernel", "ridge", "boosting", "mean", "velocity",
        "one-shot", "continuous", "by-data", "fixed", "False",
    ]  # fmt: skip


def test_the_estimators_cost_no_compiler_of_torch():
    code = "import sys; from softsym import SoftEquivariantRegressor; print('torch._dynamo' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]
