"""A proposal is a mapping that prints what it knows."""

from softsym.maps import Proposal, TensorMap


def test_reads_like_a_dict_and_prints_remarks():
    one = TensorMap.linear("V", "V")
    proposal = Proposal(
        {"a": one}, {"b": "is odd"}, ("breaks C(4) here: relu",), ("mid: cumsum is not understood",)
    )
    assert proposal == {"a": one}
    assert proposal["a"] is one
    assert (
        str(proposal)
        == repr(proposal)
        == (
            "a  V -> V\nleft alone: b: is odd\nnot understood: mid: cumsum is not understood\nbreaks C(4) here: relu"
        )
    )
    assert not Proposal({})
