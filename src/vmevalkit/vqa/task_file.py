"""The task files: which questions a task has, how they are asked, and how answers are scored.

They are those of lmms_eval: VMEvalKit reads the same folder, and calls the same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import StoreError, UnknownName, UsageError
from vmevalkit.vqa.task_files import mmsi

FOLDER = Path(__file__).parent / "task_files"
"""The folder of the task files, for ``lmms_eval --include_path``."""
GROUPS = ("mmsi", "mmsi_visual_cot")
DEFAULT_WORDING, OFFICIAL_WORDING = "default", "official"
"""The specification's prompts, and MMSI-Bench's own."""
TWO_STAGE = "generate_visual_cot"
"""The output type of lmms_eval for tasks in two stages."""
_MOST_INCLUDES = 16
ROW_FIELDS = {"question_id", "category", "status", "expected", "predicted"}
"""What the row of a sample has: see ``msr_process_results``."""


@dataclass(frozen=True, slots=True)
class VqaTask:
    """One task, as its file describes it."""

    name: str
    """Such as ``mmsi_msr_visual_cot``."""
    question_type: str
    """The type of its questions in the dataset."""
    dataset: str
    """The dataset's name at Hugging Face, or a path."""
    split: str
    to_text: Callable[[Mapping[str, Any], Mapping[str, Any]], str]
    """Builds the prompt of a question."""
    prompts: Mapping[str, Mapping[str, str]]
    """Prompt parts of each wording, and of each model that has its own."""
    max_tokens: int
    temperature: float
    is_two_stage: bool
    """Whether a visualization is drawn first: output_type generate_visual_cot."""
    process_results: Callable[[Mapping[str, Any], list[str]], dict[str, Any]] = mmsi.msr_process_results
    """Reads and scores a response; the value of ``accuracy`` is the row of a sample."""
    is_optional: bool = False
    """Whether a dataset without questions of this type is no error."""

    @property
    def category(self) -> str:
        return name_category(self.question_type)

    def choose_prompts(self, wording: str = DEFAULT_WORDING, model: str = "") -> dict[str, str]:
        """Return the prompt parts of a wording. Where the file has parts for the model, those take precedence."""
        if wording not in self.prompts:
            raise UnknownName("wording", wording, self.prompts, f"in {self.name}.yaml")
        return {**self.prompts[wording], **self.prompts.get(model, {})}

    def write_prompt(self, doc: Mapping[str, Any], prompts: Mapping[str, str]) -> tuple[str | None, str]:
        """Return the prompts of stage 1 (None for a direct task) and of the answer."""
        try:
            text = self.to_text(doc, prompts)
        except Exception as error:  # a function of the user's own folder
            raise self._report_function("doc_to_text", doc, f"{type(error).__name__}: {error}") from error
        stages = mmsi.split_stages(text)
        if not self.is_two_stage:
            if stages is not None:
                raise UsageError(
                    f"{self.name}: the prompt has two stages ([GEN_PROMPT]...), but output_type is not {TWO_STAGE}; "
                    "set it in the task file"
                )
            return None, text
        if stages is None:
            raise UsageError(f"{self.name}: the prompt has not the form [GEN_PROMPT]...[QUESTION]...: {text[:200]!r}")
        return stages

    def read_response(self, doc: Mapping[str, Any], response: str) -> Mapping[str, Any]:
        """Return the row of a response. Raises StoreError where the function of the task file makes none."""
        try:
            row = self.process_results(doc, [response])["accuracy"]
        except Exception as error:  # a function of the user's own folder
            raise self._report_function("process_results", doc, f"{type(error).__name__}: {error}") from error
        if not isinstance(row, Mapping) or not set(row) >= ROW_FIELDS:
            fields = ", ".join(sorted(ROW_FIELDS))
            raise self._report_function("process_results", doc, f"its accuracy must be a row with {fields}: {row!r}")
        return row

    def _report_function(self, name: str, doc: Mapping[str, Any], problem: str) -> StoreError:
        return StoreError(f"{name} of the task {self.name} fails on the question {doc['id']}: {problem}")


def name_category(question_type: str) -> str:
    """Return the name of a question type in results; a type of a user's own dataset keeps its name."""
    return mmsi.CATEGORIES.get(question_type, question_type)


