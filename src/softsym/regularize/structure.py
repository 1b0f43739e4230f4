"""Which parameter of a model is which linear map.

A regularizer sees parameters with representations, not layer classes. A model says so itself through a ``representations()`` method
(the project's networks do), or a person says so, or it is read off a single linear layer or a chain of linear layers with pointwise
nonlinearities between them, whose hidden representations are proposed by width.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from torch import nn

from softsym.errors import InputError
from softsym.groups import Group, joined
from softsym.nn import ParameterRep
from softsym.reps import Rep, hidden_rep
from softsym.reps import rep as read_rep

GivenReps = Mapping[str, tuple[Rep | str, Rep | str]] | Sequence[Rep | str]
POINTWISE = (
    nn.ReLU, nn.LeakyReLU, nn.GELU, nn.SiLU, nn.Tanh, nn.Sigmoid, nn.ELU, nn.Softplus, nn.Mish, nn.Identity, nn.Dropout,
)  # fmt: skip


@runtime_checkable
class HasRepresentations(Protocol):
    """A model that knows its representations."""

    def representations(self) -> dict[str, ParameterRep]:
        """The map each named parameter is."""


def structure(
    model: nn.Module,
    groups: Sequence[Group],
    rep_in: Rep | str | None,
    rep_out: Rep | str | None,
    reps: GivenReps | None,
) -> dict[str, ParameterRep]:
    """The map each regularised parameter is, by its name in the model.

    Args:
        model: The model.
        groups: The candidate groups.
        rep_in: Representation of the input; not needed if the model knows it.
        rep_out: Representation of the output; not needed if the model knows it.
        reps: Either {layer name: (rep_in, rep_out)} for chosen linear layers, or the hidden representations of a chain.
    """
    if isinstance(reps, Mapping):
        found = _given(model, reps)
    elif isinstance(model, HasRepresentations) and reps is None:
        found = model.representations()
    else:
        found = _chain(model, groups, rep_in, rep_out, reps)
    for name, parameter_rep in found.items():
        _check(name, tuple(model.get_parameter(name).shape), parameter_rep, groups)
    return found


def _given(model: nn.Module, reps: Mapping[str, tuple[Rep | str, Rep | str]]) -> dict[str, ParameterRep]:
    linears = {name for name, module in model.named_modules() if isinstance(module, nn.Linear)}
    found: dict[str, ParameterRep] = {}
    for layer, (source, target) in reps.items():
        if layer not in linears:
            known = ", ".join(sorted(name or "''" for name in linears)) or "none"
            raise InputError(
                f"`reps` names {layer!r}, which is not a linear layer of the model (linear layers: {known})"
            )
        found |= _linear(model.get_submodule(layer), layer, read_rep(source), read_rep(target))
    return found


def _chain(
    model: nn.Module,
    groups: Sequence[Group],
    rep_in: Rep | str | None,
    rep_out: Rep | str | None,
    hidden: Sequence[Rep | str] | None,
) -> dict[str, ParameterRep]:
    linears = _linear_chain(model)
    if rep_in is None or rep_out is None:
        raise InputError("pass `rep_in` and `rep_out`: this model does not know its representations")
    if hidden is None:
        largest = joined(groups)
        proposed = [hidden_rep(linear.out_features, largest) for _, linear in linears[:-1]]
    else:
        proposed = [read_rep(item) for item in hidden]
    if len(proposed) != len(linears) - 1:
        raise InputError(
            f"{len(linears)} linear layers have {len(linears) - 1} hidden representations, got {len(proposed)}"
        )
    sources = [read_rep(rep_in), *proposed]
    targets = [*proposed, read_rep(rep_out)]
    found: dict[str, ParameterRep] = {}
    for (name, linear), source, target in zip(linears, sources, targets, strict=True):
        found |= _linear(linear, name, source, target)
    return found


def _linear_chain(model: nn.Module) -> list[tuple[str, nn.Linear]]:
    if isinstance(model, nn.Linear):
        return [("", model)]
    if isinstance(model, nn.Sequential):
        odd = [
            type(m).__name__
            for m in model
            if not isinstance(m, nn.Linear | nn.Flatten) and not isinstance(m, POINTWISE)
        ]
        found = [(name, m) for name, m in model.named_children() if isinstance(m, nn.Linear)]
        if not odd and found:
            return found
        raise InputError(
            f"cannot read representations off nn.Sequential with {', '.join(odd) or 'no linear layer'}; "
            "pass reps={'layer name': (rep_in, rep_out), ...}"
        )
    raise InputError(
        f"cannot read representations off {type(model).__name__}; give it a `representations()` method or pass "
        "reps={'layer name': (rep_in, rep_out), ...}"
    )


def _linear(layer: nn.Module, name: str, source: Rep, target: Rep) -> dict[str, ParameterRep]:
    prefix = f"{name}." if name else ""
    found = {f"{prefix}weight": ParameterRep(name or "linear", target, source)}
    if layer.bias is not None:
        found[f"{prefix}bias"] = ParameterRep(name or "linear", target, None)
    return found


def _check(name: str, shape: tuple[int, ...], found: ParameterRep, groups: Sequence[Group]) -> None:
    for group in groups:
        reps = [rep for rep in (found.rep_out, found.rep_in) if rep is not None]
        try:
            sizes = tuple(rep.size(group) for rep in reps)
        except InputError as error:
            raise InputError(
                f"parameter {name!r}: {group.name} cannot act on its representation: {error}"
            ) from error
        if sizes != shape:
            route = " <- ".join(map(str, reps))
            raise InputError(
                f"parameter {name!r} has shape {shape}, but {route} under {group.name} has {sizes}"
            )
