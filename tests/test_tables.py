"""Tables from one description of their columns."""

import pytest
from rich.console import Console

from softsym.discovery.select import Baseline, Baselines
from softsym.discovery.symmetries import Symmetries, Symmetry
from softsym.tables import CandidateTable, Column

ROWS = [("one", 1.5, ""), ("<b>two</b>", 12.25, "[red]careful[/red]")]
COLUMNS = [
    Column("name", "Name", lambda row: row[0]),
    Column("size", "Size", lambda row: row[1], "{:.1f}".format, is_figure=True),
    Column("note", "Note", lambda row: row[2], is_prose=True),
]


def table(columns, rows, title="Sizes"):
    return type("Table", (CandidateTable,), {"columns": tuple(columns), "title": title})(rows)


def shown(width):
    console = Console(width=width, record=True, force_terminal=False)
    console.print(table(COLUMNS, ROWS))
    return console.export_text()


def test_plain_text_is_aligned_and_has_no_blanks_at_the_end():
    assert str(table(COLUMNS, ROWS)).splitlines() == [
        "name        size  note",
        "one         1.5",
        "<b>two</b>  12.2  [red]careful[/red]",
    ]
    assert str(table(COLUMNS, [])) == "name  size  note"


def test_a_terminal_shows_prose_below_and_reads_no_markup():
    lines = shown(60).splitlines()
    assert "note" not in "".join(lines[:-1])
    assert lines[-1].rstrip() == "<b>two</b>: [red]careful[/red]"
    assert "12.2" in shown(60)


def test_html_is_escaped():
    page = table(COLUMNS, ROWS)._repr_html_()
    assert page.startswith("<table><thead><tr><th>name</th><th>size</th><th>note</th></tr></thead>")
    assert "<td>&lt;b&gt;two&lt;/b&gt;</td><td>12.2</td>" in page
    assert "<b>" not in page


EVIDENCE = [
    Column("group", "Group", lambda row: row[0]),
    Column("verdict", "Verdict", lambda row: row[1]),
    *(
        Column(name, name, lambda row: 0.123456, str, is_figure=True)
        for name in ("violation", "interval", "p", "log evidence", "overlap")
    ),
]


@pytest.mark.parametrize("width", [30, 40, 60, 80, 120])
@pytest.mark.parametrize(
    "name", ["O(2)@z", "Group('a very long name of a group', lie_algebra=...)", "SO(3) | Scaling(3) | " * 10]
)
def test_a_narrow_terminal_shows_verdicts_whole_and_cuts_nothing(width, name):
    console = Console(width=width, record=True, force_terminal=False)
    console.print(table(EVIDENCE, [(name, "undecided"), ("O(3)", "absent")], "Evidence"))
    text = console.export_text()
    assert "undecided" in text
    assert "absent" in text
    assert "…" not in text
    head = next(line for line in text.splitlines() if "group" in line)
    assert ("not shown" in text) == (width < 80)
    assert ("overlap" in head) == (width >= 80)
    column = head.index("verdict")
    folded = "".join(line[:column] for line in text[text.index("──") :].splitlines()[1:]).replace(" ", "")
    assert folded.startswith(name.replace(" ", ""))


def test_cells_cannot_command_a_terminal():
    rows = [("a\x1b[31m\u202eb\nc", "exact")]
    assert "a\\x1b[31m\\u202eb\\nc" in str(table(EVIDENCE, rows))
    console = Console(width=200, record=True, force_terminal=True)
    console.print(table(EVIDENCE, rows, "Evidence"))
    text = console.export_text()
    assert "\x1b[31m" not in text
    assert "\u202e" not in text


def test_tables_draw_themselves_and_are_pages_in_a_notebook(tmp_path):
    table = Symmetries([Symmetry("<b>x</b>", "exact", 0.0, (0.0, 0.01)), Symmetry("O(3)", "undecided")])
    figure = table.plot(tmp_path / "table.html")
    assert figure.data[0].x[0] == 0.0
    assert figure.data[0].error_x.array[0] == 0.01
    assert figure.data[0].y[0] == "&lt;b&gt;x&lt;/b&gt; exact"
    assert "plotly" in (tmp_path / "table.html").read_text(encoding="utf-8")
    assert "<table>" in table._repr_html_()
    baselines = Baselines([Baseline("network", 0.11, 0.1, 0.99, True)])
    assert list(baselines.plot().data[0].x) == [0.1]
