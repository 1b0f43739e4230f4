from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from tests.browser.conftest import REPORTS
from tests.discovery.example_reports import HOSTILE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

Open = Callable[..., "contextmanager[Page]"]
DESK, PHONE = (1280, 900), (360, 740)


def wait_until(page: Page, condition: str, seconds: float = 30.0) -> None:
    """Waits for a condition; asked from outside, since the page's policy lets nobody evaluate text inside."""
    for _ in range(int(20 * seconds)):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"not within {seconds:g} seconds: {condition}")


@pytest.fixture
def visit(browser: Browser, reports: Callable[[str], Path]) -> Open:
    """Opens a report, waits for its charts, and in the end insists that nothing was reported or requested."""

    @contextmanager
    def visited(name: str, size: tuple[int, int] = DESK, scheme: Literal["light", "dark"] = "light") -> Iterator[Page]:
        width, height = size
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, has_touch=size == PHONE
        )
        context.set_default_timeout(120_000)  # drawn without a graphics card, perhaps on busy cores
        page = context.new_page()
        complaints: list[str] = []
        requests: list[str] = []
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        url = reports(name).as_uri()
        page.goto(url)
        wait_until(page, "document.querySelectorAll('.chart:not(.js-plotly-plot)').length === 0")
        yield page
        context.close()
        assert complaints == []
        # Pictures inside the page are no requests to anybody.
        assert [seen for seen in requests if not seen.startswith(("data:", "blob:"))] == [url]

    return visited


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("name", REPORTS)
def test_page_is_quiet_complete_and_as_wide_as_the_screen(visit: Open, name: str, size: tuple[int, int]) -> None:
    with visit(name, size) as page:
        charts = page.locator(".chart")
        assert charts.count() > 0
        for chart in charts.all():
            assert chart.locator("svg.main-svg, canvas").count() > 0
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        assert page.locator("body").inner_text().count("undefined") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_screen_is_light_or_dark_with_text_that_can_be_read(visit: Open, scheme: Literal["light", "dark"]) -> None:
    other = {"light": "dark", "dark": "light"}
    with visit("report", scheme=scheme) as page:
        assert _is_readable(page, scheme)
        page.emulate_media(color_scheme=other[scheme])  # type: ignore[arg-type]
        page.wait_for_timeout(500)
        assert _is_readable(page, other[scheme])


def _is_readable(page: Page, scheme: str) -> bool:
    brightness = "(color) => color.match(/[\\d.]+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 765"
    ground = page.evaluate(f"({brightness})(getComputedStyle(document.body).backgroundColor)")
    ink = page.evaluate(f"({brightness})(getComputedStyle(document.body).color)")
    chart = page.evaluate(f"({brightness})(getComputedStyle(document.querySelector('#errors .xtick text')).fill)")
    dark = scheme == "dark"
    return bool((ground < 0.3) == dark and (ink > 0.7) == dark and (chart > 0.7) == dark)


def test_hostile_names_stay_text_everywhere(visit: Open) -> None:
    with visit("hostile") as page:
        for _ in range(3):
            page.locator("#orbit-angle").press("ArrowRight")
        page.locator("#orbit-group").select_option(index=1)
        page.locator("#errors .barlayer path").nth(1).hover(force=True)
        assert page.evaluate("typeof window.hacked") == "undefined"
        assert page.locator("main img, main a[href], main b, main script").count() == 0
        assert page.locator("tbody th", has_text=HOSTILE[1]).count() > 0
        assert page.locator("#orbit-group option").nth(0).text_content() == HOSTILE[0]
        ticks = page.locator("#errors .ytick text").all_text_contents()
        assert ticks[0].startswith("<img src=x")
        assert page.locator("#progress .legendtext").nth(1).text_content().startswith("</script><")  # type: ignore[union-attr]


def test_policy_stops_a_script_that_came_in_nevertheless(browser: Browser, reports: Callable[[str], Path]) -> None:
    whole = reports("report").read_text(encoding="utf-8")
    broken = reports("report").with_name("broken.html")
    attack = "<img src=x onerror='window.hacked=1'><script>window.hacked=1</script></main>"
    broken.write_text(whole.replace("</main>", attack, 1), encoding="utf-8")
    page = browser.new_page()
    page.goto(broken.as_uri())
    page.wait_for_selector(".js-plotly-plot")
    assert page.locator("main img").count() == 1
    assert page.evaluate("typeof window.hacked") == "undefined"
    page.close()


def test_orbit_moves_with_its_slider_and_keeps_the_readers_view(visit: Open) -> None:
    arrow = "() => { const div = document.getElementById('orbit-inputs'); return div.data.at(-1).x[1]; }"
    camera = "() => document.getElementById('orbit-inputs')._fullLayout.scene._scene.getCamera().eye"
    with visit("report") as page:
        before, words = page.evaluate(arrow), page.locator("#orbit-readout").inner_text()
        page.locator("#orbit-inputs").scroll_into_view_if_needed()
        box = page.locator("#orbit-inputs").bounding_box()
        assert box is not None
        middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        start = page.evaluate(camera)
        page.mouse.move(*middle)
        page.mouse.down()
        page.mouse.move(middle[0] + 80, middle[1], steps=4)
        page.mouse.up()
        turned = page.evaluate(camera)
        assert turned != pytest.approx(start)
        page.locator("#orbit-angle").fill("12")
        assert page.evaluate(arrow) != before
        assert page.locator("#orbit-readout").inner_text() != words
        assert "90°" in page.locator("#orbit-readout").inner_text()
        assert page.evaluate(camera) == pytest.approx(turned)


def test_orbit_of_another_group_and_output(visit: Open) -> None:
    drawn = "() => JSON.stringify(document.getElementById('orbit-component').data[0].y)"
    with visit("report") as page:
        first = page.evaluate(drawn)
        page.locator("#orbit-output").select_option(label="I_xx")
        second = page.evaluate(drawn)
        page.locator("#orbit-group").select_option(label="SO(3)")
        assert len({first, second, page.evaluate(drawn)}) == 3
        page.locator("#orbit-play").click()
        wait_until(page, "Number(document.getElementById('orbit-angle').value) > 1")
        page.locator("#orbit-play").click()
        assert page.locator("#orbit-play").inner_text() == "Play"


def test_no_button_sends_the_data_anywhere(visit: Open) -> None:
    with visit("report") as page:
        buttons = page.locator(".modebar-btn")
        kinds = {
            (button.get_attribute("data-title") or button.get_attribute("aria-label") or "") for button in buttons.all()
        }
        assert kinds <= {"Download plot as a PNG", "Reset axes", "Reset camera to default"}, kinds
        assert buttons.count() > 0


def test_outputs_are_paged(visit: Open) -> None:
    with visit("many") as page:
        assert page.locator("#panels h3").all_inner_texts()[0] == "output_0"
        page.locator("#panels-page").select_option(label="10 to 18")
        assert page.locator("#panels h3").all_inner_texts() == [f"output_{k}" for k in range(9, 18)]
        assert page.locator("#panels .js-plotly-plot").count() == 9
