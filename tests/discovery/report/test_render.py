import json
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from typing import Any

import numpy as np
import plotly.graph_objects
import pytest
from plotly.offline import get_plotlyjs

from softsym.discovery.judge.reasons import parse_note
from softsym.discovery.judge.symmetries import Symmetries, Symmetry
from softsym.discovery.report.charts.error_charts import distances, errors
from softsym.discovery.report.charts.orbit import orbits
from softsym.discovery.report.charts.prediction_charts import panels
from softsym.discovery.report.charts.training_charts import losses, progress
from softsym.discovery.report.render import embedded_json, render
from softsym.discovery.report.report_data import ReportData
from tests.discovery import example_reports

STORIES = {
    "report": example_reports.report, "ordinary": example_reports.ordinary, "hostile": example_reports.hostile,
    "many": example_reports.many,
}  # fmt: skip
EXACT = Symmetry("O(2)@z", "exact", 0.002, (0.001, 0.003), 1.0, 1e-4)


class Page(HTMLParser):
    """What a browser would make of a page: its elements, its visible text, its scripts."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.scripts: list[str] = []
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts[-1] += data
        elif self._inside != "style":
            self.text += data

    @property
    def ids(self) -> set[str]:
        return {str(attributes["id"]) for _, attributes in self.elements if "id" in attributes}


@cache
def page(name: str) -> Page:
    return Page(render(STORIES[name]()))


def figures(report: ReportData) -> dict[str, dict[str, Any]]:
    found = {
        "errors": errors(report.symmetries),
        "progress": progress(report.symmetries, report.curves),
        "distances": distances(report.symmetries),
        "losses": losses(report.curves),
        **{f"panel {k}": panel["figure"] for k, panel in enumerate(panels(report)[:3])},
    }
    for orbit in orbits(report):
        found |= {
            "inputs": orbit["inputs"],
            "vector": orbit["vector"],
            "output": orbit["outputs"][0]["figure"],
        }
    return {name: figure for name, figure in found.items() if figure}


@pytest.mark.parametrize("name", STORIES)
def test_page_is_one_file_without_requests(name: str):
    for tag, attributes in page(name).elements:
        assert "src" not in attributes, tag
        assert attributes.get("href", "data:,") == "data:,", tag
    assert len(page(name).scripts) == 3


@pytest.mark.parametrize("name", STORIES)
def test_scripts_are_the_projects_own_whatever_names_say(name: str):
    data, plotly, own = page(name).scripts
    assert plotly == get_plotlyjs()
    assert own == page("report").scripts[2]
    assert isinstance(json.loads(data), dict)


@pytest.mark.parametrize("name", STORIES)
def test_plotly_accepts_every_figure(name: str):
    for figure in figures(STORIES[name]()).values():
        plotly.graph_objects.Figure(data=figure["data"], layout=figure["layout"])


@pytest.mark.parametrize("name", STORIES)
def test_page_is_accessible(name: str):
    elements = page(name).elements
    assert ("html", {"lang": "en"}) in elements
    assert [tag for tag, _ in elements].count("h1") == 1
    assert all(attributes.get("scope") for tag, attributes in elements if tag == "th")
    charts = [attributes for _, attributes in elements if "chart" in str(attributes.get("class")).split()]
    assert all(chart["role"] == "img" and chart["aria-label"] for chart in charts)


def test_policy_allows_no_script_but_the_two_and_no_connection():
    policies = [
        a["content"] for _, a in page("report").elements if a.get("http-equiv") == "Content-Security-Policy"
    ]
    (policy,) = policies
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    scripts = policy.split("script-src ")[1].split(";")[0]
    assert scripts.count("sha256-") == 2
    assert "unsafe" not in scripts


def test_whole_story_has_all_sections():
    expected = {
        "errors",
        "progress",
        "distances",
        "losses",
        "panels",
        "orbit",
        "notes-title",
        "verdicts-title",
        "facts-title",
    }
    assert expected <= page("report").ids
    text = " ".join(page("report").text.split())
    assert "Of 3 candidate symmetries, 1 holds exactly, 1 holds softly and 1 cannot be decided." in text
    assert "O(2)@z holds exactly:" in text
    assert "What would decide it: the data hardly cover this group's orbits" in text
    assert "Only 1000 examples: intervals are wide." in text
    assert "98.7 %" in text


def test_ordinary_network_has_no_section_about_symmetries():
    assert page("ordinary").ids.isdisjoint(
        {"errors", "progress", "distances", "orbit", "notes-title", "verdicts-title"}
    )
    assert {"panels", "losses", "facts-title"} <= page("ordinary").ids
    assert "No candidate symmetry was given" in page("ordinary").text


@pytest.mark.parametrize("text", example_reports.HOSTILE)
def test_hostile_names_stay_text(text: str):
    assert text in page("hostile").text
    tags = {tag for tag, _ in page("hostile").elements}
    assert tags.isdisjoint({"img", "a", "b", "i"})
    assert not any(name.startswith("on") for _, attributes in page("hostile").elements for name in attributes)


def test_hostile_names_have_no_markup_in_charts():
    # Names of outputs and groups also travel bare, for textContent; a figure has only labels.
    found = json.dumps(figures(example_reports.hostile())).replace("<extra>", "").replace("</extra>", "")
    assert "<" not in found.replace("%{fullData.name}", "")
    assert "&lt;img src=x" in found


def test_embedded_json_cannot_end_its_element():
    content = {"</script>": ["<!--", "&amp;", "\u2028"]}
    assert not set("<>&\u2028") & set(embedded_json(content))
    assert json.loads(embedded_json(content)) == content
    with pytest.raises(ValueError, match="not JSON compliant"):
        embedded_json(float("nan"))


def test_numbers_that_are_not_finite_render():
    whole = example_reports.report()
    row = replace(
        EXACT, error=np.nan, error_interval=(np.nan, np.inf), strength=np.nan, layers={"a": np.nan, "b": 0.0}
    )
    report = replace(
        whole,
        symmetries=Symmetries([row]),
        test_error=np.nan,
        explained=-np.inf,
        curves=tuple(replace(seed, loss=np.full(60, np.inf)) for seed in whole.curves),
        true=np.full((3, 1), np.nan),
        predicted=np.full((3, 1), np.nan),
        std=np.full((3, 1), np.nan),
        orbits=(replace(whole.orbits[0], predicted=np.full((49, 9), np.nan)),),
    )
    assert "NaN" not in Page(render(report)).scripts[0]


def test_story_with_nothing_in_it_renders():
    nothing = np.empty((0, 0))
    report = ReportData("nothing", Symmetries(), np.nan, np.nan, (), nothing, nothing, nothing, (), ())
    assert Page(render(report)).ids.isdisjoint({"panels", "losses", "errors"})


def test_a_page_says_what_it_leaves_out():
    assert "The first 90 of 100 outputs are shown." in " ".join(page("many").text.split())


def test_only_a_doubt_is_called_uncertain():
    mild = "as far as the fit can tell: the violation is no larger than the model's own mistakes"
    rows = [
        replace(EXACT, reasons=parse_note(note)) for note in (mild, "inconclusive: only 40 training rows")
    ]
    text = " ".join(Page(render(replace(example_reports.report(), symmetries=Symmetries(rows)))).text.split())
    assert text.count("Note:") == 1
    assert "Note: only 40 training rows" in text
    assert mild in text


def test_the_column_of_notes_is_there_only_if_there_is_one():
    heads = [
        f">{head}<" in render(replace(example_reports.report(), symmetries=Symmetries([EXACT])))
        for head in ("Residual", "Note")
    ]
    assert heads == [True, False]


def test_baselines_are_listed_with_the_model() -> None:
    shown = page("report")
    assert "The model is exactly equivariant to O(2)@z, by construction." in " ".join(shown.text.split())
    for text in ("ordinary network", "kernel ridge regression", "82 %"):
        assert text in shown.text
    labels = [attributes.get("data-label") for tag, attributes in shown.elements if tag == "td"]
    assert labels.count("Predicts") == 4
    nothing = page("ordinary").text
    assert "Baselines" not in nothing
    assert "by construction" not in nothing
