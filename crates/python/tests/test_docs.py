"""The code of docs/python.md does what it says, and names what there is."""

import re
from pathlib import Path

import flitsim

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/python.md").read_text(encoding="utf-8")


def test_the_page_runs_from_top_to_bottom():
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 5
    names = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)
    assert names["results"]["nodes"].tolist() == [36, 36]


def test_every_name_of_the_package_is_on_the_page():
    inner = {"COLUMNS", "Error", "File", "Frame", "Scenario", "__version__"}
    missing = [name for name in flitsim.__all__ if name not in PAGE and name not in inner]
    assert missing == ["Channel", "Proof", "Proofs"], "what calls give need not be named"
