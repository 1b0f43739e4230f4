from softsym.nn import MLP
from tests.training.zoo.small import error_of, made


def test_the_plain_network():
    built = made("mlp", width=17)
    assert isinstance(built.model, MLP)
    assert built.model.layers[1].weight.shape == (17, 17)
    assert (built.regularizer, built.on_batch, built.on_loss) == (None, None, None)
    assert error_of(built.model, "O(3)") > 0.1
