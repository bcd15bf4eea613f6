"""`python -m ftlkit.sweep`: a sweep on this machine or on a Dask cluster."""

from __future__ import annotations

import argparse
import sys

from . import _ftlkit
from ._errors import Error, Interrupted
from ._sweep import execute, planned
from ._sweep import sweep as _sweep

EPILOG = """\
Examples:
  python -m ftlkit.sweep study.toml --out results
  python -m ftlkit.sweep study.toml --out results --scheduler tcp://node1:8786

The file is one of `ftlkit sweep`: an experiment with a table such as
  [sweep]
  share = "0.6..0.9:0.05"
  seed = "1..5"

Exit codes: 0 done, every bound kept; 1 a bound was exceeded, a deadline missed, or a run failed; 2 wrong usage or input;
130 interrupted (finished runs are kept: the same command goes on)."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    command = argparse.ArgumentParser(
        prog="python -m ftlkit.sweep",
        description="Run every combination of settings of a study, on this machine or on a Dask cluster.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("study", metavar="FILE", help="experiment file (TOML) with a table [sweep]")
    command.add_argument("--out", metavar="DIR", help="directory for finished runs and tables [default: `out` of the file]")
    command.add_argument("--scheduler", metavar="ADDRESS", help="address of a Dask scheduler [default: this machine]")
    command.add_argument("--threads", type=int, metavar="N", help="runs at once on this machine [default: its cores]")
    command.add_argument("--force", action="store_true", help="let --out replace the tables of another sweep")
    command.add_argument("--strict", action="store_true", help="exit with code 1 if a request misses the deadline")
    command.add_argument("--quiet", "-q", action="store_true", help="print no progress and no notes")
    command.add_argument("--version", action="version", version=f"ftlkit {_ftlkit.__version__}")
    return command


def _told(done: int, total: int | None) -> None:
    end = "\n" if done == total else ""
    print(f"\rsweep: {done} of {total} runs", end=end, file=sys.stderr, flush=True)


def _client(address: str) -> object:
    try:
        from distributed import Client
    except ImportError:
        raise SystemExit(_failed("--scheduler needs Dask, which is not installed", "pip install 'ftlkit[dask]'")) from None
    try:
        return Client(address, timeout="20s")
    except (OSError, TimeoutError, ValueError) as error:
        raise SystemExit(_failed(f"--scheduler {address}: {error}", "it is an address such as tcp://host:8786")) from None


def _failed(what: str, help: str | None = None) -> int:
    print(f"error: {what}" + (f"\nhelp: {help}" if help else ""), file=sys.stderr)
    return 2


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; returns its exit code."""
    options = parser().parse_args(arguments)
    show = not options.quiet and sys.stderr.isatty()
    result = None
    try:
        plan, named = planned(options.study, None, {})
        out = options.out or named
        client = _client(options.scheduler) if options.scheduler else None
        progress = (lambda _scheme, _phase, done, total: _told(done, total)) if show else None
        result = execute(plan, out, force=options.force, threads=options.threads, client=client, progress=progress)  # type: ignore[arg-type]
        code = result.exit_code(options.strict)
    except Interrupted as interrupted:
        result, code = interrupted.result, 130
    except Error as error:
        print(f"error: {error}", file=sys.stderr)
        result, code = error.result, 1 if isinstance(error, RuntimeError) else 2
        if result is not None:
            code = result.exit_code(options.strict) or code
    except OSError as error:
        # The scheduler was lost, or the disk is full.
        print(f"error: {error or type(error).__name__}", file=sys.stderr)
        result, code = getattr(error, "result", None), 2
        if result is not None:
            print("help: finished runs are kept in --out, and the same command goes on with them", file=sys.stderr)
    if result is not None:
        counts = ", ".join(f"{count} {name}" for name, count in result.counts.items())
        print(f"{len(result)} runs: {counts}")
        if result.files and not options.quiet:
            print(f"note: in {out}: {', '.join(result.files)}", file=sys.stderr)
    if code == 130 and not options.quiet:
        print("note: interrupted; finished runs are kept, and the same command goes on", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
else:
    # `import ftlkit.sweep` leaves the name what it is: the function.
    sys.modules[__name__] = _sweep  # type: ignore[assignment]
