"""Which files are meant (paths, globs, folders, path templates, labels), and their bytes.

Sources become a list of files; `Siblings` lists the files beside one, `Fetch` and `raw` read them.
Siblings are told by the folder or the archive alone: the content of a file never names another.
"""

from __future__ import annotations

import errno
import fnmatch
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path, PurePosixPath
from stat import S_IFBLK, S_IFCHR, S_IFDIR, S_IFIFO, S_IFMT, S_IFSOCK, S_ISDIR, S_ISLNK
from typing import TYPE_CHECKING, Any, NamedTuple

from fiotools import units
from fiotools.errors import SchemaError, UnknownFormatError, typed
from fiotools.files import NAME, natural
from fiotools.files.memory import refuse_too_large
from fiotools.tables import resting
from fiotools.vocabulary import COLUMNS, CONDITIONS

if TYPE_CHECKING:
    from fiotools.files.remote import Stat

_FIELD = re.compile(r"\{([^{}]*)\}")
_NAME = re.compile(rf"({NAME})(:d)?")
_HIDDEN = re.compile(r"(?:^|/)\.")
_URL = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)  # a drive of Windows is one letter
_WILD = re.compile(r"[*?\[]")
_PARTS = re.compile(r"(\*\*/|\*\*|\*|\?|\[!?\]?[^\]/]*\])")  # of a glob
_NOT_PLAIN = re.compile(r"\\|//|(?:^|/)\.(?:/|$)|./$")  # not as pathlib writes it
_NO_FILES = {
    S_IFIFO: "a named pipe",
    S_IFSOCK: "a socket",
    S_IFCHR: "a device",
    S_IFBLK: "a device",
}
_OPENED = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")  # a process is at the other end already
_GONE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG}
_HOW = os.O_RDONLY | getattr(os, "O_BINARY", 0)


class Found(NamedTuple):
    """One file to read."""

    place: str  # where it lies
    name: str  # the path as it was given, with ``/``
    labels: Mapping[str, Any]  # columns that the path or the caller gives to its rows
    named: bool  # whether it was named itself, not found by a folder or a glob
    member: str | None = None  # the file within, if ``place`` is a zip archive
    stat: Stat | None = None  # size and time from a list of files, if ``place`` is a URL
    # whether ``place`` may be a symbolic link; False if the folder's list says that it is not
    is_link: bool = True

    @property
    def path(self) -> Path:
        """The place as a path."""
        return Path(self.place)


def is_url(place: str) -> bool:
    """Return whether a place is a URL for fsspec, not a path of this machine.

    Examples
    --------
    >>> is_url("s3://bucket/a.json"), is_url("C:/a.json"), is_url("a.json")
    (True, False, False)
    """
    return "://" in place and _URL.match(place) is not None


@resting()
def find(sources: Any) -> list[Found]:
    """List the files meant, in a fixed order, each once.

    Raises
    ------
    FileNotFoundError
        If a source matches nothing.
    SchemaError
        If a template is malformed, or names a column of the vocabulary that is not a condition.
    """
    if isinstance(sources, Mapping):
        pairs = [({"label": str(label)}, part) for label, part in sources.items()]
    else:
        pairs = [({}, sources)]
    found: dict[tuple[Any, ...], Found] = {}
    folders: dict[str, str] = {}
    for labels, part in pairs:
        one = isinstance(part, (str, bytes, PathLike))
        if not one and not isinstance(part, Iterable):
            raise TypeError(f"a path, a list of paths or a mapping is needed, not {part!r}")
        for source in [part] if one else part:
            for file in _expand(os.fsdecode(source), labels):
                key = (*real_place(file, folders), file.member, *file.labels.items())
                found.setdefault(key, file if file.name.isascii() else _shown(file))
    if not found:
        raise FileNotFoundError("no files were given")
    return list(found.values())


def real_place(file: Found, folders: dict[str, str]) -> tuple[str, str]:
    """Return folder and name of a file, the same ones however its path is spelled."""
    is_link = file.is_link and os.path.islink(file.place)
    folder, name = os.path.split(os.path.realpath(file.place) if is_link else file.place)
    real = folders.get(folder)
    if real is None:  # of a thousand files most lie in one folder
        real = folders[folder] = os.path.realpath(folder)
    return real, name


def _shown(file: Found) -> Found:
    labels = {name: as_text(value) for name, value in file.labels.items()}
    return file._replace(name=as_text(file.name), labels=labels)


