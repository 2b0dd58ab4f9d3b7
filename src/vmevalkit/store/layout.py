"""The paths of all files. No other module joins these names.

    data/questions/{domain}_task/{id}/{first_frame.png, final_frame.png | goal.txt, prompt.txt, question_metadata.json}
    data/questions/vmeval_dataset.json
    data/{domain}_tasks/{domain}_tasks.json
    data/outputs/{experiment}/{model}/{domain}_task/{id}/{run_id}/{video/, question/, metadata.json}
    data/outputs/{experiment}/{model}/journal[-{part}].jsonl
    data/evaluations/{experiment}/{model}/{domain}_task/{id}/[sample_{k}/]{Scorer}.json
    data/evaluations/.../{Scorer}.trace.json and {Scorer}.evidence.jpg, beside the score of a scorer that writes them
    data/evaluations/{experiment}/{model}/{domain}_task/{id}/[sample_{k}/]{Scorer}/{annotator}.json
    data/evaluations/{experiment}/annotation/{plan_{queue}.json, resume_codes.json, {annotator}.jsonl, gold/}
    data/answers/{model}-{digest}.jsonl
    data/reports/{experiment}/

The place of a folder names its experiment, model, domain and question; its records only repeat that for readers. So an
experiment can be renamed or copied. A name that begins with a dot is a lock or is being written: readers skip it.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from vmevalkit.core.errors import StoreError, UsageError
from vmevalkit.core.settings import setting

DATA = Path(setting("VMEVALKIT_DATA") or "data")
"""The data folder; the setting VMEVALKIT_DATA names another one."""
QUESTIONS = DATA / "questions"
OUTPUTS = DATA / "outputs"
EVALUATIONS = DATA / "evaluations"
REPORTS = DATA / "reports"
ANSWERS = DATA / "answers"
"""Logs of what chat models answered, shared by all experiments."""

FIRST_FRAME = "first_frame.png"
FINAL_FRAME = "final_frame.png"
PROMPT = "prompt.txt"
GOAL = "goal.txt"
SOLUTION = "solution.mp4"
QUESTION_RECORD = "question_metadata.json"
OWN_PUZZLE = "puzzle.json"
"""In a question folder made by hand: the puzzle, and where the pictures show it."""
RUN_RECORD = "metadata.json"
INDEX = "vmeval_dataset.json"
_TRACE = ".trace.json"
_RESUME_CODES = "resume_codes.json"

_MAX_LENGTH = 80  # a run id contains a model and a question, and file systems allow 255 bytes
_UNSAFE = re.compile(r"^\.|[^A-Za-z0-9._+\-]")
_DIGITS = re.compile(r"[0-9]+")
_ESCAPE = re.compile(r"=([0-9A-F]{2})")


@lru_cache(maxsize=1 << 14)
def folder_name(name: str) -> str:
    """Return a name as one part of a path. Unsafe characters become ``=`` and two hex digits: ``a/b`` is ``a=2Fb``."""
    if not name:
        raise UsageError("the name of a folder is empty; give at least one character")
    if not _is_text(name):
        raise UsageError(f"the name {name!r} has a character that no file name can have; use letters and digits")
    safe = _escape(name)
    if len(safe) > _MAX_LENGTH:
        raise UsageError(
            f"the name {name!r} is too long for a folder: {len(safe)} characters, at most {_MAX_LENGTH}; shorten it"
        )
    return safe


def _escape(name: str) -> str:
    return _UNSAFE.sub(lambda match: "".join(f"={byte:02X}" for byte in match[0].encode()), name)


def _is_text(name: str) -> bool:
    """Return whether a name can be encoded, and has no NUL."""
    try:
        name.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    return "\0" not in name


@lru_cache(maxsize=1 << 10)
def person_name(name: str) -> str:
    """Return a person's name as one part of a path. People have names of any script and length, so one that is too
    long becomes its first letters, as far as they are ASCII, and a digest."""
    text = unicodedata.normalize("NFC", name)
    safe = _escape(text)
    if len(safe) <= _MAX_LENGTH and not safe.endswith(".trace"):
        return safe
    slug = re.sub(r"[^A-Za-z0-9]+", "-", unicodedata.normalize("NFKD", text)).strip("-")[:40]
    return f"{slug or 'name'}-{sha256(text.encode()).hexdigest()[:16]}"


def name_of(folder: str) -> str:
    """Return the name that ``folder_name`` was given."""
    raw = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), folder)
    return raw.encode("latin-1", "replace").decode("utf-8", "replace") if _ESCAPE.search(folder) else folder


def domain_folder(domain: str) -> str:
    """Return the name of a domain's folder, such as ``maze_task``."""
    return f"{folder_name(domain)}_task"


def domain_of(folder: str) -> str:
    """Return the domain of a ``maze_task`` folder; of any other folder its name."""
    return name_of(folder.removesuffix("_task"))


def question_place(domain: str, question_id: str) -> str:
    """Return the path of a question's folder below the folder of all questions."""
    return f"{domain_folder(domain)}/{folder_name(question_id)}"


def question_folder(questions: Path, domain: str, question_id: str) -> Path:
    return questions / question_place(domain, question_id)


def index_file(questions: Path) -> Path:
    return questions / INDEX


def dataset_file(questions: Path, domain: str) -> Path:
    """Return the task's list of pairs: next to a folder called ``questions``, inside a folder of another name."""
    root = questions.parent if questions.name == QUESTIONS.name else questions
    return root / f"{domain}_tasks" / f"{domain}_tasks.json"


def experiment_folder(root: Path, experiment: str) -> Path:
    """Return an experiment's folder below ``root``, the folder of outputs, evaluations or reports."""
    return root / folder_name(experiment)


