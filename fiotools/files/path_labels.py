"""Names of the sides: a short name for each argument without one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from pathlib import Path

from fiotools.files import NAME

_GIVEN = re.compile(r"([^=/\\{}*?\[\]]+)=(.+)", re.DOTALL)
_FIELD = re.compile(rf"\{{({NAME})(?::d)?\}}")


def given(source: str) -> tuple[str | None, str]:
    """Split ``NAME=FILES``, unless there is a file of that very name.

    Examples
    --------
    >>> given("fast=runs/*.json"), given("runs/a=b.json")
    (('fast', 'runs/*.json'), (None, 'runs/a=b.json'))
    """
    match = _GIVEN.fullmatch(source)
    return (match[1], match[2]) if match and not Path(source).exists() else (None, source)


def fields(sources: Sequence[str]) -> list[str]:
    """Name the fields of path templates, in order."""
    return list(
        dict.fromkeys(
            name
            for source in sources
            if not Path(source).exists()
            for name in _FIELD.findall(source)
        )
    )


def names(sources: Sequence[str]) -> list[str]:
    """Name each source by what sets it apart from the others.

    Examples
    --------
    >>> names(["runs/single.json", "runs/mirror.json"]), names(["a/fio.json", "b/fio.json"])
    (['single', 'mirror'], ['a', 'b'])
    >>> names(["old/*.json", "new/*.json"]), names(["-", "run.json"])
    (['old', 'new'], ['stdin', 'run'])
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
