"""What the loop adds to the bare step."""

from softsym_lab.benchmarks import loop


def test_overhead_is_the_epoch_beyond_its_steps():
    numbers = loop.compare(12, 250, rounds=1)
    assert numbers["overhead"] == numbers["epoch_milliseconds"] / numbers["steps_milliseconds"] - 1


def test_both_sizes_are_measured(monkeypatch):
    monkeypatch.setattr(loop, "compare", lambda width, batch: (width, batch))
    assert loop.run() == {"width_384_batch_500": (384, 500), "width_128_batch_200": (128, 200)}
