"""Maps of parameters, proposals, and the values of maps."""

import math

import numpy as np
import pytest
import torch
from torch import nn

import softsym as ss
from softsym.errors import InputError
from softsym.maps import KnowsMaps, KnowsRepresentations, Proposal, TensorMap, as_array, incoming, map_values, outgoing
from softsym.testing import assert_projector
from tests.twin import kron_action, reynolds_projector, twin_project, twin_tensor_basis


def regular(G: str, point: tuple[float, ...] = (1.0, 2.0)) -> ss.Rep:
    """The regular representation: values on the orbit of a point that no element but the identity keeps."""
    return ss.Permutation(ss.group(G).elements @ np.array(point))


def kernel(rep_in: ss.Rep | str, rep_out: ss.Rep | str, size: int = 3) -> TensorMap:
    offsets = incoming(ss.Grid(size, size), shape=(size, size))
    return TensorMap((outgoing(rep_out), incoming(rep_in), offsets))


C4, D4 = regular("C(4)"), regular("D(4)")
CUBE = ss.Permutation(np.mgrid[-1:2, -1:2, -1:2].reshape(3, -1).T)
LINE = ss.Permutation([[-1], [0], [1]])
FLIP = ss.Group.from_generators(discrete=[[[1, 0], [0, -1]]], name="flip")
FINITE = {
    "kernel, C4 regular": (kernel(C4, 2 * C4 + ss.Scalar), ss.C(4)),
    "kernel, D4 regular": (kernel(D4, D4), ss.D(4)),
    "kernel, D4 channels under C4": (kernel(D4, D4), ss.C(4)),
    "kernel, D4 channels under a flip": (kernel(D4, ss.Scalar), FLIP),
    "lifting kernel": (kernel("3S", D4, 5), ss.D(4)),
    "kernel of vector fields": (kernel("S + V", "V + S"), ss.D(4)),
    "kernel of even size": (kernel(C4, "V", 2), ss.C(4)),
    "kernel in one dimension": (TensorMap((outgoing("V"), incoming("S + V"), incoming(LINE))), ss.O(1)),
    "kernel in three dimensions": (
        TensorMap((outgoing("V"), incoming("S"), incoming(CUBE, shape=(3, 3, 3)))),
        ss.group("Octahedral()"),
    ),
    "transposed kernel": (TensorMap((incoming("V"), outgoing(C4), incoming("Grid(3,3)", shape=(3, 3)))), ss.C(4)),
    "kernel of two separate halves": (
        TensorMap((outgoing(C4, copies=2), incoming(C4), incoming("Grid(3,3)", shape=(3, 3)))),
        ss.C(4),
    ),
    "packed attention": (TensorMap((outgoing("S + V", copies=3), incoming("S + V"))), ss.D(4)),
}
CONTINUOUS = {
    "packed attention": (TensorMap((outgoing("2S + V", copies=3), incoming("2S + V"))), ss.O(3)),
    "packed bias": (TensorMap((outgoing("2S + V", copies=3),)), ss.group("O(2)@z")),
    "gates": (TensorMap((outgoing("S + V", copies=4), incoming("S + V"))), ss.SL(2)),
    "bilinear": (TensorMap((outgoing("V"), incoming("S + V"), incoming("V"))), ss.SO(3)),
    "bilinear, duals": (TensorMap((outgoing("V"), incoming("S + V'"), incoming("V"))), ss.SL(2)),
    "offsets that stand still": (
        TensorMap((outgoing("V"), incoming("V"), incoming("9S", shape=(3, 3)))),
        ss.group("SO(2)"),
    ),
    "embedding": (TensorMap((incoming("5S"), outgoing("S + V"))), ss.group("O(2)@z")),
}
EVERY = {f"{name}, {G.name}": (one, G) for cases in (FINITE, CONTINUOUS) for name, (one, G) in cases.items()}


@pytest.mark.parametrize(("one", "G"), FINITE.values(), ids=FINITE)
def test_agrees_with_the_average_over_all_elements(one, G):
    space, P = one.space(G), reynolds_projector(one.factors, G)
    W = np.random.default_rng(0).standard_normal(one.shape(G))
    assert space.shape == W.shape
    assert np.allclose(space.project(W).ravel(), P @ W.ravel(), atol=1e-12)
    characters = [math.prod(np.trace(rep.rho(G, g)) for rep in one.factors) for g in G.elements]
    assert space.dim == pytest.approx(np.mean(characters))


@pytest.mark.parametrize(("one", "G"), EVERY.values(), ids=EVERY)
def test_agrees_with_the_null_space_of_all_constraints(one, G):
    space, Q = one.space(G), twin_tensor_basis(one.factors, G)
    W = np.random.default_rng(1).standard_normal((2, *one.shape(G)))
    assert space.dim == Q.shape[1] > 0
    for projected, single in zip(space.project(W), W, strict=True):
        assert np.allclose(projected, twin_project(single, Q), atol=1e-12)
    assert np.allclose(space.project(torch.tensor(W)).numpy(), space.project(W), atol=1e-12)
    assert space.distance(W) == pytest.approx([np.linalg.norm(single - twin_project(single, Q)) for single in W])
    assert_projector(space)


