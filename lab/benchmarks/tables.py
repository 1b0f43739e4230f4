"""Prints the Markdown tables of the documentation from recorded results: ``python lab/benchmarks/tables.py [NAME ...]``.

``python lab/benchmarks/tables.py --write`` puts them into the README next to this file and into the docs, between
the comments that name them.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
STRATA_RATES = {
    "false_exact": 'false "exact"',
    "false_exact_unresolvable": "of finer ones",
    "false_refuted": "false refuted",
    "false_absent": 'false "absent"',
    "undecided": "undecided",
    "covers": "intervals cover",
    "covers_broken": "of broken ones",
    "certified_covers": "certified tolerance holds",
}
BASELINES = ("ridge regression", "kernel ridge regression", "gradient boosting", "MLP")


def recorded(name: str) -> Any:
    """What a suite recorded."""
    return json.loads((RESULTS / f"{name}.json").read_text())[name]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [[cell.replace("|", "\\|") for cell in row] for row in [head, ["---"] * len(head), *rows]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def rate(found: dict[str, Any] | None) -> str:
    """A count with its interval (Wilson) in percent."""
    if found is None or not found["of"]:
        return ""
    low, high = found["interval"]
    return f"{found['count']} of {found['of']} ({low:.1%} to {high:.1%})"


def list_name(name: str) -> str:
    """A list of the calibration as it is called now: records of the third one say "frozen", later ones have names that stay."""
    return "third" if name == "frozen" else name


def strata() -> str:
    """Error rates of verdicts by stratum (``python -m softsym_lab.benchmarks.calibration --json``)."""
    result = json.loads((RESULTS / "calibration-strata.json").read_text())["calibration-evidence"]
    head = [
        f"{list_name(result['part'])} list, {result['rows']} rows, noise {result['noise']}",
        "pairs",
        *STRATA_RATES.values(),
    ]
    rows = [
        [name, str(one["pairs"]), *(rate(one[key]) for key in STRATA_RATES)] for name, one in result["strata"].items()
    ]
    whole = result["strata"]["all"]
    power = [[f"violation {key}", rate(value)] for key, value in whole["power"].items()]
    rules = [[name, rate(two["false_exact"]), rate(two["exact_called_exact"])] for name, two in whole["rules"].items()]
    tables = [
        table(head, rows),
        table(["called soft or absent", "all strata"], power),
        table(["rule", 'false "exact"', "exact called exact"], rules),
    ]
    return "\n\n".join(tables)


def invariance() -> str:
    """How often verdicts stay the same in another order, with another seed, in another unit or frame."""
    result = json.loads((RESULTS / "calibration-changes.json").read_text())["calibration-evidence"]
    names = {key: f"another {key}" for key in ("order", "seed", "unit", "frame")} | {
        "all": "any of these",
        "contradictions": "both decided, and different",
    }
    head = [f"{list_name(result['part'])} list, {result['rows']} rows, noise {result['noise']}", "the same verdict"]
    return table(head, [[text, rate(result["invariance"][key])] for key, text in names.items()])


def again() -> str:
    """The same rates of strata that were run again with the final rule."""
    rows = [
        [f"{one['stratum']} of the {list_name(one['list'])} list, {one['rows']:,} rows", str(one["rates"]["pairs"])]
        + [rate(one["rates"][key]) for key in STRATA_RATES]
        for one in recorded("calibration-again")
    ]
    return table(["again, noise 0.05", "pairs", *STRATA_RATES.values()], rows)


def verdicts() -> str:
    """The rates of all strata in one sentence."""
    result = json.loads((RESULTS / "calibration-strata.json").read_text())["calibration-evidence"]
    whole = result["strata"]["all"]
    again = next(one["rates"] for one in recorded("calibration-again") if one["stratum"] == "all")
    right, exact, refuted, absent, undecided, covers = (
        whole[key]
        for key in ("right_of_decided", "false_exact", "false_refuted", "false_absent", "undecided", "covers")
    )
    return (
        f"On a list of {whole['pairs']:,} pairs of data ({result['rows']} rows, noise {result['noise']}) "
        "and group that the rule had not seen, "
        f"{right['count']} of {right['of']} decided verdicts are right:\n"
        f"{exact['count']} of {exact['of']} broken symmetries are called exact, {refuted['count']} of {refuted['of']} exact ones broken, "
        f"{absent['count']} of {absent['of']} falsely absent. {undecided['rate']:.0%} stay\n"
        f"undecided; {covers['rate']:.1%} of the 95 % intervals hold the true violation "
        "([by stratum](docs/concepts/evidence_statistics.md)).\n"
        f"Corrected in view of it, and run again: {again['right_of_decided']['count']} of {again['right_of_decided']['of']} right, "
        f"{again['false_exact']['count']} falsely exact, {again['false_refuted']['count']} falsely broken, "
        f"{again['false_absent']['count']} falsely absent."
    )


def recordings() -> str:
    """The estimator's root mean squared error over that of the baseline which cross-validation over recordings picks."""
    result = recorded("recordings")
    parts = ("right", "all", "broken")
    rows = [
        [f"`{line['set']}`, split {line['split']}", line["picked"], *(_ratio(line, part) for part in parts)]
        for line in result["splits"]
    ]
    means = [f"{result['geometric_mean'][part]:.2f}" for part in parts]
    head = ["recordings", "baseline", "right candidates", "all", "one more broken"]
    return table(head, [*rows, ["geometric mean", "", *means]])


