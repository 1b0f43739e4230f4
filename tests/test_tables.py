"""Tables from one description of their columns."""

from rich.console import Console

from softsym.tables import Column, as_html, as_rich, as_text

ROWS = [("one", 1.5, ""), ("<b>two</b>", 12.25, "[red]careful[/red]")]
COLUMNS = [
    Column("name", "Name", lambda row: row[0]),
    Column("size", "Size", lambda row: row[1], "{:.1f}".format, is_figure=True),
    Column("note", "Note", lambda row: row[2], is_prose=True),
]


def shown(width):
    console = Console(width=width, record=True, force_terminal=False)
    console.print(as_rich(COLUMNS, ROWS, "Sizes"))
    return console.export_text()


def test_plain_text_is_aligned_and_has_no_blanks_at_the_end():
    assert as_text(COLUMNS, ROWS).splitlines() == [
        "name        size  note",
        "one         1.5",
        "<b>two</b>  12.2  [red]careful[/red]",
    ]
    assert as_text(COLUMNS, []) == "name  size  note"


def test_a_terminal_shows_prose_below_and_reads_no_markup():
    lines = shown(60).splitlines()
    assert "note" not in "".join(lines[:-1])
    assert lines[-1].rstrip() == "<b>two</b>: [red]careful[/red]"
    assert "12.2" in shown(60)


def test_html_is_escaped():
    page = as_html(COLUMNS, ROWS)
    assert page.startswith("<table><thead><tr><th>name</th><th>size</th><th>note</th></tr></thead>")
    assert "<td>&lt;b&gt;two&lt;/b&gt;</td><td>12.2</td>" in page
    assert "<b>" not in page
