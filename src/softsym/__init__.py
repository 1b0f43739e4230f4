"""softsym: which symmetries data have, how exactly, and networks that use each just as much as it holds.

Names are loaded when they are first used, so importing the package costs next to nothing. Which there are, and which room each is
from, stands in ``__init__.pyi`` alone: type checkers read it, and so does this file.
"""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import Any

__version__ = "0.1.0"


def _rooms() -> dict[str, str]:
    """The room of each public name; the rooms themselves are names of the package."""
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [statement for statement in stub.body if isinstance(statement, ast.ImportFrom)]
    return {alias.name: str(each.module) for each in imports for alias in each.names}


_ROOMS = _rooms()
__all__ = sorted(_ROOMS)


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module 'softsym' has no attribute {name!r}")
    if _ROOMS[name] == "softsym":
        return importlib.import_module(f"softsym.{name}")
    return getattr(importlib.import_module(_ROOMS[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
