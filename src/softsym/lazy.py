"""Packages whose names are loaded when they are first used, so that asking one for little does not import everything.

A package that does this must not have a name that is also one of its modules': the import of the module would take its place.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of a package.

    Args:
        package: Its ``__name__``.
        homes: Its modules, and the names in each, with blanks between: ``{"loop": "fit Fitted"}``.

    Example:
        >>> get, names = lazy("xml", {"dom.minidom": "parseString", "sax": "parse"})
        >>> "parse" in names(), get("parseString").__module__
        (True, 'xml.dom.minidom')
    """
    home = {name: module for module, names in homes.items() for name in names.split()}

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{home[name]}"), name)

    return get, lambda: sorted({*home, *vars(sys.modules[package])})
