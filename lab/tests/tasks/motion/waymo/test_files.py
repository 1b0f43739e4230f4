import pathlib

import pytest

from softsym.errors import InputError
from softsym_lab.tasks.motion.waymo.files import find_files

NAMES = ["b.tfrecord", "training.tfrecord-00001-of-01000", "training.tfrecord-00000-of-01000", "a.tfrecord"]


@pytest.fixture
def folder(tmp_path):
    for name in [*NAMES, "training.tfrecord-00002-of-01000_.gstmp", "LICENSE"]:
        (tmp_path / name).write_bytes(b"x")
    return tmp_path


def names(sources):
    return [file.path.name for file in find_files(sources)]


def test_a_folder_gives_its_record_files_sorted(folder):
    assert names(folder) == names(str(folder)) == sorted(NAMES)


def test_files_are_sorted_and_may_have_any_name(folder):
    assert names([folder / "b.tfrecord", str(folder / "LICENSE")]) == ["LICENSE", "b.tfrecord"]
    assert names(folder / "LICENSE") == ["LICENSE"]


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda folder: folder / "gone", "there is no file or folder .*gone; pass the folder"),
        (lambda folder: [], "no files to read"),
        (lambda folder: [folder, folder / "a.tfrecord"], "a.tfrecord is listed twice"),
        (lambda folder: "/dev/null", "/dev/null is no ordinary file"),
    ],
)
def test_refused(folder, make, match):
    with pytest.raises(InputError, match=match):
        find_files(make(folder))


def test_empty_folder(tmp_path):
    with pytest.raises(InputError, match=f"the folder {tmp_path} has no record files; pass one with"):
        find_files(tmp_path)


@pytest.mark.parametrize("method", ["iterdir", "stat"])
def test_no_permission(folder, method, monkeypatch):
    def forbidden(self, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(pathlib.Path, method, forbidden)
    with pytest.raises(InputError, match=f"cannot read {folder}: Permission denied; pass"):
        find_files(folder)
