"""The README's table "What you can do with it", and docs/python.md: what they show runs in order, in one folder."""

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from conftest import ROOT

#: Commands that these tests do not run, by their first words, and what does.
ELSEWHERE = {
    "cargo test": "builds a crate: crates/cli/tests/all/new.rs checks that it compiles",
    "make -C": "builds the C library: crates/embedded/tests/all/example.rs runs it",
}


def table():
    """What each row says that one wants, its command, and its time."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").split("## What you can do with it")[1].split("\n## ")[0]
    rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
    return [[cell.strip() for cell in row.strip("| ").split(" | ")] for row in rows if not row.startswith("| ---")]


ROWS = table()


@pytest.fixture(scope="module")
def folder(command):
    """One folder for all rows, with `ftlkit` and `python` on its path. `ftlkit new` finds the checkout around it."""
    made = Path(tempfile.mkdtemp(prefix="try-", dir=ROOT))
    with tempfile.TemporaryDirectory() as programs:
        for name, program in (("ftlkit", command.program), ("python", sys.executable)):
            Path(programs, name).write_text(f'#!/bin/sh\nexec "{program}" "$@"\n')
            Path(programs, name).chmod(0o755)
        yield made, {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    shutil.rmtree(made)


def used():
    of = resource.getrusage(resource.RUSAGE_CHILDREN)
    return of.ru_utime + of.ru_stime


def test_every_row_has_a_command_and_a_time():
    assert len(ROWS) > 15
    for row in ROWS:
        assert len(row) == 3 and re.fullmatch(r"`[^`]+`", row[1]) and re.fullmatch(r"\d+\.\d|a build", row[2]), row
    commands = [row[1] for row in ROWS]
    assert len(set(commands)) == len(commands)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1].strip("`"))
def test_a_row_works(row, folder):
    command, before = row[1].strip("`"), used()
    here, environment = folder
    elsewhere = re.search(rf"\b({'|'.join(ELSEWHERE)})\b", command)
    # What comes before such a command is run: `ftlkit new`.
    run = command[: elsewhere.start()].split(" && ")[0] if elsewhere else command
    done = subprocess.run(["bash", "-ec", run], cwd=here, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    print(f"{used() - before:.1f} s of processor time: {run}")
    # What it names as its files is there, and it is no command that prints nothing.
    for name in re.findall(r"(?:--out|--html|>) (\S+)", run):
        assert (here / name).exists()
    assert not run or done.stdout or done.stderr
    if elsewhere:
        pytest.skip(f"`{command}`: {ELSEWHERE[elsewhere[1]]}")


def test_the_blocks_of_the_python_page_run_in_order(command, tmp_path):
    command("trace", "convert", "postgres-pgbench", tmp_path / "trace.csv")
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    program = tmp_path / "page.py"
    program.write_text("".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)), encoding="utf-8")
    done = subprocess.run([sys.executable, program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
