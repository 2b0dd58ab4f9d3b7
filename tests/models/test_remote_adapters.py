# ruff: noqa: E402 - the SDKs are checked before the emulators that need their types
"""Every adapter through its provider's own SDK against an emulator: videos, and every kind of failure."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace

import pytest

pytest.importorskip("openai")
pytest.importorskip("google.genai")
pytest.importorskip("runwayml")
pytest.importorskip("lumaai")
pytest.importorskip("luma_agents")
httpx = pytest.importorskip("httpx")

from emulators.adapter_harness import (
    LIMIT,
    ONE_OF_EACH,
    URL_MODELS,
    AdapterHarness,
    first_frame,
    for_each_provider,
    for_each_url_model,
    for_models,
    make_timeout_options,
    reload_ticket,
    run_until_finished,
)
from emulators.google_server import TOKEN
from emulators.luma_server import BucketEmulator
from emulators.server import CANARY, RETRY_AFTER_SECONDS, VIDEO, closed_port
from vmevalkit.core.errors import Blocked, ModelError, Refused, SetupError, Throttled, Uncertain, Unreachable
from vmevalkit.core.remote import Failed, Finished, Pending
from vmevalkit.media.fitting import fit, resample_lanczos
from vmevalkit.models.model import RemoteVideoModel


@for_each_provider
def test_a_video_is_submitted_polled_and_fetched(harness: AdapterHarness) -> None:
    async def scenario(model: RemoteVideoModel) -> Finished:
        done = await run_until_finished(model, harness.request)
        await model.fetch(done, harness.video, LIMIT)
        return done

    done = harness.run(scenario)
    assert harness.video.read_bytes() == VIDEO
    assert harness.provider.creates == 1
    assert harness.provider.leaked_keys == []
    (order,) = harness.provider.orders.values()
    placement = done.ticket.placement
    if harness.spec.options["fit"] == "unchanged":
        assert placement is None
        assert (order.image == first_frame()).all()
    else:
        assert placement is not None
        colour = harness.spec.options["colour"]
        assert (order.image == fit(first_frame(), placement.canvas, "letterbox", colour, resample_lanczos)[0]).all()


@for_each_provider
def test_records_contain_no_key_no_image_and_no_signature(harness: AdapterHarness) -> None:
    done = harness.finish_job()
    written = json.dumps([done.ticket.sent, done.answer])
    for secret in (CANARY, TOKEN, BucketEmulator.SECRET, "Signature=", "signature="):
        assert secret not in written
    assert len(written) < 4000
    assert harness.request.prompt in json.dumps(done.ticket.sent)


@for_each_provider
def test_a_ticket_can_be_used_by_another_process(harness: AdapterHarness) -> None:
    ticket = reload_ticket(harness.submit())

    async def later(model: RemoteVideoModel) -> None:
        assert isinstance(await model.poll(ticket), Pending)
        done = await model.poll(ticket)
        assert isinstance(done, Finished)
        await model.fetch(done, harness.video, LIMIT)

    harness.run(later)
    assert harness.video.read_bytes() == VIDEO
    assert harness.provider.creates == 1


@pytest.mark.slow
@for_each_provider
@pytest.mark.parametrize(
    ("fault", "raised", "taken"),
    [
        ("throttle", Throttled, 0),
        ("fail", Uncertain, 0),
        ("drop", Uncertain, 1),
        ("stall", Uncertain, 0),
        ("garbage", Uncertain, 1),
        ("moderate", Refused, 0),
    ],
)
def test_faults_of_a_submit_request(harness: AdapterHarness, fault: str, raised: type[ModelError], taken: int) -> None:
    harness.provider.faults.create = [fault]
    with pytest.raises(raised) as caught:
        harness.submit(**make_timeout_options(fault))
    assert type(caught.value) is raised
    sent = [call for call in harness.provider.calls if harness.provider.kind(call) == "create"]
    assert len(sent) == 1, "a submit request was repeated"
    assert harness.provider.creates == taken
    if isinstance(caught.value, Throttled):
        assert caught.value.retry_after_s == RETRY_AFTER_SECONDS


@pytest.mark.slow
@for_models(
    "openai-sora-2", "gemini-omni-1.2-flash", "runway-gen4-turbo", "wavespeed-wan-2.2-i2v-720p", "fal-pixverse-5.6"
)
@pytest.mark.parametrize("fault", ["redirect", "odd_type", "reset", "drip", "flood", "busy", "busy_odd"])
def test_odd_answers_to_a_submit_request(harness: AdapterHarness, fault: str) -> None:
    harness.provider.faults.create = [fault]
    try:
        ticket = harness.submit()
    except ModelError as error:
        if fault in ("busy", "busy_odd"):
            assert type(error) is Throttled and error.retry_after_s is None
        elif harness.provider.creates:
            assert type(error) is Uncertain  # it was ordered, and the answer cannot be read
    else:
        assert fault in ("odd_type", "drip")
        assert ticket.id in harness.provider.orders
    sent = [call for call in harness.provider.calls if harness.provider.kind(call) == "create"]
    assert len(sent) <= 2 and harness.provider.creates <= 1


@pytest.mark.nightly
@for_each_provider
@pytest.mark.parametrize("fault", ["redirect", "odd_type", "reset", "drip", "flood", "busy", "busy_odd"])
def test_odd_answers_to_a_poll_can_be_repeated(harness: AdapterHarness, fault: str) -> None:
    ticket = harness.submit()
    harness.provider.faults.poll = [fault]
    with suppress(ModelError):
        harness.run(lambda model: model.poll(ticket))
    assert isinstance(harness.run(lambda model: model.poll(ticket)), Pending | Finished)


@for_each_provider
def test_a_request_that_was_never_sent_is_unreachable(harness: AdapterHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    assert harness.spec.endpoint is not None
    with closed_port() as nowhere:
        monkeypatch.setenv(harness.spec.endpoint, nowhere)
        with pytest.raises(Unreachable):
            harness.submit()
    assert harness.provider.creates == 0


@for_each_provider
@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("http://127.0.0.1:{closed}", "the connection was refused"),
        ("http://nowhere.invalid", "the host name is unknown"),
        ("https://127.0.0.1:{open}", "no trusted TLS connection"),
    ],
)
def test_a_connection_that_fails_says_why(
    harness: AdapterHarness, address: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert harness.spec.endpoint is not None
    with closed_port() as nowhere:
        ports = {"closed": nowhere.split(":")[-1], "open": harness.provider.url.split(":")[-1]}
        monkeypatch.setenv(harness.spec.endpoint, address.format(**ports))
        with pytest.raises(Unreachable, match=reason) as caught:
            harness.submit()
    assert not isinstance(caught.value, Uncertain)
    assert harness.provider.creates == 0


@pytest.mark.slow
@for_each_provider
@pytest.mark.parametrize("fault", ["throttle", "fail", "drop", "stall", "garbage"])
def test_a_failed_poll_can_be_repeated(harness: AdapterHarness, fault: str) -> None:
    ticket = harness.submit()
    harness.provider.faults.poll = [fault]
    with pytest.raises(Throttled if fault == "throttle" else Unreachable) as caught:
        harness.run(lambda model: model.poll(ticket), **make_timeout_options(fault))
    assert not isinstance(caught.value, Uncertain)
    assert isinstance(harness.run(lambda model: model.poll(ticket)), Pending | Finished)


@for_each_provider
@pytest.mark.parametrize(("fault", "refused"), [("moderate", True), ("break", False)])
def test_a_failed_job_says_whether_policy_was_the_reason(harness: AdapterHarness, fault: str, refused: bool) -> None:
    ticket = harness.submit()
    harness.provider.faults.poll = [None, fault]

    async def scenario(model: RemoteVideoModel) -> Pending | Finished | Failed:
        await model.poll(ticket)
        return await model.poll(ticket)

    failed = harness.run(scenario)
    assert isinstance(failed, Failed)
    assert failed.refused is refused
    assert failed.reason


@for_each_provider
def test_an_unknown_job_is_a_final_error(harness: AdapterHarness) -> None:
    ticket = harness.submit()
    # MiniMax takes the number of an unknown task for an invalid parameter.
    with pytest.raises(ModelError, match=r"There is no job|404") as caught:
        harness.run(lambda model: model.poll(replace(ticket, id=ticket.id + "9")))
    assert type(caught.value) is ModelError


@for_each_provider
def test_a_video_above_the_limit_is_not_saved(harness: AdapterHarness) -> None:
    done = harness.finish_job()
    with pytest.raises(ModelError, match="larger than 100 bytes"):
        harness.run(lambda model: model.fetch(done, harness.video, 100))
    assert not harness.video.exists()


@pytest.mark.slow
@for_models("openai-sora-2", *URL_MODELS)
@pytest.mark.parametrize(
    ("fault", "raised"),
    [
        ("throttle", Throttled),
        ("fail", Unreachable),
        ("drop", Unreachable),
        ("truncated", Unreachable),
        ("stall", Unreachable),
    ],
)
def test_faults_of_a_download(harness: AdapterHarness, fault: str, raised: type[ModelError]) -> None:
    done = harness.finish_job()
    harness.provider.faults.fetch = [fault]
    with pytest.raises(raised):
        harness.run(lambda model: model.fetch(done, harness.video, LIMIT), **make_timeout_options(fault))
    assert not harness.video.exists()
    harness.run(lambda model: model.fetch(done, harness.video, LIMIT))
    assert harness.video.read_bytes() == VIDEO


@for_each_url_model
def test_an_expired_url_is_replaced(harness: AdapterHarness) -> None:
    done = harness.finish_job()
    harness.provider.faults.fetch = ["expired"]
    harness.run(lambda model: model.fetch(done, harness.video, LIMIT))
    assert harness.video.read_bytes() == VIDEO


@for_models("openai-sora-2", *URL_MODELS)
def test_a_deleted_video_is_a_final_error(harness: AdapterHarness) -> None:
    done = harness.finish_job()
    harness.provider.faults.fetch = ["expired", "expired"]
    with pytest.raises(ModelError, match=r"no longer at its URL|404") as caught:
        harness.run(lambda model: model.fetch(done, harness.video, LIMIT))
    assert not isinstance(caught.value, Unreachable)
    assert not harness.video.exists()


@for_models(*(name for name in ONE_OF_EACH if name != "veo-3.1-generate"))
def test_a_wrong_key_is_reported_without_the_key(harness: AdapterHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = "sk-wrong-0123456789"
    key = next(name for name in harness.provider.settings() if any(part in name for part in ("KEY", "SECRET", "TOKEN")))
    monkeypatch.setenv(key, wrong)
    with pytest.raises(Blocked, match=key) as caught:
        harness.submit()
    assert wrong not in str(caught.value)
    assert harness.provider.creates == 0


@for_models("veo-3.1-generate")
def test_rejected_credentials_name_their_setting(harness: AdapterHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness.provider, "_token", lambda _: harness.provider.error(400, "invalid_grant"))
    with pytest.raises(ModelError, match="GOOGLE_APPLICATION_CREDENTIALS") as caught:
        harness.submit()
    assert not isinstance(caught.value, Uncertain)
    assert harness.provider.creates == 0


@for_models("veo-3.1-generate")
def test_a_video_in_a_bucket_is_reported_with_the_download_command(harness: AdapterHarness) -> None:
    harness.provider.bucket = "gs://videos/17"  # type: ignore[attr-defined]
    done = harness.finish_job()
    assert done.answer["uri"] == "gs://videos/17/sample_0.mp4"
    with pytest.raises(ModelError, match=r"with: gcloud storage cp gs://videos/17/sample_0\.mp4 \."):
        harness.run(lambda model: model.fetch(done, harness.video, LIMIT))
    assert not harness.video.exists()


@for_each_provider
def test_a_missing_setting_is_reported(harness: AdapterHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    for alternatives in harness.spec.keys:
        for name in alternatives.split("|"):
            monkeypatch.delenv(name, raising=False)
    name = harness.spec.keys[0].split("|")[0]
    with pytest.raises(SetupError, match=name):
        harness.submit()
