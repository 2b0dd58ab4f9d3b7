"""Our errors for those of the providers' SDKs.

Whether an order was surely not taken decides whether it may be sent again, so it is settled here, once:

a connection that was never made, or 429     nothing was ordered: Unreachable, Throttled
any other 4xx                                nothing was ordered, and asking again will not help: ModelError, Refused
5xx, a timeout, a lost or unreadable answer  a film may be in the making: Uncertain
"""

from __future__ import annotations

import email.utils
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from vmevalkit.core.errors import ModelError, Refused, Throttled, Uncertain, Unreachable, VMEvalKitError
from vmevalkit.core.secrets import redacted
from vmevalkit.models.model import ModelSpec

MESSAGE_LENGTH = 600
OUT_OF_MONEY = frozenset({"insufficient_quota", "billing_hard_limit_reached", "insufficient_credits"})
REFUSALS = (
    "moderat", "content_policy", "content policy", "safety", "usage guidelines", "prohibited", "nsfw", "sensitive",
)  # fmt: skip
"""Words by which providers say that their content policy is the reason."""

# The SDKs bring several HTTP libraries between them; all use these names, and none is imported here for their sake.
_HTTP_LIBRARIES = frozenset({"httpx", "httpx2", "httpcore", "httpcore2", "aiohttp", "requests", "anyio"})
_NEVER_SENT = frozenset(
    {"ConnectError", "ConnectTimeout", "PoolTimeout", "ClientConnectorError", "ConnectionRefusedError"}
)
_STUMBLES = (ValueError, AttributeError, TypeError, LookupError)
"""What comes out of an SDK that gets an answer which it did not expect."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a provider answered instead of what it was asked for."""

    status: int
    message: str
    code: str = ""
    retry_after_s: float | None = None

    @classmethod
    def of(cls, status: int, headers: Mapping[str, str] | None, body: object) -> Said:
        message, code = _words(body)
        return cls(status, message or "no reason given", code, retry_after(headers or {}))


@dataclass(frozen=True, slots=True)
class Talk:
    """Talk with one provider about one model: what goes wrong comes out as our errors, without secrets."""

    spec: ModelSpec
    key_name: str
    """The setting that holds the key, for the message that says it was not accepted."""

    @contextmanager
    def about(self, what: str, *, ordering: bool = False) -> Iterator[None]:
        """Turn what is raised inside into our errors; ``ordering`` where it may cost money."""
        try:
            yield
        except VMEvalKitError:
            raise
        except Exception as error:
            told = self._told(error, what, ordering)
            if told is None:
                raise
            raise told from None  # the chain is cut: what an SDK raises may quote headers

    def _told(self, error: Exception, what: str, ordering: bool) -> ModelError | None:
        said = heard(error)
        if said is not None:
            return self.answer(said, what, ordering=ordering)
        if _is_lost(error):
            return self.lost(error, what, ordering=ordering)
        if isinstance(error, _STUMBLES) or _is_a(error, "APIError"):
            return self.unreadable(what, ordering=ordering, why=error)
        return None

    def answer(self, said: Said, what: str, *, ordering: bool = False) -> ModelError:
        """The error for an answer of 400 or above."""
        told = self.clean(said.message)
        words = f"{self.spec.provider} answered {said.status} to {what} for {self.spec.name}: {told}"
        if said.status == 402 or said.code in OUT_OF_MONEY:
            return ModelError(f"{words}; the account has no credit left")
        if said.status == 429:
            return Throttled(words, said.retry_after_s)
        if said.status in (401, 403) and not refuses(said.code, said.message):
            return ModelError(f"{words}; check the key in {self.key_name}")
        if said.status >= 500 or said.status in (408, 409):
            return self._open(words, ordering)
        return Refused(words) if refuses(said.code, said.message) else ModelError(words)

    def lost(self, error: Exception, what: str, *, ordering: bool = False) -> ModelError:
        """The error for an answer that did not come."""
        why = self.clean(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)
        words = f"no answer from {self.spec.provider} to {what} for {self.spec.name} ({why})"
        return self._open(words, ordering and not never_sent(error))

    def unreadable(self, what: str, *, ordering: bool = False, why: Exception | None = None) -> ModelError:
        """The error for an answer that is not what the provider documents."""
        reason = "" if why is None else self.clean(f" ({type(why).__name__}: {why})")
        words = f"the answer of {self.spec.provider} to {what} for {self.spec.name} cannot be read{reason}"
        return self._open(words, ordering)

    def ordered(self, name: object) -> str:
        """The job's name out of the answer to an order; without one nobody can ask for the film."""
        if not isinstance(name, str) or not name:
            raise self.unreadable("the order", ordering=True)
        return name

    @staticmethod
    def clean(words: str) -> str:
        """The words without keys, and not a page long."""
        words = redacted(words)
        return words if len(words) <= MESSAGE_LENGTH else words[:MESSAGE_LENGTH] + "..."

    @staticmethod
    def _open(words: str, maybe_ordered: bool) -> ModelError:
        return Uncertain(f"{words}; the order may have been taken") if maybe_ordered else Unreachable(words)


