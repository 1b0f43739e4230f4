r"""The equivariance error of a function, under finite and infinitesimal transforms.

How far a function :math:`f` is from commuting with a group, at a sample x and an element g:

.. math:: \frac{|\rho_{out}(g) f(x) - f(\rho_{in}(g) x)|}{|\rho_{out}(g) f(x)| + |f(\rho_{in}(g) x)|} \in [0, 1] .

Zero for all x and g means exactly equivariant. The mean over samples and elements is *the* equivariance error; with the product of
the two norms below instead of their sum it is the one printed in the paper, whose published numbers are nevertheless sums.

The Lie derivative of a function is its error under an infinitesimal motion. For a generator A of the Lie algebra,

.. math::
    L_A f(x) = \frac{d}{dt}\Big|_{t=0} \rho_{out}(e^{-tA})\, f(\rho_{in}(e^{tA}) x)
             = J_f(x)\, d\rho_{in}(A)\, x - d\rho_{out}(A)\, f(x) .

It vanishes for all generators iff f is equivariant to the continuous part of the group.

Reference:
    Regularizing Towards Soft Equivariance Under Mixed Symmetries (Kim et al., 2023), https://arxiv.org/abs/2306.00356
    The Lie Derivative for Measuring Learned Equivariance (Gruver et al., 2022), https://arxiv.org/abs/2210.02984
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softsym.arrays import read_numbers
from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.metrics.transform import act, check_samples, torch_of, transforms
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.reps.atoms import Element, lie_elements
from softsym.typing import Array

if TYPE_CHECKING:
    from torch import Tensor, nn

Function = Callable[[Any], Any]
NORMALIZATIONS = ("sum", "product", "none")
ROWS = 16_384  # evaluated in one call
VIOLATION_ROWS, VIOLATION_ELEMENTS = 250, 4  # training inputs and group elements over which a violation is averaged


def equivariance_error(
    f: Function,
    x: Any,
    rep_in: Rep | str,
    rep_out: Rep | str,
    G: Group | str,
    n_transforms: int = 10,
    normalize: str = "sum",
    seed: int | np.random.Generator = 0,
    sampler: str = "haar",
    chunk: int | None = None,
) -> float:
    """The mean equivariance error of a function over samples and group elements; arguments as in :func:`equivariance_errors`.

    Of a data set's true target without noise it is the data error.

    Example:
        >>> import numpy as np
        >>> x = np.random.default_rng(0).standard_normal((100, 3))
        >>> round(equivariance_error(lambda x: 2 * x, x, "V", "V", "O(3)"), 6)
        0.0
        >>> equivariance_error(np.abs, x, "V", "V", "O(3)") > 0.1
        True
    """
    errors = equivariance_errors(f, x, rep_in, rep_out, G, n_transforms, normalize, seed, sampler, chunk)
    return float(errors.mean())


data_error = equivariance_error


def equivariance_errors(
    f: Function,
    x: Any,
    rep_in: Rep | str,
    rep_out: Rep | str,
    G: Group | str,
    n_transforms: int = 10,
    normalize: str = "sum",
    seed: int | np.random.Generator = 0,
    sampler: str = "haar",
    chunk: int | None = None,
) -> Array:
    """The equivariance error of a function at every sample and group element.

    Args:
        f: Maps rows (m, size of ``rep_in``) to rows (m, size of ``rep_out``), each by itself: a torch module or any function. It is
            given what ``x`` is: an array or a tensor of that dtype and device. A module is evaluated in eval mode, without
            gradients, and then put back in the mode it was in.
        x: Samples (n, size of ``rep_in``).
        rep_in: Representation of the input.
        rep_out: Representation of the output.
        G: The group.
        n_transforms: How many elements; each transforms all samples.
        normalize: Divide by the ``sum`` of the two norms, by their ``product``, or by nothing (``none``). Zero over zero is zero.
        seed: Seed or generator of the elements.
        sampler: ``haar``, or ``gaussian`` for the published code's draw.
        chunk: How many elements to treat at once; by default so many that ``f`` gets at most 16,384 rows, and at least one.

    Returns:
        Errors (n_transforms, n).

    Example:
        >>> import numpy as np
        >>> x = np.random.default_rng(0).standard_normal((100, 3))
        >>> equivariance_errors(np.abs, x, "V", "V", "O(3)", n_transforms=5).shape
        (5, 100)
    """
    source, target, group = read_rep(rep_in), read_rep(rep_out), read_group(G)
    if normalize not in NORMALIZATIONS:
        raise InputError(f"unknown normalisation {normalize!r}; pass 'sum', 'product' or 'none'")
    x = check_samples(x, source, group, "rep_in", "x")
    if not len(x):
        raise InputError("`x` has no samples; pass at least one row")
    if chunk is not None and chunk < 1:
        raise InputError(f"`chunk` must be at least 1, got {chunk}")
    elements = transforms(group, n_transforms, seed, sampler)
    step = chunk or max(1, ROWS // len(x))
    errors = []
    with evaluation(f):
        y = check_outputs(f(x), len(x), target, group)
        for start in range(0, n_transforms, step):
            some = [part[start : start + step] for part in elements]
            transformed = act(source, group, some, x).reshape(-1, x.shape[1])
            after = check_outputs(f(transformed), len(transformed), target, group)
            before = act(target, group, some, y)
            errors.append(_errors(before, after.reshape(before.shape), normalize))
    return np.concatenate(errors)


@dataclass(frozen=True, eq=False)
class Violations:
    r"""Measures the violation of every candidate group: its equivariance error relative to the error of the model itself.

    For a group k, with v the model's mean squared error on validation rows and

    .. math:: E_k = \mathrm{mean}\, |f(g x) - g f(x)|^2 \,/\, \text{outputs}

    over training inputs x and elements g, the violation is :math:`E_k / 2v`. Two predictions that both miss the same truth by v
    differ by 2v: up to a violation of one, the model's errors explain it and the data may have the symmetry. Weights cannot show that:
    under a strong penalty those of all groups end at nearly the same small distance.
    """

    rep_in: Rep  # representation of the input
    rep_out: Rep  # representation of the output
    groups: tuple[Group, ...]  # the candidates
    train: tuple[Tensor, Tensor]  # training data
    val: tuple[Tensor, Tensor]  # validation data
    # from a model's outputs to what is compared with the truth, as softmax for classes
    link: Callable[[Tensor], Tensor] = lambda outputs: outputs

    def __call__(self, model: nn.Module, seed: int) -> dict[str, float]:
        """Violations by group; the elements are drawn by the seed. The model is left in eval mode."""
        first = next(model.parameters())
        model.eval()
        x, y = (values.to(first) for values in self.val)
        with evaluation(model):
            error = float((self.link(model(x)) - y).square().mean())
        inputs = self.train[0][:VIOLATION_ROWS].to(first)

        def f(rows: Tensor) -> Tensor:
            return self.link(model(rows))

        violations = {}
        for group in self.groups:
            gaps = equivariance_errors(f, inputs, self.rep_in, self.rep_out, group, VIOLATION_ELEMENTS, "none", seed)
            violations[group.name] = float((gaps**2).mean()) / y.shape[1] / max(2 * error, 1e-300)
        return violations


@contextlib.contextmanager
def evaluation(f: object) -> Iterator[None]:
    """No gradients, and modules in eval mode; afterwards every submodule is back in the mode it was in."""
    torch = sys.modules.get("torch")
    if torch is None:  # then `f` cannot need it
        yield
        return
    network = f if isinstance(f, torch.nn.Module) else torch.nn.Identity()
    modes = [(module, module.training) for module in network.modules()]
    try:
        network.eval()
        with torch.no_grad():
            yield
    finally:
        network.train(modes[0][1])
        for module, mode in modes:  # parts may have been in another mode than the whole
            module.training = mode


def check_outputs(y: Any, rows: int, rep_out: Rep, group: Group) -> Any:
    """Outputs of a function as (rows, size), checked; one number per row may come without the last axis."""
    size = rep_out.size(group)
    y = y if torch_of(y) is not None else np.asarray(y)
    shape = tuple(y.shape)
    if shape == (rows,) and size == 1:
        y = y[:, None]
    elif shape != (rows, size):
        raise InputError(
            f"`rep_out` has size {size}, got an output of shape {shape} for {rows} rows; `f` must return ({rows}, {size}) for {rep_out}"
        )
    return check_samples(y, rep_out, group, "rep_out", "f(x)")


def relative_error(a: Any, b: Any) -> Array:
    """|a - b| / (|a| + |b|) over the last axis, between 0 and 1; zero over zero is zero.

    Args:
        a: Values (..., size), arrays or tensors.
        b: As many.

    Returns:
        Errors (...), in float64.

    Example:
        >>> import numpy as np
        >>> relative_error(np.array([[3.0, 0.0], [0.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 0.0]])).round(9).tolist()
        [0.5, 0.0]
    """
    return _errors(a, b, "sum")


def _errors(before: Any, after: Any, normalize: str) -> Array:
    before, after = read_numbers(before, "a"), read_numbers(after, "b")
    if normalize == "product":
        unit: Any = 1.0
    else:  # squares of very large or small numbers are none, so norms are taken in units of the largest
        unit = np.maximum(np.abs(before).max(axis=-1, initial=0.0), np.abs(after).max(axis=-1, initial=0.0))
        unit = np.where(unit > 0, unit, 1.0)[..., None]
    before, after = before / unit, after / unit
    gap = np.linalg.norm(before - after, axis=-1)
    if normalize == "none":
        return np.asarray(gap * unit[..., 0])
    first, second = np.linalg.norm(before, axis=-1), np.linalg.norm(after, axis=-1)
    scale = first + second if normalize == "sum" else first * second
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((gap == 0) & (scale == 0), 0.0, gap / scale)


@dataclass(frozen=True)
class LieError:
    """The mean size of the Lie derivative.

    Args:
        per_generator: One number for each row of ``G.lie_algebra``.
    """

    per_generator: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean over the generators."""
        return float(np.mean(self.per_generator))

    def __float__(self) -> float:
        return self.mean


