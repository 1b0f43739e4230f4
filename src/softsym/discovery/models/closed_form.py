"""The closed-form rungs of the ladder, fitted to training rows one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from softsym.discovery.models.gp_model import GaussianProcess, process
from softsym.discovery.models.protocol import LINEAR, MEAN, NARROW, PLAIN, PROCESS, Rung
from softsym.discovery.models.simple import linear, mean
from softsym.errors import InputError
from softsym.groups import Group
from softsym.reps import Rep, Scalar
from softsym.typing import Array, Index


@dataclass(frozen=True, eq=False)
class Ladder:
    """The rungs that could be fitted.

    Args:
        rungs: Simplest first.
        refused: Why others could not be, by name.
        seconds: How long it took.
    """

    rungs: tuple[Rung, ...] = ()
    refused: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    def named(self, name: str) -> Rung | None:
        """One rung, if it is there."""
        return next((rung for rung in self.rungs if rung.name == name), None)

    @property
    def process(self) -> GaussianProcess | None:
        """The Gaussian process with all candidates, or the one without if there are none."""
        found = self.named(PROCESS) or self.named(PLAIN)
        return found if isinstance(found, GaussianProcess) else None


def climb(
    X: Array,
    Y: Array,
    rep_in: Rep,
    rep_out: Rep,
    groups: Sequence[Group],
    *,
    model: str = "auto",
    narrow: Sequence[Group] = (),
    sources: Index | None = None,
    seed: int = 0,
    weights: Array | None = None,
) -> Ladder:
    """Fits what a choice of model asks for.

    Args:
        X: Training inputs (n, inputs).
        Y: Training outputs (n, outputs).
        rep_in: How inputs transform.
        rep_out: How outputs transform.
        groups: Candidate groups.
        model: ``auto`` for all rungs, ``linear`` or ``gp`` for that one.
        narrow: Those of the candidates that may hold, if not all of them may: they get a process of their own.
        sources: Labels of rows that belong together, shape (n,).
        seed: Of the order of rows.
        weights: How much every row counts (n,).

    Example:
        >>> import numpy as np, softsym as ss
        >>> X = np.random.default_rng(0).standard_normal((40, 3))
        >>> [rung.name for rung in climb(X, X @ X[:1].T, ss.rep("V"), ss.rep("S"), [ss.O(3)]).rungs]
        ['mean', 'linear', 'gp', 'gp without candidates']
    """
    began = time.perf_counter()
    plain_in, plain_out = X.shape[1] * Scalar, Y.shape[1] * Scalar
    rows: dict[str, Any] = {"sources": sources, "seed": seed, "weights": weights}
    steps: dict[str, Callable[[], Rung]] = {
        MEAN: lambda: mean(X, Y, rep_in, rep_out, groups, weights),
        LINEAR: lambda: linear(X, Y, rep_in, rep_out, groups, weights),
        PROCESS: lambda: process(X, Y, rep_in, rep_out, groups, **rows),
        NARROW: lambda: process(X, Y, rep_in, rep_out, narrow, title=NARROW, **rows),
        PLAIN: lambda: process(X, Y, plain_in, plain_out, **rows),
    }
    if not groups:
        del steps[PROCESS]
    if not narrow or len(narrow) == len(groups):
        del steps[NARROW]
    wanted = {"auto": list(steps), "linear": [LINEAR], "gp": [PROCESS if groups else PLAIN]}[model]
    rungs, refused = [], {}
    for name in wanted:
        try:
            rungs.append(steps[name]())
        except InputError as error:
            refused[name] = str(error)
    return Ladder(tuple(rungs), refused, time.perf_counter() - began)