def many_rows() -> str:
    """Unexplained shares and seconds by rows."""
    records = recorded("many-rows")["records"]
    counts = sorted({record["rows"] for record in records})
    by_model: dict[tuple[str, str], dict[int, str]] = {}
    for one in records:
        cell = (
            one["error"]
            if "error" in one
            else f"{one['unexplained']:.1e}, {one['seconds']:.0f} s, {one['megabytes']} MB"
        )
        by_model.setdefault((one["target"], one["model"]), {})[one["rows"]] = cell
    rows = [[target, model, *(cells.get(n, "") for n in counts)] for (target, model), cells in by_model.items()]
    return table(["target function", "model", *(f"{n:,} rows" for n in counts)], rows)


def molecules() -> str:
    """Errors of energies, dipoles and polarizabilities of molecules, and verdicts of their symmetries."""
    rows = []
    for one in recorded("molecules")["sets"]:
        groups = [f"`{name}` {word}, {one['evidence'][name]}" for name, word in one["verdicts"].items()]
        other = one["elsewhere"]
        errors = [f"{one[key]:.2g}" for key in ("error", "kernel_ridge")]
        elsewhere = f"{other['error']:.2g} ({other['what']}; {other['source']})" if other else ""
        name, seconds = f"{one['set']}, {one['unit']}", f"{one['seconds']:.0f}"
        rows.append([name, "; ".join(groups), *errors, elsewhere, seconds])
    count = recorded("molecules")["sets"][0]["rows"]
    head = [f"{count} rows", "verdicts of GP, evidence", "softsym GP", "kernel ridge", "elsewhere", "seconds"]
    return table(head, rows)


def _ratio(line: dict[str, Any], part: str) -> str:
    if part not in line:
        return ""
    low, high = line[f"{part}_interval"]
    return f"{line[part]:.2f} ({low:.2f} to {high:.2f})"


def null() -> str:
    """Verdicts on exactly symmetric data and on pure noise, and what a table costs."""
    result = recorded("evidence")
    found, time = result["null"], result["time"]
    levels = [(key.rsplit("_", 1)[1], p) for key, p in found.items() if key.startswith("kolmogorov_smirnov_p_at")]
    by_noise = ", ".join(f"noise {float(level):.0%}: {p:.2f}" for level, p in levels)
    verdicts = [
        ", ".join(f"{n} {word}" for word, n in one.items() if n) for one in (found["verdicts"], result["noise"])
    ]
    rows = [
        [
            "p-values against the uniform distribution, Kolmogorov and Smirnov",
            f"p = {found['kolmogorov_smirnov_p']:.2f} ({by_noise})",
        ],
        ["p-values up to 0.05", f"{found['below_0.05']:.1%}"],
        ["intervals that hold zero", f"{found['intervals_with_zero']:.0%}"],
        ["verdicts", verdicts[0]],
        ["verdicts on pure noise, 100 data sets, two groups", verdicts[1]],
        [
            "four groups, 1,000 rows, three outputs",
            f"{time['seconds']:.1f} s on two cores, {time['cpu_seconds']:.1f} s of the processor",
        ],
        ["its memory", f"{time['peak_megabytes'] / 1e3:.2f} GB"],
        ["its time over that of `KernelRidge` with the same grid", f"{time['ratio_to_kernel_ridge']:.2f}"],
        [
            "processor seconds by rows",
            ", ".join(f"{int(n):,}: {s:.1f}" for n, s in time["cpu_seconds_by_rows"].items()),
        ],
    ]
    return table([f"exactly symmetric, {found['sets']} data sets of 60 rows", ""], rows)


