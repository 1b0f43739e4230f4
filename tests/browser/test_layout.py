"""Nothing on the page overlaps, at any width, in either light, with any number of outputs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.test_report import Open
from tests.browser.test_report import visit as visit  # a fixture

pytestmark = pytest.mark.browser

BOXES = """() => {
  const box = (node) => { const r = node.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };
  const seen = (nodes) => [...nodes].filter((node) => node.getClientRects().length);
  const cards = seen(document.querySelectorAll("main .card"));
  const charts = seen(document.querySelectorAll(".chart"));
  return {
    cards: cards.map(box),
    inside: charts.map((chart) => [box(chart.closest(".card")), box(chart.querySelector("svg.main-svg, canvas"))]),
    captions: charts.map((chart) => chart.closest("figure").querySelector("figcaption").textContent.trim()),
    labels: charts.map((chart) => [".xtick text", ".ytick text", ".legendtext"].map((what) => seen(chart.querySelectorAll(what)).map(box))),
  };
}"""


def overlap(one: list[float], other: list[float], slack: float = 1.0) -> bool:
    """Whether two boxes (left, top, right, bottom) share more than a border."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return across > slack and down > slack


def pairs(boxes: list[Any]) -> list[tuple[Any, Any]]:
    return [(one, other) for k, one in enumerate(boxes) for other in boxes[:k]]


def test_the_measure_sees_an_overlap() -> None:
    assert overlap([0, 0, 10, 10], [5, 5, 15, 15])
    assert not overlap([0, 0, 10, 10], [10, 0, 20, 10])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.parametrize("outputs", [1, 3, 9])
def test_nothing_overlaps(visit: Open, outputs: int, width: int, scheme: str) -> None:
    with visit(f"{outputs} outputs", (width, 900), scheme) as page:
        page.wait_for_timeout(300)
        found = page.evaluate(BOXES)
        assert page.locator("#panels .chart").count() == outputs
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert [pair for pair in pairs(found["cards"]) if overlap(*pair)] == []
    for card, chart in found["inside"]:
        assert card[0] - 1 <= chart[0]
        assert chart[2] <= card[2] + 1
        assert chart[3] <= card[3] + 1
    assert all(found["captions"])
    for chart in found["labels"]:
        for kind in chart:
            assert [pair for pair in pairs(kind) if overlap(*pair, slack=2.0)] == []
