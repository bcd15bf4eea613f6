"""Progress of runs: a function of the user's, or a bar of tqdm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Union

from ._errors import InputError

#: Called with scheme, phase (`precondition`, `measure`, `runs`), steps done, and their total if it is known.
Callback = Callable[[str, str, int, Union[int, None]], object]
#: None or False: no progress; True: a bar of tqdm.
Progress = Union[Callback, bool, None]


@contextmanager
def reporter(progress: Progress) -> Iterator[Callback | None]:
    """What the run calls."""
    if progress is None or progress is False:
        yield None
    elif progress is not True:
        if not callable(progress):
            help = "True shows a bar of tqdm; a function is called with (scheme, phase, done, total)"
            raise InputError(f"progress: {progress!r} is no function", help)
        yield progress
    else:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            raise InputError("progress=True shows a bar of tqdm, which is not installed", "pip install tqdm") from None
        with tqdm(total=0, smoothing=0.1) as bar:
            yield Bar(bar)


class Bar:
    """Sums the steps of all schemes on one bar."""

    def __init__(self, bar: Any) -> None:
        self.bar = bar
        self.steps: dict[tuple[str, str], tuple[int, int]] = {}

    def __call__(self, scheme: str, phase: str, done: int, total: int | None) -> None:
        self.steps[scheme, phase] = (done, max(done, total or 0))
        if phase == "measure" and (scheme, "precondition") in self.steps:
            whole = self.steps[scheme, "precondition"][1]
            self.steps[scheme, "precondition"] = (whole, whole)
        self.bar.total = sum(total for _, total in self.steps.values())
        self.bar.set_description(phase, refresh=False)
        self.bar.update(max(0, sum(done for done, _ in self.steps.values()) - self.bar.n))
