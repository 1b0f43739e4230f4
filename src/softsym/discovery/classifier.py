"""The classifier: classes are invariant under every candidate group."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d

from softsym.arrays import encode_labels, validate
from softsym.discovery.estimator import SoftEquivariantEstimator
from softsym.discovery.fit_data import Target
from softsym.errors import InputError
from softsym.reps import Scalar
from softsym.reps import rep as read_rep
from softsym.typing import Array


class SoftEquivariantClassifier(ClassifierMixin, SoftEquivariantEstimator):  # type: ignore[misc]
    """A classifier with invariant classes that finds which symmetries its data have; arguments and attributes as the regressor's.

    The evidence, ridge and kernel ridge regression and Gaussian processes see classes as ones and zeros. Models are compared by their log
    loss, which ``baselines_`` shows, too.

    Example:
        >>> import numpy as np, softsym as ss
        >>> X = np.random.default_rng(0).standard_normal((200, 3))
        >>> y = np.where((X**2).sum(1) > 2, "far", "near")
        >>> small = ss.discovery.NetworkConfig(width=8, layers=2, epochs=5, seeds=1)
        >>> est = ss.SoftEquivariantClassifier("V", groups=["O(3)"], network=small).fit(X, y)
        >>> est.predict_proba(X[:2]).shape
        (2, 2)
    """

    _target = Target.CLASSES

    def _read(self, X: Any, y: Any) -> tuple[Array, Array]:
        X, y = validate(self, X, y, ensure_min_samples=2)
        try:
            kind = type_of_target(y)
        except TypeError:  # labels that cannot be sorted, or bytes
            kind = "unknown"
        encode_labels(list(np.ravel(y)), "`y`")  # refuses missing ones
        if kind == "unknown":
            types = sorted({type(label).__name__ for label in np.ravel(y)})
            raise InputError(
                f"Unknown label type: `y` must hold classes, got {' and '.join(types)}; pass them as texts, str(...) of each"
            )
        check_classification_targets(y)
        y = column_or_1d(y, warn=True)
        if type_of_target(y) == "continuous":
            raise InputError("`y` must hold classes, got continuous numbers; use SoftEquivariantRegressor for them")
        binarizer = LabelBinarizer().fit(y)
        self.classes_ = binarizer.classes_
        if len(self.classes_) < 2:
            raise InputError(f"`y` has one class only ({self.classes_[0]!r}); at least two are needed")
        if self.rep_out is not None and read_rep(self.rep_out) != len(self.classes_) * Scalar:
            raise InputError(
                f"classes are invariant: leave `rep_out` out, or pass '{len(self.classes_)}S' for {len(self.classes_)} classes"
            )
        one_hot = binarizer.transform(y).astype(np.float64)
        if one_hot.shape[1] == 1:
            one_hot = np.hstack([1 - one_hot, one_hot])
        return np.asarray(X), one_hot

    def column_names(self) -> tuple[list[str], list[str]]:
        """Names of inputs and classes."""
        return super().column_names()[0], [str(name) for name in self.classes_]

    def predict_proba(self, X: ArrayLike) -> Array:
        """Probabilities of the classes, (n, classes)."""
        inputs = self._inputs(X)[1]  # first, as it refuses what was not fitted
        return self.fit_.predict(inputs)

    def predict(self, X: ArrayLike) -> Any:
        """The most probable classes, (n,)."""
        best = self.predict_proba(X).argmax(1)
        return self.classes_[best]
