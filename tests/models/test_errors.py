"""The mapping of the providers' errors: which of them allow the request to be sent again."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from vmevalkit.core.errors import (
    Blocked,
    ModelError,
    Refused,
    StoreError,
    Throttled,
    Uncertain,
    Unreachable,
    UsageError,
)
from vmevalkit.core.records import Request
from vmevalkit.models._download import save_stream
from vmevalkit.models._errors import (
    POLL,
    SUBMIT,
    ErrorMapper,
    ErrorResponse,
    describe_connection_error,
    parse_retry_after,
)
from vmevalkit.models._request_params import map_params, strip_url_queries
from vmevalkit.models.model import ModelSpec

SPEC = ModelSpec("clay-1", "clay", "clay.v1", "clay", supported_params=frozenset({"mood"}))
MAPPER = ErrorMapper(SPEC, "CLAY_API_KEY")


class ConnectError(Exception):
    """Named like the exception of HTTP libraries."""


class APIConnectionError(Exception):
    """Named like the exception of SDKs."""


@pytest.mark.parametrize(
    ("status", "message", "submit_error", "poll_error"),
    [
        (400, "no such size", ModelError, ModelError),
        (400, "blocked by our content policy", Refused, Refused),
        (403, "blocked by moderation", Refused, Refused),
        (401, "who are you", Blocked, Blocked),
        (401, "our moderation does not know you", Blocked, Blocked),
        (402, "please pay", Blocked, Blocked),
        (403, "not yours", Blocked, Blocked),
        (404, "no such job", ModelError, ModelError),
        (408, "too slow", Uncertain, Unreachable),
        (409, "in conflict", Uncertain, Unreachable),
        (429, "too many", Throttled, Throttled),
        (500, "our safety net broke", Uncertain, Unreachable),
        (502, "bad gateway", Uncertain, Unreachable),
        (503, "overloaded", Uncertain, Unreachable),
        (504, "no time", Uncertain, Unreachable),
    ],
)
def test_each_status_is_mapped_to_its_error(
    status: int, message: str, submit_error: type[ModelError], poll_error: type[ModelError]
) -> None:
    response = ErrorResponse.parse(status, {}, {"error": {"message": message}})
    assert type(MAPPER.map_response(response, SUBMIT, is_submit=True)) is submit_error
    assert type(MAPPER.map_response(response, POLL)) is poll_error
    assert message in str(MAPPER.map_response(response, SUBMIT, is_submit=True))


def test_a_request_that_was_never_sent_differs_from_one_whose_response_was_lost() -> None:
    def fail(cause: Exception) -> None:
        try:
            raise cause
        except Exception as error:
            raise APIConnectionError("Connection error.") from error

    for cause, raised in ((ConnectError("refused"), Unreachable), (TimeoutError("silence"), Uncertain)):
        with pytest.raises(ModelError) as caught, MAPPER.map_errors(SUBMIT, is_submit=True):
            fail(cause)
        assert type(caught.value) is raised
        assert caught.value.__cause__ is None and caught.value.__suppress_context__


@pytest.mark.parametrize("name", ["UnsupportedProtocol", "InvalidURL", "LocalProtocolError"])
def test_a_request_that_cannot_be_sent_is_a_plain_failure(name: str) -> None:
    def fail() -> None:
        try:
            raise type(name, (Exception,), {})("Illegal header value b'Bearer x '")
        except Exception as error:
            raise APIConnectionError("Connection error.") from error

    with pytest.raises(ModelError, match="nothing was sent") as caught, MAPPER.map_errors(SUBMIT, is_submit=True):
        fail()
    assert type(caught.value) is ModelError
    with pytest.raises(ModelError) as caught, MAPPER.map_errors(SUBMIT, is_submit=True):
        "schlüssel".encode("ascii")
    assert type(caught.value) is ModelError


def test_errors_of_this_package_are_not_mapped() -> None:
    with pytest.raises(UsageError), MAPPER.map_errors(SUBMIT, is_submit=True):
        raise UsageError("wrong")
    with pytest.raises(MemoryError), MAPPER.map_errors(SUBMIT, is_submit=True):
        raise MemoryError


def test_retry_after_is_parsed_in_every_format() -> None:
    assert parse_retry_after({"retry-after": "7"}) == 7
    assert parse_retry_after({"retry-after-ms": "1500", "retry-after": "9"}) == 1.5
    assert parse_retry_after({"retry-after": "-3"}) == 0
    assert parse_retry_after({}) is None
    assert parse_retry_after({"retry-after": "soon"}) is None
    assert parse_retry_after({"retry-after": "nan"}) is None
    assert parse_retry_after({"retry-after": "inf"}) == float("inf")
    later = parse_retry_after({"retry-after": format_datetime(datetime.now(UTC) + timedelta(hours=1))})
    assert later is not None and 3000 < later <= 3600
    assert parse_retry_after({"retry-after": format_datetime(datetime.now(UTC) - timedelta(hours=1))}) == 0


@pytest.mark.parametrize(
    ("body", "message", "code"),
    [
        ({"error": {"message": "No.", "code": "never", "type": "t"}}, "No.", "never"),
        ({"message": "No.", "type": "t"}, "No.", "t"),
        ({"error": {"code": 400, "message": "No.", "status": "INVALID"}}, "No.", "INVALID"),
        ({"error": "No."}, "No.", ""),
        ({"error": "No.", "issues": [{"path": ["ratio"]}]}, 'No. [{"path": ["ratio"]}]', ""),
        ({"detail": "No."}, "No.", ""),
        ({"detail": [{"msg": "No."}]}, '[{"msg": "No."}]', ""),
        ({"code": 400, "message": "No."}, "No.", ""),
        ([{"error": {"message": "No."}}], "No.", ""),
        ('{"message": "No."}', "No.", ""),
        ("No.", "No.", ""),
        ({}, "no reason given", ""),
        (None, "no reason given", ""),
    ],
)
def test_messages_are_found_in_every_providers_body(body: object, message: str, code: str) -> None:
    response = ErrorResponse.parse(400, None, body)
    assert (response.message, response.code) == (message, code)


def test_messages_contain_no_keys_and_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAY_API_KEY", "canary-0123456789")
    response = ErrorResponse(401, "the key canary-0123456789 is wrong" + " indeed" * 1000)
    message = str(MAPPER.map_response(response, SUBMIT))
    assert "canary-0123456789" not in message
    assert "CLAY_API_KEY" in message
    assert len(message) < 1000


def test_signatures_are_removed_from_urls_at_any_depth() -> None:
    answer = {"output": ["https://a.b/c.mp4?sig=1"], "deep": {"url": "http://a.b/?x"}, "note": "why?", "n": 3}
    assert strip_url_queries(answer) == {
        "output": ["https://a.b/c.mp4"],
        "deep": {"url": "http://a.b/"},
        "note": "why?",
        "n": 3,
    }


def test_supported_params_are_renamed_for_the_provider() -> None:
    request = Request("q", "Go.", Path("f.png"), 8.0, parameters={"mood": "calm", "tempo": 3})
    assert map_params(SPEC, request, {"mood": "Mood", "tempo": "Tempo", "light": "Light"}) == {"Mood": "calm"}


def test_adapters_import_their_sdks_at_first_use() -> None:
    names = ("openai", "veo", "gemini", "runway", "luma", "wavespeed")
    code = f"""
