"""Results as data frames."""

from __future__ import annotations

import base64
import csv
import functools
import html
import importlib.util
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Optional

from ._flitsim import COLUMNS, KEY_UNITS

#: A `pandas.DataFrame`, a `polars.DataFrame` or a list of dicts. With it, in `.attrs`: `units` by column,
#: the `title`, the `zero_load` latency of each series and the `latency_limit`, both in cycles; in `.svg` the
#: chart of a sweep; in `.details` what the scenario's `details` asked for.
Frame = Any

_FLITS = "flits/node/cycle"
_UNITS = {
    "nodes": "terminals",
    "offered_flits": _FLITS,
    "accepted_flits": _FLITS,
    "accepted_ci95": _FLITS,
    "accepted_min": _FLITS,
    "hops_mean": "channels",
    "packets_measured": "packets",
    "rounds_measured": "round trips",
    "cycles": "cycles",
    "seed": "1",
    "fairness": "1",
    "ratio_to_ideal": "1",
    "energy_per_packet_pj": "pJ",
    "power_mw": "mW",
    "leakage_mw": "mW",
    "points": "points",
    "wall_seconds": "seconds",
    "flit_hops": "flit-hops",
    "flit_hops_per_second": "flit-hops/second",
    "hops": "channels",
    "created_flits": _FLITS,
    "received_flits": _FLITS,
    "packets": "packets",
    "utilisation": "flits/cycle",
    "occupancy_mean": "flits",
    "length_pitches": "node pitches",
    "buffer_writes": "writes",
    "buffer_reads": "reads",
    "crossbar_traversals": "traversals",
    "link_traversals": "traversals",
    "vc_allocations": "allocations",
    "switch_allocations": "allocations",
    "energy_pj": "pJ",
    # Numbers that tell which, and shares.
    **dict.fromkeys(["class", "channel", "dimension", "level", "vc", "busy", "occupied", "cumulative"], "1"),
    **dict.fromkeys(
        ["load", "saturation_load", "low", "high", "half_width", "ideal_bound", "overload", "accepted_at_overload"],
        "load_unit",
    ),
}
_CYCLES = ("latency", "network_latency", "makespan", "round_trip", "warmup")
#: Columns of text, names of nodes among them, which stay text where they look like numbers.
_TEXT = {
    *("scenario", "series", "topology", "routing", "pattern", "load_unit", "status", "compared_with"),
    *("node", "from", "to", "name", "direction"),
}
#: Columns of whole numbers: what is counted, and numbers that tell which.
_WHOLE = {
    *("nodes", "packets_measured", "rounds_measured", "warmup_cycles", "cycles", "seed", "points", "flit_hops"),
    *("class", "channel", "dimension", "level", "vc", "hops", "packets", "buffer_writes", "buffer_reads"),
    *("crossbar_traversals", "link_traversals", "vc_allocations", "switch_allocations"),
}
# `int` and `float` read `1_000`, `007` and `nan`, too.
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_DETAIL = b"scenario,series,load_unit,load,"


def unit(column: str) -> Optional[str]:
    """The unit of a column of results; `"load_unit"` where the column of that name says it, `"1"` of plain
    numbers, `None` of text. A key of scenarios, such as `router.delay`, has that of the key."""
    if column in KEY_UNITS:
        return KEY_UNITS[column] or "1"
    return "cycles" if column.startswith(_CYCLES) else _UNITS.get(column)


class _Shown:
    """How results look in a notebook: the chart, then the rows."""

    svg: Optional[str] = None

    def _repr_html_(self) -> str:
        parent = getattr(super(), "_repr_html_", None)
        rows = parent() if parent else _table(list(self))  # type: ignore[call-overload]
        return image(self.svg) + (rows or "")


