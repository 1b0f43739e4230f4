"""The main job for numbers: fit data, and read off which symmetries hold.

Without representations and groups every column is a scalar, and no symmetry is assumed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.utils.validation import validate_data

from softsym.discovery.estimator import SoftEquivariantEstimator
from softsym.discovery.fit.fitted import Target
from softsym.typing import Array


class SoftEquivariantRegressor(RegressorMixin, SoftEquivariantEstimator):  # type: ignore[misc]
    """A regressor that finds which symmetries its data have and uses each just as much as it holds.

    Args:
        rep_in: How inputs transform, such as ``"5S + 5V"``; needed with ``groups``.
        rep_out: How outputs transform, such as ``"T(2)"``; needed with ``groups``.
        groups: Candidate groups, such as ``["O(2)@x", "O(2)@z"]``; none for an ordinary model.
        model: ``auto`` for the best of all, networks included where they can add something; ``linear`` (equivariant least squares), ``gp``
            (a Gaussian process) or ``network`` for that one alone. What follows is about networks, apart from ``held_out``,
            ``random_state`` and ``budget``.
        largest: Group of gates and bilinear layers; the candidates joined by default.
        width: Size of the hidden layers; if None, 216 or 64, as short trials say, and 64 without groups.
        layers: Number of linear layers.
        epochs: Passes over the training data; by default so many that there are about 600 steps, and 1,200 without groups.
        budget: Seconds the fit may take instead, which then decides the epochs. Simpler models beside it come on top.
        batch: Rows per step; by default a quarter of the rows, and 250 where there are more than a thousand.
        lr: Highest learning rate; it rises at first and then falls along a cosine. If None, 0.04, and 0.003 without groups.
        weight_decay: With groups, the share of themselves that all weights lose in a step, times the rate.
        strength: Of every group's penalty at the start; if None, 10, or a thirtieth of it where short trials say that this keeps networks
            from learning.
        gamma: How strongly differences between groups count when strengths are adjusted.
        strengths: How strengths change: ``by-data`` (five times, by how much the network breaks each group on data), ``one-shot`` (once, by
            its weights: the paper's rule), ``continuous`` or ``fixed``.
        seeds: Number of members.
        held_out: Share of the rows for validation, and again for the test.
        random_state: Seed of the split and of the members.
        verbose: Show progress.
        n_jobs: Processes that train members and trials side by side: None for one, -1 for all cores. The result is the same.
        warm_start: Networks of a second ``fit`` with the same representations and candidates go on from those of the first; closed forms,
            which are solved, have nothing to go on from.
        device: What networks are trained on: ``cpu``, ``cuda`` or ``mps``. Closed forms are computed on the CPU.

    Attributes:
        symmetries_: What was found about each candidate (:class:`~softsym.discovery.Symmetries`).
        evidence_: What the data say by themselves (:class:`~softsym.inference.EvidenceTable`).
        baselines_: How well every model predicts held-out rows.
        module_: What predicts as one plain ``nn.Module``, scaling and ensemble inside; made anew each time.
        fit_: Models, validation and held-out rows; ``fit_.model`` names what predicts, ``fit_.why`` says why, ``fit_.built_in`` names the
            groups that it has exactly.

    Example:
        >>> import numpy as np, softsym as ss
        >>> X = np.random.default_rng(0).standard_normal((200, 3))
        >>> est = ss.SoftEquivariantRegressor("V", "S", ["O(3)"]).fit(X, (X**2).sum(1))
        >>> est.predict(X[:2]).shape
        (2,)
        >>> est.symmetries_["O(3)"].verdict
        'exact'
        >>> [row.name for row in est.baselines_][-4:]
        ['ridge regression', 'gradient boosting', 'kernel ridge regression', 'MLP']
    """

    @property
    def _target(self) -> Target:
        return Target.NUMBERS

    def _read(self, X: Any, y: Any) -> tuple[Array, Array]:
        names = [str(name) for name in y.columns] if hasattr(y, "columns") else None
        X, y = validate_data(
            self, X, y, multi_output=True, y_numeric=True, ensure_min_samples=2, dtype=np.float64
        )
        self.n_outputs_ = 0 if y.ndim == 1 else y.shape[1]
        if names is not None and y.ndim == 2:
            self.output_names_ = names
        elif hasattr(self, "output_names_"):
            del self.output_names_
        return np.asarray(X), np.asarray(y, dtype=np.float64).reshape(len(y), -1)

    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """Predictions (n, outputs), or (n,) as ``y`` was; if asked for, standard deviations, too.

        These are of a new measurement as a Gaussian process knows it, or over the members where networks predict.
        """
        given, points = self._inputs(X), self._points
        inputs = given if points is None else points.inputs(given)
        if not return_std:
            mean = self.fit_.outputs(inputs).mean(0)
            mean = mean if points is None else points.back(given, mean)
            return mean[:, 0] if self.n_outputs_ == 0 else mean
        mean, std = self.fit_.predict(inputs)
        mean = mean if points is None else points.back(given, mean)
        return (mean[:, 0], std[:, 0]) if self.n_outputs_ == 0 else (mean, std)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
