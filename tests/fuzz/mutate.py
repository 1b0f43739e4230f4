"""Seeded damage: to bytes, to texts and to the values inside JSON."""

import copy

import numpy as np

LETTERS = [
    *"()[]{}@|*+-'\",.:;=_0123456789eVSTOPCD \t\n\\",
    "é",
    "²",
    "\x00",
    "\x1b[31m",
    "𝕆",
    "9" * 30,
    "(" * 40,
    "V+" * 30,
]
ODD = [None, True, -1, 0, 0.5, 1e308, 10**30, float("nan"), "", "O(3)", "x" * 50, "\x1b[31mred", [], [[]], {}, {"a": 1}]


def bytes_of(data: bytes, rng: np.random.Generator) -> bytes:
    """A few bytes changed, cut out, doubled or put elsewhere."""
    damaged = bytearray(data)
    for _ in range(rng.integers(1, 5)):
        n = max(len(damaged), 1)
        a, b = sorted(rng.integers(n, size=2))
        kind = rng.integers(6)
        if kind == 0 and damaged:
            damaged[a] ^= 1 << rng.integers(8)
        elif kind == 1:
            damaged[a : a + rng.integers(1, 9)] = rng.integers(256, size=rng.integers(0, 9), dtype=np.uint8).tobytes()
        elif kind == 2:
            del damaged[a:b]
        elif kind == 3:
            damaged[b:b] = damaged[a : a + 64]
        elif kind == 4:
            damaged[a : min(b, a + 256)] = bytes(min(b, a + 256) - a)
        else:
            del damaged[a:]
    return bytes(damaged)


def text_of(texts: list[str], rng: np.random.Generator) -> str:
    """Pieces of texts put together, with letters changed."""
    letters = list(str(rng.choice(texts)))
    for _ in range(rng.integers(0, 4)):
        place = int(rng.integers(len(letters) + 1))
        kind = rng.integers(4)
        if kind == 0:
            letters[place:place] = [str(rng.choice(LETTERS))]
        elif kind == 1:
            letters[place : place + int(rng.integers(1, 4))] = []
        elif kind == 2:
            letters[place : place + 1] = [str(rng.choice(LETTERS))]
        else:
            letters[place:place] = list(str(rng.choice([" | ", " * ", " + ", "@", ""]))) + list(str(rng.choice(texts)))
    return "".join(letters)


def value_in(fields: dict, rng: np.random.Generator) -> dict:
    """A copy of nested fields with one of them odd, or gone."""
    changed = copy.deepcopy(fields)
    node, path = changed, []
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        key = keys[int(rng.integers(len(keys)))]
        path.append(key)
        inner = node[key]
        if isinstance(inner, dict | list) and inner and rng.random() < 0.8:
            node = inner
            continue
        if isinstance(node, dict) and rng.random() < 0.1:
            del node[key]
        else:
            node[key] = copy.deepcopy(ODD[int(rng.integers(len(ODD)))])
        return changed
