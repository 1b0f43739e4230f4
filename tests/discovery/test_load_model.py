"""Models read back as the class that wrote them, whatever their age."""

import json
from dataclasses import replace

import numpy as np
import pytest

import softsym as ss
from softsym.discovery import storage
from softsym.discovery.load_model import ESTIMATORS, load, restore_estimator
from softsym.errors import InputError
from softsym.io import digest
from tests.discovery.small import fitted, rows


def saved(**changes):
    return replace(fitted()._to_saved_model(), **changes)


def test_every_public_estimator_can_be_read_back():
    assert set(ESTIMATORS) == {name for name in ss.discovery.__all__ if name.startswith("SoftEquivariant")}
    assert ss.load is load


def test_a_model_is_the_estimator_again():
    again = restore_estimator(saved())
    assert type(again) is ss.SoftEquivariantRegressor
    kept = {name: value for name, value in fitted().get_params().items() if name != "n_jobs"}
    assert {name: again.get_params()[name] for name in kept} == kept
    assert np.array_equal(again.predict(rows()[0]), fitted().predict(rows()[0]))


def test_an_unknown_class_or_parameter_is_refused():
    with pytest.raises(InputError, match="names an unknown class 'Evil'"):
        restore_estimator(saved(class_name="Evil"))
    with pytest.raises(InputError, match="does not describe a model of this version"):
        restore_estimator(saved(parameters={"colour": "red"}))


def test_only_known_attributes_are_set():
    again = restore_estimator(saved(attributes={"n_features_in_": 6, "n_outputs_": 3, "fit": "evil"}))
    assert callable(again.fit)


def older(folder, change):
    """Writes a model as an older version would have."""
    content = json.loads((folder / storage.TEXT).read_text())
    del content["digest"]
    change(content)
    checksum = digest(json.dumps(content, sort_keys=True, separators=(",", ":")).encode())
    (folder / storage.TEXT).write_text(json.dumps({"digest": checksum, **content}))
    return folder


def test_a_model_that_does_not_say_whether_compiled_code_ran(tmp_path):
    folder = older(fitted().save(tmp_path / "model"), lambda content: content["fit"].pop("compiled"))
    assert load(folder).fit_.compiled is None


def test_notes_of_older_models_are_understood(tmp_path):
    def change(content):
        for row in content["symmetries"]:
            del row["reasons"]  # older files have the note alone
        content["symmetries"][0]["note"] = (
            "as far as the fit can tell: the violation is no larger than the model's own mistakes"
        )
        content["symmetries"][1]["note"] = "inconclusive: only 40 training rows"

    first, second = load(older(fitted().save(tmp_path / "model"), change)).symmetries_
    assert first.is_within_fit
    assert not second.is_within_fit
    assert second.note == "only 40 training rows"


def test_how_many_jobs_there_were_is_not_kept(tmp_path):
    est = restore_estimator(saved()).set_params(n_jobs=3)
    content = json.loads((est.save(tmp_path / "model") / storage.TEXT).read_text())
    assert "n_jobs" not in content["parameters"]
    assert load(tmp_path / "model").n_jobs is None
