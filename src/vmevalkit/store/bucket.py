"""A data folder, or one experiment, copied to a bucket of S3 and back.

Records come last: a reader of the bucket, or of the folder, never sees a record whose files are missing. Each object is
compared by its checksum, so a call that was interrupted continues where it was.
"""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import partial
from hashlib import md5, sha256
from pathlib import Path, PurePosixPath
from typing import Any

from vmevalkit.core.errors import ConflictError, SetupError, StoreError, UsageError
from vmevalkit.core.extras import make_install_command
from vmevalkit.store import layout
from vmevalkit.store.atomic import lock, scratch_folder
from vmevalkit.store.foreign_file import open_foreign_file

OnDone = Callable[[int, int], None]
_PARTS = (layout.OUTPUTS.name, layout.EVALUATIONS.name, layout.REPORTS.name)
"""Folders of the data folder that have a folder for each experiment."""
_CONNECTIONS = 8
_ATTEMPTS = 4
_PAUSE_S = 0.5
_TIMEOUT_S = 60
_DIGEST = "sha256"
"""Key of the digest in an object's own metadata."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """The result of a push or a pull."""

    copied: int
    kept: int
    """Files that were there already, with the same content."""
    copied_bytes: int
    left_out: tuple[str, ...] = ()
    """Objects that have the name of a folder: on a disk a name is a file or a folder, not both."""


@dataclass(frozen=True, slots=True)
class _Object:
    """An object of the bucket, as a listing describes it."""

    key: str
    size: int
    etag: str


class Bucket:
    """One prefix of a bucket. Credentials and the address of the service come from the usual AWS settings."""

    def __init__(self, url: str) -> None:
        scheme, _, place = url.partition("://")
        name, _, prefix = place.partition("/")
        if scheme != "s3" or not name:
            raise UsageError(f"{url!r} is not a place in a bucket; write s3://BUCKET/PREFIX")
        self.url = url.rstrip("/")
        self._root = f"{name}/{prefix}".strip("/")
        self._files = _open_s3()

    def list_objects(self, folders: Iterable[str]) -> dict[str, _Object]:
        """Return all objects below these folders by their path below the prefix."""
        found: dict[str, _Object] = {}
        for folder in folders:
            listed = self._call(partial(self._files.find, f"{self._root}/{folder}", detail=True))
            for key, about in listed.items():
                name = key.removeprefix(f"{self._root}/")
                if _is_safe(name):
                    found[name] = _Object(key, int(about["size"]), str(about.get("ETag", "")).strip('"'))
        return found

    def is_same(self, path: Path, known: _Object) -> bool:
        """Whether a local file has the content of an object."""
        if path.stat().st_size != known.size:
            return False
        if _is_md5(known.etag):
            return _digest(path, md5) == known.etag
        return _digest(path, sha256) == self._read_digest(known)

    def upload(self, path: Path, name: str) -> int:
        """Upload a file. The service refuses it where it did not arrive as it was sent."""
        extra: dict[str, Any] = {"Metadata": {_DIGEST: _digest(path, sha256)}}
        size = path.stat().st_size
        if size < 5 << 20:
            content = path.read_bytes()
            extra["ContentMD5"] = base64.b64encode(md5(content).digest()).decode()
            self._call(lambda: self._files.pipe_file(f"{self._root}/{name}", content, **extra))
        else:
            self._call(lambda: self._files.put_file(str(path), f"{self._root}/{name}", **extra))
        return size

    def download(self, known: _Object, path: Path) -> int:
        """Download an object. The file appears complete, and only with the right content."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with scratch_folder(path) as aside:
            arrived = aside / path.name

            def fetch() -> None:
                self._files.get_file(known.key, str(arrived))
                if not self.is_same(arrived, known):
                    raise OSError(f"{known.key} arrived with another content")

            self._call(fetch)
            arrived.replace(path)
        return known.size

    def _read_digest(self, known: _Object) -> str | None:
        """Return the digest that this program stored with an object; None for an object that another one made."""
        about: Mapping[str, Any] = self._call(lambda: self._files.metadata(known.key))
        return about.get(_DIGEST)

    def _call(self, action: Callable[[], Any]) -> Any:
        """Call the service. s3fs and botocore repeat most calls themselves; what breaks off in the middle is left."""
        from botocore.exceptions import BotoCoreError, NoCredentialsError, PartialCredentialsError

        for attempt in range(_ATTEMPTS):
            try:
                return action()
            except (NoCredentialsError, PartialCredentialsError) as error:
                raise SetupError(
                    f"no credentials for {self.url}: {error}; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
                    "or AWS_PROFILE"
                ) from error
            except (PermissionError, FileNotFoundError) as error:
                raise StoreError(
                    f"{self.url}: {error}; check the name of the bucket and what the credentials allow"
                ) from error
            except (OSError, BotoCoreError, *_connection_errors()) as error:
                if attempt == _ATTEMPTS - 1:
                    raise StoreError(f"{self.url}: {error}; run the command again, it continues") from error
                time.sleep(_PAUSE_S * 2**attempt)
        raise AssertionError("unreachable")


