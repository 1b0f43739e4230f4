from softsym.training import MODELS
from tests.training.small import preset
from tests.training.zoo.small import made


def test_a_free_network_and_the_penalties_of_all_candidates():
    built = made("per", lambda0=7.0)
    assert dict(built.regularizer.strengths) == {"O(2)@x": 7.0, "O(2)@y": 7.0, "O(2)@z": 7.0}
    assert made("per", groups=["O(3)"]).regularizer.strengths.keys() == {"O(3)"}


def test_its_own_batch_and_epochs_where_there_are_such():
    numbers, model = preset(), MODELS["per"]
    assert (model.batch(numbers), model.epochs(numbers)) == (numbers.batch, numbers.max_epochs)
    own = numbers.model_copy(update={"per_batch": 7, "per_max_epochs": 19})
    assert (model.batch(own), model.epochs(own)) == (7, 19)
    assert MODELS["mlp"].batch(own) == numbers.batch
