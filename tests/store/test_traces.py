from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmevalkit.core.errors import StoreError
from vmevalkit.store.traces import read_trace, trace_bytes

STATES = [
    {"dots": [[1.5, 0.5]], "walls": 7},
    {"dots": [[1.5, 0.75]], "walls": 7},
    {"dots": [], "walls": 7},
    {"dots": [[2.5, 0.5]], "walls": None},
]


def test_a_trace_is_read_back_with_full_states(tmp_path: Path) -> None:
    path = tmp_path / "RuleEvaluator.trace.json"
    path.write_bytes(trace_bytes({"seconds": [0.0, 0.04], "states": STATES}))
    assert read_trace(path) == {"format": 1, "seconds": [0.0, 0.04], "states": STATES}
    assert json.loads(path.read_text())["states"][1] == {"dots/0/1": 0.75}
    assert read_trace(tmp_path / "none.trace.json") is None


JSON = st.recursive(
    st.none() | st.integers(-3, 3) | st.text("ab", max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1, max_size=2), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(st.text("ab", min_size=1, max_size=1), JSON, max_size=3), max_size=5))
def test_any_states_survive(tmp_path_factory: pytest.TempPathFactory, states: list[object]) -> None:
    path = tmp_path_factory.mktemp("trace") / "x.trace.json"
    path.write_bytes(trace_bytes({"states": states}))
    record = read_trace(path)
    assert record is not None and record["states"] == states


@pytest.mark.parametrize(
    "content", ['{"format": 2, "states": []}', '{"states": []}', '{"format": 1, "states": [{}, 3]}']
)
def test_what_is_not_a_trace_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.trace.json"
    path.write_text(content)
    with pytest.raises(StoreError, match=r"x.trace.json is not a trace .* score again"):
        read_trace(path)
