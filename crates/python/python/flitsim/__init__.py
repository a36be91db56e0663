"""flitsim: a cycle-accurate, flit-level simulator of wormhole-routed interconnection networks.

A scenario is a dict, a TOML string or a path; its keys are in docs/scenario-format.md. Results are data
frames with the columns of `points.csv`: pandas' where pandas is there, else polars', else lists of dicts.

>>> import flitsim
>>> mesh = {"topology": {"kind": "mesh", "radix": 4, "dimensions": 2}}
>>> results = flitsim.run(mesh, load=0.1)
>>> flitsim.verify(mesh).deadlock_free
True

Loads are in the scenario's unit, flits per node per cycle where it names none, latencies in cycles;
`flitsim.unit(column)` tells the unit of any column.
"""

from ._calls import run, saturate, sweep, verify
from ._errors import Error, FlitsimWarning, ScenarioError, SimulationError
from ._flitsim import COLUMNS, __version__
from ._frames import Frame, read, unit
from ._network import Channel, Network, Proof, Proofs, topology
from ._plot import plot
from ._source import File, Scenario, routing_table, trace

__all__ = [
    "COLUMNS",
    "Channel",
    "Error",
    "File",
    "FlitsimWarning",
    "Frame",
    "Network",
    "Proof",
    "Proofs",
    "Scenario",
    "ScenarioError",
    "SimulationError",
    "__version__",
    "plot",
    "read",
    "routing_table",
    "run",
    "saturate",
    "sweep",
    "topology",
    "trace",
    "unit",
    "verify",
]
