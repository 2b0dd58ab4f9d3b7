from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

from vmevalkit.jobs.reconcile import claimed, matches, unanswered
from vmevalkit.models.model import Listed
from vmevalkit.store.journal import Entry, Intent

NOON = datetime(2026, 11, 15, 12, 0, 0, 700_000, tzinfo=UTC)


def intent(name: str, prompt: str, later_s: float = 0, alike: str = "") -> Intent:
    at = (NOON + timedelta(seconds=later_s)).isoformat()
    return Intent(("maze", name, 0), "k", prompt, "d", at, alike=alike)


def listed(name: str, prompt: str | None, later_s: float = 1) -> Listed:
    return Listed(name, NOON + timedelta(seconds=later_s), prompt)


def found(
    intents: list[Intent],
    orders: list[Listed],
    taken: set[str] | None = None,
    more: str = "",
    lost: list[Intent] | None = None,
) -> dict[str, str]:
    """``more`` is a prompt that others have asked with, ``lost`` what was ours and is no longer looked for."""
    matched = matches(intents, [*intents, *(lost or [])], {more} - {""}, orders, taken or set())
    return {job[1]: order.id for job, order in matched.items()}


def test_one_order_and_one_intent_belong_together() -> None:
    assert found([intent("a", "Go."), intent("b", "Stay.")], [listed("1", "Go."), listed("2", "Turn.")]) == {"a": "1"}


def test_whatever_leaves_a_doubt_is_left_out() -> None:
    a = [intent("a", "Go.")]
    assert found(a, []) == {}
    assert found(a, [listed("1", "Go."), listed("2", "Go.")]) == {}
    assert found(a, [listed("1", "Go.")], taken={"1"}) == {}
    assert found(a, [listed("1", None)]) == {}
    assert found(a, [listed("1", "Go.")], more="Go.") == {}
    assert found([intent("a", "Go."), intent("b", "Go.")], [listed("1", "Go.")]) == {}
    assert found(a, [listed("1", "Go."), listed("2", "Go.")], taken={"2"}) == {"a": "1"}


def test_an_order_is_not_older_than_its_intent_by_whole_seconds() -> None:
    a = [intent("a", "Go.")]
    assert found(a, [listed("1", "Go.", -0.7)]) == {"a": "1"}  # providers drop the fraction
    assert found(a, [listed("1", "Go.", -0.8)]) == {}
    assert found(a, [Listed("1", NOON.replace(tzinfo=None), "Go.")]) == {"a": "1"}


def test_open_and_claimed_orders_are_counted_over_all_entries() -> None:
    lost = Entry(intent("a", "Go."))
    twice = Entry(intent("b", "Go."), lost=[intent("b", "Go.")])
    had = Entry(intent("c", "Go."), {"id": "7"}, lost=[intent("c", "Stay.")])
    again = Entry(intent("d", "Go."), had=["5", "6"])
    assert Counter(i.prompt for i in unanswered([lost, twice, had, again])) == {"Go.": 4, "Stay.": 1}
    assert claimed([lost, twice, had, again]) == {"5", "6", "7"}


def samples(*later_s: float, alike: str = "same") -> list[Intent]:
    return [intent(f"s{number}", "Go.", later, alike) for number, later in enumerate(later_s)]


def test_samples_of_a_question_share_the_orders_that_are_there_in_the_order_of_time() -> None:
    three = samples(0, 2, 4)
    assert found(three, [listed("1", "Go.", 1), listed("2", "Go.", 3), listed("3", "Go.", 5)]) == {
        "s0": "1", "s1": "2", "s2": "3",
    }  # fmt: skip
    late = [listed("3", "Go.", 9), listed("1", "Go.", 7), listed("2", "Go.", 8)]  # all at once, listed the newest first
    assert found(three[::-1], late) == {"s0": "1", "s1": "2", "s2": "3"}
    assert found(three, [listed("1", "Go.", 1), listed("9", "Go.", 1), listed("3", "Go.", 5)], taken={"9"}) == {
        "s0": "1", "s1": "3",
    }  # fmt: skip


def test_more_orders_than_intents_could_have_made_leave_a_doubt() -> None:
    two = samples(0, 10)
    assert found(two, [listed(str(n), "Go.", 11 + n) for n in range(3)]) == {}
    assert found(two, [listed("1", "Go.", 1), listed("2", "Go.", 2)]) == {}  # the second intent came later
    assert found(two, [listed("1", "Go.", 1), listed("2", "Go.", 11)]) == {"s0": "1", "s1": "2"}


def test_requests_that_differ_are_not_exchanged() -> None:
    orders = [listed("1", "Go."), listed("2", "Go.")]
    assert found([intent("a", "Go.", alike="x"), intent("b", "Go.", alike="y")], orders) == {}
    assert found(samples(0, 0, alike=""), orders) == {}  # a journal of an earlier version does not tell
    assert found(samples(0, 0), orders, more="Go.") == {}
    assert len(found(samples(0, 0), orders, more="Stay.")) == 2


def test_an_intent_that_was_sent_again_may_have_made_an_order_too() -> None:
    [open_one] = samples(5)
    [lost] = samples(0)
    both = [listed("1", "Go.", 1), listed("2", "Go.", 6)]
    assert found([open_one], both, lost=[lost]) == {"s0": "1"}
    assert found([open_one], both) == {"s0": "2"}
    assert found([open_one], [*both, listed("3", "Go.", 7)], lost=[lost]) == {}
