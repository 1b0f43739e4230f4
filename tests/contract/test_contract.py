"""The contract with users: names, commands, text forms, files and verdicts are as the snapshots have them."""

import json
import warnings

import pytest

import softsym as ss
from tests.contract import observe
from tests.contract.cases import CASES, observe_case

SINGLE = 1e-5
"""Relative tolerance of networks in single precision."""
CLOSE = 1e-4
"""Relative tolerance of numbers that an optimiser found: other processors round differently."""
ROUNDED = 2e-3
"""Of numbers of verdicts: on other processors rounding moves the maximum of a flat likelihood (by 3e-4 where it was seen)."""
RANK = 0.05
"""Of differences of log likelihoods of nearly noiseless rows: rounding ends the spectrum of the features (0.016 was seen)."""

RENAMED = {"--rows-together": "--row-groups"}
"""Options that go by another name now; the old one may be hidden, but must be accepted."""

RENAMED_ARGUMENTS = {"sources": "row_groups", "moves_grid": "transforms_grid", "weights": "sample_weight"}
"""Arguments, passed by keyword only, that may go by another name now."""


def snapshot(part: str):
    return json.loads((observe.SNAPSHOTS / f"{part}.json").read_text(encoding="utf-8"))


NAMES = snapshot("names")


@pytest.mark.parametrize("name", NAMES["objects"] + list(NAMES["arguments"]))
def test_names_are_public(name):
    assert observe.public(name) is not None
    assert name in dir(ss) or name in observe.MOVED


@pytest.mark.parametrize("name", NAMES["networks"])
def test_networks_are_public(name):
    assert isinstance(getattr(ss.nn, name), type)


@pytest.mark.parametrize(
    ("owner", "member"), [(owner, member) for owner, found in NAMES["members"].items() for member in found]
)
def test_members_are_there(owner, member):
    assert hasattr(observe.public(owner), member)


def is_subsequence(expected: list[str], found: list[str]) -> bool:
    """Whether all expected words occur in this order, others between them or not."""
    rest = iter(found)
    return all(word in rest for word in expected)


@pytest.mark.parametrize("name", [name for name in NAMES["arguments"] if name not in observe.ESTIMATORS])
def test_arguments_keep_names_and_order(name):
    found = observe.observe_names()["arguments"][name]
    expected = [
        RENAMED_ARGUMENTS[word] if word in RENAMED_ARGUMENTS and word not in found else word
        for word in NAMES["arguments"][name]
    ]
    assert is_subsequence(expected, found), f"{name}{tuple(found)}"


@pytest.mark.parametrize("name", observe.ESTIMATORS)
def test_estimators_accept_all_their_parameters(name):
    """Those that moved into another argument may warn."""
    assert is_subsequence(["rep_in", "rep_out", "groups"], observe.observe_names()["arguments"][name])
    values = {"width": 8, "layers": 2, "epochs": 3, "seeds": 1, "held_out": 0.2, "random_state": 1, "model": "gp"}
    before = {word: values[word] for word in NAMES["arguments"][name] if word in values}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        observe.public(name)("2V", "V", ["SO(3)"], **before)
        for word in NAMES["arguments"][name]:
            observe.public(name)(**{word: values.get(word)})


def test_a_missing_argument_is_seen():
    assert is_subsequence(["a", "c"], ["a", "b", "c"])
    assert not is_subsequence(["a", "c"], ["c", "a"])
    assert not is_subsequence(["a", "c"], ["a", "b"])


def test_help_of_every_command(tmp_path):
    found = observe.observe_help(tmp_path)
    for name, expected in snapshot("help").items():
        options = set(found[name]["options"])
        missing = {
            option for option in expected["options"] if option not in options and RENAMED.get(option) not in options
        }
        assert not missing, f"softsym {name} has lost {missing}"
        assert {key: found[name][key] for key in ("exit", "arguments", "example")} == {
            key: expected[key] for key in ("exit", "arguments", "example")
        }, name


