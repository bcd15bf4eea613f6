"""Schemes, parts and workloads as values: each is what an experiment's file says in a text or a table."""

from __future__ import annotations

from operator import index
from typing import Any

from ._errors import InputError


def whole(name: str, value: Any, least: int, most: int) -> int:
    """A whole number of an argument."""
    try:
        number = index(value)
    except TypeError:
        raise InputError(f"{name}: {value!r} is no whole number") from None
    if least <= number <= most:
        return number
    raise InputError(f"{name}: must be {least} or more" if number < least else f"{name}: must be {most} or less")


class _Value:
    """Equal to others of the same setting."""

    def __ftlkit_setting__(self) -> Any:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.__ftlkit_setting__() == other.__ftlkit_setting__()  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(repr(self))


class Scheme(_Value):
    """A scheme with its settings: `Scheme("lazy-rtgc", share=0.8, idle=True)`; `ftlkit.schemes()` lists them."""

    def __init__(self, name: str, **settings: Any) -> None:
        self.name = name
        self.settings = settings

    def __ftlkit_setting__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        def text(key: str, value: Any) -> str:
            if value is True:
                return f"+{key}"
            return f"+{key}={'false' if value is False else value}"

        return self.name + "".join(text(key, value) for key, value in self.settings.items() if value is not None)

    def __repr__(self) -> str:
        return f"Scheme({str(self)!r})"


class Part(_Value):
    """A NAND part of the catalogue with other data-sheet values: `Part("toshiba-slc", t_bers_ns="2ms")`."""

    def __init__(self, name: str, **values: Any) -> None:
        self.name = name
        self.values = values

    def __ftlkit_setting__(self) -> Any:
        return {"base": self.name, **self.values} if self.values else self.name

    def __repr__(self) -> str:
        return f"Part({self.name!r}{''.join(f', {key}={value!r}' for key, value in self.values.items())})"


class Workload(_Value):
    """A built-in workload with its parameters: `Workload("zipf", requests=200_000, theta=0.9)`.

    `requests`, `loops` and `time_scale` are of the replay; all else are parameters (`ftlkit.workloads()`).
    """

    def __init__(
        self,
        name: str,
        *,
        requests: int | str | None = None,
        loops: int | str | None = None,
        time_scale: float | None = None,
        **parameters: Any,
    ) -> None:
        self.name = name
        self.replay = {"requests": requests, "loops": loops, "time_scale": time_scale}
        self.parameters = parameters

    def __ftlkit_setting__(self) -> dict[str, Any]:
        setting: dict[str, Any] = {"name": self.name, **self.replay}
        if self.parameters:
            setting["parameters"] = self.parameters
        return setting

    def __repr__(self) -> str:
        given = {key: value for key, value in {**self.replay, **self.parameters}.items() if value is not None}
        return f"Workload({self.name!r}{''.join(f', {key}={value!r}' for key, value in given.items())})"
