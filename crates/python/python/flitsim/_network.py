"""Networks: their properties, their graphs, proofs of their routing."""

from __future__ import annotations

import csv
import functools
import html
import json
from collections import Counter
from typing import Any, NamedTuple, Optional

from . import _flitsim
from ._frames import image
from ._source import File, name, network_source, table

_OF_NODES = ("kind", "x", "y")
_OF_CHANNELS = ("width", "length", "delay")


class Channel(NamedTuple):
    """A virtual channel, from a node to its neighbour."""

    source: Any
    target: Any
    virtual_channel: int

    def __str__(self) -> str:
        return f"{name(self.source)}->{name(self.target)}#{self.virtual_channel}"


class Proof:
    """What a proof found. Its attributes are the keys of `flitsim verify --format json`, such as
    `deadlock_free`, `method`, `virtual_channels`, `dependencies` and `reaches_every_pair`; it is true where the
    routing is free of deadlock."""

    #: Each waits for the next and the last for the first; empty where the routing is free of deadlock, and
    #: where what is wrong is no cycle.
    cycle: list[Channel]

    def __init__(self, found: dict[str, Any], names: dict[str, Any]) -> None:
        def channel(text: str) -> Channel:
            ends, _, vc = text.rpartition("#")
            source, _, target = ends.partition("->")
            return Channel(_node(source, names), _node(target, names), int(vc))

        self.svg: Optional[str] = found.pop("picture")
        self._words: str = found.pop("words")
        self.properties: dict[str, Any] = found
        self.cycle = [channel(text) for text in found["cycle"]]

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_") or key not in self.properties:
            raise AttributeError(key)
        return self.properties[key]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.properties]

    def __bool__(self) -> bool:
        return bool(self.properties["deadlock_free"])

    def __repr__(self) -> str:
        return self._words.rstrip("\n")

    def _repr_html_(self) -> str:
        return f"{image(self.svg)}<pre>{html.escape(self._words)}</pre>"


class Proofs(list[Proof]):
    """The proofs of several networks: true where every routing is free of deadlock."""

    @property
    def deadlock_free(self) -> bool:
        """Whether every routing is free of deadlock."""
        return all(self)

    def __bool__(self) -> bool:
        return self.deadlock_free


