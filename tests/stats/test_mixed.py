"""The mixed model against statsmodels and against the split-plot analysis of a balanced design."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.formula.api import mixedlm, ols
from statsmodels.regression.linear_model import GLS
from statsmodels.regression.mixed_linear_model import MixedLMParams
from statsmodels.stats.anova import AnovaRM

from vmevalkit.stats.mixed import MixedModel, mixed_model


def simulate(questions: int, seed: int, spread: float = 0.8, samples: int = 1) -> pd.DataFrame:
    """Scores of four models on questions of three domains."""
    rng = np.random.default_rng(seed)
    of_question = rng.normal(0, spread, questions)
    rows = [
        (model, f"d{q % 3}", f"q{q}", 3 + 0.5 * model * (q % 3 == 1) + of_question[q] + rng.normal(0, 1))
        for q in range(questions)
        for model in range(4)
        for _ in range(samples)
    ]
    frame = pd.DataFrame(rows, columns=["model", "domain", "question", "score"])
    frame["model"] = "m" + frame["model"].astype(str)
    return frame


def fit_ours(frame: pd.DataFrame, **options: bool) -> MixedModel:
    columns = [frame[name].to_numpy() for name in ("score", "model", "domain", "question")]
    return mixed_model(*columns, **options)


def statsmodels_name(name: str) -> str:
    return ":".join(part.replace("[", "[T.") for part in name.split(":")).replace("intercept", "Intercept")


@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("interaction", [True, False])
def test_equal_to_statsmodels(balanced: bool, interaction: bool) -> None:
    frame = simulate(40, 3, samples=2)
    if not balanced:
        frame = frame.sample(frac=0.6, random_state=1)
    formula = "score ~ model * domain" if interaction else "score ~ model + domain"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its search passes through values that it warns of
        theirs = mixedlm(formula, frame, groups=frame["question"]).fit(reml=True, method="powell")
    ours = fit_ours(frame, interaction=interaction)
    assert len(ours.effects) == len(theirs.fe_params)
    for name, effect in ours.effects.items():
        their_name = statsmodels_name(name)
        assert effect.coefficient == pytest.approx(theirs.fe_params[their_name], abs=1e-4)
        # Its errors come from a Hessian that includes the variances, which is not quite block diagonal.
        assert effect.standard_error == pytest.approx(theirs.bse_fe[their_name], rel=1e-2)
    assert ours.residual_variance == pytest.approx(theirs.scale, rel=1e-3)
    assert ours.question_variance == pytest.approx(theirs.cov_re.iloc[0, 0], rel=1e-3)
    # Its search stops early: our optimum must be as good in its likelihood, and ours must agree with it.
    ratio = np.array([[ours.question_variance / ours.residual_variance]])
    theirs_at_ours = theirs.model.loglike(MixedLMParams.from_components(cov_re=ratio), profile_fe=True)
    assert ours.log_likelihood == pytest.approx(theirs_at_ours, abs=1e-6)
    assert ours.log_likelihood >= theirs.llf - 1e-9


@pytest.mark.parametrize("interaction", [True, False])
def test_equal_to_generalised_least_squares(interaction: bool) -> None:
    """At the fitted variances the coefficients and errors are those of the textbook's matrices."""
    frame = simulate(40, 3, samples=2).sample(frac=0.6, random_state=1)
    ours = fit_ours(frame, interaction=interaction)
    reference = ols("score ~ model * domain" if interaction else "score ~ model + domain", frame)
    same = frame["question"].to_numpy()[:, None] == frame["question"].to_numpy()[None, :]
    covariance = ours.residual_variance * np.eye(len(frame)) + ours.question_variance * same
    theirs = GLS(reference.endog, reference.exog, covariance).fit(cov_type="fixed scale")
    place = [reference.exog_names.index(statsmodels_name(name)) for name in ours.effects]
    effects = list(ours.effects.values())
    assert [effect.coefficient for effect in effects] == pytest.approx(theirs.params[place], abs=1e-9)
    assert [effect.standard_error for effect in effects] == pytest.approx(theirs.bse[place], abs=1e-9)
    assert [effect.p_value for effect in effects] == pytest.approx(theirs.pvalues[place], abs=1e-9)


def test_balanced_f_is_the_repeated_measures_f() -> None:
    """With one domain effect removed, F of model is that of the analysis of repeated measures."""
    frame = simulate(30, 5)
    theirs = AnovaRM(frame, "score", "question", within=["model"]).fit().anova_table.loc["model"]
    additive = fit_ours(frame, interaction=False).tests["model"]
    assert (additive.statistic, additive.p_value) == pytest.approx((theirs["F Value"], theirs["Pr > F"]), abs=1e-6)
    assert additive.df == (theirs["Num DF"], theirs["Den DF"])


def test_balanced_f_of_domain_is_the_anova_of_question_means() -> None:
    frame = simulate(30, 6)
    means = frame.groupby(["question", "domain"])["score"].mean().reset_index()
    theirs = stats.f_oneway(*[part["score"] for _, part in means.groupby("domain")])
    ours = fit_ours(frame).tests["domain"]
    assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), abs=1e-6)
    assert ours.df == (2, 27)


def test_interaction_is_found_where_it_is() -> None:
    assert fit_ours(simulate(120, 7)).tests["model:domain"].p_value < 1e-4
    flat = simulate(120, 7)
    flat["score"] -= 0.5 * flat["model"].str[1:].astype(int) * (flat["domain"] == "d1")
    assert fit_ours(flat).tests["model:domain"].p_value > 0.01


def test_no_variance_between_questions_is_a_boundary() -> None:
    """Question effects that cancel exactly leave a variance of 0, where the fit is least squares."""
    frame = simulate(30, 8, spread=0.0)
    frame["score"] -= frame.groupby("question")["score"].transform("mean")
    ours = fit_ours(frame)
    assert ours.question_variance == 0
    assert ours.intraclass_correlation == 0
    theirs = ols("score ~ model * domain", frame).fit()
    assert ours.residual_variance == pytest.approx(theirs.scale, rel=1e-9)


def test_reasons() -> None:
    frame = simulate(12, 1)
    assert fit_ours(frame[frame["model"] == "m0"]).reason == "the mixed model needs two models or more, there are 1"
    assert fit_ours(frame[frame["domain"] == "d0"]).reason == "the mixed model needs two domains or more, there are 1"
    assert fit_ours(frame.assign(score=1.0)).reason == "all 48 scores are 1"
    hole = frame[~((frame["model"] == "m2") & (frame["domain"] == "d1"))]
    assert fit_ours(hole).reason.startswith("m2 has no score in d1")
    assert fit_ours(hole, interaction=False).reason is None
    exact = frame.assign(score=(frame["model"] == "m1").astype(float))
    assert fit_ours(exact).reason.endswith("explain every score, so no error can be estimated")
    few = frame[frame["question"].isin(["q0", "q1", "q2"])]
    assert fit_ours(few).reason == "3 questions in 3 domains show no variance between questions"


def test_a_question_in_two_domains_is_a_wrong_call() -> None:
    frame = simulate(12, 1)
    frame.loc[0, "domain"] = "d2"
    with pytest.raises(ValueError, match="question 'q0' is in two domains"):
        fit_ours(frame)