def push(
    data: Path | str,
    url: str,
    experiment: str | None = None,
    *,
    force: bool = False,
    on_done: OnDone | None = None,
) -> Transfer:
    """Copy a data folder, or one experiment of it, to ``s3://BUCKET/PREFIX``.

    Objects with another content raise a ConflictError before anything is sent, unless ``force`` is set."""
    root, bucket = Path(data), Bucket(url)
    files = list_files_to_push(root, _folders(experiment))
    if not files:
        where = root if experiment is None else f"{root} of the experiment {experiment!r}"
        raise StoreError(f"there is nothing to push in {where}; name the folder with --data")
    existing = bucket.list_objects(_folders(experiment))
    changed = _compare(bucket, files, {name: existing[name] for name in files if name in existing})
    if changed and not force:
        raise ConflictError(
            f"{len(changed)} objects below {bucket.url} have another content, such as {changed[0]}; "
            "choose another prefix, or replace them with --force"
        )
    todo = [name for name in files if name not in existing or name in set(changed)]
    return _copy(todo, len(files), lambda name: bucket.upload(files[name], name), on_done)


def pull(
    url: str,
    data: Path | str,
    experiment: str | None = None,
    *,
    force: bool = False,
    on_done: OnDone | None = None,
) -> Transfer:
    """Copy what is below ``s3://BUCKET/PREFIX``, or one experiment of it, into a data folder.

    Files with another content raise a ConflictError before anything is written, unless ``force`` is set."""
    root, bucket = Path(data), Bucket(url)
    objects = bucket.list_objects(_folders(experiment))
    if not objects:
        what = "nothing" if experiment is None else f"no experiment {experiment!r}"
        raise StoreError(f"there is {what} below {bucket.url}; check the bucket and the prefix")
    left_out = find_folder_objects(objects, root)
    objects = {name: known for name, known in objects.items() if name not in left_out}
    with lock(root, "pull"):
        files = {name: root / name for name in objects if (root / name).is_file()}
        changed = _compare(bucket, files, objects)
        if changed and not force:
            raise ConflictError(
                f"{len(changed)} files in {root} have another content than in {bucket.url}, such as {changed[0]}; "
                "choose another folder, or replace them with --force"
            )
        todo = [name for name in objects if name not in files or name in set(changed)]
        done = _copy(todo, len(objects), lambda name: bucket.download(objects[name], root / name), on_done)
        return replace(done, left_out=left_out)


def rank(name: str) -> int:
    """Return when a file is copied: what a record is about before the record, and the index of everything last."""
    path = PurePosixPath(name)
    if path.name == layout.INDEX or path.parts[0].endswith("_tasks"):
        return 4
    if path.parts[0] == layout.EVALUATIONS.name and layout.is_score_file(path.name):
        return 3
    if path.name == layout.RUN_RECORD or path.match("journal*.jsonl"):
        return 2
    return 1 if path.name == layout.QUESTION_RECORD else 0


