"""Tracing a module: every torch function that it calls is intercepted, together with the layer in which it is called.

Nothing is compiled or rewritten, so control flow, nested and shared modules and functions outside of layers need no special treatment. A
rule by name says what a function does to the axes of its arguments; functions without a rule are reported, and their outputs are open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from softsym.errors import InputError
from softsym.groups import Group
from softsym.maps.tensor_map import TensorMap
from softsym.maps.trace.unify import Layout, Term, TraceError, free_axes, new_variable, open_axes, substitute, unify
from softsym.reps import Rep

Output = Layout | Sequence[Layout | None] | None
Reader = Callable[..., TensorMap]
Inputs = Sequence[Any] | Mapping[str, Any]

SUMS = ("sum", "mean")  # functions that make inner products of elementwise products
WRITING = ("__setitem__", "__iadd__", "__isub__", "__imul__", "__itruediv__")
"""Functions that change their first argument, next to those whose names end in one underscore."""
LEAVING = ("item", "tolist", "numpy", "__array__", "__bool__", "__float__", "__int__")
"""Functions whose results are no tensors and cannot be traced."""


@dataclass(frozen=True)
class Call:
    """A function call: name, arguments, return value, and the module in which it happened."""

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    out: Any
    where: str

    def get(self, place: int, name: str, default: Any = None) -> Any:
        """An argument by place or name."""
        return self.args[place] if place < len(self.args) else self.kwargs.get(name, default)


@dataclass(frozen=True)
class Use:
    """A use of a parameter: ``read`` gives its map, once the representations of ``terms`` are known."""

    parameter: str
    read: Reader
    terms: tuple[Term, ...]


Rule = Callable[["Tracer", Call], Output]


class Tracer(TorchFunctionMode):
    """Traces one run of a module."""

    def __init__(
        self,
        model: nn.Module,
        groups: Sequence[Group],
        rules: Mapping[str, Rule],
        acts_on_pixels: bool,
        given: Mapping[str, tuple[Rep | None, Rep]],
    ) -> None:
        super().__init__()
        self.group, self.groups, self.rules, self.acts_on_pixels = groups[0], groups, rules, acts_on_pixels
        self.uses: list[Use] = []
        self.unknown: list[tuple[str, str]] = []  # what is not understood: (where, why)
        self.grids: list[tuple[str, str]] = []  # what breaks the symmetry of the grid: (where, why)
        self.reasons: dict[str, str] = {}  # why a parameter is left alone
        # tensors that are neither inputs nor computed from them, by the name of the buffer or of the module that uses them
        self.constants: list[tuple[str, Tensor, Layout]] = []
        self.marked: list[Term] = []
        self.hidden: dict[str, Term] = {}
        self.buffers: dict[str, Term] = {}
        self.tables: dict[str, Term] = {}
        self.vocabularies: dict[int, Rep] = {}
        self._inner: dict[tuple[str, int], tuple[Term, ...]] = {}
        self._given = {name: out for name, (_, out) in given.items()}
        self._given_in = {name: rep for name, (rep, _) in given.items() if rep is not None}
        self._stack: list[str] = []
        self._modules = {id(module): name for name, module in model.named_modules()}
        self._buffer_names = {id(b): name for name, b in model.named_buffers()}
        named = dict(model.named_parameters())
        self._names = {id(p): name for name, p in named.items()}
        self.parameters = {name: open_axes(p.shape) for name, p in named.items()}
        self._layouts: dict[int, tuple[Tensor, Layout]] = {id(p): (p, self.parameters[n]) for n, p in named.items()}

    def run(self, model: nn.Module, inputs: Inputs, output: Callable[[Any], Any] | None = None) -> Any:
        """Runs the module on inputs whose layouts are set; ``output`` takes the tensor out of what it gives."""
        hooks: list[Any] = []
        for module in model.modules():
            hooks.append(module.register_forward_pre_hook(self._enter))
            hooks.append(module.register_forward_hook(self._leave, always_call=True))
        try:
            with self, torch.compiler.set_stance("force_eager"):
                out = model(**inputs) if isinstance(inputs, Mapping) else model(*inputs)
                return out if output is None else output(out)
        finally:
            for hook in hooks:
                hook.remove()

    @property
    def where(self) -> str:
        """The name of the innermost running module; empty for the model itself."""
        return self._stack[-1] if self._stack else ""

    def layout(self, tensor: Any) -> Layout:
        """The axes of a tensor; open ones if it was not traced before, so that it is a constant."""
        if id(tensor) not in self._layouts:
            self.set_layout(tensor, open_axes(tensor.shape, is_constant=True))
            name = self.buffer(tensor) or f"a tensor in {self.where or 'the model'!r}"
            self.constants.append((name, tensor.detach().clone(), self._layouts[id(tensor)][1]))
        return self._layouts[id(tensor)][1]

    def is_traced(self, tensor: Any) -> bool:
        """Whether a tensor comes from the input or from parameters."""
        return isinstance(tensor, Tensor) and id(tensor) in self._layouts

    def set_layout(self, tensor: Tensor, layout: Layout) -> None:
        """Sets the axes of a tensor."""
        assert tuple(axis.size for axis in layout) == tuple(tensor.shape), (layout, tensor.shape)
        self._layouts[id(tensor)] = (tensor, layout)

    def parameter(self, tensor: Any) -> str | None:
        """The name of a parameter; None for any other tensor."""
        return self._names.get(id(tensor))

    def buffer(self, tensor: Any) -> str | None:
        """The name of a buffer; None for any other tensor."""
        return self._buffer_names.get(id(tensor))

    def mark_pointwise(self, term: Term, what: str, *, is_norm: bool = False) -> None:
        """Notes that a function acts on each coordinate by itself."""
        where = f"{what} in {self.where or 'the model'!r}"
        self.marked.append(term)
        for summand in substitute(term):
            places = summand.variable.normed if is_norm else summand.variable.pointwise
            if where not in places:
                places.append(where)

    def mark_all_pointwise(self, layout: Layout, what: str) -> None:
        """Notes it for every channel axis."""
        for axis in layout:
            if axis.term is not None:
                self.mark_pointwise(axis.term, what)

    def mark_inner_product(self, term: Term) -> None:
        """Notes an inner product, which is invariant to orthogonal groups only."""
        if not all(group.is_orthogonal for group in self.groups):
            self.mark_pointwise(term, "an inner product")

    def mark_products(self, layout: Layout) -> None:
        """Notes elementwise products whose entries are not added up to an inner product."""
        for axis in layout:
            if axis.product and axis.term is not None:
                self.mark_pointwise(axis.term, axis.product)
            axis.product = ""

    def reuse(self, weight: Any, *terms: Term) -> tuple[Term, ...]:
        """The terms inside a layer and of its output: those of the first call, if the layer is called again."""
        name = self.parameter(weight)
        return terms if name is None else self._inner.setdefault((name, len(terms)), terms)

    def use(self, tensor: Any, read: Reader, *terms: Term) -> None:
        """Records what a parameter of a layer is; a tensor that is computed from others is reported, None ignored."""
        name = self.parameter(tensor)
        if name:
            self.uses.append(Use(name, read, terms))
        elif tensor is not None:
            self.unknown.append((self.where, "has a weight that is computed from others (parametrised)"))

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Runs a function and traces its axes."""
        kwargs = kwargs or {}
        name = getattr(func, "__name__", str(func))
        if name == "__get__":
            name = f"get_{getattr(getattr(func, '__self__', None), '__name__', '')}"
        tensors = [item for item in flatten((args, kwargs)) if self.is_traced(item)]
        if tensors and name == "__iter__":
            return iter(self.__torch_function__(torch.unbind, types, args[:1]))
        is_written = name in WRITING or (name.endswith("_") and not name.endswith("__"))
        if tensors and is_written and isinstance(args[0], Tensor):
            self.layout(args[0])  # a constant as it is before
        out = func(*args, **kwargs)
        written = args[0] if name == "__setitem__" else out
        outputs = [item for item in flatten(written) if isinstance(item, Tensor)]
        if tensors and (outputs or name in LEAVING):
            self._trace(Call(name, func, args, kwargs, out, self.where), tensors, outputs)
        return out

    def _trace(self, call: Call, tensors: list[Any], outputs: list[Tensor]) -> None:
        """Sets the layouts of a function's outputs."""
        rule = self.rules.get(call.name.strip("_"))
        if call.name not in SUMS:
            for tensor in tensors:
                self.mark_products(self.layout(tensor))
        try:
            if rule is None:
                raise TraceError("is not understood")
            traced = rule(self, call)
            layouts = [traced] if traced is None or not traced or hasattr(traced[0], "role") else list(traced)
            for tensor, layout in zip(outputs, layouts, strict=False):
                if layout is not None and tuple(a.size for a in layout) != tuple(tensor.shape):  # type: ignore[union-attr]
                    raise TraceError("is called in a way that is not understood")
        except (ValueError, IndexError, TypeError, RuntimeError) as reason:
            self._note_unknown(call, tensors, str(reason))
            traced, layouts = None, []
        are_free = all(axis.role == "free" for tensor in tensors for axis in self.layout(tensor))
        for k, tensor in enumerate(outputs):
            layout = layouts[k] if k < len(layouts) else None
            if layout is None and are_free:  # no group acts on the inputs, so none acts on the output
                layout = free_axes(tensor.shape)
            self.set_layout(tensor, open_axes(tensor.shape) if layout is None else layout)  # type: ignore[arg-type]

    def _note_unknown(self, call: Call, tensors: list[Any], reason: str) -> None:
        """Reports a function that is not understood, unless all axes of its arguments are open or free anyway."""
        names = [name for name in map(self.parameter, tensors) if name]
        for name in names:
            self.reasons.setdefault(name, f"{call.name} {reason}")
        acted_on = any(axis.role in ("pixel", "channel") for tensor in tensors for axis in self.layout(tensor))
        if acted_on or names:
            using = f" ({', '.join(names)})" if names else ""
            self.unknown.append((call.where, f"{call.name} {reason}{using}"))

    def _enter(self, module: nn.Module, args: Any) -> None:
        name = self._modules.get(id(module), type(module).__name__)
        self._stack.append(name)
        if name in self._given_in and args and isinstance(args[0], Tensor):
            self._unify_given(name, self.layout(args[0]), self._given_in[name], "takes")

    def _leave(self, module: nn.Module, args: Any, out: Any) -> None:
        name = self._stack.pop()
        first = next((item for item in flatten(out) if self.is_traced(item)), None)
        channels = [] if first is None else [a for a in self.layout(first) if a.role in ("channel", "open")]
        if first is None or name not in self._given:
            if len(channels) == 1 and channels[0].term is not None:
                self.hidden.setdefault(name, channels[0].term)
            return
        self.hidden.setdefault(name, self._unify_given(name, self.layout(first), self._given[name], "gives"))

    def _unify_given(self, name: str, layout: Layout, rep: Rep, verb: str) -> Term:
        """Unifies the input or output of a module with the representation that the user chose."""
        size = rep.size(self.group)
        fitting = [axis for axis in layout if axis.role in ("channel", "open") and axis.size == size]
        if not fitting:
            shape = tuple(axis.size for axis in layout)
            raise InputError(f"`reps` says that {name!r} {verb} {rep} of size {size}, which is no axis of {shape}")
        try:
            unify(fitting[-1].channels(), new_variable(size, rep), self.group)
        except TraceError as error:
            raise InputError(f"`reps` says that {name!r} {verb} {rep}, which does not fit: {error}") from error
        return fitting[-1].channels()


def flatten(value: Any) -> Iterator[Any]:
    """Everything in nested tuples, lists, dicts and dataclasses."""
    if isinstance(value, tuple | list):
        for item in value:
            yield from flatten(item)
    elif isinstance(value, Mapping):
        yield from flatten(list(value.values()))
    elif is_dataclass(value):
        yield from flatten(list(vars(value).values()))
    else:
        yield value
