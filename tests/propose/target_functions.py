"""Target functions of known algebras, in any frame, for the tests of proposals."""

import numpy as np

import softsym as ss

ETA = np.diag([1.0, -1.0, -1.0, -1.0])


def dot(a, b, form=None):
    return np.sum((a if form is None else a @ form) * b, axis=1, keepdims=True)


TARGETS = {
    "cross product": ("2V", "V", 3, lambda X: np.cross(X[:, :3], X[:, 3:]), "so(3)"),
    "four-vectors": (
        "2V",
        "S",
        4,
        lambda X: dot(X[:, :4], X[:, 4:], ETA) + 0.3 * dot(X[:, :4], X[:, :4], ETA),
        "so(1,3)",
    ),
    "signed area": ("2V", "S", 2, lambda X: np.sin(X[:, :1] * X[:, 3:] - X[:, 1:2] * X[:, 2:3]), "sl(2)"),
    "along z": ("V", "V", 3, lambda X: X * [1.0, 1.0, 2.0] + dot(X, X) * [0.0, 0.0, 0.3], "so(2)"),
    "nothing": (
        "V",
        "S",
        3,
        lambda X: X[:, :1] * X[:, 1:2] + X[:, 2:] ** 2 + X[:, :1] ** 3 + 0.5 * X[:, 1:2] ** 3,
        "none",
    ),
}


def rows(name, n, noise, seed=0, rotated=False):
    """Inputs, outputs, texts of both representations, and the frame."""
    rep_in, rep_out, d, function, _ = TARGETS[name]
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.standard_normal((d, d)))[0] if rotated else np.eye(d)
    source, target = (ss.rep(text).rho(ss.Trivial(d), Q) for text in (rep_in, rep_out))
    X = rng.standard_normal((n, len(source)))
    Y = function(X @ source) @ target.T
    return X, Y + noise * Y.std() * rng.standard_normal(Y.shape), rep_in, rep_out, Q
