"""An answer in the form that was asked for: on the screen, in a file, or for a pipeline.

Machines get every column in base units with every digit; missing is empty, or null.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from fiotools.cli import files
from fiotools.cli.options import ENDINGS
from fiotools.cli.output import Trouble, say, write, write_bytes
from fiotools.units import many

if TYPE_CHECKING:
    import polars as pl

    from fiotools.cli.files import Reading
    from fiotools.display.columns import Sheet


def give(
    form: str,
    frame: Callable[[], pl.DataFrame],
    sheet: Callable[[], Sheet],
    output: str | None = None,
    read: Reading | None = None,
) -> None:
    """Print an answer in the form that was asked for: its frame for machines, else its sheet.

    With an output it is written to that file, which must not be a file that was read.
    """
    if output is not None and read is not None:
        place = target(output, form, 1)
        assert place is not None
        place.write(read, {"answer": frame()}, sheet)
        return
    if form in ("json", "csv"):
        write_bytes(content(frame(), form))
        return
    from fiotools.display import text_table

    shown = sheet()
    text = (
        text_table.markdown(shown) if form == "markdown" else text_table.text(shown, colours=True)
    )
    write(f"{text}\n")


_TIME = "%Y-%m-%dT%H:%M:%S%.3fZ"


def write_parquet(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write Parquet, as polars does."""
    frame.write_parquet(file)


def write_csv(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write CSV with a heading, safe for spreadsheets."""
    import polars as pl

    from fiotools.display.exports import marked

    texts = frame.select(pl.col(pl.String()))
    guarded = [pl.Series(one.name, map(marked, one), dtype=pl.String()) for one in texts]
    frame.with_columns(guarded).write_csv(file, datetime_format=_TIME)


def write_json(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write a list of objects, one on each line."""
    import orjson

    option = orjson.OPT_UTC_Z | orjson.OPT_NAIVE_UTC
    file.write(b"[")
    for at, row in enumerate(frame.iter_rows(named=True)):
        file.write((b",\n" if at else b"\n") + orjson.dumps(row, option=option))
    file.write(b"\n]\n")


def write_jsonl(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write an object on each line."""
    import orjson

    option = orjson.OPT_UTC_Z | orjson.OPT_NAIVE_UTC
    for row in frame.iter_rows(named=True):
        file.write(orjson.dumps(row, option=option) + b"\n")


def write_xlsx(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write a workbook of one sheet, in which texts stay texts."""
    import polars as pl

    from fiotools.files import needed

    xlsxwriter = needed("xlsxwriter", "a workbook", "excel")
    book = xlsxwriter.Workbook(file, {"strings_to_formulas": False, "strings_to_urls": False})
    naive = frame.with_columns(pl.col(pl.Datetime("ms", "UTC")).dt.replace_time_zone(None))
    naive.write_excel(book, autofit=True, freeze_panes=(1, 0))
    book.close()


WRITERS: Mapping[str, Callable[[Any, IO[bytes]], None]] = {
    "parquet": write_parquet,
    "csv": write_csv,
    "json": write_json,
    "jsonl": write_jsonl,
    "xlsx": write_xlsx,
}


def content(frame: pl.DataFrame, form: str) -> bytes:
    """Return a frame as Parquet, CSV or JSON; texts are UTF-8 for every terminal."""
    buffer = io.BytesIO()
    WRITERS[form](frame, buffer)
    return buffer.getvalue()


@dataclass(frozen=True)
class Target:
    """A file for one table, or a folder with a file for each."""

    path: Path
    form: str
    is_folder: bool

    def write(
        self, read: files.Reading, frames: Mapping[str, pl.DataFrame], sheet: Callable[[], Sheet]
    ) -> None:
        """Write tables, and print where they are; ``sheet`` is their form for people."""
        from fiotools.files import atomic_write

        if self.form == "html":
            from fiotools.display import html, layout

            page = html.page([sheet(), layout.options(read.table("settings"))]).encode()
            contents = dict.fromkeys(frames, _of_bytes(page))
        else:
            contents = {name: _content(frame, self.form) for name, frame in frames.items()}
        if self.is_folder:
            places = {name: self.path / f"{name}.{self.form}" for name in frames}
        else:
            places = dict.fromkeys(frames, self.path)
        for place in places.values():
            files.refuse_overwriting(read, place)
        if self.is_folder:
            atomic_write.write_folder(
                self.path, {place.name: contents[name] for name, place in places.items()}
            )
        for name, place in places.items():
            if not self.is_folder:
                atomic_write.write(place, contents[name])
            say(f"wrote {place}: {many(len(frames[name]), 'row')} of {name}")


def target(output: str | None, form: str, tables: int) -> Target | None:
    """Check ``--output`` and ``--format`` before files are read; None is the screen."""
    if output is None:
        if form == "parquet":
            raise Trouble("parquet is for programs, not for a screen: add -o FILE.parquet", 2)
        if tables > 1:
            raise Trouble("one screen shows one table: write several, -o FOLDER/", 2)
        return None
    if output == "-":
        raise Trouble(
            "-o - is not a file: leave -o out, and use --format csv or json for a pipe", 2
        )
    path = Path(output)
    if output.endswith(("/", "\\")) or path.is_dir():
        if form == "markdown":
            raise Trouble(f"a folder is written as {', '.join(WRITERS)}", 2)
        return Target(path, "parquet" if form == "table" else form, is_folder=True)
    if tables > 1:
        raise Trouble("one file holds one table: write several to a folder, -o FOLDER/", 2)
    ending = path.suffix.lower().removeprefix(".") if path.suffix.lower() in ENDINGS else None
    if ending is None and form in WRITERS:
        ending = form
    if ending is None:
        raise Trouble(
            f"{output}: the name tells the format: {', '.join(ENDINGS)}; a folder ends in /", 2
        )
    if form not in ("table", ending):
        raise Trouble(f"--format {form} and {output} do not agree", 2)
    from fiotools.files import atomic_write

    atomic_write.refuse_missing_folder(path)
    return Target(path, ending, is_folder=False)


def _content(frame: pl.DataFrame, form: str) -> Callable[[IO[bytes]], object]:
    # polars would write to a file itself, and has errors of its own for a full disk
    return _of_bytes(content(frame, form))


def _of_bytes(content: bytes) -> Callable[[IO[bytes]], object]:
    return lambda file: file.write(content)


FAILED = 4  # the exit code, different from those of unread files and wrong commands
_GITHUB = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})


