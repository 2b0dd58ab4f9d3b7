"""Downloads of videos to a file: streamed, with a size limit."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import ModelError, StoreError
from vmevalkit.core.remote import Failed, Finished, Pending, Ticket
from vmevalkit.models._errors import DOWNLOAD, ErrorMapper, ErrorResponse


class ExpiredUrl(ModelError):
    """The URL of a video is no longer valid. Polling the job again may give a new one."""


def make_size_error(name: str, limit_bytes: int) -> ModelError:
    return ModelError(f"the video of {name} is larger than {limit_bytes:,} bytes; raise the limit to download it")


async def save_stream(chunks: AsyncIterator[bytes], into: Path, limit_bytes: int, name: str) -> None:
    """Write a video as it arrives. A file that is too large or incomplete is removed."""
    written = 0
    try:
        with into.open("wb") as file:
            async for chunk in chunks:
                written += len(chunk)
                if written > limit_bytes:
                    raise make_size_error(name, limit_bytes)
                file.write(chunk)
    except OSError as error:
        into.unlink(missing_ok=True)
        raise StoreError(
            f"cannot write the video of {name} at {into}: {error.strerror}; free some space and run again"
        ) from error
    except BaseException:
        into.unlink(missing_ok=True)
        raise


async def save_bytes(video: bytes, into: Path, limit_bytes: int, name: str) -> None:
    """Write a video that came inside a response."""

    async def chunks() -> AsyncIterator[bytes]:
        yield video

    await save_stream(chunks(), into, limit_bytes, name)


async def download_video(
    client: Any, url: str, into: Path, limit_bytes: int, errors: ErrorMapper, headers: Mapping[str, str] | None = None
) -> None:
    """Stream the file at ``url``, with an ``AsyncClient`` of httpx or of its successor.

    ``headers`` are sent to this URL only, not to one that it redirects to.
    """
    redirect = None
    with errors.map_errors(DOWNLOAD):
        async with client.stream("GET", url, headers=dict(headers or {}), follow_redirects=not headers) as response:
            if response.is_redirect:
                redirect = str(response.next_request.url)
            else:
                await save_response(response, into, limit_bytes, errors)
    if redirect is not None:
        await download_video(client, redirect, into, limit_bytes, errors)


async def save_response(response: Any, into: Path, limit_bytes: int, errors: ErrorMapper) -> None:
    """Write the body of a streamed response."""
    if response.status_code in (403, 404, 410):
        raise ExpiredUrl(f"the video of {errors.spec.name} is no longer at its URL ({response.status_code})")
    if response.status_code >= 400:
        await response.aread()
        error = ErrorResponse.parse(response.status_code, response.headers, response.text)
        raise errors.map_response(error, DOWNLOAD)
    if int(response.headers.get("content-length", 0)) > limit_bytes:
        raise make_size_error(errors.spec.name, limit_bytes)
    await save_stream(response.aiter_bytes(), into, limit_bytes, errors.spec.name)


async def download_by_url(
    done: Finished,
    poll: Callable[[Ticket], Awaitable[Pending | Finished | Failed]],
    download: Callable[[str], Awaitable[None]],
) -> None:
    """Download a video from its URL. Where the URL has expired, poll once for a new one."""
    if done.url is None:
        raise ModelError(f"the provider gave no URL for the video of job {done.ticket.id}")
    try:
        await download(done.url)
    except ExpiredUrl:
        again = await poll(done.ticket)
        if not isinstance(again, Finished) or again.url is None or again.url == done.url:
            raise
        await download(again.url)
