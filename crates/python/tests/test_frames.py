"""Frames: units and order of their columns, and their way through `pickle`, from processes of every kind."""

import csv
import json
import multiprocessing
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pandas
import pytest

import flitsim

EVERY = {
    "title": "Small",
    "topology": {"kind": "mesh", "radix": 4, "dimensions": 2},
    "traffic": {"packet_flits": 4},
    "measure": {"relative_error": 0.1, "details": ["all"]},
    "sweep": {"load": [0.1]},
}
# In the file, neither these nor those of `series` below stand in the order of the alphabet.
SERIES = [
    {"name": "a", "router": {"virtual_channels": 4, "buffer_flits": 4}, "topology": {"radix": 3}},
    {"name": "b", "router": {"virtual_channels": 2, "buffer_flits": 8}, "routing": {"algorithm": "west-first"}},
]
SEVERAL = {**EVERY, "series": SERIES}
TEXT = {
    *("scenario", "series", "topology", "routing", "pattern", "load_unit", "status", "compared_with"),
    *("node", "from", "to", "name", "direction", "routing.algorithm"),
}


def same(one, other):
    """Whether frames of one kind are equal, with all that is beside their rows."""
    equal = one == other if isinstance(one, list) else one.equals(other)
    return (
        equal
        and type(one) is type(other)
        and (one.attrs, one.svg) == (other.attrs, other.svg)
        and list(one.details) == list(other.details)
        and all(same(one.details[name], other.details[name]) for name in one.details)
    )


@pytest.mark.parametrize("protocol", [2, pickle.HIGHEST_PROTOCOL])
@pytest.mark.parametrize("frames", ["pandas", "polars", "list"])
def test_frames_are_pickled_with_what_is_beside_their_rows(tmp_path, frames, protocol):
    swept = flitsim.sweep(EVERY, out=tmp_path / "out", frames=frames)
    read = flitsim.read(tmp_path / "out", frames)
    channels = swept.details["channels"]
    texts = [pickle.dumps(results, protocol) for results in (swept, read, channels)]
    shutil.rmtree(tmp_path / "out")
    of_sweep, of_read, of_channels = map(pickle.loads, texts)
    assert same(of_sweep, swept) and same(of_channels, channels)
    assert of_sweep.attrs["zero_load"]["default"] > 4 and of_sweep.svg.startswith("<svg")
    assert set(of_read.details) == set(swept.details) and same(of_read.details["channels"], channels)
    of_run = flitsim.run(EVERY, frames=frames)
    again = pickle.loads(pickle.dumps(of_run, protocol))
    assert same(again.details["default"]["energy"], of_run.details["default"]["energy"])


def test_frames_are_files_of_pandas(tmp_path):
    swept = flitsim.sweep(EVERY)
    swept.to_pickle(tmp_path / "points")
    swept.details["channels"].to_pickle(tmp_path / "channels")
    assert same(pandas.read_pickle(tmp_path / "points"), swept)
    assert same(pandas.read_pickle(tmp_path / "channels"), swept.details["channels"])


def point(load):
    return flitsim.run(EVERY, load=load)


def test_frames_come_from_other_processes():
    # As on every system: a process that begins anew has not made the class of frames yet.
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        (found,) = pool.map(point, [0.1])
    assert found["load"].item() == 0.1 and found.attrs["units"]["load"] == "load_unit"
    assert len(found.details["default"]["sources"]) == 16


def all_calls(load):
    flitsim.topology(EVERY["topology"]).properties
    assert flitsim.verify(EVERY)
    return point(load)["load"].item()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no process is forked here")
def test_forked_processes_go_on_where_their_parent_has_simulated():
    assert all_calls(0.1) == 0.1
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(all_calls, [0.1, 0.2, 0.3]).get(timeout=60) == [0.1, 0.2, 0.3]


