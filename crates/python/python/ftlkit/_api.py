"""Comparisons, choices and bounds."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Union

from . import _ftlkit
from ._errors import InputError, Interrupted
from ._ftlkit import Table
from ._progress import Progress, reporter
from ._results import Comparison
from ._trace import Trace, draw
from ._values import Part, Scheme, Workload, whole

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._settings import Settings

#: A path, or the name of a built-in workload; several paths are one trace.
AnyWorkload = Union[str, "os.PathLike[str]", Workload, Trace, Mapping[str, Any], Sequence["str | os.PathLike[str]"]]
#: Schemes as the command takes them, `page-level,lazy-rtgc+idle`, or a list.
AnySchemes = Union[str, Iterable[Union[str, Scheme, Mapping[str, Any]]]]
AnyPart = Union[str, Part, Mapping[str, Any]]


def settings_of(workload: AnyWorkload | None, schemes: AnySchemes | None, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Keys of an experiment's file."""
    keys = dict(settings)
    if isinstance(workload, (list, tuple)):
        keys["workload"] = {"trace": [os.fspath(path) for path in workload]}
    elif workload is not None:
        keys["workload"] = workload
    if schemes is not None:
        keys["schemes"] = names_of(schemes)
    return keys


def names_of(schemes: AnySchemes) -> list[Any]:
    """A list of schemes."""
    return [text.strip() for text in schemes.split(",")] if isinstance(schemes, str) else list(schemes)


def ended(result: Any, exception: BaseException | None) -> Any:
    """The result, or the exception that ended it, which then has the result."""
    if exception is None:
        return result
    if isinstance(exception, KeyboardInterrupt):
        raise Interrupted(result) from exception
    with suppress(AttributeError):
        # Any exception may end a run: of a policy, of the callback, of a cluster.
        exception.result = result  # type: ignore[attr-defined]
    raise exception


def compare(
    workload: AnyWorkload | None = None,
    *,
    schemes: AnySchemes | None = None,
    progress: Progress = None,
    **settings: Unpack[Settings],
) -> Comparison:
    """Runs schemes side by side on a trace or a built-in workload, as `ftlkit compare` does.

    `settings` are the keys of an experiment's file, which `ftlkit.Settings` describes (`ftlkit compare --dry-run` prints
    them). Without any, it is the experiment of `ftlkit compare`.
    """
    # Arrays live in a temporary file, which goes with the trace.
    arrays = workload if isinstance(workload, Trace) and workload.is_temporary else None
    return _run(_ftlkit.Experiment.from_keys(settings_of(workload, schemes, settings)), progress, arrays)


def run(file: str | os.PathLike[str], *, progress: Progress = None) -> Comparison:
    """Runs an experiment's file, as `ftlkit run` does; paths in it are relative to it."""
    return _run(_ftlkit.Experiment.from_file(os.fspath(file)), progress)


def _run(experiment: _ftlkit.Experiment, progress: Progress, arrays: Trace | None = None) -> Comparison:
    with reporter(progress) as report:
        found, exception = _ftlkit.compare(experiment, report)
    comparison: Comparison = ended(Comparison(found, arrays.keep if arrays else None), exception)
    return comparison


