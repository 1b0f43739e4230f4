"""The golf ball, the paper's first example: gravity breaks some symmetries and wind breaks others, each by its own amount.

    python examples/05_golf_ball.py [--quick]

Six past positions of a ball are mapped to six future ones. Physics says what to expect:

- still air: gravity singles out z, so rotations and reflections about z (O(2)@z) are an exact symmetry, about x or y they are not;
- wind along y: it is much weaker than gravity, so O(2)@z becomes a soft symmetry. What remains exact is the reflection that exchanges
  left and right of the wind, x -> -x, the group O(1) on coordinate 0.

A model that can break any of them is fitted, and its equivariance errors are compared with those of the target function.
"""

from __future__ import annotations

import argparse

import softsym as ss

REFLECTION = "O(1)@3[0]"
GROUPS = ["O(2)@x", "O(2)@y", "O(2)@z", REFLECTION]


def examine(name: str, rows: int) -> None:
    """Fits one setting and prints the verdicts with the errors of the model and of the target function."""
    task = ss.task(name)
    x, y = (values.double().numpy() for values in task.sample(rows, seed=0))
    est = ss.SoftEquivariantRegressor(task.rep_in, task.rep_out, GROUPS).fit(x, y)

    # The ground truth is known here: how far the target function breaks each symmetry, by the same metric.
    probes = task.sample(200, seed=1)[0].double()
    print(f"\n{name}: {est.fit_.explained():.0%} of the variance of held-out flights explained")
    print(f"{'group':10s} {'verdict':8s} {'of the model':>13s} {'of the target':>14s}  note")
    for row in est.symmetries_:
        truth = ss.equivariance_error(task.target, probes, task.rep_in, task.rep_out, row.name)
        print(f"{row.name:10s} {row.verdict:8s} {row.error:13.3f} {truth:14.3f}  {row.note}")


def main(quick: bool = False) -> None:
    """Still air, then wind across the course."""
    settings = ["golfball:wind=y"] if quick else ["golfball:wind=none", "golfball:wind=y"]
    for name in settings:
        examine(name, rows=300 if quick else 600)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Which symmetries does the flight of a golf ball have?")
    parser.add_argument("--quick", action="store_true", help="wind only, fewer rows")
    main(parser.parse_args().quick)
