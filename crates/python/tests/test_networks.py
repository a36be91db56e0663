"""Networks and graphs, and what of a scenario comes from Python: traffic and routes."""

import copy
import itertools
import pickle

import networkx
import pandas
import pytest

import flitsim

QUICK = {"measure": {"relative_error": 0.1}, "traffic": {"packet_flits": 4}}


def test_properties_are_attributes():
    torus = flitsim.topology("torus:radix=8,dimensions=2")
    assert (torus.nodes, torus.channels, torus.diameter) == (64, 256, 8)
    assert torus.bipartite is True and "average_distance" in dir(torus)
    assert torus.properties["kind"] == "torus"
    assert repr(torus) == "<flitsim.Network torus:radix=8,dimensions=2>"
    assert "data:image/svg+xml" in torus._repr_html_()
    with pytest.raises(AttributeError):
        torus.radius
    with pytest.raises(flitsim.ScenarioError, match="did you mean"):
        flitsim.topology("torsu:radix=8")


def test_a_network_of_a_scenario():
    scenario = {"series": [{"name": n, "topology": {"kind": n, "radix": 4, "dimensions": 2}} for n in ("mesh", "torus")]}
    assert flitsim.topology(scenario, series="torus").channels == 64
    with pytest.raises(flitsim.SimulationError, match="mesh, torus"):
        flitsim.topology(scenario)


def test_a_family_goes_to_networkx_and_comes_back():
    mesh = flitsim.topology({"kind": "mesh", "radix": 4, "dimensions": 2})
    graph = mesh.to_networkx()
    assert networkx.diameter(graph) == mesh.diameter == 6
    assert sorted(graph) == list(range(16)) and graph.number_of_edges() == mesh.channels
    assert networkx.average_shortest_path_length(graph) == pytest.approx(mesh.average_distance)
    back = flitsim.Network.from_networkx(graph)
    assert back.to_networkx().adj == graph.adj


@pytest.mark.parametrize(
    "graph",
    [
        networkx.petersen_graph(),
        networkx.grid_2d_graph(3, 4),
        networkx.MultiGraph([("a", "b"), ("a", "b"), ("b", "c d"), ("c d", "a")]),
        networkx.cycle_graph(5, create_using=networkx.DiGraph),
    ],
    ids=str,
)
def test_a_graph_of_networkx_comes_back(graph):
    network = flitsim.Network.from_networkx(graph)
    back = network.to_networkx()
    assert set(back) == set(graph)
    ends = graph.edges() if graph.is_directed() else graph.to_directed().edges()
    assert sorted(map(str, back.edges())) == sorted(map(str, ends))
    assert network.nodes == len(graph) and network.diameter == networkx.diameter(graph)


def test_attributes_of_nodes_and_edges_count():
    graph = networkx.star_graph(4)
    # What is no switch is a terminal.
    networkx.set_node_attributes(graph, {0: "switch", 1: "terminal"}, "kind")
    networkx.set_edge_attributes(graph, 3, "delay")
    network = flitsim.Network.from_networkx(graph)
    assert (network.nodes, network.switches) == (4, 1)
    slow = flitsim.run({"topology": network, **QUICK}, load=0.05)
    networkx.set_edge_attributes(graph, 0, "delay")
    fast = flitsim.run({"topology": flitsim.Network.from_networkx(graph), **QUICK}, load=0.05)
    assert slow["latency_mean"].item() - fast["latency_mean"].item() == pytest.approx(6, abs=0.5)


def test_networks_are_copied_and_pickled(tmp_path):
    own = flitsim.Network.from_networkx(networkx.grid_2d_graph(3, 4))
    path = tmp_path / "mesh.toml"
    path.write_text("[topology]\nkind = 'mesh'\nradix = 4\ndimensions = 2\n")
    networks = [own, flitsim.topology({"topology": own, **QUICK}), flitsim.topology(path), flitsim.topology("star:symbols=4")]
    for network in networks:
        for again in (copy.deepcopy(network), pickle.loads(pickle.dumps(network)), copy.copy(network)):
            assert repr(again) == repr(network) and again.properties == network.properties
            assert again.channel_list == network.channel_list and again.names == network.names
            assert networkx.utils.graphs_equal(again.to_networkx(), network.to_networkx())
    again = pickle.loads(pickle.dumps({"topology": own, **QUICK}))
    assert flitsim.run(again, load=0.1)["nodes"].item() == 12


