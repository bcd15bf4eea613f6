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
    for threads, said in [(0, "must be 1 or more"), (-1, "must be 1 or more"), (2**64, "or less"), (1.5, "no whole number")]:
        with pytest.raises(ftlkit.InputError, match=f"threads: .*{said}"):
            ftlkit.sweep(study, threads=threads)
    with pytest.raises(ftlkit.InputError, match="no key `shore`|`shore`"):
        ftlkit.sweep(vary={"shore": [0.5]})
    with pytest.raises(ftlkit.InputError) as caught:
        ftlkit.sweep(schemes=["lazy-rtgc"], vary={"share": [0.98, 0.99]}, capacity="8MiB", workload="uniform")
    assert "all points are impossible" in str(caught.value)
    assert caught.value.result.counts == {"impossible": 2}
    ftlkit.sweep(study, out=tmp_path / "one")
    with pytest.raises(ftlkit.InputError, match="holds another sweep"):
        ftlkit.sweep(workload="uniform", capacity="8MiB", vary={"seed": [9]}, out=tmp_path / "one")


def sweep_of_arrays(out, requests=3000, **options):
    import numpy as np

    offset = np.random.default_rng(1).integers(0, 1024, requests) * 2048
    trace = ftlkit.Trace.from_arrays(op=np.full(requests, 1), offset=offset, length=np.full(requests, 2048))
    keys = {"schemes": "page-level,fsr", "capacity": "8MiB", "vary": {"seed": [1, 2]}, **options}
    return ftlkit.sweep(workload=trace, out=out, **keys)


def test_a_sweep_of_arrays_goes_on(command, tmp_path):
    first = sweep_of_arrays(tmp_path / "out")
    [trace] = (tmp_path / "out").glob("trace-*.csv")
    assert trace.name == f"trace-{ftlkit._ftlkit.file_sha256(str(trace))}.csv"
    made = {path: path.stat().st_mtime_ns for path in [trace, *(tmp_path / "out/runs").iterdir()]}
    before = tables(tmp_path / "out")
    # The arrays of the first call are gone, and its temporary file with them.
    again = sweep_of_arrays(tmp_path / "out")
    assert again.runs.rows() == first.runs.rows() and tables(tmp_path / "out") == before
    command("sweep", tmp_path / "out/experiment.toml", "--out", tmp_path / "out", "--quiet")
    assert tables(tmp_path / "out") == before
    assert {path: path.stat().st_mtime_ns for path in made} == made and len(made) == 5
    # So does one of more values.
    more = sweep_of_arrays(tmp_path / "out", vary={"seed": [1, 2, 3]})
    assert len(more) == 6 and {path: path.stat().st_mtime_ns for path in made} == made


def test_a_refused_sweep_of_arrays_leaves_no_file(tmp_path):
    with pytest.raises(ftlkit.InputError, match="`shore`"):
        sweep_of_arrays(tmp_path / "new", vary={"shore": [0.5]})
    assert not (tmp_path / "new").exists()
    sweep_of_arrays(tmp_path / "out")
    there = sorted((tmp_path / "out").iterdir())
    with pytest.raises(ftlkit.InputError, match="holds another sweep"):
        sweep_of_arrays(tmp_path / "out", requests=2000)
    assert sorted((tmp_path / "out").iterdir()) == there


def test_the_module_tells_a_fault_of_the_machine(study, monkeypatch, capsys):
    import importlib.util

    path = Path(ftlkit.__file__).with_name("sweep.py")
    spec = importlib.util.spec_from_file_location("ftlkit._command_of_sweeps", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    error = OSError(28, "No space left on device")
    error.result = ftlkit.sweep(study)

    def fails(*_, **__):
        raise error

    monkeypatch.setitem(vars(module), "execute", fails)
    # The module's name stands for the function once it is imported.
    assert module.main([str(study)]) == 2
    printed = capsys.readouterr()
    assert "error: [Errno 28] No space left on device" in printed.err and "12 runs: " in printed.out


def run_module(*arguments):
    words = [sys.executable, "-m", "ftlkit.sweep", *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


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
