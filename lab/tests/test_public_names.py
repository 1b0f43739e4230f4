"""The laboratory imports the product by public names: of the package, of a top-level module or of a subpackage."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "softsym_lab"
DEEPER = {"softsym.regularize.strengths", "softsym.propose"}
"""Public subpackages of subpackages."""


def imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names)


def is_public(module):
    return not module.startswith("softsym.") or module.count(".") == 1 or module in DEEPER


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_only_public_names_are_imported(path):
    found = [module for module, names in imports(path) if not is_public(module)]
    private = [
        name for module, names in imports(path) if module.startswith("softsym.") for name in names if name[0] == "_"
    ]
    assert found == []
    assert private == []
