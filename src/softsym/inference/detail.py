"""What a report draws about one candidate: the likelihood along the violation, and the losses of the randomization test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from softsym.typing import Array


def _numbers(values: ArrayLike = ()) -> Array:
    return np.asarray(values, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class EvidenceDetail:
    """Curves behind one row of the table; empty where there is none.

    Args:
        shares: Values of a, the share sqrt(a^2) of the prior in functions without the symmetry, rising from 0, shape (k,).
        log_likelihoods: Log marginal likelihood at each, relative to the highest, so at most 0, shape (k,).
        draws: Mean losses T_j of transformed rows, shape (m,).
        observed: Mean loss T_0 of the rows as they are; NaN if there is no test.

    Example:
        >>> detail = EvidenceDetail([0.0, 0.5], [0.0, -12.5], [1.25, 1.5], 1.0)
        >>> EvidenceDetail.from_dict(detail.to_dict()) == detail
        True
        >>> detail.to_dict()["draws"]
        [1.25, 1.5]
    """

    shares: Array = field(default_factory=_numbers)
    log_likelihoods: Array = field(default_factory=_numbers)
    draws: Array = field(default_factory=_numbers)
    observed: float = float("nan")

    def __post_init__(self) -> None:
        for name in ("shares", "log_likelihoods", "draws"):
            object.__setattr__(self, name, _numbers(getattr(self, name)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EvidenceDetail) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.shares.tobytes(), self.draws.tobytes()))

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON; what is not known is None."""
        return {
            "shares": self.shares.tolist(),
            "log_likelihoods": self.log_likelihoods.tolist(),
            "draws": self.draws.tolist(),
            "observed": None if np.isnan(self.observed) else self.observed,
        }

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> EvidenceDetail:
        """The inverse of :meth:`to_dict`."""
        observed = fields["observed"]
        return cls(
            fields["shares"], fields["log_likelihoods"], fields["draws"], float("nan") if observed is None else float(observed)
        )  # fmt: skip