def model_folder(root: Path, experiment: str, model: str) -> Path:
    return experiment_folder(root, experiment) / folder_name(model)


def job_folder(root: Path, experiment: str, model: str, domain: str, question_id: str) -> Path:
    """Return the folder of one model and one question: of its runs below outputs, of its scores below evaluations."""
    parts = (folder_name(experiment), folder_name(model), domain_folder(domain), folder_name(question_id))
    return Path(root, *parts)


def parse_job_folder(folder: Path) -> tuple[str, str, str, str]:
    """Return the experiment, model, domain and question of a folder that ``job_folder`` made.

    Raises StoreError where the folder is not at such a place."""
    # Symbolic links are not resolved: a link is a name of its own, as a copy is.
    parts = Path(os.path.abspath(folder)).parts  # noqa: PTH100
    if len(parts) < 5 or not parts[-2].endswith("_task"):
        raise StoreError(
            f"{folder} is not in the folder of an experiment; its place must be EXPERIMENT/MODEL/DOMAIN_task/QUESTION"
        )
    experiment, model, domain, question = parts[-4:]
    return name_of(experiment), name_of(model), domain_of(domain), name_of(question)


def journal_file(model: Path, part: str | None = None) -> Path:
    """Return the journal in a model's folder; ``part`` names the journal of one shard."""
    return model / (f"journal-{part}.jsonl" if part else "journal.jsonl")


def journals_of(model: Path) -> list[Path]:
    """Return all journals in a model's folder."""
    return sorted(model.glob("journal*.jsonl"))


def journals_of_experiment(experiment: Path) -> list[Path]:
    """Return the journals of all models of an experiment."""
    return sorted(experiment.glob("*/journal*.jsonl"))


def all_journals(outputs: Path) -> list[Path]:
    """Return the journals of all experiments and models."""
    return sorted(outputs.glob("*/*/journal*.jsonl"))


def answer_log(answers: Path, model: str, identity: str) -> Path:
    """Return the log of a chat model's answers. ``identity`` tells models of one name at several services apart."""
    name = _UNSAFE.sub("_", model)[:60]
    return answers / f"{name}-{sha256(identity.encode()).hexdigest()[:8]}.jsonl"


def sample_folder(job: Path, sample: int) -> Path:
    """Return the folder of a sample's scores; for sample 0 it is the job's folder itself."""
    return job if sample == 0 else job / f"sample_{sample}"


def score_file(folder: Path, evaluator: str, annotator: str | None = None) -> Path:
    """Return the path of a score file in the folder of its sample. Each annotator has one."""
    if annotator is None:
        return folder / f"{_score_stem(evaluator)}.json"
    return folder / folder_name(evaluator) / f"{person_name(annotator)}.json"


def annotation_folder(evaluations: Path, experiment: str) -> Path:
    """Return the folder of plans, logs and resume codes of an experiment's annotation."""
    return experiment_folder(evaluations, experiment) / "annotation"


def annotation_plan(evaluations: Path, experiment: str, queue: str) -> Path:
    return annotation_folder(evaluations, experiment) / f"plan_{queue}.json"


def annotation_codes(evaluations: Path, experiment: str) -> Path:
    """Return the file with the digests of the annotators' resume codes."""
    return annotation_folder(evaluations, experiment) / _RESUME_CODES


def is_private(path: Path) -> bool:
    """Return whether a file stays on this machine: the digests of resume codes, which could be tried out elsewhere."""
    return path.name == _RESUME_CODES


def annotation_gold(evaluations: Path, experiment: str) -> Path:
    """Return the folder of the videos with known verdicts."""
    return annotation_folder(evaluations, experiment) / "gold"


def annotation_log(evaluations: Path, experiment: str, annotator: str) -> Path:
    """Return the log of everything that one annotator did."""
    return annotation_folder(evaluations, experiment) / f"{person_name(annotator)}.jsonl"


def trace_file(score: Path) -> Path:
    """Return the path of the trace beside a score file: what was read from each frame."""
    return score.with_name(f"{score.stem}{_TRACE}")


def evidence_file(score: Path) -> Path:
    """Return the path of the evidence strip beside a score file: the frames that its findings are about."""
    return score.with_name(f"{score.stem}.evidence.jpg")


def is_score_file(name: str) -> bool:
    """Return whether a name in a folder of scores is that of a score file."""
    return name.endswith(".json") and not name.endswith(_TRACE) and not name.startswith(".")


def _score_stem(name: str) -> str:
    stem = folder_name(name)
    if not is_score_file(f"{stem}.json"):
        raise UsageError(f"the name {name!r} would make a score file look like a trace; choose another")
    return stem


def subfolders(folder: Path) -> Iterator[Path]:
    """Yield the visible folders in a folder, if it exists, in natural order: ``maze_2`` before ``maze_10``."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if not entry.name.startswith(".") and entry.is_dir()]
    except (FileNotFoundError, NotADirectoryError):
        return iter(())
    names.sort()
    names.sort(key=_compact_natural_key)
    return (folder / name for name in names)  # one path at a time: a dataset may have 100,000 folders


def _compact_natural_key(name: str) -> str:
    """Return a key for the same order that takes a third of the memory: each number after its own length."""
    return _DIGITS.sub(lambda match: f"\0{len(digits := match[0].lstrip('0')):03d}{digits}", name)


def natural_key(name: str) -> list[tuple[int, str]]:
    """Return a key to sort by, in which numbers count as numbers."""
    parts = re.split(r"([0-9]+)", name)
    return [(int(part), part) if part.isdigit() else (-1, part) for part in parts]
