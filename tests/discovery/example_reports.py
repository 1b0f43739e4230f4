"""Stories made up for the report: every value is chosen, nothing is learned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from softsym.discovery.models.network import Curves
from softsym.discovery.report.content import Orbit, ReportData
from softsym.discovery.select import Baseline, Baselines
from softsym.discovery.symmetries import Symmetries, Symmetry
from softsym.inference import EvidenceDetail, EvidenceRow, EvidenceTable

HOSTILE = (
    "<img src=x onerror=window.hacked=1>",
    "</script><script>window.hacked=1</script>",
    '"><a href="https://example.com" onclick="window.hacked=1">x</a>',
    "%{x} <b>bold</b> & &lt;i&gt; {{ 7 * 7 }} ${window.hacked=1} <!--",
)
LAYERS = ("layers.0.linear", "layers.0.bilinear", "layers.1.linear", "layers.1.bilinear", "head")


def report() -> ReportData:
    """Three axes of inertia, of which one holds: what a good run looks like."""
    found = (
        _symmetry("O(2)@z", "exact", 0.0021, 1.0, 1.7e-5),
        _symmetry("O(2)@x", "soft", 0.081, 0.034, 0.012),
        _symmetry("SO(3)", "undecided", 0.34, 0.0021, 0.21, note="the data hardly cover this group's orbits"),
    )
    names = tuple(row.name for row in found)
    rng = np.random.default_rng(0)
    true = rng.normal(size=(400, 9)) * np.linspace(1, 4, 9)
    spread = 0.05 + 0.15 * rng.random(true.shape)
    return ReportData(
        title="inertia:Oz(2)",
        symmetries=Symmetries(found),
        test_error=0.0312,
        explained=0.9871,
        curves=tuple(_curves(seed, names) for seed in range(3)),
        true=true,
        predicted=true + spread * rng.normal(size=true.shape),
        std=spread,
        input_names=(*(f"m{k}" for k in range(1, 6)), *(f"{axis}{k}" for k in range(1, 6) for axis in "xyz")),
        output_names=tuple(f"I_{a}{b}" for a in "xyz" for b in "xyz"),
        orbits=tuple(_orbit(name, bend) for name, bend in zip(names, (0.0, 0.08, 0.4), strict=True)),
        facts={
            "softsym": "0.1.0",
            "inputs": "5S + 5V",
            "outputs": "T(2)",
            "seeds": "0, 1, 2",
            "training examples": "1000",
            "epochs": "300",
            "time": "41 s",
        },
        notes=("Only 1000 examples: intervals are wide.",),
        baselines=Baselines(
            [
                Baseline("network", 0.033, 0.0312, 0.9871, is_returned=True),
                Baseline("ordinary network", 0.41, 0.44, 0.82),
                Baseline("ridge regression", 2.9, 3.0, -0.02),
                Baseline("kernel ridge regression", 0.2, 0.22, 0.91),
            ]
        ),
        exact_groups=("O(2)@z",),
        evidence=_evidence(names),
        why=(
            "No network was trained: closed forms leave little to gain.",
            "The model is a stacked ensemble (gp 90%, linear 10%).",
        ),
    )


def outputs(n: int) -> ReportData:
    """The same run with so many outputs of the nine, of which the last has large numbers."""
    whole = report()
    size = np.append(np.ones(n - 1), 1e5)
    return replace(
        whole,
        true=whole.true[:, :n] * size,
        predicted=whole.predicted[:, :n] * size,
        std=whole.std[:, :n] * size,
        output_names=whole.output_names[:n],
    )


def ordinary() -> ReportData:
    """An estimator without candidates: a single seed, a single output, no validation, nothing to note."""
    whole = report()
    curves = replace(whole.curves[0], residuals={}, strengths={})
    return replace(
        whole,
        symmetries=Symmetries(),
        curves=(curves,),
        true=whole.true[:, :1],
        predicted=whole.predicted[:, :1],
        std=np.zeros((len(whole.true), 1)),
        output_names=("y",),
        orbits=(),
        facts={},
        notes=(),
        baselines=Baselines(),
        exact_groups=(),
        evidence=EvidenceTable(),
        why=(),
    )


def hostile() -> ReportData:
    """A good run whose every name tries to become markup or code."""
    whole = report()
    rows = zip(whole.symmetries, HOSTILE, strict=False)
    names = dict(zip([row.name for row in whole.symmetries], HOSTILE, strict=False))
    return replace(
        whole,
        title=HOSTILE[0],
        symmetries=Symmetries(
            [replace(row, name=name, note=HOSTILE[1], layers={HOSTILE[0]: 0.1, HOSTILE[1]: 0.2}) for row, name in rows]
        ),
        curves=tuple(
            replace(
                seed,
                residuals={names[name]: values for name, values in seed.residuals.items()},
                strengths={names[name]: values for name, values in seed.strengths.items()},
            )
            for seed in whole.curves
        ),
        input_names=HOSTILE * 5,
        output_names=(HOSTILE * 3)[:9],
        orbits=tuple(replace(orbit, group=names[orbit.group]) for orbit in whole.orbits),
        facts=dict.fromkeys(HOSTILE, HOSTILE[1]),
        notes=HOSTILE,
        baselines=Baselines([Baseline(name, 1.0, 1.0, 0.5) for name in HOSTILE]),
        exact_groups=HOSTILE,
        evidence=_evidence(HOSTILE[:3]),
        why=HOSTILE,
    )  # fmt: skip


def many() -> ReportData:
    """Fourteen groups with long names and a hundred outputs, on more examples than a page can hold."""
    rng = np.random.default_rng(1)
    names = [f"O(2)@axis_number_{k} | Scaling(3)" for k in range(14)]
    verdicts = ("exact", "soft", "absent")
    true = rng.normal(size=(3000, 100))
    return replace(
        report(),
        title="a_rather_long_name_of_a_data_set_without_any_space_in_it.parquet",
        symmetries=Symmetries(
            [_symmetry(name, verdicts[k % 3], 0.01 * 1.4**k, 0.7**k, 1e-6 * 3**k) for k, name in enumerate(names)]
        ),
        curves=tuple(_curves(seed, tuple(names)) for seed in range(2)),
        true=true,
        predicted=true + 0.1,
        std=np.full_like(true, 0.1),
        output_names=tuple(f"output_{k}" for k in range(100)),
        orbits=(),
        evidence=_evidence(tuple(names)),
    )  # fmt: skip


def _evidence(names: tuple[str, ...]) -> EvidenceTable:
    rng, rows, details = np.random.default_rng(2), [], {}
    for k, name in enumerate(names):
        broken = 0.0 if k % 3 == 0 else 0.05 * k
        verdict = "soft" if broken else "exact"
        rows.append(
            EvidenceRow(
                name,
                verdict,
                p_value=0.5,
                log_evidence=300.0,
                violation=broken,
                interval=(0.8 * broken, 1.2 * broken + 0.01),
                tolerance=1.2 * broken + 0.01,
                overlap=0.9,
                cost=(0.0, broken**2),
                certified=0.1 + broken,
                errors=(0.1, 0.1, 0.1),
                rows=300,
            )
        )
        shares = np.array([0.0, 0.001, 0.01, 0.1, 0.5, 0.97])
        heights = -200 * (np.sqrt(shares) - np.sqrt(broken)) ** 2
        details[name] = EvidenceDetail(
            shares, heights - heights.max(), 1 + 9 * broken + 0.1 * rng.normal(size=500), 1.0
        )
    return EvidenceTable(rows, details, 2.1)


def _symmetry(name: str, verdict: str, error: float, strength: float, residual: float, note: str = "") -> Symmetry:
    layers = {layer: min(1.0, error * (0.3 + 0.5 * k)) for k, layer in enumerate(LAYERS)}
    return Symmetry(
        name,
        verdict,  # type: ignore[arg-type]
        error,
        (0.8 * error, 1.3 * error),
        cost=(0.0, error**2),
        note=note,
        error=error,
        error_interval=(0.8 * error, 1.3 * error),
        strength=strength,
        residual=residual,
        layers=layers,
    )


def _curves(seed: int, names: tuple[str, ...]) -> Curves:
    rng = np.random.default_rng(seed)
    epochs = np.arange(0.0, 300, 5)[: 60 - 4 * seed]
    ends = [10.0 ** (-5 + 2 * k % 6) for k in range(len(names))]
    residuals = {
        name: (1 - end) * np.exp(-epochs / 40) * np.exp(0.1 * rng.normal(size=len(epochs))) + end
        for name, end in zip(names, ends, strict=True)
    }
    # One-shot: one common strength, then each its own.
    strengths = {name: np.where(epochs < 100, 1.0, 0.1 / end) for name, end in zip(names, ends, strict=True)}
    return Curves(epochs, residuals, strengths)


def _orbit(group: str, bend: float) -> Orbit:
    angles = np.linspace(0, 2 * np.pi, 49)
    turns = np.array([[[np.cos(t), -np.sin(t), 0], [np.sin(t), np.cos(t), 0], [0, 0, 1]] for t in angles])
    rng = np.random.default_rng(3)
    inputs = np.einsum("kij,vj->vki", turns, rng.normal(size=(5, 3)))
    outputs = rng.normal(size=9)
    outputs[:3] *= 2
    transformed = np.concatenate([np.einsum("kij,j->ki", turns, part) for part in outputs.reshape(3, 3)], axis=1)
    predicted = transformed * (1 + bend * np.sin(2 * angles))[:, None] + 0.01 * np.sin(3 * angles)[:, None]
    return Orbit(group, angles, inputs, predicted, transformed, vector=0)
