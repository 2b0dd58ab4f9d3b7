"""UnknownName: long lists of names are cut, and the message says how to see the rest."""

from __future__ import annotations

import pickle

from vmevalkit.core.errors import UnknownName

NAMES = [f"clay-{index:02d}" for index in range(40)]
FIRST = ", ".join(NAMES[:12])


def test_a_long_list_is_cut_and_names_the_command_that_lists_all() -> None:
    assert str(UnknownName("model", "xyz", NAMES)) == f"no model 'xyz'; known: {FIRST}, ... (28 more: vmevalkit models)"


def test_a_kind_without_a_listing_command_gets_the_count_alone() -> None:
    assert str(UnknownName("shape", "xyz", NAMES)).endswith(f"known: {FIRST}, ... (28 more)")


def test_names_in_one_place_are_not_listed_by_a_command() -> None:
    error = UnknownName("model", "xyz", NAMES, "with runs in outputs/first")
    assert str(error) == f"no model 'xyz' with runs in outputs/first; known: {FIRST}, ... (28 more)"


def test_twelve_names_are_listed_in_full() -> None:
    assert str(UnknownName("model", "xyz", NAMES[:12])) == f"no model 'xyz'; known: {FIRST}"


def test_the_error_keeps_all_names_and_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(UnknownName("model", "xyz", NAMES)))
    assert error.known == NAMES
    assert str(error) == str(UnknownName("model", "xyz", NAMES))


def test_a_name_that_is_a_part_of_others_gets_the_shortest_of_them() -> None:
    names = ["openai-sora-2-pro", "openai-sora-2", "sana", "slower"]
    assert str(UnknownName("model", "sora", names)).endswith("did you mean 'openai-sora-2'?")
    assert str(UnknownName("model", "Sora 2 Pro", names)).endswith("did you mean 'openai-sora-2-pro'?")
    assert str(UnknownName("model", "slowr", names)).endswith("did you mean 'slower'?"), "a typing error"
