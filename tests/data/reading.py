"""What the tests of all formats ask."""

import numpy as np
import pytest

from softsym.data.table import read_table
from softsym.errors import InputError


def refuses(message, path, *arguments, **options):
    """Reading must fail, with a message of one line."""
    with pytest.raises(InputError, match=message) as caught:
        read_table(path, *arguments, **options)
    assert "\n" not in str(caught.value)


def survives_damage(path, x_columns=None):
    """Whatever byte of a file is changed, reading it works or fails with a message of one line."""
    rng = np.random.default_rng(0)
    good, messages = path.read_bytes(), []
    for _ in range(150):
        bad = bytearray(good)
        for place in len(bad) - 1 - rng.integers(min(len(bad), rng.choice([400, 4000])), size=rng.integers(1, 5)):
            bad[place] = rng.integers(256)
        path.write_bytes(bad)
        try:
            read_table(path, x_columns)
        except InputError as error:
            messages.append(str(error))
    assert messages
    assert not any("\n" in message for message in messages)


def predictions():
    """Names, values and standard deviations of three outputs, one of them named as a standard deviation would be."""
    rng = np.random.default_rng(0)
    return ["e", "e_std", 'f, "g"'], rng.standard_normal((7, 3)), rng.random((7, 3))
