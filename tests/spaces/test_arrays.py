"""Both libraries do the same, and neither is taken for the other."""

import numpy as np
import pytest
import torch

from softsym.errors import InputError
from softsym.spaces.arrays import arrays_of

RNG = np.random.default_rng(0)
X = RNG.standard_normal((3, 6))
INDEX = np.array([4, 0, 5])


def both(action):
    """The outcome of an action by NumPy, checked against that by torch; it is given a library and a converter."""
    ours = action(arrays_of(X), np.asarray)
    theirs = action(arrays_of(torch.tensor(X)), lambda values: torch.tensor(np.asarray(values)))
    assert np.allclose(ours, theirs.numpy(), atol=1e-14)
    return ours


@pytest.mark.parametrize("rows", [1, 3])
def test_gather_and_scatter_are_adjoint(rows):
    gathered = both(lambda arrays, of: arrays.gather(of(X[:rows]), of(INDEX)))
    assert np.array_equal(gathered, X[:rows][:, INDEX])

    def scattered(arrays, of):
        out = arrays.zeros(of(X), rows, 6)
        arrays.scatter(of(gathered), of(INDEX), out)
        return out

    assert np.isclose((both(scattered) * X[:rows]).sum(), (gathered**2).sum())


def test_split_and_join_are_inverse():
    assert np.array_equal(
        both(lambda arrays, of: arrays.join(list(arrays.split(of(X), [1, 3, 2])), of(X))), X
    )
    assert both(lambda arrays, of: arrays.join([], of(X))).shape == (3, 0)
    assert list(arrays_of(X).split(X, [])) == []


def test_sums_over_labels():
    labels = np.array([0, 1, 0, 2, 2, 2])
    sums = both(lambda arrays, of: arrays.sums(of(X), of(labels), 4))
    assert np.allclose(sums, X @ (labels[:, None] == np.arange(4)))
    assert sums.shape == (3, 4)


def test_products_and_norms():
    def product(arrays, of):
        out = arrays.empty(of(X), 3, 3)
        arrays.product_into(of(X), of(X.T), out)
        return out

    assert np.allclose(both(product), X @ X.T)
    assert np.allclose(both(lambda arrays, of: arrays.norm(of(X), (-1,))), np.linalg.norm(X, axis=1))


def test_a_norm_of_nothing_has_a_gradient():
    x = torch.zeros(3, requires_grad=True)
    arrays_of(x).norm(x, (-1,)).backward()
    assert torch.equal(x.grad, torch.zeros(3))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_constants_take_the_dtype_but_positions_stay_whole(dtype):
    for like in (X.astype(dtype), torch.tensor(X.astype(dtype))):
        arrays = arrays_of(like)
        assert arrays.constant(X, like).dtype == like.dtype
        assert "int64" in str(arrays.constant(INDEX, like).dtype)


def test_what_shares_a_place():
    x = torch.tensor(X)
    assert arrays_of(x).place(x) == arrays_of(x).place(x + 1) != arrays_of(x).place(x.float())
    assert arrays_of(X).place(X) == arrays_of(X).place(X + 1) != arrays_of(X).place(X.astype(np.float32))


def test_whole_numbers_become_floating_point_ones_and_others_are_refused():
    assert arrays_of([1, 2]).as_float([1, 2], "W").dtype == np.float64
    assert arrays_of(X).as_float(X, "W") is X
    tensor = torch.tensor([1, 2])
    assert arrays_of(tensor).as_float(tensor, "W").dtype == torch.get_default_dtype()
    with pytest.raises(InputError, match="`W` must be an array of real numbers, got complex128"):
        arrays_of(X).as_float(X + 1j, "W")
    with pytest.raises(InputError, match=r"`W` must be real, got torch\.complex64"):
        arrays_of(tensor).as_float(tensor.to(torch.complex64), "W")


def test_parameters_and_tensors_of_other_classes_are_tensors():
    class Mine(torch.Tensor):
        pass

    for x in (torch.nn.Parameter(torch.ones(2)), torch.ones(2).as_subclass(Mine)):
        assert arrays_of(x) is arrays_of(torch.ones(2))
