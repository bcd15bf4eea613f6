"""Block traces: files, and NumPy arrays."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import _ftlkit
from ._errors import InputError
from ._ftlkit import Table
from ._results import Record, record
from ._values import whole

#: Operations, by the numbers that stand for them.
OPS = ("read", "write", "trim", "flush", "write-zeroes", "append", "open", "close", "finish", "write-zeroes-deallocate")


class Trace:
    """A block trace in a file, or in several: merged by time, or with `chain=True` in turn.

    It is a workload: `ftlkit.compare(trace)`. Its requests are an Arrow stream, which is read while it is used:
    `pyarrow.table(trace)`, `polars.DataFrame(trace)`.
    """

    def __init__(self, *paths: str | os.PathLike[str], **options: Any) -> None:
        if not paths:
            raise InputError("a trace needs a file")
        self.paths = [os.fspath(path) for path in paths]
        self.options = {key: value for key, value in options.items() if value is not None}
        self._temporary = False

    @property
    def is_temporary(self) -> bool:
        """True if its file is removed with it."""
        return self._temporary

    @classmethod
    def from_arrays(
        cls,
        *,
        op: Any,
        offset: Any,
        length: Any,
        arrival_ns: Any = None,
        device: Any = None,
        fua: Any = None,
        stream: Any = None,
    ) -> Trace:
        """A trace of NumPy arrays, or of what NumPy makes arrays of: one entry per request.

        `op`: texts (read, write, trim, flush, write-zeroes, append, open, close, finish, write-zeroes-deallocate), or the numbers 0 to 9 in this order. `offset`, `length`: bytes.
        `arrival_ns`: ns; without it requests are issued one after the other. `device`: numbers; `fua`: flags. `stream`: placement
        streams, 0 to 255; 0: none.

        The arrays are written as a temporary file of ftlkit's own format, some 25 bytes per request, which is removed with
        the last reference to the trace; `save` keeps it.
        """
        columns = _columns(op=op, offset=offset, length=length, arrival_ns=arrival_ns, device=device, fua=fua, stream=stream)
        return cls._written(lambda path: _ftlkit.write_trace(path, columns))

    @classmethod
    def _written(cls, write: Any) -> Trace:
        folder = tempfile.mkdtemp(prefix="ftlkit-")
        path = os.path.join(folder, "arrays.csv")
        try:
            write(path)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        trace = cls(path)
        trace._temporary = True
        weakref.finalize(trace, shutil.rmtree, folder, ignore_errors=True)
        return trace

    def info(self) -> Record:
        """Format, counts, sizes, footprint, times: what `ftlkit trace info --json` says. It reads the trace to its end."""
        info: Record = record(_ftlkit.trace_info(self.paths, self.options))
        return info

    def curve(self, page: int = 4096, plot: str | os.PathLike[str] | None = None) -> Record:
        """How many page writes, page reads and trims at most arrive within any window of time, on pages of so many bytes (512 to
        65536): what `ftlkit trace curve --json` says. `plot`: the curves drawn into this file, as SVG."""
        return _curve(_ftlkit.trace_curve(self.paths, self.options, whole("page", page, 512, 65536)), plot)

    def batches(self, rows: int = 65536) -> Iterator[Table]:
        """The requests, in tables of so many rows: arrival_ns, device, op, fua, offset_bytes, length_bytes, response_ns,
        stream."""
        whole("rows", rows, 1, 2**63 - 1)
        return iter(_ftlkit.trace_stream(self.paths, self.options, rows))

    def __arrow_c_schema__(self) -> Any:
        return _ftlkit.trace_stream(self.paths, self.options, 65536).__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return _ftlkit.trace_stream(self.paths, self.options, 65536).__arrow_c_stream__(requested_schema)

    def save(self, path: str | os.PathLike[str], force: bool = False) -> Trace:
        """Copies the file of a trace made of arrays; returns the trace in that file. A file that is there is an error, or with
        `force` replaced when the copy is whole; a link is replaced itself, and its target is as it was."""
        if len(self.paths) != 1:
            raise InputError("a trace of several files is kept as they are")
        path = os.fspath(path)
        if os.path.lexists(path) and not force:
            raise InputError(f"{path} is there, and the trace would replace it", "force=True replaces it; or name another file")
        if os.path.isdir(path) and not os.path.islink(path):
            raise InputError(f"{path} is a directory", "name a file")
        _copied(self.paths[0], path)
        return Trace(path, **self.options)

    def keep(self, folder: str | os.PathLike[str]) -> str:
        """Copies the file of a trace made of arrays into a directory, as `trace-SHA256.csv`; returns the copy's path."""
        os.makedirs(folder, exist_ok=True)
        sha256 = _ftlkit.file_sha256(self.paths[0])
        path = os.path.join(folder, f"trace-{sha256}.csv")
        if not (os.path.exists(path) and _ftlkit.file_sha256(path) == sha256):
            _copied(self.paths[0], path)
        return path

    def __ftlkit_setting__(self) -> dict[str, Any]:
        paths = self.paths[0] if len(self.paths) == 1 else self.paths
        return {"trace": paths, **({"options": self.options} if self.options else {})}

    def __reduce__(self) -> tuple[Any, ...]:
        if self._temporary:
            return _from_bytes, (Path(self.paths[0]).read_bytes(),)
        return _from_paths, (self.paths, self.options)

    def __repr__(self) -> str:
        return f"Trace({', '.join(map(repr, self.paths))})"


