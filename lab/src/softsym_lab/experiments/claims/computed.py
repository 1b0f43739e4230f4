"""Claims that no run is needed for: which symmetries the data have, the bound of the proposition, sizes of networks, normalisations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from softsym_lab.experiments.claims.claim import APART, Claim, computed_claim
from softsym_lab.experiments.render.markdown import number

if TYPE_CHECKING:
    from softsym.nn import SoftMLP

EXACT = 1e-12
"""A data error below this is rounding."""
EXACT_GROUPS: Mapping[str, Sequence[str]] = {
    "inertia:O(3)": ("O(2)@x", "O(2)@y", "O(2)@z"),
    "inertia:Ox(2)": ("O(2)@x",),
    "inertia:Oy(2)": ("O(2)@y",),
    "inertia:Oz(2)": ("O(2)@z",),
    "inertia:soft": (),
    "cossim:SO(3)+S(3)": ("SO(3)", "Scaling(3)"),
    "cossim:SO(3)": ("SO(3)",),
    "cossim:S(3)": ("Scaling(3)",),
    "cossim:soft": (),
    "golfball:wind=none,gravity=0": ("O(2)@x", "O(2)@y", "O(2)@z"),
    "golfball:wind=y,gravity=0": ("O(2)@y",),
}
"""The candidates that each data set has exactly according to the paper; it breaks the others. Its golf ball knows no gravity."""
NETWORKS, PROBES, TRANSFORMS, RADIUS, NOISE = 10, 20, 20, 3.0, 0.01
"""Networks, inputs and group elements on which the bound is tried, the norm of the inputs, and what is added to the weights."""


def computed_claims() -> list[Claim]:
    """All claims that are computed."""
    return [
        *(data_claim(task) for task in EXACT_GROUPS),
        printed_claim(),
        bound_claim(),
        vanishing_claim(),
        fewer_parameters_claim(),
        *normalisation_claims(),
    ]


def data_claim(task: str) -> Claim:
    """That data have just the symmetries that they are said to have."""
    errors, exact = _data_errors(task), EXACT_GROUPS[task]
    holds = all((error < EXACT) == (group in exact) for group, error in errors.items())
    others = [group for group in errors if group not in exact]
    words = [f"{' and '.join(groups)} {how}" for groups, how in ((exact, "exactly"), (others, "not")) if groups]
    where = "1" if task.startswith("golfball") else "4.1"
    return computed_claim(f"data of {task} have {', '.join(words)}", holds, _format_errors(errors), where)


def printed_claim() -> Claim:
    """What cannot be as it is printed."""
    printed, coded = (_data_errors(f"inertia:{name}") for name in ("soft-printed", "soft"))
    holds = printed["O(2)@y"] < EXACT and min(coded.values()) > APART
    numbers = f"data errors as printed: {_format_errors(printed)}; as in the published code: {_format_errors(coded)}"
    text = "soft: the printed perturbation is exactly symmetric about y, that of the published code about no axis"
    return computed_claim(text, holds, numbers, "")


def bound_claim() -> Claim:
    """The proposition: the equivariance error of a network is bounded by the distances of its weights."""
    ratios = [_worst_over_bound(seed) for seed in range(NETWORKS)]
    numbers = f"largest error over bound {number(max(ratios), 2)}, {NETWORKS} networks at random"
    text = "no equivariance error is above the bound that the distances of the weights give"
    return computed_claim(text, max(ratios) <= 1.0, numbers, "Proposition 3.1")


def vanishing_claim() -> Claim:
    """Where the regularizer is zero, so is the equivariance error."""
    errors = [_projected_error(seed) for seed in range(NETWORKS)]
    text = "the equivariance error vanishes where the distances do"
    largest = max(errors)  # its digits are those of rounding, which differs from machine to machine
    numbers = f"largest error {f'below {EXACT:g}' if largest < EXACT else number(largest, 2)}"
    return computed_claim(text, largest < EXACT, numbers, "Proposition 3.1")


def fewer_parameters_claim() -> Claim:
    """PER needs one matrix where RPP needs two."""
    from softsym.nn import RPP, SoftMLP, count_parameters

    rep_in, rep_out, width = "5S + 5V", "T(2)", 128
    per = count_parameters(SoftMLP(rep_in, rep_out, ["O(2)@x", "O(2)@y", "O(2)@z"], width=width))
    rpp = count_parameters(RPP(rep_in, rep_out, "O(3)", width=width))
    text = f"PER has fewer trainable numbers than RPP at the same width ({width})"
    return computed_claim(text, per < rpp, f"PER {per:,}; RPP {rpp:,}", "3.1")


def normalisation_claims() -> list[Claim]:
    """What each normalisation does to the scale of heights, on simulated vehicles."""
    share = partial(_height_share, rows=2000)
    scale, symmetry, both = (share(name) for name in ("scale-aware", "symmetry-aware", "symmetry-scale-aware"))
    where = "appendix, trajectories"
    return [
        computed_claim(
            "scale-aware gives heights the size of the other coordinates",
            abs(scale - 1) < 0.1,
            f"deviation of z over that of x and y: {number(scale, 2)}",
            where,
        ),
        computed_claim("symmetry-aware leaves heights near zero", symmetry < 0.1, number(symmetry, 2), where),
        computed_claim(
            "symmetry-scale-aware keeps heights of a size with the other coordinates",
            0.1 <= both <= 10,
            number(both, 2),
            where,
        ),
    ]


def _data_errors(text: str) -> dict[str, float]:
    from softsym.datasets import task as read_task
    from softsym_lab.runs.record import data_errors

    task = read_task(text)
    return data_errors(task, task.sample(200, seed=0)[0].double())


def _network(seed: int, noise: float) -> SoftMLP:
    """A network whose gates are equivariant, as the proposition has them, its weights this far from equivariant ones."""
    import torch

    from softsym.nn import SoftMLP

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        net = SoftMLP("5S + 5V", "T(2)", ["O(2)@z"], width=24, init="equivariant").double()
        with torch.no_grad():
            for name, value in net.named_parameters():
                if name.endswith("linear.weight") or name == "last.weight":
                    value.add_(noise * torch.randn_like(value))
    return net


def _worst_over_bound(seed: int) -> float:
    """Largest error over the bound."""
    import torch

    from softsym.groups import group
    from softsym.metrics import act, equivariance_bound, transforms
    from softsym.reps import rep

    net, G, generator = _network(seed, NOISE), group("O(2)@z"), torch.Generator().manual_seed(seed)
    x = torch.randn(PROBES, net.rep_in.size(G), generator=generator, dtype=torch.float64)
    x, elements = RADIUS * torch.nn.functional.normalize(x, dim=-1), transforms(G, TRANSFORMS)
    with torch.no_grad():
        gap = net(act(net.rep_in, G, elements, x)) - act(rep("T(2)"), G, elements, net(x))
    return float(gap.norm(dim=-1).max()) / equivariance_bound(net, G, RADIUS).value


def _projected_error(seed: int) -> float:
    """Equivariance error of a network after its weights are projected."""
    from softsym.datasets import task as read_task
    from softsym.metrics import equivariance_error
    from softsym.regularize import EquivarianceRegularizer

    net = _network(seed, NOISE)
    EquivarianceRegularizer(net, ["O(2)@z"]).project_("O(2)@z")
    x = read_task("inertia:Oz(2)").sample(PROBES, seed=seed)[0].double()
    return float(equivariance_error(net, x, "5S + 5V", "T(2)", "O(2)@z", n_transforms=TRANSFORMS))


def _height_share(normalisation: str, rows: int) -> float:
    """Deviation of the normalised heights over that of the other two coordinates."""
    from softsym_lab.tasks.motion import Motion

    data = Motion(normalisation).data(0, (rows, 0, 0))
    x, y, z = data.normaliser.apply(data.train).flatten(0, 1).std(0).tolist()
    return float(z / ((x * x + y * y) / 2) ** 0.5)


def _format_errors(errors: Mapping[str, float]) -> str:
    return ", ".join(f"{group} {number(value)}" for group, value in errors.items())
