"""What is attacked. A target makes one damaged input from a generator and uses it: it may refuse, in one line, and nothing else.

Checkpoints and runs say more: what is read from damaged files is what was written, or what was written before.
"""

import io
import json
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import torch
from lab.tests.experiments.small import record
from lab.tests.runs.small import spec

import softsym as ss
from softsym.data.columns import Header
from softsym.data.table import read_table
from softsym.discovery import state as storage
from softsym.discovery.train import read_chosen
from softsym.errors import CheckpointWarning, InputError
from softsym.inference.shape import seed_of
from softsym.io import digest, dump_with_checksum
from softsym.training import checkpoint, history
from softsym_lab.runs.run_folder import RunFolder
from tests.fuzz import mutate

GROUPS = [
    "O(3)",
    "SO(2)@z",
    "O(2)@(1,2,0)",
    "S(4)",
    "C(6)",
    "D(4)",
    "SL(2)",
    "Lorentz()",
    "O(2)@z | O(2)@x",
    "SO(3) * S(2)",
    "Scaling(3)",
    "O(2)@5[0,3]",
    "SO(2)@[[2,0],[0,1]]",
    "Group('swap', discrete=[[[0,1],[1,0]]])",
    "Trivial(3)",
    "SE(3)",
]
REPS = [
    "V",
    "S",
    "5S + 5V",
    "T(2)",
    "T(2,1)",
    "V*V'",
    "3V + 2T(3)",
    "V'",
    "Grid(3,3)",
    "2V[0]*V[1]",
    "Regular",
    "P",
]
COLUMNS = ["x,y,z", "x..z", "pos_*", "0..3", "'a b',c", "x1..x6,y?"]
NAMES = ["x", "y", "z", "pos_x", "pos_y", "a b", "c", *(f"x{k}" for k in range(8))]


def groups(rng, folder):
    text = mutate.text_of(GROUPS, rng)
    G = ss.group(text)
    assert ss.group(str(G)) == G, text


def reps(rng, folder):
    text = mutate.text_of(REPS, rng)
    rep = ss.rep(text)
    assert ss.rep(str(rep)) == rep, text
    rep.size(ss.O(3))


def columns(rng, folder):
    Header("it", tuple(NAMES)).select(mutate.text_of(COLUMNS, rng), "--x-columns")


def random_states(rng, folder):
    seed = seed_of(mutate.ODD[int(rng.integers(len(mutate.ODD)))])
    np.random.default_rng(seed)


@cache
def _table(kind: str) -> bytes:
    X = np.random.default_rng(0).standard_normal((60, 6)).round(3)
    frame = pl.DataFrame({name: X[:, k] for k, name in enumerate("xyzuvw")})
    buffer = io.BytesIO()
    if kind == "npz":
        np.savez(buffer, X=X[:, :3], Y=X[:, 3:])
    elif kind == "parquet":
        frame.write_parquet(buffer)
    else:
        frame.write_csv(buffer, separator="\t" if kind == "tsv" else ",")
    return buffer.getvalue()


def readers(rng, folder):
    kind = str(rng.choice(["csv", "tsv", "npz", "parquet"]))
    path = folder / f"rows.{kind}"
    path.write_bytes(mutate.bytes_of(_table(kind), rng))
    chosen = {} if kind == "npz" else {"x_columns": "x,y,z", "y_columns": "u,v,w"}
    table = read_table(str(path), **chosen)
    assert np.isfinite(table.X).all()
    assert len(table.X) == len(table.Y)


@cache
def _model() -> dict[str, bytes]:
    X = np.random.default_rng(0).standard_normal((60, 3))
    est = ss.SoftEquivariantRegressor(
        "V",
        "V",
        ["O(3)"],
        model="network",
        network=ss.discovery.NetworkConfig(width=8, layers=2, epochs=2, seeds=1),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return storage.to_files(est.fit(X, 2 * X).to_saved_model())


def models(rng, folder):
    files = dict(_model())
    if rng.random() < 0.3:
        name = str(rng.choice(list(files)))
        files[name] = mutate.bytes_of(files[name], rng)
    else:
        content = json.loads(files[storage.TEXT])
        content.pop("digest")
        content = mutate.value_in(content, rng)
        text = {"digest": digest(storage.canonical(content)), **content}
        files[storage.TEXT] = json.dumps(text).encode()
    target = folder / "model"
    target.mkdir(exist_ok=True)
    for name, data in files.items():
        (target / name).write_bytes(data)
    est = ss.load(target)
    est.predict(np.ones((2, 3)))


@cache
def _checkpoints(folder: Path) -> dict[str, bytes]:
    home = folder / "whole"
    for epoch in (1, 2):
        checkpoint.save(home, _saved(epoch))
    return {str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*") if path.is_file()}


def _saved(epoch):
    generator = torch.Generator().manual_seed(epoch)
    tensors = {"w": torch.randn(3, 4, generator=generator)}
    return checkpoint.Checkpoint(epoch, tensors, {"seconds": 0.1, "strengths": {"O(3)": 2.5 + epoch}})


def checkpoints(rng, folder):
    files = dict(_checkpoints(folder))
    name = str(rng.choice(list(files)))
    files[name] = mutate.bytes_of(files[name], rng)
    for file, data in files.items():
        path = folder / "damaged" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CheckpointWarning)
        read = checkpoint.latest(folder / "damaged")
    assert read is not None, "the one that is whole was not found"
    assert read.epoch in (1, 2)
    assert read.state == _saved(read.epoch).state, "a damaged state was believed"
    assert torch.equal(read.tensors["w"], _saved(read.epoch).tensors["w"]), "damaged weights were believed"


def runs(rng, folder):
    place = RunFolder(folder / "run")
    place.path.mkdir(exist_ok=True)
    for path in place.path.iterdir():
        path.unlink()
    result, wanted = record(spec()).result, spec()
    place.claim(wanted, resume=True)
    place.finish(torch.nn.Linear(2, 2), result)
    log = history.History(place.path / "history.jsonl")
    for epoch in (1, 2, 3):
        log.append({"epoch": epoch, "loss": 1 / epoch})
    file = place.path / str(rng.choice(["spec.json", "result.json", "model.safetensors", "history.jsonl"]))
    file.write_bytes(mutate.bytes_of(file.read_bytes(), rng))
    rows = history.read_history(place.path / "history.jsonl")
    assert rows == log.rows[: len(rows)], "a damaged row was believed"
    assert place.result() in (None, result), "a damaged result was believed"
    place.claim(wanted, resume=True)


def recipes(rng, folder):
    from softsym.discovery.config import Hyperparameters

    wanted = Hyperparameters(width=12).for_rows(100)
    file = folder / "hyperparameters.json"
    file.write_bytes(mutate.bytes_of(dump_with_checksum(wanted.model_dump(mode="json")).encode(), rng))
    assert read_chosen(file) == wanted, "damaged hyperparameters were believed"


TARGETS = {
    groups: 30,
    reps: 20,
    columns: 10,
    random_states: 1,
    readers: 15,
    models: 4,
    checkpoints: 10,
    runs: 5,
    recipes: 5,
}
"""What is attacked, and how often of a hundred cases."""


def attack(target, seed: int, folder: Path) -> str:
    """One case: ``used`` or ``refused``; anything else that happens is raised."""
    rng = np.random.default_rng([seed, list(TARGETS).index(target)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            target(rng, folder)
        except InputError as error:
            refusal = str(error)
        else:
            return "used"
    assert "\n" not in refusal, f"a refusal of several lines: {refusal}"
    assert "\x1b" not in refusal, f"a refusal that colours the terminal: {refusal!r}"
    return "refused"
