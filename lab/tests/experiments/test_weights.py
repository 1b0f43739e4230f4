"""Where weights lie: kept with a run, and found again in the picture."""

import math
from dataclasses import asdict, replace

import pytest
from lab.tests.experiments.engine_jobs import spec
from lab.tests.experiments.small import PAPER, record

from softsym.metrics import weight_parts
from softsym_lab.experiments.engines.engine import Job
from softsym_lab.experiments.engines.estimate import Estimate
from softsym_lab.experiments.engines.execute import execute, load_network
from softsym_lab.experiments.engines.local import Local
from softsym_lab.experiments.engines.run_missing import run_missing
from softsym_lab.experiments.render.tables.parameters import layers
from softsym_lab.experiments.reproduce import plan, render
from softsym_lab.experiments.store import Store
from softsym_lab.experiments.summary import summarise


def test_a_run_keeps_them_and_the_weights_of_an_earlier_one_are_looked_at(tmp_path):
    store, one = Store(tmp_path), spec(epochs=12)
    outcome = execute(Job(one, store.work(one)))
    assert outcome.status == "done", outcome.error
    file = store.work(one) / "model.safetensors"
    parts = weight_parts(load_network(one, file))
    assert [row["layer"] for row in outcome.record.weights] == list(range(1, len(parts) + 1))
    for row, part in zip(outcome.record.weights, parts, strict=True):  # six digits of each
        assert row == {
            name: value if value is None else pytest.approx(value, rel=1e-5) for name, value in asdict(part).items()
        }
        assert row["inside"] == float(f"{part.inside:.6g}")
    store.save(replace(outcome.record, weights=[]))
    assert Store(tmp_path).record(one).weights == []
    whole = file.read_bytes()
    for damaged in (whole[:100], whole[:-1] + bytes([whole[-1] ^ 1])):  # what cannot be trusted stops nothing
        file.write_bytes(damaged)
        run_missing([one], store, Local(1), Estimate({}), quiet=True)
        assert Store(tmp_path).record(one).weights == []
    file.write_bytes(whole)
    run_missing([one], store, Local(1), Estimate({}), quiet=True)
    assert Store(tmp_path).record(one).weights == outcome.record.weights


def test_the_picture_is_of_means_over_seeds(tmp_path):
    chosen, store = plan("parameters", "quick", 2, folder=PAPER), Store(tmp_path)
    for run in chosen.runs:
        sizes = (3.0, 4.0) if run.seed == 0 else (4.0, 3.0)
        confined = 2.5 if run.model == "rpp" else None
        rows = [{"layer": k, "inside": sizes[0], "outside": sizes[1], "confined": confined} for k in (1, 2)]
        store.save(replace(record(run), weights=rows))
    (part, cells), *_ = chosen.parts
    summaries = summarise(part, cells, store)
    for summary in summaries:
        first, second = layers(summary)
        assert (first.place, second.place) == (1, 2)
        assert first.outside == pytest.approx(0.7)
        assert first.inside == pytest.approx(0.7)
        assert first.confined == (pytest.approx(0.5) if summary.column.label == "RPP" else None)
    (output,) = render(chosen, store)
    assert "| Oz(2) | PER | 2/2 | 0.7 | 0.7 | 1 ± 0 | 1,234 |" in output.rendered.markdown
    assert math.isclose(output.rendered.rows[0]["outside"], 0.7)
