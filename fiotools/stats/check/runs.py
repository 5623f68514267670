"""One run with all that the tables hold of it, as plain values."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import narwhals as nw
import polars as pl

from fiotools.errors import SchemaError
from fiotools.stats.check.latencies import Curve as Curve
from fiotools.stats.check.latencies import Latencies
from fiotools.stats.check.latencies import Row as Row
from fiotools.stats.check.outcomes import Phrase, phrase
from fiotools.stats.replicates import refuse_twice
from fiotools.stats.settings import OptionTexts, merged
from fiotools.tables.results import Frames
from fiotools.vocabulary import TABLES

if TYPE_CHECKING:
    from fiotools.tables.results import Results

NO_DEVICE = ("/dev/null", "/dev/zero")
RANDOM = ("/dev/random", "/dev/urandom")
_DROPS = ("drop_caches", "purge", "Clear-FileSystemCache")  # dd's nocache drops nothing before
_OFF = ("", "0", "0ms", "inline", "none")  # values of options that do nothing
_TARGET = re.compile(r"^Target\[\d+\]/")  # one of several
_OPERATOR = re.compile(r"[|;&]|\d?>")  # of a shell
_PARTS = ("read", "write", "trim")
SYNC_ENGINES = {"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "splice"}
# engines that go through the file system's calls, and by default through the page cache
_KERNEL = {
    *(*SYNC_ENGINES, "libaio", "io_uring", "posixaio"),
    *("windowsaio", "solarisaio", "e4defrag", "falloc"),
}
_TABLES = (*("jobs", "settings", "io", "timings", "cpu", "disks", "extras", "notes"),)
# what is asked of tables that have dozens of rows for each run
_ASKED = {"settings": ("entry", "option", "text", "origin"), "extras": ("path", "text")}


@dataclass(frozen=True, eq=False)
class RunFacts:
    """A run of a tool."""

    head: Row  # of the table `runs`
    tables: Mapping[str, list[Row]]  # its rows of the others
    labels: Mapping[str, Any]
    latencies: Latencies  # of all runs

    @cached_property
    def _options(self) -> dict[int | None, dict[str, Row]]:
        """The rows of `settings` by entry and option; a default only where nothing was given."""
        found: dict[int | None, dict[str, Row]] = defaultdict(dict)
        for row in sorted(self.tables["settings"], key=_is_default):
            entry, name = row["entry"], row["option"]
            is_given = name in found.get(entry, {}) or name in found.get(None, {})
            if row["text"] is not None and not (_is_default(row) and is_given):
                found[entry][name] = row
        return found

    @cached_property
    def _has_several(self) -> bool:
        return len({row["entry"] for row in self.io}) > 1

    def bins(self, row: Row) -> dict[str, list[Row]]:
        """Return the bins of a row by latency."""
        return self.latencies.bins(row)

    def curves(self, row: Row) -> dict[str, Curve]:
        """Return the percentiles of a row by latency."""
        return self.latencies.curves(row)

    @property
    def tool(self) -> str:
        """The tool's name."""
        return str(self.head["tool"])

    @cached_property
    def command(self) -> str:
        """The command line of the tool, or the one that was timed; empty if no file shows it."""
        timed = [row["command"] for row in self.tables["timings"] if row["command"]]
        return str(self.head["command"] or (timed[0] if len(timed) == 1 else ""))

    @cached_property
    def disks(self) -> list[str]:
        """The names of the devices under it, if its report names them."""
        return list(dict.fromkeys(row["device"] for row in self.tables["disks"] if row["device"]))

    @property
    def io(self) -> list[Row]:
        """Its rows of `io`."""
        return self.tables["io"]

    @property
    def timing(self) -> Row | None:
        """The one report of `time` that goes with the run."""
        timings = self.tables["timings"]
        return timings[0] if len(timings) == 1 else None

    def entries(self) -> Iterator[tuple[Row, list[Row]]]:
        """Yield the rows of `io` by entry, with the entry's row of `jobs`."""
        jobs = {row["entry"]: row for row in self.tables["jobs"]}
        rows = defaultdict(list)
        for row in self.io:
            rows[row["entry"]].append(row)
        for entry, own in rows.items():
            yield jobs.get(entry, {}), own

    def wholes(self) -> list[Row]:
        """Return the rows to judge: totals if there are any, else each entry's."""
        return self._wholes

    @cached_property
    def _wholes(self) -> list[Row]:
        return [row for row in self.io if row["scope"] == "total"] or self.io

    def option(self, entry: int | None, name: str) -> str | None:
        """Return an option's value: the entry's own, else the one for all."""
        row = self._options.get(entry, {}).get(name) or self._options.get(None, {}).get(name)
        return None if row is None else row["text"]

    def given(self, entry: int | None, names: Iterable[str]) -> list[str]:
        """List those of some options that are set, as they are written."""
        found = [(name, self.option(entry, name)) for name in names]
        return [f"{name}={text}" for name, text in found if text is not None and text not in _OFF]

    def default(self, entry: int | None, name: str) -> str | None:
        """Return the tool's default if the options are listed and this one was not given."""
        row = self._options.get(entry, {}).get(name)
        if row is None or not _is_default(row) or self._is_last_of_several:
            return None
        return str(row["text"])

    @cached_property
    def _is_last_of_several(self) -> bool:
        """Whether the options that are listed are the last job's."""
        return any(row["code"] == "unlike jobs" for row in self.tables["notes"])

    def jobs(self, row: Row) -> int | None:
        """Return how many jobs a row is of."""
        return 1 if row["scope"] == "job" else row["numjobs"]

    def depth(self, row: Row) -> int | None:
        """Return the depth that was asked for, or the tool's default."""
        default = self.default(row["entry"], "iodepth") or ""
        return row["iodepth"] or (int(default) if default.isdecimal() else None)

    def direct(self, row: Row) -> bool | None:
        """Whether I/O bypassed the page cache; None if it was not given and has no default."""
        if row["ioengine"] == "mmap":  # it maps the page cache, whatever direct= says
            return False
        if row["direct"] is not None:
            return bool(row["direct"])
        is_silent = self.shows_all_options and "direct" not in self.command
        return False if is_silent or self.default(row["entry"], "direct") == "0" else None

    @property
    def shows_all_options(self) -> bool:
        """Whether its command line holds every option: fio's, without a word that may be a file."""
        words = self.command.split()
        at = next((n for n, word in enumerate(words) if word.rpartition("/")[2] == "fio"), None)
        if at is None:
            return False
        own = takewhile(lambda word: not _OPERATOR.match(word), words[at + 1 :])
        return all(word.startswith("-") and word != "-" for word in own)

    def is_bypassing(self, row: Row) -> bool:
        """Whether the engine has no page cache to bypass: it speaks to a device or a server."""
        return self.tool == "fio" and row["ioengine"] is not None and row["ioengine"] not in _KERNEL

    @property
    def drops_cache(self) -> bool:
        """Whether the command drops the page cache first."""
        return any(word in self.command for word in _DROPS)

    def is_sync(self, entry: int | None) -> bool:
        """Whether each write waits until it is stored: O_SYNC or O_DSYNC."""
        if self.tool == "dd":
            flags = (self.option(entry, "oflag") or "").split(",")
            return "sync" in flags or "dsync" in flags
        return self.option(entry, "sync") not in (None, "", "0", "none")

    def waits(self, entry: int | None) -> int | None:
        """Return the number of writes after which each job waits for the device while it runs."""
        if self.is_sync(entry):
            return 1
        for name in ("fsync", "fdatasync"):
            number = self.option(entry, name) or "0"
            if number.isdecimal() and int(number):
                return int(number)
        return None

    def tells_options(self, entry: int | None) -> bool:
        """Whether the options of an entry are listed: one that is missing was not given."""
        return bool(self._options.get(entry))

    def option_texts(self) -> OptionTexts:
        """Return the options of all entries by name, with all values of each.

        As in `fiotools.settings_diff`, an entry's own hides the one for all.
        """
        shared = self._options.get(None, {})
        each = [shared | own for entry, own in self._options.items() if entry is not None]
        texts = ({name: [row["text"]] for name, row in own.items()} for own in each or [shared])
        return merged(texts)

    @cached_property
    def all_options(self) -> dict[str, str]:
        """Return the same, with the values of each as one text, and for all targets of DISKSPD."""
        together: dict[str, dict[str, None]] = defaultdict(dict)
        for name, texts in self.option_texts().items():
            together[_TARGET.sub("Target/", name)].update(dict.fromkeys(texts))
        return {name: ", ".join(texts) for name, texts in together.items()}

    def subject(self, row: Row) -> str:
        """Name a row's subject: a key."""
        what, name = row.get("direction") or "run", row.get("job")
        if row.get("thread") is not None:
            name = f"thread {row['thread']}"
        if name:
            what = f"{what} of {name}"
        if self._has_several and row.get("scope") != "total":
            what = f"{what} (entry {row['entry']})"
        return what

    def named(self, row: Row) -> str | Phrase:
        """Name a row's subject as a part of a sentence."""
        what: str | Phrase = row.get("direction") or "run"
        name: str | Phrase | None = row.get("job")
        if row.get("thread") is not None:
            name = phrase("thread", n=row["thread"])
        if name:
            what = phrase("of", what=what, name=name)
        if self._has_several and row.get("scope") != "total":
            what = phrase("entry", name=what, n=row["entry"])
        return what


