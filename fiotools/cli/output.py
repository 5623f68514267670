"""The output of the program: answers to stdout or into a file, troubles to stderr, exit codes.

An answer has the form that was asked for. Machines get every column in base units with every digit;
missing is empty, or null. A trouble is one line.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from operator import methodcaller
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from fiotools.display.columns import printable
from fiotools.units import many

if TYPE_CHECKING:
    import polars as pl

    from fiotools.display.columns import Sheet
    from fiotools.tables.results import Results

_NARROWEST = 24  # letters in a line of a message
# for a terminal without Unicode
_POOR = str.maketrans("µ…▲▼△▽✓✕", "u~^v^v+x")


class OutputClosedError(Exception):
    """Nobody reads our stdout any more, as with ``| head``."""


class Trouble(Exception):
    """A command that fails: one line (or none, if it was printed), and the exit code."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


@contextmanager
def wrong_command() -> Iterator[None]:
    """Refuse a command for what the library says of its options."""
    try:
        yield
    except ValueError as error:
        raise Trouble(str(error), 2) from None


def prepare() -> None:
    """Keep libraries from writing to stderr."""
    if sys.stderr is None or not sys.stderr.isatty():
        os.environ.setdefault("TQDM_DISABLE", "1")  # a bar is for people
    warnings.showwarning = lambda message, *_, **__: say(f"warning: {message}")


def say(text: str) -> None:
    """Write one line to stderr; a terminal has it wrapped at words."""
    if sys.stderr is not None:
        with suppress(OSError):  # nobody reads it
            print(_wrapped(f"fiotools: {printable(text)}"), file=sys.stderr, flush=True)


def _wrapped(line: str) -> str:
    if not sys.stderr.isatty():
        return line
    from textwrap import fill

    told = os.environ.get("COLUMNS", "")
    room = int(told) if told.isdecimal() else os.get_terminal_size(sys.stderr.fileno()).columns
    # a name of a file or an option is copied whole
    how: Any = {"break_long_words": False, "break_on_hyphens": False}
    return fill(line, max(room, _NARROWEST), subsequent_indent="  ", **how)


def write(text: str) -> None:
    """Write text to stdout, in the letters of the terminal."""
    encoding = "utf-8" if sys.stdout is None else sys.stdout.encoding or "utf-8"
    try:
        content = text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(_POOR)
        content = text.encode(encoding, "backslashreplace")
    write_bytes(content)


def write_bytes(content: bytes) -> None:
    """Write to stdout, and notice at once if nobody reads it or the disk is full."""
    if sys.stdout is None:
        raise Trouble("standard output is closed")
    left = memoryview(content)
    try:
        sys.stdout.flush()
        # in pieces: with PYTHONUNBUFFERED Python drops the part that did not fit
        while left:
            left = left[sys.stdout.buffer.write(left) :]
        sys.stdout.buffer.flush()
    except OSError as error:
        # Python must not try the rest of the buffer again at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise OutputClosedError from None
        raise Trouble(f"standard output: {error.strerror}") from None


