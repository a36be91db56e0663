"""What is simulated and proved."""

from __future__ import annotations

import json
import numbers
import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any, Callable, Optional, Union

from . import _flitsim, _frames
from ._errors import FlitsimWarning
from ._frames import Frame
from ._network import Proof, Proofs
from ._source import Scenario, network_source, plain, source

#: Called with how far a call is, a dict of `done`, `running`, `total` and the `points` running, each with its
#: `series`, `load`, `cycles` and `relative_half_width`; `True` writes a line to standard error. What it
#: raises ends the call.
Progress = Union[bool, Callable[[dict[str, Any]], Any], None]


def _heard(progress: Progress) -> Optional[Callable[[str], None]]:
    if not progress:
        return None
    if progress is not True:
        return lambda news: progress(json.loads(news))

    def line(news: str) -> None:
        told = json.loads(news)
        is_over = told["done"] == told["total"] and not told["running"]
        text = f"\r{told['done']}/{told['total']} done, {told['running']} running "
        print(text, end="\n" if is_over else "", file=sys.stderr, flush=True)

    return line


def _ordered(
    rows: list[dict[str, Any]], columns: list[str], frames: Optional[str], **attrs: Any
) -> Frame:
    # Keys of JSON come in an order of their own.
    rows = [{column: row[column] for column in columns} for row in rows]
    return _frames.frame(rows, frames, columns, **attrs)


def _made(found: dict[str, Any], frames: Optional[str], **attrs: Any) -> Frame:
    for warning in found["warnings"]:
        warnings.warn(warning, FlitsimWarning, stacklevel=3)
    of_details = found["columns_of_details"]
    details = {
        row["series"]: {
            name: _ordered(rows, of_details[name], frames)
            for name, rows in row.pop("details").items()
        }
        for row in found["rows"]
        if "details" in row
    }
    attrs = {"title": found["title"], "latency_limit": found["latency_limit"], **attrs}
    columns = _frames.in_order([*found["rows"], found["columns"]][0], found["columns"])
    made = _ordered(found["rows"], columns, frames, **attrs)
    made.details = details
    return made


def _is_number(value: Any, kind: type) -> bool:
    # `True` counts as 1 in Python, and is seldom meant as that.
    return isinstance(value, kind) and not isinstance(value, bool)


def _whole(key: str, value: Any, bits: int, least: int = 0) -> Optional[int]:
    value = plain(value)
    if value is None:
        return None
    if not _is_number(value, numbers.Integral):
        raise TypeError(f"`{key}` is a whole number, and this is {value!r}")
    if not least <= value < 2**bits:
        raise ValueError(f"`{key}` is from {least} to 2^{bits} - 1, and this is {value}")
    return int(value)


def _truth(key: str, value: Any) -> bool:
    value = plain(value)
    if not isinstance(value, bool):
        raise TypeError(f"`{key}` is True or False, and this is {value!r}")
    return value


def _real(key: str, value: Any) -> float:
    value = plain(value)
    if not _is_number(value, numbers.Real):
        raise TypeError(f"`{key}` is a number, and this is {value!r}")
    return float(value)


def _how(
    seed: Optional[int], jobs: Optional[int], threads: Optional[int], allow_deadlock: bool
) -> _flitsim.How:
    return {
        "seed": _whole("seed", seed, 63),
        "jobs": _whole("jobs", jobs, 16, least=1),
        "threads": _whole("threads", threads, 16, least=1),
        "allow_deadlock": _truth("allow_deadlock", allow_deadlock),
    }


def _existing(out: Any, resume: bool, overwrite: bool) -> str:
    """What becomes of results that the folder `out` holds."""
    resume, overwrite = _truth("resume", resume), _truth("overwrite", overwrite)
    if resume and overwrite:
        raise ValueError("`resume` goes on with what the folder holds and `overwrite` replaces it: give one of them")
    if out is None and (resume or overwrite):
        does = "`resume` goes on in a folder" if resume else "`overwrite` replaces what a folder holds"
        raise ValueError(f"{does}: `out` names it")
    if out is not None and not isinstance(out, (str, os.PathLike)):
        raise TypeError(f"`out` is the path of a folder, and this is {out!r}")
    if out is not None and not os.fspath(out):
        raise ValueError('`out` names a folder, and this is empty: "." is the working directory')
    return "resume" if resume else "replace" if overwrite else "refuse"


