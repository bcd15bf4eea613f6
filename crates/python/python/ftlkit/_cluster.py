"""Runs of a sweep as tasks of a Dask cluster.

The client plans, keeps what has ended and writes tables; a worker makes one run at a time per thread, which is a pure
function of its experiment and of its traces' contents. A worker reads a trace from its own file of that path where its
content is the same; else the content is sent to the cluster, once.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _ftlkit, _policy
from ._errors import RunError
from ._progress import Callback

if TYPE_CHECKING:
    from distributed import Client, Future

#: Path and SHA-256 of a trace.
TraceId = tuple[str, str]

#: Tasks that are submitted ahead of each thread of the cluster.
AHEAD = 3
#: Times that a run is submitted again after its trace or its data were lost with a worker.
RETRIES = 5
#: Finished runs per file of `stream`.
STREAMED = 256


class MissingTrace(Exception):
    """A worker has no file with the content of a trace."""


@lru_cache(maxsize=256)
def _hashed(path: str, size: int, changed_ns: int) -> str:
    return _ftlkit.file_sha256(path)


def has_trace(path: str, sha256: str) -> bool:
    """True if this machine has a file of this path and content; each file is read once."""
    try:
        status = os.stat(path)
        return _hashed(os.path.abspath(path), status.st_size, status.st_mtime_ns) == sha256
    except OSError:
        return False


def _local(trace: TraceId, content: bytes | None) -> str:
    """This machine's file of a trace."""
    path, sha256 = trace
    if has_trace(path, sha256):
        return path
    if content is None:
        raise MissingTrace(path, sha256)
    from distributed import get_worker

    suffixes = "".join(Path(path).suffixes[-2:])
    file = os.path.join(get_worker().local_directory, f"ftlkit-{sha256}{suffixes}")
    if not has_trace(file, sha256):
        part = f"{file}.{os.getpid()}.{id(content)}.part"
        Path(part).write_bytes(content)
        os.replace(part, file)
    return file


def make_run(
    experiment: str,
    traces: Sequence[TraceId],
    identity: str,
    policies: Sequence[tuple[str, type, _policy.Options, str, str, str]],
    *contents: bytes | None,
) -> bytes:
    """A task: makes one run on a worker, and returns its outcome as JSON."""
    if _ftlkit.identity() != identity:
        raise RunError(
            f"a worker has another ftlkit ({_ftlkit.__version__}), built from other sources",
            "install the package of the client on every worker",
        )
    for name, cls, options, summary, code, compiled in policies:
        take_policy(name, cls, options, summary, code, compiled)
    local = {trace[0]: _local(trace, content) for trace, content in zip(traces, contents)}
    return _ftlkit.measure(experiment, local)


def take_policy(name: str, cls: type, options: _policy.Options, summary: str, code: str, compiled: str) -> None:
    """Makes a class of the client a policy of this worker."""
    if _policy.compiled_hash(cls) != compiled:
        raise RunError(
            f"policy `{name}`: a worker has other code of the class {cls.__module__}.{cls.__qualname__}",
            "give every worker the client's module and its version of Python, and start workers again after a change",
        )
    registered = _policy.registered.get(name)
    if registered is None or registered[0] is not cls or registered[3] != code:
        _policy.add(name, cls, options, summary, code)


