"""Models without a row of the catalogue, named by what runs them: ``http:URL``, ``cmd:COMMAND``, and ``fal:ID`` and
``replicate:OWNER/NAME`` for the models of aggregators.

A name may stand before, as in ``mine=cmd:python my.py {image} {prompt} {out}``. Without one, the name is made from the
address or the program, with a digest of the whole, so that the same reference has the same name in every call.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from dataclasses import replace
from pathlib import PurePath
from string import Formatter
from urllib.parse import urlsplit

from vmevalkit.core.errors import UsageError
from vmevalkit.models.model import ModelSpec

FAMILY = "your own"
COMMAND_FIELDS = ("image", "prompt", "prompt_file", "out", "seed", "seconds")
"""What a command's words may contain in braces."""
_REFERENCE = re.compile(r"(?:([\w][\w.+-]{0,79})=)?(cmd|https?|fal|replicate):(.*)", re.S)
_INTERPRETERS = re.compile(r"(python[\d.]*|bash|sh|uv|run|conda|node|env|-.*)")


def is_model_reference(text: str) -> bool:
    """Return whether the text names a server or a command, and not a row of the catalogue."""
    return _REFERENCE.fullmatch(text) is not None


def parse_model_reference(text: str) -> ModelSpec | None:
    """Return the row of a server or a command; None for every other name. Raises UsageError where it is malformed."""
    found = _REFERENCE.fullmatch(text)
    if found is None:
        return None
    name, scheme, rest = found[1], found[2], found[3].strip()
    if scheme == "cmd":
        return _make_command_row(name, rest)
    if scheme in ("fal", "replicate"):
        return _make_aggregator_row(name, scheme, rest)
    return _make_server_row(name, f"{scheme}:{rest}" if rest.startswith("//") else rest)


def _make_server_row(name: str | None, url: str) -> ModelSpec:
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        is_valid = False
    if not is_valid or re.search(r"[\x00-\x20\x7f]", url):
        raise UsageError(f"{url!r} is not a web address; write the model as http://HOST:PORT/PATH")
    if parts.username is not None or parts.query or parts.fragment:
        raise UsageError(
            f"the address of a model at {parts.hostname} has a user, a query or a fragment; leave it out, and set "
            "VMEVALKIT_HTTP_KEY where the server needs a key"
        )
    place = re.sub(r"[^\w.]+", "-", f"{parts.netloc}{parts.path}").strip("-")
    return ModelSpec(
        name=name or _make_name("http", place, url),
        provider="http",
        vendor_id=url,
        family=FAMILY,
        description=f"The server at {url}",
        adapter="vmevalkit.models.http_inference:HttpVideos",
        extra="http",
        packages=("httpx",),
        options={"fit": "unchanged"},
    )


def _make_aggregator_row(name: str | None, provider: str, model: str) -> ModelSpec:
    """Return a row that sends the prompt and the image only: no other field is known."""
    from vmevalkit.models.rows.fal import FAL
    from vmevalkit.models.rows.replicate import HAILUO_2_3

    if re.fullmatch(r"[\w.-]+(/[\w.-]+)+", model) is None or (provider == "replicate" and model.count("/") != 1):
        raise UsageError(f"{model!r} is not an id at {provider}; write it as {provider}:OWNER/NAME")
    row = FAL if provider == "fal" else HAILUO_2_3
    fields = {"prompt": "prompt", "image": "image_url" if provider == "fal" else "image"}
    return replace(
        row,
        name=name or f"{provider}-{model.replace('/', '-')}",
        vendor_id=model,
        description=f"{model} through {provider}, at its default length and resolution",
        sizes=(),
        durations_s=(),
        supported_params=frozenset(),
        options={"fit": "unchanged", "prompt_required": True, "fields": fields},
    )


def _make_command_row(name: str | None, command: str) -> ModelSpec:
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise UsageError(f"the command {command!r} cannot be split into words: {error}") from error
    if not words:
        raise UsageError("the command after cmd: is empty; write it as cmd:'python my.py {image} {prompt} {out}'")
    fields = {field for word in words for field in _list_fields(word, command)}
    for field in sorted(fields - set(COMMAND_FIELDS)):
        known = ", ".join(f"{{{each}}}" for each in COMMAND_FIELDS)
        raise UsageError(f"the command {command!r} contains {{{field}}}; known are {known}; write a brace as {{{{")
    for field in ("image", "out"):
        if field not in fields:
            raise UsageError(f"the command {command!r} lacks {{{field}}}: it must get the image and the output file")
    programs = (word for word in words if not _INTERPRETERS.fullmatch(PurePath(word).name) and "{" not in word)
    return ModelSpec(
        name=name or _make_name("cmd", PurePath(next(programs, words[0])).stem, command),
        provider="cmd",
        vendor_id=command,
        family=FAMILY,
        description=f"The command {command}",
        adapter="vmevalkit.models.command_inference:CommandVideos",
        options={"fit": "unchanged", "command": words},
    )


def _list_fields(word: str, command: str) -> list[str]:
    try:
        parsed = list(Formatter().parse(word))
    except ValueError as error:
        raise UsageError(
            f"the command {command!r} has an odd brace in {word!r} ({error}); write a brace as {{{{"
        ) from error
    if any(spec or conversion for _, _, spec, conversion in parsed):
        raise UsageError(f"the command {command!r} has a format in {word!r}; write only the name in the braces")
    return [field for _, field, _, _ in parsed if field is not None]


def _make_name(kind: str, place: str, reference: str) -> str:
    slug = re.sub(r"[^\w.]+", "-", place).strip("-.")[:60] or "model"
    return f"{kind}-{slug}-{hashlib.sha256(reference.encode()).hexdigest()[:6]}"
