"""The code says what engineers of the field say: these names were replaced and do not come back."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

SOURCES = sorted((Path(__file__).parents[1] / "src" / "vmevalkit").rglob("*.py"))

MODULES = {
    "nursery", "course", "errands", "wishes", "standing", "stock", "delivery_desk", "turned", "frozen", "_talk",
    "preparing", "hosting", "sighting", "likeness", "wholeness", "picture", "video_out", "video_in", "company",
    "flights", "describing", "hiding", "lens", "marks", "strays", "following", "bank", "makers", "measures",
    "commit", "batch", "shelf", "counting", "storing", "strangers", "notebook",
}  # fmt: skip
CLASSES = {
    "Nursery", "Course", "Counter", "Gate", "Tally", "Board", "Done", "Errand", "Again", "Wishes", "Pace", "Money",
    "Prospect", "Forecast", "_Desk", "Filmed", "Talk", "Said", "Listed", "Sighting", "Glimpse", "Film", "Checked",
    "Whereabouts", "Lens", "Shelf", "Occupied", "_Looker", "Examiner", "Artefact", "Reel", "Take", "Shot",
    "Path",
}  # fmt: skip
FUNCTIONS = {
    "bear", "fate", "bury", "stillborn", "lend_a_hand", "words", "held", "halted", "mend", "carry_out", "film_here",
    "film_remotely", "turned", "heard", "takes", "allow", "prevailing", "knobs",
    "alike", "asked", "told", "shown", "posed", "begun", "laid", "there",
}  # fmt: skip
PRIVATE_WORDS = re.compile(r"\b(film(s|ed|ing)?|errands?|nursery|glimpses?|wishes|whoever|shall)\b", re.IGNORECASE)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_a_module_uses_the_words_of_the_field(path: Path) -> None:
    text = path.read_text("utf-8")
    assert path.stem not in MODULES
    if path.stem != "old_keys":  # which reads records with the old words
        assert PRIVATE_WORDS.findall(text) == []
    nodes = list(ast.walk(ast.parse(text)))
    assert {node.name for node in nodes if isinstance(node, ast.ClassDef)} & CLASSES == set()
    functions = {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
    assert functions & FUNCTIONS == set()