@pytest.mark.parametrize("option", list(RENAMED))
def test_renamed_options_are_still_accepted(option, tmp_path):
    done = observe.run_command(["discover", "missing.csv", option, "column", "--in", "V", "--out", "V"], tmp_path)
    assert done.returncode == 2
    assert "missing.csv" in done.stderr


def test_refusals(tmp_path):
    assert observe.observe_refusals(tmp_path) == snapshot("refusals")


WORDING = {"why", "note", "method"}
"""Sentences, which may be said better."""
UNCOMPARED = {"seconds", "files", "checksum", "compiled"}
"""What depends on the machine or on the sentences."""


def differences(expected, found, place=""):
    """Places where two summaries differ: lost keys, other texts, other numbers; added keys are allowed."""
    key = place.rpartition(".")[2]
    if key in UNCOMPARED:
        return []
    if key in WORDING:
        return [] if type(expected) is type(found) else [place]
    if isinstance(expected, dict) and isinstance(found, dict):
        lost = [f"{place}.{k}" for k in expected if k not in found]
        pairs = [(expected[k], found[k], f"{place}.{k}") for k in expected if k in found]
        return lost + [line for pair in pairs for line in differences(*pair)]
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = [(expected[k], found[k], f"{place}[{k}]") for k in range(len(expected))]
        return [line for pair in pairs for line in differences(*pair)]
    if isinstance(expected, float) and isinstance(found, float | int):
        return [] if found == pytest.approx(expected, rel=CLOSE, abs=1e-6) else [f"{place}: {found}, not {expected}"]
    return [] if expected == found else [f"{place}: {found!r}, not {expected!r}"]


def test_the_summary_file(tmp_path):
    assert differences(snapshot("summary"), observe.observe_summary(tmp_path)) == []


def test_differences_are_seen():
    before = {"schema": 2, "seconds": 1.0, "groups": [{"verdict": "exact", "error": 0.5, "note": "a"}]}
    assert differences(before, {**before, "seconds": 2.0, "more": 1}) == []
    assert differences(before, {**before, "groups": [{"verdict": "exact", "error": 0.500001, "note": "b"}]}) == []
    assert differences(before, {**before, "groups": [{"verdict": "soft", "error": 0.6, "note": "a"}]}) == [
        ".groups[0].verdict: 'soft', not 'exact'",
        ".groups[0].error: 0.6, not 0.5",
    ]
    assert differences(before, {"schema": 2, "groups": []}) == [".seconds", f".groups: [], not {before['groups']!r}"]


def test_stored_models_predict_the_same():
    found = observe.observe_models()
    for name, expected in snapshot("models").items():
        assert found[name]["class"] == expected["class"]
        assert found[name]["verdicts"] == expected["verdicts"]
        if "probabilities" in expected:
            assert found[name]["predictions"] == expected["predictions"]
            assert found[name]["probabilities"] == [pytest.approx(row, rel=SINGLE) for row in expected["probabilities"]]
        else:
            assert found[name]["predictions"] == [pytest.approx(row, rel=SINGLE) for row in expected["predictions"]]


TEXTS = snapshot("texts")


@pytest.mark.parametrize(("read", "kind"), [(ss.group, "groups"), (ss.rep, "reps")])
def test_texts_come_back(read, kind):
    assert {text: str(read(text)) for text in TEXTS[kind]} == TEXTS[kind]
    assert {str(read(text)) for text in TEXTS[kind].values()} == set(TEXTS[kind].values())


VERDICTS = snapshot("verdicts")


@pytest.mark.parametrize("name", list(CASES))
def test_verdicts(name):
    found = observe_case(name)
    assert [(row["name"], row["verdict"]) for row in found] == [(row["name"], row["verdict"]) for row in VERDICTS[name]]
    for row, expected in zip(found, VERDICTS[name], strict=True):
        assert row["p_value"] == pytest.approx(expected["p_value"], abs=ROUNDED)
        assert row["violation"] == pytest.approx(expected["violation"], abs=ROUNDED)
        assert row["interval"] == pytest.approx(expected["interval"], abs=ROUNDED)
        assert row["log_evidence"] == pytest.approx(expected["log_evidence"], rel=RANK)
