from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

from vmevalkit.jobs.reconcile import claimed, matches, unanswered
from vmevalkit.models.model import Listed
from vmevalkit.store.journal import Entry, Intent

NOON = datetime(2026, 11, 15, 12, 0, 0, 700_000, tzinfo=UTC)


def intent(name: str, prompt: str, later_s: float = 0) -> Intent:
    return Intent(("maze", name, 0), "k", prompt, "d", (NOON + timedelta(seconds=later_s)).isoformat())


def listed(name: str, prompt: str | None, later_s: float = 1) -> Listed:
    return Listed(name, NOON + timedelta(seconds=later_s), prompt)


def found(intents: list[Intent], orders: list[Listed], taken: set[str] | None = None, more: str = "") -> dict[str, str]:
    prompts = Counter([intent.prompt for intent in intents] + ([more] if more else []))
    return {job[1]: order.id for job, order in matches(intents, prompts, orders, taken or set()).items()}


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
    assert unanswered([lost, twice, had]) == {"Go.": 3, "Stay.": 1}
    assert claimed([lost, twice, had]) == {"7"}
