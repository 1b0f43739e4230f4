"""Texts and numbers of a report.

Names of groups and columns come from anybody's files. The page escapes them as HTML; chart labels need :func:`label`,
because plotly reads tags such as ``<a href>`` in any text that it draws.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Sequence

from softsym.discovery.judge.reasons import Cause
from softsym.discovery.judge.symmetries import Symmetries, Symmetry

MINUS = "\N{MINUS SIGN}"
ABSENT = "\N{EM DASH}"
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_WORDS = {"exact": "exactly", "soft": "softly"}


def number(value: float, digits: int = 2) -> str:
    """A number as people write it.

    Args:
        value: The number; a dash stands for one that is not finite.
        digits: Significant digits.

    Example:
        >>> number(0.00213), number(1234.6), number(1.7e-6), number(float("nan"))
        ('0.0021', '1235', '1.7 × 10⁻⁶', '—')
    """
    if not math.isfinite(value):
        return ABSENT
    if value == 0:
        return "0"
    if not 1e-4 <= abs(value) < 1e5:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        return f"{mantissa} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}".replace("-", MINUS)
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{places}f}".replace("-", MINUS)


def interval(bounds: tuple[float, float]) -> str:
    """Both ends of an interval, or a dash if it is not known.

    Example:
        >>> interval((0.001, 0.003))
        '0.0010 to 0.0030'
    """
    if not all(map(math.isfinite, bounds)):
        return ABSENT
    return f"{number(bounds[0])} to {number(bounds[1])}"


def cell(value: str | float | tuple[float, float]) -> str:
    """What stands in a table: a text as it is, a number or an interval as people write it.

    Example:
        >>> cell("exact"), cell(0.00213), cell((0.001, 0.003))
        ('exact', '0.0021', '0.0010 to 0.0030')
    """
    if isinstance(value, str):
        return value
    return interval(value) if isinstance(value, tuple) else number(value)


def percent(share: float) -> str:
    """A share as a percentage; near 0 and 100 % with more digits.

    Example:
        >>> percent(0.5), percent(0.987), percent(0.99987), percent(0.0031)
        ('50 %', '98.7 %', '99.99 %', '0.31 %')
    """
    if not math.isfinite(share):
        return ABSENT
    if abs(share) < 0.1:
        return f"{number(100 * share)} %"
    gap = abs(1 - share)
    places = 0 if gap > 0.1 else 1 if gap > 0.005 else 2
    return f"{100 * share:.{places}f} %".replace("-", MINUS)


def label(text: str, longest: int = 20) -> str:
    """Anybody's text as a chart label: one line, shortened in the middle, and without a meaning in plotly's markup.

    Example:
        >>> label("<b>mass</b>"), label("a_rather_long_name_of_a_column")
        ('&lt;b&gt;mass&lt;/b&gt;', 'a_rather_long…column')
    """
    line = re.sub(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", text).strip()
    if len(line) > longest:
        tail = (longest - 1) // 3
        line = line[: longest - 1 - tail] + ELLIPSIS + line[-tail:]
    return html.escape(line, quote=False)


def labels(names: Sequence[str]) -> list[str]:
    """One label for each name; numbered if some became the same when they were shortened."""
    short = [label(name) for name in names]
    if len(set(short)) == len(short):
        return short
    return [f"{place}. {label(name, 16)}" for place, name in enumerate(names, start=1)]


def sentence(row: Symmetry) -> str:
    """The verdict on one group as a clause that follows its name.

    Example:
        >>> sentence(Symmetry("O(2)@z", "exact", 0.002, (0.001, 0.003), 1.0, 1e-4))
        'holds exactly: transforming an input by the group transforms the prediction (error 0.0020, 95 % interval 0.0010 to 0.0030).'
    """
    measured = f"(error {number(row.error)}, 95 % interval {interval(row.error_interval)})"
    if any(reason.cause is Cause.TRIVIAL for reason in row.reasons):
        return "acts trivially on inputs and outputs: every model is equivariant to it, and no data can break it."
    if row.verdict == "undecided":
        return f"cannot be decided by these data {measured}."
    if row.verdict == "exact" and row.is_within_fit:
        return f"holds as far as the fit can tell: the violation is no larger than the model's own errors {measured}."
    if row.verdict == "exact":
        return f"holds exactly: transforming an input by the group transforms the prediction {measured}."
    if row.verdict == "soft":
        return (
            f"holds softly: predictions follow the group only roughly {measured}; "
            f"the model has it with strength {row.strength:.3g}."
        )
    return f"does not hold: predictions do not follow the group {measured}."


def headline(symmetries: Symmetries) -> str:
    """The whole table in one sentence.

    Example:
        >>> headline(Symmetries())
        'No candidate symmetry was given: the model is an ordinary network.'
    """
    if not len(symmetries):
        return "No candidate symmetry was given: the model is an ordinary network."
    sure = [row for row in symmetries if row.is_conclusive]
    counts = {word: sum(row.verdict == word for row in sure) for word in ("exact", "soft", "absent")}
    parts = [
        f"{counts[verdict]} {'holds' if counts[verdict] == 1 else 'hold'} {word}"
        for verdict, word in _WORDS.items()
        if counts[verdict]
    ]
    if counts["absent"]:
        parts.append(f"{counts['absent']} {'does' if counts['absent'] == 1 else 'do'} not hold")
    if len(sure) < len(symmetries):
        parts.append(f"{len(symmetries) - len(sure)} cannot be decided")
    candidates = "1 candidate symmetry" if len(symmetries) == 1 else f"{len(symmetries)} candidate symmetries"
    return f"Of {candidates}, {_join_parts(parts)}."


def _join_parts(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