def directions(rows: list[Row]) -> list[Row]:
    """Keep the rows that make up a whole: reads, writes and trims, or else their mixture."""
    return [row for row in rows if row["direction"] in _PARTS] or [
        row for row in rows if row["direction"] in ("mixed", "total", "copy")
    ]


def _is_default(row: Row) -> bool:
    return bool(row["origin"] == "default")


def runs(results: Results) -> list[RunFacts]:
    """Split the tables of a reading by run."""
    tables = getattr(results, "tables", None)
    if not isinstance(tables, Frames):
        raise SchemaError(
            f"check() takes Results, as read() gives them, not {type(results).__name__}: "
            "the options and the commands stand in other tables than io"
        )
    for name in ("runs", "io"):
        if name not in tables:
            raise SchemaError(f"table {name!r} was not read: leave tables= out when reading")
    heads = _rows(tables.polars("runs"))
    refuse_twice(nw.from_native(tables.polars("io"), eager_only=True))
    parts: dict[tuple[Any, Any], dict[str, list[Row]]] = {
        (head["source"], head["run"]): {name: [] for name in _TABLES} for head in heads
    }
    if len(parts) < len(heads):
        raise SchemaError("a run is there twice: was a file read twice?")
    first = {head["source"]: head["run"] for head in reversed(heads)}
    for name in _TABLES:
        if name not in tables:
            continue
        frame = tables.polars(name)
        whose = frame.select("source", "run").iter_rows()
        rows = _rows(frame.select(_ASKED.get(name, frame.columns)))
        for (source, run), row in zip(whose, rows, strict=True):
            # a row about the whole file goes to its first run
            own = parts.get((source, run or first.get(source)))
            if own is not None:
                own[name].append(row)
    known, latencies = TABLES["runs"], Latencies(tables)
    return [
        RunFacts(head, own, {name: head[name] for name in head if name not in known}, latencies)
        for head, own in zip(heads, parts.values(), strict=True)
    ]


def _rows(frame: pl.DataFrame) -> list[Row]:
    return list(frame.fill_nan(None).rows(named=True))
