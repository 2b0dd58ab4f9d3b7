"""Where things lie. No other module joins these names.

    data/questions/{domain}_task/{id}/{first_frame.png, final_frame.png | goal.txt, prompt.txt, question_metadata.json}
    data/questions/vmeval_dataset.json
    data/{domain}_tasks/{domain}_tasks.json
    data/outputs/{experiment}/{model}/{domain}_task/{id}/{run_id}/{video/, question/, metadata.json}
    data/outputs/{experiment}/{model}/journal[-{part}].jsonl
    data/evaluations/{experiment}/{model}/{domain}_task/{id}/[sample_{k}/]{Scorer}.json
    data/evaluations/{experiment}/{model}/{domain}_task/{id}/[sample_{k}/]{Scorer}/{annotator}.json
    data/reports/{experiment}/

A name that begins with a dot is being written, or is a lock: no reader looks at it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from vmevalkit.core.errors import UsageError

DATA = Path("data")
QUESTIONS = DATA / "questions"
OUTPUTS = DATA / "outputs"
EVALUATIONS = DATA / "evaluations"
REPORTS = DATA / "reports"

FIRST_FRAME = "first_frame.png"
FINAL_FRAME = "final_frame.png"
PROMPT = "prompt.txt"
GOAL = "goal.txt"
SOLUTION = "solution.mp4"
QUESTION_RECORD = "question_metadata.json"
RUN_RECORD = "metadata.json"
INDEX = "vmeval_dataset.json"

_LONGEST = 80  # a run id holds a model and a question, and file systems stop at 255 bytes
_UNSAFE = re.compile(r"^\.|[^A-Za-z0-9._+\-]")
_ESCAPE = re.compile(r"=([0-9A-F]{2})")


@lru_cache(maxsize=1 << 14)
def folder_name(name: str) -> str:
    """A name as one part of a path. What is not safe there becomes ``=`` and two hex digits: ``a/b`` is ``a=2Fb``."""
    if not name:
        raise UsageError("a name for a folder is empty")
    safe = _UNSAFE.sub(lambda match: "".join(f"={byte:02X}" for byte in match[0].encode()), name)
    if len(safe) > _LONGEST:
        raise UsageError(f"the name {name!r} is too long for a folder ({len(safe)} characters, at most {_LONGEST})")
    return safe


def name_of(folder: str) -> str:
    """The name that ``folder_name`` was given."""
    raw = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), folder)
    return raw.encode("latin-1", "replace").decode("utf-8", "replace") if _ESCAPE.search(folder) else folder


def domain_folder(domain: str) -> str:
    return f"{folder_name(domain)}_task"


def domain_of(folder: str) -> str:
    """The domain of a ``maze_task`` folder; of any other folder its name."""
    return name_of(folder.removesuffix("_task"))


def question_place(domain: str, question_id: str) -> str:
    """Of a question's folder, relative to the folder of all questions."""
    return f"{domain_folder(domain)}/{folder_name(question_id)}"


def question_folder(questions: Path, domain: str, question_id: str) -> Path:
    return questions / question_place(domain, question_id)


def index_file(questions: Path) -> Path:
    return questions / INDEX


def dataset_file(questions: Path, domain: str) -> Path:
    """The task's own list of pairs: beside a folder called ``questions``, and inside a folder of another name."""
    beside = questions.parent if questions.name == QUESTIONS.name else questions
    return beside / f"{domain}_tasks" / f"{domain}_tasks.json"


def experiment_folder(root: Path, experiment: str) -> Path:
    """Of outputs, evaluations or reports."""
    return root / folder_name(experiment)


def model_folder(root: Path, experiment: str, model: str) -> Path:
    return experiment_folder(root, experiment) / folder_name(model)


def job_folder(root: Path, experiment: str, model: str, domain: str, question_id: str) -> Path:
    """What one model did with one question: its runs under outputs, its scores under evaluations."""
    parts = (folder_name(experiment), folder_name(model), domain_folder(domain), folder_name(question_id))
    return Path(root, *parts)


def journal_file(model: Path, part: str | None = None) -> Path:
    """What was ordered of a model in an experiment; each part of divided work has a journal of its own."""
    return model / (f"journal-{part}.jsonl" if part else "journal.jsonl")


def journals_of(model: Path) -> list[Path]:
    """All journals in a model's folder."""
    return sorted(model.glob("journal*.jsonl"))


def all_journals(outputs: Path) -> list[Path]:
    """The journals of all experiments and models."""
    return sorted(outputs.glob("*/*/journal*.jsonl"))


def sample_folder(job: Path, sample: int) -> Path:
    """The scores of sample 0 lie in the job's folder itself."""
    return job if sample == 0 else job / f"sample_{sample}"


def sample_of(folder: str) -> int | None:
    match = re.fullmatch(r"sample_([1-9][0-9]*)", folder)
    return int(match[1]) if match else None


def subfolders(folder: Path) -> Iterator[Path]:
    """The visible folders inside, in natural order: ``maze_2`` before ``maze_10``. None if there is no such folder."""
    try:
        inside = [path for path in folder.iterdir() if not path.name.startswith(".") and path.is_dir()]
    except (FileNotFoundError, NotADirectoryError):
        return iter(())
    return iter(sorted(inside, key=lambda path: natural(path.name)))


def natural(name: str) -> list[tuple[int, str]]:
    """A key to sort by, in which numbers count as numbers."""
    parts = re.split(r"([0-9]+)", name)
    return [(int(part), part) if part.isdigit() else (-1, part) for part in parts]
