"""Runs, sweeps, searches and proofs; what they take and what they give."""

import itertools
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import networkx
import numpy
import pytest

import flitsim
from flitsim._errors import _OF_COMMAND

ROOT = Path(__file__).parents[3]
SMALL = {
    "title": "Small",
    "topology": {"kind": "mesh", "radix": 4, "dimensions": 2},
    "traffic": {"packet_flits": 4},
    "measure": {"relative_error": 0.1},
    "sweep": {"load": [0.05, 0.2, 0.95]},
}
TOML = """\
[topology]
kind = "mesh"
radix = 4
dimensions = 2
[traffic]
packet_flits = 4
[measure]
relative_error = 0.1
"""
# Far from done when it is broken off.
LONG = {
    **SMALL,
    "measure": {"relative_error": 1e-6, "max_cycles": 10**12, "latency_limit": 1e9},
    "sweep": {"load": [0.2]},
}


def test_a_dict_a_text_and_a_file_are_one_scenario(tmp_path):
    file = tmp_path / "scenario.toml"
    file.write_text(TOML)
    of_dict = {key: SMALL[key] for key in ("topology", "traffic", "measure")}
    runs = [flitsim.run(given, load=0.1, seed=3) for given in (of_dict, TOML, file, str(file))]
    latencies = {run["latency_mean"].item() for run in runs}
    assert len(latencies) == 1 and latencies.pop() > 4
    assert runs[0]["seed"].item() == 3 and runs[0]["load"].item() == 0.1


def test_a_sweep_has_the_columns_and_the_bytes_of_the_command(tmp_path):
    results = flitsim.sweep(SMALL, jobs=1, out=tmp_path / "python")
    assert list(results.columns) == flitsim.COLUMNS
    assert list(results["status"]) == ["converged", "converged", "saturated"]
    assert results["latency_mean"].isna().tolist() == [False, False, True]
    (tmp_path / "scenario.toml").write_text((tmp_path / "python/manifest.json").read_text())
    manifest = json.loads((tmp_path / "python/manifest.json").read_text())
    (tmp_path / "scenario.toml").write_text(manifest["text"])
    command = Path(sys.executable).with_name("flitsim")
    words = [command, "--quiet", "sweep", tmp_path / "scenario.toml", "--out", tmp_path / "command"]
    subprocess.run(words, check=True)
    for name in ("points.csv", "curves.svg", "report.html"):
        of_python, of_command = ((tmp_path / by / name).read_bytes() for by in ("python", "command"))
        assert of_python == of_command, name
    read = flitsim.read(tmp_path / "python")
    assert list(read["latency_mean"].dropna()) == list(results["latency_mean"].dropna())


def test_every_column_of_the_contract_has_its_unit():
    units = {column: flitsim.unit(column) for column in flitsim.COLUMNS}
    assert units["latency_mean"] == units["network_latency_mean"] == "cycles"
    assert units["accepted_flits"] == "flits/node/cycle" and units["load"] == "load_unit"
    text = {"scenario", "series", "topology", "routing", "pattern", "load_unit", "status"}
    assert not [column for column in flitsim.COLUMNS[:24] if units[column] is None and column not in text]
    assert flitsim.run(SMALL, load=0.1).attrs["units"]["cycles"] == "cycles"


@pytest.mark.parametrize("frames", ["pandas", "polars", "list"])
def test_frames_of_every_kind(frames):
    results = flitsim.sweep(SMALL, frames=frames)
    rows = list(results) if frames == "list" else results
    statuses = [row["status"] for row in rows] if frames == "list" else list(rows["status"])
    assert statuses == ["converged", "converged", "saturated"]
    shown = results._repr_html_()
    assert "data:image/svg+xml" in shown and "latency_mean" in shown
    assert len(results.svg) > 1000 and results.attrs["zero_load"]["default"] > 4


def test_a_frame_of_another_kind_is_refused():
    with pytest.raises(ValueError, match="excel"):
        flitsim.run(SMALL, load=0.1, frames="excel")


