"""Files as they lie somewhere: packed, remote, locked; none is left half written.

Here is what all of them share, and how people are told of files: in order, and by short names.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from importlib import import_module
from itertools import takewhile
from os import PathLike
from pathlib import Path
from typing import Any

from fiotools.errors import MissingPackageError

DATASET = "_fiotools.json"  # the file that makes a folder a dataset
PACKED = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"(\xb5/\xfd": "zstd", b"BZh": "bzip2"}
_MARKS = tuple(PACKED)  # of packed files, at their beginning
NAME = "[a-z_][a-z0-9_]*"  # of a field of a path template
_DIGITS = re.compile("([0-9]{1,1000})")  # Python makes a number of 4300 digits at most
_GIVEN = re.compile(r"([^=/\\{}*?\[\]]+)=(.+)", re.DOTALL)
_FIELD = re.compile(rf"\{{({NAME})(?::d)?\}}")


def is_packed(head: bytes) -> bool:
    """Return whether a file is packed, by its first bytes."""
    return head.startswith(_MARKS)


def digest(path: str | PathLike[str]) -> str:
    """Return the SHA-256 of a file, which may be longer than memory."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def needed(name: str, what: str, extra: str = "scale") -> Any:
    """Import a module that only an extra of fiotools installs, or say what to install."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            f"{what} needs {error.name}: python -m pip install 'fiotools[{extra}]'", name=error.name
        ) from None


def natural(path: str) -> tuple[list[str | int], str]:
    """Return the key that sorts paths as people do: qd4 before qd16.

    Examples
    --------
    >>> sorted(["qd16.json", "qd4.json", "qd1.json"], key=natural)
    ['qd1.json', 'qd4.json', 'qd16.json']
    """
    parts = _DIGITS.split(path)  # every other part is a number
    return [int(part) if at % 2 else part for at, part in enumerate(parts)], path


# --- short names of what is compared ------------------------------------------------------------


def label_of(source: str) -> tuple[str | None, str]:
    """Split ``NAME=FILES``, unless there is a file of that very name.

    Examples
    --------
    >>> label_of("fast=runs/*.json"), label_of("runs/a=b.json")
    (('fast', 'runs/*.json'), (None, 'runs/a=b.json'))
    """
    match = _GIVEN.fullmatch(source)
    return (match[1], match[2]) if match and not Path(source).exists() else (None, source)


def fields_of(sources: Sequence[str]) -> list[str]:
    """Name the fields of path templates, in order."""
    return list(
        dict.fromkeys(
            name
            for source in sources
            if not Path(source).exists()
            for name in _FIELD.findall(source)
        )
    )


def short_names(sources: Sequence[str]) -> list[str]:
    """Name each source by what sets it apart from the others.

    Examples
    --------
    >>> short_names(["runs/single.json", "runs/mirror.json"])
    ['single', 'mirror']
    >>> short_names(["a/fio.json", "b/fio.json"]), short_names(["old/*.json", "new/*.json"])
    (['a', 'b'], ['old', 'new'])
    """
    paths = [_parts(source) for source in sources]
    for apart in (_last, _bare, _whole):
        shown = apart(paths)
        if all(shown) and len(set(shown)) == len(set(sources)):
            return shown
    return list(sources)


def common_folder(sources: Iterable[str]) -> str:
    """Name the folder that several files lie in, so that it need not be said of each.

    Examples
    --------
    >>> common_folder(["runs/a/1.json", "runs/b/1.json"]), common_folder(["a.json", "b.json"])
    ('runs/', '')
    """
    folders = [source.split("/")[:-1] for source in set(sources)]
    if len(folders) < 2:
        return ""
    shared = takewhile(lambda parts: len(set(parts)) == 1, zip(*folders, strict=False))
    return "".join(f"{parts[0]}/" for parts in shared)


def pattern_of(own: Sequence[str], every: Iterable[str], word: str = "") -> str | list[str]:
    """Write a pattern of files of one folder, or the files if each pattern has others too.

    ``word`` may be common to their names.

    Examples
    --------
    >>> every = ["a/mem-1.log", "a/mem-2.log", "a/old-mem-1.log"]
    >>> pattern_of(every[:2], every), pattern_of(every[1:], every)
    ('a/mem-*.log', ['a/mem-2.log', 'a/old-mem-1.log'])
    """
    if len(own) == 1:
        return own[0]
    first = _shared(own)
    last = _shared([one[len(first) :][::-1] for one in own])[::-1]
    is_flat = not any("/" in one[len(first) :] for one in own)
    for pattern in (f"{first}*{last}", f"{first}*{word}*{last}"):
        if is_flat and {one for one in every if fnmatchcase(one, pattern)} == {*own}:
            return pattern
    return list(own)


def _shared(texts: Sequence[str]) -> str:
    """Return the letters with which all texts begin."""
    letters = takewhile(lambda here: len({*here}) == 1, zip(*texts, strict=False))
    return "".join(here[0] for here in letters)


def _parts(source: str) -> list[str]:
    if source == "-":
        return ["stdin"]
    return [part for part in source.replace("\\", "/").split("/") if part not in ("", ".")]


def _last(paths: list[list[str]]) -> list[str]:
    """Take the files' own names, unless a pattern stands for them."""
    ends = [_stem(path[-1]) if path else "" for path in paths]
    return ["" if _is_pattern(end) else end for end in ends]


def _bare(paths: list[list[str]]) -> list[str]:
    """Drop what all have in common, at both ends, and the endings of files."""
    paths = _apart([[*path[:-1], _stem(path[-1])] if path else [] for path in paths])
    while all(len(path) > 1 for path in paths) and len({path[-1] for path in paths}) == 1:
        paths = [path[:-1] for path in paths]
    # a folder's name says more than a pattern in it
    paths = [[part for part in path if not _is_pattern(part)] or path for path in paths]
    return ["/".join(path) for path in paths]


def _whole(paths: list[list[str]]) -> list[str]:
    return ["/".join(path) for path in _apart(paths)]


def _apart(paths: list[list[str]]) -> list[list[str]]:
    """Drop the folders that all have in common at their beginning."""
    while all(len(path) > 1 for path in paths) and len({path[0] for path in paths}) == 1:
        paths = [path[1:] for path in paths]
    return paths


def _is_pattern(part: str) -> bool:
    return any(letter in part for letter in "*?") or bool(re.search(r"\[.+\]", part))


def _stem(name: str) -> str:
    return re.sub(r"(?<=[^.])\.[a-z]\w{0,4}(\.(gz|xz|zst|bz2))?$", "", name, flags=re.IGNORECASE)
