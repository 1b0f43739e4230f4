"""The bilinear layer against a twin that writes the whole map W(x) down, sample by sample."""

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

import softsym as ss
from softsym.nn import Bilinear
from softsym.reps import TensorType
from tests.nn.networks import gap, normal

CASES = [
    ("4S + 2V + T(2)", "O(3)"),
    ("V + S + 2V + T(2) + 3S + T(3)", "O(3)"),
    ("2S + 3V' + V + T(1,1) + T(0,2)", "O(3)"),
    ("3S + 2V + 2V' + T(2) + T(1,1)", "SL(2)"),
    ("2S + V + V' + V'*V + 2T(1,1) + T(2) + T(0,2)", "SL(2)"),
    ("V'*V + S + V + V'", "SL(2)"),
    ("V'*V + V + V' + V'*V*V + S", "GL(2)"),
    ("V*V' + V' + V + V'*V", "Scaling(3)"),
    ("3S + 2V + T(2)", "S(4)"),
    ("2S + Grid(2,2) + V*Grid(2,2) + V", "C(4)"),
    ("2S + V*Grid(2,2) + V + S + Grid(2,2)*V", "C(4)"),
    ("2S + V[0] + V[1] + V[1]*V[0] + V[0]*V[1]", "SO(2) * S(3)"),
    ("2V + T(2)", "SO(2)@z"),
    ("6V + 3T(2) + T(3) + 5S", "O(2)"),
    ("3S + 2V", "O(3)"),
    ("2V", "SO(3)"),
    ("4S", "SO(3)"),
    ("3S + 2V + T(2)", "O(1)"),
    ("14S + 3T(2) + 11V + 2T(3) + 9V", "O(2)@x | O(2)@z"),
    (str(ss.hidden_rep(60, "SL(2)")), "SL(2)"),
    (str(ss.hidden_rep(40, "Lorentz()")), "Lorentz()"),
    (str(ss.nn.gated_rep(ss.hidden_rep(128, "O(3)"), ss.O(3))), "O(3)"),
]
every = pytest.mark.parametrize(("rep", "G"), CASES)


def layer_of(rep: str, G: str, seed: int = 0) -> Bilinear:
    return Bilinear(ss.rep(rep), ss.group(G), torch.Generator().manual_seed(seed)).double()


def terms_of(layer: Bilinear) -> int:
    return len(layer.plan.scaled) + len(layer.plan.inner) + len(layer.plan.mixed)


def kind_of(kind: TensorType, G: ss.Group) -> TensorType:
    """The type, without duals where V and V' are the same."""
    return TensorType(tuple(a.without_dual() for a in kind.atoms)) if G.is_orthogonal else kind


def copies_of(rep: ss.Rep, G: ss.Group) -> dict[TensorType, list[slice]]:
    found: dict[TensorType, list[slice]] = {}
    for segment in rep.segments(G):
        for start in range(segment.start, segment.stop, segment.size):
            found.setdefault(kind_of(segment.type, G), []).append(slice(start, start + segment.size))
    return found


def axes_from(through: TensorType, wanted: TensorType) -> list[int] | None:
    """Which axis of ``through`` is each axis of ``wanted``, or None if their indices differ."""
    left = list(range(through.rank))
    axes = []
    for atom in wanted.atoms:
        same = [axis for axis in left if through.atoms[axis] == atom]
        if not same:
            return None
        axes.append(same[0])
        left.remove(same[0])
    return None if left else axes


def slow_map(layer: Bilinear, rep: ss.Rep, G: ss.Group, x: Tensor) -> Tensor:
    """W(x) for one sample, (n, n), block by block."""
    copies = copies_of(rep, G)
    W = x.new_zeros(len(x), len(x))
    scale_rows = inner_columns = mixed = 0
    for source, into in copies.items():
        for target, out in copies.items():
            wanted = kind_of(target * source.dual, G)
            acting = [k for k in copies if k.rank and axes_from(k, wanted) is not None]
            if not acting:
                continue
            through = acting[0]
            size = through.size(G)
            axes = axes_from(through, wanted)
            Z = [x[place].view(through.shape(G)).permute(axes) for place in copies[through][:size]]
            Z = [z.reshape(target.size(G), source.size(G)) for z in Z]
            for k, z in enumerate(Z):
                for b, rows in enumerate(out):
                    for a, columns in enumerate(into):
                        if not source.rank:
                            w = layer.scale_weight[scale_rows + k * len(out) + b, a]
                        elif not target.rank:
                            w = layer.inner_weight[b, inner_columns + k * len(into) + a]
                        elif source.size(G) < target.size(G):
                            w = layer.mixed_weights[mixed][k * len(out) + b, a]
                        else:
                            w = layer.mixed_weights[mixed][b, k * len(into) + a]
                        W[rows, columns] += w * z
            if not source.rank:
                scale_rows += len(Z) * len(out)
            elif not target.rank:
                inner_columns += len(Z) * len(into)
            else:
                mixed += 1
    used = (scale_rows, inner_columns, mixed)
    assert used == (layer.scale_weight.shape[0], layer.inner_weight.shape[1], len(layer.mixed_weights))
    return W


