import pytest
import torch

from softsym.datasets import CosSim
from tests.datasets.truth import check_expected, data_error

X = torch.tensor([1.0, 0, 0, 2, 0, 0, 0, 3, 4], dtype=torch.float64)  # cosines 1, 0, 0; norms 1, 2, 5


@pytest.mark.parametrize(
    ("variant", "value"),
    [
        ("SO(3)+S(3)", 1 / 3),
        ("SO(3)", 1 / 3 - 8 / 3),
        ("S(3)", 1 / 3 - 3 / 7),
        ("soft", 1 / 3 - 8 / 3 + 3 / 7),
        ("S(3)-code", 1 / 3 - 1 / 9),
        ("soft-code", 1 / 3 - 8 / 3 + 1 / 9),
    ],
)
def test_by_hand(variant, value):
    assert CosSim(variant).target(X).tolist() == pytest.approx([value])


@pytest.mark.parametrize("variant", CosSim.variants())
def test_symmetry_of_every_variant(variant):
    task = CosSim(variant)
    check_expected(task)
    for group, breaking in task.breaking.items():
        assert data_error(task, group, n=4000) == pytest.approx(breaking, abs=0.02)


@pytest.mark.parametrize(
    ("variant", "published"),
    [
        ("SO(3)+S(3)", 0.1117),
        ("SO(3)", 0.2529),
        ("S(3)", 0.2205),
        ("soft", 0.3754),
        ("S(3)-code", 0.2205),
        ("soft-code", 0.3754),
    ],
)
def test_variance_is_the_papers_emlp_column(variant, published):
    # The published numbers come from 1,000 examples: their own deviation is some 5 %.
    _, y = CosSim(variant).sample(50_000, 0)
    assert y.var().item() == pytest.approx(published, rel=0.05)


def test_groups():
    assert [str(G) for G in CosSim().groups] == ["SO(3)", "Scaling(3)"]
    assert str(CosSim().largest) == "SO(3) | Scaling(3)"
