import numpy as np
import pytest

import softsym as ss
from softsym.inference.kernel_selection import CHOOSING, FEW, LARGEST, KernelSelection
from softsym.inference.kernels import GRID, Kernel

RNG = np.random.default_rng(0)


def selection(f, groups, rep_in="2V", rep_out="V", n=150, size=6):
    X = np.random.default_rng(0).standard_normal((n, size))
    return KernelSelection.fit(X, f(X), ss.rep(rep_in), ss.rep(rep_out), [ss.group(g) for g in groups])


def cross(X):
    return np.cross(X[:, :3], X[:, 3:])


def test_a_polynomial_gets_the_polynomial_kernel():
    chosen = selection(cross, ["SO(3)"]).kernels
    assert chosen == {"": Kernel("polynomial", 2), "SO(3)": Kernel("polynomial", 2)}


def test_the_best_few_kernels_are_compared_again_on_the_same_larger_rows(monkeypatch):
    seen = []

    def values(self, candidate, kernels, blocks, n):
        seen.append((n, len(kernels)))
        few = len(kernels) > 1
        return {
            kernel: (1.0 if kernel.family == "rbf" else 0.0) if few else kernel.parameter
            for kernel in kernels
        }

    monkeypatch.setattr(KernelSelection, "_values", values)
    monkeypatch.setattr(KernelSelection, "_explains", lambda *_: False)
    chosen = selection(cross, ["SO(3)", "O(2)@z"], n=2000).kernels
    assert set(chosen.values()) == {Kernel("rbf", 2.8)}  # the widest of those that few rows like best
    first, again = seen[:3], seen[3:]
    assert [size for _, size in first] == [len(GRID)] * 3  # with none, and with either group
    assert again == [(again[0][0], 1)] * FEW
    assert again[0][0] > max(rows for rows, _ in first)


def test_where_nothing_is_left_to_explain_more_rows_are_not_used(monkeypatch):
    monkeypatch.setattr(KernelSelection, "_explains", lambda *_: True)
    sizes, original = [], KernelSelection._values
    monkeypatch.setattr(
        KernelSelection, "_values", lambda self, *a: sizes.append(a[-1]) or original(self, *a)
    )
    assert selection(cross, ["SO(3)"]).kernels[""] == Kernel("polynomial", 2)
    assert len(set(sizes)) == 1


def test_a_group_that_needs_polynomials_gets_one():
    chosen = selection(lambda X: np.sin(2 * X[:, :1]) / (1 + X[:, 1:2] ** 2), ["SL(3)"], rep_out="S").kernels
    assert chosen[""].family != "polynomial"
    assert chosen["SL(3)"].family == "polynomial"


def test_a_group_without_a_kernel_is_noted():
    found = selection(lambda X: X[:, :1], ["SU(3)"], rep_in="V", rep_out="S")
    assert not found.candidates
    assert "no finite subgroup is known" in found.notes["SU(3)"]


def test_subsets_keep_matrices_small():
    found = selection(cross, ["SO(3)"], n=2000)
    blocks = found.blocks(found.groups)
    assert found.rows(blocks) * 3 <= LARGEST
    assert found.rows(blocks, CHOOSING) * 3 <= CHOOSING
    assert found.rows([]) == LARGEST


def test_zero_parts_are_left_out():
    symmetric = selection(
        lambda X: (X[:, :3, None] * X[:, None, :3]).reshape(-1, 9), ["O(3)"], rep_out="T(2)"
    )
    assert [block.size for block in symmetric.blocks(symmetric.groups)] == [1, 5]


@pytest.mark.parametrize("constant", [0.0, 3.0])
def test_constant_outputs(constant):
    assert selection(lambda X: np.full((len(X), 1), constant), ["O(3)"], rep_out="S").is_constant


def test_the_same_seed_gives_the_same_rows():
    first, second = selection(cross, ["SO(3)"]), selection(cross, ["SO(3)"])
    assert np.array_equal(first.X, second.X)


@pytest.mark.parametrize(("noisier", "exponents"), [(True, (0.75, 1.0)), (False, (0.0, 0.25))])
def test_the_data_say_what_weights_mean(noisier, exponents):
    """Rows that count less are noisier, or are not: weights may be those of a survey."""
    rng = np.random.default_rng(0)
    X, weights = rng.standard_normal((120, 6)), np.exp(rng.standard_normal(120))
    noise = 0.1 * rng.standard_normal((120, 3)) / (np.sqrt(weights)[:, None] if noisier else 1.0)
    found = KernelSelection.fit(X, cross(X) + noise, ss.rep("2V"), ss.rep("V"), [ss.SO(3)], weights=weights)
    assert found.exponent in exponents
    assert (found.weights is None) == (found.exponent == 0)
