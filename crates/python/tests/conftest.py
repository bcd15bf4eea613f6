"""What the tests share: the command of the same sources, and small experiments."""

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

#: An experiment of some 100 ms.
SMALL = {
    "capacity": "8MiB",
    "schemes": ["page-level", "lazy-rtgc"],
    "workload": {"name": "uniform", "requests": 20000},
}

#: The same as a sweep of 12 runs, of which those at share 0.99 are impossible.
STUDY = """
capacity = "8MiB"
schemes = ["page-level", "lazy-rtgc"]
[workload]
name = "uniform"
requests = 5000
[sweep]
share = [0.6, 0.7, 0.99]
seed = [1, 2]
"""


@pytest.fixture(scope="session")
def command():
    """Runs the command; returns its standard output, or with `fails` its standard error."""
    program = os.environ.get("FTLKIT_COMMAND", ROOT / "target/debug/ftlkit")
    if not Path(program).exists():
        pytest.skip(f"{program} is not built: cargo build")

    def run(*arguments, fails=False, **options):
        options["env"] = {**os.environ, "COLUMNS": "100"}
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False, **options)
        assert (done.returncode != 0) == fails, done.stderr
        return done.stderr if fails else done.stdout

    run.program = program
    return run


@pytest.fixture
def toml(tmp_path):
    """Writes an experiment as a file."""

    def write(keys, name="experiment.toml"):
        path = tmp_path / name
        text = keys if isinstance(keys, str) else "\n".join(f"{key} = {value(entry)}" for key, entry in keys.items())
        path.write_text(text)
        return path

    def value(entry):
        if isinstance(entry, dict):
            return "{ " + ", ".join(f"{key} = {value(inner)}" for key, inner in entry.items()) + " }"
        return json.dumps(entry)

    return write


@pytest.fixture
def study(toml):
    """The file of a small sweep."""
    return toml(STUDY, "study.toml")
