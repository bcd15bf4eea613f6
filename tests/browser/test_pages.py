"""What a reader sees and does on the pages of `ftlkit --html`."""

import itertools
import re
import subprocess

import pytest
from conftest import FTLKIT, PAGES
from playwright.sync_api import expect

# Lines, points and bars inside a plot.
MARKS = ".plot .point path, .plot .points path, .plot .js-line, .scatterlayer .js-line, .scatterlayer .point, .barlayer .point path"
LIGHT, DARK = (255, 255, 255), (13, 17, 23)


@pytest.mark.parametrize("name", PAGES)
def test_every_plot_has_marks_and_each_series_some(drawn, name):
    page, figures = drawn(name)
    for at in range(figures.count()):
        figure = figures.nth(at)
        title = figure.locator("figcaption").inner_text()
        assert figure.locator(MARKS).count() > 0, title
        traces = figure.locator(".canvas").evaluate("plot => plot.data.map(trace => trace.x.length)")
        legend = figure.locator(".legend button").all_inner_texts()
        assert len(traces) == len(legend) and all(points > 0 for points in traces), title


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_below_5_mb_and_names_nothing_to_load(made, name):
    path, _ = made(name)
    text = path.read_text()
    assert len(text.encode()) < 5_000_000
    assert "https://" not in text and "http://" not in text and " src=" not in text
    assert not [part for part in path.parent.iterdir() if part.suffix == ".part"]


def test_pointing_at_a_line_tells_its_value_with_its_unit(drawn):
    page, figures = drawn("compare")
    plot = figures.first.locator(".nsewdrag").first
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    words = ""
    # Down the plot in the middle of it, again and again, until the pointer comes near a line.
    for share in itertools.cycle(range(5, 100, 5)):
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * share / 100)
        page.wait_for_timeout(60)
        words = figures.first.locator(".hoverlayer").text_content()
        if words:
            break
    assert re.search(r"response of a page task: [\d.]+ ?(µs|μs|ms|s)share of", words), words
    assert any(scheme in words for scheme in ("page-level", "fsr", "lazy-rtgc")), words


def wait_until(page, so):
    """Waits until something is so, as long as it takes."""
    while not so():
        page.wait_for_timeout(20)


def ranges(figure):
    return figure.locator(".canvas").evaluate("plot => [plot._fullLayout.xaxis.range, plot._fullLayout.yaxis.range]")


def names_of_ticks(figure):
    return figure.locator(".xaxislayer-above .xtick text, .xtick text").all_text_contents()


def test_dragging_zooms_and_a_double_click_resets(drawn):
    page, figures = drawn("compare")
    figure = figures.first
    before, names = ranges(figure), names_of_ticks(figure)
    plot = figure.locator(".nsewdrag").first
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    x, y, width, height = (box[key] for key in ("x", "y", "width", "height"))
    page.mouse.move(x + width * 0.3, y + height * 0.3)
    page.mouse.down()
    page.mouse.move(x + width * 0.5, y + height * 0.6, steps=5)
    page.mouse.up()
    wait_until(page, lambda: ranges(figure) != before)
    zoomed = ranges(figure)
    assert zoomed[0][1] - zoomed[0][0] < 0.5 * (before[0][1] - before[0][0])
    assert zoomed[1] != before[1]
    assert len(names_of_ticks(figure)) > 1, "an axis without names"
    page.mouse.dblclick(x + width * 0.5, y + height * 0.5)
    wait_until(page, lambda: ranges(figure) == before and names_of_ticks(figure) == names)


def visible(figure):
    return figure.locator(".canvas").evaluate("plot => plot.data.filter(trace => trace.visible).map(trace => trace.name)")


def test_a_click_in_a_legend_hides_a_scheme_in_every_plot_and_a_double_click_all_others(drawn):
    page, figures = drawn("compare")
    of_schemes = [figures.nth(at) for at in range(figures.count()) if "fsr" in visible(figures.nth(at))]
    assert len(of_schemes) == 4
    lines = of_schemes[0].locator(".js-line").count()
    bounds = of_schemes[0].locator(".shapelayer path").count()
    entry = of_schemes[1].locator(".legend button", has_text="page-level")
    entry.click()
    for figure in of_schemes:
        assert visible(figure) == ["fsr", "lazy-rtgc"]
        assert figure.locator(".legend button", has_text="page-level").get_attribute("aria-pressed") == "false"
    assert of_schemes[0].locator(".js-line").count() == lines - 1
    # page-level and fsr have one bound, which goes with the last of them.
    assert of_schemes[0].locator(".shapelayer path").count() == bounds
    other = of_schemes[1].locator(".legend button", has_text="fsr")
    other.click()
    assert of_schemes[0].locator(".shapelayer path").count() == bounds - 1
    other.click()
    entry.click()
    assert visible(of_schemes[0]) == ["page-level", "fsr", "lazy-rtgc"]
    entry.dblclick()
    assert visible(of_schemes[2]) == ["page-level"]
    entry.dblclick()
    assert visible(of_schemes[2]) == ["page-level", "fsr", "lazy-rtgc"]


