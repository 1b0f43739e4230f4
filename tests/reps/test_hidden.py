"""Hidden representations of a given width."""

import pytest

import softsym as ss
from softsym.errors import InputError

GROUPS = [
    "O(3)",
    "SO(2)",
    "O(2)@z",
    "S(5)",
    "O(1)",
    "SL(2)",
    "Lorentz()",
    "Scaling(3)",
    "SE(3)",
    "GL(1)",
    "SO(3) | Scaling(3)",
    "SO(2) * S(3)",
]


@pytest.mark.parametrize(
    ("width", "round_up", "text"),
    [
        (384, False, "102S + 34V + 11T(2) + 3T(3)"),
        (128, False, "38S + 12V + 3T(2) + T(3)"),
        (128, True, "54S + 18V + 6T(2) + 2T(3)"),
        (384, True, "108S + 36V + 12T(2) + 4T(3)"),
        (1, False, "S"),
        (5, False, "5S"),
        (6, False, "3S + V"),
    ],
)
def test_three_dimensions(width, round_up, text):
    assert str(ss.hidden_rep(width, "O(3)", round_up=round_up)) == text
    assert ss.hidden_rep(width, "O(3)", round_up=round_up) == ss.rep(text)


@pytest.mark.parametrize("G", GROUPS)
def test_the_size_is_the_width(G):
    G = ss.group(G)
    for width in range(1, 301):
        assert ss.hidden_rep(width, G).size(G) == width
        assert ss.hidden_rep(width, G, duals=False).size(G) == width
        assert width <= ss.hidden_rep(width, G, round_up=True).size(G) < 2 * width


@pytest.mark.parametrize("G", GROUPS)
def test_duals_where_the_group_is_not_orthogonal(G):
    G = ss.group(G)
    rep = ss.hidden_rep(300, G)
    assert ("'" in str(rep)) != G.is_orthogonal
    assert "'" not in str(ss.hidden_rep(300, G, duals=False))
    assert ss.hidden_rep(300, G, duals=False) == ss.rep(str(ss.hidden_rep(300, G, duals=False)))


def test_duals_are_distributed_like_binomial_coefficients():
    copies = {str(tensor_type): n for n, tensor_type in ss.hidden_rep(2000, "SL(3)")}
    assert abs(copies["V"] - copies["V'"]) <= 1
    assert abs(copies["T(2)"] - copies["T(0,2)"]) <= 1
    assert abs(copies["T(1,1)"] - 2 * copies["T(2)"]) <= 2


@pytest.mark.parametrize("G", GROUPS)
def test_deterministic(G):
    assert ss.hidden_rep(97, G) == ss.hidden_rep(97, ss.group(G))


def test_refuses_an_empty_width():
    with pytest.raises(InputError, match="a hidden representation needs width >= 1, got 0"):
        ss.hidden_rep(0, "O(3)")