class Runs:
    """The tasks of a sweep that are under way."""

    def __init__(self, client: Client, plan: _ftlkit.Sweep) -> None:
        self.client = client
        self.plan = plan
        self.identity = _ftlkit.identity()
        #: Number of the run of each task.
        self.numbers: dict[Future, int] = {}
        self.tries: dict[int, int] = {}
        #: Contents that were sent, or None where every worker had its own file.
        self.contents: dict[TraceId, Future | None] = {}
        self.compiled = lru_cache(maxsize=None)(_policy.compiled_hash)

    def content(self, trace: TraceId) -> Future | None:
        """The content of a trace, sent to the cluster if a worker lacks it."""
        if trace not in self.contents:
            # A worker that is lost meanwhile does not answer; the one after it may lack the trace, and says so then.
            there = self.client.run(has_trace, *trace, on_error="ignore")
            self.contents[trace] = None if there and all(there.values()) else self.sent(trace)
        return self.contents[trace]

    def sent(self, trace: TraceId) -> Future:
        """The content of a trace on every worker."""
        content = Path(trace[0]).read_bytes()
        future: Future
        for left in reversed(range(RETRIES)):
            try:
                [future] = self.client.scatter([content], broadcast=True, hash=False)
                break
            except (OSError, TimeoutError):
                # A worker was lost while it received the content.
                if left == 0:
                    raise
        return future

    def submit(self, at: int) -> Future | None:
        """Submits a run; None if it ended here because its settings do not go together."""
        task = self.plan.task(at)
        if task is None:
            return None
        experiment, traces = task
        used = [
            (name, *policy, self.compiled(policy[0]))
            for name, policy in _policy.registered.items()
            if _policy.is_named(name, experiment)
        ]
        contents = [self.content(trace) for trace in traces]
        tries = self.tries[at] = self.tries.get(at, 0) + 1
        key = f"ftlkit-run-{at}-{tries}-{id(self)}"
        future = self.client.submit(make_run, experiment, traces, self.identity, used, *contents, key=key, pure=False)
        self.numbers[future] = at
        return future

    def settle(self, future: Future) -> Future | None:
        """Takes the end of a task; returns the task that repeats it if it must be repeated."""
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        at = self.numbers.pop(future)
        try:
            self.plan.finish(at, future.result())
            return None
        except MissingTrace as missing:
            trace = (str(missing.args[0]), str(missing.args[1]))
            # A worker that came later has no such file.
            if self.contents.get(trace) is None:
                self.contents[trace] = self.sent(trace)
            reason = f"{missing.args[0]}: no worker could be given this trace"
        except FutureCancelledError:
            if self.client.status not in ("running", "newly-connected"):
                raise ConnectionError("the scheduler of the cluster was lost") from None
            # Every worker that held a content is lost; the contents that others hold remain.
            for trace, content in list(self.contents.items()):
                if content is not None and content.status in ("cancelled", "lost", "error"):
                    del self.contents[trace]
            reason = "its data were lost with its workers"
        except KilledWorker as killed:
            self.plan.lost(at, f"the run was given up: {killed}")
            return None
        if self.tries[at] <= RETRIES:
            return self.submit(at)
        self.plan.lost(at, f"the run was given up after {self.tries[at]} tries: {reason}")
        return None


class Stream:
    """Rows of finished runs, in files that other programs may read while the sweep goes on."""

    def __init__(self, plan: _ftlkit.Sweep, out: str | None) -> None:
        self.plan = plan
        self.folder = Path(out) / "stream" if out is not None else None
        self.waiting: list[int] = []
        self.files = 0
        if self.folder is not None:
            self.folder.mkdir(exist_ok=True)
            self.clear()

    def add(self, at: int) -> None:
        """Adds a run, and writes a file when there are enough."""
        if self.folder is None:
            return
        self.waiting.append(at)
        if len(self.waiting) >= STREAMED:
            ending, rows = self.plan.packed(self.waiting)
            part = self.folder / f"part-{self.files:05}.{ending}.part"
            part.write_bytes(rows)
            part.replace(part.with_suffix(""))
            self.files += 1
            self.waiting.clear()

    def clear(self) -> None:
        """Removes the files: the whole table takes their place."""
        for file in self.folder.glob("part-*") if self.folder is not None else ():
            file.unlink()


def run_on(client: Client, plan: _ftlkit.Sweep, out: str | None, report: Callback | None) -> BaseException | None:
    """Makes the runs of a plan that are left; returns the exception that ended it early, be it of a policy, of the cluster
    or of the disk."""
    from distributed import as_completed

    runs, stream = Runs(client, plan), Stream(plan, out)
    total = len(plan)
    left = plan.left()
    done = total - len(left)
    following = iter(left)

    def tell() -> None:
        if report is not None:
            report("", "runs", done, total)

    def next_task() -> Future | None:
        nonlocal done
        for at in following:
            future = runs.submit(at)
            if future is not None:
                return future
            done += 1
        return None

    tasks = as_completed([])
    try:
        tell()
        ahead = AHEAD * max(1, sum(client.nthreads().values()))
        for _ in range(min(ahead, len(left))):
            future = next_task()
            if future is None:
                break
            tasks.add(future)
        while runs.numbers:
            future = next(tasks)
            at = runs.numbers[future]
            again = runs.settle(future)
            if again is None:
                done += 1
                stream.add(at)
                tell()
                again = next_task()
            if again is not None:
                tasks.add(again)
        # Runs that could not be are known at once.
        tell()
    except BaseException as exception:
        with suppress(Exception):
            # Without its scheduler there is nothing to cancel.
            client.cancel(list(runs.numbers), force=True)
        if isinstance(exception, (KeyboardInterrupt, Exception)):
            return exception
        raise
    stream.clear()
    return None
