"""Tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._ftlkit import Table

#: Most rows and columns of a table that is shown whole.
ROWS, COLUMNS = 60, 20


def cell(value: Any) -> str:
    """A value as text."""
    if value is None:
        return "–"
    return f"{value:,.6g}" if isinstance(value, float) else f"{value:,}" if type(value) is int else escape(str(value))


def grid(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts, which are HTML already."""
    head = "".join(f"<th>{name}</th>" for name in headings)
    body = "".join("<tr>" + "".join(f"<td>{text}</td>" for text in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def table(of: Table) -> str:
    """The first rows and columns of a table."""
    names = of.column_names[:COLUMNS]
    columns = [of.column(name) for name in names]
    rows = [[cell(column[at]) for column in columns] for at in range(min(len(of), ROWS))]
    size = f"<p>{len(of)} rows × {len(of.column_names)} columns</p>"
    return grid([escape(name) for name in names], rows) + size


def time(ns: float | None) -> str:
    """A time in its unit."""
    if ns is None:
        return "–"
    for unit, factor in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= factor * 10 or unit == "µs":
            return f"{ns / factor:,.2f} {unit}"
    return f"{ns} ns"
