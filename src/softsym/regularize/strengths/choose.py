"""Strengths by held-out rows: forward selection of groups.

No regularization at all and every group alone at a few strengths are compared. The group that lowers the held-out loss most is selected,
the others that lowered it are tried in addition to it, and so on until none helps. A group that does not hold is dropped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from softsym.errors import InputError

if TYPE_CHECKING:  # the command line reads names of controllers without importing these
    from numpy.typing import ArrayLike
    from torch import Tensor

    from softsym.typing import Array

LEVELS = (10.0, 100.0)
"""For the proximal step: at a learning rate of 0.002 a strength of 10 halves a violation in 35 steps, one of 100 in 4."""


@dataclass(frozen=True)
class Trial:
    """One training.

    Args:
        strengths: The strength of each group.
        loss: The mean loss of held-out rows.
        gain: The loss without any group minus this loss.
        error: The standard error of the gain, from paired differences of rows.
    """

    strengths: dict[str, float]
    loss: float
    gain: float
    error: float


@dataclass(frozen=True)
class Choice:
    """The chosen strengths and the trials behind them; prints as a table.

    Args:
        strengths: The strength of each group, 0 for those that are dropped.
        trials: All trainings in order; the first one is without any group.
    """

    strengths: dict[str, float]
    trials: tuple[Trial, ...]

    def order(self) -> list[str]:
        """All groups by the gain of each alone at the largest strength that was tried, the largest gain first."""
        strongest: dict[str, tuple[float, float]] = {}
        for trial in self.trials:
            alone = [(level, name) for name, level in trial.strengths.items() if level]
            if len(alone) == 1:
                level, name = alone[0]
                strongest[name] = max(strongest.get(name, (0.0, 0.0)), (level, trial.gain))
        return sorted(strongest, key=lambda name: -strongest[name][1])

    def __str__(self) -> str:
        lines = [f"{'held-out loss':>13}  {'gain':>9}  {'+-':>8}  strengths"]
        for trial in self.trials:
            shown = ", ".join(f"{name}: {level:g}" for name, level in trial.strengths.items() if level)
            taken = "  <- chosen" if trial.strengths == self.strengths else ""
            numbers = f"{trial.loss:13.4g}  {trial.gain:9.2g}  {trial.error:8.1g}"
            lines.append(f"{numbers}  {shown or 'none'}{taken}")
        return "\n".join(lines)


def choose(
    losses: Callable[[dict[str, float]], ArrayLike | Tensor],
    groups: Sequence[str],
    levels: Sequence[float] = LEVELS,
    *,
    errors: float = 1.0,
) -> Choice:
    """Chooses the strength of each group by held-out rows.

    Args:
        losses: Trains with the strengths it is given and returns the loss of each held-out row, (n,), always of the same rows in the
            same order. Cross-validation, which holds out every row once, has more power than a single split. Bounded or
            squared errors are best, because one row cannot dominate them; for classes the squared error of probabilities.
        groups: The groups' names.
        levels: The strengths to try.
        errors: Number of standard errors that a gain must exceed.

    Returns:
        The strengths and all trials; train with them on all rows.

    Example:
        >>> costs = {"exact": -1.0, "soft": 0.01, "absent": 2.0}  # change of the loss by each group
        >>> def losses(strengths):
        ...     cost = sum(costs[name] * (level > 0) for name, level in strengths.items())
        ...     return [2.0 + cost + 1e-3 * row for row in range(9)]
        >>> choice = choose(losses, ["soft", "exact", "absent"], levels=[10.0])
        >>> choice.strengths, choice.order()
        ({'soft': 0.0, 'exact': 10.0, 'absent': 0.0}, ['exact', 'soft', 'absent'])
    """
    if isinstance(groups, str) or not groups or len(set(groups)) < len(groups):
        raise InputError(f"`groups` are names, each once, got {groups!r}")
    if not levels or not all(0 < level < math.inf for level in levels):
        raise InputError(f"`levels` are strengths above 0 (none at all is tried anyway), got {levels!r}")
    trials: list[Trial] = []

    def train(strengths: dict[str, float], without: Array | None = None) -> Array:
        rows = _read_losses(losses(dict(strengths)), without)
        gain, error = (0.0, 0.0) if without is None else _gain(rows, without)
        trials.append(Trial(strengths, float(rows.mean()), gain, error))
        return rows

    chosen = dict.fromkeys(groups, 0.0)
    without = current = train(dict(chosen))
    remaining = list(groups)
    while remaining:
        rows = {(name, level): train(chosen | {name: level}, without) for name in remaining for level in levels}
        name, level = min(rows, key=lambda key: rows[key].mean())
        gain, error = _gain(rows[name, level], current)
        if not gain > errors * error:
            break
        helped = {key[0] for key, each in rows.items() if each.mean() < current.mean()}
        chosen, current = chosen | {name: level}, rows[name, level]
        remaining = [other for other in remaining if other != name and other in helped]
    return Choice(chosen, tuple(trials))


def _read_losses(values: ArrayLike | Tensor, like: Array | None) -> Array:
    import numpy as np

    from softsym.maps import as_array

    rows = as_array(values)
    if rows.ndim != 1 or len(rows) < 2:
        raise InputError(f"`losses` must return one number for each of at least two rows, got shape {rows.shape}")
    if like is not None and rows.shape != like.shape:
        raise InputError(f"`losses` returned {len(like)} rows, then {len(rows)}; hold out the same rows each time")
    return np.where(np.isfinite(rows), rows, np.inf)


def _gain(rows: Array, before: Array) -> tuple[float, float]:
    """The mean decrease of the rows' losses and its standard error; losses that are not finite count as no gain."""
    import numpy as np

    if not (np.isfinite(rows).all() and np.isfinite(before).all()):
        return float(np.where(np.isfinite(rows).all(), np.inf, -np.inf)), 0.0
    differences = before - rows
    return float(differences.mean()), float(differences.std(ddof=1) / math.sqrt(len(rows)))
