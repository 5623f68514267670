"""Files that are not on this machine: found and read by fsspec (``s3://bucket/runs/*.json``).

Keys and endpoints come from fsspec's configuration or the environment, never from arguments, so
that worker processes have them too.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, NamedTuple

from fiotools.files import natural, needed

_AT_ONCE = 64  # requests, and files held
_BYTES = 64 << 20  # that are held
_MAGIC = re.compile(r"[*?\[]")
# names for the time of the last change and the tag of the content, of all kinds of store
_TIMES = ("LastModified", "last_modified", "mtime", "updated", "modified", "created")
_TAGS = ("ETag", "etag", "md5Hash")
# errors of other packages that fsspec does not convert
_FOREIGN = {"botocore.exceptions": "BotoCoreError", "aiohttp": "ClientError"}
# for errors that fsspec makes of a text alone
_NUMBERS = {
    FileNotFoundError: errno.ENOENT,
    PermissionError: errno.EACCES,
    FileExistsError: errno.EEXIST,
    TimeoutError: errno.ETIMEDOUT,
}
_REMEDIES = {
    errno.ENOENT: "are its name and the endpoint right?",
    errno.EACCES: "are the keys right, and may they do this? They are taken from the environment,"
    " or from fsspec's configuration",
}
_REMEDY = "are the network and the endpoint all right? Then do the same again"


class Stat(NamedTuple):
    """One file, as a list of files describes it."""

    size: int | None
    mtime_ns: int | None  # when it was last changed
    etag: str | None  # a tag of its content


def file_system(url: str) -> tuple[Any, str]:
    """Return the file system of a URL, and its own name for the place."""
    fsspec = needed("fsspec", url)
    try:
        system, place = fsspec.url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise OSError(errno.EINVAL, str(error), url) from None
    return system, str(place)


@contextmanager
def as_os_errors(url: str) -> Iterator[None]:
    """Turn errors of fsspec and the packages below it into OSErrors that name the place."""
    foreign = tuple(
        getattr(sys.modules[module], name)
        for module, name in _FOREIGN.items()
        if module in sys.modules
    )
    try:
        yield
    except (OSError, *foreign) as error:
        if getattr(error, "filename", None) is not None:
            raise
        raise _named(error, url) from error


def _named(error: Exception, url: str) -> OSError:
    """Return an error with its place, its reason and what to do; `OSError` picks the kind."""
    kinds = (number for kind, number in _NUMBERS.items() if isinstance(error, kind))
    number = getattr(error, "errno", None) or next(kinds, errno.EIO)
    reason = getattr(error, "strerror", None) or str(error)
    if reason in url:  # fsspec's own errors name only the place
        reason = os.strerror(number)
    return OSError(number, f"{reason.rstrip('.')}; {_REMEDIES.get(number, _REMEDY)}", url)


def find(url: str) -> tuple[Literal["file", "folder", "glob"], list[tuple[str, Stat]]]:
    """Return what a URL is, and list the files that it names, sorted."""
    what: Literal["folder", "glob"] = "folder"
    with as_os_errors(url):
        system, place = file_system(url)
        system.invalidate_cache()  # it may be old
        if _MAGIC.search(place) and not system.exists(place):
            what, found = "glob", system.glob(place, detail=True)
        elif system.isfile(place):
            return "file", [(url, _stat(system.info(place)))]
        else:
            found = system.find(place, detail=True)
    # a file keeps the form of the requested URL
    magic = _MAGIC.search(url) if what == "glob" else None
    base = url.rstrip("/") if magic is None else url[: magic.start()].rpartition("/")[0]
    start = len(str(system._strip_protocol(base)))
    files = [
        (f"{base}/{path[start:].lstrip('/')}", _stat(info))
        for path, info in found.items()
        if info["type"] == "file"
    ]
    return what, sorted(files, key=lambda file: natural(file[0]))


def _stat(info: Mapping[str, Any]) -> Stat:
    time = next((info[name] for name in _TIMES if info.get(name) is not None), None)
    tag = next((str(info[name]).strip('"') for name in _TAGS if info.get(name) is not None), None)
    return Stat(info.get("size"), _nanoseconds(time), tag)


def _nanoseconds(time: Any) -> int | None:
    if isinstance(time, str):
        try:
            time = datetime.fromisoformat(time)
        except ValueError:
            return None
    if isinstance(time, datetime):
        since = (time if time.tzinfo else time.replace(tzinfo=UTC)) - datetime.fromtimestamp(0, UTC)
        return since // timedelta(microseconds=1) * 1000
    return round(time * 1e9) if isinstance(time, int | float) else None


class Ahead:
    """Reads files ahead, many at a time, in the order in which they will be requested."""

    def __init__(self, files: Sequence[tuple[str, int | None]]) -> None:  # with their sizes
        self._files = files
        self._places = {url: at for at, (url, _) in enumerate(files)}
        self._held: dict[str, bytes | Exception] = {}

    def read(self, url: str) -> bytes:
        """Read one file."""
        if url not in self._held:
            self._held = _read(self._next(url))
        data = self._held.pop(url)
        if isinstance(data, OSError):
            raise data
        if isinstance(data, Exception):
            raise OSError(errno.EIO, str(data), url) from data
        return data

    def _next(self, url: str) -> list[str]:
        """Name the file, and as many behind it as there is room for."""
        start = self._places[url]
        urls, room = [url], _BYTES
        for other, size in self._files[start + 1 : start + _AT_ONCE]:
            room -= _BYTES if size is None else size
            if room < 0:
                break
            urls.append(other)
        return urls


def _read(urls: list[str]) -> dict[str, bytes | Exception]:
    system, _ = file_system(urls[0])
    paths = {system._strip_protocol(url): url for url in urls}
    plain = [path for path in paths if not _MAGIC.search(path)]
    found: dict[str, bytes | Exception] = {}
    if plain:
        with as_os_errors(urls[0]):
            for path, data in system.cat(plain, on_error="return").items():
                found[paths[path]] = data
    for path, url in paths.items():
        if url not in found:
            try:
                with as_os_errors(url):  # cat would take it for a glob, or did not find it
                    found[url] = system.cat_file(path)
            except OSError as error:
                found[url] = error
    return found
