"""The table of functions."""

from softsym.maps.trace import elementwise, layers, products, sequences, shapes
from softsym.maps.trace.handlers import HANDLERS


def test_no_function_is_in_two_tables():
    tables = [module.HANDLERS for module in (elementwise, layers, products, sequences, shapes)]
    assert sum(map(len, tables)) == len(HANDLERS)
    assert all(callable(handler) for handler in HANDLERS.values())
