"""The page of `ftlkit explain` in a browser: stepping, jumping, playing, keyboard, phone width and print."""

import subprocess
from contextlib import contextmanager
from xml.etree import ElementTree

import pytest
from conftest import FTLKIT

RUNS = [("page-level", []), ("fast", []), ("gftl", []), ("lazy-rtgc", ["--channels", "2", "--dies", "2"]), ("2lgc", ["--power-cut", "12,30"]), ("dftl", [])]


@pytest.fixture(scope="module", params=RUNS, ids=[run[0] for run in RUNS])
def file(request, tmp_path_factory):
    scheme, options = request.param
    path = tmp_path_factory.mktemp("explain") / f"{scheme}.html"
    subprocess.run([FTLKIT, "explain", scheme, "--html", str(path), *options], check=True, capture_output=True)
    return path


@contextmanager
def opened(browser, file):
    """A tab with a page; at the end nothing may have been said on the console, or asked of a network."""
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


@pytest.fixture
def page(browser, file):
    with opened(browser, file) as tab:
        yield tab


# Steps through all frames by `button`, from frame `from` on; returns what one sees of each.
STEPS = """([button, from, steps]) => {
    const seen = () => ['array', 'caption', 'task', 'counts', 'lists', 'map', 'position', 'timeline', 'lanes-section']
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


def until(page, expression):
    """Waits for it. `wait_for_function` evaluates a text within the page, which the page's policy forbids."""
    while not page.evaluate(expression):
        page.wait_for_timeout(25)


def test_it_plays_and_pauses(page):
    page.select_option("#speed", "15")
    page.locator("#caption").click()
    first = present(page)
    # A key or a click that a busy browser loses is given again.
    while page.evaluate("timer") is None:
        page.keyboard.press("Space")
    until(page, f"present >= {first} + 3")
    while page.evaluate("timer") is not None:
        page.click("#play")
    assert page.evaluate("timer") is None


def test_the_address_holds_the_frame(page, file):
    page.evaluate("show(HEADER.first + 5)")
    assert page.url.endswith(f"#frame={present(page)}")
    page.goto("about:blank")
    page.goto(f"{file.as_uri()}#frame=7")
    assert present(page) == 7
    page.evaluate("location.hash = '#frame=9'")
    until(page, "present === 9")


def test_a_bar_of_the_time_line_leads_to_its_task(page):
    task = page.evaluate("TASKS[3].end")
    page.locator("#timeline .task").nth(3).locator(".target").click(force=True)
    assert present(page) == task


def test_bars_are_as_high_as_their_times(page):
    heights = page.evaluate("""() => [...document.querySelectorAll('#timeline .task')].map((task) =>
        ['service', 'step'].map((part) => Number(task.querySelector(`rect.${part}`)?.getAttribute('height') || 0)))""")
    tasks = page.evaluate("TASKS.map((task) => [task.service, task.step])")
    longest = page.evaluate("Math.max(...TASKS.map((task) => task.service + task.step))")
    bound = page.evaluate("HEADER.bound.response_ns || 0")
    longest = max(longest, bound if bound <= 5 * longest else 0)
    for (service, step), (service_ns, step_ns) in zip(heights, tasks, strict=True):
        assert service == pytest.approx(150 * service_ns / longest, abs=0.01)
        assert step == pytest.approx(150 * step_ns / longest, abs=0.01)


