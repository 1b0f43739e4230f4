"""The classifier: classes as they were given, probabilities, and what cannot be a class."""

from datetime import date

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError

SMALL = ss.discovery.NetworkConfig(width=8, layers=2, epochs=4, seeds=1)
X = np.random.default_rng(0).standard_normal((90, 3))


@pytest.mark.parametrize("names", [["a", "b"], ["far", "middle", "near"], [False, True], [3, 7, 9]])
def test_classes_come_back_as_they_were_given(names):
    y = np.array(names)[np.arange(90) % len(names)]
    est = ss.SoftEquivariantClassifier("V", groups=["O(3)"], network=SMALL).fit(X, y)
    assert est.classes_.tolist() == names
    probabilities = est.predict_proba(X)
    assert probabilities.shape == (90, len(names))
    assert np.allclose(probabilities.sum(1), 1)
    assert (est.predict(X) == est.classes_[probabilities.argmax(1)]).all()
    assert est.report_data("it").output_names == tuple(map(str, names))


def test_numbers_are_no_classes():
    with pytest.raises(ValueError, match="continuous"):
        ss.SoftEquivariantClassifier(network=SMALL).fit(X, X[:, 0])


def test_one_class_is_none():
    with pytest.raises(InputError, match="one class only"):
        ss.SoftEquivariantClassifier(network=SMALL).fit(X, ["a"] * 90)


def test_classes_do_not_move():
    y = np.arange(90) % 3
    with pytest.raises(InputError, match="classes are invariant: leave `rep_out` out, or pass '3S' for 3 classes"):
        ss.SoftEquivariantClassifier("V", "V", ["O(3)"], network=SMALL).fit(X, y)
    assert ss.SoftEquivariantClassifier("V", "3S", ["O(3)"], network=SMALL).fit(X, y).classes_.tolist() == [0, 1, 2]


def test_times_as_classes_are_refused_in_one_line():
    with pytest.raises(InputError, match=r"`y` must hold classes, got date; pass them as texts"):
        ss.SoftEquivariantClassifier(network=SMALL).fit(X, [date(2024, 1, 1 + k % 2) for k in range(90)])


@pytest.mark.parametrize(
    "names",
    [
        np.array(["2020-01-01", "2021-05-05"], "M8[D]"),
        np.array(["2020-01-01T00:00:00.000000001", "2021-05-05"], "M8[ns]"),
        np.array([1, 2], "m8[h]"),
        np.array([0, 2**64 - 1], np.uint64),
        np.array([-3, 4], np.int8),
        np.array(["a", "\n"]),
    ],
    ids=lambda names: str(names.dtype),
)
def test_classes_of_every_type_are_stored(names, tmp_path):
    est = ss.SoftEquivariantClassifier("V", groups=["O(3)"], network=SMALL).fit(X, names[np.arange(90) % 2])
    loaded = ss.load(est.save(tmp_path / "model"))
    assert loaded.classes_.dtype == est.classes_.dtype
    assert (loaded.predict(X) == est.predict(X)).all()


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1, "a"], "got int and str; pass them as texts"),
        (["a", None], "`y` has no label in row 1"),
        ([b"a", b"b"], "bytes"),
    ],
)
def test_labels_that_are_no_classes(labels, message):
    with pytest.raises(InputError, match=message):
        ss.SoftEquivariantClassifier(network=SMALL).fit(X, np.array(labels * 45, dtype=object))


def test_a_time_that_is_none_is_no_class():
    with pytest.raises(InputError, match="`y` has no label in row 0"):
        ss.SoftEquivariantClassifier(network=SMALL).fit(X, np.array(["NaT", "2020-01-01"] * 45, "M8[D]"))
