"""The report of one discovery: one HTML page that works without a network, on a phone, on a light or a dark screen.

Nothing that a file or a person named is trusted. The page escapes it, chart labels escape it again for plotly, and a
content security policy lets run only the two scripts that are written here, known by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import json
from typing import TYPE_CHECKING, Any

from softsym.discovery.judge.symmetries import COLUMNS
from softsym.discovery.report.charts.error_charts import distances, errors
from softsym.discovery.report.charts.evidence_charts import likelihoods, randomizations, violations
from softsym.discovery.report.charts.orbit import orbits
from softsym.discovery.report.charts.plots import VERDICT_MARKS
from softsym.discovery.report.charts.prediction_charts import panels
from softsym.discovery.report.charts.training_charts import losses, progress
from softsym.discovery.report.report_data import ReportData
from softsym.discovery.report.wording import cell, headline, number, percent, sentence
from softsym.inference.evidence_table import COLUMNS as EVIDENCE_COLUMNS

if TYPE_CHECKING:
    from jinja2 import Environment

PER_PAGE = 9
"""Panels of predicted against true that are shown at once."""


def render(report: ReportData) -> str:
    """One self-contained HTML page, to be written as UTF-8.

    Args:
        report: The content of the report.
    """
    from markupsafe import Markup
    from plotly.offline import get_plotlyjs

    environment = _environment()
    scripts = [_unify_line_ends(get_plotlyjs()), _unify_line_ends(_source(environment, "report.js"))]
    charts = _charts(report)
    return environment.get_template("report.html.j2").render(
        report=report,
        headline=headline(report.symmetries),
        marks=VERDICT_MARKS,
        columns=[
            column for column in COLUMNS if not column.is_prose or any(map(column.value, report.symmetries))
        ],
        evidence_columns=[
            column for column in EVIDENCE_COLUMNS if not column.is_prose and column.head != "seconds"
        ],
        charts=charts,
        tiles=_tiles(report),
        policy=_policy(scripts),
        style=Markup(_source(environment, "report.css")),
        data=Markup(embedded_json(charts)),
        scripts=[Markup(script) for script in scripts],
    )


def embedded_json(content: Any) -> str:
    r"""JSON that may stand inside a script element: no text in it can end the element or open a comment.

    Example:
        >>> embedded_json("</script>")
        '"\\u003c/script\\u003e"'
    """
    # JSON has no NaN, and browsers refuse it.
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _charts(report: ReportData) -> dict[str, Any]:
    figures = {
        "violations": violations(report.evidence),
        "likelihoods": likelihoods(report.evidence),
        "randomizations": randomizations(report.evidence),
        "errors": errors(report.symmetries),
        "progress": progress(report.symmetries, report.curves),
        "distances": distances(report.symmetries),
        "losses": losses(report.curves),
    }
    return {
        "figures": {name: figure for name, figure in figures.items() if figure},
        "panels": panels(report),
        "perPage": PER_PAGE,
        "orbits": orbits(report),
    }


def _tiles(report: ReportData) -> dict[str, str]:
    seeds = len(report.curves)
    return {
        "held-out variance explained": percent(report.explained),
        "held-out error (MSE)": number(report.test_error, 3),
        "held-out examples": str(len(report.true)),
        **(
            {"network, one seed" if seeds == 1 else "networks, one for each seed": str(seeds)}
            if seeds
            else {}
        ),
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


def _source(environment: Environment, name: str) -> str:
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def _unify_line_ends(script: str) -> str:
    # A browser hashes a script after it has read all line ends as \n.
    return script.replace("\r\n", "\n").replace("\r", "\n")


def _policy(scripts: list[str]) -> str:
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    # plotly writes style attributes, and draws heat maps and downloads through data and blob images.
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
