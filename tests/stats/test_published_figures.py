"""Published figures: what follows from the counts, what does not, and a page that says so."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("published_figures", ROOT / "tools" / "published_figures.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_code_computes(tool: ModuleType) -> None:
    assert (ROOT / "docs" / "PUBLISHED_FIGURES.md").read_text("utf-8") == tool.build_page()


def test_rates_domain_means_and_shares_follow(tool: ModuleType) -> None:
    lines = tool.rate_lines()
    assert len(lines) == 18
    assert {line.verdict for line in lines} == {"follows"}


def test_tests_and_effect_sizes_do_not_follow(tool: ModuleType) -> None:
    assert tool.model_f() == pytest.approx((26.8, 32.3), abs=0.06)
    assert tool.domain_f()[1] < 52.14
    assert tool.effect_sizes() == pytest.approx((0.44, 0.49, 0.54), abs=0.006)
    verdicts = {line.what: line.verdict for line in tool.significance_lines()}
    assert verdicts["F of models, (5, 444)"].startswith("does not follow")
    assert verdicts["F of domains, (4, 445)"].startswith("does not follow")
    assert verdicts["Cohen's d, Sora-2 against Veo 3.0"] == "does not follow"
    assert verdicts["degrees of freedom of the interaction"] == "does not follow"


def test_intervals_do_not_follow(tool: ModuleType) -> None:
    wilson, boot = tool.interval_lines()
    assert wilson.computed.startswith("56.8% to 77.5%")
    assert {wilson.verdict, boot.verdict} == {"does not follow"}


def test_consistency(tool: ModuleType) -> None:
    verdicts = {line.what: line.verdict for line in tool.consistency_lines()}
    assert verdicts.pop("Sora-2: std_success") == verdicts.pop("Sora-2: cv") == "does not follow"
    assert verdicts.pop("Veo 3.0: std_success") == verdicts.pop("Veo 3.0: cv") == "does not follow"
    assert set(verdicts.values()) == {"follows"}


def test_a_share_has_a_count(tool: ModuleType) -> None:
    assert tool.is_share(33.3, 3)
    assert tool.is_share(31.2, 311)
    assert not tool.is_share(33.4, 3)