def list_tasks(folder: Path | None = None) -> list[str]:
    """Return the names of all tasks, those of a user's own folder included."""
    return sorted(name for name, path in _find_files(folder).items() if not _is_group(path))


def expand_tasks(names: list[str], folder: Path | None = None) -> list[str]:
    """Return task names, with groups replaced by their tasks, each once. Raises UnknownName with the nearest name."""
    files = _find_files(folder)
    result: list[str] = []
    for name in names:
        if name not in files:
            raise UnknownName("task", name, files)
        result += _read(files[name])["task"] if _is_group(files[name]) else [name]
    return list(dict.fromkeys(result))


def _find_files(folder: Path | None) -> dict[str, Path]:
    """Return the task files by name. Those of a user's own folder take precedence over ours."""
    if folder is not None and not folder.is_dir():
        raise StoreError(f"{folder} is not a folder; --include_path names a folder of task files (*.yaml)")
    own = sorted(folder.rglob("*.yaml")) if folder is not None else []
    return {path.stem: path for path in (*sorted(FOLDER.glob("*.yaml")), *own)}


def _is_group(path: Path) -> bool:
    return path.stem in GROUPS if path.parent == FOLDER else isinstance(_read(path).get("task"), list)


def load_task(name: str, folder: Path | None = None) -> VqaTask:
    """Return a task of ours, or of a user's own folder of task files."""
    files = _find_files(folder)
    if name not in files:
        raise UnknownName("task", name, list_tasks(folder))
    path = files[name]
    config = _read(path)
    try:
        kwargs = config["lmms_eval_specific_kwargs"]
        generation = config.get("generation_kwargs", {})
        return VqaTask(
            name=config["task"],
            question_type=config["metadata"]["question_type"],
            dataset=config["dataset_path"],
            split=config["test_split"],
            to_text=config["doc_to_text"],
            prompts={key: value for key, value in kwargs.items() if isinstance(value, Mapping)},
            max_tokens=int(generation.get("max_new_tokens", 1024)),
            temperature=float(generation.get("temperature", 0.0)),
            is_two_stage=config.get("output_type") == TWO_STAGE,
            process_results=config.get("process_results", mmsi.msr_process_results),
            is_optional=bool(config["metadata"].get("optional", False)),
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise StoreError(f"{path} is not a valid task file: {error!r} is missing or wrong") from error


def _read(path: Path, depth: int = 0) -> dict[str, Any]:
    """Return a task file with what it includes. ``!function module.name`` is a function of module.py beside the file;
    ``mmsi`` and included files are ours where the folder has none."""
    import yaml

    try:
        config = yaml.load(path.read_text("utf-8"), _make_loader(path.parent))
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise StoreError(f"{path} is not valid YAML: {error}") from error
    if not isinstance(config, dict):
        raise StoreError(f"{path} is not a task file: it must be a mapping")
    included = config.pop("include", None)
    if not included:
        return config
    if not isinstance(included, str) or depth == _MOST_INCLUDES:
        raise StoreError(f"{path} includes {included!r:.80}; name one file, which does not include this one")
    beside = path.parent / included
    return {**_read(beside if beside.is_file() else FOLDER / included, depth + 1), **config}


@cache
def _make_loader(folder: Path) -> Any:
    import yaml

    class TaskFileLoader(yaml.SafeLoader):  # type: ignore[misc]
        """Plain YAML with ``!function``."""

    def find_function(_loader: Any, node: Any) -> Any:
        module, _, name = str(node.value).rpartition(".")
        function = getattr(_load_module(folder, module), name, None)
        if not callable(function):
            raise yaml.constructor.ConstructorError(
                None, None, f"!function {node.value} is not a function of {module}.py beside the file", node.start_mark
            )
        return function

    TaskFileLoader.add_constructor("!function", find_function)
    return TaskFileLoader


@cache
def _load_module(folder: Path, name: str) -> Any:
    """Return the module of a folder of task files; None where there is none."""
    path = folder / f"{name}.py"
    if folder == FOLDER or not path.is_file():
        return mmsi if name == "mmsi" else None
    spec = spec_from_file_location(f"vmevalkit_task_files_{sha256(str(path).encode()).hexdigest()[:8]}", path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise StoreError(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    return module
