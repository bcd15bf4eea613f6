"""Runs beside Python: its lock, progress, Ctrl-C."""

import _thread
import os
import signal
import subprocess
import sys
import threading
import time

import ftlkit
import pytest

from conftest import SMALL

#: Runs until it is interrupted.
LONG = {**SMALL, "workload": {"name": "uniform", "requests": 10**9}}


def test_other_threads_run_meanwhile():
    def count():
        # Long enough that the run is under way: with Python's lock held it would never come to an end.
        for _ in range(50):
            time.sleep(0.01)
        _thread.interrupt_main()

    counter = threading.Thread(target=count)
    with pytest.raises(KeyboardInterrupt):
        counter.start()
        ftlkit.compare(**LONG)
    counter.join()


def test_two_comparisons_at_once():
    alone = ftlkit.compare(**SMALL).to_json()
    found = []
    threads = [threading.Thread(target=lambda: found.append(ftlkit.compare(**SMALL).to_json())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [alone, alone]


def test_progress_is_told_of_each_scheme():
    calls = []
    ftlkit.compare(**{**SMALL, "workload": {"name": "uniform", "requests": 500_000}}, progress=lambda *told: calls.append(told))
    assert {scheme for scheme, *_ in calls} == {"page-level", "lazy-rtgc"}
    assert ("measure" in {phase for _, phase, *_ in calls}) and all(done <= total for *_, done, total in calls)
    # The last call of each scheme tells that it is done.
    last = {scheme: (phase, done, total) for scheme, phase, done, total in calls}
    assert all(phase == "measure" and done == total == 500_000 for phase, done, total in last.values())


def test_a_bar_of_tqdm(monkeypatch):
    import tqdm.auto

    bars = []

    class Kept(tqdm.auto.tqdm):
        def __init__(self, *words, **options):
            bars.append(self)
            super().__init__(*words, **options)

    monkeypatch.setattr(tqdm.auto, "tqdm", Kept)
    ftlkit.compare(**SMALL, precondition="full", progress=True)
    [bar] = bars
    assert bar.n == bar.total > 0
    # What was measured is at least a part of it.
    assert bar.n >= 2 * SMALL["workload"]["requests"]


def test_an_exception_of_the_callback_ends_the_run():
    def raises(*_):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        ftlkit.compare(**LONG, progress=raises)


SCRIPT = """
import os, ftlkit
try:
    ftlkit.compare(**{keys!r}, progress=lambda scheme, phase, done, total: phase == "measure" and print("on", flush=True))
except ftlkit.Interrupted as interrupted:
    found = interrupted.result
    assert isinstance(interrupted, KeyboardInterrupt)
    assert found.interrupted and all(0 < scheme.requests < 10**9 for scheme in found.schemes)
    print("stopped", len(found))
"""


def test_ctrl_c_ends_a_run_and_tells_what_it_has():
    process = subprocess.Popen([sys.executable, "-c", SCRIPT.format(keys=LONG)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "on\n"
    process.send_signal(signal.SIGINT)
    printed, _ = process.communicate()
    assert "stopped" in printed and process.returncode == 0


def test_a_handler_of_ones_own_decides():
    script = f"""
import os, signal, threading, ftlkit
def handler(*_):
    raise RuntimeError("my handler")
signal.signal(signal.SIGUSR1, handler)
try:
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGUSR1)).start()
    ftlkit.compare(**{LONG!r})
except RuntimeError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "my handler\n"


def test_importing_the_module_of_the_command_leaves_the_function():
    import ftlkit.sweep

    assert callable(ftlkit.sweep) and ftlkit.sweep.__name__ == "sweep"
    assert os.path.basename(sys.executable).startswith("python")


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space are those of Linux")
def test_what_the_limits_of_the_process_do_not_hold_is_an_exception():
    script = """
import resource, ftlkit
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
for capacity in ["2TiB", "4TiB"]:
    try:
        ftlkit.compare("uniform", capacity=capacity, schemes=["page-level"])
    except ftlkit.InputError as error:
        assert "capacity" in str(error) and "of memory" in str(error), error
    else:
        raise SystemExit("not refused")
print(ftlkit.compare({"name": "uniform", "requests": 2000}, capacity="16MiB", schemes=["page-level"]).report["schemes"][0]["requests"])
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (ran.returncode, ran.stdout.strip()) == (0, "2000"), ran.stderr
