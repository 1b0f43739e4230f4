"""Recordings: tables whose rows come from several runs of the same thing, which differ from each other in parameters, noise and course.

Eight are simulated here; others are recorded or computed by others and read from a folder, where there is one. The built-in tasks, whose
rows are independent, are cut into parts that count as recordings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from softsym.typing import Array, Index

STEPS = 60
"""Rows of a simulated recording."""


@dataclass(frozen=True, eq=False)
class Recordings:
    """A data set.

    Args:
        name: Its name.
        X: Inputs.
        Y: Outputs.
        labels: The recording of every row.
        rep_in: How inputs transform.
        rep_out: How outputs transform.
        right: Candidates that hold.
        more: Candidates that a careful person would try as well.
        broken: One that does not hold.
        extrapolate: Constant or linear extrapolation: inputs to outputs.
        clean: Outputs without noise, where they are known.
    """

    name: str
    X: Array
    Y: Array
    labels: Index
    rep_in: str
    rep_out: str
    right: tuple[str, ...]
    more: tuple[str, ...]
    broken: str
    extrapolate: Callable[[Array], Array] | None = None
    clean: Array | None = None

    @property
    def measured_by(self) -> Array:
        """Outputs that predictions are compared with: without noise where they are known."""
        return self.Y if self.clean is None else self.clean


# Simulated.


def _join(parts: Iterable[tuple[Array, Array]]) -> tuple[Array, Array, Index]:
    """Rows of all recordings, and the recording of each."""
    pairs = list(parts)
    labels = np.repeat(np.arange(len(pairs)), [len(x) for x, _ in pairs])
    return np.concatenate([x for x, _ in pairs]), np.concatenate([y for _, y in pairs]), labels


def _smooth(rng: np.random.Generator, steps: int, size: int, keep: float = 0.9) -> Array:
    """A smooth random course, of about unit size."""
    out = np.zeros((steps, size))
    out[0] = rng.standard_normal(size)
    for k in range(1, steps):
        out[k] = keep * out[k - 1] + np.sqrt(1 - keep**2) * rng.standard_normal(size)
    return out


def aircraft() -> Recordings:
    """Flights with bank and ascent, seen from the ground in a steady wind of their own day: two velocities to the change of the next."""

    def flight(rng: np.random.Generator) -> tuple[Array, Array]:
        speed, heading = rng.uniform(60, 240), rng.uniform(0, 2 * np.pi)
        wind = np.append(rng.normal(0, 8, 2), 0.0)
        bank, ascent = (0.25 * _smooth(rng, STEPS + 3, 1, 0.95)[:, 0], 6 * _smooth(rng, STEPS + 3, 1, 0.97)[:, 0])
        v = np.zeros((STEPS + 3, 3))
        for k in range(STEPS + 3):
            v[k] = [speed * np.cos(heading), speed * np.sin(heading), ascent[k]]
            heading += 4.0 * 9.81 * np.tan(bank[k]) / speed
            speed += 4.0 * (-9.81 * ascent[k] / speed * 0.3 + 0.4 * rng.standard_normal())
            speed = np.clip(speed, 50, 260)
        ground = v + wind + 0.4 * rng.standard_normal(v.shape)
        return np.concatenate([ground[:-2], ground[1:-1]], axis=1)[:STEPS], (ground[2:] - ground[1:-1])[:STEPS]

    X, Y, labels = _join(flight(np.random.default_rng([1, k])) for k in range(16))
    return Recordings(
        "aircraft", X, Y, labels, "2V", "V", ("O(2)@z",), ("SO(2)@z", "C(4)@z"), "O(2)@x", lambda X: X[:, 3:] - X[:, :3]
    )


def drones() -> Recordings:
    """Multicopters with drag in gusts: velocity, thrust and mass to the velocity after a fifth of a second."""

    def flight(rng: np.random.Generator) -> tuple[Array, Array]:
        mass, drag, dt = rng.uniform(0.8, 2.0), rng.uniform(0.1, 0.4), 0.2
        gust = np.append(rng.normal(0, 1.0, 2), 0.0)
        thrust = 3.0 * _smooth(rng, STEPS, 3, 0.85) + np.array([0, 0, 9.81 * mass])
        v, rows = rng.normal(0, 2, 3), []
        for k in range(STEPS):
            air = v - gust * (1 + 0.3 * rng.standard_normal())
            after = v + dt * (thrust[k] / mass - [0, 0, 9.81] - drag / mass * np.linalg.norm(air) * air)
            rows.append((v, after))
            v = after
        before, after = (np.array(some) + 0.03 * rng.standard_normal((STEPS, 3)) for some in zip(*rows, strict=True))
        return np.concatenate([np.full((STEPS, 1), mass), before, thrust], axis=1), after

    X, Y, labels = _join(flight(np.random.default_rng([2, k])) for k in range(14))
    return Recordings(
        "drones", X, Y, labels, "S + 2V", "V", ("O(2)@z",), ("SO(2)@z", "C(2)@z"), "O(3)", lambda X: X[:, 1:4]
    )


def cars() -> Recordings:
    """Cars on a plane: four past positions to four future ones, about the last one; drivers and loads differ."""

    def drive(rng: np.random.Generator) -> tuple[Array, Array]:
        length, dt, lag = rng.uniform(2.4, 4.0), 0.5, rng.uniform(0.6, 0.95)
        heading, speed = rng.uniform(0, 2 * np.pi), rng.uniform(4, 15)
        wheel = 0.12 * _smooth(rng, 3 * STEPS, 1, 0.95)[:, 0]
        pedal = 0.8 * _smooth(rng, 3 * STEPS, 1, 0.95)[:, 0]
        p, points, steer = np.zeros(2), [], 0.0
        for k in range(3 * STEPS):
            steer = lag * steer + (1 - lag) * wheel[k]
            speed = np.clip(speed + dt * pedal[k] * 0.5, 1.0, 18.0)
            heading += dt * speed / length * np.tan(steer) * min(1.0, 8.0 / speed)
            p = p + dt * speed * np.array([np.cos(heading), np.sin(heading)])
            points.append(p + 0.05 * rng.standard_normal(2))
        track = np.array(points)
        starts = np.arange(0, len(track) - 8, 2)[:STEPS]
        past = np.stack([track[s : s + 4] - track[s + 3] for s in starts])
        future = np.stack([track[s + 4 : s + 8] - track[s + 3] for s in starts])
        return past[:, :3].reshape(len(starts), 6), future.reshape(len(starts), 8)

    X, Y, labels = _join(drive(np.random.default_rng([3, k])) for k in range(14))

    def extrapolate(X: Array) -> Array:
        return np.concatenate([-k * X[:, 4:6] for k in range(1, 5)], axis=1)

    return Recordings("cars", X, Y, labels, "3V", "4V", ("O(2)",), ("SO(2)", "C(4)"), "SL(2)", extrapolate)


def pendulums() -> Recordings:
    """Spherical pendulums of different lengths and friction: direction and velocity to direction and velocity a while later."""

    def swing(rng: np.random.Generator) -> tuple[Array, Array]:
        pull, friction, dt, inner_steps = rng.uniform(6, 14), rng.uniform(0.02, 0.2), 0.02, 10
        x = rng.standard_normal(3) - np.array([0, 0, 1.0])
        x /= np.linalg.norm(x)
        v = np.cross(x, rng.normal(0, 2.0, 3))
        states = []
        for _ in range(STEPS + 1):
            states.append(np.concatenate([x, v]))
            for _ in range(inner_steps):
                a = pull * np.array([0, 0, -1.0]) - friction * v
                v = v + dt * (a - (a @ x) * x)
                x, speed = x + dt * v, np.linalg.norm(v)
                x /= np.linalg.norm(x)
                v = v - (v @ x) * x
                v *= speed / np.linalg.norm(v)
        seen = np.array(states) + 0.01 * rng.standard_normal((STEPS + 1, 6))
        return seen[:-1], seen[1:]

    X, Y, labels = _join(swing(np.random.default_rng([4, k])) for k in range(14))
    return Recordings(
        "pendulums",
        X,
        Y,
        labels,
        "2V",
        "2V",
        ("O(2)@z",),
        ("SO(2)@z", "C(4)@z"),
        "O(3)",
        lambda X: np.concatenate([X[:, :3] + 0.2 * X[:, 3:], X[:, 3:]], axis=1),
    )


def winds() -> Recordings:
    """Nearly geostrophic winds: pressure gradient, curvature and latitude to the wind; friction differs from day to day."""

    def day(rng: np.random.Generator) -> tuple[Array, Array]:
        friction = rng.uniform(0.1, 0.5)
        slope = rng.normal(0, 1.0, 2) + 0.8 * _smooth(rng, STEPS, 2, 0.8)
        latitude = rng.uniform(0.7, 1.3) + 0.1 * rng.standard_normal((STEPS, 1))
        curve = 0.3 * _smooth(rng, STEPS, 1, 0.9)
        across = np.stack([slope[:, 1], -slope[:, 0]], axis=1)
        wind = (across * latitude - friction * slope) / (latitude**2 + friction**2)
        size = np.linalg.norm(wind, axis=1, keepdims=True)
        wind = wind * (1 + 0.3 * np.tanh(curve * size)) + 0.1 * rng.standard_normal(wind.shape)
        return np.concatenate([latitude, curve, slope], axis=1), wind

    X, Y, labels = _join(day(np.random.default_rng([5, k])) for k in range(16))
    return Recordings("winds", X, Y, labels, "2S + V", "V", ("SO(2)",), ("C(4)", "C(2)"), "O(2)")


def particles() -> Recordings:
    """Charged particles in a magnetic field along z that falls off to the side: place and velocity to the velocity a while later."""

    def path(rng: np.random.Generator) -> tuple[Array, Array]:
        charge, dt = rng.uniform(0.5, 2.0), 0.02
        x, v, states = rng.normal(0, 1.0, 3), rng.normal(0, 1.5, 3), []
        for _ in range(STEPS + 1):
            states.append(np.concatenate([x, v]))
            for _ in range(10):
                field = np.array([0, 0, 2.0 / (1 + 0.3 * (x[0] ** 2 + x[1] ** 2))])
                v = v + dt * charge * np.cross(v, field) - dt * 0.3 * x
                x = x + dt * v
        states_seen = np.array(states) + 0.02 * rng.standard_normal((STEPS + 1, 6))
        return np.concatenate([np.full((STEPS, 1), charge), states_seen[:-1]], axis=1), states_seen[1:, 3:]

    X, Y, labels = _join(path(np.random.default_rng([6, k])) for k in range(14))
    return Recordings(
        "particles", X, Y, labels, "S + 2V", "V", ("SO(2)@z",), ("C(4)@z", "O(2)@z"), "SO(3)", lambda X: X[:, 4:]
    )


def ships() -> Recordings:
    """Ships with one propeller, which pushes them to one side: two velocities, rudder and revolutions to the next velocity."""

    def voyage(rng: np.random.Generator) -> tuple[Array, Array]:
        inertia, side = rng.uniform(0.85, 0.95), rng.uniform(0.05, 0.15)
        rudder, power = 0.3 * _smooth(rng, STEPS + 2, 1, 0.9), 1 + 0.4 * _smooth(rng, STEPS + 2, 1, 0.9)
        heading, speed, drift, states = rng.uniform(0, 2 * np.pi), 3.0, 0.0, []
        for k in range(STEPS + 2):
            ahead = np.array([np.cos(heading), np.sin(heading)])
            states.append(speed * ahead + drift * np.array([-ahead[1], ahead[0]]))
            speed = inertia * speed + (1 - inertia) * 4.0 * power[k, 0]
            drift = 0.7 * drift + side * power[k, 0] - 0.3 * rudder[k, 0]
            heading += 0.25 * rudder[k, 0] * speed / 4.0 + 0.05 * side
        v = np.array(states) + 0.03 * rng.standard_normal((STEPS + 2, 2))
        return np.concatenate([rudder[1:-1], power[1:-1], v[:-2], v[1:-1]], axis=1), v[2:]

    X, Y, labels = _join(voyage(np.random.default_rng([7, k])) for k in range(14))
    return Recordings(
        "ships", X, Y, labels, "2S + 2V", "V", ("SO(2)",), ("C(4)", "C(2)"), "O(2)", lambda X: 2 * X[:, 4:] - X[:, 2:4]
    )


def planets() -> Recordings:
    """Two bodies that attract each other, masses known roughly: relative place and velocity to those a while later."""

    def orbit(rng: np.random.Generator) -> tuple[Array, Array]:
        mass, dt = rng.uniform(0.7, 1.5), 0.01
        x = rng.standard_normal(3)
        x *= rng.uniform(0.8, 1.6) / np.linalg.norm(x)
        v = np.cross(x, rng.standard_normal(3))
        v *= rng.uniform(0.7, 1.1) * np.sqrt(mass / np.linalg.norm(x)) / np.linalg.norm(v)
        states = []
        for _ in range(STEPS + 1):
            states.append(np.concatenate([x, v]))
            for _ in range(20):
                v = v - dt * mass * x / (0.02 + x @ x) ** 1.5
                x = x + dt * v
        seen = np.array(states) + 0.01 * rng.standard_normal((STEPS + 1, 6))
        known = np.full((STEPS, 1), mass * np.exp(0.05 * rng.standard_normal()))
        return np.concatenate([known, seen[:-1]], axis=1), seen[1:]

    X, Y, labels = _join(orbit(np.random.default_rng([8, k])) for k in range(14))
    return Recordings(
        "planets",
        X,
        Y,
        labels,
        "S + 2V",
        "2V",
        ("O(3)",),
        ("SO(3)", "O(2)@z"),
        "SL(3)",
        lambda X: np.concatenate([X[:, 1:4] + 0.2 * X[:, 4:], X[:, 4:]], axis=1),
    )


SIMULATED: dict[str, Callable[[], Recordings]] = {
    made.__name__: made for made in (aircraft, drones, cars, pendulums, winds, particles, ships, planets)
}


# Of others, read from a folder.


def table_tennis(folder: Path) -> Recordings:
    """Recorded flights of a ball."""
    from softsym_lab.tasks.table_tennis import TableTennis

    windows, flights = TableTennis(str(folder / "table_tennis" / "ball_trajectories.npz")).windows()
    points = windows.numpy()
    points = points - points[:, :6].mean(axis=1, keepdims=True)
    past, future = points[:, :6].reshape(len(points), 18), points[:, 6:].reshape(len(points), 18)
    few = flights < 40  # of 291: forty recordings are enough

    def extrapolate(X: Array) -> Array:
        last, step = X[:, 15:], X[:, 15:] - X[:, 12:15]
        return np.concatenate([last + k * step for k in range(1, 7)], axis=1)

    return Recordings(
        "table-tennis",
        past[few],
        future[few],
        flights[few],
        "6V",
        "6V",
        ("O(2)@z",),
        ("SO(2)@z", "O(2)@x"),
        "O(3)",
        extrapolate,
    )


def mocap(folder: Path) -> Recordings:
    """A runner: joints in coordinates that are even or odd under the body's reflection."""
    from softsym_lab.tasks.recorded.mocap import Mocap

    parts = Mocap(file=str(folder / "mocap_run" / "mocap_run.npz")).rows()
    X, Y = (np.concatenate([getattr(rows, name) for rows in parts.values()]) for name in ("x", "y"))
    labels = np.concatenate([rows.trial for rows in parts.values()])
    return Recordings("mocap", X, Y, labels, "100S + 86V", "50S + 43V", ("O(1)",), (), "Scaling(1)", _mocap_ahead)