def _folders(experiment: str | None) -> list[str]:
    if experiment is None:
        return [""]
    return [f"{part}/{layout.folder_name(experiment)}/" for part in _PARTS]


def list_files_to_push(root: Path, folders: Iterable[str]) -> dict[str, Path]:
    """Return the visible files below these folders by their path below the root.

    Raises StoreError for a link that leads out of them: what it leads to would be published."""
    found: dict[str, Path] = {}
    for folder in folders:
        for place, inside, names in os.walk(root / folder):
            inside[:] = sorted(name for name in inside if not name.startswith("."))
            for name in sorted(names):
                path = Path(place, name)
                if name.startswith(".") or not path.is_file() or layout.is_private(path):
                    continue
                if path.is_symlink():
                    open_foreign_file(root / folder, path.relative_to(root / folder)).close()
                found[path.relative_to(root).as_posix()] = path
    return found


def find_folder_objects(names: Collection[str], root: Path) -> tuple[str, ...]:
    """Return the objects that are named like a folder: of other objects, or of the data folder."""
    folders = {parent.as_posix() for name in names for parent in PurePosixPath(name).parents}
    return tuple(sorted(name for name in names if name in folders or (root / name).is_dir()))


def _compare(bucket: Bucket, files: Mapping[str, Path], objects: Mapping[str, _Object]) -> list[str]:
    """Return the names that exist on both sides with another content."""
    names = sorted(files.keys() & objects.keys())
    with ThreadPoolExecutor(_CONNECTIONS) as threads:
        same = threads.map(lambda name: bucket.is_same(files[name], objects[name]), names)
        return [name for name, is_same in zip(names, same, strict=True) if not is_same]


def _copy(names: Sequence[str], total: int, copy: Callable[[str], int], on_done: OnDone | None) -> Transfer:
    """Copy files, those of one rank at a time. The first failure ends it, before any record of a later rank."""
    kept = total - len(names)
    finished, size = kept, 0
    if on_done:
        on_done(finished, total)
    for each in sorted({rank(name) for name in names}):
        with ThreadPoolExecutor(_CONNECTIONS) as threads:
            pending = [threads.submit(copy, name) for name in names if rank(name) == each]
            try:
                for future in as_completed(pending):
                    size += future.result()
                    finished += 1
                    if on_done:
                        on_done(finished, total)
            except BaseException:
                threads.shutdown(cancel_futures=True)
                raise
    return Transfer(len(names), kept, size)


def _open_s3() -> Any:
    try:
        from s3fs import S3FileSystem
    except ImportError as error:
        raise SetupError(f"a bucket needs s3fs: {make_install_command('s3')}") from error
    timeouts = {"connect_timeout": _TIMEOUT_S, "read_timeout": _TIMEOUT_S, "max_pool_connections": _CONNECTIONS}
    retries = {"retries": {"max_attempts": 5, "mode": "standard"}}
    return S3FileSystem(
        anon=False, use_listings_cache=False, skip_instance_cache=True, config_kwargs={**timeouts, **retries}
    )


def _connection_errors() -> tuple[type[Exception], ...]:
    from aiohttp import ClientError
    from botocore.exceptions import ClientError as ServiceError

    return ClientError, ServiceError, TimeoutError


def _is_safe(name: str) -> bool:
    """Whether an object may become a file below the data folder: no hidden name, no way out of the folder."""
    parts = name.split("/")
    return bool(name) and all(part and not part.startswith(".") and "\0" not in part for part in parts)


def _is_md5(etag: str) -> bool:
    """Whether an ETag is the MD5 of the content: not for an object in several parts, or under a key of KMS."""
    return len(etag) == 32 and all(letter in "0123456789abcdef" for letter in etag)


def _digest(path: Path, kind: Callable[[], Any]) -> str:
    digest = kind()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return str(digest.hexdigest())
