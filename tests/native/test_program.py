"""Programs by hand: instructions, places and how a batch is shared out."""

import pytest
import torch

from softsym.native.program import CHUNK, Kind, Layout, Op, Program, Region, Split, usable

compiled = pytest.mark.usefixtures("compiled_code")


@pytest.mark.parametrize("width", [10, 1000])
@pytest.mark.parametrize("batch", [0, 1, 63, 64, 65, 127, 129, 500, 1000])
def test_chunks_cover_the_batch(batch, width):
    split = Split.of(batch, width)
    assert split.chunk * split.threads * -(-batch // (split.chunk * split.threads)) >= batch
    assert 1 <= split.chunk <= CHUNK


def test_regions_lie_one_after_the_other():
    layout = Layout(3)
    first, second = layout.add(5), layout.add(2)
    assert first == Region(3, 5, 0)
    assert second.at(1) == (3, 2, 5, 1)
    assert layout.width == 7


@compiled
def test_copies_become_the_inner_dimension():
    program = Program({"x": Kind.WHOLE, "out": Kind.WHOLE})
    program.add(Op.SPREAD, 3, 2, 2, scale=10.0, left=Region(1, 6).at(), right=Region(0, 6).at())
    x, out = torch.arange(12.0).view(2, 6), torch.zeros(2, 6)
    program.run(Split(2, 1, 1), (x, out))
    assert torch.equal(out, 10 * x.view(2, 2, 3).mT.reshape(2, 6))


@compiled
@pytest.mark.parametrize("threads", [1, 2])
def test_own_spaces_hold_a_sum_for_each_thread(threads):
    """The derivative of a weight: the sum over the batch of outer products."""
    program = Program({"a": Kind.WHOLE, "b": Kind.WHOLE, "sum": Kind.OWN})
    program.add(Op.ADD_OUTER, 1, 2, 3, z=Region(0, 2).at(), left=Region(1, 3).at(), weight=Region(2, 0).at())
    generator = torch.Generator().manual_seed(0)
    a, b = torch.randn(100, 2, generator=generator), torch.randn(100, 3, generator=generator)
    sums = torch.zeros(threads, 6)
    program.run(Split(100, threads, 13), (a, b, sums))
    assert torch.allclose(sums.sum(0).view(2, 3), a.T @ b, atol=1e-5)


@compiled
def test_a_part_holds_the_samples_that_a_thread_is_at():
    program = Program({"x": Kind.WHOLE, "work": Kind.PART, "out": Kind.WHOLE})
    for source, target in ((0, 1), (1, 2)):
        program.add(Op.SPREAD, 1, 4, 4, left=Region(target, 4).at(), right=Region(source, 4).at())
    x, work, out = torch.arange(28.0).view(7, 4), torch.zeros(1, 3 * 4), torch.zeros(7, 4)
    program.run(Split(7, 1, 3), (x, work, out))
    assert torch.equal(out, x)


def test_a_program_can_be_read():
    program = Program({"x": Kind.WHOLE, "out": Kind.WHOLE})
    program.add(
        Op.GATHER,
        1,
        2,
        2,
        adds=True,
        z=Region(0, 4).at(2),
        left=Region(1, 2).at(),
        right=Region(1, 4, 3).at(),
    )
    assert str(program) == "GATHER              1 x    2 x    2 adds  z=x[2:4] left=out[2] right=out[3+4]"


def test_half_precision_is_left_to_torch():
    assert not usable(torch.float16)
