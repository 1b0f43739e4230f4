"""The report of one discovery: one HTML page that works without a network, on a phone, on a light or a dark screen.

Nothing that a file or a person named is trusted. The page escapes it, chart labels escape it again for plotly, and a
content security policy lets run only the two scripts that are written here, known by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import html
import math
import re
from collections import Counter
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softsym.discovery.report import charts
from softsym.discovery.report.charts import VERDICT_MARKS, cell, interval, number, percent
from softsym.discovery.report.content import ReportData
from softsym.discovery.symmetries import COLUMNS, Symmetries, Symmetry

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

PER_PAGE = 9  # panels of predicted against true that are shown at once


@dataclass(frozen=True, eq=False)
class Report:
    """A report: notebooks show the page, ``print`` says where it is."""

    page: str = field(repr=False)  # the page, HTML
    path: Path | None = None  # where it was written; None if it was not

    def __str__(self) -> str:
        where = "not written; pass a path" if self.path is None else str(self.path)
        return f"report of {len(self.page) / 1e6:.1f} MB: {where}"

    def _repr_html_(self) -> str:
        """An inline frame with the page."""
        source = f'srcdoc="{html.escape(self.page)}"' if self.path is None else f'src="{html.escape(str(self.path))}"'
        return f'<iframe {source} style="width:100%;height:40em;border:0"></iframe>'


def render(report: ReportData) -> str:
    """One self-contained HTML page, to be written as UTF-8."""
    from markupsafe import Markup
    from plotly.offline import get_plotlyjs

    # A browser hashes a script after it has read all line ends as \n.
    scripts = [re.sub("\r\n?", "\n", script) for script in (get_plotlyjs(), _source("report.js"))]
    drawn = _charts(report)
    template = _environment().get_template("report.html.j2")
    return template.render(
        report=report,
        headline=headline(report.symmetries),
        marks=VERDICT_MARKS,
        columns=[column for column in COLUMNS if not column.is_prose or any(map(column.value, report.symmetries))],
        evidence_columns=[column for column in report.evidence.columns if not column.is_prose],
        charts=drawn,
        tiles=_tiles(report),
        policy=_policy(scripts),
        style=Markup(_source("report.css")),
        data=embedded_json(drawn),
        scripts=[Markup(script) for script in scripts],
    )


def embedded_json(content: Any) -> Markup:
    """JSON that may stand inside a script element: no text in it can end the element or open a comment; browsers refuse NaN."""
    from jinja2.utils import htmlsafe_json_dumps

    return htmlsafe_json_dumps(content, allow_nan=False, separators=(",", ":"))


def _charts(report: ReportData) -> dict[str, Any]:
    figures = {
        "violations": charts.violations(report.symmetries),
        "likelihoods": charts.likelihoods(report.evidence),
        "progress": charts.progress(report.symmetries, report.curves),
        "distances": charts.distances(report.symmetries),
    }
    return {
        "figures": {name: figure for name, figure in figures.items() if figure},
        "panels": charts.panels(report),
        "perPage": PER_PAGE,
        "orbits": charts.orbits(report),
    }


def _tiles(report: ReportData) -> dict[str, str]:
    seeds = len(report.curves)
    return {
        "held-out variance explained": percent(report.explained),
        f"held-out error ({report.loss})": number(report.test_error, 3),
        "held-out examples": str(len(report.true)),
        **({"network, one seed" if seeds == 1 else "networks, one for each seed": str(seeds)} if seeds else {}),
    }


def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("softsym.discovery.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(cell=cell, percent=percent, sentence=sentence)
    return environment


def _source(name: str) -> str:
    return (resources.files(__package__) / "templates" / name).read_text(encoding="utf-8")


def _policy(scripts: list[str]) -> str:
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    # plotly writes style attributes, and draws heat maps and downloads through data and blob images.
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def sentence(row: Symmetry) -> str:
    """The verdict on one group, and what to do, as a clause that follows its name."""
    if row.reason == "trivial":
        return "acts trivially on inputs and outputs: every model is equivariant to it, and no data can break it."
    measured = f"broken by {number(row.violation)} (95 % interval {interval(row.interval)})"
    if math.isfinite(row.cost[1]):
        measured += f"; building it in costs at most {percent(max(row.cost[1], 0.0))} of the variance"
    if row.verdict == "exact":
        return f"holds: {measured}. Build it in."
    if row.verdict == "soft":
        return f"holds softly: {measured}. Let models prefer it, but do not build it in."
    if row.verdict == "absent":
        return f"does not hold: {measured}. Leave it out."
    return "cannot be decided by these data." if math.isnan(row.violation) else f"cannot be decided: {measured}."


def headline(symmetries: Symmetries) -> str:
    """The whole table in one sentence."""
    if not len(symmetries):
        return "No candidate symmetry was given or proposed: the model is an ordinary one."
    counts: Counter[str] = Counter(row.verdict for row in symmetries)
    words = {
        "exact": "holds exactly" if counts["exact"] == 1 else "hold exactly",
        "soft": "holds softly" if counts["soft"] == 1 else "hold softly",
        "absent": "does not hold" if counts["absent"] == 1 else "do not hold",
        "undecided": "cannot be decided",
    }
    *most, last = [f"{counts[verdict]} {text}" for verdict, text in words.items() if counts[verdict]]
    candidates = "1 candidate symmetry" if len(symmetries) == 1 else f"{len(symmetries)} candidate symmetries"
    return f"Of {candidates}, {', '.join(most)}{' and ' if most else ''}{last}."
