"""Films from a provider to a file: streamed, and never larger than a limit."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import ModelError, StoreError
from vmevalkit.models._talk import Said, Talk
from vmevalkit.models.model import Done, Failed, Pending, Ticket


class Expired(ModelError):
    """The address of a film is no longer good: a fresh one may be had by asking for the job again."""


def too_large(name: str, limit_bytes: int) -> ModelError:
    return ModelError(f"the film of {name} is larger than {limit_bytes:,} bytes; raise the limit to take it")


async def save(chunks: AsyncIterator[bytes], into: Path, limit_bytes: int, name: str) -> None:
    """Write a film as it comes. What was written of one that is too large, or that breaks off, is removed."""
    written = 0
    try:
        with into.open("wb") as file:
            async for chunk in chunks:
                written += len(chunk)
                if written > limit_bytes:
                    raise too_large(name, limit_bytes)
                file.write(chunk)
    except OSError as error:
        into.unlink(missing_ok=True)
        raise StoreError(
            f"cannot write the film of {name} at {into}: {error.strerror}; make room, run again"
        ) from error
    except BaseException:
        into.unlink(missing_ok=True)
        raise


async def save_whole(film: bytes, into: Path, limit_bytes: int, name: str) -> None:
    """Write a film that came inside an answer."""

    async def at_once() -> AsyncIterator[bytes]:
        yield film

    await save(at_once(), into, limit_bytes, name)


async def download(
    client: Any, url: str, into: Path, limit_bytes: int, talk: Talk, headers: Mapping[str, str] | None = None
) -> None:
    """Stream what lies at ``url``, with an ``AsyncClient`` of httpx or of its successor.

    ``headers`` go to that address alone and never along a redirect.
    """
    elsewhere = None
    with talk.about("the download"):
        async with client.stream("GET", url, headers=dict(headers or {}), follow_redirects=not headers) as response:
            if response.is_redirect:
                elsewhere = str(response.next_request.url)
            else:
                await take(response, into, limit_bytes, talk)
    if elsewhere is not None:
        await download(client, elsewhere, into, limit_bytes, talk)


async def take(response: Any, into: Path, limit_bytes: int, talk: Talk) -> None:
    """Write the body of a streamed response."""
    if response.status_code in (403, 404, 410):
        raise Expired(f"the film of {talk.spec.name} is no longer at its address ({response.status_code})")
    if response.status_code >= 400:
        await response.aread()
        raise talk.answer(Said.of(response.status_code, response.headers, response.text), "the download")
    if int(response.headers.get("content-length", 0)) > limit_bytes:
        raise too_large(talk.spec.name, limit_bytes)
    await save(response.aiter_bytes(), into, limit_bytes, talk.spec.name)


async def by_address(
    done: Done,
    poll: Callable[[Ticket], Awaitable[Pending | Done | Failed]],
    load: Callable[[str], Awaitable[None]],
) -> None:
    """Fetch a film from its address; where that has expired, ask once for a fresh one."""
    if done.url is None:
        raise ModelError(f"the provider gave no address for the film of job {done.ticket.id}")
    try:
        await load(done.url)
    except Expired:
        again = await poll(done.ticket)
        if not isinstance(again, Done) or again.url is None or again.url == done.url:
            raise
        await load(again.url)
