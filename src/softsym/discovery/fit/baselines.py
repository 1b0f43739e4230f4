"""The table of baselines: errors of simpler models that were fitted to the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from softsym.tables import CandidateTable, Column

NOTICEABLE = 0.99
"""Share of an error; one above is the same error for a reader."""


@dataclass(frozen=True)
class Baseline:
    """How well one model predicts.

    Args:
        name: Name of the model.
        validation_error: Mean squared error on validation rows, which also chose its settings.
        test_error: On held-out rows.
        explained: Share of the held-out variance that it explains.
        is_returned: Whether it is the one that predicts.
        share: Its weight in the stacked ensemble that predicts; 0 if it has none.
    """

    name: str
    validation_error: float
    test_error: float
    explained: float
    is_returned: bool = False
    share: float = 0.0

    @property
    def verdict(self) -> str:
        """Whether it is the one that predicts, or a part of it, in a word."""
        if self.is_returned:
            return "returned"
        return f"{self.share:.0%} of it" if self.share else ""

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON."""
        return asdict(self)

    def flat(self) -> dict[str, Any]:
        """One number or text for each column of a data frame."""
        return asdict(self)


class Baselines(CandidateTable[Baseline]):
    """The table of all models, the fitted one first.

    Example:
        >>> print(Baselines([Baseline("network", 0.11, 0.1, 0.99, True), Baseline("ridge regression", 6.5, 6.1, 0.13)]))
        model             held-out error  explained
        network           0.1             99.0 %     returned
        ridge regression  6.1             13.0 %
    """

    title = "Baselines, fitted to the same rows"
    what = "model"
    columns = (
        Column("model", "Model", lambda row: row.name),
        Column("held-out error", "Held-out error (MSE)", lambda row: row.test_error, "{:.4g}".format, is_figure=True),
        Column("explained", "Explained", lambda row: row.explained, lambda share: f"{100 * share:.1f} %", is_figure=True),
        Column("", "", lambda row: row.verdict),
    )  # fmt: skip

    @classmethod
    def of(
        cls, rows: Sequence[Baseline], returned: str, shares: Mapping[str, float] | None = None
    ) -> Baselines:
        """The table, with one model marked as the one that predicts, and others as parts of it."""
        return cls([
            replace(row, is_returned=row.name == returned, share=(shares or {}).get(row.name, 0.0)) for row in rows
        ])  # fmt: skip

    @property
    def better(self) -> tuple[Baseline, ...]:
        """Those whose held-out error is smaller than that of the returned one by more than a hundredth, the best first."""
        limit = NOTICEABLE * min((row.test_error for row in self if row.is_returned), default=float("-inf"))
        return tuple(sorted((row for row in self if row.test_error < limit), key=lambda row: row.test_error))