def prediction() -> str:
    """The Gaussian process and its baselines."""
    tasks = recorded("evidence")["prediction"]
    names = ("gp", "gp with a broken candidate", "kernel ridge", "cubic", "boosting", "perceptron")
    return table(
        ["task", *names], [[f"`{task}`", *(f"{found[name]:.2g}" for name in names)] for task, found in tasks.items()]
    )


def models() -> str:
    """The main job's model and its baselines, with all candidates, without the broken ones and with one more."""
    rows = []
    for case in recorded("models")["cases"]:
        left = {row["name"]: 1 - row["explained"] for row in case["all"]["baselines"]}
        variants = [
            f"{case[name]['unexplained']:.2g}" if name in case else ""
            for name in ("all", "without_broken", "one_more_broken")
        ]
        title = case["task"] if not case["task"].startswith("table_tennis") else f"flights, split {case['split']}"
        rows.append([f"`{title}`", case["all"]["model"], *variants, *(f"{left[name]:.2g}" for name in BASELINES)])
    return table(["task", "model", "all candidates", "without broken ones", "one more broken", *BASELINES], rows)


def baselines() -> str:
    """Soft equivariance of ordinary networks and its baselines, and each candidate alone where nothing holds."""
    costs, rows, alone = recorded("modules")["methods"], [], []
    for task, result in recorded("baselines").items():
        for name, row in result["rows"].items():
            if " at " in name:
                candidate, level = name.removeprefix("per, ").split(" at ")
                alone.append(
                    [task, f"`{candidate}`", level, f"{row['test_error'][0]:.3f}", _difference(row, "test_error")]
                )
                continue
            step = costs[task][next(way for way in WAYS if name.startswith(way))]
            rows.append(
                [
                    task,
                    name,
                    f"{row['test_error'][0]:.2g}",
                    _difference(row, "test_error"),
                    f"{row['test_error_transformed'][0]:.2g}" if "test_error_transformed" in row else "",
                    f"{row['equivariance_error'][0]:.2g}" if "equivariance_error" in row else "",
                    f"{step['cpu_milliseconds_a_step']:.1f}",
                    f"{step['peak_megabytes']:.0f}",
                    f"{row['cpu_seconds'][0]:.1f}",
                    _kept(result, row),
                    str(row["seeds"]),
                ]
            )
    head = ["task", "method", "test error", "less plain", "transformed", "equivariance error"]
    head += ["ms a step", "peak MB", "seconds in all", "kept what holds, ordered", "seeds"]
    fronts = [
        f"- {task}: {', '.join(name for name in result['better_and_faster_than_per'] if ' at ' not in name) or 'none'}"
        for task, result in recorded("baselines").items()
    ]
    return "\n\n".join(
        [
            table(head, rows),
            "No more error in less time than PER, so that it is not on the front:",
            "\n".join(fronts),
            "One candidate alone, where none holds:",
            table(["task", "candidate", "strength", "test error", "less plain"], alone),
        ]
    )


