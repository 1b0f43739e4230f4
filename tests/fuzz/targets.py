"""What is attacked. A target makes one damaged input from a generator and uses it: it may refuse, in one line, and nothing else.

Checkpoints and runs say more: what is read from damaged files is what was written, or what was written before.
"""

import contextlib
import gzip
import io
import json
import shutil
import warnings
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from unittest import mock

import numpy as np
import polars as pl
import torch
from lab.tests.experiments.small import record
from lab.tests.runs.small import spec

import softsym as ss
from softsym import native
from softsym.arrays import seed_of
from softsym.cli import main
from softsym.data.columns import Header
from softsym.data.table import read_table
from softsym.discovery import state as storage
from softsym.discovery.train import read_chosen
from softsym.errors import CheckpointWarning, InputError
from softsym.io import digest, dump_with_checksum, put_folder
from softsym.spaces import cache_folder, forget
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
REPS = ["V", "S", "5S + 5V", "T(2)", "T(2,1)", "V*V'", "3V + 2T(3)", "V'", "Grid(3,3)", "2V[0]*V[1]", "Regular", "P"]
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
    elif kind in ("feather", "arrow"):
        frame.write_ipc(buffer)
    else:
        frame.write_csv(buffer, separator="\t" if kind == "tsv" else ",")
    data = buffer.getvalue()
    return gzip.compress(data) if kind == "csv.gz" else data


def readers(rng, folder):
    kind = str(rng.choice(["csv", "tsv", "npz", "parquet", "feather", "arrow", "csv.gz"]))
    path = folder / f"rows.{kind}"
    path.write_bytes(mutate.bytes_of(_table(kind), rng))
    chosen = {} if kind == "npz" else {"x_columns": "x,y,z", "y_columns": "u,v,w"}
    rows = {"most_rows": int(rng.integers(1, 80))} if rng.random() < 0.3 else {}
    table = read_table(str(path), **chosen, **rows, drop_missing=bool(rng.random() < 0.3))
    assert np.isfinite(table.X).all()
    assert len(table.X) == len(table.Y)


def spaces(rng, folder):
    """Damaged or exchanged entries of the cache: the answer is right, or solved again."""
    questions = [("2V", "V", "SO(3)"), ("2V", "V", "O(3)"), ("V", "2V", "O(2)@z"), ("V + S", "T(2)", "S(3)")]
    with cache_folder(folder / "cache"):
        right = [ss.equivariant_maps(*asked).basis() for asked in questions]
        files = sorted((folder / "cache").iterdir())
        first, second = (files[int(k)] for k in rng.integers(len(files), size=2))
        data = second.read_bytes()
        first.write_bytes(data if rng.random() < 0.3 else mutate.bytes_of(data, rng))
        forget()
        for asked, basis in zip(questions, right, strict=True):
            assert np.allclose(ss.equivariant_maps(*asked).basis(), basis), asked
        forget()


def folders(rng, folder):
    """A folder with a damaged manifest, and perhaps a file of somebody else: that file stays."""
    target, thesis = folder / "results", folder / "results" / "thesis.txt"
    shutil.rmtree(target, ignore_errors=True)
    put_folder(target, lambda place: (place / "model.json").write_text("{}"))
    if rng.random() < 0.7:
        manifest = target / "manifest.json"
        manifest.write_bytes(mutate.bytes_of(manifest.read_bytes(), rng))
    thesis.write_text("ten years of work")
    try:
        put_folder(target, lambda place: (place / "model.json").write_text("{}"))
    finally:
        assert thesis.read_text() == "ten years of work"


def _odd_tensor(rng, size):
    """A tensor that may be of another size, type or layout than asked for, or whose memory is gone."""
    kind = int(rng.integers(8))
    dtype = [torch.float32, torch.float64, torch.float16, torch.int64][int(rng.integers(4)) if kind == 0 else 0]
    count = max(0, size + int(rng.integers(-3, 4))) if kind == 1 else 0 if kind == 2 else size
    tensor = torch.ones(2 * count, dtype=dtype)[::2] if kind == 3 else torch.ones(count, dtype=dtype)
    if kind == 4:
        tensor.untyped_storage().resize_(0)
    return tensor