def as_text(value: Any) -> Any:
    """Escape the bytes of a name that are not text: frames hold text only."""
    if not isinstance(value, str):
        return value
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _expand(source: str, labels: Mapping[str, Any]) -> Iterator[Found]:
    source = source.replace("\\", "/") if "\\" in source and not _mode(source) else source
    source = local(source)
    if is_url(source):
        yield from _remote(source, labels)
        return
    place = Path(source).as_posix() if _NOT_PLAIN.search(source) else source
    try:
        mode = _mode(source)
    except OSError:  # reading it will say why, and what is named beside it is read
        yield Found(place, place, labels, named=True)
        return
    is_link = S_ISLNK(mode)
    if S_ISDIR(_mode(source, os.stat) if is_link else mode):
        files = list(_in_folder(place, labels))
        if not files:
            raise FileNotFoundError(f"{source}: the folder holds no files to read")
        yield from files
    elif mode:
        yield from _file(place, labels, named=True, is_link=is_link)
    else:
        yield from _matching(source, labels)


def _matching(source: str, labels: Mapping[str, Any]) -> Iterator[Found]:
    """Take the files that a template or a glob names."""
    rest = source.removeprefix(_root(source))
    if "\n" in rest:
        remedy = typed("reads() reads a text", "fiotools read - reads what is piped into it")
        raise FileNotFoundError(f"{source[:40]!r}: no such file or folder; {remedy}")
    if _FIELD.search(rest):
        yield from _template(source, labels)
        return
    wild = _WILD.search(rest) is not None
    places, closed = _glob(source)
    yield from (Found(place, place, labels, named=False) for place in closed)
    if not places and not closed:
        wanted = "file matches" if wild else "such file or folder"
        raise FileNotFoundError(f"{source}: no {wanted}")
    for place, member in places:
        if member is None:
            yield from _file(place, labels, named=not wild)
        else:
            yield Found(place, f"{place}/{member}", labels, named=not wild, member=member)


def _root(source: str) -> str:
    """Return the longest beginning that is a folder, with ``/``: its name stands for itself."""
    end = source.rfind("/") + 1
    while end and not S_ISDIR(_mode(source[:end], os.stat)):
        end = source.rfind("/", 0, end - 1) + 1
    return source[:end]


def local(place: str) -> str:
    """Return the path of a ``file://`` URL; other places as they are."""
    if not place.startswith("file://"):
        return place
    from fiotools.files import remote

    return remote.file_system(place)[1]


def _mode(place: str, ask: Callable[[str], os.stat_result] = os.lstat) -> int:
    """Return what a place is, not following a link by default; 0 if there is nothing."""
    try:
        return ask(place).st_mode
    except ValueError:
        return 0
    except OSError as error:
        if error.errno not in _GONE:
            raise
        return 0


def _remote(source: str, labels: Mapping[str, Any]) -> Iterator[Found]:
    """Take the files that a URL names."""
    if _FIELD.search(source):
        yield from _template(source, labels)
        return
    from fiotools.files import remote

    what, files = remote.find(source)
    if what == "folder":
        files = [(url, stat) for url, stat in files if _holds_data(url.removeprefix(source))]
    if not files:
        raise FileNotFoundError(f"{source}: no such file, and no file below it or like it")
    for url, stat in files:
        yield Found(url, url, labels, named=what == "file", stat=stat)


def _in_folder(top: str, labels: Mapping[str, Any]) -> Iterator[Found]:
    """Take the files of a folder and those below it, name after name.

    Files that cannot be listed or opened are taken too, so that reading them says why.
    """
    left = [iter(_listed(top))]  # of each folder on the way: they may be thousands deep
    while left:
        place, entry = next(left[-1], ("", None))
        if not place:
            left.pop()
        elif entry is None:
            yield Found(place, place, labels, named=False)
        elif _is_folder(entry):
            if not entry.name.startswith("."):
                left.append(iter(_listed(place)))
        elif not _holds_data(entry.name) or ((link := entry.is_symlink()) and os.path.isdir(place)):
            continue
        elif is_zip(place):
            yield from _file(place, labels, named=False)
        else:
            yield Found(place, place, labels, False, None, None, link)


def _listed(folder: str) -> list[tuple[str, os.DirEntry[str] | None]]:
    """List a folder by name, with places; if not all of it can be listed, its own place, too."""
    entries: list[os.DirEntry[str]] = []
    closed: list[tuple[str, None]] = []
    try:
        with os.scandir(folder) as listed:
            entries.extend(listed)  # keeps those before an error
    except OSError:
        closed = [(folder, None)]
    entries.sort(key=lambda entry: natural(entry.name))
    start = "" if folder == "." else folder.rstrip("/") + "/"
    return [*((start + entry.name, entry) for entry in entries), *closed]


