"""The victim policy of docs/own-scheme.md in Python: what the page shows runs, and is the policy of the example in Rust."""

import collections
import json
import os
import re
import subprocess
from pathlib import Path

import ftlkit
import pytest

from conftest import ROOT, SMALL
from test_policy import figures, run

PAGE = ROOT / "docs/own-scheme.md"
#: With so much spare space there are blocks of which half is invalid.
SCHEMES = ("page-level+share=0.8", "2lgc+share=0.8")
SOURCE = ROOT / "examples/own-scheme/src/second_look.rs"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def second_look():
    [code] = blocks("python")
    space = {"ftlkit": ftlkit, "collections": collections}
    exec(compile(code, str(PAGE), "exec"), space)
    return space["SecondLook"]


def test_the_class_of_the_page_runs_without_violations(second_look):
    for scheme in SCHEMES:
        found = run("second-look", scheme)
        assert found.violations == 0 and found.waf > 1
        # There are blocks that wait for a second look.
        assert figures(found) != figures(run("fifo", scheme))


def test_it_chooses_as_a_policy_of_rust_where_their_rules_are_one(second_look):
    """With no first look it is `fifo`, which is in Rust."""
    [code] = blocks("python")
    code = code.replace("(self.pages // 2, self.pages - 1)", "(self.pages - 1,)").replace("second-look", "one-look")
    exec(compile(code, "one-look", "exec"), {"ftlkit": ftlkit, "collections": collections})
    for scheme in SCHEMES:
        assert figures(run("one-look", scheme)) == figures(run("fifo", scheme))


def test_it_has_the_figures_of_the_example_in_rust(second_look, toml):
    # The tests of the example in Rust build the first.
    places = (ROOT / "target/debug/own-scheme", ROOT / "target/release/own-scheme")
    if named := os.environ.get("OWN_SCHEME_COMMAND"):
        places = (Path(named),)
    program = next((place for place in places if place.exists()), None)
    if program is None:
        pytest.skip(f"{places[0]} is not built: cargo test -p own-scheme")
    for scheme in SCHEMES:
        keys = {**SMALL, "schemes": [f"{scheme}+victim=second-look+label=mine"]}
        done = subprocess.run([program, "run", toml(keys), "--json", "--quiet"], capture_output=True, text=True, check=True)
        [found] = json.loads(done.stdout)["schemes"]
        assert figures(run("second-look", scheme)) == figures(found)


def test_the_lines_of_rust_are_those_of_the_example():
    shown = [block for block in blocks("rust") if block.startswith("    ")]
    assert len(shown) == 2 and all(block in SOURCE.read_text() for block in shown)
