"""Policies of victims and of placement written in Python, for trying ideas."""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Callable
from types import CodeType
from typing import Any, TypeVar

from . import _ftlkit
from ._errors import InputError

_Class = TypeVar("_Class", bound=type)

#: Options of a policy: of victims its bound on valid pages; of placement its classes, those of host writes, and whether it takes times.
Options = str | tuple[int, int, bool]

#: Policies of this program by name: class, options, summary, code.
registered: dict[str, tuple[type, Options, str, str]] = {}


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


def placement_policy(
    name: str, *, classes: int, host_classes: int | None = None, times: bool = False, summary: str | None = None
) -> Callable[[_Class], _Class]:
    """Makes a class a placement policy: then `page-level+placement=NAME` uses it.

    Pages of one class are written into blocks of their own. The class has

    - `__init__(self, logical_pages, blocks, pages_per_block)`: called for each run with the size of its array;
    - `write(self, page, old, lifespan)`: returns the class of a host write of this logical page, below `host_classes`; `old` is the class
      of the block with the version that it overwrites, `lifespan` the host writes since that was written; None: there is none;
    - `copy(self, page, old, age)`: returns the class of a copy of collection, below `classes`; `age`: host writes since the page was written;
      `page` may be None: the array cannot tell it before it is read;
    - if it wants `collected(self, old, lifespan)`: a block of this class was collected;
    - if it wants `trimmed(self, page, old)`: a page was trimmed.

    `classes` is 2 to 16, `host_classes` all of them by default. Lifespans and ages are None without `times`, which a controller pays
    with 4 bytes per page. The class of a name may be replaced. An exception ends the run; a class that there is not is a
    `PolicyError`.
    """

    def register(cls: _Class) -> _Class:
        first = (inspect.getdoc(cls) or "").split("\n")[0]
        options = (classes, classes if host_classes is None else host_classes, times)
        # The options decide what the run does, as the code does.
        add(name, cls, options, summary or first or "a policy of this program", f"{options}\n{code_of(cls)}")
        return cls

    return register


def add(name: str, cls: type, options: Options, summary: str, code: str) -> None:
    """Makes a class a policy; `code` is what it does, by which kept runs of sweeps know it."""
    known = registered.get(name)
    if known and isinstance(known[1], tuple) != isinstance(options, tuple):
        raise InputError(f"`{name}` is a policy of another kind", "give the one of victims and the one of placement names of their own")
    if isinstance(options, tuple):
        _ftlkit.add_placement_policy(name, cls, options, summary, code)
    else:
        _ftlkit.add_victim_policy(name, cls, options, summary, code)
    registered[name] = (cls, options, summary, code)


def code_of(cls: type) -> str:
    """The source of a class and of those that it inherits from; where there is none, as in a shell, what was compiled."""
    return "\n".join(map(_source, _classes(cls)))


def compiled_hash(cls: type) -> str:
    """Tells what a class does in this process, whatever its file says by now."""
    return hashlib.sha256("\n".join(map(_compiled_class, _classes(cls))).encode()).hexdigest()


def is_named(name: str, settings: str) -> bool:
    """True if settings have this name where one of a policy stands: `victim=NAME`, or an entry of a list."""
    return re.search(rf"""(?:^|[="',\[ ]){re.escape(name)}(?:$|[+"',\] :])""", settings) is not None


def _classes(cls: type) -> list[type]:
    return [base for base in cls.__mro__ if base is not object]


def _source(cls: type) -> str:
    try:
        return inspect.getsource(cls)
    except (OSError, TypeError):
        return _compiled_class(cls)


def _compiled_class(cls: type) -> str:
    # The qualified name of a class is not sent with it.
    lines = [cls.__name__]
    for name, value in sorted(vars(cls).items()):
        if isinstance(value, property):
            parts = [value.fget, value.fset, value.fdel]
        else:
            parts = [getattr(value, "__func__", value)]
        functions = [part for part in parts if inspect.isfunction(part)]
        if functions and not name.startswith("__annotat"):
            lines += [f"{name} {_compiled(part.__code__)} {_plain(part.__defaults__)}" for part in functions]
        elif not name.startswith("__"):
            lines.append(f"{name} = {_plain(value)}")
    return "\n".join(lines)


def _compiled(code: CodeType) -> str:
    inner = [_compiled(value) if isinstance(value, CodeType) else _plain(value) for value in code.co_consts]
    return f"{code.co_name} {code.co_code.hex()} {inner} {code.co_names} {code.co_varnames}"


def _plain(value: Any) -> str:
    """A text of a value that is the same in every process."""
    if isinstance(value, (frozenset, set)):
        return f"{{{', '.join(sorted(map(_plain, value)))}}}"
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(_plain, value))})"
    if value is None or value is ... or isinstance(value, (bool, int, float, complex, str, bytes)):
        return repr(value)
    return type(value).__qualname__
