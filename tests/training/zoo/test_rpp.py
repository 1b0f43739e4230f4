from softsym.training import MODELS
from tests.training.small import preset
from tests.training.zoo.small import made


def test_its_own_width_and_decays():
    numbers = preset().model_copy(update={"rpp_width": 14})
    assert MODELS["rpp"].width(numbers) == 14
    model = made("rpp", rpp_width=14, residual_decay=0.5, equivariant_decay=0.25).model
    assert (model.residual_decay, model.equivariant_decay) == (0.5, 0.25)
    assert model.group.name == "O(3)"
    assert made("rpp", group="O(2)@z").model.group.name == "O(2)@z"
