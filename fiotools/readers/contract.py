"""What a reader of another package must keep, and whether it does, by outputs that it shall read.

``python -m fiotools.readers.contract PACKAGE FILES`` looks at the readers that an installed package
names in the entry-point group ``fiotools.readers``; `broken` does the same in a test. Each rule is
asked of each file, of files cut off anywhere, and of damaged ones; the damage is the same each
time.
"""

from __future__ import annotations

import argparse
import gzip
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import polars as pl

from fiotools.errors import FileError, FiotoolsError
from fiotools.readers import READERS, Reader, opened, read, readers
from fiotools.tables.columns import POLARS, get
from fiotools.tables.parts import flat
from fiotools.tables.rows import Rows
from fiotools.vocabulary import COLUMNS, TABLES

_GROUP = "fiotools.readers"
_STATUS = ("ok", "error", "interrupted", "truncated")
_SEVERITIES = ("info", "warning", "error")
_SCOPES = ("thread", "job", "group", "client", "target", "device", "total")
_DIRECTIONS = ("read", "write", "trim", "sync", "mixed", "total", "copy")
_KEYS = ("run", "entry", "direction")
_CUTS, _DAMAGES = 150, 150  # of each file
_DIGITS = 0.05  # by which a printed rate may differ from bytes over time
# texts of no tool, and the beginnings of some
_NOTHING = (
    *(
        "",
        " ",
        "\n\n",
        "{",
        "[",
        "<",
        "{}",
        "[]",
        '{"a": 1}',
        "[1, 2]",
        "<a/>",
        "x",
        "1",
        "1, 2, 3",
    ),
    *("0+0", "\x1b[0m", "é\u2028", '"', "a" * 10_000, "1 " * 5_000, "\t\n" * 5_000, "(" * 1_000),
)
# one output of each tool that is read here
_OTHERS = {
    "crystaldiskmark": "[Read]\n  RND    4KiB (Q= 32, T= 1):   269.406 MB/s [  65772.9 IOPS]\n",
    "dd": "1+0 records in\n1+0 records out\n512 bytes copied, 0.001 s, 512 kB/s\n",
    "diskspd_xml": "<Results><System><ComputerName>A</ComputerName></System></Results>\n",
    "fio_json": '{"fio version": "fio-3.33", "jobs": []}\n',
    "fio_normal": "a: (groupid=0, jobs=1): err= 0: pid=1: Sat Nov 28 17:00:00 2026\n"
    "  read: IOPS=10, BW=40.0KiB/s (41.0kB/s)(40.0KiB/1000msec)\n",
    "hyperfine": '{"results": [{"command": "a", "mean": 1.0, "times": [1.0]}]}\n',
    "iostat": '{"sysstat": {"hosts": [{"statistics": [{"disk": [{"disk_device": "a"}]}]}]}}\n',
    "time": "\nreal\t0m1.234s\nuser\t0m0.567s\nsys\t0m0.089s\n",
}


class Broken(NamedTuple):
    """A rule that a reader does not keep, and where."""

    reader: str
    rule: str
    where: str
    said: str


@dataclass
class Output:
    """A file that a reader shall read."""

    name: str
    data: bytes

    @cached_property
    def text(self) -> str:
        """The text as the tool wrote it."""
        return opened(self.name, self.data).text


def readers_of(package: str) -> list[Reader]:
    """Load the readers that an installed package, or a module of it, names.

    Raises
    ------
    ValueError
        If there is none, or one cannot be loaded.
    """
    found = [entry for entry in entry_points(group=_GROUP) if _is_of(entry, package)]
    if not found:
        raise ValueError(
            f"{package}: no installed package of that name has an entry point in {_GROUP}"
        )
    loaded = []
    for entry in found:
        try:
            reader = entry.load()
        except (ImportError, AttributeError) as error:
            raise ValueError(f"{entry.value} cannot be loaded: {error}") from None
        if not isinstance(reader, Reader):
            raise ValueError(f"{entry.value} is a {type(reader).__name__}, and a Reader is needed")
        loaded.append(reader)
    return loaded


