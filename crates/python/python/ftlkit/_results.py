"""Results of runs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from functools import cached_property
from html import escape
from typing import Any

from . import _ftlkit, _html
from ._ftlkit import Table


class Record(dict[str, Any]):
    """A dictionary whose keys are attributes as well: `record.waf`; `p99_9` stands for `p99.9`."""

    def __getattr__(self, name: str) -> Any:
        for key in (name, name.replace("_", ".")):
            if key in self:
                return self[key]
        raise AttributeError(f"there is no figure `{name}`; there are {', '.join(self)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(key.replace(".", "_") for key in self)]


def record(text: str) -> Any:
    """JSON with records as its objects."""
    return json.loads(text, object_hook=Record)


class Comparison:
    """Schemes side by side; `comparison["lazy-rtgc"]` is one of them, by its label or its place."""

    def __init__(self, run: _ftlkit.Comparison, keep_trace: Callable[[str], str] | None = None) -> None:
        self._run = run
        #: Copies the temporary file of a trace made of arrays into a directory; it also keeps that file until then.
        self._keep_trace = keep_trace

    def to_json(self) -> str:
        """The report: the same bytes as `ftlkit compare --json` prints, but for the line break at the end."""
        return self._run.to_json()

    @cached_property
    def report(self) -> Record:
        """The whole report."""
        report: Record = record(self.to_json())
        return report

    @property
    def schemes(self) -> list[Record]:
        """The figures of each scheme, in the order asked for."""
        schemes: list[Record] = self.report["schemes"]
        return schemes

    @cached_property
    def table(self) -> Table:
        """A row per scheme; columns have the names of `summary.csv`, times are in ns."""
        return self._run.table()

    @property
    def interrupted(self) -> bool:
        """True if it was stopped; the figures are of what was done before."""
        return self._run.interrupted

    @property
    def bound_exceeded(self) -> bool:
        """True if a scheme exceeded a bound."""
        return self._run.bound_exceeded

    @property
    def deadline_missed(self) -> bool:
        """True if a deadline of a request or of a periodic task was missed."""
        return self._run.deadline_missed

    @property
    def failures(self) -> dict[str, str]:
        """Reasons of the schemes that failed, by their labels."""
        return dict(self._run.failures())

    def text(self, details: bool = False, width: int = 100) -> str:
        """The command's first screen; with `details` every figure."""
        return self._run.text(width, details)

    def summary(self) -> list[tuple[str, str]]:
        """What was run: device, workload, addresses, precondition, notes."""
        return self._run.summary()

    def experiment(self) -> str:
        """The experiment with every default filled in, as TOML for `ftlkit run`."""
        return self._run.experiment_toml()

    def save(self, path: str | os.PathLike[str], force: bool = False) -> list[str]:
        """Writes what `ftlkit compare --out` writes: report, tables, plots, experiment. Returns the files.

        A trace made of arrays is kept beside them, as `trace-SHA256.csv`, and the experiment names that file.
        """
        return [os.fspath(file) for file in self._run.save(os.fspath(path), force, self._keep_trace)]

    def __getitem__(self, which: str | int) -> Record:
        if isinstance(which, int):
            return self.schemes[which]
        for scheme in self.schemes:
            if scheme["name"] == which:
                return scheme
        raise KeyError(f"no scheme is called `{which}`; there are {', '.join(s['name'] for s in self.schemes)}")

    def __len__(self) -> int:
        return len(self.schemes)

    def __iter__(self) -> Iterator[Record]:
        return iter(self.schemes)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<ftlkit.Comparison of {', '.join(scheme['name'] for scheme in self.schemes)}>"

    def _repr_html_(self) -> str:
        headings = ["", "WAF", "mean response", "p99.9", "worst", "its bound", "RAM, KiB"]

        def row(scheme: Record) -> list[str]:
            times = scheme["response_ns"]
            kept = {None: "–", True: "✓", False: "EXCEEDED"}[None if scheme["bound_ns"] is None else not scheme["violations"]]
            return [
                escape(scheme["name"]),
                _html.cell(scheme["waf"]),
                *(_html.time(times[key]) for key in ("mean", "p99.9", "max")),
                f"{_html.time(scheme['bound_ns'])} {kept}",
                f"{scheme['ram_bytes'] / 1024:,.1f}",
            ]

        note = "<p>interrupted: the figures are of what was done before</p>" if self.interrupted else ""
        return _html.grid(headings, map(row, self.schemes)) + note


class SweepResult:
    """Tables of a sweep."""

    def __init__(self, sweep: _ftlkit.Sweep, files: list[str]) -> None:
        self._sweep = sweep
        #: Names of the files that were written.
        self.files = files

    @cached_property
    def _tables(self) -> tuple[Table, Table]:
        return self._sweep.results()

    @property
    def runs(self) -> Table:
        """A row per run: its keys, then what was measured; times in ns."""
        return self._tables[0]

    @property
    def points(self) -> Table:
        """A row per point: means over the seeds, and half the width of their 95 % confidence intervals (`.ci95`)."""
        return self._tables[1]

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many runs are `ok`, `impossible`, `unreadable`, `failed` and `not-run`."""
        return self._sweep.counts()

    def exit_code(self, strict: bool = False) -> int:
        """The exit code of the command; with `strict` a late request counts."""
        return self._sweep.end(strict)[0]

    def __len__(self) -> int:
        return len(self._sweep)

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {name}" for name, count in self.counts.items())
        return f"<ftlkit.SweepResult of {len(self)} runs: {counts}>"

    def _repr_html_(self) -> str:
        return _html.table(self.points)
