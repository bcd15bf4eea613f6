"""Sweeps on a Dask cluster of processes: lost workers, a lost client, and the command's bytes."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import ftlkit
import ftlkit._cluster
import pytest
from distributed import Client, LocalCluster, WorkerPlugin

from conftest import ROOT
from test_sweep import kept, tables

#: Runs of half a second each, so that a worker can be killed in the middle.
LONGER = """
capacity = "32MiB"
schemes = ["page-level"]
[workload]
trace = "TRACE"
loops = 20
[sweep]
share = [0.6, 0.7]
seed = [1, 2, 3, 4]
"""


@pytest.fixture(scope="module")
def cluster():
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with Client(cluster) as client:
        yield client


@pytest.fixture
def trace(tmp_path):
    import numpy as np

    draw = np.random.default_rng(1)
    offset = draw.integers(0, 4096, 20_000) * 2048
    made = ftlkit.Trace.from_arrays(op=np.full(20_000, 1), offset=offset, length=np.full(20_000, 2048))
    return made.save(tmp_path / "trace.csv")


@pytest.fixture
def longer(toml, trace):
    return toml(LONGER.replace("TRACE", trace.paths[0]), "longer.toml")


def test_the_bytes_are_the_commands(client, command, study, tmp_path):
    told = []
    result = ftlkit.sweep(study, out=tmp_path / "dask", client=client, progress=lambda *step: told.append(step))
    command("sweep", study, "--out", tmp_path / "command", "--quiet")
    assert tables(tmp_path / "dask") == tables(tmp_path / "command")
    assert kept(tmp_path / "dask") == kept(tmp_path / "command")
    assert result.counts == {"ok": 8, "impossible": 4}
    assert told[-1] == ("", "runs", 12, 12) and not list((tmp_path / "dask/stream").iterdir())


def ended(folder):
    return len(list((folder / "runs").glob("*.json"))) if (folder / "runs").exists() else 0


@pytest.mark.parametrize("kills", [1, 2])
def test_a_killed_worker_loses_nothing_and_repeats_nothing(client, command, longer, tmp_path, kills):
    killed, was_busy, there = [], [], []
    over = threading.Event()

    def kill():
        for number in range(kills):
            while ended(tmp_path / "dask") <= number and not over.is_set():
                time.sleep(0.02)
            # A worker that was just killed does not answer, and one that started anew is not busy at once.
            while not over.is_set():
                pids = {worker: pid for worker, pid in client.run(os.getpid, on_error="ignore").items() if pid not in killed}
                busy = [worker for worker, tasks in client.processing().items() if tasks and worker in pids]
                if busy:
                    os.kill(pids[busy[0]], signal.SIGKILL)
                    killed.append(pids[busy[0]])
                    was_busy.append(busy[0])
                    there.append(ended(tmp_path / "dask"))
                    break
                time.sleep(0.02)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    numbers = []
    finish = ftlkit._cluster.Runs.settle

    def settle(self, future):
        numbers.append(self.numbers[future])
        return finish(self, future)

    ftlkit._cluster.Runs.settle = settle
    try:
        result = ftlkit.sweep(longer, out=tmp_path / "dask", client=client)
    finally:
        over.set()
        ftlkit._cluster.Runs.settle = finish
    killer.join()
    assert len(was_busy) == len(killed) == kills
    assert max(there) < 8, "the sweep was still going"
    assert result.counts == {"ok": 8}
    assert sorted(numbers) == list(range(8)), "each run ends once"
    command("sweep", longer, "--out", tmp_path / "command", "--quiet")
    assert tables(tmp_path / "dask") == tables(tmp_path / "command")
    assert kept(tmp_path / "dask") == kept(tmp_path / "command")


def test_a_sweep_goes_on_after_its_client_died(cluster, client, command, longer, tmp_path):
    script = f"""
