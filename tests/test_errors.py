"""Errors on purpose: what they are taken for, and pydantic's first problem in words."""

import pickle

import pytest
from pydantic import BaseModel, Field, ValidationError, model_validator

import softsym as ss
from softsym import errors
from softsym.data.table import read_table
from softsym.errors import InputError, TrainingError, first_problem


class Spec(BaseModel):
    numbers: list[int] = Field(default=[1], min_length=1)
    deep: dict[str, int] = {}

    @model_validator(mode="after")
    def _small(self):
        if sum(self.numbers) > 10:
            raise ValueError("the numbers are too large")
        return self


def problem(**fields):
    with pytest.raises(ValidationError) as caught:
        Spec(**fields)
    return first_problem(caught.value)


def test_a_bad_argument_is_a_value_error_and_a_failed_run_is_not():
    assert issubclass(InputError, ValueError)
    assert not issubclass(TrainingError, ValueError)


def test_every_warning_can_be_told_from_others():
    warnings = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, Warning)]
    assert len(warnings) >= 4
    assert all(issubclass(each, UserWarning) and each.__doc__ for each in warnings)


def test_the_first_problem_says_where_and_what():
    where, what = problem(numbers=[1, "two"], deep={"a": "b"})
    assert where == "numbers.1"
    assert "valid integer" in what
    assert problem(deep={"a": "b"})[0] == "deep.a"


def test_a_problem_of_the_whole_lies_nowhere():
    assert problem(numbers=[11]) == ("", "the numbers are too large")


HOSTILE = "a\nb\x1b[31m\u202e\u2066\r\x00\x9b\ud800c"


def test_whatever_a_message_quotes_it_is_one_line_of_bounded_length():
    message = str(InputError(f"no column {HOSTILE}"))
    assert message == "no column a\\nb\\x1b[31m\\u202e\\u2066\\r\\x00\\x9b\\ud800c"
    assert len(str(InputError("x" * 149_000))) <= errors.LONGEST
    assert str(InputError("begin" + "x" * 149_000 + "pass another")).endswith("pass another")
    assert pickle.loads(pickle.dumps(InputError(HOSTILE))).args == InputError(HOSTILE).args
    assert len(errors.in_one_line(ValueError("x" * 149_000))) <= errors.LONGEST


def test_paths_and_groups_of_hostile_names(tmp_path):
    for make in (
        lambda: ss.group(HOSTILE),
        lambda: ss.rep(HOSTILE * 10_000),
        lambda: read_table(tmp_path / f"{HOSTILE[:4]}.csv"),
        lambda: ss.O(2).about(HOSTILE),
    ):
        with pytest.raises(InputError) as caught:
            make()
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) <= errors.LONGEST
