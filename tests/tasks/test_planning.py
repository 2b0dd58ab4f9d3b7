from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import islice
from random import Random

import pytest

from dot_task import TASK, Dot, DotParams, DotTask
from vmevalkit.core.errors import Exhausted, Uncertified, UsageError
from vmevalkit.tasks.planning import iterate_puzzles, plan


class FewLevels(DotTask):
    """Few distinct puzzles, some of them illegal; nobody has counted them."""

    name = "few"

    def sample(self, rng: Random, params: DotParams) -> Dot:
        level = rng.randint(1, 2 * params.margin)
        if level == 1:
            raise Uncertified("a sampler may give up by itself")
        return Dot(level, (rng.randrange(1000),))

    def key(self, puzzle: Dot) -> Hashable:
        return puzzle.level

    def certify(self, puzzle: Dot) -> None:
        if puzzle.level % 2:
            raise Uncertified("odd")


class Counted(FewLevels):
    """The same, counted: chance has to find every one of them."""

    def capacity(self, params: DotParams) -> int:
        return params.margin


class Hopeless(FewLevels):
    def certify(self, puzzle: Dot) -> None:
        raise Uncertified("never")


class ProviderJob(DotTask):
    name = "listed"

    def catalogue(self, params: DotParams) -> Sequence[Dot]:
        return [Dot(level, (level,)) for level in range(params.margin)]


def test_question_i_does_not_depend_on_n() -> None:
    many = plan(TASK, 200, 42, DotParams())
    assert plan(TASK, 7, 42, DotParams()) == many[:7]
    assert list(islice(iterate_puzzles(TASK, 42, DotParams()), 200)) == many
    assert len({TASK.key(puzzle) for puzzle in many}) == 200


def test_seed_knobs_and_task_make_other_puzzles() -> None:
    base = plan(TASK, 50, 42, DotParams())
    assert not set(base) & set(plan(TASK, 50, 43, DotParams()))
    assert set(base) != set(plan(TASK, 50, 42, DotParams(18)))

    class Namesake(DotTask):
        name = "another"

    assert not set(base) & set(plan(Namesake(), 50, 42, DotParams()))


def test_the_first_legal_and_new_puzzle_is_taken() -> None:
    planned = plan(FewLevels(), 10, 1, DotParams(10))
    assert sorted(puzzle.level for puzzle in planned) == list(range(2, 21, 2))
    task, taken = FewLevels(), []
    for index in range(10):
        for attempt in range(10_000):
            level = Random(f"few:1:{index}:{attempt}").randint(1, 20)
            if level % 2 == 0 and level not in taken:
                taken.append(level)
                break
    assert [puzzle.level for puzzle in planned] == taken
    assert plan(task, 3, 1, DotParams(10)) == planned[:3]


def test_more_than_exist_is_refused_with_the_number_and_the_knobs() -> None:
    with pytest.raises(Exhausted, match=r"only 10 were found in 10000 attempts with margin=10; ask for at most 10, or"):
        plan(FewLevels(), 11, 1, DotParams(10))
    with pytest.raises(Exhausted, match="11 questions of few were asked for, but only 10 exist with margin=10"):
        plan(Counted(), 11, 1, DotParams(10))
    with pytest.raises(Exhausted, match="6 questions of listed were asked for, but only 5 exist with margin=5"):
        plan(ProviderJob(), 6, 1, DotParams(5))
    with pytest.raises(Exhausted, match=r"only 0 were found .*; choose other params"):
        plan(Hopeless(), 1, 1, DotParams())
    with pytest.raises(UsageError, match="ask for at least 1"):
        plan(TASK, 0, 1, DotParams())


def test_all_that_are_counted_can_be_had() -> None:
    assert len(plan(Counted(), 500, 3, DotParams(500))) == 500


def test_a_catalogue_is_permuted() -> None:
    planned = plan(ProviderJob(), 30, 7, DotParams(30))
    assert sorted(puzzle.level for puzzle in planned) == list(range(30))
    assert [puzzle.level for puzzle in planned] != list(range(30))
    assert plan(ProviderJob(), 4, 7, DotParams(30)) == planned[:4]
    assert plan(ProviderJob(), 30, 8, DotParams(30)) != planned
    with pytest.raises(Exhausted, match="no more questions of listed"):
        list(iterate_puzzles(ProviderJob(), 7, DotParams(30)))


def test_an_illegal_puzzle_in_a_catalogue_is_not_passed_over() -> None:
    class Wrong(ProviderJob):
        def certify(self, puzzle: Dot) -> None:
            if puzzle.level == 3:
                raise Uncertified("a catalogue holds legal puzzles only")

    with pytest.raises(Uncertified):
        plan(Wrong(), 30, 7, DotParams(30))
