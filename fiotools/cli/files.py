"""Reading for the command line: each file that cannot be read is a line on stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from fiotools.cli import options
from fiotools.cli.output import Trouble, say
from fiotools.errors import FileError, ReadErrors, SchemaError
from fiotools.files import DATASET, path_labels
from fiotools.units import many

if TYPE_CHECKING:
    import polars as pl

    from fiotools.tables.results import Results

STDIN = "-"
_MANY = 200  # runs: a computation of more takes a moment


@dataclass(frozen=True)
class Reading:
    """The files that were read.

    Attributes
    ----------
    results : Results
    sides : list of str
        The columns from the paths: fields of templates, or ``label``.
    first : str or None
        The label of the first source, even if it was empty.
    code : int
        1 if a file could not be read, else 0.
    """

    results: Results
    sides: list[str]
    first: str | None
    code: int

    def table(self, name: str) -> pl.DataFrame:
        """Return a table."""
        return self.results.tables.polars(name)


def read_all(
    sources: Sequence[str], read_as: options.ReadAs, *, label: bool = False, hint: bool = True
) -> Reading:
    """Read all sources; with ``label``, several unnamed ones are named after their paths."""
    named = [path_labels.given(source) for source in sources]
    paths = [path for _, path in named]
    own = [name for name, _ in named]
    if paths.count(STDIN) > 1:
        raise Trouble("standard input can be read once: leave one - out", 2)
    fields = path_labels.fields(paths)
    if label and not any(own) and not fields and len(set(paths)) > 1:
        own = list(path_labels.names(paths))
    elif any(own) and not all(own):
        _refuse_bare(paths[own.index(None)])

    parts, code = _parts(paths, own, arguments(read_as), read_as.workers)
    from fiotools.tables.results import concat

    results = parts[0] if len(parts) == 1 else concat(parts)
    if not results.tables.height("runs"):
        return _nothing(results)
    if hint:
        _hint(results)
    return Reading(results, [*(["label"] if any(own) else []), *fields], own[0], code)


def named(sources: Sequence[str], refusal: str) -> Any:
    """Convert sources for the library: by their names, or as they are.

    ``refusal`` is the message for standard input, which cannot be read again.
    """
    pairs = [path_labels.given(source) for source in sources]
    if any(path == STDIN for _, path in pairs):
        raise Trouble(refusal, 2)
    if not any(name for name, _ in pairs):
        return sources[0] if len(sources) == 1 else sources
    found: dict[str, list[str]] = {}
    for name, path in pairs:
        found.setdefault(name or _refuse_bare(path), []).append(path)
    return found


def _refuse_bare(path: str) -> NoReturn:
    raise Trouble(f"{path} has no name: write NAME={path}, or name none", 2)


def arguments(read_as: options.ReadAs) -> dict[str, str | None]:
    """Return the arguments of `read`; an unknown format is refused."""
    if read_as.reader is not None:
        from fiotools.input.detect import reader_named

        try:
            reader_named(read_as.reader)
        except ValueError as error:
            raise Trouble(str(error), 2) from None
    return {
        "format": read_as.reader,
        "version": read_as.tool_version,
        "quantity": read_as.quantity,
    }


def _parts(
    paths: list[str], own: Sequence[str | None], arguments: Mapping[str, Any], workers: int
) -> tuple[list[Results], int]:
    """Read the sources that exist; report the others."""
    from fiotools.input.sources import find

    there: dict[str | None, list[str]] = {}
    bad: list[Exception] = []
    parts: list[Results | None] = []
    for name, path in zip(own, paths, strict=True):
        try:
            if is_dataset(path):
                parts.append(_dataset(path, name))
            elif path != STDIN:
                find(path)
                there.setdefault(name, []).append(path)
        except FileNotFoundError as error:
            bad.append(error)
    parts += [_files(there, {**arguments, "workers": workers}, bad)] if there else []
    if STDIN in paths:
        try:
            parts.append(_standard_input(own[paths.index(STDIN)], arguments))
        except FileError as error:
            bad.append(error)
    for one in bad:
        say(str(one))
    if bad and not any(part is not None and part.tables.height("runs") for part in parts):
        raise Trouble("nothing was read" if len(paths) > 1 else "") from bad[0]  # said already
    return [part for part in parts if part is not None], 1 if bad else 0


def _files(
    there: Mapping[str | None, list[str]], arguments: Mapping[str, Any], bad: list[Exception]
) -> Results | None:
    from fiotools.input.read import read

    every = {str(name): paths for name, paths in there.items() if name is not None}
    try:
        return read(every or there[None], **arguments)
    except ReadErrors as errors:
        bad += errors.failures
        good: Results = errors.results
        return good
    except FileError as error:
        bad.append(error)
        return None


def is_dataset(path: str) -> bool:
    """Whether a path is the folder of a dataset that `convert` made."""
    return Path(path, DATASET).is_file()


def _dataset(path: str, label: str | None) -> Results:
    from fiotools.dataset.contents import open_dataset
    from fiotools.tables.results import labelled

    whole = open_dataset(path).read(within=path)
    return whole if label is None else labelled(whole, label)


def _standard_input(label: str | None, arguments: Mapping[str, Any]) -> Results:
    from fiotools.input.read import reads
    from fiotools.tables.results import labelled

    if sys.stdin is None:
        raise Trouble("standard input is closed")
    if sys.stdin.isatty():
        say("reading standard input; Ctrl-D ends it")
    read = reads(sys.stdin.buffer.read(), name="<stdin>", **arguments)
    return read if label is None else labelled(read, label)


@contextmanager
def working(read: Reading, what: str) -> Iterator[None]:
    """Show on a terminal that many runs are being processed."""
    runs = read.results.tables.height("runs")
    if runs < _MANY:
        yield
        return
    from fiotools.progress import bar

    with bar(desc=f"{what} {many(runs, 'run')}", bar_format="{desc}"):
        yield


def refuse_overwriting(reading: Reading, target: Path) -> None:
    """Refuse to overwrite a file that was read: raw data stays as it is."""
    read = {Path(source).resolve() for source in reading.table("runs")["source"].unique()}
    if target.resolve() in read:
        raise Trouble(f"{target} is being read: write to another file", 2)


def _nothing(results: Results) -> Reading:
    notes = results.tables.polars("notes").select("severity", "source", "message")
    for severity, source, message in notes.iter_rows():
        if severity != "info":
            say(f"{source}: {message}")
    raise Trouble("none of these files can be read: fiotools formats lists the formats that can")


def _hint(results: Results) -> None:
    """Count the warnings of readers once, and tell how to see them."""
    if count := int((results.tables.polars("notes")["severity"] != "info").sum()):
        say(f"{many(count, 'warning')} about the files: fiotools read FILES --table notes")


def one_field(reading: Reading) -> str:
    """Return the only column from the paths, or ask for one."""
    if len(reading.sides) == 1:
        return reading.sides[0]
    if reading.sides:
        listed = " or ".join(f"--between {name}" for name in reading.sides)
        raise SchemaError(f"compare between which? type {listed}")
    raise SchemaError(
        "there is only one side: give two files, NAME=FILES for each side, or --between COLUMN"
    )
