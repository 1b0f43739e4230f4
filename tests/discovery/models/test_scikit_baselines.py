"""Ridge and boosting, only to be compared with."""

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

from softsym.discovery.models.scikit_baselines import PENALTIES, TREES, predict_boosting, predict_ridge

X = np.random.default_rng(0).standard_normal((120, 3))


def test_ridge_has_one_answer_for_each_penalty():
    answers = list(predict_ridge(X, X[:, :2], [X[:5], X[5:9]]))
    assert len(answers) == len(PENALTIES)
    assert [part.shape for part in answers[0]] == [(5, 2), (4, 2)]
    assert np.allclose(answers[0][0], X[:5, :2], atol=1e-5)
    assert not np.allclose(answers[-1][0], X[:5, :2], atol=1e-2)


def test_boosting_of_one_output_is_that_of_scikit_learn():
    y = np.sign(X[:, :1])
    model = HistGradientBoostingRegressor(max_iter=TREES, early_stopping=False, random_state=0).fit(
        X, y[:, 0] - y.mean()
    )
    (predicted,) = predict_boosting(X, y, [X[:9]])
    assert np.allclose(predicted[:, 0], model.predict(X[:9]) + y.mean(), atol=1e-6)


def test_many_outputs_are_predicted_along_a_few_directions():
    (predicted,) = predict_boosting(X, X @ np.random.default_rng(1).standard_normal((3, 40)), [X])
    assert predicted.shape == (120, 40)
