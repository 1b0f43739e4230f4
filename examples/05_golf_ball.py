"""The golf ball, the paper's first example: gravity breaks some symmetries, wind breaks others, and each by another amount.

    python examples/05_golf_ball.py [--quick]

Six past positions of a ball are mapped to six future ones. Physics says what to expect:

- still air: gravity singles out z, so turning about z (O(2)@z) is exact, about x or y it is not;
- wind along y: it is much weaker than gravity, so O(2)@z is not lost but only soft. What is left exactly is a mirror: left and
  right of the wind are alike, that is x -> -x, the group O(1) on coordinate 0.

A network is trained that could break any of them, and is asked afterwards which it kept.
"""

from __future__ import annotations

import argparse

import softsym as ss

MIRROR = "O(1)@3[0]"
GROUPS = ["O(2)@x", "O(2)@y", "O(2)@z", MIRROR]


def examine(name: str, rows: int, epochs: int) -> None:
    """Fits one setting and prints what was found beside what physics says."""
    task = ss.task(name)
    x, y = (values.double().numpy() for values in task.sample(rows, seed=0))
    est = ss.SoftEquivariantRegressor(
        task.rep_in, task.rep_out, GROUPS, width=32, epochs=epochs, strength=10.0, seeds=1
    )
    est.fit(x, y)

    # The truth is known here: how far the law itself breaks each symmetry, measured as for the model.
    probes = task.sample(200, seed=1)[0].double()
    print(f"\n{name}: {est.fit_.explained():.0%} of the variance of held-out flights explained")
    print(f"{'group':10s} {'verdict':8s} {'of the model':>13s} {'of the law':>11s}  note")
    for found in est.symmetries_:
        law = ss.metrics.data_error(task.target, probes, task.rep_in, task.rep_out, found.name)
        print(f"{found.name:10s} {found.verdict:8s} {found.error:13.3f} {law:11.3f}  {found.note}")


def main(quick: bool = False) -> None:
    """Still air, then wind across the course."""
    settings = ["golfball:wind=y"] if quick else ["golfball:wind=none", "golfball:wind=y"]
    for name in settings:
        examine(name, rows=600, epochs=60 if quick else 150)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Which symmetries does the flight of a golf ball have?")
    parser.add_argument("--quick", action="store_true", help="wind only, fewer epochs, a worse fit")
    main(parser.parse_args().quick)