@pytest.mark.parametrize("G", ["C(4)", "D(4)"])
@pytest.mark.parametrize(("source", "target"), [(D4, D4), ("V", 2 * D4), ("S + V", "V"), ("3S", D4)])
def test_a_convolution_with_a_projected_kernel_is_equivariant(source, target, G):
    """Of images, not of kernels: the offsets lie as torch lays them."""
    G, one, image = ss.group(G), kernel(source, target), ss.Grid(6, 6)
    draw = np.random.default_rng(0).standard_normal
    n_out, n_in, *_ = one.shape(G)
    x = torch.tensor(draw((n_in, 6, 6)))

    def convolved(x, weight):
        wrapped = nn.functional.pad(x[None], (1, 1, 1, 1), mode="circular")
        return nn.functional.conv2d(wrapped, weight)[0]

    def transformed(rep, g, x):
        return (torch.tensor(kron_action([ss.rep(rep), image], G, (g,))) @ x.flatten()).view(x.shape)

    def gap(weight):
        return max(
            float(
                (transformed(target, g, convolved(x, weight)) - convolved(transformed(source, g, x), weight))
                .abs()
                .max()
            )
            for g in G.elements
        )

    weight = torch.tensor(draw((n_out, n_in, 3, 3)))
    assert gap(one.space(G).project(weight)) < 1e-12 < 0.1 < gap(weight)


@torch.no_grad()
def test_attention_with_projected_weights_is_equivariant():
    """Each head gets a whole representation."""
    torch.manual_seed(0)
    G, rep = ss.group("O(2)@z"), ss.rep("2S + 2V")
    layer = nn.MultiheadAttention(16, 2, bias=False, batch_first=True).double()
    heads = outgoing(rep, copies=6)  # queries, keys and values of two heads
    maps = {
        "in_proj_weight": TensorMap((heads, incoming(rep, copies=2))),
        "out_proj.weight": TensorMap((outgoing(rep, copies=2), incoming(rep, copies=2))),
    }
    x = torch.tensor(np.random.default_rng(0).standard_normal((1, 7, 16)))
    g = torch.tensor((2 * rep).rho(G, G.sample(1, seed=0)[0]).T)

    def gap():
        transformed, still = (layer(x, x, x)[0] for x in (x @ g, x))
        return float((transformed - still @ g).abs().max())

    assert gap() > 1e-3
    for name, one in maps.items():
        value = layer.get_parameter(name)
        value.copy_(one.space(G).project(value))
    assert gap() < 1e-12


@pytest.mark.parametrize("G", ["O(3)", "O(2)@z", "SL(2)@x", "S(3)", "SO(3) | Scaling(3)"])
def test_a_matrix_and_a_vector_have_the_spaces_they_always_had(G):
    weight, bias = TensorMap.linear("S + 2V", "V' + T(2)"), TensorMap.vector("V' + T(2)")
    assert weight.space(G) is ss.equivariant_maps("S + 2V", "V' + T(2)", G)
    assert bias.space(G) is ss.invariants("V' + T(2)", G)
    assert weight.shape(G) == (12, 7)
    assert bias.shape(G) == (12,)
    assert list(weight.positions([ss.group(G)])) == list(ss.spaces.positions(weight.factors, (ss.group(G),)))


def test_a_trivial_axis_changes_nothing():
    wide = TensorMap((outgoing("S"), incoming("2V"), outgoing("V"), incoming("S", shape=(1, 1))))
    W = np.random.default_rng(0).standard_normal((3, 6))
    plain = TensorMap.linear("2V", "V").space("O(2)@z").project(W)
    projected = wide.space("O(2)@z").project(W.T.reshape(1, 6, 3, 1, 1))
    assert np.allclose(projected.reshape(6, 3).T, plain, atol=1e-14)


def test_equal_if_groups_act_alike():
    assert TensorMap.linear("V", "V") == TensorMap((outgoing("V"), incoming(ss.Vector)))
    assert TensorMap((outgoing("V", copies=3),)) == TensorMap.vector("3V")
    assert TensorMap((outgoing("S + V", copies=2),)) == TensorMap.vector("S + V + S + V")
    assert TensorMap((incoming("V"),)) == TensorMap.vector("V'")
    assert hash(TensorMap((incoming("V"),))) == hash(TensorMap.vector("V'"))
    assert TensorMap.linear("V", "V") != TensorMap.linear("V'", "V")
    assert TensorMap.vector("Grid(3,3)") != TensorMap((outgoing("Grid(3,3)", shape=(3, 3)),))
    assert TensorMap.linear("V", "S") != TensorMap((incoming("V"), outgoing("S")))


