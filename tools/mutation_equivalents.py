"""Mutants of the verdict logic that no test can notice, each with its reason, for ``mutation_run``."""

_SLACK = "the slack for rounding is never met exactly"

EQUIVALENT: dict[str, dict[str, str]] = {
    "evidence": {
        "find_spans: count and is_long_enough(count, last_s - start_s) -> is_long_enough(count, last_s - start_s)": (
            "no reading is never long enough"
        ),
        "find_jumps: not move.is_seen or move.steps <= limits.free_steps -> not move.is_seen": (
            "shorter steps are no jump in the comparison that follows either"
        ),
        "find_jumps: move.steps <= limits.free_steps -> move.steps < limits.free_steps": (
            "a step of exactly that length is no longer than what is always allowed in the comparison that follows"
        ),
    },
    "verdict": {
        "read_ending: trace[-1].seconds - last_s > END_CARD_S + 1e-06 -> "
        "trace[-1].seconds - last_s >= END_CARD_S + 1e-06": _SLACK,
        "_is_settled: end_s - since_s + frame_s >= held_s - _ROUNDING_S -> "
        "end_s - since_s + frame_s > held_s - _ROUNDING_S": _SLACK,
    },
}
