"""Where the weights of RPP and PER lie."""

from dataclasses import replace

import pytest
from lab.tests.experiments.small import full_record, rendered, summaries

from softsym_lab.experiments.render.tables.parameters import layers


def weighed(run):
    """A record of a network of two layers, with weights 3-4-5 and 4-3-5 to the space."""
    confined = 3.0 + run.seed if run.model == "rpp" else None
    first = {"layer": 1, "inside": 3.0, "outside": 4.0, "confined": confined}
    second = {"layer": 2, "inside": 4.0, "outside": 3.0, "confined": confined}
    return replace(full_record(run), weights=[first, second])


def test_parts_are_relative_to_the_whole(tmp_path):
    for summary in summaries(tmp_path, "parameters", make=weighed):
        first, second = layers(summary)
        assert (first.place, first.inside, first.outside) == (1, pytest.approx(0.6), pytest.approx(0.8))
        assert (second.inside, second.outside) == (pytest.approx(0.8), pytest.approx(0.6))
        expected = None if summary.column.model != "rpp" else pytest.approx((0.6 + 0.8) / 2)
        assert first.confined == expected


def test_runs_without_recorded_weights_are_left_out(tmp_path):
    made = rendered(tmp_path, "parameters")
    assert "layer 1" not in made.markdown
    assert made.figures[""]() is not None


def test_every_layer_has_a_column_and_a_row_of_the_file(tmp_path):
    made = rendered(tmp_path, "parameters", make=weighed)
    assert "| layer 1 | layer 2 |" in made.markdown
    assert "| 0.8 | 0.6 |" in made.markdown
    assert len(made.figures[""]().axes) >= 2


def test_one_model_alone_is_drawn_too(tmp_path):
    """Warnings are errors here: an empty legend would be one."""

    def only_per(run):
        return weighed(run) if run.model == "per" else full_record(run)

    assert rendered(tmp_path, "parameters", make=only_per).figures[""]() is not None
