"""The specification's public names import from the modules that its documents give, with its parameters and fields."""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import vmevalkit
from specification_names import (
    ABSENT,
    ABSENT_MODULES,
    FILES,
    NAMES,
    OBJECT_SUBTRACTION_METRICS,
    OPTIONS,
    QUESTION_FIELDS,
    RETURNED_FIELDS,
    WORDS,
    AbsentName,
    Name,
    SpecificationFile,
)

ROOT = Path(__file__).parents[1]
PACKAGE = Path(vmevalkit.__file__).parent

Case = tuple[str, str | None, Name]
"""Module, class of a method, row."""


def name_cases() -> Iterator[Case]:
    """Yield every name of ``NAMES``, and every method of its classes."""
    for module, rows in NAMES.items():
        for row in rows:
            yield module, None, row
            yield from ((module, row.name, method) for method in row.methods)


def case_id(case: Case) -> str:
    module, owner, row = case
    return ".".join(part for part in (module, owner, row.name) if part)


def load(case: Case) -> Any:
    """Return the object that a row names."""
    module, owner, row = case
    holder = import_module(module) if owner is None else getattr(import_module(module), owner)
    assert hasattr(holder, row.name), f"{case_id(case)}{row.signature or ''} of document {row.document} is missing"
    return getattr(holder, row.name)


CASES = list(name_cases())


@pytest.mark.parametrize("module", NAMES)
def test_module_imports(module: str) -> None:
    import_module(module)


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_name_is_as_its_document_says(case: Case) -> None:
    found, row = load(case), case[2]
    if row.signature is not None:
        check_signature(found, row.signature, is_method=case[1] is not None)
        assert inspect.iscoroutinefunction(found) == row.is_async
    if row.attributes:
        instance = found()
        assert [name for name in row.attributes if not hasattr(instance, name)] == []
    if row.entries:
        check_catalog(found, row)
    elif row.fields:
        assert [name for name in row.fields if name not in get_type_hints(found)] == []


def check_signature(found: Callable[..., Any], written: str, *, is_method: bool) -> None:
    """Assert that a call as in the document works: its parameters come first, and all others are optional."""
    expected = parse_parameters(written)
    actual = dict(list(inspect.signature(found).parameters.items())[is_method:])
    assert list(actual)[: len(expected)] == list(expected), f"the document's parameters are {written}"
    for name, default in expected.items():
        assert actual[name].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD, name
        if default is not inspect.Parameter.empty:
            assert actual[name].default == default, f"{name}={default!r} is expected, not {actual[name].default!r}"
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    others = [parameter for name, parameter in actual.items() if name not in expected]
    required = [other.name for other in others if other.default is other.empty and other.kind not in variadic]
    assert required == [], f"a call with {written} fails"


def check_catalog(catalog: Mapping[str, Mapping[str, Any]], row: Name) -> None:
    """Assert that a catalog has the document's entries, and each entry the document's keys in order."""
    assert [name for name in row.entries if name not in catalog] == []
    for entry in catalog.values():
        assert tuple(entry) == row.fields


def parse_parameters(written: str) -> dict[str, Any]:
    """Return each parameter's default, or ``Parameter.empty``."""
    [function] = ast.parse(f"def function{written}: ...").body
    assert isinstance(function, ast.FunctionDef)
    names = [argument.arg for argument in function.args.args]
    defaults = [ast.literal_eval(node) for node in function.args.defaults]
    empty = [inspect.Parameter.empty] * (len(names) - len(defaults))
    return dict(zip(names, [*empty, *defaults], strict=True))


def create_question(task: str, folder: Path) -> dict[str, Any]:
    """Return the record of one question of a task, written below the folder."""
    dataset = import_module(f"vmevalkit.tasks.{task}_task").create_dataset(num_samples=1, output_dir=folder)
    assert set(dataset) == {"name", "description", "pairs"}
    [pair] = dataset["pairs"]
    return dict(pair)


