"""How the documentation is built: ``make docs``, offline, warnings are errors."""

from __future__ import annotations

import re
from typing import Any

from softsym import __version__

project, author = "softsym", "The softsym developers"
copyright = "the softsym developers, MIT licence"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
exclude_patterns = ["_build"]
highlight_language = "none"  # blocks without a language are command lines
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 88
napoleon_google_docstring, napoleon_numpy_docstring = True, False
napoleon_custom_sections = ["Reference"]
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"softsym {__version__}"
html_math_renderer = "mathml"  # the browser sets formulas, so that pages work offline and ask nobody
html_show_sphinx = False
html_copy_source = False

PROSE = re.compile(r"(``.*?``|:\w+:`.*?`)|\|")
"""Literals and roles, to be left alone, or a bar."""


def setup(app: Any) -> None:
    """Formulas as MathML; bars of norms in docstrings are no substitutions."""
    app.add_html_math_renderer("mathml", inline_renderers=(_inline_math, None), block_renderers=(_block_math, None))
    app.connect("autodoc-process-docstring", _keep_bars, priority=900)


def _inline_math(writer: Any, node: Any) -> None:
    _write_math(writer, node, as_block=False)


def _block_math(writer: Any, node: Any) -> None:
    _write_math(writer, node, as_block=True)


def _write_math(writer: Any, node: Any, *, as_block: bool) -> None:
    from docutils.nodes import SkipNode
    from docutils.utils.math.latex2mathml import tex2mathml

    text = re.sub(r"frac(\d)(\d)", r"frac{\1}{\2}", node.astext())  # TeX reads \frac12 digit by digit
    formula = tex2mathml(text, as_block=as_block)
    writer.body.append(f'<div class="math">{formula}</div>' if as_block else formula)
    raise SkipNode


def _keep_bars(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Escapes ``|`` in prose, where it means a norm; examples and formulas keep theirs."""
    is_example, directive = False, None
    for k, line in enumerate(lines):
        text = line.lstrip()
        indent = len(line) - len(text)
        is_example = text.startswith(">>>") or (is_example and bool(text))
        if directive is not None and text and indent <= directive:
            directive = None
        if text.startswith(".. ") or text.endswith("::"):
            directive = indent
        if directive is None and not is_example:
            lines[k] = PROSE.sub(lambda found: found[1] or r"\|", line)
