"""Words that only we would understand stay out of source and docs; the field has a word for each of these things.

``python -m tests.test_words [PACKAGE ...]`` prints where they are: counts of every package, lines of those that are named.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "softsym"
SUFFIXES = (".py", ".pyi", ".c", ".h", ".md", ".html", ".css", ".js", ".toml")

INSTEAD = {
    r"rungs?|ladders?|climb\w*": "candidate models, model, fit",
    r"hushed": "silent",
    r"telling|told": "result, invariant targets",
    r"lessons?": "training data",
    r"plainly": "unconstrained",
    r"beside|rivals?": "baselines; next to",
    r"carried out": "run",
    r"narrowed": "restricted",
    r"(un)?sealed": "with checksum",
    r"first look": "evidence",
    r"house|(this|the|a|an|another|each|every|which|other|of|inside) rooms?|rooms import": "package, subpackage",
    r"moved data": "transformed data",
    r"mirror images?": "reflection",
    r"turn(s|ed|ing)?": "rotation, rotate",
    r"let go": "dropped",
    r"snap(s|ped|ping)?": "project",
    r"gauges?": "metric",
    r"spread": "standard deviation",
    r"laws?": "target function, ground truth",
    r"artefacts?": "table or figure spec",
    r"closed sets?": "finite subgroup",
    r"framed": "canonicalised",
}
"""Words (upper or lower case, alone or inside of names) and what is said instead."""

FINE = (
    r"in turn|turn(s|ed|ing)? (out|into|off|on)|turns? [^.:]{1,60}? into|face turns?",  # no rotation
    r"group laws?|laws? of (a group|groups|composition|large numbers)|power laws?",
    r"spread (over|across|evenly|out)",
    r"est\.snap|gp\.snap|def snap|automethod:: snap",  # public names that warn for one release
    r'MODEL PREFIX = "rungs", "rung|rivals/errors|moved data lie where',  # keys and texts of stored models
)
"""Ordinary English and mathematics in which these words mean what everybody takes them for."""

NEXT: set[str] = set()
"""Packages that are rewritten around one Gaussian-process engine, and get their words then."""

NOT_YET: set[str] = set()
"""Packages, files and folders of pages that are still to be cleaned."""

UNWANTED = re.compile(rf"\b(?:{'|'.join(INSTEAD)})\b", re.IGNORECASE)
ALLOWED = re.compile(rf"\b(?:{'|'.join(FINE)})\b", re.IGNORECASE)


def find_words(text: str) -> list[tuple[int, str]]:
    """Line numbers and unwanted words of a text; names are read word by word.

    Example:
        >>> find_words("x = 1\\nclass Rung: ...\\nclimb_to(x)")
        [(2, 'Rung'), (3, 'climb')]
    """
    hits = []
    for number, line in enumerate(text.splitlines(), 1):
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", line.replace("_", " "))
        hits += [(number, match.group()) for match in UNWANTED.finditer(ALLOWED.sub(" ", words))]
    return hits


def find_texts() -> Iterator[tuple[str, Path]]:
    """Every source file and page, with the package, file or folder that it counts for."""
    for path in sorted(SOURCE.rglob("*")):
        if path.suffix in SUFFIXES:
            yield path.relative_to(SOURCE).parts[0], path
    for folder in ("docs", "examples", "lab/src"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in SUFFIXES and "_build" not in path.parts:
                yield folder.partition("/")[0], path
    yield from ((name, ROOT / name) for name in ("README.md", "CONTRIBUTING.md"))


def find_hits() -> dict[str, list[str]]:
    """Where unwanted words are, for each package, file or folder."""
    hits: dict[str, list[str]] = {}
    for owner, path in find_texts():
        found = find_words(path.read_text(encoding="utf-8"))
        hits.setdefault(owner, []).extend(f"{path.relative_to(ROOT)}:{line}: {word}" for line, word in found)
    return hits


HITS = find_hits()


@pytest.mark.parametrize("owner", sorted(set(HITS) - NEXT - NOT_YET))
def test_private_words_stay_out(owner):
    assert HITS[owner] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class Rung:", ["Rung"]),
        ("def _climbed_to(): ...", ["climbed"]),
        ("tables stand beside the published numbers", ["beside"]),
        ("besides", []),
        ("FirstLook, first_look and carried_out", ["First Look", "first look", "carried out"]),
        ("each group in turn; it turns out to be finite; turns errors into one line", []),
        ("a quarter turn, turned about z", ["turn", "turned"]),
        ("there is room for 3 rows; nothing else in this room", ["this room"]),
        ("the group law; the law that made the data", ["law"]),
        ("the values spread over rows, with a spread of 2", ["spread"]),
    ],
)
def test_words_are_found(text, expected):
    assert [word for _, word in find_words(text)] == expected


if __name__ == "__main__":
    for owner, lines in sorted(HITS.items(), key=lambda item: -len(item[1])):
        print(f"{len(lines):5} {owner}{' (next issue)' if owner in NEXT else ''}")
    print(*(line for owner in sys.argv[1:] for line in HITS[owner]), sep="\n")