def _is_folder(entry: os.DirEntry[str], *, follow: bool = False) -> bool:
    try:
        return entry.is_dir(follow_symlinks=follow)
    except OSError:
        return False


def refuse_no_file(file: Found) -> int:
    """Refuse anything but a file before it is opened: reading a pipe or a terminal would wait.

    Return its size, if it is not elsewhere.

    Raises
    ------
    UnknownFormatError
        If it is something else; or if a folder or a glob named it, and it is not there.
    """
    if file.stat is not None:  # a URL
        return 0
    try:
        found = os.stat(file.place)
    except OSError as error:
        if file.named or error.errno not in _GONE - {errno.ENAMETOOLONG}:
            raise
        is_link = os.path.islink(file.place)
        why = "this is a broken link" if is_link else "is not there any more"
        raise UnknownFormatError(file.name, why) from None
    kind = S_IFMT(found.st_mode)
    if kind == S_IFDIR:
        os.listdir(file.place)  # which could not be listed, and says why
    what = _NO_FILES.get(kind)
    if what and not (kind == S_IFIFO and file.place.startswith(_OPENED)):
        remedy = "copy what comes from it into a file, and read that"
        raise UnknownFormatError(file.name, f"this is {what}, not a file", remedy=remedy)
    return found.st_size


def _file(
    place: str, labels: Mapping[str, Any], *, named: bool, is_link: bool = True
) -> Iterator[Found]:
    """Take a file, or the files of a zip archive as those of a folder."""
    inside = _members(place) if is_zip(place) else None
    if not inside:  # a damaged archive says so when it is read, like any bad file
        yield Found(place, place, labels, named, is_link=is_link)
        return
    inside = list(filter(_holds_data, inside))
    if not inside and named:
        raise FileNotFoundError(f"{place}: the archive holds no files to read")
    for member in inside:
        one = named and len(inside) == 1
        yield Found(place, f"{place}/{member}", labels, named=one, member=member)


def is_zip(place: str) -> bool:
    """Return whether a place is named as a zip archive."""
    return place[-4:].lower() == ".zip"


def _members(place: str) -> list[str] | None:
    """List the files in an archive; None if it is not an archive, or cannot be read."""
    from fiotools.files import packing

    return packing.list_or_none(Path(place))


def _glob(pattern: str) -> tuple[list[tuple[str, str | None]], list[str]]:
    """List the files that a pattern names, and what cannot be listed on the way.

    Files in a zip archive are (archive, member).
    """
    found, closed = _matches(pattern)
    places: list[tuple[str, str | None]] = [
        (Path(name).as_posix(), None) for name in found if not os.path.isdir(name)
    ]
    if places or ".zip/" not in pattern.lower():
        return places, closed
    end = pattern.lower().index(".zip/") + len(".zip")
    inside = pattern[end + 1 :]
    within = re.compile(_regex(inside))
    found, closed = _matches(pattern[:end])
    places = [
        (Path(path).as_posix(), member)
        for path in found
        for member in _members(path) or ()
        if member == inside or within.fullmatch(member)
    ]
    return places, closed


def _matches(pattern: str) -> tuple[list[str], list[str]]:
    """List what a pattern names, as the module glob does, and what cannot be listed on the way.

    glob is silent about the latter, and ends at folders that are a thousand deep.
    """
    root = _root(pattern)
    parts = pattern[len(root) :].split("/")
    found: dict[str, None] = {root: None}
    closed: dict[str, None] = {}
    for number, part in enumerate(parts, start=1):
        is_last = number == len(parts)
        found = {
            place: None
            for start in found
            for place in _of_part(start, part, closed, only_folders=not is_last)
        }
    return sorted(found, key=natural), list(closed)


def _of_part(
    start: str, part: str, closed: dict[str, None], *, only_folders: bool
) -> Iterator[str]:
    """Yield what one part of a pattern names in a folder; folders with ``/`` if only these."""
    end = "/" if only_folders else ""
    if not _WILD.search(part):
        try:
            if _mode(start + part):
                yield start + part + end
        except OSError:
            closed[start + part] = None
        return
    matches = re.compile(fnmatch.translate(os.path.normcase(part))).match
    left = [start]
    if part == "**" and only_folders:
        yield start
    while left:
        start = left.pop()
        for place, entry in _listed(start.rstrip("/") or start or "."):
            if entry is None:
                closed[place] = None
                continue
            if entry.name.startswith(".") and not part.startswith("."):
                continue
            is_folder = _is_folder(entry, follow=True)
            if is_folder and part == "**":
                left.append(f"{place}/")
            if (is_folder or not only_folders) and matches(os.path.normcase(entry.name)):
                yield place + end


