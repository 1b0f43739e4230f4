"""All claims together, from a store."""

from lab.tests.experiments.small import PAPER

from softsym_lab.experiments.claims import OF_THE_PAPER
from softsym_lab.experiments.reproduce import claims
from softsym_lab.experiments.store import Store
from softsym_lab.experiments.table_spec import ORDER


def test_every_table_of_the_paper_is_judged():
    assert set(OF_THE_PAPER) == set(ORDER)


def test_all_claims_in_one_table(tmp_path):
    output = claims(Store(tmp_path), folder=PAPER)
    decided = [row for row in output.rendered.rows if row["status"] != "not yet"]
    assert {row["wanted"] for row in decided} == {0}  # without runs only what is computed can be decided
    assert f"{len(decided)} of {len(output.rendered.rows)} claims hold" in output.rendered.markdown
    assert "**not yet: 0 of 39 runs**" in output.rendered.markdown
    assert (tmp_path / "code" / "claims.md").exists()


def test_flights_are_judged_at_fast(tmp_path):
    texts = [row["text"] for row in claims(Store(tmp_path), "fast", folder=PAPER).rendered.rows]
    assert sum(text.startswith("flights, ") for text in texts) == 6
