from tests.training.zoo.small import error_of, made


def test_it_is_equivariant_to_its_group():
    assert error_of(made("fa").model, "O(3)") < 1e-5
    assert error_of(made("fa", group="SO(3)").model, "SO(3)") < 1e-5
