"""The code blocks of the project's documents: which there are, and what has to be done with each."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[2]
NOT_RUN = "*Not run here:*"
"""Starts the visible line before a block that cannot be run in a test; the reason follows."""
LANGUAGES = {"bash", "python", "text", "toml", "yaml", "json", "csv"}

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
_FILE_NAME = re.compile(r"`([\w./-]+\.(?:py|toml|yaml|csv|json))`:?$")
_INDENTED_COMMAND = re.compile(r"^ {4}(?:vmevalkit|pip|python3?|make|export|git|from|import) .*$", re.M)


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """One fenced block of a document."""

    language: str
    text: str
    line: int
    """Line of its first fence, counted from 1."""
    file_name: str | None
    """The file in which a reader saves the block; None where it is run as it is."""
    reason: str | None
    """Why it is not run; None where it is run."""
    expected_output: str | None = None
    """The text block that follows directly: lines that the commands print."""


def find_documents() -> list[Path]:
    """Return every Markdown file of the project that readers see."""
    patterns = ("*.md", "docs/**/*.md", "src/**/*.md")
    return sorted(path for pattern in patterns for path in ROOT.glob(pattern))


def parse_blocks(text: str) -> list[CodeBlock]:
    """Return the fenced blocks of a document in order."""
    matches = list(_FENCE.finditer(text))
    blocks = []
    for match, following in pairwise([*matches, None]):
        assert match is not None
        before = text[: match.start()].rstrip("\n").rpartition("\n")[2]
        name = _FILE_NAME.search(before)
        reason = before.removeprefix(NOT_RUN).strip() if before.startswith(NOT_RUN) else None
        output = None
        if following is not None and following[1] == "text" and not text[match.end() : following.start()].strip():
            output = following[2]
        line = text.count("\n", 0, match.start()) + 1
        blocks.append(CodeBlock(match[1], match[2], line, name[1] if name else None, reason, output))
    return blocks


def find_indented_commands(text: str) -> list[str]:
    """Return the lines outside of fences that look like commands or code in an indented block."""
    return [line.strip() for line in _INDENTED_COMMAND.findall(_FENCE.sub("", text))]


def split_commands(text: str) -> Iterator[list[str]]:
    """Yield the words of each command of a bash block: continued lines joined, comments and empty lines left out."""
    for line in text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words:
            yield words


def make_targets() -> set[str]:
    """Return the targets of the Makefile."""
    return set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text("utf-8"), re.M))


def optional_dependencies() -> set[str]:
    """Return the extras that pyproject.toml declares."""
    return set(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"])


def check_pip_command(words: list[str]) -> None:
    """Assert that ``pip install`` installs this checkout with extras that exist. There is no release yet."""
    assert words[:2] == ["pip", "install"], f"{shlex.join(words)}: only pip install is known"
    [wanted] = [word for word in words[2:] if not word.startswith("-")]
    parsed = re.fullmatch(r"\.(?:\[([\w,]+)\])?", wanted)
    assert parsed, f"{shlex.join(words)}: install from the checkout, as in pip install '.[models]'"
    unknown = set(filter(None, (parsed[1] or "").split(","))) - optional_dependencies()
    assert not unknown, f"{shlex.join(words)}: pyproject.toml has no extra {', '.join(unknown)}"