def give_gate(held: pl.DataFrame, form: str) -> int:
    """Print the findings of a gate in the form that was asked for; return the exit code."""
    from fiotools.stats.gate import FAIL, UNDECIDED

    rows = held.rows(named=True)
    if form == "junit":
        write_bytes(_junit(rows))
    elif form == "github":
        write("".join(f"{_annotation(row)}\n" for row in rows if row["outcome"] != "pass"))
    elif form in ("json", "csv"):
        write_bytes(content(held, form))
    for row in rows:
        if row["outcome"] == FAIL:
            say(f"fails {row['rule']}: {row['why']}")
        elif row["outcome"] == UNDECIDED:
            say(f"undecided, {row['rule']}: {row['why']}")
    return FAILED if (held["outcome"] == FAIL).any() else 0


def _annotation(row: dict[str, Any]) -> str:
    """Write an annotation of GitHub Actions."""
    from fiotools.stats.gate import FAIL

    kind = "error" if row["outcome"] == FAIL else "warning"
    return f"::{kind} title=fiotools {row['rule']}::{row['why']}".translate(_GITHUB)


def _junit(rows: Sequence[dict[str, Any]]) -> bytes:
    """Write JUnit's XML: a test for each rule and row; undecided ones are skipped."""
    from lxml import etree

    from fiotools.stats.gate import FAIL, UNDECIDED

    counts = {kind: sum(row["outcome"] == kind for row in rows) for kind in (FAIL, UNDECIDED)}
    suite = etree.Element(
        "testsuite",
        name="fiotools",
        tests=str(len(rows)),
        failures=str(counts[FAIL]),
        skipped=str(counts[UNDECIDED]),
        errors="0",
    )
    for row in rows:
        name = row["why"].partition(": ")[0]
        test = etree.SubElement(suite, "testcase", classname=row["rule"], name=name)
        if row["outcome"] == FAIL:
            etree.SubElement(test, "failure", message=row["why"])
        elif row["outcome"] == UNDECIDED:
            etree.SubElement(test, "skipped", message=row["why"])
    found: bytes = etree.tostring(suite, xml_declaration=True, encoding="utf-8", pretty_print=True)
    return found
