"""Values made of arrays: stored, read back, and evaluated by NumPy or torch with the same code.

Feature maps and fitted models are frozen dataclasses of arrays, numbers, texts and other such values. One pair of functions makes any of
them JSON and arrays and back; a third replaces every array by a tensor, which gives the torch version of a model.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np

from softsym.typing import Array

T = TypeVar("T")
_CLASSES: dict[str, type] = {}


def stored(cls: type[T]) -> type[T]:
    """Registers a frozen dataclass as one that files may hold."""
    _CLASSES[cls.__name__] = cls
    return cls


def replace_arrays(value: Any, function: Callable[[Any], Any], kind: type = np.ndarray) -> Any:
    """The value with every array, or every value of another kind, replaced."""
    if isinstance(value, kind):
        return function(value)
    if isinstance(value, tuple | list):
        return type(value)(replace_arrays(each, function, kind) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        own = {field.name: replace_arrays(getattr(value, field.name), function, kind) for field in fields(value)}
        return replace(value, **own)
    return value


def to_state(value: Any) -> tuple[Any, dict[str, Array]]:
    """The value as JSON and arrays by name.

    Example:
        >>> about, arrays = to_state(([1.5, "a"], np.arange(2)))
        >>> about, list(arrays)
        ([[1.5, 'a'], {'array': '0'}], ['0'])
        >>> from_state(about, arrays)
        ([1.5, 'a'], array([0, 1]))
    """
    arrays: dict[str, Array] = {}

    def pack(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            name = str(len(arrays))
            arrays[name] = value
            return {"array": name}
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, tuple | list):
            return [pack(each) for each in value]
        if is_dataclass(value) and not isinstance(value, type):
            own = {field.name: pack(getattr(value, field.name)) for field in fields(value)}
            return {"class": type(value).__name__, **own}
        return value

    return pack(value), arrays


def from_state(about: Any, arrays: dict[str, Array]) -> Any:
    """The inverse of :func:`to_state`; sequences come back as tuples where a dataclass holds them."""

    def unpack(value: Any, is_field: bool) -> Any:
        if isinstance(value, list):
            values = [unpack(each, is_field) for each in value]
            return tuple(values) if is_field else values
        if not isinstance(value, dict):
            return value
        if "array" in value:
            return arrays[value["array"]]
        own = {key: unpack(each, True) for key, each in value.items() if key != "class"}
        return _CLASSES[value["class"]](**own)

    result = unpack(about, False)
    return tuple(result) if isinstance(result, list) else result
