"""Pages of `ftlkit --html` in a real browser: Debian's Chromium, without a display and without a network."""

import os
import shutil
import signal
import subprocess
import threading
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

ROOT = Path(__file__).resolve().parents[2]
FTLKIT = Path(os.environ.get("FTLKIT", ROOT / "target/debug/ftlkit"))
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

SMALL = ["--capacity", "32MiB", "--requests", "20000"]
EIGHT = "page-level,2lgc+frontiers=split,lazy-rtgc+frontiers=split,gftl,fsr,dftl,rftl,lazy-rtgc-on-demand"
# The commands whose pages are tested, and how many plots each has.
PAGES = {
    "compare": (["compare", "uniform", *SMALL, "--schemes", "page-level,fsr,lazy-rtgc"], 5),
    "eight": (["compare", "uniform", *SMALL, "--schemes", EIGHT, "--deadline", "3ms"], 6),
    "ssd": (
        ["compare", "uniform", "--part", "ddt-mlc", "--channels", "4", "--capacity", "256MiB", "--requests", "5000"]
        + ["--precondition", "full+age=1"],
        6,
    ),
    "sweep": (
        ["sweep", "uniform", *SMALL, "--vary", "share=0.6..0.8:0.1", "--vary", "victim=greedy,fifo", "--seed", "1..2"]
        + ["--schemes", "page-level"],
        8,
    ),
    "choose": (
        ["choose", "uniform", *SMALL, "--deadline", "3ms", "--parts", "evaluation-slc"]
        + ["--schemes", "page-level,lazy-rtgc,2lgc"],
        1,
    ),
    "reproduce": (["reproduce", "lazy-rtgc", "--only", "table-2,fig-11"], 1),
}


# A call to the browser that never ended was seen twice in some 1,500 tests; which of the two hung is not known. So a test
# that takes longer than this many seconds, which is some hundred times its usual, loses its browser: the call fails and is
# shown, and the test is run once more in a new one. A second hang is a failure.
HANG = int(os.environ.get("FTLKIT_BROWSER_HANG_SECONDS", 600))


def kill_browsers():
    """Ends every process of Chromium below this one."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, rest = stat.read_text().split(" (", 1)
        except OSError:
            continue
        name, rest = rest.rsplit(") ", 1)
        parents[int(number)] = (name, int(rest.split()[1]))
    below = {os.getpid()}
    while more := {number for number, (_, parent) in parents.items() if parent in below} - below:
        below |= more
    for number in below:
        if parents.get(number, ("", 0))[0].startswith("chrom"):
            os.kill(number, signal.SIGKILL)


def pytest_runtest_protocol(item, nextitem):
    for is_last in (False, True):
        hung = threading.Event()
        watch = threading.Timer(HANG, lambda hung=hung: (hung.set(), kill_browsers()))
        watch.start()
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        watch.cancel()
        failed = [report for report in reports if report.failed]
        if hung.is_set() and failed and not is_last:
            item.config.get_terminal_writer().line(f"\n{item.nodeid} hung for {HANG} s; once more, in a new browser")
            for line in str(failed[0].longrepr).splitlines():
                if line.startswith((">", "E   ")) and "ERROR:" not in line:
                    item.config.get_terminal_writer().line(f"  {line[:200]}")
            item._initrequest()
            continue
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True


@pytest.fixture(scope="session")
def browsers():
    """Gives a browser, the same one until it dies."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed (Debian package `chromium`)")
    playwright = pytest.importorskip("playwright.sync_api", reason="the PyPI package `playwright` is not installed")
    with playwright.sync_playwright() as running:
        playwright.expect.set_options(timeout=0)
        started = []

        def alive():
            if not started or not started[-1].is_connected():
                started.append(running.chromium.launch(executable_path=CHROMIUM, args=QUIET, timeout=0))
            return started[-1]

        yield alive
        for browser in started:
            browser.close()


@pytest.fixture
def browser(browsers):
    return browsers()


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Makes each page once; gives its path and its number of plots."""
    folder = tmp_path_factory.mktemp("pages")

    def make(name):
        command, plots = PAGES[name]
        path = folder / f"{name}.html"
        if not path.exists():
            # 1: a bound or deadline was missed, which is no failure here.
            ran = subprocess.run([FTLKIT, *command, "--quiet", "--html", path], capture_output=True, text=True)
            assert ran.returncode in (0, 1) and path.exists(), ran.stderr
        return path, plots

    return make


@pytest.fixture
def opened(browser, made):
    """Opens a page from its file; at the end nothing may have been said on the console, or loaded."""
    contexts, faults = [], []

    def open_page(name, width=1200, height=900, **more):
        path, plots = made(name)
        context = browser.new_context(viewport={"width": width, "height": height}, **more)
        context.set_default_timeout(0)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: message.type in ("error", "warning") and faults.append(message.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda request: request.url.startswith(("file:", "data:", "blob:")) or faults.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-plots=ready]")
        return page, plots

    yield open_page
    if browser.is_connected():
        for context in contexts:
            context.close()
    assert faults == []


@pytest.fixture
def drawn(opened):
    """Opens a page and waits until all of its plots are drawn."""

    def draw(name, **more):
        page, plots = opened(name, **more)
        figures = page.locator("figure.plot")
        assert figures.count() == plots
        for at in range(plots):
            figures.nth(at).scroll_into_view_if_needed()
            figures.nth(at).locator(".main-svg").first.wait_for()
        return page, figures

    return draw