def test_what_is_wrong_is_told_all_at_once_with_places():
    text = "[topology]\nkind = 'mesh'\nradix = 4\ndimensions = 2\n[router]\nbufer_flits = 8\n[sweep]\nlood = 1\n"
    with pytest.raises(flitsim.ScenarioError) as raised:
        flitsim.run(text)
    error = raised.value
    assert (error.line, error.column) == (6, 1)
    assert [fault["line"] for fault in error.faults] == [6, 8] and len(error.messages) == 2
    assert "did you mean `buffer_flits`?" in str(error) and "scenario.toml:6:1" in str(error)
    assert isinstance(error, ValueError)


def test_a_fault_in_a_dict_is_shown_in_its_text():
    with pytest.raises(flitsim.ScenarioError) as raised:
        flitsim.sweep({**SMALL, "router": {"virtual_channels": -1}})
    error = raised.value
    assert error.scenario.split("\n")[error.line - 1] == "virtual_channels = -1"


def test_what_is_no_scenario_is_refused():
    with pytest.raises(TypeError, match="int"):
        flitsim.run(7)
    with pytest.raises(ValueError, match="^`topology` is nan: the numbers of a scenario are finite"):
        flitsim.run({"topology": float("nan")})
    with pytest.raises(flitsim.ScenarioError, match="cannot read"):
        flitsim.run("nowhere.toml")
    with pytest.raises(flitsim.SimulationError, match="auto"):
        flitsim.run({**SMALL, "sweep": {"load": "auto"}})


def test_a_routing_that_can_deadlock_is_refused_with_its_cycle():
    ring = {
        "topology": {"kind": "torus", "radix": 4, "dimensions": 1},
        "router": {"virtual_channels": 1},
    }
    with pytest.raises(flitsim.ScenarioError, match="a cycle: 0->1#0"):
        flitsim.run(ring, load=0.1)
    proof = flitsim.verify(ring)
    assert not proof and not proof.deadlock_free and proof.reason
    assert all(a.target == b.source for a, b in zip(proof.cycle, [*proof.cycle[1:], proof.cycle[0]]))
    assert str(proof.cycle[0]) in repr(proof)
    with pytest.warns(flitsim.FlitsimWarning):
        results = flitsim.run({**ring, "measure": {"max_cycles": 20_000}}, load=0.9, allow_deadlock=True)
    assert results["status"].item() == "deadlock"


def test_proofs_of_words_and_of_several_series():
    proof = flitsim.verify("torus:radix=8,dimensions=2")
    assert proof and proof.method == "acyclic-cdg" and proof.cycle == [] and proof.reaches_every_pair
    assert "free of deadlock" in proof._repr_html_()
    several = {**SMALL, "series": [{"name": "a"}, {"name": "b", "routing": {"algorithm": "west-first"}}]}
    proofs = flitsim.verify(several)
    assert [proof.routing for proof in proofs] == ["dimension-order", "west-first"]
    assert proofs and proofs.deadlock_free
    several["series"][0] = {"name": "a", "topology": {"kind": "torus"}, "router": {"virtual_channels": 1}}
    proofs = flitsim.verify(several)
    assert [bool(proof) for proof in proofs] == [False, True]
    assert not proofs and not proofs.deadlock_free
    with pytest.raises(flitsim.ScenarioError) as raised:
        flitsim.verify("torus:radix=0,dimensions=2")
    assert raised.value.column == 13


def test_saturation():
    found = flitsim.saturate(SMALL, tolerance=0.2)
    assert found["status"].item() == "found"
    assert found["low"].item() < found["saturation_load"].item() < found["high"].item() < 1.5
    for tolerance in (0, 2.0, float("nan")):
        with pytest.raises(ValueError, match=r"^a tolerance is a number from 0.001 to 0.5; 0.02 means an interval of 2 %"):
            flitsim.saturate(SMALL, tolerance=tolerance)


def test_progress_is_heard_where_the_call_was_made():
    heard = []
    flitsim.sweep(SMALL, progress=lambda told: heard.append((threading.get_ident(), told)))
    assert {thread for thread, _ in heard} == {threading.get_ident()}
    assert heard[-1][1] == {"done": 3, "running": 0, "total": 3, "points": []}
    running = [point for _, told in heard for point in told["points"]]
    assert all(set(point) == {"series", "load", "cycles", "relative_half_width"} for point in running)


