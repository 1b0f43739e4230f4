"""Embeddings and bilinear layers."""

import pytest
from torch import nn

import softsym as ss
from softsym.errors import InputError
from softsym.maps.embedding import read_bilinear, read_embedding
from tests.maps.twins import check


def test_agree_with_the_average():
    assert check(nn.Embedding(4, 5), "Regular(C(4))", "S + Regular(C(4))", "C(4)") == {"weight": 5}
    assert check(nn.Bilinear(2, 3, 2), "V + (S + V)", "V", "D(4)")["weight"] == 1
    assert check(nn.Bilinear(2, 2, 1, bias=False), "2V", "S", "C(4)") == {"weight": 2}


def test_refuse():
    for read in (read_embedding, read_bilinear):
        with pytest.raises(InputError, match="Linear is not"):
            read("a", nn.Linear(1, 1), ss.rep("S"), ss.rep("S"), [ss.O(3)])