class Rows(_Shown, list):
    """Results where neither pandas nor polars is there: a list of dicts."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        super().__init__(rows)
        self.attrs: dict[str, Any] = {}
        self.details: dict[str, Any] = {}


def _table(rows: list[dict[str, Any]]) -> str:
    def line(cells: Any, tag: str) -> str:
        texts = (html.escape("" if cell is None else str(cell)) for cell in cells)
        return "<tr>" + "".join(f"<{tag}>{text}</{tag}>" for text in texts) + "</tr>"

    lines = [line(rows[0], "th")] if rows else []
    return f"<table>{''.join(lines + [line(row.values(), 'td') for row in rows])}</table>"


def image(svg: Optional[str]) -> str:
    """A picture for a notebook; as an image, so that the names in one do not meet those in another."""
    if svg is None:
        return ""
    data = base64.b64encode(svg.encode()).decode()
    return f'<img src="data:image/svg+xml;base64,{data}" style="max-width: 100%"/>'


class _Kept(_Shown):
    """What a frame of polars loses on its way through `pickle`."""

    def __getstate__(self) -> Any:
        beside = {name: vars(self)[name] for name in ("attrs", "svg", "details") if name in vars(self)}
        return super().__getstate__(), beside  # type: ignore[misc]

    def __setstate__(self, state: Any) -> None:
        frame, beside = state
        super().__setstate__(frame)  # type: ignore[misc]
        vars(self).update(beside)


@functools.lru_cache(maxsize=None)
def _frame_class(kind: str) -> Any:
    if kind == "list":
        return Rows
    if kind == "pandas":
        import pandas

        # What is made from these, a part or a sum, is pandas' own.
        names = {"_metadata": ["svg", "details"], "__module__": __name__}
        return type(_CLASSES[kind], (_Shown, pandas.DataFrame), names)
    if kind == "polars":
        import polars

        return type(_CLASSES[kind], (_Kept, polars.DataFrame), {"__module__": __name__})
    raise ValueError(f'frames are "pandas", "polars" or "list", and not {kind!r}')


#: What `pickle` calls them.
_CLASSES = {"pandas": "PandasResults", "polars": "PolarsResults"}


def __getattr__(name: str) -> Any:
    # Not before they are asked for: neither pandas nor polars need be there.
    for kind, of_kind in _CLASSES.items():
        if name == of_kind:
            return _frame_class(kind)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _kind() -> str:
    known = ("pandas", "polars")
    return next((kind for kind in known if importlib.util.find_spec(kind)), "list")


def in_order(names: Iterable[str], columns: Iterable[str]) -> list[str]:
    """`columns`, which are those of a file; after what `points.csv` always has, what of `names` is in no file."""
    columns, place = list(columns), len(COLUMNS)
    others = sorted(set(names) - set(columns), key=list(_UNITS).index)
    return [*columns[:place], *others, *columns[place:]]


def frame(
    rows: list[dict[str, Any]], kind: Optional[str], header: Iterable[str] = (), **attrs: Any
) -> Frame:
    """A frame of `rows`, which all have the same columns; where there are none, those of `header`."""
    kind = kind or _kind()
    columns = list(rows[0] if rows else header)
    rows = [{column: _cell(column, row[column]) for column in columns} for row in rows]
    cls = _frame_class(kind)
    # Columns of numbers none of which is there.
    empty = [c for c in columns if unit(c) and all(row[c] is None for row in rows)]
    if kind == "pandas":
        made = cls(cls(rows, columns=columns).astype(dict.fromkeys(empty, "float64")))
    elif kind == "polars":
        import polars

        types = dict.fromkeys(empty, polars.Float64)
        made = cls(rows or dict.fromkeys(columns, []), infer_schema_length=None, schema_overrides=types)
    else:
        made = cls(rows)
    made.attrs = {"units": {column: unit(column) for column in columns}, **attrs}
    made.details = {}
    return made


@functools.lru_cache(maxsize=None)
def _is_real(column: str) -> bool:
    return unit(column) is not None and column not in _WHOLE and column not in KEY_UNITS


def _cell(column: str, value: Any) -> Any:
    """`value` in the type of the column, whether it comes from a file, where 12.0 is `12`, or not."""
    if column in _TEXT and value is not None:
        return str(value)
    if _is_real(column):
        return float(value) if isinstance(value, int) else value
    is_key = column in KEY_UNITS and isinstance(value, float)
    return int(value) if is_key and value.is_integer() else value


def _value(column: str, text: str) -> Any:
    number = None if column in _TEXT else _NUMBER.fullmatch(text)
    if not number:
        return text or None
    return float(text) if number[2] or number[3] else int(text)


def _read(path: Path, frames: Optional[str], **attrs: Any) -> Frame:
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        rows = []
        for row in reader:
            # What is too much stands below `None`, what is missing is `None`.
            if None in row or None in row.values():
                message = f"{path}:{reader.line_num}: this row has not as many cells as the header"
                raise ValueError(f"{message}; results are the folder of a sweep, or a CSV file of it")
            rows.append({key: _value(key, text) for key, text in row.items()})
    return frame(rows, frames, reader.fieldnames or (), **attrs)


class Details(Mapping):
    """The details in the folder of a sweep, by name; each is read when it is asked for."""

    def __init__(self, folder: Path, frames: Optional[str]) -> None:
        def is_detail(path: Path) -> bool:
            if not path.is_file():
                return False
            with open(path, "rb") as file:
                return file.readline().startswith(_DETAIL)

        self._files = {path.stem: path for path in filter(is_detail, sorted(folder.glob("*.csv")))}
        self._read: dict[str, Frame] = {}
        self._frames = frames

    def __getitem__(self, name: str) -> Frame:
        if name not in self._read:
            self._read[name] = _read(self._files[name], self._frames, title=name)
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __getstate__(self) -> dict[str, Any]:
        # The folder may not be there where they are read again.
        return {**vars(self), "_read": dict(self)}

    def __repr__(self) -> str:
        return f"<details {', '.join(self)}>"


def read(path: "str | os.PathLike[str]", frames: Optional[str] = None) -> Frame:
    """The results in a folder that a sweep has written, or in one CSV file of it."""
    path = Path(path)
    if not path.is_dir():
        return _read(path, frames, title=path.stem)
    chart = path / "curves.svg"
    made = _read(path / "points.csv", frames, title=path.name)
    made.svg = chart.read_text(encoding="utf-8") if chart.exists() else None
    made.details = Details(path, frames)
    return made


def records(results: Any) -> list[dict[str, Any]]:
    """The rows of a frame of any kind, or of a file or folder; what is not there is `None`."""
    if isinstance(results, (str, os.PathLike)):
        path = Path(results)
        results = _read(path / "points.csv" if path.is_dir() else path, "list")
    if hasattr(results, "to_dicts"):
        rows = results.to_dicts()
    elif hasattr(results, "to_dict") and hasattr(results, "columns"):
        rows = results.to_dict("records")
    else:
        rows = list(results) if isinstance(results, Iterable) else [results]
    if not all(isinstance(row, Mapping) for row in rows):
        takes = "what `sweep` gives, any part of its rows, or a points.csv or its folder"
        raise TypeError(f"`results` is {takes}, and this is of the type {type(results).__name__}")
    # Only NaN differs from itself.
    return [{k: None if v is None or v != v else v for k, v in row.items()} for row in rows]
