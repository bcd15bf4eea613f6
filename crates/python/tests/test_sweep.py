"""Sweeps on this machine: the command's bytes, and its kept runs."""

import subprocess
import sys
from pathlib import Path

import ftlkit
import pytest

from conftest import STUDY

TABLES = ["runs.csv", "runs.jsonl", "runs.parquet", "points.csv", "points.jsonl", "points.parquet"]


def tables(folder):
    return {name: (Path(folder) / name).read_bytes() for name in TABLES}


def kept(folder):
    return {path.name: path.read_bytes() for path in (Path(folder) / "runs").iterdir()}


@pytest.fixture
def by_command(command, study, tmp_path):
    """The directory of the command's sweep."""
    command("sweep", study, "--out", tmp_path / "command", "--quiet")
    return tmp_path / "command"


def test_tables_and_kept_runs_are_the_commands(by_command, study, tmp_path):
    result = ftlkit.sweep(study, out=tmp_path / "python")
    assert tables(tmp_path / "python") == tables(by_command)
    assert kept(tmp_path / "python") == kept(by_command) and len(kept(by_command)) == 8
    assert result.counts == {"ok": 8, "impossible": 4} and len(result) == 12
    assert result.exit_code() == 0 and set(TABLES) <= set(result.files)


def test_each_goes_on_with_the_others_runs(command, by_command, study, tmp_path):
    before = {path: path.stat().st_mtime_ns for path in (by_command / "runs").iterdir()}
    told = []
    ftlkit.sweep(study, out=by_command, progress=lambda *step: told.append(step))
    assert {path: path.stat().st_mtime_ns for path in before} == before
    ftlkit.sweep(study, out=tmp_path / "python")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "python/runs").iterdir()}
    command("sweep", study, "--out", tmp_path / "python", "--quiet")
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_arguments_are_the_same_as_a_file(study):
    by_file = ftlkit.sweep(study).runs.rows()
    by_arguments = ftlkit.sweep(
        workload=ftlkit.Workload("uniform", requests=5000),
        schemes="page-level,lazy-rtgc",
        capacity="8MiB",
        vary={"share": (0.6, 0.7, 0.99), "seed": range(1, 3)},
        threads=2,
    )
    assert by_arguments.runs.rows() == by_file
    assert [row["runs"] for row in by_arguments.points.rows()] == [2, 2, 0] * 2
    assert "<table>" in by_arguments._repr_html_() and "8 ok" in repr(by_arguments)


def test_faults(study, tmp_path, command):
    with pytest.raises(ftlkit.InputError, match="an experiment file says it all"):
        ftlkit.sweep(study, vary={"seed": [3]})
    with pytest.raises(ftlkit.InputError, match="threads: must be 1 or more"):
        ftlkit.sweep(study, threads=0)
    with pytest.raises(ftlkit.InputError, match="no key `shore`|`shore`"):
        ftlkit.sweep(vary={"shore": [0.5]})
    with pytest.raises(ftlkit.InputError) as caught:
        ftlkit.sweep(schemes=["lazy-rtgc"], vary={"share": [0.98, 0.99]}, capacity="8MiB", workload="uniform")
    assert "all points are impossible" in str(caught.value)
    assert caught.value.result.counts == {"impossible": 2}
    ftlkit.sweep(study, out=tmp_path / "one")
    with pytest.raises(ftlkit.InputError, match="holds another sweep"):
        ftlkit.sweep(workload="uniform", capacity="8MiB", vary={"seed": [9]}, out=tmp_path / "one")


def run_module(*arguments):
    words = [sys.executable, "-m", "ftlkit.sweep", *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)


def test_the_module_is_a_command(by_command, study, tmp_path):
    done = run_module(study, "--out", tmp_path / "module")
    assert (done.returncode, done.stdout) == (0, "12 runs: 4 impossible, 8 ok\n"), done.stderr
    assert "RuntimeWarning" not in done.stderr
    assert tables(tmp_path / "module") == tables(by_command)


def test_the_modules_faults(toml, tmp_path):
    for words, code, said in [
        ([tmp_path / "none.toml"], 2, "none.toml"),
        ([], 2, "usage"),
        ([toml("schemes = ['fsrr']", "a.toml")], 2, "no scheme is called `fsrr`"),
        ([toml("schemas = []", "b.toml")], 2, "did you mean `schemes`"),
        ([toml(STUDY, "c.toml"), "--threads", "0"], 2, "threads: must be 1 or more"),
        ([toml(STUDY, "d.toml"), "--scheduler", "tcp://127.0.0.1:1"], 2, "--scheduler tcp://127.0.0.1:1"),
    ]:
        done = run_module(*words)
        assert done.returncode == code and said in done.stderr, done.stderr
        assert "Traceback" not in done.stderr
    assert run_module("--help").stdout.startswith("usage: python -m ftlkit.sweep")
