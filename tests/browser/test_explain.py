"""The page of `ftlkit explain` in a browser: stepping, jumping, playing, keyboard, phone width and print."""

import subprocess

import pytest
from conftest import FTLKIT

RUNS = [("page-level", []), ("fast", []), ("gftl", []), ("lazy-rtgc", []), ("2lgc", ["--power-cut", "12,30"]), ("dftl", [])]


@pytest.fixture(scope="module", params=RUNS, ids=[run[0] for run in RUNS])
def file(request, tmp_path_factory):
    scheme, options = request.param
    path = tmp_path_factory.mktemp("explain") / f"{scheme}.html"
    subprocess.run([FTLKIT, "explain", scheme, "--html", str(path), *options], check=True, capture_output=True)
    return path


@pytest.fixture
def page(browser, file):
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    tab.set_default_timeout(0)
    faults = []
    tab.on("pageerror", lambda error: faults.append(str(error)))
    tab.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    tab.on("request", lambda asked: faults.append(asked.url) if not asked.url.startswith("file:") else None)
    tab.goto(file.as_uri())
    yield tab
    assert faults == [], "errors on the console, or requests to a network"
    tab.close()


# Steps through all frames by `button`, from frame `from` on; returns what one sees of each.
STEPS = """([button, from, steps]) => {
    const seen = () => ['array', 'caption', 'task', 'counts', 'lists', 'map', 'position', 'timeline']
        .map((id) => document.getElementById(id).outerHTML).join('\\n');
    show(from);
    const all = [seen()];
    for (let step = 1; step < steps; step++) { document.getElementById(button).click(); all.push(seen()); }
    return all.map((text) => { let hash = 7; for (const c of text) hash = (hash * 31 + c.codePointAt(0)) | 0; return hash; });
}"""


def frames(page):
    return page.evaluate("LAST + 1")


def present(page):
    return page.evaluate("present")


def test_it_opens_behind_the_fill(page):
    assert present(page) == page.evaluate("HEADER.first") > 0
    assert page.locator("#caption").inner_text() != ""


def test_steps_and_jumps_lead_to_the_same_state(page):
    last = frames(page) - 1
    forth = page.evaluate(STEPS, ["forward", 0, last + 1])
    assert len(set(forth)) == last + 1, "each frame looks different"
    back = page.evaluate(STEPS, ["back", last, last + 1])
    assert back[::-1] == forth
    for at in [*range(0, last, 37), last]:
        assert page.evaluate(STEPS, ["forward", at, 1]) == [forth[at]], f"jump to frame {at}"


def test_page_tasks_are_stepped_over(page):
    page.evaluate("show(HEADER.first)")
    seen = []
    while present(page) < frames(page) - 1:
        page.click("#forward-task")
        seen.append(present(page))
        assert len(seen) < 300
    ends = page.evaluate("STARTS.filter((at) => at > HEADER.first + 1).map((at) => at - 1).concat([LAST])")
    assert seen == ends
    for at in reversed(seen[:-1]):
        page.click("#back-task")
        assert present(page) == at


def test_keys(page):
    first = present(page)
    page.keyboard.press("ArrowRight")
    assert present(page) == first + 1
    page.keyboard.press("ArrowLeft")
    assert present(page) == first
    page.keyboard.press("End")
    assert present(page) == frames(page) - 1
    page.keyboard.press("Home")
    assert present(page) == first
    page.keyboard.press("Shift+ArrowRight")
    assert present(page) == page.evaluate("endOf(HEADER.first + 1)")


def test_it_plays_and_pauses(page):
    page.select_option("#speed", "15")
    page.locator("#caption").click()
    first = present(page)
    page.keyboard.press("Space")
    page.wait_for_function(f"present >= {first} + 3")
    page.click("#play")
    assert page.evaluate("timer") is None


def test_the_address_holds_the_frame(page, file):
    page.evaluate("show(HEADER.first + 5)")
    assert page.url.endswith(f"#frame={present(page)}")
    page.goto("about:blank")
    page.goto(f"{file.as_uri()}#frame=7")
    assert present(page) == 7
    page.evaluate("location.hash = '#frame=9'")
    page.wait_for_function("present === 9")


def test_a_bar_of_the_time_line_leads_to_its_task(page):
    task = page.evaluate("TASKS[3].end")
    page.locator("#timeline .task").nth(3).locator(".target").click(force=True)
    assert present(page) == task


def test_bars_are_as_high_as_their_times(page):
    heights = page.evaluate("""() => [...document.querySelectorAll('#timeline .task')].map((task) =>
        ['service', 'step'].map((part) => Number(task.querySelector(`rect.${part}`)?.getAttribute('height') || 0)))""")
    tasks = page.evaluate("TASKS.map((task) => [task.service, task.step])")
    longest = page.evaluate("Math.max(HEADER.bound.response_ns || 0, ...TASKS.map((task) => task.service + task.step))")
    for (service, step), (service_ns, step_ns) in zip(heights, tasks, strict=True):
        assert service == pytest.approx(150 * service_ns / longest, abs=0.01)
        assert step == pytest.approx(150 * step_ns / longest, abs=0.01)


def test_a_phone_shows_it_without_sideways_scrolling(page):
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_print_shows_the_present_frame(page, tmp_path):
    page.evaluate("show(HEADER.first + 3)")
    page.emulate_media(media="print")
    assert page.locator("#caption").is_visible()
    assert not page.locator("#play").is_visible()
    pdf = tmp_path / "page.pdf"
    page.pdf(path=str(pdf))
    assert pdf.read_bytes().startswith(b"%PDF")
