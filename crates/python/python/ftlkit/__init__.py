"""Compare flash translation layers (FTLs) of NAND flash on block traces, and hold them to their bounds.

>>> import ftlkit
>>> found = ftlkit.compare("uniform", schemes="page-level,lazy-rtgc", capacity="64MiB")
>>> found["lazy-rtgc"].waf
>>> found.table.to_pandas()
"""

from ._api import bounds, choose, compare, run
from ._errors import Error, InputError, Interrupted, PolicyError, RunError
from ._ftlkit import Blocks, Table, __version__
from ._lists import (
    captured_traces,
    formats,
    interfaces,
    parts,
    placement_policies,
    scheme_page,
    schemes,
    victim_policies,
    workloads,
)
from ._policy import placement_policy, victim_policy
from ._results import Comparison, Record, SweepResult
from ._settings import Settings
from ._sweep import sweep
from ._trace import Trace, curve, open_trace
from ._values import Part, Scheme, Workload

__all__ = [
    "Blocks",
    "Comparison",
    "Error",
    "InputError",
    "Interrupted",
    "Part",
    "PolicyError",
    "Record",
    "RunError",
    "Scheme",
    "Settings",
    "SweepResult",
    "Table",
    "Trace",
    "Workload",
    "__version__",
    "bounds",
    "captured_traces",
    "choose",
    "compare",
    "curve",
    "formats",
    "interfaces",
    "open_trace",
    "parts",
    "placement_policies",
    "placement_policy",
    "run",
    "scheme_page",
    "schemes",
    "sweep",
    "victim_policies",
    "victim_policy",
    "workloads",
]