def test_bounds_and_deadlines_are_drawn(drawn):
    page, figures = drawn("eight")
    response, completion = figures.nth(0), figures.nth(1)
    assert response.locator(".shapelayer path").count() >= 5
    assert "bound 2220.9 µs" in response.locator(".annotation").all_text_contents()[0]
    assert completion.locator(".annotation").all_text_contents() == ["deadline 3ms"]
    page, figures = drawn("choose")
    assert figures.first.locator(".annotation").all_text_contents() == ["deadline 3ms"]


@pytest.mark.parametrize("name", PAGES)
def test_a_phone_scrolls_downwards_only(drawn, name):
    page, figures = drawn(name, width=390, height=844, is_mobile=True, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for at in range(figures.count()):
        box = figures.nth(at).locator(".main-svg").first.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 391


def luminance(rgb):
    linear = [c / 3294 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted([luminance(one), luminance(other)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


def rgb(page, selector, of):
    read = "([selector, of]) => getComputedStyle(document.querySelector(selector))[of]"
    numbers = page.evaluate(read, [selector, of]).split("(")[1].rstrip(")").split(",")
    return tuple(round(float(number)) for number in numbers[:3])


@pytest.mark.parametrize("scheme, ground", [("light", LIGHT), ("dark", DARK)])
def test_text_is_readable_in_light_and_in_dark(drawn, scheme, ground):
    page, _ = drawn("eight", color_scheme=scheme)
    assert rgb(page, "body", "backgroundColor") == ground
    for selector in ("body", ".quiet", ".good", ".bad", ".warning", ".legend small", "td", "summary"):
        if page.locator(selector).count():
            assert contrast(rgb(page, selector, "color"), ground) >= 4.5, selector
    for selector in (".xtick text", ".ytick text", ".xtitle"):
        assert contrast(rgb(page, selector, "fill"), ground) >= 4.5, selector
    # The black of the palette would not be seen on black.
    black = page.locator(".legend button", has_text="rftl").first.locator("svg path").first.get_attribute("stroke")
    assert contrast(tuple(int(black[at : at + 2], 16) for at in (1, 3, 5)), ground) >= 4.5, black


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_paper_has_every_plot_and_every_table_whole(opened, name, scheme, tmp_path):
    page, plots = opened(name, color_scheme=scheme)
    # What paper gets, seen before it is on paper: nothing has been scrolled to.
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert luminance(rgb(page, ".xtick text", "fill")) < 0.1, "drawn for a dark screen"
    page.emulate_media(media="print")
    figures = page.locator("figure.plot")
    for at in range(plots):
        assert figures.nth(at).locator(MARKS).count() > 0
        assert figures.nth(at).bounding_box()["height"] < 1000, "higher than a page"
        assert figures.nth(at).locator(".main-svg").first.bounding_box()["width"] <= 680, "wider than a page"
    assert page.locator("details:not([open])").count() == 0
    assert rgb(page, "body", "backgroundColor") == LIGHT and luminance(rgb(page, "body", "color")) < 0.1
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    pdf = tmp_path / "page.pdf"
    page.pdf(path=pdf, format="A4")
    text = subprocess.run(["pdftotext", "-layout", pdf, "-"], capture_output=True, text=True, check=True).stdout
    words = " ".join(text.split())
    for title in figures.locator("figcaption").all_inner_texts():
        assert " ".join(title.split())[1:40] in words, title
    for cell in page.locator("table").first.locator("tbody td:first-child").all_inner_texts():
        # A name may be broken into lines.
        assert cell.split("+")[0].split("\n")[0][:12].strip() in words, cell
    assert not page.locator("details[open]").count(), "folded again"


def test_a_click_on_a_heading_sorts_by_value(drawn):
    page, _ = drawn("eight")
    table = page.locator("table").first
    heading = table.locator("th", has_text="worst response")

    def worst():
        units = {"µs": 1, "ms": 1000}
        cells = table.locator("tbody tr").all()
        at = table.locator("th").all_inner_texts().index(heading.inner_text().split("\n")[0])
        texts = [row.locator("td").nth(at).inner_text().split() for row in cells]
        return [float(number) * units[unit] for number, unit in texts]

    heading.click()
    assert worst() == sorted(worst()) and heading.get_attribute("aria-sort") == "ascending"
    heading.click()
    assert worst() == sorted(worst(), reverse=True)


def test_the_command_is_copied_and_makes_the_same_page(drawn, made, tmp_path):
    page, _ = drawn("compare")
    path, _ = made("compare")
    block = page.locator(".copyable").first
    block.locator("button").click()
    expect(block.locator("button")).not_to_have_text("copy")
    command = block.locator("pre").inner_text()
    assert command.startswith("ftlkit compare uniform ")
    again = tmp_path / "again.html"
    command = command.replace(str(path), str(again)).replace("ftlkit", str(FTLKIT), 1)
    subprocess.run(["bash", "-c", command], check=True, capture_output=True)
    assert again.read_text().replace(str(again), str(path)) == path.read_text(), "same command, same bytes"


def test_without_the_library_a_page_has_its_tables_and_says_why(browser, made):
    path, _ = made("compare")
    context = browser.new_context()
    context.set_default_timeout(0)
    page = context.new_page()
    page.add_init_script("delete globalThis.DecompressionStream")
    page.goto(path.as_uri())
    expect(page.locator(".canvas").first).to_contain_text("too old")
    assert page.locator("table tbody tr").count() >= 3
    context.close()