def test_every_column_of_numbers_has_its_unit():
    swept = flitsim.sweep(SEVERAL)
    of_run = flitsim.run(SEVERAL).details["b"]
    frames = [swept, flitsim.saturate(SEVERAL, tolerance=0.5), *swept.details.values(), *of_run.values()]
    for results in frames:
        units = results.attrs["units"]
        assert list(units) == list(results.columns)
        assert {column for column in units if units[column] is None} <= {*TEXT, "ideal_bound_method"}
        assert not [column for column in units if units[column] and results[column].dtype == object]
    assert [flitsim.unit(key) for key in ("router.virtual_channels", "router.buffer_flits")] == ["virtual channels", "flits"]
    assert [flitsim.unit(key) for key in ("topology.seed", "routing.algorithm")] == ["1", None]
    assert swept.details["energy"].attrs["units"]["energy_pj"] == "pJ"
    assert swept.details["sources"].attrs["units"]["received_flits"] == "flits/node/cycle"


@pytest.mark.parametrize("frames", ["pandas", "polars", "list"])
def test_a_column_has_its_type_whatever_its_values(tmp_path, frames):
    def types(results):
        if frames == "list":
            return [{key: type(value) for key, value in row.items()} for row in results]
        return list(results.dtypes)

    bursts = [{"name": str(cycles), "traffic": {"burst_cycles": cycles}} for cycles in (16.0, 32.0)]
    traffic = {"process": "on-off", "idle_cycles": 16, "packet_flits": 4}
    scenario = {**EVERY, "traffic": traffic, "measure": {**EVERY["measure"], "relative_error": 0.3}, "series": bursts}
    swept = flitsim.sweep(scenario, out=tmp_path, frames=frames)
    read = flitsim.read(tmp_path, frames)
    assert types(swept) == types(read)
    assert list(swept) == list(read) if frames == "list" else swept.equals(read)
    of_run = flitsim.run(scenario, frames=frames)
    for name, rows in of_run.details["16.0"].items():
        if frames == "list":
            assert types(rows) == [dict(list(of.items())[4:]) for of in types(swept.details[name]) [: len(rows)]], name
        else:
            assert types(rows) == types(swept.details[name])[4:], name


def test_what_is_empty_is_of_floats():
    pandas_s = flitsim.sweep(EVERY).details["channels"]
    polars_s = flitsim.sweep(EVERY, frames="polars").details["channels"]
    assert pandas_s["level"].isna().all() and pandas_s["level"].dtype == "float64"
    assert polars_s["level"].is_null().all() and str(polars_s["level"].dtype) == "Float64"


@pytest.mark.parametrize("frames", ["pandas", "list"])
def test_columns_have_the_order_of_the_files(tmp_path, frames):
    def header(name):
        with open(tmp_path / f"{name}.csv", newline="", encoding="utf-8") as file:
            return next(csv.reader(file))

    def columns(results):
        return list(results[0] if frames == "list" else results.columns)

    swept = flitsim.sweep(SEVERAL, out=tmp_path, frames=frames)
    read = flitsim.read(tmp_path, frames)
    points = header("points")
    keys = [column for column in points if "." in column]
    assert len(keys) == 4 and keys != sorted(keys)
    assert columns(swept) == columns(read) == points
    of_run = flitsim.run(SEVERAL, frames=frames)
    assert columns(of_run)[: len(flitsim.COLUMNS)] == flitsim.COLUMNS and columns(of_run)[-4:] == keys
    for name, rows in of_run.details["a"].items():
        assert columns(swept.details[name]) == columns(read.details[name]) == header(name)
        assert columns(rows) == header(name)[4:]
    (tmp_path / "scenario.toml").write_text(json.loads((tmp_path / "manifest.json").read_text())["text"])
    command = Path(sys.executable).with_name("flitsim")
    words = [command, "--quiet", "saturate", tmp_path / "scenario.toml", "--tolerance", "0.5", "--format", "csv"]
    printed = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    assert columns(flitsim.saturate(SEVERAL, tolerance=0.5, frames=frames)) == printed.split("\n")[0].split(",")


def test_what_is_no_table_is_refused(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text("[sweep]\nload = [0.1, 0.2]\n")
    with pytest.raises(ValueError, match="a.toml:2: this row has not as many cells"):
        flitsim.read(path)