@pytest.mark.parametrize("task", QUESTION_FIELDS)
def test_question_has_the_fields_of_its_document(task: str, tmp_path: Path) -> None:
    question = create_question(task, tmp_path / "questions")
    for place, fields in QUESTION_FIELDS[task].items():
        record: Any = question
        for key in place.split(".") if place else ():
            record = record[key] if isinstance(record, Mapping) else record[int(key)]
        assert set(fields) - set(record) == set(), f"missing at {place or 'the top'} of {task}"


@pytest.mark.parametrize("place", RETURNED_FIELDS, ids=".".join)
def test_method_returns_the_fields_of_its_document(place: tuple[str, str, str]) -> None:
    module, owner, method = place
    [record] = getattr(getattr(import_module(module), owner)(), method)(1)
    assert set(RETURNED_FIELDS[place]) - set(record) == set()


def test_object_subtraction_is_scored_by_the_metrics_of_its_document(tmp_path: Path) -> None:
    module = import_module("vmevalkit.tasks.object_subtraction_task")
    [pair] = module.create_dataset(num_samples=1, output_dir=tmp_path / "questions", solutions=True)["pairs"]
    folder = (tmp_path / "questions" / pair["first_image_path"]).parent
    score = vmevalkit.score_video(folder, folder / "solution.mp4")
    assert set(OBJECT_SUBTRACTION_METRICS) - set(score.metrics) == set()


@pytest.mark.parametrize("command", OPTIONS, ids=" ".join)
def test_command_has_the_options_of_its_document(command: tuple[str, ...]) -> None:
    process = subprocess.run(
        [sys.executable, *command, "--help"],
        cwd=ROOT, capture_output=True, text=True, check=True, timeout=60, env={**os.environ, "COLUMNS": "200"},
    )  # fmt: skip
    assert [option for option in OPTIONS[command] if option not in process.stdout] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.path)
def test_file_exists(file: SpecificationFile) -> None:
    text = (ROOT / file.path).read_text("utf-8")
    assert text.strip()
    assert [words for words in file.contains if words not in text] == []


@cache
def definitions(path: Path) -> frozenset[str]:
    """Return what a module and its classes define: functions, classes, assigned names."""
    found: set[str] = set()
    bodies = [ast.parse(path.read_text("utf-8")).body]
    while bodies:
        for node in bodies.pop():
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found.add(node.name)
            if isinstance(node, ast.ClassDef):
                bodies.append(node.body)
            if isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return frozenset(found)


@cache
def string_constants(path: Path) -> frozenset[str]:
    """Return every string of a module."""
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return frozenset(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))


def definers(name: str, folder: Path) -> list[str]:
    """Return the modules below a folder that define a name."""
    return [str(path.relative_to(PACKAGE)) for path in sorted(folder.rglob("*.py")) if name in definitions(path)]


@pytest.mark.parametrize("word", list(chain(*WORDS.values())))
def test_word_is_a_string_of_the_code(word: str) -> None:
    assert any(word in string_constants(path) for path in PACKAGE.rglob("*.py"))


ABSENT_CASES = [(package, row) for package, rows in ABSENT.items() for row in rows]


@pytest.mark.parametrize(("package", "row"), ABSENT_CASES, ids=lambda part: getattr(part, "name", part))
def test_name_is_absent(package: str, row: AbsentName) -> None:
    folder = PACKAGE.joinpath(*package.split(".")[1:])
    assert folder.is_dir()
    found = definers(row.name, folder)
    assert not found, f"{row.name} exists in {found} but is listed as absent ({row.reason}): correct its row in ABSENT"


@pytest.mark.parametrize("row", ABSENT_MODULES, ids=lambda row: row.name)
def test_module_is_absent(row: AbsentName) -> None:
    parent, _, _ = row.name.rpartition(".")
    exists = (not parent or find_spec(parent) is not None) and find_spec(row.name) is not None
    assert not exists, f"{row.name} exists but is listed as absent ({row.reason})"


def test_each_name_is_in_one_table() -> None:
    existing = {row.name for _, _, row in CASES}
    absent = [row.name for row in chain(*ABSENT.values())]
    assert len(absent) == len(set(absent))
    assert existing & set(absent) == set()