def test_buses_and_dies_show_when_each_operation_runs(page, file):
    assert page.locator("#lanes-section").is_visible() == (file.stem == "lazy-rtgc")
    if file.stem != "lazy-rtgc":
        return
    names = page.evaluate("[...document.querySelectorAll('.lane-name')].map((name) => name.textContent)")
    assert names == ["channel 0: bus", "channel 1: bus", "die 0.0", "die 0.1", "die 1.0", "die 1.1"]
    count = page.evaluate("SPANS.length")
    drawn = "[...document.querySelectorAll('.span')].map((bar) => ['x', 'width', 'y'].map((key) => Number(bar.getAttribute(key))))"
    spans, bars, scale = page.evaluate("SPANS.map(({ span }) => span)"), page.evaluate(drawn), page.evaluate("lanes.scale")
    assert count == len(bars) > 150
    for (lane, begin, end), (x, width, y) in zip(spans, bars, strict=True):
        assert (x, width) == pytest.approx((begin * scale, max(1, (end - begin) * scale)), abs=0.01)
        assert y == page.evaluate(f"lanesRows().rows[{lane}].y")
    page.locator(".span").nth(40).dispatch_event("click")
    assert present(page) == page.evaluate("SPANS[40].at")
    marked = "SPANS.filter((one, at) => lanes.bars[at].classList.contains('{}')).map(({{ at }}) => at)"
    now, of_task, later = (page.evaluate(marked.format(name)) for name in ("now", "of-task", "later"))
    assert set(now) == {present(page)} <= set(of_task)
    assert len(later) == page.evaluate("SPANS.filter(({ at }) => at > present).length")
    picture = ElementTree.fromstring(page.evaluate("picture()"))
    assert sum("span" in (bar.get("class") or "").split() for bar in picture.iter()) == count + 4, "a picture has them, with a legend"


def test_the_text_ends_with_the_counts_of_the_page(page, file):
    page.evaluate("show(LAST)")
    counts = page.evaluate("[...document.getElementById('counts').children].map((pair) => [...pair.children].map((part) => part.textContent))")
    options = dict(RUNS)[file.stem]
    text = subprocess.run([FTLKIT, "explain", file.stem, "--text", *options], check=True, capture_output=True, text=True).stdout
    told = " ".join(text[text.rindex("In all: ") :].split("\nresponses: ")[0].removeprefix("In all: ").split())
    shown = [f"{name} {value}" if name == "WAF" else f"{value} {name}" for name, value in counts]
    assert told.split(", ") == shown[:6]


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


