"""From FILES to results: each file that cannot be read is a line on stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NoReturn

from fiotools.cli.output import Trouble, say, wrong_command
from fiotools.errors import FileError, ReadErrors
from fiotools.files import DATASET, fields_of, label_of, short_names
from fiotools.units import many
from fiotools.vocabulary import TABLES

if TYPE_CHECKING:
    import polars as pl

    from fiotools.tables.results import Results

STDIN = "-"
_MANY = 200  # runs: a computation of more takes a moment


@dataclass(frozen=True)
class Reading:
    """The files that were read."""

    results: Results
    first: str | None  # the label of the first source, even if it was empty
    code: int  # 1 if a file could not be read, else 0
    unread: Sequence[str] = ()  # what was said of such files

    def table(self, name: str) -> pl.DataFrame:
        """Return a table; a dataset may have been converted without it."""
        if name not in self.results.tables:
            there = ", ".join(self.results.tables)
            raise Trouble(f"the dataset has no table {name!r}, only {there}", 2)
        return self.results.tables.polars(name)

    @contextmanager
    def working(self, what: str) -> Iterator[None]:
        """Show on a terminal that many runs are being processed."""
        runs = self.results.tables.height("runs")
        if runs < _MANY:
            yield
            return
        from fiotools.progress import bar

        with bar(desc=f"{what} {many(runs, 'run')}", bar_format="{desc}"):
            yield


def read_all(
    sources: Sequence[str],
    reading: Mapping[str, Any],
    *,
    label: bool = False,
    hint: bool = True,
) -> Reading:
    """Read all sources; with ``label``, several unnamed ones are named after their paths."""
    named = [label_of(source) for source in sources]
    paths = [path for _, path in named]
    own = [name for name, _ in named]
    if paths.count(STDIN) > 1:
        raise Trouble("standard input can be read once: leave one - out", 2)
    if label and not any(own) and not fields_of(paths) and len(set(paths)) > 1:
        own = list(short_names(paths))
    elif any(own) and not all(own):
        _refuse_bare(paths[own.index(None)])

    refuse_other_formats(reading)
    parts, code, unread = _parts(paths, own, reading)
    from fiotools.tables.results import concat

    results = parts[0] if len(parts) == 1 else concat(parts)
    results.kind = "polars"  # and all answers
    notes = results.tables.polars("notes")
    if not any(results.tables.height(name) for name in results.tables if name != "notes"):
        for severity, source, message in notes.select("severity", "source", "message").iter_rows():
            if severity != "info":
                say(f"{source}: {message}")
        raise Trouble(
            "none of these files can be read: fiotools formats lists the formats that can"
        )
    if hint and (count := int((notes["severity"] != "info").sum())):
        say(f"{many(count, 'warning')} about the files: fiotools read FILES --table notes")
    return Reading(results, own[0], code, unread)


def named(sources: Sequence[str], refusal: str) -> Any:
    """Convert sources for the library: by their names, or as they are.

    ``refusal`` is the message for standard input, which cannot be read again.
    """
    pairs = [label_of(source) for source in sources]
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


def refuse_other_formats(reading: Mapping[str, Any]) -> None:
    """Refuse an unknown format before anything is read."""
    if "format" in reading:
        from fiotools.readers import reader_named

        with wrong_command():
            reader_named(reading["format"])


def refuse_other_tables(names: Sequence[str]) -> None:
    """Refuse unknown tables."""
    for name in names:
        if name not in TABLES:
            raise Trouble(f"--table {name} is not one of {', '.join(TABLES)}", 2)


def _parts(
    paths: list[str], own: Sequence[str | None], reading: Mapping[str, Any]
) -> tuple[list[Results], int, list[str]]:
    """Read the sources that exist, and report the others; return also the exit code and these."""
    from fiotools.input.read import read
    from fiotools.input.sources import find

    there: dict[str | None, list[str]] = {}
    bad: list[Exception] = []
    parts: list[Results] = []
    is_whole = True
    for label, path in zip(own, paths, strict=True):
        try:
            if _is_dataset(path):
                from fiotools.dataset import open_dataset

                dataset = open_dataset(path)
                is_whole = is_whole and not dataset.unfinished
                parts.append(_labelled(dataset.read(within=path), label))
            elif path != STDIN:
                find(path)
                there.setdefault(label, []).append(path)
        except FileNotFoundError as error:
            bad.append(error)
    if there:
        named = {label: several for label, several in there.items() if label is not None}
        try:
            parts.append(read(named or there[None], errors="raise", **reading))
        except ReadErrors as errors:
            bad += errors.failures
            parts.append(errors.results)
        except FileError as error:
            bad.append(error)
    if STDIN in paths:
        try:
            parts.append(_labelled(_standard_input(reading), own[paths.index(STDIN)]))
        except FileError as error:
            bad.append(error)
    for one in bad:
        say(str(one))
    if bad and not any(part.tables.height("runs") for part in parts):
        raise Trouble("nothing was read" if len(paths) > 1 else "") from bad[0]  # said already
    return parts, 1 if bad or not is_whole else 0, list(map(str, bad))


def _is_dataset(path: str) -> bool:
    from fiotools.input.sources import is_url

    if not is_url(path):
        return Path(path, DATASET).is_file()
    from fiotools.dataset import is_dataset  # hardly any source needs it

    is_folder = not {*"*?[{"} & {*path} and not PurePosixPath(path).suffix
    return is_folder and is_dataset(path)


def _standard_input(as_read: Mapping[str, Any]) -> Results:
    from fiotools.input.read import reads

    if sys.stdin is None:
        raise Trouble("standard input is closed")
    if sys.stdin.isatty():
        say("reading standard input; Ctrl-D ends it")
    return reads(sys.stdin.buffer.read(), name="<stdin>", **as_read)


def _labelled(results: Results, label: str | None) -> Results:
    from fiotools.tables.results import labelled

    return results if label is None else labelled(results, label)
