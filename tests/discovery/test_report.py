import json
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from typing import Any

import numpy as np
import plotly.graph_objects
import pytest
from plotly.offline import get_plotlyjs

from softsym.discovery.report import charts
from softsym.discovery.report.charts import cell, interval, label, labels, number, percent
from softsym.discovery.report.content import LEAST_EXPLAINED_UNNOTED, ReportData, make_report_data, one_parameter
from softsym.discovery.report.page import Report, embedded_json, headline, render, sentence
from softsym.discovery.select import Baselines
from softsym.discovery.symmetries import Symmetries, Symmetry
from softsym.inference import ABSENT_ABOVE, TOLERANCE, EvidenceDetail, EvidenceRow, EvidenceTable
from tests.discovery import example_reports
from tests.discovery.small import fitted

STORIES = {
    "report": example_reports.report, "ordinary": example_reports.ordinary, "hostile": example_reports.hostile,
    "many": example_reports.many,
}  # fmt: skip
EXACT = Symmetry("O(2)@z", "exact", 0.002, (0.001, 0.003), error=1e-9, strength=1.0)


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
        "violations": charts.violations(report.symmetries),
        "progress": charts.progress(report.symmetries, report.curves),
        "distances": charts.distances(report.symmetries),
        **{f"panel {k}": panel["figure"] for k, panel in enumerate(charts.panels(report)[:3])},
    }
    for orbit in charts.orbits(report):
        found |= {"inputs": orbit["inputs"], "vector": orbit["vector"], "output": orbit["outputs"][0]["figure"]}
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
    policies = [a["content"] for _, a in page("report").elements if a.get("http-equiv") == "Content-Security-Policy"]
    (policy,) = policies
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    scripts = policy.split("script-src ")[1].split(";")[0]
    assert scripts.count("sha256-") == 2
    assert "unsafe" not in scripts


def test_whole_story_has_all_sections():
    expected = {
        "violations",
        "progress",
        "distances",
        "panels",
        "orbit",
        "notes-title",
        "verdicts-title",
        "facts-title",
    }
    assert expected <= page("report").ids
    text = " ".join(page("report").text.split())
    assert "Of 3 candidate symmetries, 1 holds exactly, 1 holds softly and 1 cannot be decided." in text
    assert "O(2)@z holds: broken by 0.0021" in text
    assert "Build it in." in text
    assert "What would decide it: the data hardly cover this group's orbits" in text
    assert "Only 1000 examples: intervals are wide." in text
    assert "98.7 %" in text


def test_ordinary_network_has_no_section_about_symmetries():
    assert page("ordinary").ids.isdisjoint(
        {"violations", "progress", "distances", "orbit", "notes-title", "verdicts-title"}
    )
    assert {"panels", "facts-title"} <= page("ordinary").ids
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
    row = replace(EXACT, violation=np.inf, interval=(np.nan, np.inf), strength=np.nan, layers={"a": np.nan, "b": 0.0})
    report = replace(
        whole,
        symmetries=Symmetries([row]),
        test_error=np.nan,
        explained=-np.inf,
        curves=tuple(replace(seed, epochs=np.full(len(seed.epochs), np.nan)) for seed in whole.curves[:1]),
        true=np.full((3, 1), np.nan),
        predicted=np.full((3, 1), np.nan),
        std=np.full((3, 1), np.nan),
        orbits=(replace(whole.orbits[0], predicted=np.full((49, 9), np.nan)),),
    )
    assert "NaN" not in Page(render(report)).scripts[0]


def test_story_with_nothing_in_it_renders():
    nothing = np.empty((0, 0))
    report = ReportData("nothing", Symmetries(), np.nan, np.nan, (), nothing, nothing, nothing, (), ())
    assert Page(render(report)).ids.isdisjoint({"panels", "progress", "violations"})


def test_a_page_says_what_it_leaves_out():
    assert "The first 90 of 100 outputs are shown." in " ".join(page("many").text.split())


def test_the_column_of_notes_is_there_only_if_there_is_one():
    heads = [
        f">{head}<" in render(replace(example_reports.report(), symmetries=Symmetries([EXACT])))
        for head in ("Violation", "Note")
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
    assert "All models and baselines" not in nothing
    assert "by construction" not in nothing


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (0.00213, "0.0021"),
        (0.34, "0.34"),
        (-12.3, "−12"),
        (1e-5, "1.0 × 10⁻⁵"),
        (-2e7, "−2.0 × 10⁷"),
        (np.inf, "—"),
    ],
)
def test_numbers_read_as_people_write_them(value: float, text: str):
    assert number(value) == text


def test_percentages():
    assert [percent(share) for share in (1.0, 0.987, 0.5, 0.0031, 0.0, -3.0, np.nan)] == [
        "100.00 %",
        "98.7 %",
        "50 %",
        "0.31 %",
        "0 %",
        "−300 %",
        "—",
    ]


def test_labels_are_single_short_lines_and_tell_names_apart():
    assert label("a\nb\x00c\u2028d") == "a b c d"
    assert len(label("x" * 100)) == 20
    alike = [f"O(2)@axis_number_{k} | Scaling(3)" for k in range(3)]
    assert len(set(labels(alike))) == 3


