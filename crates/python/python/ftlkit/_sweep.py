"""Sweeps: on this machine, or on a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _ftlkit
from ._api import AnySchemes, AnyWorkload, ended, settings_of
from ._errors import InputError, RunError
from ._progress import Progress, reporter
from ._results import SweepResult
from ._trace import Trace
from ._values import whole

if TYPE_CHECKING:
    from distributed import Client
    from typing_extensions import Unpack

    from ._settings import Settings


def planned(
    study: str | os.PathLike[str] | Mapping[str, Any] | None,
    vary: Mapping[str, Any] | None,
    keys: Mapping[str, Any],
) -> tuple[_ftlkit.Sweep, str | None]:
    """The sweep, and the directory that its file names."""
    if study is None or isinstance(study, Mapping):
        table = {**(study or {}), **keys}
        if vary:
            table["sweep"] = {**table.get("sweep", {}), **{key: _values(value) for key, value in vary.items()}}
        experiment = _ftlkit.Experiment.from_keys(table)
    elif keys or vary:
        named = ", ".join([*keys, *(["vary"] if vary else [])])
        raise InputError(f"{os.fspath(study)}: an experiment file says it all, and {named} is given beside it")
    else:
        experiment = _ftlkit.Experiment.from_file(os.fspath(study))
    return _ftlkit.Sweep(experiment), experiment.out()


@contextmanager
def arrays_kept(table: dict[str, Any], out: str | os.PathLike[str] | None) -> Iterator[None]:
    """Keeps a trace made of arrays in the directory of the results, where the same sweep finds it again. Where the sweep is
    refused, the directory is left as it was."""
    trace = table.get("workload")
    if out is None or not isinstance(trace, Trace) or not trace.is_temporary:
        yield
        return
    folder = Path(out)
    there = folder.exists()
    before = set(folder.glob("trace-*.csv"))
    path = Path(trace.keep(folder))
    table["workload"] = Trace(path, **trace.options)
    try:
        yield
    except BaseException:
        experiment = folder / "experiment.toml"
        if path not in before and not (experiment.exists() and path.name in experiment.read_text()):
            path.unlink()
            if not there:
                with suppress(OSError):
                    folder.rmdir()
        raise


def _values(value: Any) -> Any:
    """Values of a key: a range of Python is one too."""
    return list(value) if isinstance(value, (range, tuple)) else value


def sweep(
    study: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    *,
    workload: AnyWorkload | None = None,
    schemes: AnySchemes | None = None,
    vary: Mapping[str, Any] | None = None,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    threads: int | None = None,
    client: Client | None = None,
    progress: Progress = None,
    **settings: Unpack[Settings],
) -> SweepResult:
    """Runs every combination of the values of some keys, each scheme alone, as `ftlkit sweep` does.

    `study` is an experiment's file with a table `[sweep]`, or its keys as a dictionary; or the keys are given as arguments,
    and those to vary in `vary`: `vary={"share": "0.6..0.9:0.05", "seed": range(1, 6)}`.

    With `out` finished runs are kept in that directory, so that the same call, and the command, go on where a sweep was
    stopped; tables are written there, and a trace made of arrays, as `trace-SHA256.csv`. With `client`, a
    `distributed.Client`, the runs are tasks of its cluster. The results are the same bytes everywhere.
    """
    keys = settings_of(workload, schemes, settings)
    if study is None or isinstance(study, Mapping):
        study, keys = None, {**(study or {}), **keys}
    with arrays_kept(keys, out or keys.get("out")):
        plan, named = planned(study, vary, keys)
        return execute(plan, out or named, force=force, threads=threads, client=client, progress=progress)


def execute(
    plan: _ftlkit.Sweep,
    out: str | os.PathLike[str] | None,
    *,
    force: bool = False,
    threads: int | None = None,
    client: Client | None = None,
    progress: Progress = None,
) -> SweepResult:
    """Makes the runs of a plan that are not kept, and writes the tables."""
    if client is not None and threads is not None:
        raise InputError("threads: a cluster has workers, which say how many runs they make at once", "omit it")
    if threads is not None:
        whole("threads", threads, 1, 2**32 - 1)
    if out is not None:
        plan.open(os.fspath(out), force)
    exception: BaseException | None
    with reporter(progress) as report:
        if client is None:
            exception = plan.run(threads, report)
        else:
            from ._cluster import run_on

            exception = run_on(client, plan, os.fspath(out) if out is not None else None, report)
    result = SweepResult(plan, plan.write())
    code, text = plan.end(False)
    if exception is None and text is not None:
        what, _, help = text.partition("\nhelp: ")
        exception = (RunError if code == 1 else InputError)(what, help or None)
    finished: SweepResult = ended(result, exception)
    return finished
