"""What was found out about a model: which parameter is which map, what is left alone and why, and where a symmetry breaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from softsym.maps.tensor_map import TensorMap
from softsym.reps import Rep


@dataclass(frozen=True, eq=False)
class Proposal(Mapping[str, TensorMap]):
    """A map for every parameter that is understood; a mapping that ``EquivarianceRegularizer`` takes as ``reps``.

    Args:
        maps: What each parameter is, by its name.
        left_alone: Why each of the other parameters is left alone.
        breaks: Where a group's symmetry breaks whatever the parameters are, one line for each place.
        not_understood: What in the model is not understood, one line for each place.
        hidden: The representation of what each module gives, by its name.
        buffers: What running statistics are, by name: they are projected with the parameters.
    """

    maps: Mapping[str, TensorMap]
    left_alone: Mapping[str, str] = field(default_factory=dict)
    breaks: tuple[str, ...] = ()
    not_understood: tuple[str, ...] = ()
    hidden: Mapping[str, Rep] = field(default_factory=dict)
    buffers: Mapping[str, TensorMap] = field(default_factory=dict)

    def __getitem__(self, name: str) -> TensorMap:
        return self.maps[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.maps)

    def __len__(self) -> int:
        return len(self.maps)

    def remarks(self) -> list[str]:
        """What a person should read: what is left alone, what is not understood, what breaks."""
        alone = [f"left alone: {name}: {reason}" for name, reason in self.left_alone.items()]
        return [*alone, *(f"not understood: {line}" for line in self.not_understood), *self.breaks]

    def __str__(self) -> str:
        width = max(map(len, self.maps), default=0)
        lines = [f"{name.ljust(width)}  {one}" for name, one in self.maps.items()]
        return "\n".join([*lines, *self.remarks()])

    def __repr__(self) -> str:
        return str(self)
