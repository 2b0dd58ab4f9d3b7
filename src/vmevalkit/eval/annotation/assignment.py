"""Which item an annotator gets next: every video goes to a number of people, in an order of each annotator's own."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from vmevalkit.core.randomness import rng_for


def order_items(tokens: Sequence[str], gold: Sequence[str], gold_share: float, seed: int, annotator: str) -> list[str]:
    """Return all items in the order of one annotator, with gold items spread among them.

    Videos are shuffled, so that neither order nor fatigue is mixed up with a model. Gold items come at random places,
    as often as ``gold_share`` says, as long as there are any."""
    rng = rng_for("annotation", seed, "order", annotator)
    videos = rng.sample(list(tokens), len(tokens))
    wanted = round(gold_share * len(videos) / (1 - gold_share)) if gold_share else 0
    chosen = rng.sample(list(gold), min(wanted, len(gold)))
    for token in chosen:
        videos.insert(rng.randrange(len(videos) + 1), token)
    return videos


def choose_next(
    order: Sequence[str],
    own: Collection[str],
    skipped: Collection[str],
    rated: Mapping[str, int],
    people: int,
    gold: Collection[str],
) -> str | None:
    """Return the next item of an annotator; None where nothing is left.

    ``own`` are the items with a label of this annotator, ``rated`` counts the others who rated an item or have it on
    their screen. A gold item goes to everybody. Skipped items come again at the end."""
    open_items = [token for token in order if token not in own and (token in gold or rated.get(token, 0) < people)]
    fresh = [token for token in open_items if token not in skipped]
    if fresh:
        return fresh[0]
    # Skipped items in the order in which they were skipped.
    return next((token for token in skipped if token in open_items), None)