def unexpected(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Print an unexpected error in one line; replaces `sys.excepthook`."""
    what = str(error) or "no more is known"
    say(f"{kind.__name__}: {what} (a bug of fiotools; --debug shows where)")


def interrupted() -> int:
    """End like a program that Ctrl-C stopped, so a loop in the shell stops too."""
    say("interrupted")
    return die_of("SIGINT")


def die_of(name: str) -> int:
    """End like a program that a signal stopped; SIGPIPE: nobody reads its output."""
    number: Any = getattr(signal, name, None)
    if number is None or sys.platform == "win32":
        return 130 if name == "SIGINT" else 1
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    return 128 + int(number)  # the signal is blocked


@dataclass(frozen=True)
class Shown:
    """How an answer is shown.

    Parameters
    ----------
    form : {"table", "json", "csv", "markdown"}
        The form: json and csv have every column, in base units.
    output : str, optional
        Write it to FILE.parquet, .csv, .json, .jsonl, .xlsx or .html.
    """

    form: Literal["table", "json", "csv", "markdown"] = "table"
    output: str | None = None


def give(
    shown: Shown,
    answers: Sequence[pl.DataFrame],
    sheet: Callable[[pl.DataFrame], Sheet],
    results: Results | None = None,
) -> None:
    """Print answers in the form that was asked for: one frame for machines, a sheet for each else.

    With an output they are written to that file, which must not be a file of the results.
    """
    if shown.output is not None:
        place = target(shown.output, shown.form, 1)
        place.write(results, {"answer": _together(answers)}, lambda: [*map(sheet, answers)])
    elif shown.form in ("json", "csv"):
        write_bytes(WRITERS[shown.form](_together(answers)))
    else:
        show(shown.form, map(sheet, answers))


def show(form: str, sheets: Iterable[Sheet]) -> None:
    """Print sheets, one after another."""
    from fiotools.display import text_table

    written = text_table.markdown if form == "markdown" else partial(text_table.text, colours=True)
    write("\n".join(f"{written(one)}\n" for one in sheets))


def _together(answers: Sequence[pl.DataFrame]) -> pl.DataFrame:
    if len(answers) == 1:
        return answers[0]
    import polars as pl

    return pl.concat(answers, how="diagonal_relaxed")


def _parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def _csv(frame: pl.DataFrame) -> bytes:
    """Write CSV with a heading, safe for spreadsheets."""
    import polars as pl

    from fiotools.display.exports import ACTIVE

    guarded = frame.with_columns(pl.col(pl.String()).str.replace(ACTIVE, "'$0"))
    return guarded.write_csv(datetime_format="%Y-%m-%dT%H:%M:%S%.3fZ").encode()


def _jsonl(frame: pl.DataFrame) -> bytes:
    """Write each row as an object of JSON in a line of its own."""
    import msgspec

    encode = msgspec.json.Encoder().encode
    return b"".join(encode(row) + b"\n" for row in frame.iter_rows(named=True))


def _json(frame: pl.DataFrame) -> bytes:
    return b"[" + b",".join(b"\n" + row for row in _jsonl(frame).splitlines()) + b"\n]\n"


def _xlsx(frame: pl.DataFrame) -> bytes:
    """Write a workbook of one sheet, in which texts stay texts."""
    import polars as pl

    from fiotools.files import needed

    xlsxwriter = needed("xlsxwriter", "a workbook", "excel")
    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer, {"strings_to_formulas": False, "strings_to_urls": False})
    naive = frame.with_columns(pl.col(pl.Datetime("ms", "UTC")).dt.replace_time_zone(None))
    naive.write_excel(book, autofit=True, freeze_panes=(1, 0))
    book.close()
    return buffer.getvalue()


# polars could write to a file itself, but has errors of its own for a full disk
WRITERS: Mapping[str, Callable[[pl.DataFrame], bytes]] = {
    "parquet": _parquet,
    "csv": _csv,
    "json": _json,
    "jsonl": _jsonl,
    "xlsx": _xlsx,
}
ENDINGS = (*(f".{form}" for form in WRITERS), ".html")


@dataclass(frozen=True)
class Target:
    """A file for one table, or a folder with a file for each."""

    path: Path
    form: str
    is_folder: bool

    def write(
        self,
        results: Results | None,
        frames: Mapping[str, pl.DataFrame],
        sheets: Callable[[], list[Sheet]],
    ) -> None:
        """Write tables, and print where they are; ``sheets`` are their form for people."""
        from fiotools.files import atomic_write

        ending = f".{self.form}"
        places = {name: self.path / (name + ending) for name in frames}
        if not self.is_folder:
            places = dict.fromkeys(frames, self.path)
        for place in places.values():
            if results is not None:
                refuse_overwriting(results, place)
        if self.form == "html":
            from fiotools.display import html, layout

            how = [layout.options(results.tables.polars("settings"))] if results else []
            contents = [html.page([*sheets(), *how]).encode()]
        else:
            contents = [WRITERS[self.form](frame) for frame in frames.values()]
        if self.is_folder:
            named = zip(frames, contents, strict=True)
            files = {name + ending: methodcaller("write", content) for name, content in named}
            atomic_write.write_folder(self.path, files)
        else:
            atomic_write.write_bytes(self.path, *contents)
        for name, place in places.items():
            say(f"wrote {place}: {many(len(frames[name]), 'row')} of {name}")


def target(output: str, form: str, tables: int) -> Target:
    """Check ``--output`` and ``--format`` before files are written."""
    if output == "-":
        raise Trouble(
            "-o - is not a file: leave -o out, and use --format csv or json for a pipe", 2
        )
    path = Path(output)
    if output.endswith(("/", "\\")) or path.is_dir():
        if form == "markdown":
            raise Trouble("a folder is written as parquet, csv or json", 2)
        return Target(path, "parquet" if form == "table" else form, is_folder=True)
    if tables > 1:
        raise Trouble("one file holds one table: write several to a folder, -o FOLDER/", 2)
    suffix = path.suffix.lower()
    ending = suffix.removeprefix(".") if suffix in ENDINGS else form
    if f".{ending}" not in ENDINGS:
        raise Trouble(
            f"{output}: the name tells the format: {', '.join(ENDINGS)}; a folder ends in /", 2
        )
    if form not in ("table", ending):
        raise Trouble(f"--format {form} and {output} do not agree", 2)
    from fiotools.files import atomic_write

    atomic_write.refuse_missing_folder(path)
    return Target(path, ending, is_folder=False)


def refuse_overwriting(results: Results, target: Path) -> None:
    """Refuse to overwrite a file that was read: raw data stays as it is."""
    read = {Path(source).resolve() for source in results.tables.polars("runs")["source"].unique()}
    if target.resolve() in read:
        raise Trouble(f"{target} is being read: write to another file", 2)


FAILED, UNJUDGED = 4, 3  # exit codes, different from those of unread files and wrong commands
_GITHUB = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})


# what an outcome is to GitHub Actions, to JUnit, and on the screen
_OUTCOMES = {
    "fail": ("error", "failure", "fails"),
    "unknown": ("error", "error", "cannot judge"),
    "undecided": ("warning", "skipped", "undecided,"),
    "pass": ("notice", None, "passes"),
}


def give_gate(held: pl.DataFrame, form: str, unread: Sequence[str] = ()) -> int:
    """Print the findings of a gate in the form that was asked for; return the exit code."""
    from fiotools.display import verdicts
    from fiotools.stats.gate import FAIL, UNKNOWN

    found = [
        (str(row["outcome"]), str(row["rule"]), verdicts.compared(row), verdicts.held(row))
        for row in held.rows(named=True)
    ]
    files = [(UNKNOWN, "files", "every file is read", one) for one in unread]
    if form == "junit":
        write_bytes(_junit([*found, *files]))
    elif form in ("json", "csv"):
        write_bytes(WRITERS[form](held))
    for outcome, rule, _, why in [*found, *files] if form == "github" else []:
        told = f"::{_OUTCOMES[outcome][0]} title=fiotools {rule}::{why}"
        write(f"{told.translate(_GITHUB)}\n")
    for outcome, rule, _, why in found:
        say(f"{_OUTCOMES[outcome][2]} {rule}: {why}")
    outcomes = {outcome for outcome, *_ in found}
    return FAILED if FAIL in outcomes else UNJUDGED if UNKNOWN in outcomes else 0


def _junit(found: Sequence[tuple[str, str, str, str]]) -> bytes:
    """Write JUnit's XML: a test for each rule and row; undecided ones are skipped."""
    from lxml import etree

    kinds = [_OUTCOMES[outcome][1] for outcome, *_ in found]
    suite = etree.Element(
        "testsuite",
        name="fiotools",
        tests=str(len(found)),
        failures=str(kinds.count("failure")),
        skipped=str(kinds.count("skipped")),
        errors=str(kinds.count("error")),
    )
    for kind, (_, rule, name, why) in zip(kinds, found, strict=True):
        test = etree.SubElement(suite, "testcase", classname=rule, name=name)
        if kind:
            etree.SubElement(test, kind, message=why)
    told: bytes = etree.tostring(suite, xml_declaration=True, encoding="utf-8", pretty_print=True)
    return told
