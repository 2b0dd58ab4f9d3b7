# ruff: noqa: E402 - the SDKs are looked for before the emulators that need their types
"""Every adapter through its provider's own SDK against an emulator: films, and everything that can go wrong."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

pytest.importorskip("openai")
pytest.importorskip("google.genai")
pytest.importorskip("runwayml")
pytest.importorskip("lumaai")
pytest.importorskip("luma_agents")
httpx = pytest.importorskip("httpx")

from emulators.google_server import TOKEN
from emulators.luma_server import BucketEmulator
from emulators.server import CANARY, FILM, RETRY_AFTER_SECONDS, closed_port
from emulators.studio import (
    BY_ADDRESS,
    LIMIT,
    ONE_OF_EACH,
    Studio,
    each,
    each_by_address,
    finished,
    first_frame,
    fresh,
    only,
    patience,
)
from vmevalkit.core.errors import ModelError, Refused, SetupError, Throttled, Uncertain, Unreachable
from vmevalkit.media.fitting import fit, lanczos
from vmevalkit.models.model import Done, Failed, Pending, RemoteModel


@each
def test_a_film_is_ordered_awaited_and_fetched(studio: Studio) -> None:
    async def story(model: RemoteModel) -> Done:
        done = await finished(model, studio.request)
        await model.fetch(done, studio.film, LIMIT)
        return done

    done = studio.tell(story)
    assert studio.film.read_bytes() == FILM
    assert studio.provider.creates == 1
    assert studio.provider.strangers == []
    (order,) = studio.provider.orders.values()
    placement = done.ticket.placement
    if studio.spec.options["fit"] == "as_it_is":
        assert placement is None
        assert (order.picture == first_frame()).all()
    else:
        assert placement is not None
        colour = studio.spec.options["colour"]
        assert (order.picture == fit(first_frame(), placement.canvas, "letterbox", colour, lanczos)[0]).all()


@each
def test_records_hold_no_key_no_picture_and_no_signature(studio: Studio) -> None:
    done = studio.done()
    written = json.dumps([done.ticket.sent, done.answer])
    for secret in (CANARY, TOKEN, BucketEmulator.SECRET, "Signature=", "signature="):
        assert secret not in written
    assert len(written) < 4000
    assert studio.request.prompt in json.dumps(done.ticket.sent)


@each
def test_a_ticket_outlives_the_process(studio: Studio) -> None:
    ticket = fresh(studio.submitted())

    async def later(model: RemoteModel) -> None:
        assert isinstance(await model.poll(ticket), Pending)
        done = await model.poll(ticket)
        assert isinstance(done, Done)
        await model.fetch(done, studio.film, LIMIT)

    studio.tell(later)
    assert studio.film.read_bytes() == FILM
    assert studio.provider.creates == 1


@each
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
def test_what_goes_wrong_with_an_order(studio: Studio, fault: str, raised: type[ModelError], taken: int) -> None:
    studio.provider.faults.create = [fault]
    with pytest.raises(raised) as caught:
        studio.submitted(**patience(fault))
    assert type(caught.value) is raised
    sent = [call for call in studio.provider.calls if studio.provider.kind(call) == "create"]
    assert len(sent) == 1, "an order was repeated"
    assert studio.provider.creates == taken
    if isinstance(caught.value, Throttled):
        assert caught.value.retry_after_s == RETRY_AFTER_SECONDS


@each
def test_an_order_that_never_left_may_be_sent_again(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    assert studio.spec.endpoint is not None
    with closed_port() as nowhere:
        monkeypatch.setenv(studio.spec.endpoint, nowhere)
        with pytest.raises(Unreachable):
            studio.submitted()
    assert studio.provider.creates == 0


@each
@pytest.mark.parametrize("fault", ["throttle", "fail", "drop", "stall", "garbage"])
def test_what_goes_wrong_with_a_poll_can_be_asked_again(studio: Studio, fault: str) -> None:
    ticket = studio.submitted()
    studio.provider.faults.poll = [fault]
    with pytest.raises(Throttled if fault == "throttle" else Unreachable) as caught:
        studio.tell(lambda model: model.poll(ticket), **patience(fault))
    assert not isinstance(caught.value, Uncertain)
    assert isinstance(studio.tell(lambda model: model.poll(ticket)), Pending | Done)


@each
@pytest.mark.parametrize(("fault", "refused"), [("moderate", True), ("break", False)])
def test_a_job_that_fails_says_whether_policy_was_the_reason(studio: Studio, fault: str, refused: bool) -> None:
    ticket = studio.submitted()
    studio.provider.faults.poll = [None, fault]

    async def story(model: RemoteModel) -> Pending | Done | Failed:
        await model.poll(ticket)
        return await model.poll(ticket)

    failed = studio.tell(story)
    assert isinstance(failed, Failed)
    assert failed.refused is refused
    assert failed.reason


@each
def test_an_unknown_job_is_final(studio: Studio) -> None:
    ticket = studio.submitted()
    with pytest.raises(ModelError, match="404") as caught:
        studio.tell(lambda model: model.poll(replace(ticket, id=ticket.id + "9")))
    assert type(caught.value) is ModelError


@each
def test_a_film_above_the_limit_is_left_alone(studio: Studio) -> None:
    done = studio.done()
    with pytest.raises(ModelError, match="larger than 100 bytes"):
        studio.tell(lambda model: model.fetch(done, studio.film, 100))
    assert not studio.film.exists()


@only("openai-sora-2", *BY_ADDRESS)
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
def test_what_goes_wrong_with_a_download(studio: Studio, fault: str, raised: type[ModelError]) -> None:
    done = studio.done()
    studio.provider.faults.fetch = [fault]
    with pytest.raises(raised):
        studio.tell(lambda model: model.fetch(done, studio.film, LIMIT), **patience(fault))
    assert not studio.film.exists()
    studio.tell(lambda model: model.fetch(done, studio.film, LIMIT))
    assert studio.film.read_bytes() == FILM


@each_by_address
def test_an_expired_address_is_replaced(studio: Studio) -> None:
    done = studio.done()
    studio.provider.faults.fetch = ["expired"]
    studio.tell(lambda model: model.fetch(done, studio.film, LIMIT))
    assert studio.film.read_bytes() == FILM


@only("openai-sora-2", *BY_ADDRESS)
def test_a_film_that_is_gone_for_good_is_final(studio: Studio) -> None:
    done = studio.done()
    studio.provider.faults.fetch = ["expired", "expired"]
    with pytest.raises(ModelError, match=r"no longer at its address|404") as caught:
        studio.tell(lambda model: model.fetch(done, studio.film, LIMIT))
    assert not isinstance(caught.value, Unreachable)
    assert not studio.film.exists()


@only(*(name for name in ONE_OF_EACH if name != "veo-3.1-generate"))
def test_a_wrong_key_is_told_without_the_key(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = "sk-wrong-0123456789"
    key = next(name for name in studio.provider.settings() if "KEY" in name or "SECRET" in name)
    monkeypatch.setenv(key, wrong)
    with pytest.raises(ModelError, match=key) as caught:
        studio.submitted()
    assert type(caught.value) is ModelError
    assert wrong not in str(caught.value)
    assert studio.provider.creates == 0


@only("veo-3.1-generate")
def test_credentials_that_are_refused_name_their_setting(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studio.provider, "_token", lambda _: studio.provider.error(400, "invalid_grant"))
    with pytest.raises(ModelError, match="GOOGLE_APPLICATION_CREDENTIALS") as caught:
        studio.submitted()
    assert not isinstance(caught.value, Uncertain)
    assert studio.provider.creates == 0


@only("veo-3.1-generate")
def test_a_film_in_a_bucket_is_told_with_the_way_to_get_it(studio: Studio) -> None:
    studio.provider.bucket = "gs://films/17"  # type: ignore[attr-defined]
    done = studio.done()
    assert done.answer["uri"] == "gs://films/17/sample_0.mp4"
    with pytest.raises(ModelError, match=r"paid for: gcloud storage cp gs://films/17/sample_0\.mp4 \."):
        studio.tell(lambda model: model.fetch(done, studio.film, LIMIT))
    assert not studio.film.exists()


@each
def test_a_missing_setting_is_named(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    for alternatives in studio.spec.keys:
        for name in alternatives.split("|"):
            monkeypatch.delenv(name, raising=False)
    name = studio.spec.keys[0].split("|")[0]
    with pytest.raises(SetupError, match=name):
        studio.submitted()
