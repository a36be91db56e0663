"""What a scenario may be, made into what the simulator reads."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import numbers
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, ValuesView
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Optional, Union

from . import _flitsim

#: A dict whose keys are those of a scenario file, a TOML string, or the path of a scenario file or of a
#: sweep's manifest.json. A string of one line without `=` is a path.
Scenario = Union[Mapping[str, Any], str, "os.PathLike[str]"]


@dataclass(frozen=True)
class File:
    """A file that is on no disk: in a dict, it stands where the name of a file would."""

    name: str
    text: str


def plain(value: Any) -> Any:
    """`value`; of numbers and arrays of numpy, those of Python."""
    return value.tolist() if hasattr(value, "tolist") else value


# A graph of networkx is iterable, too, and no list of its nodes.
_LISTS = (Sequence, AbstractSet, ValuesView, Iterator)


def _in_some_order(values: Iterable[Any]) -> list[Any]:
    """`values`, sorted where they are a set: Python's order of words differs from run to run."""
    if not isinstance(values, (set, frozenset)):
        return list(values)
    try:
        return sorted(values, key=lambda one: (isinstance(one, str), one))
    except TypeError:
        return sorted(values, key=repr)


class _Files:
    """Puts names in the place of files."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def plain(self, value: Any, key: str = "") -> Any:
        """`value`, that of `key`, in the types of JSON."""
        value = plain(value)
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"`{key}` is {value}: the numbers of a scenario are finite")
        # TOML has whole numbers of 64 bits with a sign.
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise ValueError(f"`{key}` is {value}: the whole numbers of a scenario are from -2^63 to 2^63 - 1")
        if isinstance(value, (str, int, float)):
            return value
        if isinstance(value, File):
            return self._name(value)
        if hasattr(value, "__flitsim_table__"):
            return self.plain(value.__flitsim_table__(), key)
        if isinstance(value, Mapping):
            said = ((str(name), one) for name, one in value.items() if one is not None)
            return {name: self.plain(one, f"{key}.{name}".lstrip(".")) for name, one in said}
        if isinstance(value, os.PathLike):
            return os.fspath(value)
        if isinstance(value, numbers.Real):
            return self.plain(float(value), key)
        if isinstance(value, _LISTS) and not isinstance(value, (bytes, bytearray)):
            return [self.plain(one, key) for one in _in_some_order(value)]
        what = "a number, a word, a truth value, a dict or a list of these"
        raise TypeError(f"`{key}` is {what}, and this is {value!r}")

    def _name(self, file: File) -> str:
        stem, extension = os.path.splitext(file.name)
        names = itertools.chain([file.name], (f"{stem}-{n}{extension}" for n in itertools.count(2)))
        name = next(name for name in names if self.texts.get(name, file.text) == file.text)
        self.texts[name] = file.text
        return name


def source(scenario: Any) -> _flitsim.Source:
    """`scenario` as the simulator takes it."""
    if hasattr(scenario, "__flitsim_table__"):
        scenario = {"topology": scenario}
    if isinstance(scenario, Mapping):
        files = _Files()
        return _flitsim.Source.json(json.dumps(files.plain(scenario)), files.texts)
    if isinstance(scenario, os.PathLike):
        return _flitsim.Source.file(scenario)
    if not isinstance(scenario, str):
        kind = type(scenario).__name__
        raise TypeError(f"a scenario is a dict, a TOML string or a path, and this is a {kind}")
    is_path = "\n" not in scenario and ("=" not in scenario or os.path.exists(scenario))
    return _flitsim.Source.file(scenario) if is_path else _flitsim.Source.toml(scenario, {})


def network_source(network: Any) -> _flitsim.Source:
    """The same, of a network or a topology in one word as well."""
    if hasattr(network, "__flitsim_source__"):
        return network.__flitsim_source__()
    if isinstance(network, str) and "\n" not in network and _flitsim.is_spec(network):
        return _flitsim.Source.word(network, {})
    return source(network)


def name(node: Any) -> str:
    """What a node is called in scenarios and results: itself, and of a tuple its parts with dots. Of a list
    or a set, the names of all that is in it."""
    if isinstance(node, (list, set, frozenset)):
        return " ".join(map(name, _in_some_order(node)))
    return ".".join(map(name, node)) if isinstance(node, tuple) else str(node)


def table(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Comma-separated values; tuples are nodes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow("" if cell is None else name(cell) for cell in row)
    return text.getvalue()


def _tuples(key: str, given: Any, what: str) -> Iterator[Any]:
    """What is in the argument `key`, each a tuple."""
    expected = f"`{key}` has tuples {what}, and this is"
    if not isinstance(given, Iterable):
        raise TypeError(f"{expected} {given!r}")
    for one in given:
        one = plain(one)
        if not isinstance(one, Sequence) or isinstance(one, (str, bytes)):
            of_frame = "a frame of pandas gives them by `.itertuples(index=False)`, one of polars by `.iter_rows()`"
            raise TypeError(f"{expected} {one!r}; {of_frame}")
        yield one


def trace(packets: Iterable[tuple[Any, ...]], until: Optional[int] = None) -> dict[str, Any]:
    """Traffic of your own, for the key `traffic` of a scenario.

    `packets` are tuples (cycle, source, destination, flits): the cycle in which the packet is created,
    two nodes of the network, and its length. They may come in any order; where `until` is given they come
    in order, and the first at or after that cycle ends them, so that they may go on for ever. A tuple may
    go on as a row of a trace does: (…, name, the names that it waits for, delay); of several names, a list.
    """
    packets = _tuples("packets", packets, "(cycle, source, destination, flits)")
    if until is not None:
        if math.isnan(until):
            raise ValueError(f"`until` is a number of cycles, and this is {until}")
        packets = itertools.takewhile(lambda packet: packet[0] < until, packets)
    rows = sorted(packets, key=lambda packet: packet[0] or 0)
    header = ["cycle", "source", "destination", "flits", "packet", "depends_on", "delay"]
    width = max(map(len, rows), default=4)
    padded = ([*row, *[None] * (width - len(row))] for row in rows)
    return {"pattern": "trace", "path": File("trace.csv", table(header[:width], padded))}


def routing_table(
    routes: Union[Mapping[tuple[Any, Any], Any], Iterable[tuple[Any, ...]]],
) -> dict[str, Any]:
    """A routing table of your own, for the key `routing` of a scenario.

    `routes` maps (at, destination) to the next node, or has tuples (at, destination, next), or all of them
    (at, destination, next, virtual channel). It must lead from every terminal to every other. Further keys
    go beside it: `{**flitsim.routing_table(routes), "escape": "up-down"}`.
    """
    if isinstance(routes, Mapping):
        routes = ((at, destination, after) for (at, destination), after in routes.items())
    rows = list(_tuples("routes", routes, "(at, destination, next)"))
    header = ["at", "destination", "next", "vc"][: max(map(len, rows), default=3)]
    return {"algorithm": "table", "path": File("table.csv", table(header, rows))}
