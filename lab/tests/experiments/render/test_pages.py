"""Numbers in pages are those of the ledgers."""

import re

import pytest

from softsym_lab.experiments.render import pages


@pytest.mark.parametrize("path", pages.page_paths(), ids=lambda path: path.name)
def test_pages_have_the_numbers_of_the_ledgers(path):
    text = path.read_text(encoding="utf-8")
    opened, closed = re.findall(r"<!-- softsym pages (\w+) -->", text), re.findall(r"<!-- end of (\w+) -->", text)
    assert opened
    assert set(opened) <= set(closed) & set(pages.FRAGMENTS)
    assert pages.rendered(text) == text  # if not: python -m softsym_lab.experiments.render.pages


def test_every_fragment_is_on_a_page():
    text = "".join(path.read_text(encoding="utf-8") for path in pages.page_paths())
    assert set(re.findall(r"<!-- softsym pages (\w+) -->", text)) == set(pages.FRAGMENTS)


def test_only_what_is_between_comments_is_replaced(monkeypatch):
    monkeypatch.setitem(pages.FRAGMENTS, "motion", lambda: "new")
    text = "a 1\n<!-- softsym pages motion -->\n\nold\n\n<!-- end of motion -->\nb 2"
    assert pages.rendered(text) == text.replace("old", "new")
