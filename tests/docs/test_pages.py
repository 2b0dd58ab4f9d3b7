"""What single documents say of the code is true."""

from __future__ import annotations

import json
import re

import pytest
import yaml
from code_blocks import ROOT

import vmevalkit
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.kit.scene_task import SceneTask

README = (ROOT / "README.md").read_text("utf-8")
MOST_README_LINES = 100


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= MOST_README_LINES


@pytest.mark.parametrize("name", [name for name, task in TASKS.items() if not isinstance(task, SceneTask)])
def test_the_readme_says_of_each_task_what_is_judged(name: str) -> None:
    [counted] = re.findall(rf"^\| \[{name}\]\(\S+\) \| [^|]+ \| ([^|]+) \|$", README, re.M)
    assert counted == ("outcome" if TASKS[name].tricks["cut_to_final"] == "pass" else "process")


def test_the_verdict_of_the_readme_is_that_of_its_score() -> None:
    score = json.loads((ROOT / "docs/images/maze-through_wall-plain-1.json").read_text("utf-8"))
    assert (score["solved"], score["passed"], score["value"]) == (True, False, 2)
    assert "The final frame is right (`solved`), the video fails (`passed` is false) with 2 of 5" in README


def test_the_packages_of_the_architecture_are_those_of_its_test() -> None:
    document = (ROOT / "docs/ARCHITECTURE.md").read_text("utf-8")
    section = document.split("## Packages")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (\w+) \| .+ \| ([^|]+) \|$", section, re.M)[1:]
    table = {name: set() if imports == "-" else set(imports.split(", ")) for name, imports in rows}
    source = (ROOT / "tests/test_architecture.py").read_text("utf-8")
    lines = re.findall(r'^    "(\w+)": (set\(\)|\{[^}]*\}),$', source, re.M)
    assert len(lines) > 10
    assert table == {name: set(re.findall(r'"(\w+)"', imports)) for name, imports in lines}


def test_the_citation_has_what_the_format_requires() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert citation["message"] and citation["title"] and citation["type"] == "software"
    assert citation["authors"] == [{"name": "The VMEvalKit authors"}]
    assert (str(citation["version"]), citation["license"]) == (vmevalkit.__version__, "Apache-2.0")