@pytest.mark.parametrize(("rep", "G"), CASES[:-1])
def test_agrees_with_the_explicit_map(rep, G):
    layer, group = layer_of(rep, G), ss.group(G)
    x = normal(3, layer.size, dtype=torch.float64)
    with torch.no_grad():
        expected = torch.stack([row + 0.1 * slow_map(layer, ss.rep(rep), group, row) @ row for row in x])
        assert torch.allclose(layer.eval()(x), expected, atol=1e-10)
    assert torch.allclose(layer.train()(x).detach(), expected, atol=1e-10)


@every
def test_equivariant(rep, G):
    layer = layer_of(rep, G)
    x = normal(9, layer.size, dtype=torch.float64)
    assert gap(layer, rep, rep, G, x) < 1e-10
    assert gap(layer.eval(), rep, rep, G, x) < 1e-10
    assert gap(layer.float(), rep, rep, G, x.float()) < 1e-5


def test_does_something_where_it_can():
    for rep, G in CASES:
        layer = layer_of(rep, G)
        x = normal(4, layer.size, dtype=torch.float64)
        assert torch.equal(layer(x), x) == (not terms_of(layer))
    assert layer_of("2V", "SO(3)")(torch.ones(1, 6).double()).sum() == 6


def test_terms_by_hand():
    """Scalars times vectors, inner products, and tensors times vectors."""
    layer = layer_of("2S + V + T(2)", "O(2)")
    plan = layer.plan
    assert (len(plan.scaled), len(plan.inner), len(plan.mixed)) == (2, 2, 1)  # to V, T(2); from V, T(2); V to V
    assert layer.scale_weight.shape == (1 + 1, 2)
    assert layer.inner_weight.shape == (2, 1 + 1)
    assert layer.mixed_weights[0].shape == (1, 1)


def test_values_by_hand():
    layer = layer_of("S + V", "O(2)")
    with torch.no_grad():
        layer.scale_weight.fill_(2.0)
        layer.inner_weight.fill_(3.0)
    x = torch.tensor([[5.0, 1.0, 2.0]]).double()
    expected = torch.tensor([[5.0 + 0.1 * 3 * 5, 1.0 + 0.1 * 2 * 5 * 1, 2.0 + 0.1 * 2 * 5 * 2]]).double()
    assert torch.allclose(layer(x), expected)


def test_at_most_as_many_copies_as_coordinates_act():
    layer = layer_of("3S + 7V", "O(2)")
    assert [t.n for t in layer.plan.scaled] == [2]
    assert [t.n for t in layer_of("3S + V", "O(2)").plan.scaled] == [1]


class LargestTensor(TorchDispatchMode):
    """Remembers the number of entries of the largest tensor any operation made."""

    numel = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        for value in out if isinstance(out, tuple | list) else (out,):
            if isinstance(value, Tensor):
                self.numel = max(self.numel, value.untyped_storage().size() // value.element_size())
        return out


@pytest.mark.parametrize("G", ["O(3)", "SL(2)", "SO(2)@z"])
@pytest.mark.parametrize("training", [True, False])
def test_never_builds_a_map_for_every_sample(G, training):
    group = ss.group(G)
    rep = ss.nn.gated_rep(ss.hidden_rep(128, group), group)
    layer = Bilinear(rep, group).train(training)
    x = normal(64, layer.size).requires_grad_()
    with LargestTensor() as seen:
        layer(x).sum().backward()
    assert x.grad is not None
    assert 64 * layer.size <= seen.numel < 64 * layer.size**2 // 4


def test_the_recorder_sees_a_large_tensor():
    with LargestTensor() as seen:
        _ = torch.ones(4, 5).unsqueeze(-1) * torch.ones(6)
    assert seen.numel == 120


def test_weights_are_standard_normal_and_seeded():
    layer = layer_of("40S + 30V + 9T(2)", "O(3)", seed=1)
    values = torch.cat([p.detach().flatten() for p in layer.parameters()])
    assert abs(values.mean()) < 4 / len(values) ** 0.5
    assert abs(values.std() - 1) < 0.05
    again = layer_of("40S + 30V + 9T(2)", "O(3)", seed=1)
    assert all(torch.equal(p, q) for p, q in zip(layer.parameters(), again.parameters(), strict=True))


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize(("rep", "G"), [CASES[0], CASES[1], CASES[9], ("4S", "O(3)")])
def test_batches_of_any_shape(rep, G, training):
    layer = layer_of(rep, G).train(training)
    x = normal(2, 3, layer.size, dtype=torch.float64)
    flat = layer(x.view(6, -1))
    assert torch.allclose(layer(x), flat.view(2, 3, -1), atol=1e-12)
    assert torch.allclose(layer(x[0, 0]), flat[0], atol=1e-12)
    strided = x.transpose(0, 1)
    assert torch.allclose(layer(strided), layer(strided.contiguous()), atol=1e-12)
    wide = normal(4, 2 * layer.size, dtype=torch.float64)[:, ::2]
    assert torch.allclose(layer(wide), layer(wide.contiguous()), atol=1e-12)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize(("rep", "G"), [CASES[0], CASES[1], CASES[8], CASES[-1], ("4S", "O(3)")])
def test_empty_batches(rep, G, training):
    layer = layer_of(rep, G).train(training)
    assert layer(torch.zeros(0, layer.size).double()).shape == (0, layer.size)
    assert layer(torch.zeros(2, 0, layer.size).double()).shape == (2, 0, layer.size)
