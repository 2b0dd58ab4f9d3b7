"""Every error that VMEvalKit raises on purpose.

VMEvalKitError
├── UsageError              the call is wrong: an unknown name, an impossible number
│   └── UnknownName         the name does not exist; the message suggests the nearest one
├── SetupError              something must be installed or configured first
├── TaskError               a puzzle cannot be generated
│   ├── Uncertified         it is not legal, is solved at the start, or has unlisted answers
│   └── Exhausted           fewer distinct questions exist than were requested
├── MediaError              an image or a video cannot be read or written
│   └── NotAVideo           the file contains no decodable image
├── StoreError              a folder or a record cannot be read or written
│   ├── InvalidRecord       a record contradicts itself: reported, left out and never counted
│   ├── Unwritable          the operating system refuses to write: a full disk, missing permissions
│   └── ConflictError       the folder contains something else, or another process writes to it; it was not changed
└── ModelError              a model did not deliver a video
    ├── Refused             the provider's content policy refuses: never repeated automatically
    ├── Blocked             the provider accepts no order of this account: a wrong key, no credit, a long pause
    ├── Throttled           too many requests: nothing was ordered, repeat later
    ├── Unreachable         the provider did not get the call, or the call is free of charge: repeat
    └── Uncertain           the answer to an order was lost: a video may be in progress, and may be charged

A message contains the value, the place and the remedy: it is often all that a user sees.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

MOST_NAMES = 12
"""Names that a message lists; the rest is counted."""
LISTING_COMMANDS = {"model": "vmevalkit models", "task": "vmevalkit tasks"}
"""For each kind of name, the command that lists all of them."""


class VMEvalKitError(Exception):
    """The base of all errors that VMEvalKit raises on purpose."""


class UsageError(VMEvalKitError):
    """The call is wrong: an unknown name, an impossible number."""


class UnknownName(UsageError):
    """No task, model, scorer, difficulty or trick has this name. The message suggests the nearest one."""

    def __init__(self, kind: str, name: str, known: Iterable[str], where: str = "") -> None:
        names = sorted(known)
        near = _find_names_with(name, names) or get_close_matches(name, names, n=1, cutoff=0.5)
        command = "" if where else LISTING_COMMANDS.get(kind, "")
        hint = f"did you mean {near[0]!r}?" if near else "known: " + _list_names(names, command)
        super().__init__(f"no {kind} {name!r}{where and ' '}{where}; {hint}")
        self.kind, self.name, self.known, self.where = kind, name, names, where

    def __reduce__(self) -> tuple[type[UnknownName], tuple[str, str, list[str], str]]:
        return (type(self), (self.kind, self.name, self.known, self.where))


def _find_names_with(name: str, names: list[str]) -> list[str]:
    """Return the names of which the name is a whole part, the shortest first: ``openai-sora-2`` for ``sora``."""
    parts = [part for part in re.split(r"[^a-z0-9]+", name.lower()) if part]
    found = [each for each in names if set(parts) <= set(re.split(r"[^a-z0-9]+", each.lower()))] if parts else []
    return sorted(found, key=lambda each: (len(each), each))


def _list_names(names: list[str], command: str) -> str:
    """Return the names, separated by commas. A long list ends with the number of the others."""
    if len(names) <= MOST_NAMES:
        return ", ".join(names)
    others = f"{len(names) - MOST_NAMES} more" + (f": {command}" if command else "")
    return f"{', '.join(names[:MOST_NAMES])}, ... ({others})"


class SetupError(VMEvalKitError):
    """A package, a key or a file is missing. The message says how to provide it."""


class TaskError(VMEvalKitError):
    """A puzzle cannot be generated."""


class Uncertified(TaskError):
    """The puzzle is not legal, is solved at the start, or has unlisted answers."""


class Exhausted(TaskError):
    """Fewer distinct questions exist than were requested."""


class MediaError(VMEvalKitError):
    """An image or a video cannot be read or written."""


class NotAVideo(MediaError):
    """The file contains no decodable image."""


class StoreError(VMEvalKitError):
    """A folder or a record cannot be read or written."""


class InvalidRecord(StoreError):
    """A record contradicts itself, or is of no known kind. It is reported and left out, and never counted."""


class Unwritable(StoreError):
    """The operating system refuses to write: a full disk, missing permissions. Further files would fail too."""


class ConflictError(StoreError):
    """The folder contains something else, or another process writes to it. It was not changed."""


class ModelError(VMEvalKitError):
    """A model did not deliver a video."""


class Refused(ModelError):
    """The provider's content policy refuses the prompt, the image or the video. Never repeated automatically."""


class Blocked(ModelError):
    """The provider accepts no order of this account now: the key is wrong, there is no credit left, or it asks for a
    long pause. Nothing was ordered, and further orders would fail too."""


class Throttled(ModelError):
    """The provider got too many requests and ordered nothing. Repeat, after ``retry_after_s`` where that is known."""

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class Unreachable(ModelError):
    """The provider did not get the call, or did not answer a call that is free of charge. Repeat."""


class Uncertain(ModelError):
    """An order was sent and its answer was lost. A video may be in progress, and may be charged."""