def choose(
    workload: AnyWorkload | None = None,
    *,
    deadline: str | int,
    capacity: str | int | None = None,
    exported: str | int | None = None,
    parts: str | Iterable[AnyPart] | None = None,
    schemes: AnySchemes | None = None,
    shares: Iterable[float | str] = (0.875, 0.75),
    precondition: str = "full+age=1",
    out: str | os.PathLike[str] | None = None,
    progress: Progress = None,
    **settings: Any,
) -> Table:
    """Tries every part, scheme and logical share for a deadline, as `ftlkit choose` does.

    Give `capacity` (raw), or `exported`: what each array is to export at least. Returns a row per combination: those that are
    proved with queueing first, then the others that keep the deadline, the most exported space first. `verdict` is
    `proved-with-queueing`, `proved-alone` (for requests that do not queue), `measured`, `missed`, `impossible` or, if it was stopped
    before, `not-run`. `deadline` is a time such as `"3ms"` (a number: ns), of one kind of request `"reads:1ms"`, of
    requests of a length `"writes:..16KiB:3ms"`, of a percentile `"p99.9=3ms"`, or several with commas. `out` keeps finished runs: the same call goes on where it was stopped.
    """
    if (capacity is None) == (exported is None):
        raise TypeError("choose() needs either capacity or exported")
    keys = settings_of(workload, None, settings)
    keys.update(precondition=precondition)
    if capacity is not None:
        keys.update(capacity=capacity)
    names: list[Any] = [name.strip() for name in parts.split(",")] if isinstance(parts, str) else list(parts or ())
    plain = [name for name in names if isinstance(name, str)]
    if len(plain) == len(names):
        names = _ftlkit.choose_from(plain)
    with reporter(progress) as report:
        table, exception = _ftlkit.choose(
            _ftlkit.Experiment.from_keys(keys),
            [_ftlkit.Experiment.from_keys({"part": name}) for name in names],
            [str(scheme) for scheme in names_of(schemes)] if schemes is not None else [],
            [str(share) for share in shares],
            (
                f"{deadline}ns" if isinstance(deadline, int) else str(deadline),
                None if exported is None else str(exported),
                None if out is None else os.fspath(out),
            ),
            report,
        )
    choices: Table = ended(table, exception)
    return choices


def bounds(
    part: AnyPart | None = None,
    *,
    schemes: AnySchemes | None = None,
    blocks: int | None = None,
    capacity: str | int | None = None,
    deadline: str | int | None = None,
    pages: int = 1,
    arrivals: str | os.PathLike[str] | Trace | None = None,
    plot: str | os.PathLike[str] | None = None,
    **settings: Any,
) -> Table:
    """The bounds, space and RAM of every scheme on a part, or with `part="all"` on all, without a run.

    With a `deadline` the column `keeps_deadline` says which schemes keep it for requests of `pages`. `settings` are the keys
    of an experiment's file that describe the part and its channel: `part_file`, `ways`, `planes`, `bus`, `bit_errors`,
    `read_retry`, `t_rwc`.

    With `arrivals` (a trace, a curve's `.json` file, a built-in workload as for `curve`, or declared ones as
    `"writes=bucket:64:200/s"`) a row has the longest delay of requests that queue, `delay_ns`, as `ftlkit bounds --arrivals`
    proves it, or the reason why there is none, `why_not`; `plot` draws that of the first row with one into this file, as SVG.
    Then `channels`, `dies`, `bus_cycle`, `queue_depth` and `interface` are settings, too.
    """
    allowed: tuple[str, ...] = ("part_file", "ways", "planes", "bus", "bit_errors", "read_retry", "t_rwc")
    if arrivals is not None:
        allowed += ("channels", "dies", "bus_cycle", "queue_depth", "interface")
        if pages != 1:
            raise TypeError("bounds() has either arrivals or pages")
    elif plot is not None:
        raise TypeError("bounds() draws delays: plot needs arrivals")
    for key in settings:
        if key not in allowed:
            raise TypeError(f"bounds() has no setting `{key}`; bounds depend on the part alone: {', '.join(allowed)}")
    keys = {"capacity": capacity, "deadline": deadline, **settings}
    names: list[Any] = _ftlkit.choose_from([]) if part == "all" else [part]
    if blocks is not None:
        whole("blocks", blocks, 1, 2**32 - 1)
    whole("pages", pages, 1, 2**64 - 1)
    experiments = [_ftlkit.Experiment.from_keys({**keys, "part": name}) for name in names]
    named = [str(scheme) for scheme in names_of(schemes)] if schemes is not None else []
    if arrivals is None:
        return _ftlkit.bounds(experiments, named, blocks, pages)
    if isinstance(arrivals, Trace):
        if len(arrivals.paths) != 1 or arrivals.options:
            raise InputError("arrivals: a trace of one file and without options", "save its curve, and give that file")
        arrivals = arrivals.paths[0]
    table, svg = _ftlkit.delays(experiments, named, blocks, os.fspath(arrivals))
    if plot is not None:
        if svg is None:
            raise InputError("plot: no scheme has a bound with these arrivals")
        draw(plot, svg)
    return table
