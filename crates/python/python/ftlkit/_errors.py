"""Exceptions, with the text that the command prints."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """What ftlkit cannot do: what is wrong, where, and in `help` what would be right."""

    def __init__(self, what: str, help: str | None = None) -> None:
        super().__init__(what if help is None else f"{what}\nhelp: {help}")
        self.what = what
        self.help = help
        #: What was done before, if there is anything.
        self.result: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what, self.help)


class InputError(Error, ValueError):
    """Settings, a file or a trace that cannot be."""


class RunError(Error, RuntimeError):
    """A run that failed, or a fault of the machine."""


class PolicyError(RunError):
    """A policy written in Python that broke a rule."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C; `result` has what was measured before."""

    def __init__(self, result: Any = None) -> None:
        super().__init__("interrupted; `result` has what was measured before")
        self.result = result
