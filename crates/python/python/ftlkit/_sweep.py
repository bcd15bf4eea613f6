"""Sweeps: on this machine, or on a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _ftlkit
from ._api import AnySchemes, AnyWorkload, ended, settings_of
from ._errors import InputError, RunError
from ._progress import Progress, reporter
from ._results import SweepResult

if TYPE_CHECKING:
    from distributed import Client


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
    **settings: Any,
) -> SweepResult:
    """Runs every combination of the values of some keys, each scheme alone, as `ftlkit sweep` does.

    `study` is an experiment's file with a table `[sweep]`, or its keys as a dictionary; or the keys are given as arguments,
    and those to vary in `vary`: `vary={"share": "0.6..0.9:0.05", "seed": range(1, 6)}`.

    With `out` finished runs are kept in that directory, so that the same call, and the command, go on where a sweep was
    stopped; tables are written there. With `client`, a `distributed.Client`, the runs are tasks of its cluster. The results
    are the same bytes everywhere.
    """
    plan, named = planned(study, vary, settings_of(workload, schemes, settings))
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