def propose() -> str:
    """How often proposals are right, part by part."""
    result = recorded("propose")
    parts = [part for part in PROPOSED if part in result]
    words = {
        "dimension_right_at_1000_rows_2_percent": "dimension right at 1,000 rows and 2 % noise",
        "sets_with_a_false_generator": "sets with a false generator",
        "sets_with_a_wrong_name": "sets with a wrong name",
    }
    rows = [["sets", *(str(result[part]["sets"]) for part in parts)]]
    rows += [[what, *(rate(result[part][key]) for part in parts)] for key, what in words.items()]
    cells = list(dict.fromkeys(cell for part in parts for cell in result[part]["dimension_right_by_rows_and_noise"]))
    rows += [
        [f"right at {cell}", *(rate(result[part]["dimension_right_by_rows_and_noise"].get(cell)) for part in parts)]
        for cell in cells
    ]
    rows.append(["median angle, degrees", *(_degrees(result[part]["angle_median_degrees"]) for part in parts)])
    rows.append(
        ["largest angle in all sets", *(_degrees(result[part]["angle_largest_degrees_in_all_sets"]) for part in parts)]
    )
    tasks = [
        [f"`{one['task']}`", str(one["dimension"]), str(one["found"]), ", ".join(one["groups"]) or "none"]
        for one in result["tasks"]
    ]
    golf = [
        [f"{one['gravity']:g}", f"{one['discover_degrees_off']:.2f}", ", ".join(one["discover"])]
        for one in result["golf_ball_in_a_wind"]
    ]
    speed = result["speed"]
    return "\n\n".join(
        [
            table(["", *(PROPOSED[part] for part in parts)], rows),
            "Built-in tasks:",
            table(["task", "true dimension", "found", "groups"], tasks),
            "A golf ball in a wind along (1, 2, 0) through the whole of `discover`, given no candidates:",
            table(["gravity", "degrees off", "verdicts"], golf),
            f"{speed['what']}: {speed['seconds']} s on two cores, {speed['seconds_of_processor']} s of the processor, "
            f"{speed['peak_megabytes']} MB.",
        ]
    )


def modules() -> str:
    """What the regularizer costs on ordinary networks, and how that grows with the parameters of a layer."""
    result = recorded("modules")
    overheads = [
        [
            name,
            f"{found['parameters'] / 1e6:.1f}",
            f"{found['cpu_seconds']['0']:.2f}",
            f"{found['ratio_1_group']:.2f}",
            f"{found['ratio_4_groups']:.2f}",
            f"{found['regularizer_alone_over_a_step']:.1%}",
            f"{found['peak_megabytes']['0']:.0f}, {found['peak_megabytes']['4']:.0f}",
            str(found["rounds"]),
        ]
        for name, found in result["overhead"].items()
    ]
    growth = [
        [
            f"{row['size']} x {row['size']}",
            f"{1e3 * row['cpu_seconds']:.2g}",
            f"{1e9 * row['cpu_seconds'] / row['parameters']:.2g}",
            f"{row['page_faults']:,}",
            f"{1e3 * row['weight_decay_cpu_seconds']:.3g}",
        ]
        for row in result["growth"]["rows"]
    ]
    head = ["network", "million parameters", "seconds a step", "one group over none", "four groups over none"]
    head += ["value and gradient of four groups, of a step", "peak MB without and with four", "rounds"]
    return "\n\n".join(
        [
            table(head, overheads),
            table(["layer", "ms", "ns a parameter", "page faults", "ms of weight decay"], growth),
            f"Growth with the number of parameters to the power {result['growth']['exponent']:.2f};"
            f" {result['growth']['last_factor']:.1f} times from the last layer but one to the last, which has four times as many.",
        ]
    )


