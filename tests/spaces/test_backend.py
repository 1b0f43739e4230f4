"""NumPy and torch: the same operations; precision, batches, strides and derivatives of any order."""

import numpy as np
import pytest
import torch

import softsym as ss
from softsym.errors import InputError
from softsym.spaces.packed import backend_of

RNG = np.random.default_rng(0)
X = RNG.standard_normal((3, 6))
INDEX = np.array([4, 0, 5])
CASES = [
    ("S + V", "V + S", "SO(3)"),
    ("V", "T(2)", "O(2)@z"),
    ("2V", "V + S", "S(3)"),
    ("V", "V'", "SL(2)"),
    ("V", "V", "S(6)"),
    ("V", "S", "O(3)"),
    ("S + V", "V + S", "A(4)"),
]
every = pytest.mark.parametrize("space", [ss.equivariant_maps(*case) for case in CASES], ids=repr)


def both(action):
    """The outcome of an action by NumPy, checked against that by torch; it is given a library and a converter."""
    ours = action(backend_of(X), np.asarray)
    theirs = action(backend_of(torch.tensor(X)), lambda values: torch.tensor(np.asarray(values)))
    assert np.allclose(ours, theirs.numpy(), atol=1e-14)
    return ours


@pytest.mark.parametrize("rows", [1, 3])
def test_gather_and_scatter_are_adjoint(rows):
    gathered = both(lambda backend, of: backend.gather(of(X[:rows]), of(INDEX)))
    assert np.array_equal(gathered, X[:rows][:, INDEX])

    def scatter(backend, of):
        out = backend.zeros(of(X), rows, 6)
        backend.scatter(of(gathered), of(INDEX), out)
        return out

    assert np.isclose((both(scatter) * X[:rows]).sum(), (gathered**2).sum())


def test_sums_over_labels():
    labels = np.array([0, 1, 0, 2, 2, 2])
    sums = both(lambda backend, of: backend.sums(of(X), of(labels), 4))
    assert np.allclose(sums, X @ (labels[:, None] == np.arange(4)))
    assert sums.shape == (3, 4)


def test_norms():
    assert np.allclose(both(lambda backend, of: backend.norm(of(X), (-1,))), np.linalg.norm(X, axis=1))


def test_the_norm_of_zero_has_a_gradient():
    x = torch.zeros(3, requires_grad=True)
    backend_of(x).norm(x, (-1,)).backward()
    assert torch.equal(x.grad, torch.zeros(3))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_constants_take_the_dtype_but_positions_stay_whole(dtype):
    for like in (X.astype(dtype), torch.tensor(X.astype(dtype))):
        backend = backend_of(like)
        assert backend.constant(X, like).dtype == like.dtype
        assert "int64" in str(backend.constant(INDEX, like).dtype)


def test_arrays_of_one_dtype_share_constants():
    x = torch.tensor(X)
    assert backend_of(x).place(x) == backend_of(x).place(x + 1) != backend_of(x).place(x.float())
    assert backend_of(X).place(X) == backend_of(X).place(X + 1) != backend_of(X).place(X.astype(np.float32))


def test_whole_numbers_become_floating_point_ones_and_others_are_refused():
    assert backend_of([1, 2]).as_float([1, 2], "W").dtype == np.float64
    assert backend_of(X).as_float(X, "W") is X
    tensor = torch.tensor([1, 2])
    assert backend_of(tensor).as_float(tensor, "W").dtype == torch.get_default_dtype()
    with pytest.raises(InputError, match="`W` must be an array of real numbers, got complex128"):
        backend_of(X).as_float(X + 1j, "W")
    with pytest.raises(InputError, match=r"`W` must be real, got torch\.complex64"):
        backend_of(tensor).as_float(tensor.to(torch.complex64), "W")


def test_parameters_and_tensors_of_other_classes_are_tensors():
    class Mine(torch.Tensor):
        pass

    for x in (torch.nn.Parameter(torch.ones(2)), torch.ones(2).as_subclass(Mine)):
        assert backend_of(x) is backend_of(torch.ones(2))


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


@every
@pytest.mark.parametrize("batch", [(), (1,), (3,), (2, 4), (40,)])
def test_torch_and_numpy_agree(space, batch):
    W = random(*batch, *space.shape)
    for name in ("project", "coefficients", "distance", "residual"):
        expected = getattr(space, name)(W.numpy())
        actual = getattr(space, name)(W)
        assert actual.shape == expected.shape
        assert np.allclose(actual.numpy(), expected, atol=1e-12), name
    theta = random(*batch, space.dim)
    assert np.allclose(space.combine(theta).numpy(), space.combine(theta.numpy()), atol=1e-12)


@every
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_torch_keeps_its_precision(space, dtype):
    W = random(2, *space.shape)
    tolerance = 4 * torch.finfo(dtype).eps
    for use in (space.project, space.coefficients):
        projected = use(W.to(dtype))
        assert projected.dtype == dtype
        assert torch.allclose(projected.double(), use(W), atol=4 * tolerance, rtol=4 * tolerance)
    theta = space.coefficients(W).to(dtype)
    assert space.combine(theta).dtype == dtype


