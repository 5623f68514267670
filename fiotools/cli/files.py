"""Reading for the command line: the good files are read, each bad one is a line on stderr."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fiotools.cli import labels
from fiotools.cli.stream import Trouble, many, say
from fiotools.cli.wording import in_options
from fiotools.errors import FileError, ReadErrors, SchemaError

if TYPE_CHECKING:
    from fiotools.results import Results

STDIN = "-"


@dataclass(frozen=True)
class Reading:
    """What was read.

    Attributes
    ----------
    results : Results
    sides : list of str
        The columns that the paths gave: fields of templates, or ``label``.
    first : str or None
        The label of the source that was named first, though it may have given nothing.
    code : int
        1 if a file could not be read, else 0.
    """

    results: Results
    sides: list[str]
    first: str | None
    code: int


def read_all(
    sources: Sequence[str],
    *,
    reader: str | None = None,
    version: str | None = None,
    label: bool = False,
    hint: bool = True,
) -> Reading:
    """Read all sources; with ``label``, several that have no name get one from their paths."""
    named = [labels.given(source) for source in sources]
    paths = [path for _, path in named]
    own = [name for name, _ in named]
    if paths.count(STDIN) > 1:
        raise Trouble("standard input can be read once: leave one - out", 2)
    fields = labels.fields(paths)
    if label and not any(own) and not fields and len(set(paths)) > 1:
        own = list(labels.names(paths))
    elif any(own) and not all(own):
        bare = paths[own.index(None)]
        raise Trouble(f"{bare} has no name: write NAME={bare}, or no name for any", 2)

    parts, code = _parts(paths, own, reader, version)
    from fiotools.results import concat

    results = parts[0] if len(parts) == 1 else concat(parts)
    if not len(results.runs):
        return _nothing(results)
    if hint:
        _hint(results)
    return Reading(results, [*(["label"] if any(own) else []), *fields], own[0], code)


def _parts(
    paths: list[str],
    own: Sequence[str | None],
    reader: str | None,
    version: str | None,
) -> tuple[list[Results], int]:
    """Read what there is to read; say what there is not."""
    from fiotools.reading import read
    from fiotools.sources import find

    there: dict[str | None, list[str]] = {}
    stdin: str | None = None
    code = 0
    for name, path in zip(own, paths, strict=True):
        if path == STDIN:
            stdin = name
            continue
        try:
            find(path)
        except FileNotFoundError as error:
            say(str(error))
            code = 1
        else:
            there.setdefault(name, []).append(path)
    parts = []
    if there:
        every = {str(name): one for name, one in there.items() if name is not None}
        try:
            parts.append(read(every or there[None], format=reader, version=version))
        except ReadErrors as errors:
            code = 1
            for failure in errors.failures:
                say(in_options(str(failure)))
            parts.append(errors.results)
        except FileError as error:
            code = 1
            say(in_options(str(error)))
    if STDIN in paths:
        try:
            parts.append(_standard_input(stdin, reader, version))
        except FileError as error:
            code = 1
            say(in_options(str(error)))
    if code and not any(len(part.runs) for part in parts):
        raise Trouble("nothing was read" if len(paths) > 1 else "")  # said already
    return parts, code


def _standard_input(label: str | None, reader: str | None, version: str | None) -> Results:
    from fiotools.reading import reads

    if sys.stdin is None:
        raise Trouble("standard input is closed")
    if sys.stdin.isatty():
        say("reading standard input; Ctrl-D ends it")
    read = reads(sys.stdin.buffer.read(), name="<stdin>", format=reader, version=version)
    if label is not None:
        for frame in read.tables.values():
            frame.insert(0, "label", label)
            frame["label"] = frame["label"].astype("str")
    return read


def _nothing(results: Results) -> Reading:
    for note in results.notes.itertuples():
        if note.severity != "info":
            say(f"{note.source}: {note.message}")
    raise Trouble("no file that was found there can be read: fiotools formats lists what can")


def _hint(results: Results) -> None:
    """Say that readers had doubts, once, and how to see them."""
    grave = results.notes["severity"].ne("info")
    if count := int(grave.sum()):
        say(f"{many(count, 'warning')} about the files: fiotools read FILES --table notes")


def one_field(reading: Reading) -> str:
    """Give the only column that the paths made, or ask which is meant."""
    if len(reading.sides) == 1:
        return reading.sides[0]
    if reading.sides:
        listed = " or ".join(f"--between {name}" for name in reading.sides)
        raise SchemaError(f"compare between which? type {listed}")
    raise SchemaError(
        "there is one side only: give two files, NAME=FILES for each side, or --between COLUMN"
    )