def _mocap_ahead(X: Array) -> Array:
    """Positions thirty frames on: even coordinates first, then odd ones; velocities come after the positions of each."""
    return np.concatenate([X[:, :50] + 30 * X[:, 50:100], X[:, 100:143] + 30 * X[:, 143:]], axis=1)


def duct(folder: Path) -> Recordings:
    """Flow in a square duct: blocks of the raster count as recordings, and reflected blocks as the same one."""
    from softsym_lab.tasks.recorded.duct import Duct, from_mandel

    task = Duct(file=str(folder / "square_duct" / "square_duct.npz"))
    gradients, stresses, _ = task.rows()
    X = task._inputs(gradients, np.arange(len(gradients)))
    side = int(np.sqrt(len(X)))
    row, column = np.divmod(np.arange(len(X)), side)
    fold = [np.minimum(one, side - 1 - one) // 8 for one in (row, column)]
    labels = fold[0] * 8 + fold[1]
    return Recordings("duct", X, from_mandel(stresses), labels, "T(2)", "T(2)", ("D(2)@x",), ("D(4)@x",), "O(3)")


def zundel(folder: Path) -> Recordings:
    """Dipoles of the Zundel cation, positions about their mean."""
    file = np.load(folder / "zundel" / "zundel.npz")
    positions = file["positions"] - file["positions"].mean(axis=1, keepdims=True)
    labels = np.arange(len(positions)) // 50
    return Recordings(
        "zundel",
        positions.reshape(len(positions), -1),
        file["dipole"],
        labels,
        "7V",
        "V",
        ("O(3)",),
        ("SO(3)", "O(2)@z"),
        "SL(3)",
    )


def ethanol(folder: Path) -> Recordings:
    """Energies of ethanol along a trajectory, positions about their mean."""
    file = np.load(folder / "rmd17" / "ethanol_train.npz")
    positions = file["positions"] - file["positions"].mean(axis=1, keepdims=True)
    labels = np.arange(len(positions)) // 50
    energies = (file["energies"] - file["energies"].mean()).reshape(-1, 1)
    return Recordings(
        "ethanol",
        positions.reshape(len(positions), -1),
        energies,
        labels,
        "9V",
        "S",
        ("O(3)",),
        ("SO(3)", "O(2)@z"),
        "SL(3)",
    )


RECORDED: dict[str, Callable[[Path], Recordings]] = {
    "table-tennis": table_tennis,
    "mocap": mocap,
    "duct": duct,
    "zundel": zundel,
    "ethanol": ethanol,
}

# Built-in tasks.

TASKS = {
    "inertia:Oz(2)": "O(3)",
    "inertia:soft": "O(3)",
    "cossim:SO(3)": "SL(3)",
    "cossim:S(3)": "SL(3)",
    "cossim:soft": "SL(3)",
    "golfball:wind=none": "O(3)",
    "golfball:wind=y": "O(3)",
    "motion:symmetry-aware": "O(3)",
}
"""Built-in tasks and a group that each breaks."""


def built_in(name: str) -> Recordings:
    """A built-in task with 2 % noise: 900 rows in eighteen parts, or the recordings it has."""
    from softsym.datasets import task as read_task

    task = read_task(name)
    X, Y = (values.double().numpy()[:900] for values in task.observations(0))
    own = task.row_groups(0)
    labels = np.arange(len(X)) // 50 if own is None else np.asarray(own)[: len(X)]
    expected = {str(group): word for group, word in task.expected.items()}
    right = tuple(str(group) for group in task.groups if expected.get(str(group)) not in ("absent", None))
    right = right or ("O(2)@z",)  # vehicles on a plane
    more = tuple(str(group) for group in task.groups if str(group) not in right)
    Y = Y.reshape(len(Y), -1)
    noisy = Y + 0.02 * Y.std() * np.random.default_rng(0).standard_normal(Y.shape)
    extrapolate = _six_points_ahead if str(task.rep_in) == str(task.rep_out) == "6V" else None
    reps = str(task.rep_in), str(task.rep_out)
    return Recordings(name, X, noisy, labels, *reps, right, more, TASKS[name], extrapolate, Y)


def _six_points_ahead(X: Array) -> Array:
    last, step = X[:, 15:], X[:, 15:] - X[:, 12:15]
    return np.concatenate([last + k * step for k in range(1, 7)], axis=1)


def names(data: Path | None) -> list[str]:
    """All data sets, those of a folder if it is given."""
    return [*SIMULATED, *(RECORDED if data is not None else ()), *TASKS]


def read_recordings(name: str, data: Path | None = None) -> Recordings:
    """A data set by its name.

    Example:
        >>> read_recordings("winds").X.shape
        (960, 4)
    """
    if name in SIMULATED:
        return SIMULATED[name]()
    if name in RECORDED:
        assert data is not None, "the folder of recorded data is needed"
        return RECORDED[name](data)
    return built_in(name)
