"""Early stopping."""

import math

from softsym.training.stopping import EarlyStopping


def test_early_stopping_counts_only_after_its_epoch():
    stopping = EarlyStopping(patience=3, after=10)
    assert not stopping.improves(0.1, 10)
    assert not stopping.is_over(10)
    assert stopping.improves(1.0, 11)
    assert not stopping.improves(1.0, 12)
    assert not stopping.is_over(13)
    assert stopping.is_over(14)
    copy = EarlyStopping(patience=3, after=10)
    copy.load_state_dict(stopping.state_dict())
    assert (copy.best, copy.best_epoch) == (1.0, 11)
    assert not EarlyStopping(3, 10, enabled=False).is_over(100)
    assert EarlyStopping(3, 10).state_dict()["best"] is None
    assert math.isinf(EarlyStopping(3, 10).best)


def test_only_a_smaller_loss_is_better():
    stopping = EarlyStopping(patience=2, after=0)
    assert stopping.improves(1.0, 1)
    assert not stopping.improves(math.nan, 2)
    assert not stopping.improves(1.0, 3)
    assert stopping.best_epoch == 1


def test_patience_begins_where_validation_begins_to_count():
    stopping = EarlyStopping(patience=3, after=10)
    assert [stopping.is_over(epoch) for epoch in (10, 12, 13)] == [False, False, True]
