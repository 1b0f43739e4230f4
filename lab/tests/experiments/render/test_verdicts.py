"""What data said about symmetries, as a table."""

from dataclasses import replace

from lab.tests.experiments.small import record, summaries

from softsym_lab.experiments.render.verdicts import verdict_table

SAID = {
    "name": "O(2)@z", "verdict": "exact", "asymmetry": 0.0, "interval": [0.0, 0.01], "p_value": 0.5, "coverage": 0.9, "note": "",
}  # fmt: skip


def test_the_same_answer_of_several_seeds_is_one_line(tmp_path):
    def make(run):
        one = record(run)
        return replace(one, result=replace(one.result, verdicts=[SAID] if run.model == "gp" else []))

    text = verdict_table(summaries(tmp_path, "motion", make=make), "normalisation")
    assert text.count("| exact |") == 3  # one for each normalisation
    assert "| normalisation | seed | group | verdict |" in text
    assert "| scale-aware | 0 | O(2)@z | exact | 0 | 0 to 0.01 | 0.5 | 0.9 |  |" in text


def test_what_the_data_propose_is_marked(tmp_path):
    def make(run):
        one = record(run)
        return replace(
            one,
            result=replace(
                one.result,
                verdicts=[SAID | {"name": "SO(3) | inversion", "proposed": True}]
                if run.model == "gp"
                else [],
            ),
        )

    assert r"| SO(3) \| inversion (proposed) | exact |" in verdict_table(
        summaries(tmp_path, "motion", make=make)
    )


def test_nothing_asked_is_nothing_said(tmp_path):
    assert verdict_table(summaries(tmp_path, "motion")) == ""
