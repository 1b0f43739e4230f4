"""Text forms of the laboratory's tasks, which the product finds by entry points."""

import pytest

from softsym.datasets import check_task_name, is_task, registered_tasks, task
from softsym.errors import InputError
from softsym.metrics import TRAJECTORY
from softsym_lab.tasks.motion import Motion

TEXTS = [
    *(f"motion:{normalisation}" for normalisation in TRAJECTORY),
    "motion:scale-aware,settings=code,records=/data/a, b",
    "table_tennis:/some/where, with commas.npz,every=2",
    "mocap:raw,file=/some/where, with commas.npz",
    "duct:even",
    "flights:scale-aware,file=/some/where, with commas.npz",
]


@pytest.mark.parametrize("text", TEXTS)
def test_text_forms_parse_back(text):
    found = task(text)
    assert str(found) == found.name == text
    assert task(found.name) == found
    assert hash(task(found.name)) == hash(found)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("motion", "motion:symmetry-aware"),
        ("table-tennis:a.npz", "table_tennis:a.npz"),
        ("table_tennis:file=a.npz", "table_tennis:a.npz"),
        ("table_tennis:every=2,file=/b, c.npz", "table_tennis:/b, c.npz,every=2"),
    ],
)
def test_other_spellings(text, name):
    assert task(text).name == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("motion:aware", "Known: scale-aware, symmetry-aware, symmetry-scale-aware"),
        ("motion:scale-aware,settings=paper", "`settings` must be honest or code, got 'paper'"),
        ("table_tennis", "name the file of recorded flights"),
        ("table_tennis:file=", "name the file of recorded flights"),
        ("table_tennis:a.npz,file=b.npz", "the file is named twice"),
        ("table_tennis:a.npz,every=1.5", "the option 'every' must be a whole number"),
        ("table_tennis:a.npz,every=0", "`every` and `stride` must be at least 1"),
        ("tabel-tennis:x", r"unknown task 'tabel-tennis'; did you mean table_tennis\?"),
    ],
)
def test_bad_text(text, message):
    with pytest.raises(InputError, match=message):
        task(text)


def test_the_tasks_are_registered():
    assert {text.split(":")[0] for text in TEXTS} <= set(registered_tasks())
    assert task("motion:scale-aware") == Motion("scale-aware")
    assert is_task("table-tennis:f.npz,every=2")
    check_task_name("table-tennis:x.npz")
