import csv
from pathlib import Path

import pytest
import torch

from softsym import groups
from softsym.datasets import Inertia
from softsym.errors import InputError
from tests.datasets.truth import check_expected, data_error

TABLE = Path(__file__).parents[1] / "reference" / "paper_correlation.csv"


def one_particle(mass, position):
    x = torch.zeros(20, dtype=torch.float64)
    x[0], x[5:8] = mass, torch.tensor(position, dtype=torch.float64)
    return x


def test_one_particle_by_hand():
    # 2 (|x|^2 1 - x x^T) of x = (1, 2, 3): |x|^2 = 14
    by_hand = [[26, -4, -6], [-4, 20, -12], [-6, -12, 10]]
    assert Inertia("O(3)").target(one_particle(2.0, [1, 2, 3])).reshape(3, 3).tolist() == by_hand


def test_perturbation_scales_columns():
    plain, soft = (Inertia(v).target(one_particle(2.0, [1, 2, 3])).reshape(3, 3) for v in ("O(3)", "soft"))
    torch.testing.assert_close(soft, plain * torch.tensor([0.7, 1.3, 1.0], dtype=torch.float64))
    (axis,) = (Inertia("Ox(2)").target(one_particle(2.0, [1, 2, 3])).reshape(3, 3),)
    assert axis[:, 0].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("variant", Inertia.variants())
def test_symmetry_of_every_variant(variant):
    check_expected(Inertia(variant))


@pytest.mark.parametrize("variant", Inertia.variants())
def test_breaking_is_close_to_the_data_error(variant):
    task = Inertia(variant)
    for group, breaking in task.breaking.items():
        assert data_error(task, group) == pytest.approx(breaking, abs=0.02)


def test_the_printed_soft_variant_is_not_only_soft():
    exact = {
        variant: [str(G) for G, word in Inertia(variant).expected.items() if word == "exact"]
        for variant in Inertia.variants()
    }
    assert exact["soft-printed"] == ["O(2)@y"]
    assert exact["soft"] == []
    assert exact["Oz(2)"] == exact["0.3*eps3"] == ["O(2)@z"]
    assert data_error(Inertia("soft-printed"), groups.group("O(2)@y")) < 1e-12


@pytest.mark.skipif(not TABLE.exists(), reason="the paper's table is not part of the package")
def test_axes_of_the_correlation_study_are_the_papers():
    with TABLE.open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 13
    for row in rows:
        task = Inertia(row["noise"].replace("_", ""))
        for group, breaking in task.breaking.items():
            published = float(row[f"data_O{str(group)[-1]}"])
            assert (breaking == 0) == (published < 1e-6)
            assert breaking == pytest.approx(published, rel=0.35, abs=1e-6)  # the paper's elements are not Haar


def test_inputs():
    task = Inertia()
    x, _ = task.sample(2000, 0)
    assert (x[:, :5] > 0).all()
    assert x[:, :5].mean().item() == pytest.approx(0.806, abs=0.02)
    assert x[:, 5:].std().item() == pytest.approx(1.0, abs=0.02)


def test_unknown_variant():
    with pytest.raises(InputError, match=r"unknown variant 'Ow\(2\)'; did you mean"):
        Inertia("Ow(2)")