@pytest.mark.parametrize(
    ("one", "text"),
    [
        (TensorMap.linear("5S + 5V", "T(2)"), "5S + 5V -> T(2)"),
        (TensorMap.vector("5S + 5V"), "5S + 5V"),
        (TensorMap((incoming("V"),)), "V -> S"),
        (kernel("S + V", "8S"), "(S + V) * Grid(3,3) -> 8S"),
        (kernel("8S", "V", 5), "(8S) * Grid(5,5) -> V"),
        (TensorMap((outgoing("S + V", copies=3), incoming("S + V"))), "S + V -> 3(S + V)"),
        (TensorMap((outgoing("2V", copies=4),)), "8V"),
        (TensorMap((outgoing("V"), outgoing("V'"))), "V * V'"),
    ],
)
def test_text(one, text):
    assert str(one) == text
    sizes = [math.prod(axis.sizes(ss.C(4))) for axis in one.axes]
    sides = [ss.rep(side).size("C(4)") for side in text.split(" -> ")]  # each side can be read back
    assert math.prod(sides) == math.prod(sizes)


def test_a_wrong_shape_is_refused():
    groups = [ss.C(4), ss.D(4)]
    one = kernel("S + V", "V")
    one.check("weight", torch.zeros(2, 3, 3, 3).shape, groups)
    message = r"parameter 'weight' has shape \(2, 3, 5, 5\), but \(S \+ V\) \* Grid\(3,3\) -> V under C\(4\) has \(2, 3, 3, 3\)"
    with pytest.raises(InputError, match=message):
        one.check("weight", (2, 3, 5, 5), groups)
    message = r"parameter 'weight': O\(3\) cannot act on its representation: Grid\(3,3\) has points of R\^2"
    with pytest.raises(InputError, match=message):
        one.check("weight", (2, 3, 3, 3), [ss.O(3)])
    with pytest.raises(InputError, match=r"Grid\(3,3\) has size 9 under C\(4\), which is not that of \(3, 4\)"):
        TensorMap((outgoing("Grid(3,3)", shape=(3, 4)),)).shape("C(4)")


def test_refuses():
    with pytest.raises(InputError, match="a parameter has at least one axis"):
        TensorMap(())
    with pytest.raises(InputError, match="an axis has at least one copy of V, got copies=0"):
        outgoing("V", copies=0)


def test_reads_like_a_dict_and_prints_remarks():
    one = TensorMap.linear("V", "V")
    proposal = Proposal({"a": one}, {"b": "is odd"}, ("breaks C(4) here: relu",), ("mid: cumsum is not understood",))
    assert proposal == {"a": one}
    assert proposal["a"] is one
    assert (
        str(proposal)
        == repr(proposal)
        == ("a  V -> V\nleft alone: b: is odd\nnot understood: mid: cumsum is not understood\nbreaks C(4) here: relu")
    )
    assert not Proposal({})


@pytest.mark.parametrize(
    "net",
    [
        ss.nn.SoftMLP("2V", "S + V", ["O(3)"], width=10, layers=3),
        ss.nn.EMLP("2V", "S + V", "O(3)", width=10, layers=3),
        ss.nn.RPP("2V", "S + V", "O(3)", width=10, layers=3),
        ss.nn.MixedEMLP("2V", "S + V", ["O(2)@z"], ["O(2)@x"], width=10, layers=3),
    ],
    ids=lambda net: type(net).__name__,
)
def test_a_network_computes_what_it_says(net):
    """Its maps are the weights and biases of the baked network, with the representations that belong to them."""
    values, baked = map_values(net), net.bake()
    parameters = dict(baked.named_parameters())
    assert list(values) == [name for name in parameters if ".linear." in name or name.startswith("last.")]
    for name, one in values.items():
        assert one.value.dtype == np.float64
        assert np.array_equal(one.value, as_array(baked.get_parameter(name)))
        assert one.value.shape == one.map.shape(net.group)
    assert values["last.bias"].map == TensorMap.vector("S + V")


def test_who_knows_what():
    soft, exact = ss.nn.SoftMLP("V", "V", "O(3)", width=4), ss.nn.EMLP("V", "V", "O(3)", width=4)
    assert isinstance(soft, KnowsMaps)
    assert isinstance(exact, KnowsMaps)
    assert isinstance(soft, KnowsRepresentations)
    assert not isinstance(exact, KnowsRepresentations)  # its maps are no parameters of it
    assert not isinstance(ss.nn.MLP("V", "V", "O(3)", width=4), KnowsMaps)


class Mine(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.eye(3))

    def representations(self):
        return {"table": TensorMap.linear("V", "V")}


def test_a_model_may_tell_or_be_told():
    maps = {"table": TensorMap.vector("9S")}
    assert map_values(Mine())["table"].map == TensorMap.linear("V", "V")
    assert map_values(Mine(), maps)["table"].map == maps["table"]
    assert np.array_equal(map_values({"table": [1.0, 2.0]}, maps)["table"].value, [1.0, 2.0])


def test_values_refuse():
    with pytest.raises(InputError, match="Linear does not say what its parameters are; pass `representations`"):
        map_values(nn.Linear(3, 3))
    with pytest.raises(InputError, match=r"`representations` names 'w', which is not among the parameters \['table'\]"):
        map_values(Mine(), {"w": TensorMap.vector("S")})


def test_arrays_are_copies():
    weight = torch.ones(2, requires_grad=True)
    array = as_array(weight)
    array[0] = 5
    assert weight[0] == 1
    assert as_array([1, 2]).dtype == np.float64