@every
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_numpy_keeps_its_precision(space, dtype):
    W = random(*space.shape).numpy().astype(dtype)
    assert space.project(W).dtype == space.coefficients(W).dtype == space.distance(W).dtype == dtype
    assert np.allclose(space.project(W), space.project(W.astype(np.float64)), atol=1e-5)
    assert space.combine(space.coefficients(W)).dtype == dtype


@every
def test_derivatives_of_first_and_second_order(space):
    W = random(2, *space.shape).requires_grad_()
    theta = random(2, space.dim).requires_grad_()
    for use, x in ((space.project, W), (space.coefficients, W), (space.combine, theta), (space.residual, W)):
        assert torch.autograd.gradcheck(use, (x,), fast_mode=True)
        assert torch.autograd.gradgradcheck(lambda y, use=use: use(y) ** 2, (x,), fast_mode=True)


@every
def test_the_gradient_of_half_the_squared_distance_is_the_residual(space):
    W = random(*space.shape).requires_grad_()
    (gradient,) = torch.autograd.grad(0.5 * space.distance(W) ** 2, W)
    assert torch.allclose(gradient, space.residual(W), atol=1e-12)


@every
def test_gradients_agree_with_the_dense_twin(space):
    W, Q = random(*space.shape).requires_grad_(), torch.tensor(space.basis())
    (actual,) = torch.autograd.grad(space.project(W).pow(3).sum(), W)
    (twin,) = torch.autograd.grad((Q @ (Q.T @ W.flatten())).pow(3).sum(), W)
    assert torch.allclose(actual, twin, atol=1e-10)


@every
def test_strided_inputs(space):
    n, m = space.shape
    wide, transposed, padded = (
        random(n, 2 * m)[:, ::2],
        random(m, n).T,
        random(3, n, m).transpose(0, 1).transpose(0, 1),
    )
    same = random(1, 1).expand(n, m)
    for W in (wide, transposed, padded, same, random(n + 1, m + 1)[1:, 1:]):
        plain = W.contiguous()
        assert torch.equal(space.project(W), space.project(plain))
        assert torch.equal(space.coefficients(W), space.coefficients(plain))
        assert np.array_equal(space.project(W.numpy()), space.project(plain.numpy()))
    column = random(space.dim, 2).T
    assert torch.allclose(space.combine(column), space.combine(column.contiguous()), atol=1e-14)


@every
def test_inputs_are_left_alone(space):
    W = random(2, *space.shape)
    before = W.clone()
    space.project(W)
    space.project(W.numpy())
    assert torch.equal(W, before)


@every
def test_without_gradients(space):
    W = random(*space.shape).requires_grad_()
    with torch.no_grad():
        assert not space.project(W).requires_grad
    with torch.inference_mode():
        inferred = space.project(random(*space.shape).float())
    later = space.project(W.float())  # constants kept from inference mode must still do for training
    later.sum().backward()
    assert torch.allclose(inferred, later.detach(), atol=1e-6)
    assert W.grad is not None


def test_empty_batches():
    for G in ("O(3)", "S(6)", "SL(2)"):
        space = ss.equivariant_maps("S + V", "V + S", G)
        for W in (np.zeros((0, *space.shape)), torch.zeros(0, *space.shape)):
            assert tuple(space.project(W).shape) == (0, *space.shape)
            assert tuple(space.coefficients(W).shape) == (0, space.dim)
            assert tuple(space.combine(space.coefficients(W)).shape) == (0, *space.shape)


def test_whole_numbers_become_floats():
    space = ss.equivariant_maps("V", "V", "O(2)")
    expected = np.diag([2.5, 2.5])
    assert np.allclose(space.project(np.array([[1, 2], [3, 4]])), expected)
    assert np.allclose(space.combine(np.array([2])), space.combine(np.array([2.0])))
    assert np.allclose(np.asarray(space.project(torch.tensor([[1, 2], [3, 4]]))), expected)
    assert np.allclose(np.asarray(space.combine(torch.tensor([2]))), space.combine(np.array([2.0])))


def test_wrong_shapes():
    space = ss.equivariant_maps("S + V", "T(2)", "O(3)")
    with pytest.raises(
        InputError, match=r"`W` must have shape \(..., 9, 4\) for S \+ V -> T\(2\) under O\(3\), got \(4, 9\)"
    ):
        space.project(torch.zeros(4, 9))
    with pytest.raises(InputError, match=r"`theta` must have shape \(..., 1\), got \(3, 2\)"):
        space.combine(torch.zeros(3, 2))


def test_gradient_descent_on_the_distance_finds_the_space():
    space = ss.equivariant_maps("V", "V", "O(3)")
    W = random(3, 3).requires_grad_()
    target = space.project(W).detach()
    for _ in range(60):
        (gradient,) = torch.autograd.grad(0.5 * space.residual(W).pow(2).sum(), W)
        W = (W - 0.5 * gradient).detach().requires_grad_()
    assert torch.allclose(W, target, atol=1e-12)


def test_the_distance_of_an_equivariant_map_has_a_finite_gradient():
    W = torch.zeros(3, 3, dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(ss.equivariant_maps("V", "V", "O(3)").distance(W), W)
    assert torch.isfinite(gradient).all()