def _is_of(entry: EntryPoint, package: str) -> bool:
    names = [entry.module, entry.module.partition(".")[0], entry.dist.name if entry.dist else ""]
    return _plain(package) in map(_plain, names)


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def broken(package: str | Reader, files: Iterable[str | Path]) -> list[Broken]:
    """List the rules that the readers of a package do not keep; none if all is well.

    Parameters
    ----------
    package : str or Reader
        An installed package, or one reader of it.
    files : iterable of path
        Outputs of the tool, as it wrote them: whole, and small.

    Examples
    --------
    >>> from pathlib import Path
    >>> from fiotools.readers.contract import broken
    >>> outputs = Path("tests/outputs").glob("*.txt")
    >>> assert broken("fiotools-hdparm", outputs) == []  # doctest: +SKIP
    """
    own = [package] if isinstance(package, Reader) else readers_of(package)
    outputs = [Output(str(file), Path(file).read_bytes()) for file in files]
    found = [one for reader in own for one in _described(reader)]
    claimed: dict[str, list[Output]] = {reader.name: [] for reader in own}
    for output in outputs:
        claims = [reader.name for reader in readers() if reader.sniff(opened(*_pair(output)))]
        if len(claims) == 1 and claims[0] in claimed:
            claimed[claims[0]].append(output)
        else:
            said = f"claimed by {', '.join(claims) or 'none'}"
            found.append(Broken("/".join(claimed), "one claim", output.name, said))
    for reader in own:
        if not claimed[reader.name]:
            found.append(Broken(reader.name, "one claim", "-", "it claims none of the files"))
        found += _sniffs(reader)
        for output in claimed[reader.name]:
            for rule in _RULES:
                for said in rule(reader, output):
                    found.append(Broken(reader.name, _name(rule), output.name, said))
    return found


def _pair(output: Output) -> tuple[str, bytes]:
    return output.name, output.data


def _name(rule: Callable[..., Any]) -> str:
    return rule.__name__.strip("_").replace("_", " ")


def _described(reader: Reader) -> Iterator[Broken]:
    """Ask for a description, and a name that no other reader has."""

    def say(said: str) -> Broken:
        return Broken(reader.name, "description", "-", said)

    if not re.fullmatch(r"[a-z][a-z0-9_]*", reader.name):
        yield say("name: small letters, digits and _")
    if reader.name in {one.name for one in READERS}:
        yield say("a reader of fiotools has this name")
    for name in ("title", "produced_by"):
        if not getattr(reader, name).strip():
            yield say(f"{name} is empty")
    if unknown := set(reader.tables) - set(TABLES):
        yield say(f"there is no table {', '.join(sorted(unknown))}")
    if "runs" not in reader.tables:
        yield say("each reader fills runs: name it in tables")


def _sniffs(reader: Reader) -> Iterator[Broken]:
    """Ask the sniffer about texts that are not its own: it answers no, and raises nothing."""
    for what, text in (*enumerate(_NOTHING), *_OTHERS.items()):
        where = f"{what} {text[:20]!r}"
        try:
            answer: object = reader.sniff(opened("x", text.encode()))
        except FiotoolsError:
            continue  # of the document, before anybody is asked
        except Exception as error:  # noqa: BLE001 the rule is that nothing is raised
            yield Broken(reader.name, "sniff", where, f"raises {error!r}")
            continue
        if not isinstance(answer, bool):
            yield Broken(reader.name, "sniff", where, f"answers {answer!r}, not a bool")
        elif answer:
            yield Broken(reader.name, "sniff", where, "claims it")


# --- the rules of one output --------------------------------------------------------------------


def _read(
    reader: Reader, output: Output, wanted: Sequence[str] | None = None
) -> dict[str, pl.DataFrame]:
    """Read an output as `fiotools.read` does; a table has all of its columns."""
    document, rows = opened(output.name, output.data), Rows(wanted)
    rows.begin(0, output.name)
    read(reader, document, rows)
    for note in document.notes:
        rows.say(note)
    made = rows.tables()
    tables = {}
    for name, columns in TABLES.items():
        frame = flat(made.get(name, pl.DataFrame()))
        tables[name] = pl.DataFrame(get(frame, column).alias(column) for column in columns)
    return tables


