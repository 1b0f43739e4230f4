"""Small fitted estimators that tests share."""

import contextlib
import functools

import numpy as np
import pytest

import softsym as ss


def rows(n=240, seed=0):
    """Vectors and a target that is exactly O(2)@z-equivariant: twice the vector plus a push along z."""
    X = np.random.default_rng(seed).standard_normal((n, 6))
    Y = X[:, :3] + 0.5 * X[:, 3:] + np.array([0.0, 0.0, 1.0])
    return X, Y


def estimator(**changes):
    fields = {"model": "network", "width": 27, "layers": 2, "epochs": 60, "seeds": 2, "strength": 10.0} | changes
    shape = {"rep_in": "2V", "rep_out": "V", "groups": ["O(2)@x", "O(2)@z"]}
    return ss.SoftEquivariantRegressor.from_parameters(shape | fields)


@functools.cache
def fitted():
    """One fit for all tests; nobody may change it."""
    return estimator().fit(*rows())


@contextlib.contextmanager
def interrupted(stop):
    """Fits ask this function after every epoch, as they ask whether Ctrl-C was pressed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("softsym.discovery.estimator.run_interruptible", lambda work: work(stop))
        yield
