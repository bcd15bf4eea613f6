"""The package itself: stubs, types, the notebook."""

import ast
import inspect
import os
import subprocess
import sys
from pathlib import Path

import ftlkit
import nbformat
import pytest
from nbclient import NotebookClient

from conftest import ROOT

FOLDER = Path(ftlkit.__file__).parent
SETTINGS = ROOT / "crates/python/pyproject.toml"


def test_stubs_are_of_this_module():
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "ftlkit._ftlkit", "--concise", "--ignore-missing-stub", "--mypy-config-file", str(SETTINGS)],
        capture_output=True,
        text=True,
        check=False,
        cwd=FOLDER.parent,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_are_consistent():
    words = ["-m", "mypy", "--config-file", SETTINGS, FOLDER]
    done = subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_every_name_of_the_stub_is_there():
    tree = ast.parse((FOLDER / "_ftlkit.pyi").read_text())
    named = {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    there = {name for name in dir(ftlkit._ftlkit) if not name.startswith("_")}
    assert named == there
    assert (FOLDER / "py.typed").exists()


def test_all_is_public_and_documented():
    for name in ftlkit.__all__:
        thing = getattr(ftlkit, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert inspect.getdoc(thing), name


def test_the_version_is_the_commands(command):
    assert command("--version") == f"ftlkit {ftlkit.__version__}\n"


#: Times of the client of notebooks, s: a hang is ended by the guard of scripts/test.
DAY = 24 * 60 * 60


@pytest.mark.parametrize("notebook", sorted((ROOT / "docs").glob("*.ipynb")), ids=lambda path: path.name)
def test_a_notebook_runs(notebook, tmp_path):
    book = nbformat.read(notebook, as_version=4)
    assert all(not cell.get("outputs") for cell in book.cells), "outputs are stripped"
    NotebookClient(book, startup_timeout=DAY, iopub_timeout=DAY, resources={"metadata": {"path": tmp_path}}).execute()
    shown = [output for cell in book.cells for output in cell.get("outputs", [])]
    assert any("<table>" in output.get("data", {}).get("text/html", "") for output in shown)
    assert os.path.exists(notebook)