def heard(error: Exception) -> Said | None:
    """The answer that an SDK's exception carries; None where there was none."""
    response = getattr(error, "response", None)
    statuses = (getattr(error, "status_code", None), getattr(error, "code", None))
    status = next((status for status in statuses if isinstance(status, int) and status >= 400), None)
    if status is None or response is None:
        return None
    body = getattr(error, "body", None) or getattr(error, "details", None)
    return Said.of(status, getattr(response, "headers", None), body)


def refuses(code: str, message: str) -> bool:
    """Whether the content policy is the reason."""
    words = f"{code} {message}".lower()
    return any(word in words for word in REFUSALS)


def never_sent(error: BaseException) -> bool:
    """Whether the connection was never made, so that surely nothing was ordered."""
    return any(type(cause).__name__ in _NEVER_SENT for cause in _chain(error))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, as the provider asks in ``Retry-After-Ms`` or ``Retry-After`` (a number or a date)."""
    milliseconds, wait = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        if milliseconds is not None:
            return max(0.0, float(milliseconds) / 1000)
        return None if wait is None else max(0.0, float(wait))
    except ValueError:
        pass
    try:
        when = email.utils.parsedate_to_datetime(wait or "")
    except ValueError:
        return None
    return max(0.0, (when - datetime.now(UTC)).total_seconds()) if when.tzinfo else None


def _words(body: object) -> tuple[str, str]:
    """Message and code out of the error bodies of all the providers."""
    if isinstance(body, str):
        try:
            body = json.loads(body)
        except ValueError:
            return str(body).strip(), ""
    if isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, Mapping):
        return "" if body is None else str(body), ""
    inner = body.get("error")
    if isinstance(inner, Mapping):
        return _words(inner)
    told = next((body[name] for name in ("message", "detail", "error", "failure") if body.get(name)), "")
    code = next((body[name] for name in ("code", "status", "type") if isinstance(body.get(name), str)), "")
    message = told if isinstance(told, str) else json.dumps(told)
    issues = body.get("issues")
    return (f"{message} {json.dumps(issues)}" if issues else message), code


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _is_lost(error: Exception) -> bool:
    """Whether the trouble is the line's: an SDK's connection error, or one of its HTTP library's."""
    for cause in _chain(error):
        if isinstance(cause, TimeoutError | ConnectionError):
            return True
        if _is_a(cause, "APIConnectionError"):
            return True
        if type(cause).__module__.split(".")[0] in _HTTP_LIBRARIES:
            return True
    return False


def _is_a(error: BaseException, name: str) -> bool:
    """Whether a class of this name is among the error's: each SDK has classes of its own under the same names."""
    return any(kind.__name__ == name for kind in type(error).__mro__)
