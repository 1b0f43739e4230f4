from tests.training.zoo.small import error_of, made


def test_it_is_equivariant_to_its_group():
    assert error_of(made("emlp").model, "O(3)") < 1e-5
    about_z = made("emlp", group="O(2)@z").model
    assert error_of(about_z, "O(2)@z") < 1e-5
    assert error_of(about_z, "O(3)") > 1e-2
