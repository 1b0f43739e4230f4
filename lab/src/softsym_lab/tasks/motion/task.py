"""Motion: from where a vehicle was to where it will be, six points each, under one of three normalisations.

The tracks are those of the Waymo Open Motion Dataset if a folder of its records is given, else made-up ones, and the task says which.

Reference:
    Regularizing Towards Soft Equivariance Under Mixed Symmetries (Kim et al., 2023), https://arxiv.org/abs/2306.00356
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import torch
from torch import Tensor

from softsym.datasets import FIXED_SEED, Arguments, Task, stream
from softsym.errors import InputError
from softsym.groups import Group, group
from softsym.metrics import TRAJECTORY as NORMALISATIONS
from softsym.reps import Rep, rep
from softsym.training import Error, Pair, Sizes, Splits, read_sizes
from softsym_lab.tasks.motion.normalise import Centring, Normaliser
from softsym_lab.tasks.motion.simulator import simulate
from softsym_lab.tasks.motion.trajectories import MotionData, halves
from softsym_lab.tasks.motion.waymo import CODE, HONEST, extract
from softsym_lab.tasks.recordings import ade, split_by_group

SETTINGS = {"honest": HONEST, "code": CODE}


@dataclass(frozen=True)
class Motion(Task):
    """Six past positions to six future ones, normalised.

    Args:
        normalisation: ``scale-aware``, ``symmetry-aware`` or ``symmetry-scale-aware``.
        records: Folder of TFRecord files of the Waymo Open Motion Dataset; without it, vehicles are simulated.
        settings: ``honest`` keeps vehicles and centres on their past; ``code``, as the published code, keeps pedestrians and cyclists
            too and centres on past and future.
        progress: Whether reading records shows a progress bar.
    """

    normalisation: str = "symmetry-aware"
    records: str | None = None
    settings: str = "honest"
    progress: bool = field(default=True, compare=False, repr=False)
    rep_in: ClassVar[Rep] = rep("6V")
    rep_out: ClassVar[Rep] = rep("6V")
    groups: ClassVar[tuple[Group, ...]] = tuple(group(f"O(2)@{axis}") for axis in "xyz")
    largest: ClassVar[Group] = group("O(3)")
    error: ClassVar[Error] = ade

    def __post_init__(self) -> None:
        Arguments(self.name, "motion", self.normalisation, {}).choose("", NORMALISATIONS)
        if self.settings not in SETTINGS:
            raise InputError(f"motion: `settings` must be honest or code, got {self.settings!r}")
        if self.records is not None:
            object.__setattr__(self, "records", str(self.records))

    @staticmethod
    def read(arguments: Arguments) -> Motion:
        """Reads the task from its text."""
        arguments.only("records", "settings")
        return Motion(
            arguments.choose("symmetry-aware", NORMALISATIONS),
            arguments.options.get("records"),
            arguments.options.get("settings", "honest"),
        )

    @property
    def name(self) -> str:
        """``motion:`` and the normalisation, and whatever is not the default."""
        settings = [] if self.settings == "honest" else [f"settings={self.settings}"]
        records = [] if self.records is None else [f"records={self.records}"]
        return ",".join([f"motion:{self.normalisation}", *settings, *records])

    @property
    def origin(self) -> str:
        """The records, or a warning that there are none."""
        if self.records is None:
            return "simulated vehicles, not Waymo's records"
        return f"Waymo Open Motion Dataset, records of {self.records}"

    @property
    def sizes(self) -> Sizes:
        """The paper's numbers with records, fewer for simulated vehicles."""
        return Sizes(4000, 1000, 1000) if self.records is None else Sizes(16814, 3339, 3563)

    def sample(self, n: int, seed: int) -> Pair:
        """Draws n examples, normalised with their own statistics: inputs and outputs, float32."""
        data = self.data(seed, (n, 0, 0), part="sample")
        return data.rows(data.train)

    def splits(self, seed: int, sizes: tuple[int, int, int] | None = None, *, fixed_data: bool = False) -> Splits:
        """Draws the data of one run; the error is in metres. Without ``sizes``, at most the usual ones."""
        return self.data(FIXED_SEED if fixed_data else seed, sizes).splits()

    def observations(self, seed: int) -> Pair:
        """The training trajectories in metres, before any normalisation."""
        return halves(self.data(seed).train)

    def evidence_data(self, seed: int) -> Pair:
        """The training trajectories as the normalisation makes them, which is where its price shows."""
        return self.splits(seed).train

    def data(self, seed: int, sizes: tuple[int, int, int] | None = None, part: str = "") -> MotionData:
        """The trajectories behind :meth:`splits`, in metres; a scenario is in one split only."""
        counts = read_sizes(self.sizes if sizes is None else sizes)
        if self.records is None:
            train, val, test = (
                simulate(n, stream(seed, part + name)) for name, n in zip(counts._fields, counts, strict=True)
            )
        else:
            train, val, test = self._recorded(self.records, stream(seed, f"{part}splits"), counts, sizes is not None)
        centring: Centring = "past" if self.settings == "honest" else "all"
        return MotionData(train, val, test, Normaliser.fit(train, self.normalisation, centring))

    def _recorded(
        self, records: str, generator: torch.Generator, sizes: Sizes, exact: bool
    ) -> tuple[Tensor, Tensor, Tensor]:
        tracks = extract(records, SETTINGS[self.settings], progress=self.progress)
        if not len(tracks):
            raise InputError(
                f"no track of the records in {records} passes the selection (all 12 points valid, |dx| < 5, |dy| < 5, "
                "|dz| > 0.05 m in the past); pass a folder with more of them"
            )
        windows = torch.cat([torch.from_numpy(tracks.past), torch.from_numpy(tracks.future)], 1)
        rows = split_by_group(tracks.scenario_ids, sizes, generator, exact=exact, what="scenario")
        train, val, test = (windows[part] for part in rows)
        return train, val, test
