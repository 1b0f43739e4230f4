"""Strengths that never change."""

from softsym.regularize.strengths import Fixed


def test_keeps_the_start():
    controller = Fixed()
    controller.begin({"a": 1.0, "b": 2.0})
    for epoch in range(1, 5):
        assert not controller.wants_residuals(epoch)
        assert controller.on_epoch_end({"a": 5.0, "b": 0.1}, epoch) == {"a": 1.0, "b": 2.0}


def test_state():
    controller, other = Fixed(), Fixed()
    controller.begin({"a": 1.0})
    other.load_state_dict(controller.state_dict())
    assert other.on_epoch_end({}, 3) == {"a": 1.0}


def test_does_not_hand_out_its_own_memory():
    controller = Fixed()
    controller.begin(start := {"a": 1.0})
    start["a"] = 9.0
    controller.on_epoch_end({}, 1)["a"] = 7.0
    controller.state_dict()["strengths"]["a"] = 8.0
    assert controller.on_epoch_end({}, 2) == {"a": 1.0}
