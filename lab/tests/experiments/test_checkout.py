"""Where the paper's specs are found, and what is said where they are not."""

import pytest
from lab.tests.experiments.small import PAPER

from softsym.errors import InputError
from softsym_lab.experiments import checkout
from softsym_lab.experiments.checkout import MARK, default_results, find_paper_folder, paper_folder


def test_the_checkout_that_softsym_runs_from():
    assert paper_folder() == PAPER
    assert default_results() == PAPER / "results"


def test_a_folder_called_paper_is_not_enough(tmp_path):
    (tmp_path / "paper").mkdir()
    assert find_paper_folder(tmp_path) is None
    with pytest.raises(InputError, match="in the repository, not in the installed package; clone it"):
        paper_folder(tmp_path)
    (tmp_path / "paper" / MARK).write_text("")
    assert paper_folder(tmp_path) == tmp_path / "paper"


def test_installed_without_its_repository(tmp_path, monkeypatch):
    monkeypatch.setattr(checkout, "__file__", str(tmp_path / "lib" / "a" / "b" / "c.py"))
    inside = tmp_path / "clone" / "deep" / "inside"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    assert default_results().name == "softsym-results"
    (tmp_path / "clone" / "paper").mkdir()
    (tmp_path / "clone" / "paper" / MARK).write_text("")
    assert default_results() == tmp_path / "clone" / "paper" / "results"
