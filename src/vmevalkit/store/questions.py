"""Question folders: generated ones, and users' own of the same shape."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import StoreError, UnknownName
from vmevalkit.core.jsonable import digest
from vmevalkit.core.records import Question
from vmevalkit.store import layout, old_keys
from vmevalkit.store.atomic import file_digest, os_errors
from vmevalkit.store.foreign_file import open_foreign_file, read_foreign_file, refuse_link_out
from vmevalkit.store.old_keys import rename_old_keys
from vmevalkit.store.records import read_record

_MOST_PROMPT_BYTES = 1 << 20


def load_question(folder: Path | str) -> Question:
    """Return the question in a folder.

    A folder made by hand needs only first_frame.png and prompt.txt. Its name is then the question's id, and its parent
    folder, ``NAME_task``, names the domain."""
    place = Path(folder)
    for name in (layout.QUESTION_RECORD, layout.FIRST_FRAME, layout.FINAL_FRAME, layout.GOAL):
        refuse_link_out(place / name, place)
    metadata = rename_old_keys(read_record(place / layout.QUESTION_RECORD) or {}, old_keys.QUESTION)
    if not (place / layout.FIRST_FRAME).is_file():
        raise StoreError(
            f"{place} is not a question: it has no {layout.FIRST_FRAME}; add the file, or remove the folder"
        )
    return Question(
        id=str(metadata.get("id") or layout.name_of(place.name)),
        domain=str(metadata.get("domain") or layout.domain_of(place.absolute().parent.name)),
        prompt=_read_prompt(place, metadata),
        folder=place,
        metadata=metadata,
    )


def load_questions(root: Path | str, domains: Iterable[str] | None = None) -> list[Question]:
    """Return every question below ``root``, sorted by domain and id; only those of ``domains`` where they are given."""
    return list(iter_questions(root, domains))


def iter_questions(root: Path | str, domains: Iterable[str] | None = None) -> Iterator[Question]:
    """Yield the same one by one: a dataset may have more questions than fit in memory.

    A domain without questions raises UnknownName after the last question."""
    place = Path(root)
    if not place.is_dir():
        raise StoreError(f"there is no folder {place}; generate questions first: vmevalkit generate --out {place}")
    wanted = None if domains is None else set(domains)
    present: set[str] = set()
    renamed: dict[tuple[str, str], Path] = {}
    for folder in question_folders(place):
        question = load_question(folder)
        present.add(question.domain)
        if wanted is None or question.domain in wanted:
            _refuse_duplicate_id(question, place, renamed)
            yield question
    for domain in sorted((wanted or set()) - present):
        raise UnknownName(f"domain in {place}", domain, present)


def question_folders(root: Path) -> Iterator[Path]:
    """Yield the folders of the questions below ``root``: those inside ``NAME_task`` folders."""
    for domain in layout.subfolders(root):
        if domain.name.endswith("_task"):
            yield from layout.subfolders(domain)


def list_question_files(question: Question) -> list[Path]:
    """Return the files of a question that a model or a scorer may read: all but the video of the solution."""
    with os_errors(question.folder):
        paths = [path for path in question.folder.iterdir() if path.is_file() and not path.name.startswith(".")]
        links = [path.name for path in paths if path.is_symlink()]
    for name in links:  # what a link leads to would be copied into every run
        open_foreign_file(question.folder, name).close()
    return sorted(path for path in paths if path.name != layout.SOLUTION)


def question_digest(question: Question) -> str:
    """Return the digest of a question: of its puzzle where it has one, else of its prompt and its files.

    A puzzle with pictures of its own is another question with other pictures."""
    if "puzzle" in question.metadata and "pictures" in question.metadata:
        record = {name: question.metadata[name] for name in ("puzzle", "pictures")}
        return digest({**record, layout.FIRST_FRAME: file_digest(question.folder / layout.FIRST_FRAME)})
    if "puzzle" in question.metadata:
        return digest(question.metadata["puzzle"])
    names = (layout.FIRST_FRAME, layout.FINAL_FRAME, layout.GOAL)
    files = {name: file_digest(question.folder / name) for name in names if (question.folder / name).is_file()}
    return digest({"prompt": question.prompt, **files})


def _read_prompt(place: Path, metadata: dict[str, Any]) -> str:
    path = place / layout.PROMPT
    if not os.path.lexists(path):
        if isinstance(metadata.get("prompt"), str):
            return str(metadata["prompt"])
        raise StoreError(f"{place} is not a question: it has no {layout.PROMPT}; add the file, or remove the folder")
    try:
        text = read_foreign_file(place, layout.PROMPT, _MOST_PROMPT_BYTES).decode()
    except UnicodeDecodeError as error:
        raise StoreError(f"cannot read {path}: {error}") from error
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def _refuse_duplicate_id(question: Question, root: Path, renamed: dict[tuple[str, str], Path]) -> None:
    """Raise StoreError where another question has the same id.

    Only folders that are not named after their questions are remembered, in ``renamed``: the others are unique."""
    expected = layout.question_folder(root, question.domain, question.id)
    other: Path | None = None
    if question.folder != expected:
        other = renamed.setdefault((question.domain, question.id), question.folder)
        other = expected if other == question.folder and (expected / layout.FIRST_FRAME).is_file() else other
    if other is not None and other != question.folder:
        raise StoreError(f"two questions have the id {question.id!r}: {other} and {question.folder}; rename one")
