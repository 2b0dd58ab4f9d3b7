# ruff: noqa: E402 - the SDKs are looked for before the emulators that need their types
"""What each adapter makes of a request: what is sent, what is left out, what is refused; and what providers list."""

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

from emulators.runway_server import RunwayEmulator
from emulators.server import FILM, closed_port
from emulators.studio import (
    LIMIT,
    Studio,
    each,
    finished,
    first_frame,
    only,
)
from vmevalkit.core.errors import ModelError, Unreachable, UsageError
from vmevalkit.core.records import Request
from vmevalkit.media.fitting import fit
from vmevalkit.media.picture import encode_png
from vmevalkit.models.model import RemoteModel


def with_long_prompt(request: Request) -> Request:
    return replace(request, prompt="\N{GRINNING FACE}" * 501)


@each
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda request: replace(request, seconds=7.5), "7.5 s"),
        (lambda request: replace(request, size=(641, 361)), "641x361"),
        (lambda request: replace(request, seconds=0.0), "longer than 0 s"),
    ],
)
def test_what_the_row_does_not_allow_is_never_sent(
    studio: Studio, change: Callable[[Request], Request], told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        studio.submitted(change(studio.request))
    assert studio.provider.calls == []


@only("runway-gen4-turbo")
def test_the_prompt_s_length_is_counted_in_utf_16(studio: Studio) -> None:
    with pytest.raises(UsageError, match=r"1002 characters long and runway-gen4-turbo takes 1000"):
        studio.submitted(with_long_prompt(studio.request))
    studio.submitted(replace(studio.request, prompt="\N{GRINNING FACE}" * 500))
    assert studio.provider.creates == 1


@only("runway-gen4-turbo", "openai-sora-2")
def test_a_picture_that_is_too_large_is_never_sent(studio: Studio) -> None:
    with pytest.raises(UsageError, match="draw it smaller"):
        studio.submitted(picture_limit_bytes=1000)
    assert studio.provider.calls == []


@only("openai-sora-2", "gemini-omni-1.2-flash", "luma-ray-3.2")
def test_an_empty_prompt_is_refused_where_the_provider_takes_none(studio: Studio) -> None:
    with pytest.raises(UsageError, match="takes no empty prompt"):
        studio.submitted(replace(studio.request, prompt=""))
    assert studio.provider.calls == []


@only("veo-3.1-generate", "runway-gen4-turbo", "luma-ray-2", "wavespeed-wan-2.2-i2v-720p")
def test_an_empty_prompt_is_left_out_elsewhere(studio: Studio) -> None:
    studio.submitted(replace(studio.request, prompt=""))
    (order,) = studio.provider.orders.values()
    assert not order.asked.get("prompt") and not order.asked.get("promptText")


@each
def test_a_seed_is_sent_where_there_is_a_place_for_it_and_minus_one_never(studio: Studio) -> None:
    studio.submitted(replace(studio.request, seed=-1))
    studio.submitted(replace(studio.request, seed=7))
    any_seed, seven = studio.provider.orders.values()
    assert "seed" not in any_seed.asked
    assert seven.asked.get("seed") == (7 if "seed" in studio.spec.takes else None)
    if "seed" in studio.spec.takes:
        with pytest.raises(UsageError, match="seed -2"):
            studio.submitted(replace(studio.request, seed=-2))


@each
def test_wishes_that_a_provider_has_no_place_for_are_left_out(studio: Studio) -> None:
    wishes = {"temperature": 0.7, "enhance_prompt": True, "negative_prompt": "text", "nonsense": 3}
    studio.submitted(replace(studio.request, parameters=wishes))
    assert studio.provider.creates == 1


@only("veo-3.1-generate")
def test_veo_enhances_prompts_and_is_silent(studio: Studio) -> None:
    studio.submitted(replace(studio.request, parameters={"enhance_prompt": True}))
    (order,) = studio.provider.orders.values()
    assert (order.asked["enhancePrompt"], order.asked["generateAudio"]) == (True, False)


@only("runway-h3-max")
def test_a_prompt_is_rewritten_or_not_as_wished(studio: Studio) -> None:
    for wished, sent in ((True, "balanced"), (False, "disabled")):
        ticket = studio.submitted(replace(studio.request, parameters={"enhance_prompt": wished}))
        assert studio.provider.orders[ticket.id].asked["promptExpansionMode"] == sent


@only("runway-kling-4", "runway-grok-imagine-1-5", "runway-kling2.5-turbo-pro", "runway-hailuo3", "runway-gen4-turbo")
def test_a_size_is_asked_for_in_the_words_of_the_model(studio: Studio) -> None:
    studio.submitted(replace(studio.request, size=studio.spec.sizes[0]))
    (order,) = studio.provider.orders.values()
    assert {name: order.asked[name] for name in ("ratio", "resolution") if name in order.asked} == {
        "runway-kling-4": {"ratio": "auto_720p"},
        "runway-grok-imagine-1-5": {"resolution": "480p"},
        "runway-kling2.5-turbo-pro": {},
        "runway-hailuo3": {"ratio": "16:9", "resolution": "768p"},
        "runway-gen4-turbo": {"ratio": "1280:720"},
    }[studio.spec.name]


@only("veo-3.1-720p")
def test_veo_through_wavespeed_is_silent(studio: Studio) -> None:
    studio.submitted()
    (order,) = studio.provider.orders.values()
    assert (order.asked["generate_audio"], order.asked["resolution"], order.asked["aspect_ratio"]) == (
        False,
        "720p",
        "16:9",
    )


@only("gemini-omni-1.2-flash")
def test_temperature_goes_where_there_is_a_place_for_it(studio: Studio) -> None:
    studio.spec = replace(studio.spec, takes=frozenset({"temperature", "seed"}))
    studio.submitted(replace(studio.request, parameters={"temperature": 0.7}, seed=3))
    (order,) = studio.provider.orders.values()
    assert (order.asked["temperature"], order.asked["seed"]) == (0.7, 3)


@only("gemini-omni-1.2-flash")
def test_a_film_by_address_takes_the_key_to_its_own_host_alone(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(model: RemoteModel) -> None:
        await model.fetch(await finished(model, studio.request), studio.film, LIMIT)

    studio.tell(story, delivery="uri")
    assert studio.film.read_bytes() == FILM
    with RunwayEmulator() as stranger:
        order = stranger.take("film", {}, first_frame(), studio.provider.calls[-1])
        monkeypatch.setattr(studio.provider, "film_url", lambda _: stranger.film_url(order))
        studio.tell(story, delivery="uri")
        assert stranger.calls and stranger.strangers == []


@only("openai-sora-2")
def test_the_idempotency_key_is_sent(studio: Studio) -> None:
    studio.submitted()
    assert studio.provider.last_create.headers["idempotency-key"] == "job-1"


@only("openai-sora-2")
def test_an_account_without_money_is_not_throttled(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    broke = studio.provider.error(429, "You exceeded your current quota.", code="insufficient_quota")
    monkeypatch.setattr(studio.provider, "respond", lambda _: broke)
    with pytest.raises(ModelError, match="no credit left") as caught:
        studio.submitted()
    assert type(caught.value) is ModelError


@only("openai-sora-2", "luma-ray-2", "wavespeed-wan-2.2-i2v-720p")
def test_orders_since_a_moment_are_listed(studio: Studio) -> None:
    earlier = studio.submitted()
    later = [studio.submitted().id for _ in range(3)]
    studio.provider.orders[earlier.id].created -= 3600
    since = datetime.now(UTC) - timedelta(minutes=5)
    listed = studio.tell(lambda model: model.orders(since))
    assert listed is not None
    assert [job.id for job in listed] == later[::-1]
    assert all(job.created_at >= since for job in listed)
    if studio.spec.provider != "wavespeed":  # its list names no prompts
        assert {job.prompt for job in listed} == {studio.request.prompt}


@only("openai-sora-2", "luma-ray-2", "wavespeed-wan-2.2-i2v-720p")
def test_the_list_leaves_out_other_models(studio: Studio) -> None:
    for _ in range(2):
        studio.submitted()
    stranger, ours = studio.provider.orders.values()
    stranger.asked["model"] = {"openai": "sora-2-pro", "luma": "ray-flash-2"}.get(studio.spec.provider, "other/model")
    if studio.spec.provider == "openai":
        ours.asked["model"] = "sora-2-2025-10-06"
    listed = studio.tell(lambda model: model.orders(datetime.now(UTC) - timedelta(minutes=5)))
    assert [job.id for job in listed or ()] == [ours.id]


@only("openai-sora-2", "luma-ray-2", "wavespeed-wan-2.2-i2v-720p")
def test_long_lists_are_read_to_their_end(studio: Studio) -> None:
    ticket = studio.submitted()
    order = studio.provider.orders[ticket.id]
    for _ in range(204):
        studio.provider.take(ticket.id[:-6], order.asked, order.picture, studio.provider.last_create)
    listed = studio.tell(lambda model: model.orders(datetime.now(UTC) - timedelta(minutes=5)))
    assert listed is not None
    assert len({job.id for job in listed}) == len(listed) == 205


@only("veo-3.1-generate", "gemini-omni-1.2-flash", "runway-gen4-turbo", "luma-ray-3.2")
def test_a_provider_without_a_list_says_so(studio: Studio) -> None:
    assert studio.tell(lambda model: model.orders(datetime.now(UTC))) is None


@only("luma-ray-2")
def test_a_picture_that_cannot_be_hosted_orders_nothing(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another-secret-1234")
    with pytest.raises(ModelError, match="signature"):
        studio.submitted()
    with closed_port() as nowhere:
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", nowhere)
        with pytest.raises(Unreachable):
            studio.submitted()
    assert studio.provider.calls == []


@only("runway-gen4-turbo", "wavespeed-wan-2.2-i2v-720p")
def test_auto_pad_can_be_left_off(studio: Studio) -> None:
    request = replace(studio.request, parameters={"auto_pad": False})
    if studio.spec.provider == "runway":
        with pytest.raises(UsageError, match="400x300 and runway-gen4-turbo takes exactly 1104x832"):
            studio.submitted(request)
        exact = fit(first_frame(), (1104, 832), "stretch")[0]
        request.first_frame.write_bytes(encode_png(exact))
    ticket = studio.submitted(request)
    assert ticket.placement is None