def _holds_data(path: str) -> bool:
    """Whether a file may hold results, by its path below the folder that is read."""
    name = path.rpartition("/")[2]
    is_beside = name.startswith("README") or name in ("published.csv", "manifest.jsonl")
    return not (is_beside or _HIDDEN.search(path))


def _template(source: str, labels: Mapping[str, Any]) -> Iterator[Found]:
    """Match files against a template; ``{name}`` never matches ``/``, ``{name:d}`` only digits."""
    root = ""
    if not is_url(source):
        source = Path(source).as_posix()  # "./a" and "a" are one path
        root = _root(source)
    rest = source.removeprefix(root)
    numbers, pattern = set(), re.escape(root)
    for at, part in enumerate(_FIELD.split(rest)):
        if at % 2 == 0:
            pattern += _regex(part)
            continue
        name, is_number = _field(source, part, labels)
        if is_number:
            numbers.add(name)
        if f"(?P<{name}>" in pattern:
            pattern += f"(?P={name})"
        else:
            pattern += f"(?P<{name}>{'[0-9]+' if is_number else '[^/]+?'})"
    matcher, count = re.compile(pattern), 0
    candidates, closed = _candidates(root + _FIELD.sub("*", rest))
    yield from (Found(place, place, labels, named=False) for place in closed)
    for place, member, stat in candidates:
        whole = place if member is None else f"{place}/{member}"
        match = matcher.fullmatch(whole)
        if match:
            count += 1
            values = {
                field: _value(source, field, text, number=field in numbers)
                for field, text in match.groupdict().items()
            }
            yield Found(place, whole, {**labels, **values}, True, member, stat)
    if not count and not closed:
        raise FileNotFoundError(f"{source}: no file matches the template")


def _field(source: str, text: str, labels: Mapping[str, Any]) -> tuple[str, bool]:
    """Return the name of a field, and whether it takes digits only."""
    name = _NAME.fullmatch(text)
    if not name:
        raise SchemaError(
            f"{source}: {{{text}}} is not a field; write {{name}} or {{name:d}}, "
            "with a name of a-z, 0-9 and _ that does not begin with a digit"
        )
    if name[1] in COLUMNS and name[1] not in CONDITIONS:
        raise SchemaError(
            f"{source}: {name[1]!r} is a column that the files fill; choose another field name"
        )
    if name[1] in labels:
        raise SchemaError(f"{source}: the mapping gives {name[1]!r} already; rename the field")
    return name[1], name[2] is not None


def _candidates(
    pattern: str,
) -> tuple[Iterable[tuple[str, str | None, Stat | None]], list[str]]:
    """List the files that a pattern names, here or elsewhere, and what cannot be listed."""
    if is_url(pattern):
        from fiotools.files import remote

        _, files = remote.find(pattern)
        return ((url, None, stat) for url, stat in files), []
    places, closed = _glob(pattern)
    return ((place, member, None) for place, member in places), closed


def _value(source: str, field: str, text: str, *, number: bool) -> Any:
    """Read a field's text: a condition in its column's type ("4k", "true"), others as they are."""
    if not number and field not in CONDITIONS:
        return text
    column = COLUMNS.get(field)
    try:
        if number or column is None:
            return _whole_number(text)
        if column.dtype == "boolean":
            return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
        if column.dtype == "str":
            return text
        value = units.size(text) if column.unit == "B" else float(text)
        return _whole_number(value) if column.dtype == "Int64" else value
    except (KeyError, ValueError, OverflowError):
        other = f"{{{field}}} for text" if number else f"{{{field}:d}} for digits"
        raise SchemaError(
            f"{source}: {text!r} is not a value of {field}; write {other}, or rename the field"
        ) from None


def _whole_number(value: str | float) -> int:
    """Return a number that a column of whole numbers can hold."""
    whole = int(value)
    if whole.bit_length() > 63:
        raise OverflowError
    return whole


