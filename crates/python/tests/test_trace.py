"""Traces: files and NumPy arrays."""

import json
import pickle
import subprocess
import sys
from pathlib import Path

import ftlkit
import numpy as np
import pyarrow
import pytest
from ftlkit._trace import OPS


@pytest.fixture
def arrays():
    draw = np.random.default_rng(1)
    rows = 4000
    return {
        "arrival_ns": np.cumsum(draw.integers(0, 10**6, rows)),
        "op": draw.choice(["read", "write"], rows),
        "offset": draw.integers(0, 4096, rows, dtype=np.uint32) * 2048,
        "length": np.full(rows, 2048, dtype=np.int64),
    }


def test_arrays_are_a_trace(command, arrays, tmp_path):
    trace = ftlkit.Trace.from_arrays(**arrays)
    saved = trace.save(tmp_path / "trace.csv")
    printed = json.loads(command("compare", tmp_path / "trace.csv", "--schemes", "page-level,fsr", "--json", "--quiet"))
    assert ftlkit.compare(saved, schemes="page-level,fsr").report == printed
    found = ftlkit.compare(trace, schemes="page-level,fsr")
    assert [scheme for scheme in found.report["schemes"]] == printed["schemes"]


def test_a_saved_trace_replaces_nothing_unasked_and_follows_no_link(arrays, tmp_path):
    trace = ftlkit.Trace.from_arrays(**arrays)
    path, victim = tmp_path / "trace.csv", tmp_path / "victim"
    for make in (lambda: path.write_text("mine"), lambda: path.symlink_to("victim"), lambda: path.symlink_to("nowhere")):
        victim.write_text("mine")
        make()
        with pytest.raises(ftlkit.InputError, match="is there(.|\n)*force=True"):
            trace.save(path)
        assert path.is_symlink() or path.read_text() == "mine"
        saved = trace.save(path, force=True)
        assert not path.is_symlink() and saved.info()["counts"] == trace.info()["counts"]
        assert victim.read_text() == "mine" and sorted(tmp_path.iterdir()) == [path, victim]
        path.unlink()
    with pytest.raises(ftlkit.InputError, match="is a directory"):
        trace.save(tmp_path, force=True)


def test_what_goes_in_comes_out(arrays):
    trace = ftlkit.Trace.from_arrays(**arrays, device=np.arange(4000) % 3, fua=np.arange(4000) % 7 == 0, stream=np.arange(4000) % 256)
    read = pyarrow.table(trace)
    # Arrivals count from the first request.
    first = arrays["arrival_ns"][0]
    assert read["arrival_ns"].to_pylist() == (arrays["arrival_ns"] - first).tolist()
    assert read["op"].to_pylist() == arrays["op"].tolist()
    assert read["offset_bytes"].to_pylist() == arrays["offset"].tolist()
    assert read["length_bytes"].to_pylist() == arrays["length"].tolist()
    assert read["device"].to_pylist() == [str(number % 3) for number in range(4000)]
    assert read["fua"].to_pylist() == [number % 7 == 0 for number in range(4000)]
    assert read["response_ns"].null_count == 4000
    assert read["stream"].to_pylist() == [number % 256 for number in range(4000)]
    assert [len(batch) for batch in trace.batches(1500)] == [1500, 1500, 1000]
    with pytest.raises(ftlkit.InputError, match="rows: must be 1 or more"):
        trace.batches(-1)


def test_numbers_stand_for_operations(arrays):
    texts = {**arrays, "op": np.array(list(OPS) * 400)}
    texts["length"] = np.where(texts["op"] == "flush", 0, 2048)
    codes = {**texts, "op": np.arange(4000) % len(OPS)}
    tables = [pyarrow.table(ftlkit.Trace.from_arrays(**given)) for given in (texts, codes)]
    assert tables[0].equals(tables[1])


def test_without_arrivals_requests_follow_each_other():
    trace = ftlkit.Trace.from_arrays(op=["write", "read"], offset=[0, 512], length=[512, 512])
    assert not trace.info().has_arrivals
    assert pyarrow.table(trace)["arrival_ns"].null_count == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"offset": np.zeros(4000)}, "offset: is of dtype float64; it takes whole numbers"),
        ({"op": np.zeros(4000)}, "op: is of dtype float64"),
        ({"op": np.full(4000, 10)}, "append, open, close, finish or write-zeroes-deallocate, found `10`"),
        ({"op": np.array(["read"] * 3999 + ["wirte"])}, "row 3999: expected an op"),
        ({"offset": np.arange(4000) - 7}, "row 0: expected offset from 0"),
        ({"length": np.ones(3999, dtype=int)}, "length: has 3999 entries, and op has 4000"),
        ({"length": np.ones((4000, 2), dtype=int)}, "length: has 2 dimensions"),
        ({"op": None}, "op: is None; it takes an array"),
        ({"offset": None}, "offset: is None; it takes an array"),
        ({"length": None}, "length: is None; it takes an array"),
        ({"fua": np.ones(4000)}, "fua: is of dtype float64; it takes flags"),
        ({"device": np.full(4000, 2**40)}, "row 0: expected device from 0 to 4294967295"),
        ({"op": np.full(4000, 3)}, "row 0: expected a flush with length 0"),
        ({"offset": np.full(4000, 2**64 - 1, dtype=np.uint64)}, "row 0: expected"),
    ],
)
def test_bad_rows_and_types_are_told(arrays, change, said):
    with pytest.raises(ftlkit.InputError) as caught:
        ftlkit.Trace.from_arrays(**{**arrays, **change})
    assert said in str(caught.value)