def _tables(reader: Reader, output: Output) -> Iterator[str]:
    """Ask for runs, and for the tables, types and words of the vocabulary."""
    try:
        tables = _read(reader, output)
    except Exception as error:  # noqa: BLE001 any is told
        yield f"cannot be read: {error!r}"
        return
    runs = tables["runs"]
    if not runs.height:
        yield "gives no run"
    for name in ("tool", "format"):
        if runs[name].null_count():
            yield f"runs.{name} is missing"
    if set(runs["format"].cast(pl.String).drop_nulls()) - {reader.name}:
        yield f"runs.format is not {reader.name}"
    filled = {name for name, frame in tables.items() if frame.height} - {"notes"}
    if stray := filled - set(reader.tables):
        yield f"fills {', '.join(sorted(stray))}, which its tables do not name"
    for name, frame in tables.items():
        for column in frame.columns:
            if column in COLUMNS:
                wanted, has = POLARS[COLUMNS[column].dtype], frame[column].dtype
                if has != wanted and not (wanted == pl.String and has in (pl.Enum, pl.Categorical)):
                    yield f"{name}.{column} is {has}, not {wanted}"
    for name, column, known in (
        ("runs", "status", _STATUS),
        ("io", "scope", _SCOPES),
        ("io", "direction", _DIRECTIONS),
    ):
        words = set(tables[name][column].cast(pl.String).drop_nulls())
        if unknown := words - set(known):
            yield f"{name}.{column} has {', '.join(sorted(unknown))}; known: {', '.join(known)}"


def _numbers(reader: Reader, output: Output) -> Iterator[str]:
    """Ask for one row of io for each key, for base units, and for nothing below 0."""
    tables = _read(reader, output)
    io = tables["io"]
    if io.height and io.select(_KEYS).is_duplicated().any():
        yield "io has two rows of one run, entry and direction"
    if io.height and io["entry"].null_count():
        yield "io.entry is missing"
    for name, frame in tables.items():
        for column in frame.columns:
            told = COLUMNS.get(column)
            if told is None or told.dtype not in ("Int64", "float64") or not frame.height:
                continue
            least = frame[column].drop_nulls().min()
            if isinstance(least, int | float) and least < 0:
                yield f"{name}.{column} is {least}: below 0"
    for row in io.iter_rows(named=True):
        moved, took, rate = (row[name] for name in ("io_bytes", "runtime_s", "bw_bytes_per_s"))
        if moved and took and rate and abs(moved / took / rate - 1) > _DIGITS:
            yield f"bw_bytes_per_s is {rate:g}, io_bytes / runtime_s {moved / took:g}: base units?"


def _notes(reader: Reader, output: Output) -> Iterator[str]:
    """Ask for a known severity, and for the line of each doubt."""
    last = output.text.count("\n") + 1
    for note in _read(reader, output)["notes"].iter_rows(named=True):
        if note["severity"] not in _SEVERITIES:
            yield f"a note has the severity {note['severity']!r}"
        if note["severity"] != "info" and note["line"] is None:
            yield f"a {note['severity']} has no line: {note['message']}"
        if note["line"] is not None and not 1 <= note["line"] <= last:
            yield f"a note is about line {note['line']} of {last}: {note['message']}"


def _other_forms(reader: Reader, output: Output) -> Iterator[str]:
    """Ask for the same numbers of the same file, packed, in UTF-16, or with other line ends."""
    whole = _values(_read(reader, output))
    forms = {
        "read again": output.text.encode(),
        "packed": gzip.compress(output.text.encode(), mtime=0),
        "UTF-16": output.text.encode("utf-16"),
        "line ends of Windows": output.text.replace("\n", "\r\n").encode(),
    }
    for form, data in forms.items():
        if _values(_read(reader, Output(output.name, data))) != whole:
            yield f"{form}: other numbers"
    alone = _values(_read(reader, output, ("runs", "io")))
    if alone != {key: value for key, value in whole.items() if key[0] == "io"}:
        yield "tables=('io',): other numbers"