import ftlkit
import ftlkit._cluster
from distributed import Client
ftlkit.sweep({str(longer)!r}, out={str(tmp_path / "dask")!r}, client=Client({cluster.scheduler_address!r}))
"""
    process = subprocess.Popen([sys.executable, "-c", script])
    while ended(tmp_path / "dask") < 2:
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.wait()
    there = kept(tmp_path / "dask")
    assert 2 <= len(there) < 8
    made = {path: path.stat().st_mtime_ns for path in (tmp_path / "dask/runs").glob("*.json")}
    ftlkit.sweep(longer, out=tmp_path / "dask", client=client)
    assert {path: path.stat().st_mtime_ns for path in made} == made, "kept runs are not made again"
    command("sweep", longer, "--out", tmp_path / "command", "--quiet")
    assert tables(tmp_path / "dask") == tables(tmp_path / "command")


class Hidden(WorkerPlugin):
    """Hides a file from the workers."""

    def __init__(self, path):
        self.path = path

    def setup(self, worker):
        import ftlkit._cluster as cluster

        self.found = cluster.has_trace
        path, found = self.path, self.found
        cluster.has_trace = lambda name, sha256: name != path and found(name, sha256)

    def teardown(self, worker):
        import ftlkit._cluster as cluster

        cluster.has_trace = self.found


def test_a_trace_that_workers_lack_is_sent_once(client, command, longer, tmp_path, monkeypatch):
    sent = []
    scatter = client.scatter
    monkeypatch.setattr(client, "scatter", lambda data, **options: sent.append(len(data[0])) or scatter(data, **options))
    # The workers have no file of this path.
    run = client.run
    monkeypatch.setattr(client, "run", lambda function, *words, **options: dict.fromkeys(run(function, *words, **options), False))
    path = tmp_path / "trace.csv"
    client.register_plugin(Hidden(str(path)), name="hidden")
    result = ftlkit.sweep(longer, out=tmp_path / "dask", client=client)
    client.unregister_worker_plugin("hidden")
    assert result.counts == {"ok": 8} and sent == [path.stat().st_size]
    command("sweep", longer, "--out", tmp_path / "command", "--quiet")
    assert tables(tmp_path / "dask") == tables(tmp_path / "command")


def test_policies_of_this_program_go_with_their_runs(client):
    @ftlkit.victim_policy("travelling")
    class Travelling:
        def __init__(self, blocks, pages_per_block, seed):
            pass

        def full(self, block, valid):
            pass

        def choose(self, blocks):
            return blocks.fewest()

    @ftlkit.placement_policy("halves", classes=2)
    class Halves:
        def __init__(self, logical_pages, blocks, pages_per_block):
            self.half = logical_pages // 2

        def write(self, page, old, lifespan):
            return int(page < self.half)

        def copy(self, page, old, age):
            return old

    schemes = ["page-level+share=0.7+victim=travelling+placement=halves"]
    study = {"capacity": "16MiB", "workload": {"name": "uniform", "requests": 3000}, "schemes": schemes}
    here = ftlkit.sweep(study, vary={"seed": [1, 2]})
    there = ftlkit.sweep(study, vary={"seed": [1, 2]}, client=client)
    assert there.runs.rows() == here.runs.rows()


def test_what_is_sent_is_small_and_pickles(study):
    plan = ftlkit._sweep.planned(study, None, {})[0]
    task = plan.task(0)
    assert pickle.loads(pickle.dumps(task)) == task and len(pickle.dumps(task)) < 2000
    outcome = ftlkit._ftlkit.measure(task[0], {})
    assert outcome.startswith(b'{"status":"ok"') and len(outcome) < 30_000
    for error in (ftlkit.InputError("a", "b"), ftlkit.PolicyError("c")):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.help) == (type(error), str(error), error.help)


def test_a_worker_of_another_program_is_refused(client, study, monkeypatch):
    monkeypatch.setattr(ftlkit._cluster._ftlkit, "identity", lambda: "another")
    with pytest.raises(ftlkit.RunError, match="a worker has another ftlkit"):
        ftlkit.sweep(study, client=client)


def test_the_command_of_the_module(cluster, command, study, tmp_path):
    words = [sys.executable, "-m", "ftlkit.sweep", study, "--out", tmp_path / "dask", "--scheduler", cluster.scheduler_address]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    command("sweep", study, "--out", tmp_path / "command", "--quiet")
    assert tables(tmp_path / "dask") == tables(tmp_path / "command")


def test_rows_are_streamed_while_it_goes_on(client, study, tmp_path, monkeypatch):
    import pyarrow.parquet

    rows = []
    clear = ftlkit._cluster.Stream.clear

    def read(self):
        for file in sorted(Path(self.folder).glob("part-*.parquet")):
            rows.extend(pyarrow.parquet.read_table(file)["hash"].to_pylist())
        clear(self)

    monkeypatch.setattr(ftlkit._cluster, "STREAMED", 3)
    monkeypatch.setattr(ftlkit._cluster.Stream, "clear", read)
    result = ftlkit.sweep(study, out=tmp_path / "dask", client=client)
    finished = [row["hash"] for row in result.runs.rows()]
    # Every third finished run makes a file of three.
    assert len(rows) == len(finished) // 3 * 3 and len(set(rows)) == len(rows) and set(rows) <= set(finished)


def test_a_file_of_another_content_is_not_the_trace(trace, tmp_path):
    sha256 = ftlkit._ftlkit.file_sha256(trace.paths[0])
    assert ftlkit._cluster.has_trace(trace.paths[0], sha256)
    other = tmp_path / "other.csv"
    other.write_text(Path(trace.paths[0]).read_text() + "write,0,512\n")
    assert not ftlkit._cluster.has_trace(str(other), sha256)
    assert not ftlkit._cluster.has_trace(str(tmp_path / "missing.csv"), sha256)
    with pytest.raises(ftlkit._cluster.MissingTrace):
        ftlkit._cluster._local((str(other), sha256), None)


def test_any_exception_leaves_tables_and_its_result(client, study, tmp_path):
    def full(*_):
        if ended(tmp_path / "dask") >= 2:
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left") as caught:
        ftlkit.sweep(study, out=tmp_path / "dask", client=client, progress=full)
    counts = caught.value.result.counts
    assert counts["not-run"] > 0 and counts["ok"] >= 2
    assert len(tables(tmp_path / "dask")) == 6
    # The same call goes on.
    assert ftlkit.sweep(study, out=tmp_path / "dask", client=client).counts == {"ok": 8, "impossible": 4}


class Content:
    """A future of a content, in some state."""

    def __init__(self, status):
        self.status = status


def test_only_lost_contents_are_sent_again():
    from types import SimpleNamespace

    from distributed.client import FutureCancelledError

    runs = ftlkit._cluster.Runs(SimpleNamespace(status="running"), SimpleNamespace(finish=None))
    whole = Content("finished")
    runs.contents = {("a", "1"): Content("cancelled"), ("b", "2"): whole, ("c", "3"): None, ("d", "4"): Content("lost")}
    runs.tries[0] = 1
    runs.submit = lambda at: f"again {at}"

    class Cancelled:
        def result(self):
            raise FutureCancelledError("key", "lost dependencies")

    task = Cancelled()
    runs.numbers[task] = 0
    assert runs.settle(task) == "again 0"
    assert runs.contents == {("b", "2"): whole, ("c", "3"): None}
    # Without a scheduler there is nothing to repeat.
    runs.client.status = "closed"
    runs.numbers[task] = 0
    with pytest.raises(OSError, match="scheduler of the cluster was lost"):
        runs.settle(task)


def test_a_trace_that_a_later_worker_lacks_is_sent_before_the_run_is_repeated():
    from types import SimpleNamespace

    runs = ftlkit._cluster.Runs(SimpleNamespace(status="running"), SimpleNamespace(finish=None))
    runs.contents = {("a", "1"): None, ("b", "2"): None}
    runs.tries[0] = 1
    runs.submit = lambda at: f"again {at}"
    runs.sent = lambda trace: f"content of {trace[0]}"

    class Missing:
        def result(self):
            raise ftlkit._cluster.MissingTrace("a", "1")

    task = Missing()
    runs.numbers[task] = 0
    assert runs.settle(task) == "again 0"
    assert runs.contents == {("a", "1"): "content of a", ("b", "2"): None}
    # What was sent is not sent twice.
    runs.sent = None
    runs.numbers[task] = 0
    assert runs.settle(task) == "again 0"


def test_other_code_of_a_policy_on_a_worker_is_refused(client, monkeypatch):
    @ftlkit.victim_policy("stale")
    class Stale:
        def __init__(self, blocks, pages_per_block, seed):
            pass

        def full(self, block, valid):
            pass

        def choose(self, blocks):
            return blocks.fewest()

    study = {"capacity": "8MiB", "workload": {"name": "uniform", "requests": 3000}, "schemes": ["page-level+victim=stale"]}
    assert ftlkit.sweep(study, vary={"seed": [1]}, client=client).counts == {"ok": 1}
    # As if the client's class had been changed since the worker imported it.
    monkeypatch.setattr(ftlkit._policy, "compiled_hash", lambda cls: "changed")
    with pytest.raises(ftlkit.RunError, match="policy `stale`: a worker has other code of the class"):
        ftlkit.sweep(study, vary={"seed": [2]}, client=client)
