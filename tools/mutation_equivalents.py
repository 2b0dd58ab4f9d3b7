"""Mutants of the verdict logic that no test can notice, each with its reason, for ``mutation_run``."""

EQUIVALENT: dict[str, dict[str, str]] = {
    "evidence": {
        "find_spans: count and is_long_enough(count, last_s - start_s) -> is_long_enough(count, last_s - start_s)": (
            "no reading is never long enough"
        ),
    },
    "verdict": {},
}