def _cut_off(reader: Reader, output: Output) -> Iterator[str]:
    """Ask that a file that was cut off gives the whole file's values, or a doubt, or an error."""
    text = output.text
    whole = _values(_read(reader, output))
    step = max(1, len(text) // _CUTS)
    for cut in range(step, len(text.rstrip()), step):
        try:
            tables = _read(reader, Output(output.name, text[:cut].encode()))
        except FileError:
            continue
        except Exception as error:  # noqa: BLE001 any is told
            yield f"cut at {cut} it raises {error!r}"
            return
        own = _values(tables)
        doubted = _doubted(tables)
        for key, value in own.items():
            if key[1] not in doubted and None not in doubted and whole.get(key) != value:
                yield (
                    f"cut at {cut} {key[0]}.{key[-1]} is {value}, of the whole file"
                    f" {whole.get(key)}; and its run is ok, without a warning"
                )
                return
        lost = {key[1] for key in own} & {key[1] for key in whole.keys() - own.keys()} - doubted
        if lost and None not in doubted:
            yield f"cut at {cut} run {min(lost)} lacks values, is ok, and has no warning"
            return


def _damaged(reader: Reader, output: Output) -> Iterator[str]:
    """Ask that a damaged file is read, or refused with an error of fiotools."""
    chance = Random(output.name)  # the same each time
    for _ in range(_DAMAGES):
        text = _damage(output.text, chance)
        try:
            claimed = reader.sniff(opened(output.name, text.encode()))
            if claimed:
                _read(reader, Output(output.name, text.encode()))
        except FiotoolsError:
            continue
        except Exception as error:  # noqa: BLE001 any is told
            at = next(
                (n for n, (a, b) in enumerate(zip(text, output.text, strict=False)) if a != b), 0
            )
            yield f"damaged at {at} ({text[at : at + 30]!r}) it raises {error!r}"
            return


def _damage(text: str, chance: Random) -> str:
    """Take a line out, repeat one, or change some letters."""
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    kind = chance.randrange(4)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(at, lines[at])
    elif kind == 2:
        lines[at] = lines[at][: chance.randrange(len(lines[at]) + 1)]
    else:
        word = chance.choice(("nan", "-1", "9" * 25, "\0", '"', "1,5", "é", ""))
        place = chance.randrange(len(lines[at]) + 1)
        lines[at] = lines[at][:place] + word + lines[at][place + 1 :]
    return "\n".join(lines)


_RULES = (_tables, _numbers, _notes, _other_forms, _cut_off, _damaged)
Key = tuple[Any, ...]


def _values(tables: dict[str, pl.DataFrame]) -> dict[Key, Any]:
    """Return each value by its table, run, place and column; notes are left out."""
    found: dict[Key, Any] = {}
    for name, frame in tables.items():
        if name in ("notes", "runs", "extras"):
            continue
        seen: dict[Key, int] = {}
        for row in frame.iter_rows(named=True):
            key = (name, *(row.get(one) for one in (*_KEYS, "latency", "percentile", "quantity")))
            seen[key] = seen.get(key, 0) + 1
            for column, value in row.items():
                if column not in ("source", *_KEYS) and value is not None:
                    found[(*key, seen[key], column)] = value
    return found


def _doubted(tables: dict[str, pl.DataFrame]) -> set[int | None]:
    """Return the runs that are not ok, or that a warning is about; None: one is about the file."""
    runs, notes = tables["runs"], tables["notes"]
    doubted = set(runs.filter(pl.col("status") != "ok")["run"])
    return doubted | set(notes.filter(pl.col("severity") != "info")["run"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what is broken; return 1 if anything is."""
    parser = argparse.ArgumentParser(
        prog="python -m fiotools.readers.contract",
        description="Ask whether the readers of a package keep the rules, by outputs of its tool.",
    )
    parser.add_argument("package", help="an installed package, or a module of it")
    parser.add_argument("files", nargs="+", help="outputs of the tool, whole and small")
    asked = parser.parse_args(arguments)
    try:
        names = [reader.name for reader in readers_of(asked.package)]
        found = broken(asked.package, asked.files)
    except (ValueError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    for one in found:
        print(f"{one.reader}: {one.rule}: {one.where}: {one.said}")
    if not found:
        print(f"{', '.join(names)}: {len(asked.files)} outputs, and every rule is kept")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