def curve(workload: str, page: int = 4096, plot: str | os.PathLike[str] | None = None) -> Record:
    """The curve of a built-in workload that has arrival times, with its parameters, as `"uniform:rate=500:size=8KiB"`; then also
    `space=SIZE` that it addresses (default 1GiB), `seed=N` and `requests=N`. It is of these requests alone: `notes` say so.
    Of a trace: `Trace.curve`."""
    found = _ftlkit.curve_of(workload, whole("page", page, 512, 65536))
    if found is None:
        raise InputError(f"{workload}: no built-in workload is called so", 'of a file: ftlkit.Trace("trace.csv").curve()')
    return _curve(found, plot)


def _curve(found: tuple[str, str], plot: str | os.PathLike[str] | None) -> Record:
    text, svg = found
    if plot is not None:
        draw(plot, svg)
    curve: Record = record(text)
    return curve


def draw(path: str | os.PathLike[str], svg: str) -> None:
    """Writes a drawing. A drawing that is there is replaced, any other file is an error."""
    path = os.fspath(path)
    if os.path.lexists(path):
        with contextlib.suppress(OSError, UnicodeDecodeError), open(path, encoding="utf-8") as there:
            if not os.path.islink(path) and there.read(4) in ("<svg", ""):
                os.unlink(path)
        if os.path.lexists(path):
            raise InputError(f"{path} is there and is no drawing", "name another file")
    with open(path, "w", encoding="utf-8") as to:
        to.write(svg)


def _copied(source: str, path: str) -> None:
    """Copies a file, which has its name only when it is whole. No link is followed."""
    part = f"{path}.{os.getpid()}.part"
    with open(source, "rb") as content, open(part, "xb") as to:
        try:
            shutil.copyfileobj(content, to)
            to.flush()
            os.replace(part, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(part)
            raise


def _from_bytes(content: bytes) -> Trace:
    return Trace._written(lambda path: Path(path).write_bytes(content))


def _from_paths(paths: list[str], options: dict[str, Any]) -> Trace:
    return Trace(*paths, **options)


def open_trace(*paths: str | os.PathLike[str], **options: Any) -> Trace:
    """A trace in a file of any format, compressed or not; several files are merged by time, or with `chain=True` play in turn.

    Options are those of an experiment's `workload.options`: `format`, `on_bad_line`, `action`, `size_unit`, `lba_unit`,
    `time_unit`, `chain`, `assume_op`. The file is opened, and its format detected, at once.
    """
    trace = Trace(*paths, **options)
    _ftlkit.trace_stream(trace.paths, trace.options, 1)
    return trace


def _columns(**given: Any) -> dict[str, bytes | None]:
    """Arrays as bytes of native numbers, all of one length."""
    try:
        import numpy as np
    except ImportError:
        raise InputError("a trace of arrays needs NumPy, which is not installed", "pip install numpy") from None
    for name in ("op", "offset", "length"):
        if given[name] is None:
            raise InputError(f"{name}: is None; it takes an array, an entry per request")
    arrays = {name: np.asarray(value) for name, value in given.items() if value is not None}
    for name, array in arrays.items():
        if array.ndim != 1:
            raise InputError(f"{name}: has {array.ndim} dimensions; it takes one, an entry per request")
        if len(array) != len(arrays["op"]):
            raise InputError(f"{name}: has {len(array)} entries, and op has {len(arrays['op'])}")
    if len(arrays["op"]) == 0:
        raise InputError("the arrays are empty: a trace has at least one request")
    columns: dict[str, bytes | None] = dict.fromkeys(given)
    for name, array in arrays.items():
        if name == "op":
            columns[name] = _ops(np, array)
        elif name == "fua":
            if array.dtype.kind != "b":
                raise InputError(f"fua: is of dtype {array.dtype}; it takes flags", "fua.astype(bool)")
            columns[name] = array.astype("u1").tobytes()
        else:
            columns[name] = _whole(np, name, array, {"device": "u4", "stream": "u1"}.get(name, "u8"))
    return columns


def _whole(np: Any, name: str, array: Any, kind: str) -> bytes:
    if array.dtype.kind not in "iu":
        help = f"{name}.astype('uint64'), after rounding to whole numbers"
        raise InputError(f"{name}: is of dtype {array.dtype}; it takes whole numbers", help)
    most = np.iinfo(kind).max
    for bad in (np.flatnonzero(array < 0), np.flatnonzero(array > most)):
        if len(bad):
            raise InputError(f"row {bad[0]}: expected {name} from 0 to {most}, found `{array[bad[0]]}`")
    whole: bytes = array.astype(kind).tobytes()
    return whole


def _ops(np: Any, array: Any) -> bytes:
    if array.dtype.kind in "iu":
        codes, wrong = array, np.flatnonzero((array < 0) | (array >= len(OPS)))
    elif array.dtype.kind in "USOT":
        names = array.astype(str)
        codes = np.full(len(names), len(OPS), dtype="u1")
        for code, op in enumerate(OPS):
            codes[names == op] = code
        wrong = np.flatnonzero(codes == len(OPS))
    else:
        raise InputError(f"op: is of dtype {array.dtype}; it takes texts, or numbers from 0 to {len(OPS) - 1}", f"{', '.join(OPS)}")
    if len(wrong):
        row = wrong[0]
        raise InputError(f"row {row}: expected an op: {', '.join(OPS[:-1])} or {OPS[-1]}, found `{array[row]}`")
    ops: bytes = codes.astype("u1").tobytes()
    return ops
