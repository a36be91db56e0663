"""What can go wrong."""

from __future__ import annotations

import json
from typing import Any, Optional

#: What the simulator says of the command line, as Python has it.
_OF_COMMAND = {
    "add --resume to": "give `resume=True` to",
    "--overwrite to replace": "`overwrite=True` to replace",
    "folder with --out DIR": "folder with `out=`",
    "the same command with --resume": "the same call with `resume=True`",
    "`--allow-deadlock` runs": "`allow_deadlock=True` runs",
    "`flitsim verify` with the same file": "`flitsim.verify` of the same scenario",
    "`--load`": "`load`",
    "--series chooses": "`series` chooses",
}


def _of_python(text: str) -> str:
    for said, meant in _OF_COMMAND.items():
        text = text.replace(said, meant)
    return text


class Error(Exception):
    """Every error of flitsim's own."""

    def __init__(self, text: str = "") -> None:
        super().__init__(_of_python(text))


class ScenarioError(Error, ValueError):
    """A scenario that cannot be run. Its text shows each place, underlined, and what would be right."""

    #: What is wrong, in the order of the scenario: each a dict of `line`, `column`, `message`, `label`,
    #: `notes` and `help`.
    faults: list[dict[str, Any]]
    #: The scenario, in TOML: what lines and columns count in.
    scenario: str

    def __init__(self, text: str, faults: str = "[]", scenario: str = "") -> None:
        super().__init__(text)
        self.faults = json.loads(_of_python(faults))
        self.scenario = scenario

    def __reduce__(self) -> Any:
        return type(self), (str(self), json.dumps(self.faults), self.scenario)

    @property
    def messages(self) -> list[str]:
        """What is wrong, a sentence for each fault."""
        return [fault["message"] for fault in self.faults]

    @property
    def line(self) -> Optional[int]:
        """The line of the first fault, from 1; `None` where it has no place."""
        return self.faults[0]["line"] if self.faults else None

    @property
    def column(self) -> Optional[int]:
        """The column of the first fault, from 1; `None` where it has no place."""
        return self.faults[0]["column"] if self.faults else None


class SimulationError(Error, RuntimeError):
    """A good scenario of which something else failed: a folder, a point, memory."""


class FlitsimWarning(UserWarning):
    """What a user should know of a scenario or its results."""
