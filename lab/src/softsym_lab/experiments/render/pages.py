"""Numbers in pages, rendered from the ledgers: what stands between two comments that name a fragment is made here.

``python -m softsym_lab.experiments.render.pages`` writes them anew; a test compares. The comments are
``<!-- softsym pages NAME -->`` and ``<!-- end of NAME -->``.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from softsym_lab.experiments.claims.comparisons import LEVEL, alike, paired
from softsym_lab.experiments.grid import cells
from softsym_lab.experiments.render.markdown import EMPTY, markdown_table, number, plus_minus
from softsym_lab.experiments.store import RunRecord, Store
from softsym_lab.experiments.summary import Summary, summarise
from softsym_lab.experiments.table_spec import default_results, load_spec, paper_folder
from softsym_lab.runs.spec import PresetName

PAGES = ("README.md", "paper/NOTES.md")
BETWEEN = re.compile(r"(<!-- softsym pages (\w+) -->\n\n).*?(\n\n<!-- end of \2 -->)", re.DOTALL)
Cells = dict[tuple[str, str, str], Summary]
EQUAL = ("MLP", "EMLP", "RPP", "MixedEMLP", "frame averaging", "augmentation", "sample penalty")
"""Baselines of the ablation that are trained as PER is."""
PARTS = (
    "penalty off",
    "penalty in the loss",
    "penalty in the loss, strength 0.1",
    "strengths fixed",
    "strengths one-shot",
    "standard start",
    "soft start",
    "half-soft start",
    "no averaging",
    "Adam",
    "Adam, rate 0.003",
)
"""Variants of PER."""
CEILING = 99.9
"""Times the first strength: the largest that strengths by data become is a hundred times."""
ROWS = (("Inertia", "Oz(2)"), ("Inertia", "soft"), ("CosSim", "S(3)"), ("CosSim", "SO(3)"))
NAMES = {
    ("Inertia", "Oz(2)"): "Inertia, about z",
    ("Inertia", "soft"): "Inertia, none exactly",
    ("CosSim", "S(3)"): "CosSim, scalings",
    ("CosSim", "SO(3)"): "CosSim, rotations",
}


@lru_cache
def read_cells(table: str, preset: PresetName = "fast") -> Cells:
    """The cells of a table by section, row and column; a table has as many seeds as it asks for."""
    spec = load_spec(table)
    found = summarise(spec, cells(spec, preset), _store())
    return {(s.row.section, s.row.label, s.column.label): s for s in found}


@lru_cache
def _store() -> Store:
    return Store(default_results())


def cell_text(summary: Summary | None, bold: bool = False) -> str:
    """Mean, standard deviation, and how many seeds if they are fewer than wanted."""
    if summary is None or summary.mean is None:
        return EMPTY
    text = plus_minus(summary.mean, summary.std)
    few = f" ({len(summary.values)})" if len(summary.values) < summary.wanted else ""
    return f"**{text}**{few}" if bold else text + few


def versus(per: Summary, others: Sequence[Summary]) -> str:
    """PER against others in words: what it is better than, what it is worse than, and what seeds cannot tell."""
    known = [(s, paired(per, s)) for s in others if s.values]
    groups: dict[str, list[str]] = {"better than": [], "worse than": [], "not significantly different from": []}
    one_seed = groups["undecided, with a single seed, against"] = []
    for s, found in known:
        if found.count < 2:
            one_seed.append(f"{s.column.label} ({number(1 / found.ratio, 2)} times)")
            continue
        verdict = found.verdict()
        key = {"holds": "better than", "does not hold": "worse than", "undecided": "not significantly different from"}[
            verdict
        ]
        p = "p < 0.001" if found.p < 1e-3 else f"p = {number(found.p, 1 if found.p > 0.1 else 2)}"
        groups[key].append(f"{s.column.label} ({number(1 / found.ratio, 2)} times, {p})")
    return "; ".join(f"{key} {', '.join(names)}" for key, names in groups.items() if names) or "no runs yet"


def ablation_table(columns: Sequence[str]) -> str:
    """Rows of the ablation, some of its columns."""
    found = read_cells("ablation")
    lines = []
    for key in ROWS:
        mine = [found.get((*key, label)) for label in columns]
        best = min((s.mean for s in mine if s is not None and s.mean is not None), default=None)
        lines.append(
            [NAMES[key], *(cell_text(s, s is not None and s.mean is not None and s.mean == best) for s in mine)]
        )
    return markdown_table(["test MSE", *columns], lines)


def readme_ablation() -> str:
    """For README: what the penalty is worth, and PER against equally trained baselines."""
    found = read_cells("ablation")
    columns = ("PER", "penalty off", "MLP", "EMLP", "MixedEMLP", "augmentation", "sample penalty")
    lines = []
    for key in ROWS:
        equal = [s for label in EQUAL if (s := found.get((*key, label))) is not None]
        lines.append(f"- {NAMES[key]}: PER is {versus(found[(*key, 'PER')], [found[(*key, 'penalty off')], *equal])}.")
    return "\n\n".join(
        [
            "Whose gain is it? PER at `fast` with its penalty off, and baselines with the same optimizer, schedule, "
            "averaging and inputs (on CosSim every input at one size, with its logarithm); mean ± standard deviation of "
            "five seeds, of fewer where a number in brackets says so. EMLP, MixedEMLP, augmentation and sample penalty are "
            "given the group that holds (the largest where none does), which PER has to find ([all variants and "
            "baselines](paper/results/fast/ablation.md), `softsym reproduce ablation --preset fast`):",
            ablation_table(columns),
            f"Seed by seed (Student's test of the logarithms, level {LEVEL:g}; in brackets the other's error in terms of PER's):",
            "\n".join(lines),
            found_sentence(),
            inputs_sentence(),
            strengths_sentence(),
        ]
    )


def inputs_sentence() -> str:
    """What canonicalised inputs are worth on CosSim."""
    found, parts = read_cells("ablation"), []
    for key in ROWS[2:]:
        mine, other = (found[(*key, f"{name}, inputs as they are")] for name in ("PER", "MLP"))
        if mine.values and other.values:
            parts.append(f"{NAMES[key]}: {cell_text(mine)} and {cell_text(other)} (PER is {versus(mine, [other])})")
    return "With inputs as they are, PER and an MLP that is trained alike have, " + "; ".join(parts) + "."


def chosen_by_validation(usual: Summary, others: Sequence[Summary]) -> list[float]:
    """Seed by seed, the error of the run with the least validation error among settings, over the seeds that all have."""
    by_seed = [{r.spec.seed: r for r in s.records} for s in (usual, *others)]
    common = [seed for seed in by_seed[0] if all(seed in each for each in by_seed)]
    runs = [[each[seed].result for each in by_seed] for seed in common]
    return [
        min(each, key=lambda r: float("inf") if r.validation_mse is None else r.validation_mse).test_error
        for each in runs
    ]


def found_groups(record: RunRecord) -> set[str]:
    """The groups whose strengths rose to the largest value that the controller gives, which is how PER says that they hold exactly."""
    return {name for name, value in record.result.strengths.items() if value >= CEILING * record.spec.preset.lambda0}


def per_or_found(per: Summary, others: Sequence[Summary]) -> list[float] | None:
    """Seed by seed PER, or a network of what it found, by validation error; None where a run that this needs is missing."""
    errors = []
    constrained = [{r.spec.seed: r for r in other.records} for other in others]
    for record in per.records:
        found = found_groups(record)
        options = [record]
        for by_seed in constrained if found else []:
            other = by_seed.get(record.spec.seed)
            if other is None or found != {other.spec.group}:
                return None
            options.append(other)
        errors.append(min(options, key=lambda r: r.result.validation_mse or 0.0).result.test_error)
    return errors


def found_sentence() -> str:
    """What training an EMLP and a MixedEMLP of the groups that PER found adds."""
    found, parts = read_cells("ablation"), []
    for key in ROWS:
        networks = [s for label in ("EMLP", "MixedEMLP") if (s := found.get((*key, label))) is not None]
        errors = per_or_found(found[(*key, "PER")], networks)
        if errors is not None and len(errors) > 1:
            parts.append(f"{NAMES[key]} {plus_minus(statistics.fmean(errors), statistics.stdev(errors))}")
    return (
        "EMLP and MixedEMLP do not have to be given their groups: PER's strengths say which hold exactly (those at their ceiling). "
        "PER, or an EMLP or MixedEMLP of what it found that is trained alike, whichever has the smallest validation error "
        f"(three trainings), comes to: {'; '.join(parts)}."
    )


def strengths_sentence() -> str:
    """Whether the first strength matters, and what choosing it by validation error gives."""
    found, parts = read_cells("ablation"), []
    for key in (ROWS[0], ROWS[2]):
        usual = found[(*key, "PER")]
        others = [found[(*key, f"first strength {how}")] for how in ("x 5", "/ 5")]
        if not all(s.values for s in others):
            continue
        verdict = {"holds": "does not matter", "does not hold": "matters", "undecided": "may matter"}[
            alike([usual, *others], usual)
        ]
        chosen = chosen_by_validation(usual, others)
        text = (
            f"{NAMES[key]}: it {verdict}: {cell_text(others[0])} at five times the default, {cell_text(usual)} at the default, "
            f"{cell_text(others[1])} at a fifth"
        )
        if len(chosen) > 1:
            text += (
                f"; chosen from the three by validation error {plus_minus(statistics.fmean(chosen), statistics.stdev(chosen))}"
                f" ({len(chosen)} seeds)"
            )
        parts.append(text)
    return "The first strength of the penalties, within five times of its default: " + ". ".join(parts) + "."


def readme_tables() -> str:
    """For README: PER in Tables 1 and 2 at ``fast``, and where equally trained baselines stand."""
    lines = []
    for table, title in (("table1", "Table 1"), ("table2", "Table 2 (x 10)")):
        spec, found = load_spec(table), read_cells(table)
        for row in spec.rows:
            per = found[row.section, row.label, "PER"]
            equal = [s for k, s in found.items() if k[1] == row.label and "trained as PER" in k[2] and s.values]
            best = min(equal, key=lambda s: s.mean or 0.0, default=None)
            old = [
                s
                for k, s in found.items()
                if k[1] == row.label and k[2] != "PER" and "trained as PER" not in k[2] and s.values
            ]
            first = min(old, key=lambda s: s.mean or 0.0)
            verdict = EMPTY if best is None else _verdict(per, best)
            lines.append(
                [
                    f"{title}, {row.label}",
                    cell_text(per),
                    f"{first.column.label} {cell_text(first)}",
                    EMPTY
                    if best is None
                    else f"{best.column.label.removesuffix(', trained as PER')} {cell_text(best)}",
                    verdict,
                ]
            )
    header = ["test MSE", "PER", "best baseline, trained by Adam", "best baseline, trained as PER", "PER is"]
    return markdown_table(header, lines)


def _verdict(per: Summary, other: Summary) -> str:
    found = paired(per, other)
    if found.count < 2:
        return "undecided (one seed)"
    word = {"holds": "better", "does not hold": "worse", "undecided": "no significant difference"}[found.verdict()]
    return f"{word}, p {'< 0.001' if found.p < 1e-3 else '= ' + number(found.p, 2)} ({found.count} seeds)"


def motion_numbers() -> str:
    """Displacement errors of all models, without the leak."""
    found, spec = read_cells("motion"), load_spec("motion")
    labels = [column.label for column in spec.columns]
    lines = []
    for label in labels:
        mine = [found["", row.label, label] for row in spec.rows]
        lines.append([label, *(cell_text(s) for s in mine)])
    table = markdown_table(["test ADE in metres, centred on the past", *(row.label for row in spec.rows)], lines)
    verdicts = []
    for row in spec.rows:
        mine = [found["", row.label, label] for label in labels]
        best = min(mine, key=lambda s: s.mean or float("inf"))
        others = [s for s in mine if s is not best]
        closest = min(others, key=lambda s: s.mean or float("inf"))
        verdicts.append(f"{row.label}: {best.column.label} ({closest.column.label} next: {_verdict(best, closest)})")
    return f"{table}\n\nBest: {'; '.join(verdicts)}."


def centring() -> str:
    """What centring on past and future is worth to a linear model, and to others."""
    found = read_cells("centring")
    sections = list(dict.fromkeys(key[0] for key in found))
    lines = []
    for label in dict.fromkeys(key[2] for key in found):
        for section in sections:
            past, both = (found[section, row, label] for row in ("past", "past and future"))
            if past.mean is None or both.mean is None:
                continue
            lines.append([label, section, cell_text(past), cell_text(both), f"{past.mean / both.mean:.1f}"])
    header = ["model", "normalisation", "centred on the past", "on past and future (published)", "ratio"]
    return markdown_table(header, lines)


def code_motion() -> str:
    """Displacement errors at ``code``, at the published centring, and ridge regression at the same."""
    found, spec = read_cells("motion", "code"), load_spec("motion")
    labels = [c.label for c in spec.columns if any(found["", row.label, c.label].values for row in spec.rows)]
    lines = [[label, *(cell_text(found["", row.label, label]) for row in spec.rows)] for label in labels]
    return markdown_table(["test ADE, centred on past and future", *(row.label for row in spec.rows)], lines)


def per_table1() -> str:
    """Errors and times of PER in Table 1 at ``code`` and ``fast``."""
    rows = load_spec("table1").rows
    both = {preset: [read_cells("table1", preset)["", row.label, "PER"] for row in rows] for preset in ("code", "fast")}
    seconds = [f"{a.seconds or 0:,.0f} / {b.seconds or 0:.0f}" for a, b in zip(both["code"], both["fast"], strict=True)]
    lines = [[f"`{preset}`", *(cell_text(s) for s in found)] for preset, found in both.items()]
    lines.append(["seconds, `code` / `fast`", *seconds])
    return markdown_table(["Table 1", *(row.label for row in rows)], lines)


def per_table2() -> str:
    """Errors of MLP and PER in Table 2."""
    rows = load_spec("table2").rows
    fast, code = read_cells("table2"), read_cells("table2", "code")
    lines = [
        ["MLP at `fast`", *(cell_text(fast["", row.label, "MLP"]) for row in rows)],
        ["MLP at `fast`, trained as PER", *(cell_text(fast["", row.label, "MLP, trained as PER"]) for row in rows)],
        ["PER at `fast`", *(cell_text(fast["", row.label, "PER"]) for row in rows)],
        ["PER at `code`", *(cell_text(code["", row.label, "PER"]) for row in rows)],
    ]
    return markdown_table(["Table 2 (x 10)", *(row.label for row in rows)], lines)


def notes_ablation() -> str:
    """For NOTES: all variants and all equally trained baselines."""
    found = read_cells("ablation")
    lines = [
        [label, *(cell_text(found.get((*key, label))) for key in ROWS)]
        for label in ("PER", *PARTS, "first strength x 5", "first strength / 5", "PER, inputs as they are")
    ]
    lines += [[f"{label}, trained as PER", *(cell_text(found.get((*key, label))) for key in ROWS)] for label in EQUAL]
    lines.append(
        ["MLP, inputs as they are", *(cell_text(found.get((*key, "MLP, inputs as they are"))) for key in ROWS)]
    )
    words = [
        f"- {NAMES[key]}: PER is {versus(found[(*key, 'PER')], [s for k, s in found.items() if k[:2] == key and k[2] != 'PER'])}."
        for key in ROWS
    ]
    return markdown_table(["test MSE", *(NAMES[key] for key in ROWS)], lines) + "\n\n" + "\n".join(words)


FRAGMENTS: dict[str, Callable[[], str]] = {
    "ablation": readme_ablation,
    "fair_tables": readme_tables,
    "motion": motion_numbers,
    "centring": centring,
    "code_motion": code_motion,
    "per_table1": per_table1,
    "per_table2": per_table2,
    "all_variants": notes_ablation,
    "first_strength": strengths_sentence,
    "found_group": found_sentence,
}


def rendered(text: str) -> str:
    """A page with every fragment made anew."""
    return BETWEEN.sub(lambda found: found[1] + FRAGMENTS[found[2]]() + found[3], text)


def page_paths() -> list[Path]:
    """The pages that have fragments."""
    return [paper_folder().parent / name for name in PAGES]


if __name__ == "__main__":
    for path in page_paths():
        path.write_text(rendered(path.read_text(encoding="utf-8")), encoding="utf-8")
