import pytest

from softsym.data.normalisation import TRAJECTORY
from softsym.errors import InputError
from softsym.tasks import TASKS, cossim, inertia, task
from softsym.tasks.motion import Motion

ALL = [
    *(f"inertia:{variant}" for variant in inertia.VARIANTS),
    *(f"cossim:{variant}" for variant in cossim.VARIANTS),
    *(f"golfball:wind={axis}" for axis in ("none", "x", "y", "z")),
    *(f"motion:{normalisation}" for normalisation in TRAJECTORY),
]
MORE = [
    "golfball:wind=y,speed=5.5,drag=0.01,gravity=1.6",
    "motion:scale-aware,settings=code,records=/data/a, b",
    "table_tennis:/some/where, with commas.npz,every=2",
    "mocap:raw,file=/some/where, with commas.npz",
    "duct:even",
    "flights:scale-aware,file=/some/where, with commas.npz",
]


@pytest.mark.parametrize("text", ALL + MORE)
def test_text_forms_parse_back(text):
    found = task(text)
    assert str(found) == found.name == text
    assert task(found.name) == found
    assert hash(task(found.name)) == hash(found)
    assert task(found) is found


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("inertia", "inertia:Oz(2)"),
        ("inertia:O(2)@x", "inertia:Ox(2)"),
        ("cossim", "cossim:SO(3)+S(3)"),
        ("cossim:both", "cossim:SO(3)+S(3)"),
        ("cossim:SO(3),S(3)", "cossim:SO(3)+S(3)"),
        ("cossim:Scaling(3)", "cossim:S(3)"),
        ("golfball", "golfball:wind=none"),
        (" golfball : speed=5, wind=x ", "golfball:wind=x"),
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
        (
            "inertai",
            "unknown task 'inertai'; did you mean inertia\\? Known: inertia, cossim, golfball, motion",
        ),
        ("", "unknown task ''; Known"),
        ("inertia:Ow(2)", r"task 'inertia:Ow\(2\)': unknown variant 'Ow\(2\)'.*Known: O\(3\), Ox\(2\)"),
        ("inertia:O(3),c=1", "unknown option 'c'; inertia takes none"),
        ("cossim:all", "unknown variant 'all'"),
        ("motion:aware", "Known: scale-aware, symmetry-aware, symmetry-scale-aware"),
        ("motion:scale-aware,settings=paper", "`settings` must be honest or code, got 'paper'"),
        ("table_tennis", "name the file of recorded flights"),
        ("table_tennis:file=", "name the file of recorded flights"),
        ("table_tennis:a.npz,file=b.npz", "the file is named twice"),
        ("table_tennis:a.npz,every=1.5", "the option 'every' must be a whole number"),
        ("table_tennis:a.npz,every=0", "`every` and `stride` must be at least 1"),
    ],
)
def test_bad_text(text, message):
    with pytest.raises(InputError, match=message):
        task(text)


def test_not_a_text():
    with pytest.raises(InputError, match="a task is its text such as 'inertia:Oz\\(2\\)', got int"):
        task(3)


def test_registry():
    assert {text.split(":")[0] for text in ALL + MORE} == set(TASKS)
    assert task("motion:scale-aware") == Motion("scale-aware")
