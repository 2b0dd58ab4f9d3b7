from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

from vmevalkit.core.remote import ProviderJob
from vmevalkit.jobs.reconcile import list_claimed_ids, list_unanswered_intents, match_intents
from vmevalkit.store.journal import Intent, JournalEntry

NOON = datetime(2026, 11, 15, 12, 0, 0, 700_000, tzinfo=UTC)


def intent(name: str, prompt: str, later_s: float = 0, request_digest: str = "") -> Intent:
    at = (NOON + timedelta(seconds=later_s)).isoformat()
    return Intent(("maze", name, 0), "k", prompt, "d", at, request_digest=request_digest)


def listed(name: str, prompt: str | None, later_s: float = 1) -> ProviderJob:
    return ProviderJob(name, NOON + timedelta(seconds=later_s), prompt)


def match(
    intents: list[Intent],
    orders: list[ProviderJob],
    taken: set[str] | None = None,
    more: str = "",
    lost: list[Intent] | None = None,
) -> dict[str, str]:
    """Return the matches. ``more`` is a prompt of another process, ``lost`` are further unanswered intents of ours."""
    matched = match_intents(intents, [*intents, *(lost or [])], {more} - {""}, orders, taken or set())
    return {job[1]: order.id for job, order in matched.items()}


def test_one_order_and_one_intent_belong_together() -> None:
    assert match([intent("a", "Go."), intent("b", "Stay.")], [listed("1", "Go."), listed("2", "Turn.")]) == {"a": "1"}


def test_ambiguous_orders_are_not_matched() -> None:
    a = [intent("a", "Go.")]
    assert match(a, []) == {}
    assert match(a, [listed("1", "Go."), listed("2", "Go.")]) == {}
    assert match(a, [listed("1", "Go.")], taken={"1"}) == {}
    assert match(a, [listed("1", None)]) == {}
    assert match(a, [listed("1", "Go.")], more="Go.") == {}
    assert match([intent("a", "Go."), intent("b", "Go.")], [listed("1", "Go.")]) == {}
    assert match(a, [listed("1", "Go."), listed("2", "Go.")], taken={"2"}) == {"a": "1"}


def test_an_order_is_not_older_than_its_intent_by_whole_seconds() -> None:
    a = [intent("a", "Go.")]
    assert match(a, [listed("1", "Go.", -0.7)]) == {"a": "1"}  # providers report whole seconds
    assert match(a, [listed("1", "Go.", -0.8)]) == {}
    assert match(a, [ProviderJob("1", NOON.replace(tzinfo=None), "Go.")]) == {"a": "1"}


def test_open_and_claimed_orders_are_counted_over_all_entries() -> None:
    lost = JournalEntry(intent("a", "Go."))
    twice = JournalEntry(intent("b", "Go."), lost_intents=[intent("b", "Go.")])
    had = JournalEntry(intent("c", "Go."), {"id": "7"}, lost_intents=[intent("c", "Stay.")])
    again = JournalEntry(intent("d", "Go."), earlier_order_ids=["5", "6"])
    assert Counter(i.prompt for i in list_unanswered_intents([lost, twice, had, again])) == {"Go.": 4, "Stay.": 1}
    assert list_claimed_ids([lost, twice, had, again]) == {"5", "6", "7"}


def samples(*later_s: float, request_digest: str = "same") -> list[Intent]:
    return [intent(f"s{number}", "Go.", later, request_digest) for number, later in enumerate(later_s)]


def test_samples_of_a_question_get_the_listed_orders_in_order_of_time() -> None:
    three = samples(0, 2, 4)
    assert match(three, [listed("1", "Go.", 1), listed("2", "Go.", 3), listed("3", "Go.", 5)]) == {
        "s0": "1", "s1": "2", "s2": "3",
    }  # fmt: skip
    late = [listed("3", "Go.", 9), listed("1", "Go.", 7), listed("2", "Go.", 8)]  # all at once, listed the newest first
    assert match(three[::-1], late) == {"s0": "1", "s1": "2", "s2": "3"}
    assert match(three, [listed("1", "Go.", 1), listed("9", "Go.", 1), listed("3", "Go.", 5)], taken={"9"}) == {
        "s0": "1", "s1": "3",
    }  # fmt: skip


def test_more_orders_than_intents_are_not_matched() -> None:
    two = samples(0, 10)
    assert match(two, [listed(str(n), "Go.", 11 + n) for n in range(3)]) == {}
    assert match(two, [listed("1", "Go.", 1), listed("2", "Go.", 2)]) == {}  # the second intent came later
    assert match(two, [listed("1", "Go.", 1), listed("2", "Go.", 11)]) == {"s0": "1", "s1": "2"}


def test_different_requests_are_not_interchangeable() -> None:
    orders = [listed("1", "Go."), listed("2", "Go.")]
    assert match([intent("a", "Go.", request_digest="x"), intent("b", "Go.", request_digest="y")], orders) == {}
    assert match(samples(0, 0, request_digest=""), orders) == {}  # a journal of an earlier version has no digests
    assert match(samples(0, 0), orders, more="Go.") == {}
    assert len(match(samples(0, 0), orders, more="Stay.")) == 2


def test_an_earlier_lost_intent_may_have_caused_an_order_too() -> None:
    [open_one] = samples(5)
    [lost] = samples(0)
    both = [listed("1", "Go.", 1), listed("2", "Go.", 6)]
    assert match([open_one], both, lost=[lost]) == {"s0": "1"}
    assert match([open_one], both) == {"s0": "2"}
    assert match([open_one], [*both, listed("3", "Go.", 7)], lost=[lost]) == {}
