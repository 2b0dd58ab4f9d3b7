# ruff: noqa: E402 - the SDKs are checked before the emulators that need their types
"""The requests of each adapter: what is sent, what is omitted, what is refused; and the job lists of providers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

pytest.importorskip("openai")
pytest.importorskip("google.genai")
pytest.importorskip("runwayml")
pytest.importorskip("lumaai")
pytest.importorskip("luma_agents")
httpx = pytest.importorskip("httpx")

from emulators.adapter_harness import (
    LIMIT,
    AdapterHarness,
    first_frame,
    for_each_provider,
    for_models,
    run_until_finished,
)
from emulators.runway_server import RunwayEmulator
from emulators.server import VIDEO, closed_port
from vmevalkit.core.errors import Blocked, ModelError, Unreachable, UsageError
from vmevalkit.core.records import Request
from vmevalkit.media.fitting import fit
from vmevalkit.media.image import encode_png
from vmevalkit.models.model import RemoteVideoModel


def with_long_prompt(request: Request) -> Request:
    return replace(request, prompt="\N{GRINNING FACE}" * 501)


@for_each_provider
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda request: replace(request, seconds=7.5), "7.5 s"),
        (lambda request: replace(request, size=(641, 361)), "641x361"),
        (lambda request: replace(request, seconds=0.0), "longer than 0 s"),
    ],
)
def test_an_unsupported_request_is_never_sent(
    harness: AdapterHarness, change: Callable[[Request], Request], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        harness.submit(change(harness.request))
    assert harness.provider.calls == []


@for_models("runway-gen4-turbo")
def test_the_length_of_the_prompt_is_counted_in_utf_16(harness: AdapterHarness) -> None:
    with pytest.raises(UsageError, match=r"1002 characters and runway-gen4-turbo accepts 1000"):
        harness.submit(with_long_prompt(harness.request))
    harness.submit(replace(harness.request, prompt="\N{GRINNING FACE}" * 500))
    assert harness.provider.creates == 1


@for_models("runway-gen4-turbo", "openai-sora-2")
def test_an_image_that_is_too_large_is_never_sent(harness: AdapterHarness) -> None:
    with pytest.raises(UsageError, match="draw it smaller"):
        harness.submit(image_limit_bytes=1000)
    assert harness.provider.calls == []


@for_models("openai-sora-2", "gemini-omni-1.2-flash", "luma-ray-3.2")
def test_an_empty_prompt_is_refused_where_one_is_required(harness: AdapterHarness) -> None:
    with pytest.raises(UsageError, match="does not accept an empty prompt"):
        harness.submit(replace(harness.request, prompt=""))
    assert harness.provider.calls == []


@for_models("veo-3.1-generate", "runway-gen4-turbo", "luma-ray-2", "wavespeed-wan-2.2-i2v-720p")
def test_an_empty_prompt_is_omitted_elsewhere(harness: AdapterHarness) -> None:
    harness.submit(replace(harness.request, prompt=""))
    (order,) = harness.provider.orders.values()
    assert not order.asked.get("prompt") and not order.asked.get("promptText")


@for_each_provider
def test_a_seed_is_sent_where_supported_and_minus_one_never(harness: AdapterHarness) -> None:
    harness.submit(replace(harness.request, seed=-1))
    harness.submit(replace(harness.request, seed=7))
    any_seed, seven = harness.provider.orders.values()
    assert "seed" not in any_seed.asked
    assert seven.asked.get("seed") == (7 if "seed" in harness.spec.supported_params else None)
    if "seed" in harness.spec.supported_params:
        with pytest.raises(UsageError, match="seed -2"):
            harness.submit(replace(harness.request, seed=-2))


@for_each_provider
def test_unsupported_params_are_omitted(harness: AdapterHarness) -> None:
    params = {"temperature": 0.7, "enhance_prompt": True, "negative_prompt": "text", "nonsense": 3}
    harness.submit(replace(harness.request, parameters=params))
    assert harness.provider.creates == 1


@for_models("veo-3.1-generate")
def test_veo_enhances_prompts_and_is_silent(harness: AdapterHarness) -> None:
    harness.submit(replace(harness.request, parameters={"enhance_prompt": True}))
    (order,) = harness.provider.orders.values()
    assert (order.asked["enhancePrompt"], order.asked["generateAudio"]) == (True, False)


@for_models("runway-h3-max")
def test_enhance_prompt_turns_prompt_expansion_on_and_off(harness: AdapterHarness) -> None:
    for wished, sent in ((True, "balanced"), (False, "disabled")):
        ticket = harness.submit(replace(harness.request, parameters={"enhance_prompt": wished}))
        assert harness.provider.orders[ticket.id].asked["promptExpansionMode"] == sent


@for_models(
    "runway-kling-4", "runway-grok-imagine-1-5", "runway-kling2.5-turbo-pro", "runway-hailuo3", "runway-gen4-turbo"
)
def test_a_size_is_sent_as_the_models_own_parameters(harness: AdapterHarness) -> None:
    harness.submit(replace(harness.request, size=harness.spec.sizes[0]))
    (order,) = harness.provider.orders.values()
    assert {name: order.asked[name] for name in ("ratio", "resolution") if name in order.asked} == {
        "runway-kling-4": {"ratio": "auto_720p"},
        "runway-grok-imagine-1-5": {"resolution": "480p"},
        "runway-kling2.5-turbo-pro": {},
        "runway-hailuo3": {"ratio": "16:9", "resolution": "768p"},
        "runway-gen4-turbo": {"ratio": "1280:720"},
    }[harness.spec.name]


@for_models("veo-3.1-720p")
def test_veo_through_wavespeed_is_silent(harness: AdapterHarness) -> None:
    harness.submit()
    (order,) = harness.provider.orders.values()
    assert (order.asked["generate_audio"], order.asked["resolution"], order.asked["aspect_ratio"]) == (
        False,
        "720p",
        "16:9",
    )


@for_models("gemini-omni-1.2-flash")
def test_temperature_is_sent_where_supported(harness: AdapterHarness) -> None:
    harness.spec = replace(harness.spec, supported_params=frozenset({"temperature", "seed"}))
    harness.submit(replace(harness.request, parameters={"temperature": 0.7}, seed=3))
    (order,) = harness.provider.orders.values()
    assert (order.asked["temperature"], order.asked["seed"]) == (0.7, 3)


@for_models("gemini-omni-1.2-flash")
def test_the_key_is_sent_only_to_the_apis_own_host(harness: AdapterHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(model: RemoteVideoModel) -> None:
        await model.fetch(await run_until_finished(model, harness.request), harness.video, LIMIT)

    harness.run(scenario, delivery="uri")
    assert harness.video.read_bytes() == VIDEO
    with RunwayEmulator() as stranger:
        order = stranger.add_order("video", {}, first_frame(), harness.provider.calls[-1])
        monkeypatch.setattr(harness.provider, "video_url", lambda _: stranger.video_url(order))
        harness.run(scenario, delivery="uri")
        assert stranger.calls and stranger.leaked_keys == []


@for_models("openai-sora-2")
def test_the_idempotency_key_is_sent(harness: AdapterHarness) -> None:
    harness.submit()
    assert harness.provider.last_create.headers["idempotency-key"] == "job-1"


@for_models("openai-sora-2")
def test_an_account_without_credit_is_not_throttled(harness: AdapterHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    broke = harness.provider.error(429, "You exceeded your current quota.", code="insufficient_quota")
    monkeypatch.setattr(harness.provider, "respond", lambda _: broke)
    with pytest.raises(Blocked, match="no credit left"):
        harness.submit()


@for_models("openai-sora-2", "luma-ray-2", "wavespeed-wan-2.2-i2v-720p", "replicate-hailuo-2.3")
def test_recent_jobs_are_listed(harness: AdapterHarness) -> None:
    earlier = harness.submit()
    later = [harness.submit().id for _ in range(3)]
    harness.provider.orders[earlier.id].created -= 3600
    since = datetime.now(UTC) - timedelta(minutes=5)
    listed = harness.run(lambda model: model.list_jobs(since))
    assert listed is not None
    assert [job.id for job in listed] == later[::-1]
    assert all(job.created_at >= since for job in listed)
    if harness.spec.provider != "wavespeed":  # its list has no prompts
        assert {job.prompt for job in listed} == {harness.request.prompt}


@for_models("openai-sora-2", "luma-ray-2", "wavespeed-wan-2.2-i2v-720p", "replicate-hailuo-2.3")
def test_the_list_omits_other_models(harness: AdapterHarness) -> None:
    for _ in range(2):
        harness.submit()
    stranger, ours = harness.provider.orders.values()
    stranger.asked["model"] = {"openai": "sora-2-pro", "luma": "ray-flash-2"}.get(harness.spec.provider, "other/model")
    if harness.spec.provider == "openai":
        ours.asked["model"] = "sora-2-2025-10-06"
    listed = harness.run(lambda model: model.list_jobs(datetime.now(UTC) - timedelta(minutes=5)))
    assert [job.id for job in listed or ()] == [ours.id]


@for_models("openai-sora-2", "luma-ray-2", "wavespeed-wan-2.2-i2v-720p", "replicate-hailuo-2.3")
def test_long_lists_are_read_to_the_end(harness: AdapterHarness) -> None:
    ticket = harness.submit()
    order = harness.provider.orders[ticket.id]
    for _ in range(204):
        harness.provider.add_order(ticket.id[:-6], order.asked, order.image, harness.provider.last_create)
    listed = harness.run(lambda model: model.list_jobs(datetime.now(UTC) - timedelta(minutes=5)))
    assert listed is not None
    assert len({job.id for job in listed}) == len(listed) == 205


@for_models("veo-3.1-generate", "gemini-omni-1.2-flash", "runway-gen4-turbo", "luma-ray-3.2", "fal-pixverse-5.6")
def test_a_provider_without_a_list_returns_none(harness: AdapterHarness) -> None:
    assert harness.run(lambda model: model.list_jobs(datetime.now(UTC))) is None


@for_models("fal-pixverse-5.6", "fal-wan-2.5", "fal-wan-2.7", "fal-ltx-2.3", "wavespeed-wan-2.6-i2v-flash")
def test_the_resolution_is_one_of_the_models_own_for_every_shape(harness: AdapterHarness) -> None:
    shapes = ((400, 400), (225, 400), (400, 225), (400, 300))
    for width, height in shapes:
        harness.request.first_frame.write_bytes(encode_png(fit(first_frame(), (width, height), "stretch")[0]))
        harness.submit()
        tier = harness.spec.choose_tier()
        assert harness.provider.last_create.json["resolution"] == f"{tier}p", (width, height)
    assert harness.provider.creates == len(shapes)


@for_models("luma-ray-2")
def test_a_failed_upload_submits_nothing(harness: AdapterHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another-secret-1234")
    with pytest.raises(ModelError, match="signature"):
        harness.submit()
    with closed_port() as nowhere:
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", nowhere)
        with pytest.raises(Unreachable):
            harness.submit()
    assert harness.provider.calls == []


@for_models("runway-gen4-turbo", "wavespeed-wan-2.2-i2v-720p")
def test_auto_pad_can_be_turned_off(harness: AdapterHarness) -> None:
    request = replace(harness.request, parameters={"auto_pad": False})
    if harness.spec.provider == "runway":
        with pytest.raises(UsageError, match="480x360 and runway-gen4-turbo accepts only 1104x832"):
            harness.submit(request)
        exact = fit(first_frame(), (1104, 832), "stretch")[0]
        request.first_frame.write_bytes(encode_png(exact))
    ticket = harness.submit(request)
    assert ticket.placement is None
