"""Watching a module run: every function of torch that it calls is seen, with the layer in which it is called.

Nothing is compiled or rewritten, so control flow, nested and shared modules and functions outside of layers are all the same. What a
function does to the axes of its arguments is said by its handler; what has none is named, and what it returns is taken as it comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from softsym.errors import InputError
from softsym.groups import Group
from softsym.maps.tensor_map import TensorMap
from softsym.maps.trace.layout import Layout, free, open_axes
from softsym.maps.trace.slots import Content, DisagreementError, fresh, resolved, unify
from softsym.reps import Rep

Answer = Layout | Sequence[Layout | None] | None
Reader = Callable[..., Mapping[str, TensorMap]]


@dataclass(frozen=True)
class Call:
    """A function that was called: its name, arguments and what it returned."""

    name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    out: Any
    where: str

    def get(self, place: int, name: str, default: Any = None) -> Any:
        """An argument by place or name."""
        return self.args[place] if place < len(self.args) else self.kwargs.get(name, default)


@dataclass(frozen=True)
class Use:
    """Parameters of a layer: what they are follows from what some axes carry, once that is known."""

    parameters: tuple[str, ...]
    read: Reader
    contents: tuple[Content, ...]


Handler = Callable[["Recorder", Call], Answer]


@dataclass
class Notes:
    """What was seen beside representations.

    Args:
        unknown: What is not understood: (where, why).
        grids: What does not fit the grid: (where, why).
        parameters: Why a parameter is left alone.
    """

    unknown: list[tuple[str, str]] = field(default_factory=list)
    grids: list[tuple[str, str]] = field(default_factory=list)
    parameters: dict[str, str] = field(default_factory=dict)


class Recorder(TorchFunctionMode):
    """Follows one run of a module.

    Args:
        model: The module.
        groups: The groups.
        handlers: What each function does to axes, by its name.
        moves: Whether groups move pixels.
        given: Representations of inputs (or None) and outputs of named modules.
    """

    def __init__(
        self,
        model: nn.Module,
        groups: Sequence[Group],
        handlers: Mapping[str, Handler],
        moves: bool,
        given: Mapping[str, tuple[Rep | None, Rep]],
    ) -> None:
        super().__init__()
        self.group, self.groups, self.handlers, self.moves = groups[0], groups, handlers, moves
        self.uses: list[Use] = []
        self.notes = Notes()
        self.hidden: dict[str, Content] = {}
        self.buffers: dict[str, Content] = {}
        self.targets: dict[str, Content] = {}
        self.tables: dict[str, Content] = {}
        self.vocabularies: dict[int, Rep] = {}
        self._remembered: dict[str, tuple[Content, ...]] = {}
        self._given = {name: out for name, (_, out) in given.items()}
        self._given_in = {name: rep for name, (rep, _) in given.items() if rep is not None}
        self._stack: list[str] = []
        self._modules = {id(module): name for name, module in model.named_modules()}
        self._names = {id(p): name for name, p in model.named_parameters()}
        self._buffer_names = {id(b): name for name, b in model.named_buffers()}
        self.parameters = {name: open_axes(tuple(p.shape), name) for name, p in model.named_parameters()}
        self._layouts: dict[int, tuple[Tensor, Layout]] = {
            id(p): (p, self.parameters[name]) for name, p in model.named_parameters()
        }

    def run(self, model: nn.Module, inputs: Sequence[Any]) -> Any:
        """Runs the module on inputs whose layouts have been :meth:`put`."""
        hooks: list[Any] = []
        for module in model.modules():
            hooks.append(module.register_forward_pre_hook(self._enter))
            hooks.append(module.register_forward_hook(self._leave, always_call=True))
        try:
            with self, torch.compiler.set_stance("force_eager"):
                return model(*inputs)
        finally:
            for hook in hooks:
                hook.remove()

    @property
    def where(self) -> str:
        """The name of the innermost module that runs; empty for the model itself."""
        return self._stack[-1] if self._stack else ""

    def layout(self, tensor: Any) -> Layout:
        """The axes of a tensor; open ones if it was never seen."""
        if id(tensor) not in self._layouts:
            self.put(tensor, open_axes(tuple(tensor.shape), self.where))
        return self._layouts[id(tensor)][1]

    def seen(self, tensor: Any) -> bool:
        """Whether a tensor comes from the input or from parameters."""
        return isinstance(tensor, Tensor) and id(tensor) in self._layouts

    def put(self, tensor: Tensor, layout: Layout) -> None:
        """Says what the axes of a tensor are."""
        assert tuple(axis.size for axis in layout) == tuple(tensor.shape), (layout, tensor.shape)
        self._layouts[id(tensor)] = (tensor, layout)

    def parameter(self, tensor: Any) -> str | None:
        """The name of a parameter; None if the tensor is something else."""
        return self._names.get(id(tensor))

    def buffer(self, tensor: Any) -> str | None:
        """The name of a buffer; None if the tensor is something else."""
        return self._buffer_names.get(id(tensor))

    def pointwise(self, content: Content, what: str, *, is_norm: bool = False) -> None:
        """Notes that each coordinate is changed by itself."""
        where = f"{what} in {self.where or 'the model'!r}"
        for part in resolved(content):
            places = part.slot.normed if is_norm else part.slot.pointwise
            if where not in places:
                places.append(where)

    def remembered(self, weight: Any, contents: tuple[Content, ...]) -> tuple[Content, ...]:
        """What flows inside a layer: the same as the last time, if the layer is used again."""
        name = self.parameter(weight)
        return contents if name is None else self._remembered.setdefault(name, contents)

    def use(self, tensors: Sequence[Any], read: Reader, *contents: Content) -> None:
        """Notes what parameters of a layer are; tensors that are computed from others are refused by name."""
        names = tuple(name for name in map(self.parameter, tensors) if name)
        for tensor in tensors:
            if tensor is not None and self.parameter(tensor) is None:
                self.notes.unknown.append(
                    (self.where, "has a weight that is computed from others (parametrised)")
                )
        if names:
            self.uses.append(Use(names, read, contents))

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Runs a function and follows its axes."""
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        name = getattr(func, "__name__", str(func))
        if name == "__get__":
            name = f"get_{getattr(getattr(func, '__self__', None), '__name__', '')}"
        tensors = [item for item in _flat((args, kwargs)) if self.seen(item)]
        made = [item for item in _flat(out) if isinstance(item, Tensor)]
        if tensors and made:
            self._follow(Call(name, args, kwargs, out, self.where), tensors, made)
        return out

    def _follow(self, call: Call, tensors: list[Any], made: list[Tensor]) -> None:
        handler = self.handlers.get(call.name) or self.handlers.get(call.name.rstrip("_"))
        try:
            if handler is None:
                raise DisagreementError("is not understood")
            answer = handler(self, call)
        except (DisagreementError, IndexError) as reason:
            self._unknown(call, tensors, str(reason))
            answer = None
        layouts = [answer] if answer is None or not answer or hasattr(answer[0], "role") else list(answer)
        still = all(axis.role == "free" for tensor in tensors for axis in self.layout(tensor))
        for k, tensor in enumerate(made):
            layout = layouts[k] if k < len(layouts) else None
            if (
                layout is None and still
            ):  # nothing of what goes in is moved by groups, so nothing of what comes out is
                layout = tuple(map(free, tensor.shape))
            self.put(tensor, layout or open_axes(tuple(tensor.shape), call.where))  # type: ignore[arg-type]

    def _unknown(self, call: Call, tensors: list[Any], reason: str) -> None:
        """Names a function that is not understood, unless everything about its arguments is open already."""
        for tensor in tensors:
            name = self.parameter(tensor)
            if name:
                self.notes.parameters.setdefault(name, f"{call.name} {reason}")
        if any(axis.role in ("pixel", "carries") for tensor in tensors for axis in self.layout(tensor)):
            self.notes.unknown.append((call.where, f"{call.name} {reason}"))

    def _enter(self, module: nn.Module, args: Any) -> None:
        name = self._modules.get(id(module), type(module).__name__)
        self._stack.append(name)
        if name in self._given_in and args and isinstance(args[0], Tensor):
            self._fit(name, self.layout(args[0]), self._given_in[name], "takes")

    def _leave(self, module: nn.Module, args: Any, out: Any) -> None:
        name = self._stack.pop()
        first = next((item for item in _flat(out) if self.seen(item)), None)
        carried = [] if first is None else [a for a in self.layout(first) if a.role in ("carries", "open")]
        if first is None or name not in self._given:
            if len(carried) == 1 and carried[0].content is not None:
                self.hidden.setdefault(name, carried[0].content)
            return
        self.hidden.setdefault(name, self._fit(name, self.layout(first), self._given[name], "gives"))

    def _fit(self, name: str, layout: Layout, rep: Rep, verb: str) -> Content:
        """Makes what goes into a module, or comes out of it, what a person says it is."""
        size = rep.size(self.group)
        fitting = [axis for axis in layout if axis.role in ("carries", "open") and axis.size == size]
        if not fitting:
            shape = tuple(axis.size for axis in layout)
            raise InputError(
                f"`reps` says that {name!r} {verb} {rep} of size {size}, which is no axis of {shape}"
            )
        try:
            unify(fitting[-1].carry(name), fresh(size, name, rep), self.group)
        except DisagreementError as error:
            raise InputError(
                f"`reps` says that {name!r} {verb} {rep}, which does not fit: {error}"
            ) from error
        return fitting[-1].carry()


def _flat(value: Any) -> Iterator[Any]:
    """Everything in nested tuples, lists and dicts."""
    if isinstance(value, tuple | list):
        for item in value:
            yield from _flat(item)
    elif isinstance(value, Mapping):
        yield from _flat(list(value.values()))
    else:
        yield value