def test_cells_are_written_by_what_they_are():
    assert (cell("soft"), cell(np.nan), cell((np.nan, 1.0))) == ("soft", "—", "—")
    assert interval((1e-5, 2.0)) == "1.0 × 10⁻⁵ to 2.0"


def test_sentences_say_the_verdict_and_what_to_do():
    assert sentence(EXACT).endswith("Build it in.")
    assert "do not build it in" in sentence(replace(EXACT, verdict="soft"))
    assert sentence(replace(EXACT, verdict="absent")).endswith("Leave it out.")
    assert sentence(replace(EXACT, cost=(-0.1, 0.02))).count("costs at most 2.0 % of the variance") == 1
    unknown = Symmetry("O(3)", "undecided")
    assert sentence(unknown) == "cannot be decided by these data."
    assert sentence(replace(unknown, reason="trivial")).startswith("acts trivially on inputs and outputs")
    absent = replace(EXACT, verdict="absent")
    assert headline(Symmetries([EXACT, absent, absent, unknown])) == (
        "Of 4 candidate symmetries, 1 holds exactly, 2 do not hold and 1 cannot be decided."
    )


def test_a_notebook_gets_a_frame_and_no_source(tmp_path):
    shown = Report("<p>it's</p>" * 1000, tmp_path / "report.html")
    assert len(repr(shown)) < 300
    assert str(shown).endswith("report.html")
    assert len(shown._repr_html_()) < 300
    inline = Report("<p>it's</p>")
    assert "srcdoc" in inline._repr_html_()
    assert "<p>" not in inline._repr_html_()


def report_data(fit, **more):
    names = list("abcdef"), list("uvw")
    return make_report_data(fit, fitted().symmetries_, fitted().evidence_, title="it", names=names, **more)


def test_it_says_what_the_fit_knows():
    fit = fitted().fit_
    report = report_data(fit, facts={"data": "flights.csv"})
    assert report.symmetries is fitted().symmetries_
    assert (report.test_error, report.explained) == (fit.test_error(), fit.explained())
    assert np.array_equal(report.predicted, fit.train_model.predict(fit.test.X))
    assert report.curves == fit.networks.curves
    assert [orbit.group for orbit in report.orbits] == ["O(2)@x", "O(2)@z"]
    assert report.facts["members"] == "2 (seeds 0, 1)"
    assert report.facts["strengths"] == "by-data, from 10, gamma 2"
    assert report.facts["data"] == "flights.csv"


def test_what_must_not_be_missed_is_noted():
    fit = replace(fitted().fit_, baselines=Baselines())
    assert fit.explained() > LEAST_EXPLAINED_UNNOTED
    assert report_data(fit).notes == ()
    poor = replace(fit, test=replace(fit.test, Y=-fit.test.Y, is_separate=False))
    few, unexplained = report_data(poor).notes
    assert few.startswith("There are too few rows to hold any out")
    assert unexplained.startswith("The model explains 0% of the held-out variance")
    better = report_data(fitted().fit_).notes
    assert "on the same rows predicts held-out data better" in better[0]


def test_an_orbit_is_one_rotation_or_a_stretch():
    import softsym as ss

    angles, elements = one_parameter(ss.group("O(2)@z"))
    assert angles[-1] == pytest.approx(2 * np.pi)
    assert np.allclose(elements[0], elements[-1])
    assert charts.is_rotation(angles)
    assert not charts.is_rotation(one_parameter(ss.Scaling(3))[0])


TABLE = EvidenceTable(
    [EvidenceRow("O(2)@z", "exact"), EvidenceRow("<b>x</b>", "absent"), EvidenceRow("SL(3)", "undecided")],
    {
        "O(2)@z": EvidenceDetail([0.0, 0.1, 0.9], [0.0, -3.0, -400.0], np.linspace(1, 1.1, 200), 1.05),
        "<b>x</b>": EvidenceDetail([0.0, 0.5], [-900.0, 0.0], np.linspace(3, 4, 200), 1.0),
        "SL(3)": EvidenceDetail(),
    },
)


def test_intervals_stand_against_the_tolerance():
    rows = [EXACT, Symmetry("<b>x</b>", "absent", 0.5, (0.45, 0.55)), Symmetry("SL(3)", "undecided")]
    figure = charts.violations(Symmetries([replace(rows[0], violation=0.0), *rows[1:]]))
    assert [trace["name"] for trace in figure["data"]] == ["● exact", "○ absent"]
    assert figure["data"][0]["x"] == [charts.LEAST_SHARE]
    assert [shape["x0"] for shape in figure["layout"]["shapes"]] == [TOLERANCE, ABSENT_ABOVE]
    assert len(figure["layout"]["yaxis"]["ticktext"]) == 2  # nothing is known of the third
    assert "&lt;b&gt;" in figure["layout"]["yaxis"]["ticktext"][1]
    assert charts.violations(Symmetries()) is None


def test_curves_of_the_evidence():
    first, second = charts.likelihoods(TABLE)["data"]
    assert first["y"] == [0.0, -3.0, charts.DEEPEST]
    assert second["y"] == [charts.DEEPEST, 0.0]
    assert charts.likelihoods(EvidenceTable()) is None
    assert charts.likelihoods(EvidenceTable([TABLE[2]], {"SL(3)": EvidenceDetail()})) is None
    json.dumps(charts.likelihoods(TABLE), allow_nan=False)
