"""From FILES to results: each file that cannot be read is a line on stderr."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from fiotools.cli.output import Trouble, say
from fiotools.errors import FileError, ReadErrors
from fiotools.files import DATASET, fields_of, label_of, short_names
from fiotools.units import many

if TYPE_CHECKING:
    from fiotools.tables.results import Results

STDIN = "-"
_LONG = 60  # letters of the files in a command that is told


@dataclass(frozen=True)
class Reading:
    """The files that were read."""

    results: Results
    first: str | None  # the name of the first side, even if nothing of it was read
    unread: Sequence[str]  # what was said of files that could not be read
    lost: Sequence[str]  # the same, and of files of folders in which nothing was found

    @property
    def code(self) -> int:
        """The exit code: 1 if a file could not be read."""
        return 1 if self.unread else 0


def read_all(files: Sequence[str], how: Mapping[str, Any], *, sides: bool = False) -> Reading:
    """Read files, folders, globs, templates, datasets, standard input, and NAME=FILES.

    With ``sides`` each of several paths is a side of its own, named after what sets it apart.
    """
    pairs = [label_of(one) for one in files]
    paths = [path for _, path in pairs]
    names: list[str | None] = [name for name, _ in pairs]
    if paths.count(STDIN) > 1:
        raise Trouble("standard input can be read once", 2)
    if any(names):
        names = [name or _refuse_bare(path) for name, path in pairs]
    elif sides and len(paths) > 1 and not all(fields_of([one]) for one in paths):
        _tell_of_folders(paths)
        names = [*short_names(paths)]
    parts, unread = _parts([*zip(names, paths, strict=True)], how)
    from fiotools.tables.results import concat

    results = parts[0] if len(parts) == 1 else concat(parts)
    results.kind = "polars"  # and all answers
    notes = results.tables.polars("notes")
    # of a file that could not be read, its line on stderr has told
    is_said = (notes["code"] == "refused") & (notes["severity"] == "error")
    grave = notes.filter((notes["severity"] != "info") & ~is_said.fill_null(value=False))
    told = [f"{one}: {why}" for one, why in grave["source", "message"].iter_rows()]
    if not any(results.tables.height(name) for name in results.tables if name != "notes"):
        for one in told:
            say(one)
        raise Trouble("none of these files can be read: fiotools formats lists what can")
    if told:
        say(f"{many(len(told), 'warning')} about the files: {command('read', files)} --table notes")
    refused = grave.filter(grave["code"] == "refused")["source", "message"].iter_rows()
    first = names[0] if len(names) > 1 else None
    return Reading(results, first, unread, [*unread, *(f"{one}: {why}" for one, why in refused)])


def command(verb: str, files: Sequence[str]) -> str:
    """Write a command about the same files, to be typed."""
    told = shlex.join(files)
    return f"fiotools {verb} {told if len(files) == 1 or len(told) <= _LONG else 'FILES'}"


def _refuse_bare(path: str) -> str:
    raise Trouble(f"{path} has no name: write NAME={path}, or name none", 2)


def _tell_of_folders(paths: Sequence[str]) -> None:
    """Say how to compare two folders whose files a shell has listed."""
    folders = list(dict.fromkeys(str(Path(one).parent) for one in paths))
    if len(paths) > 2 == len(folders) and all(map(os.path.isfile, paths)):
        globs = " ".join(f"'{folder}/*'" for folder in folders)
        say(f"Each of the {len(paths)} files is a side; for two sides quote the globs: {globs}")


def _parts(
    sides: Sequence[tuple[str | None, str]], how: Mapping[str, Any]
) -> tuple[list[Results], list[str]]:
    """Read what exists, and report the rest; return also what was said of it."""
    from fiotools.input.read import read, reads
    from fiotools.input.sources import find
    from fiotools.tables.results import labelled

    there: dict[str | None, list[str]] = {}
    bad: list[Exception] = []
    parts: list[Results] = []
    unfinished: list[str] = []

    def add(part: Results, name: str | None) -> None:
        parts.append(part if name is None else labelled(part, name))

    for name, path in sides:
        try:
            if path == STDIN:
                add(reads(_standard_input(), name="<stdin>", frames="polars", **how), name)
            elif is_dataset(path):
                from fiotools.dataset import open_dataset

                dataset = open_dataset(path)
                unfinished += [f"{path}: its conversion did not end"] * bool(dataset.unfinished)
                add(dataset.read(within=path), name)
                bad += parts[-1].failures
            else:
                find(path)
                there.setdefault(name, []).append(path)
        except (FileNotFoundError, FileError) as error:
            bad.append(error)
    if there:
        named = {name: several for name, several in there.items() if name is not None}
        try:
            parts.append(read(named or there[None], errors="raise", frames="polars", **how))
        except ReadErrors as errors:
            bad += errors.failures
            parts.append(errors.results)
        except FileError as error:
            bad.append(error)
    for one in bad:
        say(str(one))
    if bad and not any(part.tables.height("runs") for part in parts):
        raise Trouble("nothing was read" if len(bad) > 1 else "") from bad[0]  # said already
    return parts, [*map(str, bad), *unfinished]


def is_dataset(path: str) -> bool:
    """Whether a path is a dataset of `convert`."""
    from fiotools.input.sources import is_url

    if not is_url(path):
        return Path(path, DATASET).is_file()
    from fiotools.dataset import is_dataset as is_one  # hardly any source needs it

    return not {*"*?[{"} & {*path} and not PurePosixPath(path).suffix and is_one(path)


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise Trouble("standard input is closed")
    if sys.stdin.isatty():
        say("reading standard input; Ctrl-D ends it")
    return sys.stdin.buffer.read()


def named(files: Sequence[str], refusal: str) -> Any:
    """Convert FILES for a function that reads them itself; ``refusal`` is about standard input."""
    pairs = [label_of(one) for one in files]
    if any(path == STDIN for _, path in pairs):
        raise Trouble(refusal, 2)
    if not any(name for name, _ in pairs):
        return files[0] if len(files) == 1 else [*files]
    found: dict[str, list[str]] = {}
    for name, path in pairs:
        found.setdefault(name or _refuse_bare(path), []).append(path)
    return {name: own[0] if len(own) == 1 else own for name, own in found.items()}


def old_and_new(files: Sequence[str]) -> Sequence[str]:
    """Name the history and what is new where a shell has expanded their globs.

    The last path is new, with the others of its folder unless it stands among them already.

    Examples
    --------
    >>> old_and_new(["old/1.json", "old/2.json", "new/1.json"])
    ['old=old/1.json', 'old=old/2.json', 'new=new/1.json']
    """
    if len(files) < 3 or any(name for name, _ in map(label_of, files)) or fields_of(files):
        return files
    *others, last = files
    folder = str(PurePosixPath(last).parent)
    of_folder = [one for one in files if str(PurePosixPath(one).parent) == folder]
    new = [last] if last in others else of_folder
    old = [one for one in others if one not in new]
    if not old:
        raise Trouble(f"all {len(files)} lie in {folder}: give HISTORY, and then NEW", 2)
    is_one = len({PurePosixPath(one).parent for one in old}) == 1
    parent = str(PurePosixPath(old[0]).parent) if is_one else os.path.commonpath(old)
    history, name = short_names([parent, last if parent == folder else folder])
    say(
        f"HISTORY is {history} ({many(len(old), 'path')}), NEW is {name} ({many(len(new), 'path')})"
    )
    return [*(f"{history}={one}" for one in old), *(f"{name}={one}" for one in new)]