def lie_derivative_error(
    f: Callable[[Tensor], Tensor],
    x: Tensor,
    rep_in: Rep | str,
    rep_out: Rep | str,
    G: Group | str,
    normalize: str = "output",
) -> LieError:
    r"""The mean of :math:`|L_A f(x)| / |f(x)|` over samples, for each generator A scaled to operator norm one.

    For a small motion :math:`e^{tA}` of an orthogonal group, t/2 times this number is the sum-normalised equivariance error.

    Arguments are as in :func:`equivariance_errors`, but ``f`` is a torch function or module, ``x`` a tensor, ``G`` has a continuous part,
    and ``normalize`` divides by ``output``, the norm of f(x) (zero over zero is zero), or by nothing (``none``).

    Example:
        >>> import torch
        >>> x = torch.randn(100, 3, generator=torch.Generator().manual_seed(0))
        >>> error = lie_derivative_error(lambda x: x * torch.tensor([1.0, 1.0, 2.0]), x, "V", "V", "SO(3)")
        >>> [round(value, 2) for value in error.per_generator]
        [0.0, 0.59, 0.57]
    """
    source, target, group = read_rep(rep_in), read_rep(rep_out), read_group(G)
    if normalize not in ("output", "none"):
        raise InputError(f"unknown normalisation {normalize!r}; pass 'output' or 'none'")
    if torch_of(x) is None:
        raise InputError(f"a derivative needs a torch tensor, got `x` as {type(x).__name__}; pass torch.as_tensor(x)")
    if not group.lie:
        raise InputError(f"{group.name} has no continuous part; use equivariance_error")
    x = check_samples(x.detach(), source, group, "rep_in", "x")
    if not len(x):
        raise InputError("`x` has no samples; pass at least one row")
    from softsym.regularize.sample import differentiate  # with torch, which the other functions do not need

    with evaluation(f):
        y = check_outputs(f(x), len(x), target, group)
        sizes = []
        for A in lie_elements(group):
            tangent = _infinitesimal(source, group, A, x)
            derivative = check_outputs(differentiate(f, x, tangent)[1], len(x), target, group)
            size = (derivative - _infinitesimal(target, group, A, y)).norm(dim=1)
            if normalize == "output":
                size = (size / y.norm(dim=1)).where(size != 0, 0.0)
            sizes.append(float(size.mean()) / float(np.linalg.norm(A.whole, 2)))
    return LieError(tuple(sizes))


def _infinitesimal(rep: Rep, group: Group, A: Element, x: Tensor) -> Tensor:
    """d_rho(A) x for samples x (n, size), block by block."""
    out = x.new_zeros(x.shape)
    for segment in rep.segments(group):
        block, columns = (segment.copies, segment.size), slice(segment.start, segment.stop)
        out[:, columns] = (x[:, columns].unflatten(1, block) @ x.new_tensor(segment.type.drho(group, A).T)).flatten(1)
    return out
