"""The regressor: fits numbers, and finds which symmetries hold.

Without representations and groups every column is a scalar, and no symmetry is assumed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin

from softsym.arrays import validate
from softsym.discovery.estimator import SoftEquivariantEstimator
from softsym.discovery.fit_data import Target
from softsym.typing import Array


class SoftEquivariantRegressor(RegressorMixin, SoftEquivariantEstimator):  # type: ignore[misc]
    """A regressor that finds which symmetries its data have and uses each just as much as it holds.

    Args:
        rep_in: Representation of the inputs, such as ``"5S + 5V"``; needed with ``groups``.
        rep_out: Representation of the outputs, such as ``"T(2)"``; needed with ``groups``.
        groups: Candidate groups, such as ``["O(2)@x", "O(2)@z"]``, or ``"auto"`` for those that the data propose; none for an ordinary
            model.
        model: ``linear`` (equivariant least squares), ``gp`` (Gaussian process), ``network``, or ``auto`` for the best of all, with
            networks where they can improve on the others.
        network: Hyperparameters of the networks (:class:`~softsym.discovery.NetworkConfig`); defaults if None.
        held_out: Share of the rows for validation, and again for the test.
        random_state: Seed of the split and of the networks.
        verbose: Show progress.
        n_jobs: Processes that train networks in parallel: None for one, -1 for all cores. The result is the same.

    Attributes:
        symmetries_: The verdict on each candidate (:class:`~softsym.discovery.Symmetries`).
        evidence_: The evidence of the data on each candidate (:class:`~softsym.inference.EvidenceTable`).
        baselines_: Held-out errors of all models and baselines.
        module_: The selected model as one ``nn.Module``, scaling and ensemble inside; made anew each time.
        fit_: Models and held-out rows; ``fit_.model`` names the selected model, ``fit_.why`` says why, ``fit_.exact_groups`` names the
            groups to which it is exactly equivariant.

    Example:
        >>> import numpy as np, softsym as ss
        >>> X = np.random.default_rng(0).standard_normal((200, 3))
        >>> est = ss.SoftEquivariantRegressor("V", "S", ["O(3)"]).fit(X, (X**2).sum(1))
        >>> est.predict(X[:2]).shape
        (2,)
        >>> est.symmetries_["O(3)"].verdict
        'exact'
        >>> [row.name for row in est.baselines_][-4:]
        ['ridge regression', 'kernel ridge regression', 'gradient boosting', 'MLP']
    """

    _target = Target.NUMBERS

    def _read(self, X: Any, y: Any) -> tuple[Array, Array]:
        names = [str(name) for name in y.columns] if hasattr(y, "columns") else None
        X, y = validate(self, X, y, multi_output=True, y_numeric=True, ensure_min_samples=2)
        self.n_outputs_ = 0 if y.ndim == 1 else y.shape[1]
        if names is not None and y.ndim == 2:
            self.output_names_ = names
        elif hasattr(self, "output_names_"):
            del self.output_names_
        return np.asarray(X), np.asarray(y, dtype=np.float64).reshape(len(y), -1)

    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """Predictions (n, outputs), or (n,) as ``y`` was; with ``return_std`` also their standard deviations.

        These are of a new measurement for a Gaussian process, and over the ensemble for networks.
        """
        (given, inputs), points = self._inputs(X), self._points
        mean = self.fit_.predict(inputs)
        mean = mean if points is None else points.restore_outputs(given, mean)
        mean = mean[:, 0] if self.n_outputs_ == 0 else mean
        if not return_std:
            return mean
        std = self.fit_.std(inputs)
        return mean, std[:, 0] if self.n_outputs_ == 0 else std

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
