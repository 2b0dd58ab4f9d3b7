"""Map the exceptions of the providers' SDKs to the errors of this package.

The mapping decides whether a request may be submitted again:

no connection, or 429                             no job was created: Unreachable, Throttled
401, 402, 403 without a word about policy         no job was created, nor will any other be: Blocked
any other 4xx                                     no job was created, a retry will not help: ModelError, Refused
5xx, a timeout, a lost or an unreadable response  a job may have been created: Uncertain
"""

from __future__ import annotations

import email.utils
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isnan
from typing import Protocol

from vmevalkit.core.errors import Blocked, ModelError, Refused, Throttled, Uncertain, Unreachable, VMEvalKitError
from vmevalkit.core.secrets import redact

SUBMIT = "the submit request"
POLL = "the status request"
LIST = "the job list request"
DOWNLOAD = "the download"
"""Actions, as error messages name them."""

MESSAGE_LENGTH = 600
OUT_OF_CREDIT_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "insufficient_credits"})
POLICY_WORDS = (
    "moderat", "content_policy", "content policy", "content_filter", "content management policy", "safety",
    "usage guidelines", "prohibited", "nsfw", "sensitive",
)  # fmt: skip
"""Words in an error message that mean a refusal by the provider's content policy."""

# The SDKs use several HTTP libraries. Their exceptions are recognised by name, so that none has to be imported here.
_HTTP_LIBRARIES = frozenset({"httpx", "httpx2", "httpcore", "httpcore2", "aiohttp", "requests", "anyio"})
_NEVER_SENT = frozenset(
    {
        "ConnectError", "ConnectTimeout", "PoolTimeout", "ClientConnectorError", "ConnectionRefusedError",
        "gaierror", "SSLCertVerificationError",
    }
)  # fmt: skip
"""Exceptions without a connection: nothing was sent."""
_DROPPED = frozenset(
    {
        "RemoteProtocolError", "ReadError", "WriteError", "ServerDisconnectedError", "ClientOSError",
        "ClientPayloadError", "ConnectionResetError", "BrokenPipeError", "ConnectionAbortedError",
    }
)  # fmt: skip
"""Exceptions of a connection that ended in the middle."""
_CANNOT_BE_SENT = frozenset({"UnsupportedProtocol", "InvalidURL", "UnicodeEncodeError", "LocalProtocolError"})
"""Exceptions while a request is built: nothing was sent, and a repetition would fail too. Bodies are complete before
they are sent, so that a LocalProtocolError is about the headers."""
_PARSE_ERRORS = (ValueError, AttributeError, TypeError, LookupError, RecursionError)
"""Exceptions of an SDK that cannot parse a response."""


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """An HTTP response of 400 or above."""

    status: int
    message: str
    code: str = ""
    retry_after_s: float | None = None

    @classmethod
    def parse(cls, status: int, headers: Mapping[str, str] | None, body: object) -> ErrorResponse:
        message, code = _parse_body(body)
        return cls(status, message or "no reason given", code, parse_retry_after(headers or {}))


class NamedModel(Protocol):
    """What error messages say of a model: a row of the catalogue, or a chat model."""

    @property
    def name(self) -> str: ...

    @property
    def provider(self) -> str: ...


@dataclass(frozen=True, slots=True)
class ErrorMapper:
    """Maps the errors of one provider, for one model, to the errors of this package. It removes secrets."""

    spec: NamedModel
    key_name: str
    """The setting that holds the API key. Messages about a rejected key name it."""

    @contextmanager
    def map_errors(self, action: str, *, is_submit: bool = False) -> Iterator[None]:
        """Map the exceptions raised inside. ``is_submit`` marks a request that may create a paid job."""
        try:
            yield
        except VMEvalKitError:
            raise
        except Exception as error:
            mapped = self._map_error(error, action, is_submit)
            if mapped is None:
                raise
            raise mapped from None  # the chain is cut because the message of an SDK may quote headers

    def _map_error(self, error: Exception, action: str, is_submit: bool) -> ModelError | None:
        response = extract_response(error)
        if response is not None:
            return self.map_response(response, action, is_submit=is_submit)
        if any(type(cause).__name__ in _CANNOT_BE_SENT for cause in _iter_causes(error)):
            reason = self.sanitize(f"{type(error).__name__}: {error}")
            return ModelError(f"{action} for {self.spec.name} cannot be sent ({reason}); nothing was sent")
        if _is_connection_error(error):
            return self.map_lost_response(error, action, is_submit=is_submit)
        if isinstance(error, _PARSE_ERRORS) or _has_base_named(error, "APIError"):
            return self.map_unreadable_response(action, is_submit=is_submit, cause=error)
        return None

    def map_response(self, response: ErrorResponse, action: str, *, is_submit: bool = False) -> ModelError:
        """Return the error for a response of 400 or above."""
        reason = self.sanitize(response.message)
        message = f"{self.spec.provider} answered {response.status} to {action} for {self.spec.name}: {reason}"
        is_refusal = is_policy_refusal(response.code, response.message)
        if response.status == 402 or response.code in OUT_OF_CREDIT_CODES:
            return Blocked(f"{message}; the account has no credit left")
        if response.status == 429:
            return Throttled(message, response.retry_after_s)
        if response.status == 401 or (response.status == 403 and not is_refusal):
            return Blocked(f"{message}; check the key in {self.key_name}")
        if response.status >= 500 or response.status in (408, 409):
            return self._make_retryable_error(message, is_submit)
        return Refused(message) if is_refusal else ModelError(message)

    def map_lost_response(self, error: Exception, action: str, *, is_submit: bool = False) -> ModelError:
        """Return the error for a response that did not arrive."""
        reason = self.sanitize(describe_connection_error(error))
        message = f"no response from {self.spec.provider} to {action} for {self.spec.name} ({reason})"
        return self._make_retryable_error(message, is_submit and not was_never_sent(error))

    def map_unreadable_response(
        self, action: str, *, is_submit: bool = False, cause: Exception | None = None
    ) -> ModelError:
        """Return the error for a response that is not what the provider documents."""
        reason = "" if cause is None else self.sanitize(f" ({type(cause).__name__}: {cause})")
        message = f"the response of {self.spec.provider} to {action} for {self.spec.name} cannot be read{reason}"
        return self._make_retryable_error(message, is_submit)

    def require_job_id(self, job_id: object) -> str:
        """Return the job id from the response to a submit request. Without one the job cannot be polled."""
        if not isinstance(job_id, str) or not job_id:
            raise self.map_unreadable_response(SUBMIT, is_submit=True)
        return job_id

    @staticmethod
    def sanitize(message: str) -> str:
        """Return the message without keys, shortened to MESSAGE_LENGTH."""
        message = redact(message)
        return message if len(message) <= MESSAGE_LENGTH else message[:MESSAGE_LENGTH] + "..."

    @staticmethod
    def _make_retryable_error(message: str, may_have_job: bool) -> ModelError:
        return Uncertain(f"{message}; a job may have been created") if may_have_job else Unreachable(message)


