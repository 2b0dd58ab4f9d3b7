from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmevalkit.core.jsonable import digest, dumps, from_json, parse_json, to_json


@dataclass(frozen=True, slots=True)
class Cell:
    row: int
    weight: float


@dataclass(frozen=True, slots=True)
class Board:
    name: str
    cells: tuple[Cell, ...]
    size: tuple[int, int]
    holes: frozenset[int]
    note: str | None = None
    first: Cell | None = None


cells = st.builds(Cell, st.integers(), st.floats(allow_nan=False, allow_infinity=False))
boards = st.builds(
    Board,
    st.text(),
    st.lists(cells).map(tuple),
    st.tuples(st.integers(), st.integers()),
    st.frozensets(st.integers()),
    st.none() | st.text(),
    st.none() | cells,
)


@given(boards)
def test_records_survive_the_round_trip(board: Board) -> None:
    assert from_json(Board, to_json(board)) == board


@given(boards)
def test_equal_records_have_equal_texts_and_digests(board: Board) -> None:
    again = from_json(Board, to_json(board))
    assert dumps(again) == dumps(board)
    assert digest(again) == digest(board)


def test_a_digest_tells_records_apart() -> None:
    assert digest(Cell(1, 2.0)) != digest(Cell(1, 3.0))


@pytest.mark.parametrize(
    "damaged",
    [{"row": 1, "weight": "x"}, {"row": 1}, {"row": 1, "weight": 2.0, "colour": "red"}],
    ids=["wrong type", "missing field", "unknown field"],
)
def test_damaged_data_are_refused(damaged: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError, KeyError)):
        from_json(Cell, damaged)


def test_a_tuple_of_the_wrong_length_is_refused() -> None:
    board = to_json(Board("b", (), (1, 2), frozenset()))
    board["size"] = [1, 2, 3]
    with pytest.raises(ValueError, match="expected 2 items, got 3"):
        from_json(Board, board)


@pytest.mark.parametrize("text", [b'"\\ud800"', b'"\xed\xa0\x80"', b"\xff", b"[" * 100_000, b"", b"{"])
def test_what_no_file_could_be_written_with_is_not_json(text: bytes) -> None:
    with pytest.raises(ValueError):
        parse_json(text)


def test_whole_characters_in_two_escapes_are_read() -> None:
    assert parse_json('["\\ud83d\\ude00", "\\\\ud800"]') == ["\U0001f600", "\\ud800"]
    assert parse_json(b"\xef\xbb\xbf{}") == {}
