"""What configurations may name, by name."""

from __future__ import annotations

import json
from typing import Any

from . import _ftlkit


def _named(what: str) -> dict[str, dict[str, Any]]:
    return {entry["name"]: entry for entry in json.loads(_ftlkit.list_json(what))}


def parts() -> dict[str, dict[str, Any]]:
    """NAND parts of the catalogue with their data-sheet values."""
    return _named("parts")


def schemes() -> dict[str, dict[str, Any]]:
    """Schemes with their settings."""
    return _named("schemes")


def scheme_page(name: str) -> str:
    """The page of a scheme as Markdown: algorithm, cost, formulas, settings, source."""
    return _ftlkit.scheme_page(name)


def workloads() -> dict[str, dict[str, Any]]:
    """Built-in workloads with their parameters."""
    return _named("workloads")


def captured_traces() -> dict[str, dict[str, Any]]:
    """Captured traces of real programs, which are part of ftlkit, with their contents; each is a workload by its name."""
    return _named("traces")


def formats() -> dict[str, dict[str, Any]]:
    """Formats of traces."""
    return _named("formats")


def interfaces() -> dict[str, dict[str, Any]]:
    """Links between host and SSD."""
    return _named("interfaces")


def victim_policies() -> dict[str, dict[str, Any]]:
    """Victim policies, those of this program included."""
    return _named("victim_policies")


def placement_policies() -> dict[str, dict[str, Any]]:
    """Placement policies, those of this program included."""
    return _named("placement_policies")