def extract_response(error: Exception) -> ErrorResponse | None:
    """Return the response that an SDK's exception carries; None where there was no response."""
    response = getattr(error, "response", None)
    statuses = (getattr(error, "status_code", None), getattr(error, "code", None))
    status = next((status for status in statuses if isinstance(status, int) and status >= 400), None)
    if status is None or response is None:
        return None
    body = getattr(error, "body", None) or getattr(error, "details", None)
    return ErrorResponse.parse(status, getattr(response, "headers", None), body)


def is_policy_refusal(code: str, message: str) -> bool:
    """Return whether the provider's content policy is the reason."""
    text = f"{code} {message}".lower()
    return any(word in text for word in POLICY_WORDS)


def was_never_sent(error: BaseException) -> bool:
    """Return whether nothing was sent, so that no job can have been created."""
    return any(type(cause).__name__ in _NEVER_SENT for cause in _iter_causes(error))


def describe_connection_error(error: BaseException) -> str:
    """Return why there is no response. SDKs say "Connection error." for all: the cause is inside."""
    causes = list(_iter_causes(error))
    texts = " ".join(str(cause) for cause in causes)
    names = {kind.__name__ for cause in causes for kind in type(cause).__mro__}
    # The deepest may be about something else: a library that looks for an event loop raises inside an error handler.
    root = next((cause for cause in reversed(causes) if _is_of_connection(cause)), error)
    detail = f"{type(root).__name__}: {root}" if str(root) else type(root).__name__
    if "gaierror" in names or "Name or service not known" in texts or "getaddrinfo" in texts:
        return f"the host name is unknown, check the address and the network; {detail}"
    if "SSLError" in names or "SSL:" in texts:
        return f"no trusted TLS connection, check the address and the certificates; {detail}"
    if "ConnectionRefusedError" in names or "Connection refused" in texts:
        return f"the connection was refused, check the address; {detail}"
    if names & _DROPPED:
        return f"the connection was dropped; {detail}"
    return detail


def parse_retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait by ``Retry-After-Ms`` or ``Retry-After`` (a number or a date)."""
    milliseconds, wait = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        if milliseconds is not None:
            return _keep_seconds(float(milliseconds) / 1000)
        return None if wait is None else _keep_seconds(float(wait))
    except ValueError:
        pass
    try:
        when = email.utils.parsedate_to_datetime(wait or "")
        return _keep_seconds((when - datetime.now(UTC)).total_seconds()) if when.tzinfo else None
    except (ValueError, TypeError, OverflowError):
        return None


def _keep_seconds(seconds: float) -> float | None:
    """Return a time to wait, which may be infinite; None where it is not a number."""
    return None if isnan(seconds) else max(0.0, seconds)


def _parse_body(body: object) -> tuple[str, str]:
    """Return the message and the code in an error body of any of the providers."""
    if isinstance(body, str):
        try:
            body = json.loads(body)
        except (ValueError, RecursionError):
            return str(body).strip(), ""
    if isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, Mapping):
        return "" if body is None else str(body), ""
    inner = body.get("error")
    if isinstance(inner, Mapping):
        return _parse_body(inner)
    detail = next((body[name] for name in ("message", "detail", "error", "failure") if body.get(name)), "")
    code = next((body[name] for name in ("code", "status", "type") if isinstance(body.get(name), str)), "")
    message = detail if isinstance(detail, str) else json.dumps(detail)
    issues = body.get("issues")
    return (f"{message} {json.dumps(issues)}" if issues else message), code


def _iter_causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _is_connection_error(error: Exception) -> bool:
    """Return whether the connection failed: an error of the SDK for that, or any of its HTTP library."""
    return any(
        isinstance(cause, TimeoutError | ConnectionError)
        or _has_base_named(cause, "APIConnectionError")
        or type(cause).__module__.split(".")[0] in _HTTP_LIBRARIES
        for cause in _iter_causes(error)
    )


def _is_of_connection(cause: BaseException) -> bool:
    """Return whether an exception itself says what happened to the connection."""
    return isinstance(cause, OSError) or type(cause).__module__.split(".")[0] in _HTTP_LIBRARIES


def _has_base_named(error: BaseException, name: str) -> bool:
    """Return whether a base class has this name. Each SDK has classes of its own under the same names."""
    return any(kind.__name__ == name for kind in type(error).__mro__)
