"""The task files: which questions a task has, how they are asked, and how answers are scored.

They are those of lmms_eval: VMEvalKit reads the same folder, and calls the same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import StoreError, UnknownName, UsageError
from vmevalkit.vqa.task_files import mmsi

FOLDER = Path(__file__).parent / "task_files"
"""The folder of the task files, for ``lmms_eval --include_path``."""
GROUPS = ("mmsi", "mmsi_visual_cot")
DEFAULT_WORDING = "default"


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

    @property
    def is_two_stage(self) -> bool:
        return self.to_text is mmsi.msr_doc_to_text_with_gen_prompt

    @property
    def category(self) -> str:
        return mmsi.CATEGORIES[self.question_type]

    def choose_prompts(self, wording: str = DEFAULT_WORDING, model: str = "") -> dict[str, str]:
        """Return the prompt parts of a wording. Where the file has parts for the model, those take precedence."""
        if wording not in self.prompts:
            raise UnknownName("wording", wording, self.prompts, f"in {self.name}.yaml")
        return {**self.prompts[wording], **self.prompts.get(model, {})}

    def write_prompt(self, doc: Mapping[str, Any], prompts: Mapping[str, str]) -> tuple[str | None, str]:
        """Return the prompts of stage 1 (None for a direct task) and of the answer."""
        text = self.to_text(doc, prompts)
        if not self.is_two_stage:
            return None, text
        stages = mmsi.split_stages(text)
        if stages is None:
            raise UsageError(f"{self.name}: the prompt has not the form [GEN_PROMPT]...[QUESTION]...: {text[:200]!r}")
        return stages


def list_tasks(folder: Path = FOLDER) -> list[str]:
    """Return the names of all tasks."""
    return sorted(name for name in (path.stem for path in folder.glob("*.yaml")) if name not in GROUPS)


def expand_tasks(names: list[str], folder: Path = FOLDER) -> list[str]:
    """Return task names, with groups replaced by their tasks, each once. Raises UnknownName with the nearest name."""
    known = {*list_tasks(folder), *GROUPS}
    result: list[str] = []
    for name in names:
        if name not in known:
            raise UnknownName("task", name, known)
        result += _read(folder / f"{name}.yaml")["task"] if name in GROUPS else [name]
    return list(dict.fromkeys(result))


def load_task(name: str, folder: Path = FOLDER) -> VqaTask:
    """Return a task of a folder of task files."""
    path = folder / f"{name}.yaml"
    if not path.is_file():
        raise UnknownName("task", name, list_tasks(folder))
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
        )
    except (KeyError, TypeError) as error:
        raise StoreError(f"{path} is not a valid task file: {error!r} is missing or wrong") from error


def _read(path: Path) -> dict[str, Any]:
    """Return a task file with what it includes. ``!function mmsi.name`` is that function."""
    import yaml

    try:
        config = yaml.load(path.read_text("utf-8"), _make_loader())
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}") from error
    except yaml.YAMLError as error:
        raise StoreError(f"{path} is not valid YAML: {error}") from error
    if not isinstance(config, dict):
        raise StoreError(f"{path} is not a task file: it must be a mapping")
    included = config.pop("include", None)
    return {**(_read(path.parent / included) if included else {}), **config}


@cache
def _make_loader() -> Any:
    import yaml

    class TaskFileLoader(yaml.SafeLoader):  # type: ignore[misc]
        """Plain YAML with ``!function``."""

    def find_function(_loader: Any, node: Any) -> Any:
        module, _, name = str(node.value).rpartition(".")
        function = getattr(mmsi, name, None)
        if module != "mmsi" or not callable(function):
            raise yaml.constructor.ConstructorError(
                None, None, f"!function {node.value} is not a function of task_files/mmsi.py", node.start_mark
            )
        return function

    TaskFileLoader.add_constructor("!function", find_function)
    return TaskFileLoader