class Network:
    """A network. Its properties are attributes, the keys of `flitsim topology --format json`: `nodes`
    (terminals), `channels`, `diameter`, `average_distance`, `bisection_channels`, … They are found when the
    first is asked for, which takes seconds for a million nodes.

    In a scenario it stands where the table `topology` would: `{"topology": network, …}`.
    """

    #: By the name that a node has in results, the node of the graph that the network was made from.
    names: dict[str, Any]

    def __init__(
        self,
        source: _flitsim.Source,
        series: Optional[str] = None,
        names: Optional[dict[str, Any]] = None,
    ) -> None:
        self._source = source
        self._series = series
        self.names = names or {}

    @classmethod
    def from_networkx(cls, graph: Any) -> Network:
        """The network of a graph of networkx. An edge of an undirected graph is two channels, and a node is a
        terminal unless its attribute `kind` is "switch". `x` and `y` of a node say where it is drawn, `width`
        (bits), `length` (pitches) and `delay` (cycles) of an edge what its channels are. A node is called by
        its text, a tuple by its parts with dots between.
        """
        names = {name(node): node for node in graph.nodes}
        if len(names) < graph.number_of_nodes():
            raise ValueError("two nodes of the graph have the same text, and names tell them apart")

        def used(items: Any, keys: tuple[str, ...]) -> list[str]:
            return [key for key in keys if any(key in item[-1] for item in items)]

        nodes, edges = list(graph.nodes(data=True)), list(graph.edges(data=True))
        if not graph.is_directed():
            edges += [(target, source, data) for source, target, data in edges]
        of_nodes, of_channels = used(nodes, _OF_NODES), used(edges, _OF_CHANNELS)
        header, rows = ["from", "to", *of_channels], []
        if graph.is_multigraph():
            header.append("parallel")
        count: Counter[tuple[Any, Any]] = Counter()
        for source, target, data in edges:
            row = [source, target, *(data.get(key) for key in of_channels)]
            if graph.is_multigraph():
                row.append(count[source, target])
                count[source, target] += 1
            rows.append(row)
        defaults = {"kind": "terminal"}
        places = ([node, *(data.get(key, defaults.get(key)) for key in of_nodes)] for node, data in nodes)
        text = f"{table(header, rows)}\n{table(['node', *of_nodes], places)}"
        return cls(_of_channels(text), names=names)

    def to_networkx(self) -> Any:
        """The network as a `networkx.DiGraph`, or a `MultiDiGraph` where channels run side by side, with the
        attributes that `from_networkx` reads. Nodes are those of the graph that it was made from; else numbers,
        or the names in the file that it was read from."""
        import networkx

        channels, nodes = _tables(self.channel_list)
        is_multiple = any("parallel" in row for row in channels)
        graph = networkx.MultiDiGraph() if is_multiple else networkx.DiGraph()
        graph.graph["name"] = self._topology()
        for row in nodes:
            graph.add_node(_node(row.pop("node"), self.names), **_values(row))
        for row in channels:
            ends = [_node(row.pop(key), self.names) for key in ("from", "to")]
            row.pop("parallel", None)
            graph.add_edge(*ends, **_values(row))
        return graph

    @functools.cached_property
    def properties(self) -> dict[str, Any]:
        """Every property, by name."""
        return json.loads(_flitsim.survey(self._source, self._series))

    @functools.cached_property
    def channel_list(self) -> str:
        """The channels, and the nodes where there is more to say of them than a number, as a file of
        comma-separated values that `kind = "file"` reads."""
        return _flitsim.channels(self._source, self._series)

    @functools.cached_property
    def svg(self) -> Optional[str]:
        """The picture; `None` of a network too large to be drawn."""
        return _flitsim.picture(self._source, self._series)

    def _topology(self) -> str:
        remark, first = "# flitsim topology ", self.channel_list.split("\n", 1)[0]
        return first[len(remark) :] if first.startswith(remark) else "network"

    def __flitsim_table__(self) -> dict[str, Any]:
        return {"kind": "file", "path": File("network.csv", self.channel_list)}

    def __flitsim_source__(self) -> _flitsim.Source:
        return self._source if self._series is None else _of_channels(self.channel_list)

    def __getattr__(self, key: str) -> Any:
        # What notebooks look for is none of them.
        if key.startswith("_") or key not in self.properties:
            raise AttributeError(key)
        return self.properties[key]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.properties]

    def __repr__(self) -> str:
        return f"<flitsim.Network {self._topology()}>"

    def _repr_html_(self) -> str:
        of = self.properties
        shown = {
            "topology": of["topology"],
            "terminals": of["nodes"],
            "switches": of["switches"],
            "channels, one way": of["channels"],
            "diameter, hops": of["diameter"],
            "mean distance, hops": of["average_distance"],
            "bisection, channels": f"{of['bisection_channels']} ({of['bisection_method']})",
        }
        rows = (f"<tr><td>{key}</td><td>{html.escape(str(of))}</td></tr>" for key, of in shown.items())
        return f"{image(self.svg)}<table>{''.join(rows)}</table>"


def topology(spec: Any, series: Optional[str] = None) -> Network:
    """The network of a topology in one word (`"torus:radix=8,dimensions=2"`), of a scenario's table
    `topology`, or of a scenario; of one with several networks, that of the series named."""
    if isinstance(spec, dict) and "kind" in spec:
        spec = {"topology": spec}
    network = Network(network_source(spec), series)
    # What is wrong is told here, and not where the first property is asked for.
    network.channel_list  # noqa: B018
    return network


def _of_channels(text: str) -> _flitsim.Source:
    return _flitsim.Source.word("file:path=network.csv", {"network.csv": text})


def _node(text: str, names: dict[str, Any]) -> Any:
    return names.get(text, int(text) if text.isdigit() else text)


def _values(row: dict[str, str]) -> dict[str, Any]:
    def value(text: str) -> Any:
        try:
            return int(text) if text.lstrip("-").isdigit() else float(text)
        except ValueError:
            return text

    return {key: value(text) for key, text in row.items()}


def _tables(text: str) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """The channels and the nodes of a channel list; without a list of them, the ends of channels in the
    order of their numbers."""
    lines = [line for line in text.split("\n") if not line.startswith("#")]
    end = lines.index("") if "" in lines else len(lines)
    channels = list(csv.DictReader(lines[:end]))
    nodes = list(csv.DictReader(lines[end + 1 :]))
    if not nodes:
        ends = {row[key] for row in channels for key in ("from", "to")}
        nodes = [{"node": node} for node in sorted(ends, key=lambda node: (len(node), node))]
    return channels, nodes
