"""Question folders: those that were generated, and users' own of the same shape."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import StoreError, UnknownName
from vmevalkit.core.jsonable import digest
from vmevalkit.core.records import Question
from vmevalkit.store import layout
from vmevalkit.store.commit import file_digest
from vmevalkit.store.records import read_record


def load_question(folder: Path | str) -> Question:
    """The question in a folder. By hand it needs no more than first_frame.png and prompt.txt; its name is then its id,
    and the folder around it, ``NAME_task``, names the domain."""
    place = Path(folder)
    metadata = read_record(place / layout.QUESTION_RECORD) or {}
    if not (place / layout.FIRST_FRAME).is_file():
        raise StoreError(
            f"{place} is not a question: it has no {layout.FIRST_FRAME}; put it there, or remove the folder"
        )
    return Question(
        id=str(metadata.get("id") or layout.name_of(place.name)),
        domain=str(metadata.get("domain") or layout.domain_of(place.absolute().parent.name)),
        prompt=_prompt(place, metadata),
        folder=place,
        metadata=metadata,
    )


def load_questions(root: Path | str, domains: Iterable[str] | None = None) -> list[Question]:
    """Every question below ``root``, by domain, then id; only ``domains`` where they are given."""
    place = Path(root)
    if not place.is_dir():
        raise StoreError(f"there is no folder {place}; make questions first: vmevalkit generate --out {place}")
    wanted = None if domains is None else set(domains)
    found = [load_question(folder) for folder in question_folders(place)]
    if wanted is not None:
        present = {question.domain for question in found}
        for domain in sorted(wanted - present):
            raise UnknownName(f"domain in {place}", domain, present)
        found = [question for question in found if question.domain in wanted]
    _refuse_twins(found)
    return found


def question_folders(root: Path) -> list[Path]:
    """Where the questions below ``root`` lie: in ``NAME_task`` folders."""
    domains = [folder for folder in layout.subfolders(root) if folder.name.endswith("_task")]
    return [folder for domain in domains for folder in layout.subfolders(domain)]


def question_digest(question: Question) -> str:
    """A name for what is asked: of the puzzle where there is one, else of the files that pose it."""
    if "puzzle" in question.metadata:
        return digest(question.metadata["puzzle"])
    names = (layout.FIRST_FRAME, layout.FINAL_FRAME, layout.GOAL)
    files = {name: file_digest(question.folder / name) for name in names if (question.folder / name).is_file()}
    return digest({"prompt": question.prompt, **files})


def _prompt(place: Path, metadata: dict[str, Any]) -> str:
    path = place / layout.PROMPT
    try:
        return path.read_text("utf-8").strip()
    except FileNotFoundError:
        if isinstance(metadata.get("prompt"), str):
            return str(metadata["prompt"])
        raise StoreError(
            f"{place} is not a question: it has no {layout.PROMPT}; put it there, or remove the folder"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"cannot read {path}: {error}") from error


def _refuse_twins(questions: list[Question]) -> None:
    places: dict[tuple[str, str], Path] = {}
    for question in questions:
        other = places.setdefault((question.domain, question.id), question.folder)
        if other != question.folder:
            raise StoreError(f"two questions have the id {question.id!r}: {other} and {question.folder}; rename one")