def test_a_network_that_cannot_be_is_refused_with_its_place():
    with pytest.raises(flitsim.ScenarioError, match="network.csv"):
        flitsim.topology({"topology": flitsim.Network.from_networkx(networkx.Graph([(0, 0), (0, 1)]))})
    with pytest.raises(ValueError, match="same text"):
        flitsim.Network.from_networkx(networkx.Graph([(1, "1")]))


def test_traffic_from_an_iterator():
    packets = ((cycle, cycle % 16, (cycle + 5) % 16, 4) for cycle in itertools.count(0, 10))
    scenario = {
        "topology": {"kind": "mesh", "radix": 4, "dimensions": 2},
        "traffic": flitsim.trace(packets, until=1000),
    }
    results = flitsim.run(scenario)
    assert results["packets_measured"].item() == 100 and results["pattern"].item() == "trace"
    # The last is created in cycle 990 and crosses an empty network.
    assert 995 < results["makespan_cycles"].item() < 1010


def test_traffic_in_any_order_and_with_dependencies():
    nodes = networkx.grid_2d_graph(4, 4)
    packets = [(50, (3, 3), (0, 0), 1), (0, (0, 0), (3, 3), 4, "ask"), (None, (3, 3), (0, 0), 8, "answer", "ask", 20)]
    network = flitsim.Network.from_networkx(nodes)
    results = flitsim.run({"topology": network, "traffic": flitsim.trace(packets)})
    assert results["packets_measured"].item() == 3
    of_two = flitsim.trace([*packets, (None, (0, 0), (3, 3), 1, "end", ["ask", "answer"])])
    assert of_two["path"].text.splitlines()[-2] == ",0.0,3.3,1,end,ask answer,"
    with pytest.raises(ValueError, match="`until` is a number"):
        flitsim.trace(packets, until=float("nan"))
    with pytest.raises(flitsim.ScenarioError, match="trace.csv"):
        flitsim.run({"topology": network, "traffic": flitsim.trace([(0, "nowhere", (0, 0), 1)])})


@pytest.mark.parametrize("columns", [["cycle", "source", "destination", "flits"], range(4)])
def test_packets_and_routes_are_tuples(columns):
    frame = pandas.DataFrame([(20, 0, 5, 4), (0, 1, 2, 4)], columns=columns)
    for wrong in (frame, 3, [3], "0,1,2,4", None):
        with pytest.raises(TypeError, match=r"^`packets` has tuples \(cycle, source, destination, flits\), and this is"):
            flitsim.trace(wrong)
        with pytest.raises(TypeError, match=r"^`routes` has tuples \(at, destination, next\), and this is"):
            flitsim.routing_table(wrong)
    with pytest.raises(TypeError, match=r"`\.itertuples\(index=False\)`"):
        flitsim.trace(frame, until=10)
    expected = "cycle,source,destination,flits\n0,1,2,4\n20,0,5,4\n"
    for packets in (frame.itertuples(index=False), frame.to_numpy(), frame.to_numpy().tolist()):
        assert flitsim.trace(packets)["path"].text == expected


def test_a_routing_table():
    graph = networkx.cycle_graph(6)
    routes = {
        (at, to): path[1]
        for at, paths in networkx.all_pairs_shortest_path(graph)
        for to, path in paths.items()
        if at != to
    }
    scenario = {
        "topology": flitsim.Network.from_networkx(graph),
        "routing": flitsim.routing_table(routes),
        **QUICK,
    }
    proof = flitsim.verify(scenario)
    assert not proof and len(proof.cycle) == 6
    scenario["routing"] = {**flitsim.routing_table(routes), "escape": "up-down"}
    assert flitsim.verify(scenario)
    assert flitsim.run(scenario, load=0.1)["routing"].item() == "table"
    del routes[0, 3]
    with pytest.raises(flitsim.ScenarioError, match="0.*3"):
        flitsim.run({**scenario, "routing": flitsim.routing_table(routes)}, load=0.1)


def test_a_witness_names_the_nodes_of_the_graph():
    graph = networkx.relabel_nodes(networkx.cycle_graph(5), lambda node: ("ring", node))
    network = flitsim.Network.from_networkx(graph)
    proof = flitsim.verify({"topology": network, "routing": {"algorithm": "minimal-adaptive"}})
    assert proof.cycle[0].source == "ring.0" or proof.cycle[0].source[0] == "ring"


def test_a_network_of_36_nodes_in_a_few_lines():
    graph = networkx.random_regular_graph(4, 36, seed=1)
    network = flitsim.Network.from_networkx(graph)
    assert flitsim.verify(network)
    results = flitsim.sweep({"topology": network, "sweep": {"load": [0.05, 0.1]}, **QUICK})
    assert len(results) == 2 and results["topology"][0] == "file:path=network.csv"
