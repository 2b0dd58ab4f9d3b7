"""Every error that VMEvalKit raises on purpose.

VMEvalKitError
├── UsageError              the call is wrong: an unknown name, an impossible number
│   └── UnknownName         ... with the nearest known one
├── SetupError              something must be installed or configured first
├── TaskError
│   ├── Uncertified         a puzzle is not legal, or not uniquely solvable
│   └── Exhausted           more questions were asked for than exist
├── MediaError              a picture or a film cannot be read or written
│   └── NotAVideo           the file holds no decodable picture
├── StoreError              a folder cannot be read or written
│   ├── Unwritable          the disk takes nothing more here: the next file would fare no better
│   └── Occupied            the folder holds something else, and was left alone
└── ModelError              a model did not deliver
    ├── Refused             its provider's content policy says no: never asked again
    ├── Throttled           too many requests: nothing was made, ask again later
    ├── Unreachable         the provider could not be asked: nothing was made, ask again
    └── Uncertain           the answer to an order was lost: a film may be in the making

A message carries the value, the place and the remedy: it is often all that a user sees.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class VMEvalKitError(Exception):
    """The root: catch it to catch everything that VMEvalKit raises on purpose."""


class UsageError(VMEvalKitError):
    """The call cannot be carried out as it stands."""


class UnknownName(UsageError):
    """No such task, model, scorer, difficulty or trick."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        near = get_close_matches(name, names, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else "known: " + ", ".join(names)
        super().__init__(f"no {kind} {name!r}; {hint}")
        self.kind, self.name, self.known = kind, name, names

    def __reduce__(self) -> tuple[type[UnknownName], tuple[str, str, list[str]]]:
        return (type(self), (self.kind, self.name, self.known))


class SetupError(VMEvalKitError):
    """A package, key or file must be provided first; the message says how."""


class TaskError(VMEvalKitError):
    """A puzzle cannot be made."""


class Uncertified(TaskError):
    """The puzzle is not legal, is solved at the start, or has unlisted answers."""


class Exhausted(TaskError):
    """There are fewer distinct questions than were asked for."""


class MediaError(VMEvalKitError):
    """A picture or a film cannot be read or written."""


class NotAVideo(MediaError):
    """The file holds no decodable picture."""


class StoreError(VMEvalKitError):
    """A folder or record cannot be read or written."""


class Unwritable(StoreError):
    """Nothing can be written here: a full disk, a folder that is not ours."""


class Occupied(StoreError):
    """The folder holds something else; it was left as it is."""


class ModelError(VMEvalKitError):
    """A model did not deliver a film."""


class Refused(ModelError):
    """The provider's content policy refuses the prompt, the picture or the film. It is never asked again."""


class Throttled(ModelError):
    """The provider has had too many requests. Nothing was made: ask again, after ``retry_after_s`` where it is said."""

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class Unreachable(ModelError):
    """The provider could not be asked, or could not answer a question that costs nothing: ask again."""


class Uncertain(ModelError):
    """An order was sent and its answer lost. A film may be in the making, and may be paid for."""