def test_what_a_callback_raises_ends_the_call(tmp_path):
    def refuse(told):
        raise KeyError("enough")

    start = time.monotonic()
    with pytest.raises(KeyError, match="enough"):
        flitsim.sweep(LONG, progress=refuse)
    assert time.monotonic() - start < 10


def search(scenario):
    large = {"kind": "mesh", "radix": 32, "dimensions": 2}
    return flitsim.saturate({**scenario, "topology": large}, tolerance=0.001)


@pytest.fixture(autouse=True)
def interrupts_are_heard():
    """A shell that starts this in the background has it ignore them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("call", [flitsim.run, flitsim.sweep, search])
def test_an_interrupt_ends_the_call(call):
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        call(LONG)
    assert time.monotonic() - start < 10


def test_a_sweep_that_was_interrupted_goes_on(tmp_path):
    def stop(told):
        if told["done"] > 0:
            raise KeyboardInterrupt

    done = SMALL["sweep"]["load"]
    scenario = {**SMALL, "sweep": {"load": [*done, 0.3]}}
    with pytest.raises(KeyboardInterrupt):
        flitsim.sweep({**LONG, "sweep": {"load": [0.99, 0.2]}}, jobs=1, out=tmp_path / "a", progress=stop)
    with pytest.raises(flitsim.SimulationError, match="already holds results"):
        flitsim.sweep(scenario, out=tmp_path / "a")
    again = flitsim.sweep(scenario, out=tmp_path / "a", resume=True)
    whole = flitsim.sweep(scenario, out=tmp_path / "a", overwrite=True)
    assert again.equals(whole)


def test_other_threads_of_python_go_on():
    counted = []
    stop = threading.Event()

    def count():
        for number in itertools.count():
            counted.append(number)
            if stop.wait(0.001):
                return

    counter = threading.Thread(target=count)
    counter.start()
    precise = {**SMALL, "measure": {"relative_error": 0.004}}
    before = len(counted)
    flitsim.run(precise, load=0.2)
    assert len(counted) - before > 5
    stop.set()
    counter.join()


def test_details_are_frames():
    scenario = {**SMALL, "measure": {"relative_error": 0.1, "details": ["sources"]}, "sweep": {"load": [0.1]}}
    of_run = flitsim.run(scenario).details["default"]["sources"]
    of_sweep = flitsim.sweep(scenario).details["sources"]
    assert len(of_run) == len(of_sweep) == 16


def test_names_of_nodes_are_text(tmp_path):
    names = ["0.10", "007", "1_000", "nan"]
    graph = networkx.cycle_graph(names)
    every = {"measure": {"relative_error": 0.1, "details": ["all"]}, "sweep": {"load": [0.1]}}
    scenario = {**every, "topology": flitsim.Network.from_networkx(graph)}
    of_run = flitsim.run(scenario, frames="list").details["default"]
    of_sweep = flitsim.sweep(scenario, out=tmp_path, frames="list").details
    of_read = flitsim.read(tmp_path, frames="list").details
    assert set(of_run) == set(of_sweep) == set(of_read)
    for details in (of_run, of_sweep, of_read):
        assert sorted(row["node"] for row in details["sources"]) == sorted(names)
        assert {row["from"] for row in details["channels"]} == {row["to"] for row in details["channels"]} == set(names)
        assert details["energy"][0]["from"] is None
    # So they are where all are numbers.
    numbered = flitsim.sweep({**every, "topology": SMALL["topology"]}, out=tmp_path, overwrite=True)
    of_run = flitsim.run({**every, "topology": SMALL["topology"]}).details["default"]
    for sources in (numbered.details["sources"], of_run["sources"], flitsim.read(tmp_path / "sources.csv")):
        assert sources["node"].tolist() == [str(node) for node in range(16)]
    (tmp_path / "own.csv").write_text("series,router.buffer_flits,at\n007,8,1_000\n")
    assert list(flitsim.read(tmp_path / "own.csv", "list")) == [
        {"series": "007", "router.buffer_flits": 8, "at": "1_000"}
    ]


@pytest.mark.parametrize("frames", ["pandas", "polars", "list"])
def test_a_folder_is_read_with_its_details(tmp_path, frames):
    scenario = {**SMALL, "measure": {"relative_error": 0.1, "details": ["all"]}, "sweep": {"load": [0.1]}}
    details = flitsim.sweep(scenario, out=tmp_path, frames=frames).details
    (tmp_path / "notes.csv").write_bytes(b"a user's,\xff\n1\n")
    read = flitsim.read(tmp_path, frames).details
    assert list(read) == list(details) and "histogram" in read
    equal = list.__eq__ if frames == "list" else lambda one, other: one.equals(other)
    assert all(equal(read[name], details[name]) for name in details)


@pytest.mark.parametrize("frames", ["pandas", "polars", "list"])
def test_a_sweep_without_a_point_has_its_columns(tmp_path, frames):
    (tmp_path / "points.csv").write_text(",".join(flitsim.COLUMNS) + "\n")
    results = flitsim.read(tmp_path, frames)
    assert len(results) == 0 and results.attrs["units"]["load"] == "load_unit"
    if frames != "list":
        assert list(results.columns) == flitsim.COLUMNS
        assert list(results[["load", "status"]].columns) == ["load", "status"]


def test_errors_speak_of_arguments(tmp_path):
    flitsim.sweep(SMALL, out=tmp_path)
    with pytest.raises(flitsim.SimulationError, match=r"`resume=True`.*`overwrite=True`.*`out=`") as raised:
        flitsim.sweep(SMALL, out=tmp_path)
    assert "--" not in str(raised.value)
    ring = {"topology": {"kind": "torus", "radix": 4, "dimensions": 1}, "routing": {"algorithm": "minimal-adaptive"}}
    with pytest.raises(flitsim.ScenarioError, match="`flitsim.verify`.*`allow_deadlock=True` runs") as raised:
        flitsim.run(ring, load=0.1)
    assert "--allow" not in str(raised.value) and "`allow_deadlock=True`" in raised.value.faults[0]["help"]
    again = pickle.loads(pickle.dumps(raised.value))
    assert (str(again), again.faults) == (str(raised.value), raised.value.faults)
    with pytest.raises(flitsim.ScenarioError, match="`load` is 2") as raised:
        flitsim.run({"topology": SMALL["topology"], "traffic": flitsim.trace([(0, 0, 1, 4)])}, load=2)
    assert "--load" not in str(raised.value)


def test_the_words_of_the_command_are_still_those():
    sources = [path for crate in ("cli", "scenario", "sweep") for path in (ROOT / "crates" / crate / "src").rglob("*.rs")]
    said = "".join(re.sub(r"\\\n\s*", "", path.read_text(encoding="utf-8")) for path in sources)
    assert [words for words in _OF_COMMAND if words not in said] == []


def test_arguments_out_of_range_are_refused():
    for argument, value in (("seed", -1), ("seed", 2**63), ("jobs", 0), ("threads", 0), ("threads", 2**16)):
        with pytest.raises(ValueError, match=rf"`{argument}` is from [01] to 2\^\d\d - 1, and this is {value}"):
            flitsim.sweep(SMALL, **{argument: value})


def test_folders_that_cannot_be_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    out = {"out": tmp_path / "out"}
    wrong = [
        ({"resume": True}, "^`resume` goes on in a folder: `out` names it$"),
        ({"overwrite": True}, "^`overwrite` replaces what a folder holds: `out` names it$"),
        ({**out, "resume": True, "overwrite": True}, "^`resume` goes on .* `overwrite` replaces it: give one"),
        ({"out": ""}, "^`out` names a folder, and this is empty"),
    ]
    for arguments, message in wrong:
        with pytest.raises(ValueError, match=message):
            flitsim.sweep(SMALL, **arguments)
    with pytest.raises(TypeError, match="^`out` is the path of a folder, and this is 3$"):
        flitsim.sweep(SMALL, out=3)
    assert list(tmp_path.iterdir()) == []


def test_arguments_of_another_kind_are_refused():
    for argument, value in (("seed", 1.5), ("seed", True), ("seed", "1"), ("threads", [2])):
        with pytest.raises(TypeError, match=rf"`{argument}` is a whole number, and this is {re.escape(repr(value))}"):
            flitsim.run(SMALL, **{argument: value})
    for load in (True, "0.1", [0.1], range(1), numpy.array([0.1, 0.2]), numpy.bool_(True)):
        with pytest.raises(TypeError, match="`load` is a number, and this is "):
            flitsim.run(SMALL, load=load)
    with pytest.raises(TypeError, match="`tolerance` is a number"):
        flitsim.saturate(SMALL, tolerance=True)
    for argument in ("allow_deadlock", "resume", "overwrite"):
        with pytest.raises(TypeError, match=f"^`{argument}` is True or False, and this is 'no'$"):
            flitsim.sweep(SMALL, out=".", **{argument: "no"})
    assert len(flitsim.run(SMALL, load=0.1, allow_deadlock=numpy.bool_(False))) == 1
    for results in (3, [0.1], flitsim.run(SMALL, load=0.1)["load"]):
        with pytest.raises(TypeError, match="^`results` is what `sweep` gives, .* of the type (int|list|Series)$"):
            flitsim.plot(results)
    for key, value in (("load", object()), ("load", [0.1, b"0.2"]), ("load", [0.1, None]), ("load", networkx.path_graph(2))):
        with pytest.raises(TypeError, match=r"^`sweep.load` is a number, .*, and this is "):
            flitsim.sweep({**SMALL, "sweep": {key: value}})
    for value in (float("nan"), [0.1, float("inf")], numpy.float32("nan")):
        with pytest.raises(ValueError, match="^`sweep.load` is (nan|inf): the numbers of a scenario are finite"):
            flitsim.sweep({**SMALL, "sweep": {"load": value}})
    with pytest.raises(ValueError, match=rf"^`seed` is {2**64}: the whole numbers"):
        flitsim.run({**SMALL, "seed": 2**64})
    last = flitsim.run(SMALL, load=numpy.float32(0.5), seed=numpy.int64(2**63 - 1))
    assert (last["load"].item(), last["seed"].item()) == (0.5, 2**63 - 1)


def test_what_can_be_gone_through_is_a_list():
    loads = [1 / 16, 1 / 8]
    wholes = flitsim.sweep({**SMALL, "topology": {"kind": "mesh", "radices": range(3, 5)}, "sweep": {"load": loads}})
    assert wholes["nodes"].tolist() == [12, 12]
    expected = flitsim.sweep({**SMALL, "sweep": {"load": loads}})
    gone_through = (tuple(loads), set(loads), iter(loads), {0: loads[0], 1: loads[1]}.values(), numpy.array(loads), (n / 16 for n in (1, 2)))
    for given in gone_through:
        assert flitsim.sweep({**SMALL, "sweep": {"load": given}}).equals(expected), given
    every = {**SMALL["measure"], "details": {"sources", "channels"}}
    swept = flitsim.sweep({**SMALL, "measure": every, "sweep": {"load": [0.1]}})
    assert set(swept.details) == {"sources", "channels"}


def test_the_command_is_in_the_wheel():
    command = Path(sys.executable).with_name("flitsim")
    ran = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == f"flitsim {flitsim.__version__}"
    wrong = subprocess.run([command, "run", "nowhere.toml"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "cannot read nowhere.toml" in wrong.stderr


def test_a_plot_has_bands_and_walls():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    results = flitsim.sweep(SMALL)
    ax = flitsim.plot(results)
    assert ax.get_title() == "Small" and ax.get_xlabel() == "offered load (flits/node/cycle)"
    assert len(ax.collections) == 1, "the band"
    wall = [line for line in ax.lines if list(line.get_xdata()) == [0.95, 0.95]]
    assert wall and ax.get_xlim()[1] == pytest.approx(0.95 * 1.03)
    part = flitsim.plot(results[results.load < 0.5].to_dict("records"), title="part")
    assert part.get_xlim()[1] == pytest.approx(0.2 * 1.03) and part.get_title() == "part"
    with pytest.raises(ValueError, match="no rows"):
        flitsim.plot([])
    with pytest.raises(ValueError, match="`sweep` gives.*no column `load`"):
        flitsim.plot(flitsim.saturate(SMALL, tolerance=0.5))
    with pytest.raises(ValueError, match="no column `latency_mean`"):
        flitsim.plot(results.drop(columns="latency_mean"))