def compiled(rng, folder):
    """Entry points of compiled code with tensors of any size: computed rightly or refused."""
    count, size = (int(k) for k in rng.integers(1, 30, size=2))
    index = rng.permutation(count * size + 5)[: count * size].reshape(count, size)
    places = count * size + 5
    matrix = torch.tensor(rng.standard_normal((size, size)), dtype=torch.float32)
    x, out = _odd_tensor(rng, places), _odd_tensor(rng, places)
    which = int(rng.integers(4))
    if which == 0:
        native.Blocks([native.SmallMatrices(index, matrix)], torch.float32).run([x], [out])
    elif which == 1:
        native.Quadratic([torch.ones(places)], [native.SmallMatrices(index, matrix)], torch.float32).quadratic([x])
    elif which == 2:
        spectra = native.SmallSpectra(index[None], np.ones((1, size)), np.eye(size)[None])
        native.Resolvent([torch.zeros(places)], [spectra], torch.float32).run_([x], 0.1)
    else:
        native.Projection([native.Subspace(0, index, None)]).run([x])


def regularizers(rng, folder):
    """Parameters whose data are exchanged after construction."""
    model = torch.nn.Linear(6, 9, bias=False)
    per = ss.EquivarianceRegularizer(model, ["O(3)", "O(2)@z"], "2V", "3V")
    if rng.random() < 0.5:
        per()
    odd = _odd_tensor(rng, 54)
    model.weight.requires_grad_(odd.is_floating_point())
    model.weight.data = odd.reshape(9, 6) if odd.numel() == 54 and odd.untyped_storage().nbytes() else odd
    step = [0.1, -1.0, float("nan"), "a", np.float32(0.2), None][int(rng.integers(6))]
    calls = [per, lambda: per.prox_(step), lambda: per.step_(step), per.initialize_, per.residuals]
    calls[int(rng.integers(len(calls)))]()


LINES = [
    ["inspect", "--in", "2V", "--out", "T(2)", "--groups", "O(3)", "O(2)@z", "--width", "8"],
    ["check", "DATA", "--x-columns", "x,y,z", "--in", "V", "--groups", "O(3)", "--json", "-"],
    ["propose", "DATA", "--x-columns", "x,y,z", "--in", "V"],
    ["predict", "nowhere", "DATA", "-o", "OUT"],
    ["discover", "DATA", "--in", "V", "--groups"],
]


def lines(rng, folder):
    """Command lines with words changed, dropped and doubled: exit 0, 1 or 2, and errors in one line."""
    path = folder / "rows.csv"
    path.write_bytes(_table("csv"))
    words = list(LINES[int(rng.integers(len(LINES)))])
    for _ in range(int(rng.integers(1, 4))):
        place, kind = int(rng.integers(len(words))), int(rng.integers(4))
        if kind == 0:
            words[place] = mutate.text_of([*GROUPS, *REPS, *COLUMNS, words[place]], rng)
        elif kind == 1:
            words.insert(place, str(words[int(rng.integers(len(words)))]))
        elif len(words) > 2:
            del words[place]
    words = [{"DATA": str(path), "OUT": str(folder / "out.csv")}.get(word, word).replace("\0", "") for word in words]
    if not words or words[0] not in ("inspect", "check"):  # others would begin to work where all is well
        words = [*words, "--in", "3Q"]
    out, err = io.StringIO(), io.StringIO()
    work = folder / "work"  # names that were changed are written there, not where the attack runs
    work.mkdir(exist_ok=True)
    with (
        mock.patch("sys.argv", ["softsym", *words]),
        redirect_stdout(out),
        redirect_stderr(err),
        contextlib.chdir(work),
    ):
        try:
            code = main.run()
        except SystemExit as ended:
            code = ended.code
    assert code in (None, 0, 1, 2), words
    errors = [line for line in err.getvalue().splitlines() if line.startswith("softsym: error")]
    assert "Traceback" not in err.getvalue(), words
    assert len(errors) <= 1
    assert all(len(line) < 3000 for line in errors)


@cache
def _model() -> dict[str, bytes]:
    X = np.random.default_rng(0).standard_normal((60, 3))
    est = ss.SoftEquivariantRegressor(
        "V", "V", ["O(3)"], model="network", network=ss.discovery.NetworkConfig(width=8, layers=2, epochs=2, seeds=1)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return storage.to_files(est.fit(X, 2 * X))


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
    spaces: 2,
    folders: 5,
    compiled: 10,
    regularizers: 3,
    lines: 2,
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
