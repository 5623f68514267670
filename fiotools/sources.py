"""Which files are meant: paths, globs, folders, path templates and labels to a list of files."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

from fiotools import archive, units
from fiotools.errors import SchemaError
from fiotools.vocabulary import COLUMNS, CONDITIONS

_FIELD = re.compile(r"\{([^{}]*)\}")
_NAME = re.compile(r"([a-z_]+)(:d)?")
_WILD = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class Found:
    """One file to read.

    Attributes
    ----------
    path : Path
    name : str
        The path as it was given, with ``/``.
    labels : dict
        Columns that the path or the caller gives to its rows.
    named : bool
        Whether it was named itself, and not swept in by a folder or a glob.
    member : str or None
        The file within, where ``path`` is a zip archive.
    """

    path: Path
    name: str
    labels: Mapping[str, Any]
    named: bool
    member: str | None = None


def find(sources: Any) -> list[Found]:
    """List the files meant, in a fixed order, each once.

    Raises
    ------
    FileNotFoundError
        If a source matches nothing.
    SchemaError
        If a template is malformed, or names a column of the vocabulary that is no condition.
    """
    if isinstance(sources, Mapping):
        pairs = [({"label": str(label)}, part) for label, part in sources.items()]
    else:
        pairs = [({}, sources)]
    found: dict[tuple[Path, str | None, tuple[Any, ...]], Found] = {}
    for labels, part in pairs:
        one = isinstance(part, (str, PathLike))
        if not one and not isinstance(part, Iterable):
            raise TypeError(f"a path, a list of paths or a mapping is needed, not {part!r}")
        for source in [part] if one else part:
            for file in _expand(fspath(source), labels):
                # a file is one file however its path is spelled
                key = file.path.resolve(), file.member, tuple(file.labels.items())
                found.setdefault(key, file)
    if not found:
        raise FileNotFoundError("no files were given")
    return list(found.values())


def _expand(source: str, labels: Mapping[str, Any]) -> Iterator[Found]:
    source = source.replace("\\", "/") if "\\" in source and not Path(source).exists() else source
    path = Path(source)
    if path.is_dir():
        files = [
            file
            for inside in (path, *sorted(path.rglob("*")))
            if _holds_data(inside.relative_to(path))
            for file in _in_folder(inside, labels)
        ]
        if not files:
            raise FileNotFoundError(f"{source}: the folder holds no files to read")
        yield from files
    elif path.exists():
        yield from _file(path, labels, named=True)
    elif _FIELD.search(source):
        yield from _template(source, labels)
    else:
        wild = _WILD.search(source) is not None
        places = _glob(source)
        if not places:
            wanted = "file matches" if wild else "such file or folder"
            raise FileNotFoundError(f"{source}: no {wanted}")
        for place, member in places:
            if member is None:
                yield from _file(place, labels, named=not wild)
            else:
                name = f"{place.as_posix()}/{member}"
                yield Found(place, name, labels, named=not wild, member=member)


def _in_folder(path: Path, labels: Mapping[str, Any]) -> Iterator[Found]:
    """Take a file; and a folder that one may not look into, so that reading it says so."""
    if path.is_file():
        yield from _file(path, labels, named=False)
    elif path.is_dir() and not os.access(path, os.R_OK | os.X_OK):
        yield Found(path, path.as_posix(), labels, named=False)


def _file(path: Path, labels: Mapping[str, Any], *, named: bool) -> Iterator[Found]:
    """Take a file, or the files of a zip archive as those of a folder."""
    inside = archive.list_or_none(path)
    if not inside:  # a damaged archive says so when it is read, like any bad file
        yield Found(path, path.as_posix(), labels, named=named)
        return
    inside = [member for member in inside if _holds_data(PurePosixPath(member))]
    if not inside and named:
        raise FileNotFoundError(f"{path.as_posix()}: the archive holds no files to read")
    for member in inside:
        one = named and len(inside) == 1
        yield Found(path, f"{path.as_posix()}/{member}", labels, named=one, member=member)


def _glob(pattern: str) -> list[tuple[Path, str | None]]:
    """List the files that a pattern names; (archive, member) for what lies in a zip archive."""
    # pathlib's glob takes no absolute patterns
    found = (Path(name) for name in sorted(glob.glob(pattern, recursive=True)))
    places: list[tuple[Path, str | None]] = [(path, None) for path in found if path.is_file()]
    if places or ".zip/" not in pattern.lower():
        return places
    end = pattern.lower().index(".zip/") + len(".zip")
    within = re.compile(_regex(pattern[end + 1 :]))
    return [
        (path, member)
        for path in map(Path, sorted(glob.glob(pattern[:end], recursive=True)))
        for member in archive.list_or_none(path) or ()
        if within.fullmatch(member)
    ]


def _holds_data(file: PurePath) -> bool:
    hidden = any(part.startswith(".") for part in file.parts)
    beside = file.name.startswith("README") or file.name in ("published.csv", "manifest.jsonl")
    return not (hidden or beside)


def _template(source: str, labels: Mapping[str, Any]) -> Iterator[Found]:
    """Match files against a template; ``{name}`` never matches ``/``, ``{name:d}`` only digits."""
    source = Path(source).as_posix()  # "./a" and "a" are one path
    numbers, pattern, wild, at = set(), "", "", 0
    for field in _FIELD.finditer(source):
        name = _NAME.fullmatch(field[1])
        if not name:
            raise SchemaError(
                f"{source}: {field[0]} is no field; write {{name}} or {{name:d}}, name in a-z and _"
            )
        if name[1] in COLUMNS and name[1] not in CONDITIONS:
            raise SchemaError(
                f"{source}: {name[1]!r} is a column that the files fill; choose another field name"
            )
        if name[1] in labels:
            raise SchemaError(f"{source}: the mapping gives {name[1]!r} already; rename the field")
        literal = source[at : field.start()]
        pattern += _regex(literal)
        wild += literal
        if f"(?P<{name[1]}>" in pattern:
            pattern += f"(?P={name[1]})"
        else:
            pattern += f"(?P<{name[1]}>{'[0-9]+' if name[2] else '[^/]+?'})"
        wild += "*"
        if name[2]:
            numbers.add(name[1])
        at = field.end()
    pattern += _regex(source[at:])
    wild += source[at:]
    matcher, count = re.compile(pattern), 0
    for path, member in _glob(wild):
        place = path.as_posix() if member is None else f"{path.as_posix()}/{member}"
        match = matcher.fullmatch(place)
        if match:
            count += 1
            values = {
                field: _value(source, field, text, number=field in numbers)
                for field, text in match.groupdict().items()
            }
            yield Found(path, place, {**labels, **values}, named=True, member=member)
    if not count:
        raise FileNotFoundError(f"{source}: no file matches the template")


def _value(source: str, field: str, text: str, *, number: bool) -> Any:
    """Read a field's text: a condition in its column's type ("4k", "true"), others as they are."""
    if number:
        return int(text)
    if field not in CONDITIONS:
        return text
    column = COLUMNS[field]
    try:
        if column.dtype == "boolean":
            return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
        if column.dtype == "str":
            return text
        value = units.size(text) if column.unit == "B" else float(text)
        return int(value) if column.dtype == "Int64" else value
    except (KeyError, ValueError):
        raise SchemaError(
            f"{source}: {text!r} is no {field}; write {{{field}:d}} for digits, or rename the field"
        ) from None


def _regex(literal: str) -> str:
    """Translate the text between fields, where ``**``, ``*`` and ``?`` may stand as in a glob."""
    out = ""
    for part in re.split(r"(\*\*/|\*\*|\*|\?)", literal):
        out += {"**/": r"(?:[^/]+/)*", "**": r".*", "*": r"[^/]*", "?": r"[^/]"}.get(
            part, re.escape(part)
        )
    return out