def test_a_bad_row_is_told_as_in_a_file(command, tmp_path):
    (tmp_path / "bad.csv").write_text("op,offset_bytes,length_bytes\nread,0,512\nflush,0,512\n")
    printed = command("trace", "info", tmp_path / "bad.csv", fails=True)
    with pytest.raises(ftlkit.InputError) as caught:
        ftlkit.Trace.from_arrays(op=["read", "flush"], offset=[0, 0], length=[512, 512])
    told = printed.split("expected ")[1].split(" (csv format)")[0]
    assert str(caught.value) == f"row 1: expected {told}"


def test_rows_out_of_order_are_counted_as_in_a_file(arrays):
    late = {**arrays, "arrival_ns": arrays["arrival_ns"][::-1].copy()}
    counts = ftlkit.Trace.from_arrays(**late).info().counts
    assert counts.out_of_order > 0 or counts.before_first > 0


def test_empty_arrays_are_no_trace(arrays):
    with pytest.raises(ftlkit.InputError, match="at least one request"):
        ftlkit.Trace.from_arrays(**{name: column[:0] for name, column in arrays.items()})


def test_facts_are_those_of_the_command(command, arrays, tmp_path):
    trace = ftlkit.Trace.from_arrays(**arrays).save(tmp_path / "trace.csv")
    printed = json.loads(command("trace", "info", tmp_path / "trace.csv", "--json", "--quiet"))
    assert trace.info() == {key: value for key, value in printed["traces"][0].items() if key != "interrupted"}


def test_files_are_opened_at_once(tmp_path):
    with pytest.raises(ftlkit.InputError, match="missing.csv"):
        ftlkit.open_trace(tmp_path / "missing.csv")
    (tmp_path / "odd.csv").write_text("what is this\n")
    with pytest.raises(ftlkit.InputError, match="odd.csv"):
        ftlkit.open_trace(tmp_path / "odd.csv")
    with pytest.raises(ftlkit.InputError, match="there is no key `formt`; did you mean `format`"):
        ftlkit.open_trace(tmp_path / "odd.csv", formt="csv")
    (tmp_path / "cut.csv").write_text("op,offset_bytes,length_bytes\nread,0,512\nread,x,512\n")
    with pytest.raises(ftlkit.InputError, match=r"cut.csv:3:6: expected"):
        list(ftlkit.open_trace(tmp_path / "cut.csv").batches())


def test_a_trace_is_pickled(arrays, tmp_path):
    trace = ftlkit.Trace.from_arrays(**arrays)
    again = pickle.loads(pickle.dumps(trace))
    assert again.paths != trace.paths and pyarrow.table(again).equals(pyarrow.table(trace))
    saved = trace.save(tmp_path / "trace.csv")
    assert pickle.loads(pickle.dumps(saved)).paths == saved.paths


def test_temporary_files_are_removed(arrays):
    from pathlib import Path

    trace = ftlkit.Trace.from_arrays(**arrays)
    path = Path(trace.paths[0])
    assert path.exists()
    del trace
    assert not path.parent.exists()


def test_dialects_are_read_as_by_a_reader_of_their_own(command):
    """A small run of the generator, which is described in CONTRIBUTING.md."""
    script = Path(__file__).resolve().parents[3] / "scripts/trace_dialects.py"
    line = [sys.executable, str(script), str(command.program), "--files", "60", "--seed", "1"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "60 files of 17 formats" in done.stdout, done.stdout + done.stderr


def test_curves_are_those_of_the_command(command, arrays, tmp_path):
    trace = ftlkit.Trace.from_arrays(**arrays).save(tmp_path / "trace.csv")
    printed = json.loads(command("trace", "curve", tmp_path / "trace.csv", "--page", "2KiB", "--json", "--quiet"))
    plot = tmp_path / "curves.svg"
    curve = trace.curve(page=2048, plot=plot)
    assert (curve.requests, curve.curves) == (4000, printed["curves"]) and plot.read_text().startswith("<svg")
    text = "uniform:rate=500:size=8KiB:requests=300"
    printed = json.loads(command("trace", "curve", text, "--json"))
    curve = ftlkit.curve(text)
    assert (curve.curves, curve.notes) == (printed["curves"], printed["notes"])
    rows = ftlkit.bounds(arrivals=trace, schemes="lazy-rtgc").rows()
    assert rows[0]["why_not"] or rows[0]["delay_ns"]
    for call, said in [
        (lambda: ftlkit.curve("uniformly"), "no built-in workload is called so"),
        (lambda: ftlkit.curve("uniform"), "no arrival times"),
        (lambda: ftlkit.curve("uniform:rate=x"), "rate"),
        (lambda: trace.curve(page=100), "page: must be 512 or more"),
        (lambda: ftlkit.bounds(arrivals=ftlkit.Trace("a.csv", "b.csv")), "a trace of one file"),
    ]:
        with pytest.raises(ftlkit.InputError, match=said):
            call()
