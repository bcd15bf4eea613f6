"""Victim policies written in Python, for trying ideas."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import CodeType
from typing import Any, TypeVar

from . import _ftlkit

_Class = TypeVar("_Class", bound=type)

#: Policies of this program by name: class, bound on valid pages, summary, code.
registered: dict[str, tuple[type, str, str, str]] = {}


def victim_policy(name: str, *, valid_pages: str = "gaining", summary: str | None = None) -> Callable[[_Class], _Class]:
    """Makes a class a victim policy: then `page-level+victim=NAME` uses it.

    The class has

    - `__init__(self, blocks, pages_per_block, seed)`: called for each run with the size of its array;
    - `full(self, block, valid)`: a block became full, with so many valid pages, and is a candidate from now on;
    - `choose(self, blocks)`: returns a candidate that has an invalid page, or None if there is none; `blocks` knows all
      candidates (`ftlkit.Blocks`);
    - if it wants `invalidated(self, block, valid)`: a candidate lost a page;
    - if it wants `removed(self, block)`: a mount took this candidate.

    `valid_pages` bounds the valid pages of a victim: `gaining` (a victim frees a page) or `fewest` (it has the fewest of
    all, as greedy). The class of a name may be replaced. An exception ends the run; a choice that breaks a rule is a
    `PolicyError`.
    """

    def register(cls: _Class) -> _Class:
        first = (inspect.getdoc(cls) or "").split("\n")[0]
        add(name, cls, valid_pages, summary or first or "a policy of this program", code_of(cls))
        return cls

    return register


def add(name: str, cls: type, valid_pages: str, summary: str, code: str) -> None:
    """Makes a class a policy; `code` is what it does, by which kept runs of sweeps know it."""
    _ftlkit.add_victim_policy(name, cls, valid_pages, summary, code)
    registered[name] = (cls, valid_pages, summary, code)


def code_of(cls: type) -> str:
    """The source of a class; where there is none, as in a shell, the code of its methods."""
    try:
        return inspect.getsource(cls)
    except (OSError, TypeError):
        return "\n".join(_compiled(function.__code__) for function in vars(cls).values() if inspect.isfunction(function))


def _compiled(code: CodeType) -> str:
    inner: list[Any] = [_compiled(value) if isinstance(value, CodeType) else repr(value) for value in code.co_consts]
    return f"{code.co_name} {code.co_code.hex()} {inner} {code.co_names} {code.co_varnames}"
