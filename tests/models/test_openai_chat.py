"""The chat adapter against a strict server."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("openai")

from emulators.chat_server import ChatEmulator
from emulators.server import CANARY, closed_port
from vmevalkit.core.chat import AnswerSchema, ChatAnswer, ChatMessage, ChatParams, ChatRequest, TextPart
from vmevalkit.core.errors import MediaError, ModelError, SetupError, Throttled, Unreachable, UsageError
from vmevalkit.models.chat import CHAT_MODELS, count_tiles, find_chat_spec, guess_vendor, is_own_server, load_chat_model
from vmevalkit.models.chat_images import load_image_part, make_image_part
from vmevalkit.models.openai_chat import find_json_object

FRAME = np.full((24, 32, 3), 200, np.uint8)
SCHEMA = AnswerSchema(
    "verdict",
    {
        "type": "object",
        "properties": {"score": {"type": "integer", "enum": [1, 2, 3, 4, 5]}},
        "required": ["score"],
        "additionalProperties": False,
    },
)
REQUEST = ChatRequest(
    (
        ChatMessage("system", (TextPart("You judge."),)),
        ChatMessage("user", (TextPart("Look:"), make_image_part(FRAME))),
    ),
    ChatParams(temperature=0.1, max_tokens=1000, schema=SCHEMA),
)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatEmulator]:
    with ChatEmulator(lambda _body: '{"score": 4}') as emulator:
        for name, value in emulator.settings().items():
            monkeypatch.setenv(name, value)
        yield emulator
        assert emulator.bugs == []


def ask(
    name: str = "gpt-4o", base_url: str | None = None, request: ChatRequest = REQUEST, timeout_s: float = 60.0
) -> ChatAnswer:
    async def call() -> ChatAnswer:
        model = load_chat_model(name, base_url, timeout_s=timeout_s)
        try:
            return await model.ask(request)
        finally:
            await model.close()

    return asyncio.run(call())


def test_a_request_and_its_answer(server: ChatEmulator) -> None:
    answer = ask()
    assert (answer.text, answer.parsed, answer.model) == ('{"score": 4}', {"score": 4}, "gpt-4o-2024-11-20")
    assert (answer.input_tokens, answer.output_tokens, answer.finish_reason) == (1300, 40, "stop")
    assert answer.refusal is None
    assert answer.answered_at
    assert answer.sent == {"temperature": 0.1, "max_tokens": 1000, "structured": True}
    body = server.bodies[0]
    assert body["messages"][0] == {"role": "system", "content": "You judge."}
    text, image = body["messages"][1]["content"]
    assert text == {"type": "text", "text": "Look:"}
    png = base64.b64decode(image["image_url"]["url"].removeprefix("data:image/png;base64,"))
    assert load_image_part(png).pixel_digest == make_image_part(FRAME).pixel_digest
    assert (body["temperature"], body["max_tokens"]) == (0.1, 1000)
    assert body["response_format"]["json_schema"]["strict"] is True


def test_a_server_of_ones_own_gets_no_key_of_openai_and_costs_nothing(
    server: ChatEmulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL")
    server.key, server.models = "none", None
    answer = ask("OpenGVLab/InternVL3-8B", f"{server.url}/v1")
    assert (answer.model, answer.usd) == ("OpenGVLab/InternVL3-8B-2024-11-20", 0.0)
    assert server.last_create.headers["authorization"] == "Bearer none"
    assert CANARY not in str(server.last_create.headers)
    monkeypatch.setenv("CHAT_API_KEY", "key-of-this-server")
    server.key = "key-of-this-server"
    assert ask("qwen", f"{server.url}/v1").parsed == {"score": 4}


def test_azure(server: ChatEmulator) -> None:
    answer = ask("azure/gpt-4o")
    assert server.last_create.path == "/openai/deployments/gpt-4o/chat/completions"
    assert answer.usd == pytest.approx((1300 * 2.5 + 40 * 10) / 1e6)


def test_parameters_that_a_server_does_not_support_are_left_out(server: ChatEmulator) -> None:
    server.has_json_schema = False
    answer = ask()
    assert answer.parsed == {"score": 4}
    assert answer.sent["structured"] is False
    assert len(server.calls) == 2


def test_reasoning_models_get_their_own_limit_and_no_temperature(server: ChatEmulator) -> None:
    ask("gpt-5")
    assert server.bodies[0]["max_completion_tokens"] == 1000
    assert "temperature" not in server.bodies[0]
    server.models = None
    ask("o3-next")  # not a known row: the server's answer teaches it
    assert server.bodies[1]["max_completion_tokens"] == 1000


@pytest.mark.parametrize("fault", ["refuse", "filter", "moderate"])
def test_a_refusal_is_an_answer(server: ChatEmulator, fault: str) -> None:
    server.faults.create = [fault]
    answer = ask()
    assert answer.refusal
    assert answer.parsed is None


@pytest.mark.parametrize(
    ("fault", "error", "wait"),
    [("throttle", Throttled, 7.0), ("throttle_bare", Throttled, None), ("fail", Unreachable, None),
     ("stall", Unreachable, None), ("drop", Unreachable, None), ("garbage", Unreachable, None),
     ("no_choices", Unreachable, None)],
)  # fmt: skip
def test_faults_that_may_be_repeated(
    server: ChatEmulator, fault: str, error: type[ModelError], wait: float | None
) -> None:
    server.faults.create = [fault]
    with pytest.raises(error) as caught:
        ask(timeout_s=1.0 if fault == "stall" else 60.0)
    assert getattr(caught.value, "retry_after_s", None) == wait


def test_a_wrong_key_and_an_unknown_model_are_final(server: ChatEmulator, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelError, match=r"404.*does not exist"):
        ask("gpt-9")
    monkeypatch.setenv("OPENAI_API_KEY", "a-wrong-key-of-somebody")
    with pytest.raises(ModelError, match="check the key in OPENAI_API_KEY") as caught:
        ask()
    assert "a-wrong-key-of-somebody" not in str(caught.value)
    assert type(caught.value) is not Unreachable


def test_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    with closed_port() as url, pytest.raises(Unreachable):
        ask("gpt-4o", f"{url}/v1")


def test_missing_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SetupError, match="OPENAI_API_KEY"):
        ask()
    with pytest.raises(SetupError, match="AZURE_OPENAI_ENDPOINT"):
        ask("azure/x")
    with pytest.raises(UsageError, match="address of a server"):
        ask("x", "localhost:8000")


def test_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    spec = CHAT_MODELS["gpt-4o"]
    tokens = spec.estimate_tokens(REQUEST)
    assert tokens == (pytest.approx(5 + 85 + 170, abs=3), 1000)
    assert spec.estimate_usd(REQUEST) == pytest.approx((tokens[0] * 2.5 + 1000 * 10) / 1e6)
    assert find_chat_spec("gpt-4o") == spec
    assert find_chat_spec("gpt-4o", "https://proxy.example.com/v1").price == spec.price
    assert find_chat_spec("unknown", "https://proxy.example.com/v1").estimate_usd(REQUEST) is None
    assert find_chat_spec("unknown", "http://127.0.0.1:8000/v1").estimate_usd(REQUEST) == 0.0
    assert [count_tiles(size) for size in ((400, 400), (832, 480), (1280, 720), (4000, 4000))] == [1, 2, 6, 4]


@pytest.mark.parametrize(
    ("name", "vendor"), [("gpt-4o", "OpenAI"), ("OpenGVLab/InternVL3-8B", "OpenGVLab"), ("mystery", "")]
)
def test_vendor_of_a_model(name: str, vendor: str) -> None:
    assert guess_vendor(name) == vendor
    assert [is_own_server(host) for host in ("localhost", "10.0.0.3", "gpu-node", "api.openai.com")] == [
        True, True, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"score": 4}', {"score": 4}),
        ('Sure!\n```json\n{"score": 4}\n```\n', {"score": 4}),
        ('<think>{"score": 1}?</think> {"score": 2}', {"score": 2}),
        ('I first thought {"score": 1}, but {"score": 5, "why": {"a": "}"}}', {"score": 5, "why": {"a": "}"}}),
        ("no braces", None), ('{"score": 4', None), ("[1, 2]", None), ("{not json} at all", None),
    ],
)  # fmt: skip
def test_json_is_found_in_any_answer(text: str, found: dict[str, Any] | None) -> None:
    assert find_json_object(text) == found


def test_keys_depend_on_pixels_prompt_parameters_model_and_vote() -> None:
    from dataclasses import replace

    other_pixels = FRAME.copy()
    other_pixels[3, 3] = 0
    variants = [
        REQUEST,
        replace(REQUEST, vote=1),
        replace(REQUEST, params=replace(REQUEST.params, temperature=0.2)),
        replace(REQUEST, messages=(REQUEST.messages[1],)),
        replace(REQUEST, messages=(ChatMessage("user", (TextPart("Look:"), make_image_part(other_pixels))),)),
    ]
    keys = {request.compute_key("gpt-4o@openai") for request in variants} | {REQUEST.compute_key("gpt-5@openai")}
    assert len(keys) == len(variants) + 1
    assert REQUEST.compute_key("m") == replace(REQUEST).compute_key("m")


def test_what_is_not_an_image_is_refused() -> None:
    with pytest.raises(MediaError, match="cannot be decoded"):
        load_image_part(b"no image")


def test_a_model_is_told_apart_by_the_address_of_its_server(monkeypatch: pytest.MonkeyPatch) -> None:
    def identify(url: str | None) -> str:
        return find_chat_spec("gpt-4o", url).identity

    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert identify(None) == "gpt-4o@openai"
    addresses = ["http://gpu3:8000/v1", "http://gpu3:8001/v1", "https://gpu3:8000/v1", "http://gpu3:8000/v2"]
    assert len({identify(url) for url in addresses}) == 4
    assert identify(addresses[0]) == identify("http://GPU3:8000/v1/") and "gpu3" not in identify(addresses[0])
    moved, older = "http://gpu9:1/v1", "http://gpu1:5/v1"
    monkeypatch.setenv("VMEVALKIT_MOVED_SERVERS", f"{moved}={addresses[0]}, {addresses[0]}={older}")
    assert identify(moved) == identify(addresses[0]) == identify(older) != identify(addresses[1])
    monkeypatch.setenv("VMEVALKIT_MOVED_SERVERS", "gpu9")
    with pytest.raises(SetupError, match="NEW=OLD"):
        identify(moved)
