from __future__ import annotations

import json

import pytest

from vmevalkit.core.secrets import find_secrets, redact


def test_every_encoding_of_a_secret_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAY_API_KEY", 'se"cr/et+key')
    monkeypatch.setenv("CLAY_SECRET", 'se"cr/et+key-and-more')
    monkeypatch.setenv("CLAY_TOKEN", "short")
    monkeypatch.setenv("CLAY_MONKEY", "not a secret at all")
    for text in ('Bearer se"cr/et+key', json.dumps({"a": 'se"cr/et+key'}), "https://x/?k=se%22cr%2Fet%2Bkey"):
        assert "cr" not in redact(text)
        assert "(hidden)" in redact(text)
    assert redact('se"cr/et+key-and-more.') == "(hidden)."
    assert redact("a short text, not a secret at all") == "a short text, not a secret at all"
    assert redact("se%22", find_secrets()) == "se%22"
