"""An experiment whose names and texts would do harm if a page ran them."""

from __future__ import annotations

from benchmarks.made_experiment import MadeExperiment

HOSTILE = (
    '<img src=x onerror="document.title=\'run\'"></script><script>document.title="run"</script>'
    "${1+1} $x_$ {{ 7*7 }} &amp;"
)
"""Shown as it is, and never run."""
MODELS = ("alpha", "<b>beta</b> $x_$", "static", "gamma")
MADE = MadeExperiment(
    questions=30, models=MODELS, scorers=("RuleEvaluator", "JudgeEvaluator"), prompt=HOSTILE, explanation=HOSTILE
)