def test_a_step_is_saved_as_a_picture(page):
    page.evaluate("show(Math.floor(LAST / 2))")
    picture = ElementTree.fromstring(page.evaluate("picture()"))
    texts = [text.text or "" for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    caption = page.locator("#caption").inner_text()
    assert caption in " ".join(texts), "its caption, in lines"
    labels = page.evaluate("CELLS.map(({ label }) => label.textContent)")
    assert [text for text in texts if text in labels] != [] and "var(" not in page.evaluate("picture()")
    with page.expect_event("console", lambda message: message.text == "saved", timeout=0):
        page.evaluate("""() => {
            HTMLAnchorElement.prototype.click = function () { console.log(this.download.endsWith(`-frame-${present}.svg`) ? "saved" : this.download); };
        }""")
        page.keyboard.press("s")


PAIRS = [("lazy-rtgc", "page-level"), ("fast", "dftl")]


@pytest.fixture(scope="module", params=PAIRS, ids=["-".join(pair) for pair in PAIRS])
def both(request, tmp_path_factory):
    left, right = request.param
    path = tmp_path_factory.mktemp("beside") / "both.html"
    subprocess.run([FTLKIT, "explain", left, "--beside", right, "--html", str(path)], check=True, capture_output=True)
    return path


@pytest.fixture
def beside(browser, both):
    with opened(browser, both) as tab:
        yield tab


# The request that each side is at: its number, whether it is of the fill, and what it asks.
REQUESTS = """() => SIDES.map(({ FRAMES }, side) => {
    const begun = FRAMES.slice(0, PAIRS[present][side] + 1).filter((frame) => frame.type === 'task').pop();
    return begun && [begun.number, begun.fill, begun.op, begun.lpn];
})"""


def test_both_are_always_at_the_same_request(beside):
    assert present(beside) == beside.evaluate("FIRST") > 0
    beside.evaluate("show(0)")
    seen = set()
    for at in range(frames(beside)):
        assert present(beside) == at
        left, right = beside.evaluate(REQUESTS)
        assert left == right, f"frame {at}"
        seen.add(str(left))
        beside.evaluate("document.getElementById('forward').click()")
    assert len(seen) == 1 + beside.evaluate("SIDES[0].FRAMES.filter((frame) => frame.type === 'task').length")
    # Each frame of each side is shown.
    for side in (0, 1):
        assert beside.evaluate(f"new Set(PAIRS.map((pair) => pair[{side}])).size === SIDES[{side}].FRAMES.length")


def test_keys_step_both_and_whole_requests_end_together(beside):
    beside.locator("h1").first.click()
    beside.keyboard.press("Home")
    beside.keyboard.press("Shift+ArrowRight")
    assert beside.evaluate("ENDS.includes(present)") and beside.evaluate(REQUESTS)[0][:2] == [1, False]
    end = present(beside)
    beside.keyboard.press("ArrowRight")
    assert present(beside) == end + 1 and beside.evaluate(REQUESTS)[1][0] == 2
    beside.keyboard.press("Shift+ArrowLeft")
    assert present(beside) == end
    beside.keyboard.press("End")
    ends = beside.evaluate("SIDES.map(({ FRAMES }, side) => PAIRS[present][side] === FRAMES.length - 1)")
    assert ends == [True, True]


def test_the_table_is_of_one_moment_and_bars_have_one_scale(beside):
    for at in beside.evaluate("[FIRST + 3, Math.floor((FIRST + LAST) / 2), LAST]"):
        beside.evaluate(f"show({at})")
        rows = beside.evaluate("[...document.querySelectorAll('#both tr')].map((row) => [...row.children].map((cell) => cell.textContent))")
        assert rows[0][0] == "host writes" and rows[0][1] == rows[0][2], "both have ended the same requests"
    figures = {name: values for name, *values in rows}
    for side in (0, 1):
        tasks = beside.evaluate(f"SIDES[{side}].TASKS.map((task) => task.service + task.step)")
        assert figures["longest response"][side] == beside.evaluate("(ns) => SIDES[0].timeText(ns)", max(tasks))
    scales = beside.evaluate("""() => [0, 1].map((side) => {
        const bar = document.getElementById(`side-${side}`).shadowRoot.querySelector('#timeline .task rect.service');
        return Number(bar.getAttribute('height')) / SIDES[side].TASKS[0].service;
    })""")
    assert scales[0] == pytest.approx(scales[1])


def test_a_bar_of_a_side_leads_both_to_its_request(beside):
    beside.evaluate("document.getElementById('side-1').shadowRoot.querySelectorAll('#timeline .task')[6].dispatchEvent(new Event('click'))")
    left, right = beside.evaluate(REQUESTS)
    assert left == right and left[0] == 7 and beside.evaluate("ENDS.includes(present)")


def test_both_on_a_phone_in_print_and_as_a_picture(beside, tmp_path):
    beside.set_viewport_size({"width": 390, "height": 800})
    assert beside.evaluate("document.documentElement.scrollWidth") <= 390
    tops = beside.evaluate("[0, 1].map((side) => document.getElementById(`side-${side}`).getBoundingClientRect().top)")
    assert tops[1] > tops[0] + 300, "stacked"
    beside.set_viewport_size({"width": 1280, "height": 900})
    tops = beside.evaluate("[0, 1].map((side) => document.getElementById(`side-${side}`).getBoundingClientRect().top)")
    assert tops[0] == tops[1]
    beside.pdf(path=str(tmp_path / "both.pdf"))
    words = subprocess.run(["pdftotext", str(tmp_path / "both.pdf"), "-"], check=True, capture_output=True, text=True).stdout
    assert words.count("Page tasks") == 2 and "speed" not in words
    beside.evaluate("show(LAST - 3)")
    picture = ElementTree.fromstring(beside.evaluate("picture()"))
    inner = picture.findall("{http://www.w3.org/2000/svg}svg")
    assert len(inner) == 2 and float(inner[1].get("x")) == float(inner[0].get("width"))