def reliability() -> str:
    """Stress tests in one table."""
    found = recorded("reliability")
    fuzz, leaks, sanitize = found["fuzz"], found["leaks"], found["sanitize"]
    targets = fuzz["targets"].values()
    rows = [
        [
            "damaged input (`python -m tests.fuzz`)",
            f"{sum(one['cases'] for one in targets):,} cases, {sum(one['refused'] for one in targets):,} refused, {fuzz['failed']} failed",
            f"slowest {max(one['slowest'] for one in targets):.1f} s, peak {max(one['peak_gb'] for one in targets):.2f} GB",
        ],
        *(
            [
                f"{word} (`python -m tests.fuzz.signals`)",
                f"{one['count']} in all commands, {one['continued']} of them run again, {one['failed']} faults",
                f"to the end {one['median_seconds']:.2f} s (median), {one['longest_seconds']:.1f} s (longest); exit codes "
                + ", ".join(f"{code}: {count}" for code, count in one["exit_codes"].items()),
            ]
            for word, one in ((word, found[word]) for word in ("interrupts", "kills"))
        ),
        [
            "sanitizers (`.ci/run sanitize`)",
            f"{sanitize['networks']} networks, {sanitize['cases']:,} hostile cases",
            f"{sanitize['faults']} faults",
        ],
        [
            "fits in one process (`python -m tests.fuzz.leaks`)",
            f"{leaks['fits']} fits",
            f"after the first {leaks['warm']['fits']}: {leaks['grown']['megabytes']:+.1f} MB of {leaks['end']['megabytes']:.0f}, "
            f"{leaks['grown']['files']:+.0f} files, {leaks['grown']['threads']:+.0f} threads",
        ],
    ]
    load = [
        [
            *(f"{one[key]:,}" for key in ("rows", "columns", "groups", "outputs")),
            f"{one['first_output_seconds']:.1f}",
            f"{one['cpu_seconds']:.0f}",
            f"{one['peak_megabytes'] / 1000:.2f}",
            f"{one['verdicts'] - one['undecided'] - one['wrong']}, {one['undecided']}, {one['wrong']}",
        ]
        for one in found["load"].values()
    ]
    head = ["rows", "columns", "groups", "outputs", "first output, s", "processor, s", "peak, GB"]
    return "\n\n".join([table(["test", "", ""], rows), table([*head, "verdicts right, undecided, wrong"], load)])


def _degrees(angle: float | None) -> str:
    return "" if angle is None else f"{angle:.2g}"


def write(page: Path) -> None:
    """Replaces what stands between the comments that name a table and its end."""
    between = re.compile(r"(<!-- python lab/benchmarks/tables.py (\w+) -->\n\n).*?(\n\n<!-- end of \2 -->)", re.DOTALL)
    text = between.sub(lambda found: found[1] + TABLES[found[2]]() + found[3], page.read_text())
    page.write_text(text)


def _difference(row: dict[str, Any], key: str) -> str:
    """The difference to plain training with its standard error."""
    less, error = row[f"{key}_less_plain"]
    return f"{less:+.2g}" + ("" if not error else f" ± {error:.1g}")


def _kept(result: dict[str, Any], row: dict[str, Any]) -> str:
    """In how many seeds what holds was kept and nothing else, and in how many the candidates come in the order of the truth."""
    if "order" not in row:
        return ""
    names = result["candidates"]
    if result["finite_candidates"] and set(result["finite_candidates"]) == set(row["order"][0]):
        names = result["finite_candidates"]
    holds = {names[result["candidates"].index(name)] for name in result["holds"]}
    kept = [{name for name, strength in each.items() if strength} == holds for each in row["strengths"]]
    cell = f"{sum(kept)} of {len(kept)}"
    if result["planted_order"]:
        ordered = [order == result["planted_order"] for order in row["order"]]
        cell += f", {sum(ordered)} of {len(ordered)}"
    return cell


PROPOSED = {
    "targets": "listed",
    "earlier": "once fresh",
    "apart": "apart",
    "broken": "softly broken",
    "unnamed": "without a name",
    "fresh": "fresh",
}
WAYS = ("plain", "augmented", "sample penalty", "per")
TABLES = {
    "strata": strata,
    "again": again,
    "invariance": invariance,
    "verdicts": verdicts,
    "recordings": recordings,
    "many_rows": many_rows,
    "molecules": molecules,
    "null": null,
    "prediction": prediction,
    "models": models,
    "modules": modules,
    "baselines": baselines,
    "propose": propose,
    "reliability": reliability,
}

if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        folder = Path(__file__).parent
        sys.exit(
            any(
                map(
                    write,
                    (
                        folder / "README.md",
                        folder.parents[1] / "README.md",
                        *(folder.parents[1] / "docs").glob("*/*.md"),
                    ),
                )
            )
        )
    for name in sys.argv[1:] or TABLES:
        print(f"<!-- {name} -->\n\n{TABLES[name]()}\n")
