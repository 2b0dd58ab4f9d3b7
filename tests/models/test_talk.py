"""Our errors for theirs: which of them say that an order may be sent again."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from vmevalkit.core.errors import ModelError, Refused, StoreError, Throttled, Uncertain, Unreachable, UsageError
from vmevalkit.core.records import Request
from vmevalkit.models._download import save
from vmevalkit.models._talk import Said, Talk, retry_after
from vmevalkit.models._wishes import further, without_queries
from vmevalkit.models.model import ModelSpec

SPEC = ModelSpec("clay-1", "clay", "clay.v1", "clay", takes=frozenset({"mood"}))
TALK = Talk(SPEC, "CLAY_API_KEY")


class ConnectError(Exception):
    """As HTTP libraries call it."""


class APIConnectionError(Exception):
    """As SDKs call it."""


@pytest.mark.parametrize(
    ("status", "message", "ordering", "asking"),
    [
        (400, "no such size", ModelError, ModelError),
        (400, "blocked by our content policy", Refused, Refused),
        (403, "blocked by moderation", Refused, Refused),
        (401, "who are you", ModelError, ModelError),
        (402, "please pay", ModelError, ModelError),
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
def test_statuses(status: int, message: str, ordering: type[ModelError], asking: type[ModelError]) -> None:
    said = Said.of(status, {}, {"error": {"message": message}})
    assert type(TALK.answer(said, "the order", ordering=True)) is ordering
    assert type(TALK.answer(said, "a question")) is asking
    assert message in str(TALK.answer(said, "the order", ordering=True))


def test_an_order_that_never_left_is_told_from_one_that_was_lost() -> None:
    def lost(cause: Exception) -> None:
        try:
            raise cause
        except Exception as error:
            raise APIConnectionError("Connection error.") from error

    for cause, raised in ((ConnectError("refused"), Unreachable), (TimeoutError("silence"), Uncertain)):
        with pytest.raises(ModelError) as caught, TALK.about("the order", ordering=True):
            lost(cause)
        assert type(caught.value) is raised
        assert caught.value.__cause__ is None and caught.value.__suppress_context__


def test_a_mistake_of_ours_is_not_the_provider_s() -> None:
    with pytest.raises(UsageError), TALK.about("the order", ordering=True):
        raise UsageError("wrong")
    with pytest.raises(MemoryError), TALK.about("the order", ordering=True):
        raise MemoryError


def test_waiting_times_in_each_way_of_writing_them() -> None:
    assert retry_after({"retry-after": "7"}) == 7
    assert retry_after({"retry-after-ms": "1500", "retry-after": "9"}) == 1.5
    assert retry_after({"retry-after": "-3"}) == 0
    assert retry_after({}) is None
    assert retry_after({"retry-after": "soon"}) is None
    later = retry_after({"retry-after": format_datetime(datetime.now(UTC) + timedelta(hours=1))})
    assert later is not None and 3000 < later <= 3600
    assert retry_after({"retry-after": format_datetime(datetime.now(UTC) - timedelta(hours=1))}) == 0


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
def test_messages_are_found_in_every_provider_s_body(body: object, message: str, code: str) -> None:
    said = Said.of(400, None, body)
    assert (said.message, said.code) == (message, code)


def test_keys_and_pages_do_not_get_into_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAY_API_KEY", "canary-0123456789")
    told = str(TALK.answer(Said(401, "the key canary-0123456789 is wrong" + " indeed" * 1000), "the order"))
    assert "canary-0123456789" not in told
    assert "CLAY_API_KEY" in told
    assert len(told) < 1000


def test_signatures_are_cut_off_addresses_at_any_depth() -> None:
    answer = {"output": ["https://a.b/c.mp4?sig=1"], "deep": {"url": "http://a.b/?x"}, "note": "why?", "n": 3}
    assert without_queries(answer) == {
        "output": ["https://a.b/c.mp4"],
        "deep": {"url": "http://a.b/"},
        "note": "why?",
        "n": 3,
    }


def test_wishes_go_under_the_provider_s_names_where_the_row_takes_them() -> None:
    request = Request("q", "Go.", Path("f.png"), 8.0, parameters={"mood": "calm", "tempo": 3})
    assert further(SPEC, request, {"mood": "Mood", "tempo": "Tempo", "light": "Light"}) == {"Mood": "calm"}


def test_adapters_load_their_sdks_at_use() -> None:
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


def test_a_film_that_cannot_be_written_says_where(tmp_path: Path) -> None:
    async def film() -> AsyncIterator[bytes]:
        yield b"film"

    with pytest.raises(StoreError, match="make room"):
        asyncio.run(save(film(), tmp_path / "missing" / "film.mp4", 100, "clay-1"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_told() -> None:
    async def film() -> AsyncIterator[bytes]:
        yield b"film" * 100_000

    full = Path("/dev/full")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "unlink", lambda *_, **__: None)  # the device must stay
        with pytest.raises(StoreError, match="No space left"):
            asyncio.run(save(film(), full, 10**9, "clay-1"))