import sys
for name in {names}:
    __import__(f"vmevalkit.models.{{name}}_inference")
sdks = ["openai", "google.genai", "runwayml", "lumaai", "luma_agents", "httpx", "httpx2", "requests"]
print([name for name in sdks if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_video_that_cannot_be_written_names_its_path(tmp_path: Path) -> None:
    async def video() -> AsyncIterator[bytes]:
        yield b"video"

    with pytest.raises(StoreError, match="free some space"):
        asyncio.run(save_stream(video(), tmp_path / "missing" / "video.mp4", 100, "clay-1"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_reported() -> None:
    async def video() -> AsyncIterator[bytes]:
        yield b"video" * 100_000

    full = Path("/dev/full")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "unlink", lambda *_, **__: None)  # the device must stay
        with pytest.raises(StoreError, match="No space left"):
            asyncio.run(save_stream(video(), full, 10**9, "clay-1"))


def test_a_dropped_connection_says_so() -> None:
    """A library may raise another exception while it handles the one that matters."""
    import httpx

    try:
        try:
            try:
                raise RuntimeError("no running event loop")
            except RuntimeError:
                raise httpx.RemoteProtocolError("Server disconnected without sending a response.")  # noqa: B904
        except httpx.RemoteProtocolError as error:
            raise RuntimeError("Connection error.") from error
    except RuntimeError as error:
        text = describe_connection_error(error)
    assert text == ("the connection was dropped; RemoteProtocolError: Server disconnected without sending a response.")