def _regex(literal: str) -> str:
    """Translate the text between fields, in which wildcards mean what they mean in a glob."""
    wild = {"**/": r"(?:[^/]+/)*", "**": r"(?s:.)*", "*": r"[^/]*", "?": r"[^/]"}
    out = ""
    for part in _PARTS.split(literal):
        if part in wild:
            out += wild[part]
        elif _PARTS.fullmatch(part):  # [0-9]; fnmatch puts (?s: and )\Z around it
            out += rf"(?!/){fnmatch.translate(part)[4:-3]}"
        else:
            out += re.escape(part)
    return out


class Siblings:
    """Files of one kind beside other files.

    Parameters
    ----------
    called : callable
        Given a file's name, under which name it is listed; None leaves it out.
    largest : int, optional
        Bytes beyond which a file of a folder is left out.
    """

    def __init__(self, called: Callable[[str], str | None], largest: int | None = None) -> None:
        self._called, self._largest = called, largest
        self._folders: dict[tuple[object, ...], dict[str, Found]] = {}

    def of(self, file: Found) -> dict[str, Found]:
        """Return the files of a file's folder, by name."""
        key = folder(file)
        if key not in self._folders:
            names = sorted(_in_archive(file) if file.member else self._files(file))
            self._folders[key] = {
                called: _sibling(file, name)
                for name in names
                if (called := self._called(name)) is not None
            }
        return self._folders[key]

    def _files(self, file: Found) -> Iterator[str]:
        with suppress(OSError), os.scandir(file.path.parent) as entries:
            for entry in entries:
                if self._called(entry.name) is not None and self._is_taken(entry):
                    yield entry.name

    def _is_taken(self, entry: os.DirEntry[str]) -> bool:
        try:
            is_small = self._largest is None or entry.stat().st_size <= self._largest
            return is_small and entry.is_file()
        except OSError:  # a link that leads to itself
            return False


def folder(file: Found) -> tuple[object, ...]:
    """Return which folder a file is in, on the disk or in an archive."""
    return file.path.parent, file.member and (file.path, PurePosixPath(file.member).parent)


def _in_archive(file: Found) -> Iterator[str]:
    own = PurePosixPath(file.member or "").parent
    for member in map(PurePosixPath, _members(file.place) or ()):
        if member.parent == own:
            yield member.name


def _sibling(file: Found, name: str) -> Found:
    """Name a file of the same folder as the file itself is named."""
    whole = PurePosixPath(file.name).with_name(name).as_posix()
    if file.member:
        inside = PurePosixPath(file.member).with_name(name).as_posix()
        return file._replace(name=whole, member=inside, labels={})
    return file._replace(place=file.path.with_name(name).as_posix(), name=whole, labels={})


class Fetch:
    """Reads files; those that are elsewhere many at a time.

    Parameters
    ----------
    found : sequence of Found
        Those that will be asked for, in this order.
    """

    def __init__(self, found: Sequence[Found]) -> None:
        self._ahead = None
        elsewhere = [file for file in found if is_url(file.place)]
        if elsewhere:
            from fiotools.files.remote import Ahead

            self._ahead = Ahead([(file.place, file.stat and file.stat.size) for file in elsewhere])

    def __call__(self, file: Found) -> bytes:
        """Read one file."""
        if self._ahead is None or not is_url(file.place):
            return raw(file)
        refuse_too_large((file.stat and file.stat.size) or 0)
        return self._ahead.read(file.place)


def raw(file: Found) -> bytes:
    """Read a file's bytes.

    Raises
    ------
    MemoryError
        If they cannot fit into the memory.
    """
    size = refuse_no_file(file)
    if file.member is not None or is_zip(file.place):
        from fiotools.files import packing

        if file.member is not None:
            return packing.member(file.path, file.member)
        path = file.path
        if packing.is_archive(path) and not packing.members(path):
            raise UnknownFormatError(file.name, "the zip archive is empty")
    refuse_too_large(size)
    return _whole(file.place, size)


def _whole(place: str, size: int) -> bytes:
    """Read a file of a size; a file object would be more than half of the cost of a small one."""
    opened = os.open(place, _HOW)
    try:
        data = os.read(opened, size + 1)
        if len(data) == size:
            return data
        # it grows, or its size is not known before: a pipe, a file of /proc
        with open(opened, "rb", buffering=0, closefd=False) as file:
            if not file.seekable():
                return data + file.read()
            file.seek(0)  # rather read twice than copy the whole
            return file.read()
    except OSError as error:
        error.filename = place  # which only opening says
        raise
    finally:
        os.close(opened)
