"""The latency chart, as `curves.svg` has it."""

from __future__ import annotations

from typing import Any, Optional

from ._flitsim import WORKLOAD_UNITS
from ._frames import records

# Okabe and Ito's colours with a grey for their yellow, and what tells curves apart without colour.
_COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9", "#777777"]
_MARKERS = ["o", "s", "^", "D", "v", ">", "P", "h"]
_DASHES = [(), (8, 3), (3, 2), (9, 3, 2, 3), (14, 4), (9, 3, 2, 3, 2, 3), (5, 5), (2, 4)]

# The latency axis shows at least and at most this many times the largest zero-load latency.
_LEAST, _MOST = 3.0, 8.0
_UNSTABLE = ("saturated", "deadlock")


def plot(results: Any, ax: Any = None, title: Optional[str] = None) -> Any:
    """Draws latency against offered load with matplotlib, and returns the axes.

    `results` is what `sweep` gives, any part of it, or a `points.csv` or its folder. Bands are 95 % confidence
    intervals; a hatched wall stands at the first load at which a network saturates; a bar on the left axis is
    the latency at zero load; open markers were stopped by the cycle limit, and arrows point to what is above
    the axis. Of closed loops it is the round trip, of batches and traces the makespan.
    """
    from matplotlib import pyplot

    rows, attrs = records(results), getattr(results, "attrs", {})
    if not rows:
        raise ValueError("there are no rows to draw")
    units = {row.get("load_unit") for row in rows}
    x = "load" if len(units) == 1 else "offered_flits"
    unit = units.pop() if len(units) == 1 else "flits/node/cycle"
    column, interval, what = _quantity(unit)
    missing = [key for key in ("series", "load_unit", x, "status", column) if key not in rows[0]]
    if missing:
        raise ValueError(
            "a plot takes what `sweep` gives, any part of it, or a points.csv or its folder, and in this "
            f"there is no column `{missing[0]}`"
        )
    ax = ax or pyplot.subplots()[1]
    is_open_loop = unit not in WORKLOAD_UNITS
    curves: dict[str, list[dict[str, Any]]] = {}
    for row in sorted((row for row in rows if row[x] is not None), key=lambda row: row[x]):
        row["y"] = None if row["status"] in _UNSTABLE else row[column]
        row["half"] = row.get(interval) or 0.0
        curves.setdefault(row["series"], []).append(row)
    order = list(dict.fromkeys(row["series"] for row in rows))
    zero_load = attrs.get("zero_load") or {} if column == "latency_mean" else {}
    walls = {name: next((r[x] for r in curve if r["status"] in _UNSTABLE), None) for name, curve in curves.items()}
    x_end = 1.03 * max(walls[name] or curve[-1][x] for name, curve in curves.items()) or 1.0
    y_end = _latency_end(curves, zero_load, is_open_loop, attrs.get("latency_limit"))
    ax.set_xlim(0.0, x_end)
    ax.set_ylim(0.0, y_end)
    for index, name in enumerate(name for name in order if name in curves):
        _curve(ax, index, name, curves[name], x, (x_end, y_end), zero_load.get(name))
    _walls(ax, [(_COLOURS[i % 8], walls[n]) for i, n in enumerate(curves) if walls[n] is not None], x_end)
    ax.set_xlabel(f"{'offered load' if is_open_loop else 'amount'} ({unit})")
    ax.set_ylabel(f"{what} (cycles)")
    ax.set_title(attrs.get("title", "") if title is None else title)
    ax.legend()
    return ax


def _quantity(unit: str) -> tuple[str, str, str]:
    trace, batch, closed_loop = WORKLOAD_UNITS
    if unit == closed_loop:
        return "round_trip_mean", "round_trip_ci95", "mean round trip"
    if unit in (trace, batch):
        return "makespan_cycles", "makespan_ci95", "makespan"
    return "latency_mean", "latency_ci95", "mean packet latency"


def _latency_end(
    curves: dict[str, list[dict[str, Any]]],
    zero_load: dict[str, Any],
    is_open_loop: bool,
    limit: Optional[float],
) -> float:
    stable = {n: [r for r in curve if r["y"] is not None] for n, curve in curves.items()}
    highest = max((r["y"] + r["half"] for rows in stable.values() for r in rows), default=0.0)
    if not is_open_loop and highest > 0.0:
        return 1.1 * highest
    least = {n: min((r["y"] for r in rows), default=0.0) for n, rows in stable.items()}
    base = max(zero_load.get(name) or least[name] for name in curves)
    end = min(max(1.1 * highest, _LEAST * base), _MOST * base)
    most = max(limit or 500.0, 1.25 * base)
    return min(end, most) if end > 0.0 else most


def _curve(
    ax: Any,
    index: int,
    name: str,
    curve: list[dict[str, Any]],
    x: str,
    ends: tuple[float, float],
    zero_load: Optional[float],
) -> None:
    colour, marker = _COLOURS[index % 8], _MARKERS[index % 8]
    dashes = _DASHES[(index + index // 8) % 8]
    # What breaks the line is not there to draw.
    runs: list[list[dict[str, Any]]] = [[]]
    for row in curve:
        runs[-1].append(row) if row["y"] is not None else runs.append([])
    for run in filter(None, runs):
        xs, ys, half = ([row[key] for row in run] for key in (x, "y", "half"))
        (line,) = ax.plot(xs, ys, color=colour, linewidth=1.8)
        if dashes:
            line.set_dashes(dashes)
        low, high = [max(y - h, 0.0) for y, h in zip(ys, half)], [y + h for y, h in zip(ys, half)]
        if len(run) > 1:
            ax.fill_between(xs, low, high, color=colour, alpha=0.2, linewidth=0)
        else:
            ax.vlines(xs, low, high, color=colour, linewidth=1.5)
    for row in (row for row in curve if row["y"] is not None and row[x] <= ends[0]):
        fill = colour if row["status"] == "converged" else "white"
        if row["y"] <= ends[1]:
            ax.plot(row[x], row["y"], marker, color=colour, markerfacecolor=fill, markersize=6)
        else:
            at = (row[x], 1.0)
            style = {"arrowstyle": "->", "color": colour}
            ax.annotate("", at, (row[x], 0.94), ax.get_xaxis_transform(), arrowprops=style)
    if zero_load is not None:
        ax.plot([0.0, 0.02 * ends[0]], [zero_load] * 2, color=colour, linewidth=3.0)
        if curve[0]["y"] is not None:
            ax.plot([0.0, curve[0][x]], [zero_load] * 2, color=colour, linewidth=0.9, dashes=(4, 3))
    (key,) = ax.plot([], [], color=colour, marker=marker, label=name)
    if dashes:
        key.set_dashes(dashes)


def _walls(ax: Any, walls: list[tuple[str, float]], x_end: float) -> None:
    """Hatched lines; those at one load share a line, their colours in turns along it."""
    pieces = 48
    for at in dict.fromkeys(at for _, at in walls):
        colours = [colour for colour, wall in walls if wall == at]
        for turn, colour in enumerate(colours):
            for piece in range(turn, pieces, len(colours)):
                low, high = piece / pieces, (piece + 1) / pieces
                ax.axvline(at, low, high, color=colour, linewidth=1.6)
                across = ax.get_xaxis_transform()
                ax.plot([at, at + 0.012 * x_end], [low, high], color=colour, linewidth=0.8, transform=across)
