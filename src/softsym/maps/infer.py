r"""Which parameter of a model is which map.

A model gives its maps itself through a ``representations()`` method (:class:`~softsym.nn.SoftMLP` does), or the user gives them by layer or
parameter, or they are read off a chain of linear layers. Any other module is run once on an example and traced
(:mod:`softsym.maps.trace`): the representations of input and output are given, those in between are inferred by unification, and proposed
where they stay undetermined (:mod:`softsym.maps.proposer`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor, nn

from softsym.errors import InputError
from softsym.groups import Group, read_groups
from softsym.maps.families import RULES, layer_maps
from softsym.maps.families.linear import chain_maps, is_chain
from softsym.maps.inputs import convolution_dims, examples, groups_act_on_pixels, input_layout, restore_after
from softsym.maps.proposer import Hidden, Proposer, build_proposal
from softsym.maps.tensor_map import KnowsRepresentations, Proposal, TensorMap
from softsym.maps.trace.shapes import merge_axes
from softsym.maps.trace.tracer import Tracer
from softsym.maps.trace.unify import TraceError, new_variable, open_axes, unify
from softsym.reps import Rep
from softsym.reps import rep as read_rep

Override = Rep | str | tuple[Rep | str, Rep | str] | TensorMap
GivenReps = Mapping[str, Override] | Sequence[Rep | str]


def parameter_maps(
    model: nn.Module,
    groups: Sequence[Group],
    rep_in: Rep | str | None = None,
    rep_out: Rep | str | None = None,
    reps: GivenReps | None = None,
) -> Proposal:
    """The map of each parameter of a model, by its name, checked against its shape.

    Args:
        model: The model.
        groups: The candidate groups.
        rep_in: Representation of the input; not needed if the model knows it.
        rep_out: Representation of the output; not needed if the model knows it.
        reps: A proposal of :func:`~softsym.infer_reps`; or the hidden representations of a chain; or {layer name: (rep_in, rep_out)} and
            {parameter name: its map}: together with ``rep_in`` and ``rep_out`` they override the proposal for these layers, without
            them nothing else is regularised.

    Example:
        >>> import softsym as ss, torch
        >>> maps = parameter_maps(torch.nn.Linear(6, 3), [ss.O(3)], "2V", "V")
        >>> {name: str(tensor_map) for name, tensor_map in maps.items()}
        {'weight': '2V -> V', 'bias': 'V'}
    """
    _check_initialized(model)
    proposal = _propose(model, groups, rep_in, rep_out, reps)
    parameters = dict(model.named_parameters(remove_duplicate=False))
    for name, tensor_map in proposal.items():
        if name not in parameters:
            raise InputError(
                f"{name!r} is no parameter of the model (a parametrised weight is computed from others, which are left alone)"
            )
        tensor_map.check(name, parameters[name].shape, groups)
    return proposal


def _propose(
    model: nn.Module,
    groups: Sequence[Group],
    rep_in: Rep | str | None,
    rep_out: Rep | str | None,
    reps: GivenReps | None,
) -> Proposal:
    if isinstance(reps, Proposal):
        return reps
    if isinstance(reps, Mapping) and rep_in is not None and rep_out is not None:
        return infer_reps(model, rep_in, rep_out, groups, reps)
    if isinstance(reps, Mapping):
        return Proposal(_read_given(model, reps, groups))
    if isinstance(model, KnowsRepresentations) and reps is None:
        return Proposal(dict(model.representations()))
    if reps is not None or is_chain(model) or rep_in is None or rep_out is None:
        return Proposal(chain_maps(model, groups, rep_in, rep_out, reps))
    return infer_reps(model, rep_in, rep_out, groups)


def _read_given(
    model: nn.Module, reps: Mapping[str, Override], groups: Sequence[Group]
) -> dict[str, TensorMap]:
    """The maps of chosen layers and parameters, in the order in which they were given."""
    parameters = dict(model.named_parameters())
    maps: dict[str, TensorMap] = {}
    for name, given in reps.items():
        if isinstance(given, tuple):
            maps |= layer_maps(model, name, *given, groups)
        elif not isinstance(given, TensorMap):
            raise InputError(
                f"`reps` says what {name!r} gives; pass `rep_in` and `rep_out`, too, or (rep_in, rep_out)"
            )
        elif name in parameters:
            maps[name] = given
        else:
            raise InputError(f"`reps` names {name!r}, which is not among the parameters {list(parameters)}")
    return maps


def layer_of(model: nn.Module, parameter: str) -> str:
    """The name of the layer that holds a parameter; for the model itself, its class.

    Example:
        >>> import torch
        >>> layer_of(torch.nn.Linear(3, 3), "weight")
        'linear'
    """
    return parameter.rpartition(".")[0] or type(model).__name__.lower()


def _check_initialized(model: nn.Module) -> None:
    """Refuses lazy layers, whose shapes are not known yet."""
    for name, parameter in model.named_parameters():
        if isinstance(parameter, nn.parameter.UninitializedParameter):
            raise InputError(
                f"{name!r} has no shape yet (a lazy layer); run the model once on an input before"
            )


def infer_reps(
    model: nn.Module,
    rep_in: Rep | str,
    rep_out: Rep | str,
    groups: Group | str | Sequence[Group | str],
    reps: Mapping[str, Override] | None = None,
    *,
    example: Tensor | Sequence[Any] | None = None,
    moves_grid: bool | None = None,
    hidden: Hidden = "scalars",
) -> Proposal:
    """Proposes a map for every parameter of a module.

    Args:
        model: Any module; it is run once and left unchanged.
        rep_in: Representation of the input. Of images: of the whole image, ``"3Grid(32,32)"``, or of its channels, ``"3S"``. Of
            sequences: of one element, or of all one after the other.
        rep_out: Representation of the output, likewise.
        groups: The candidate groups.
        reps: Representations that you choose: {module name: representation of its output}, {module name: (of its input, of its
            output)}, {parameter name: its map}.
        example: An input to run on (or several, in a tuple); needed only where none can be guessed from ``rep_in``.
        moves_grid: Whether groups act on pixels. By default they do if ``rep_in`` is a whole image, or if they act on a space of as many
            dimensions as convolutions work in.
        hidden: For continuous groups, the representation of numbers that go through a pointwise nonlinearity: ``"scalars"``, or
            ``"mixed"``: scalars, vectors and tensors, on which the nonlinearity breaks the symmetry.

    Example:
        >>> import softsym as ss, torch
        >>> model = torch.nn.Sequential(torch.nn.Conv2d(1, 8, 3), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1),
        ...                             torch.nn.Flatten(), torch.nn.Linear(8, 10))
        >>> print(ss.infer_reps(model, "S", "10S", ["C(4)", "O(1)@2[0]"]))
        0.weight  S * Grid(3,3) -> Regular(D(4))
        0.bias    Regular(D(4))
        4.weight  Regular(D(4)) -> 10S
        4.bias    10S
    """
    _check_initialized(model)
    acting = read_groups(groups)
    proposer = Proposer(tuple(acting), hidden)
    source, target = read_rep(rep_in), read_rep(rep_out)
    for group in acting:
        source.size(group)
        target.size(group)
    given = dict(reps or {})
    names = {name for name, _ in model.named_modules()} | {name for name, _ in model.named_parameters()}
    for name in given:
        if name not in names:
            raise InputError(f"`reps` names {name!r}, which is neither a module nor a parameter of the model")
    maps = {name: each for name, each in given.items() if isinstance(each, TensorMap)}
    ends = {name: _read_ends(each) for name, each in given.items() if not isinstance(each, TensorMap)}
    on_pixels = groups_act_on_pixels(model, source, acting) if moves_grid is None else moves_grid
    tracer = _trace(model, source, target, acting, on_pixels, ends, example)
    return build_proposal(model, tracer, proposer, maps)


def _read_ends(given: Rep | str | tuple[Rep | str, Rep | str]) -> tuple[Rep | None, Rep]:
    if isinstance(given, tuple):
        return read_rep(given[0]), read_rep(given[1])
    return None, read_rep(given)


def _trace(
    model: nn.Module,
    rep_in: Rep,
    rep_out: Rep,
    groups: list[Group],
    on_pixels: bool,
    given: Mapping[str, tuple[Rep | None, Rep]],
    example: Tensor | Sequence[Any] | None,
) -> Tracer:
    """Traces the model on the example, or on the first guess on which it runs."""
    guesses = examples(model, rep_in, groups[0])
    if example is not None:
        guesses = iter([(example,) if isinstance(example, Tensor) else tuple(example)])
    reason: Exception | None = None
    shapes: list[str] = []
    for inputs in guesses:
        tracer = Tracer(model, groups, RULES, on_pixels, given)
        try:
            with restore_after(model):
                _set_inputs(tracer, model, inputs, rep_in)
                out = tracer.run(model, inputs)
        except InputError:
            raise
        except Exception as error:  # a model may raise anything on an input of a wrong shape
            reason, shapes = reason or error, [*shapes, str(tuple(inputs[0].shape))]
            continue
        _unify_output(tracer, out, rep_out)
        return tracer
    raise InputError(
        f"the model does not run on inputs of shape {', '.join(shapes)} ({reason}); pass an input as `example`"
    ) from reason


def _set_inputs(tracer: Tracer, model: nn.Module, inputs: Sequence[Any], rep: Rep) -> None:
    first = inputs[0]
    if first.is_floating_point():
        dims = convolution_dims(model)
        tracer.set_layout(first, input_layout(first, rep, tracer.group, tracer.acts_on_pixels, dims))
    else:
        tracer.vocabularies[rep.size(tracer.group)] = rep
    for other in inputs[1:]:
        if isinstance(other, Tensor):
            tracer.set_layout(other, open_axes(tuple(other.shape), "input"))


def _unify_output(tracer: Tracer, out: Any, rep: Rep) -> None:
    """Unifies the channels of the output with its representation."""
    first = out[0] if isinstance(out, tuple | list) else out
    if not isinstance(first, Tensor):
        raise InputError(f"the model gives a {type(first).__name__}; softsym reads models that give a tensor")
    layout, size = tracer.layout(first), rep.size(tracer.group)
    channels = [axis for axis in layout if axis.size == size and axis.role in ("channel", "open")]
    try:
        if channels:
            unify(channels[-1].channels("output"), new_variable(size, "output", rep), tracer.group)
        elif math.prod(first.shape[1:]) == size > 1:
            unify(merge_axes(layout[1:]).channels("output"), new_variable(size, "output", rep), tracer.group)
        elif size > 1:
            raise TraceError("no axis has that size")
    except TraceError as error:
        shape = tuple(first.shape)
        raise InputError(
            f"`rep_out` is {rep} of size {size}, the model gives shape {shape}: {error}"
        ) from error