def run(
    scenario: Scenario,
    load: Optional[float] = None,
    seed: Optional[int] = None,
    *,
    threads: Optional[int] = None,
    allow_deadlock: bool = False,
    progress: Progress = None,
    frames: Optional[str] = None,
) -> Frame:
    """Simulates one operating point of each series: a row each, with the columns of `points.csv`, and
    `wall_seconds`, `flit_hops` and `flit_hops_per_second`.

    `load` is in the unit of each series; without, the first load of the scenario. At most `threads` work on one
    point: one by default, all cores for large networks. A saturated point and a deadlock are results, told
    in the column `status`. `frames` is "pandas", "polars" or "list"; without, the first that is there.

    Raises `ScenarioError` for a scenario that cannot be run, one whose routing can deadlock among them
    unless `allow_deadlock`, and `SimulationError` for a point that fails.
    """
    how = _how(seed, None, threads, allow_deadlock)
    at = None if load is None else _real("load", load)
    found = json.loads(_flitsim.run(source(scenario), at, how, _heard(progress)))
    return _made(found, frames)


def sweep(
    scenario: Scenario,
    jobs: Optional[int] = None,
    progress: Progress = None,
    out: "Optional[str | os.PathLike[str]]" = None,
    *,
    seed: Optional[int] = None,
    threads: Optional[int] = None,
    allow_deadlock: bool = False,
    resume: bool = False,
    overwrite: bool = False,
    frames: Optional[str] = None,
) -> Frame:
    """Simulates every load of every series: a row a point, with the columns of `points.csv`.

    `jobs` points at once, one on each core by default; results do not depend on it. `out` is a folder for
    what the command `flitsim sweep` leaves: `points.csv`, `curves.svg`, `report.html` and `manifest.json`.
    One that holds results is refused unless `resume`, which simulates only what is missing, or `overwrite`.
    After Ctrl-C, the points that were done are there for `resume`.

    Raises as `run` does.
    """
    existing = _existing(out, resume, overwrite)
    how = _how(seed, jobs, threads, allow_deadlock)
    with tempfile.TemporaryDirectory(prefix="flitsim-") as unnamed:
        folder = Path(unnamed if out is None else out)
        told = _flitsim.sweep(source(scenario), folder, existing, how, _heard(progress))
        found, zero_load = json.loads(told)
        made = _made(found, frames, zero_load=zero_load)
        made.svg = (folder / "curves.svg").read_text(encoding="utf-8")
        # The folder may be gone when they are asked for.
        made.details = dict(_frames.Details(folder, frames))
    return made


def saturate(
    scenario: Scenario,
    tolerance: float = 0.02,
    *,
    seed: Optional[int] = None,
    jobs: Optional[int] = None,
    threads: Optional[int] = None,
    allow_deadlock: bool = False,
    progress: Progress = None,
    frames: Optional[str] = None,
) -> Frame:
    """Finds the saturation throughput of every series by search: a row each, with the keys of
    `flitsim saturate --format json`, loads in the column `load_unit`'s.

    `tolerance` is the width of the interval over the ideal bound, from 0.001 to 0.5. `saturation_load` is
    null where `status` is "undecided". Raises as `run` does.
    """
    how = _how(seed, jobs, threads, allow_deadlock)
    width = _real("tolerance", tolerance)
    found = json.loads(_flitsim.saturate(source(scenario), width, how, _heard(progress)))
    return _made(found, frames)


def verify(network: Any) -> "Proof | Proofs":
    """Proves the routing of a network free of deadlock, or finds the cycle in which packets can wait for
    ever. `network` is a scenario, a `Network` or a topology in one word; of a scenario with several series,
    a list with the proof of each, true where all are.
    """
    names = getattr(network, "names", {})
    found = json.loads(_flitsim.verify(network_source(network)))
    proofs = Proofs(Proof(proof, names) for proof in found)
    return proofs[0] if len(proofs) == 1 else proofs
