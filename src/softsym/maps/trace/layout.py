"""What each axis of a tensor is while a module runs.

An axis is *free* (the batch, a sequence: groups leave it alone), a *pixel* axis (groups move along it, all of them together), it carries
a representation, or it is *open*: nobody knows yet, and the first use that needs to know decides. Axes of parameters, and of what a
function that is not understood returns, start open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from softsym.groups import Group
from softsym.maps.trace.slots import Content, DisagreementError, fresh, unify

Sign = Literal["out", "in"]


@dataclass(eq=False)
class Axis:
    """One axis of a tensor.

    Args:
        size: Its length.
        role: What it is.
        content: What it carries, if it carries a representation.
        pixel: Which pixel axis it is, if it is one.
        sign: Whether it is on the side of outputs or, contracted with one, of inputs.
    """

    size: int
    role: Literal["free", "pixel", "carries", "open"] = "free"
    content: Content | None = None
    pixel: int = -1
    sign: Sign = "out"
    name: str = ""

    def carry(self, name: str = "") -> Content:
        """What it carries; an open axis carries something of its own from now on, and so does a single free number."""
        if self.role == "open":
            self.become(carrying(fresh(self.size, name or self.name)))
        if self.content is None:
            raise DisagreementError(f"an axis of {self.size} that carries nothing is used as channels")
        return self.content

    def become(self, other: Axis, sign: Sign = "out") -> None:
        """An open axis turns out to be like another one."""
        self.role, self.content, self.pixel, self.sign = other.role, other.content, other.pixel, sign


Layout = tuple[Axis, ...]


def carrying(content: Content) -> Axis:
    """An axis that carries a representation."""
    return Axis(sum(part.size for part in content), "carries", content)


def free(size: int) -> Axis:
    """An axis that groups leave alone."""
    return Axis(size)


def open_axes(shape: tuple[int, ...], name: str = "") -> Layout:
    """Axes of which nothing is known."""
    return tuple(Axis(size, "open", name=name) for size in shape)


def match(a: Axis, b: Axis, group: Group, sign: Sign = "out") -> Axis:
    """Two axes of one length that meet: they become the same, or it is a :class:`DisagreementError`.

    Args:
        a: The one.
        b: The other.
        group: Any of the groups.
        sign: How an open axis relates to what it meets: "in" if both are contracted.
    """
    if a.role == "open" and b.role == "open":
        a.become(carrying(fresh(a.size, a.name or b.name)))
    if a.role == "open":
        a.become(b, sign)
        return b
    if b.role == "open":
        b.become(a, sign)
        return a
    if a.role != b.role or a.pixel != b.pixel:
        raise DisagreementError(f"an axis that is {a.role} meets one that is {b.role}")
    if a.content is not None and b.content is not None:
        unify(a.content, b.content, group)
    return a
