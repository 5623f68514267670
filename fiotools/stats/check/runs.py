"""One run with all that the tables hold of it, as plain values."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import narwhals as nw

from fiotools.errors import SchemaError
from fiotools.stats.frames import values
from fiotools.stats.replicates import refuse_twice
from fiotools.tables.frames import Frames
from fiotools.vocabulary import TABLES

if TYPE_CHECKING:
    from fiotools.tables.results import Results

Row = Mapping[str, Any]

_OPERATOR = re.compile(r"[|;&]|\d?>")  # of a shell
_PARTS = ("read", "write", "trim")
# engines that go through the file system's calls, and by default through the page cache
_KERNEL = {
    *("sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "libaio", "io_uring", "posixaio"),
    *("splice", "windowsaio", "solarisaio", "e4defrag", "falloc"),
}


@dataclass(frozen=True)
class Run:
    """A run of a tool.

    Attributes
    ----------
    head : mapping
        Its row of ``runs``.
    tables : mapping of str to list
        Its rows of the other tables.
    labels : mapping
        The caller's labels.
    """

    head: Row
    tables: Mapping[str, list[Row]]
    labels: Mapping[str, Any]

    @cached_property
    def _options(self) -> dict[int | None, dict[str, str]]:
        """The options by entry; a default only where nothing was given."""
        found: dict[int | None, dict[str, str]] = defaultdict(dict)
        for row in sorted(self.tables["settings"], key=_is_default):
            if row["text"] is None:
                continue
            if _is_default(row) and _option(found, row["entry"], row["option"]) is not None:
                continue
            found[row["entry"]][row["option"]] = row["text"]
        return found

    @cached_property
    def _defaults(self) -> set[tuple[int | None, str]]:
        if any("unlike jobs" in (row["message"] or "") for row in self.tables["notes"]):
            return set()  # what is listed is the last job's
        given = {(r["entry"], r["option"]) for r in self.tables["settings"] if not _is_default(r)}
        every = {(r["entry"], r["option"]) for r in self.tables["settings"] if _is_default(r)}
        return {(entry, name) for entry, name in every if not {(entry, name), (None, name)} & given}

    @cached_property
    def _has_several(self) -> bool:
        return len({row["entry"] for row in self.io}) > 1

    @cached_property
    def fastest(self) -> dict[tuple[Any, ...], dict[str, tuple[float, float]]]:
        """The lowest percentile from 1 on of each latency, by entry, direction and scope."""
        found: dict[tuple[Any, ...], dict[str, tuple[float, float]]] = defaultdict(dict)
        for row in self.tables["percentiles"]:
            if row["percentile"] >= 1 and row["value_ns"] is not None:
                place = (row["entry"], row["direction"], row["scope"])
                point = (row["percentile"], row["value_ns"])
                found[place][row["latency"]] = min(point, found[place].get(row["latency"], point))
        return found

    @property
    def tool(self) -> str:
        """The tool's name."""
        return str(self.head["tool"])

    @property
    def command(self) -> str:
        """The command line, of the tool or of what was timed; empty if no file shows it."""
        timed = [row["command"] for row in self.tables["timings"] if row["command"]]
        return str(self.head["command"] or (timed[0] if len(timed) == 1 else ""))

    @property
    def memory(self) -> float | None:
        """The memory of its machine, where the text that it stands in tells."""
        told = [row["text"] for row in self.tables["extras"] if row["path"] == "memory/total_bytes"]
        return float(told[0]) if told else None

    @property
    def device(self) -> Mapping[str, str]:
        """What `lsblk` said of its device, where the text that it stands in shows that."""
        rows = [row for row in self.tables["extras"] if (row["path"] or "").startswith("device/")]
        return {row["path"].removeprefix("device/"): row["text"] for row in rows}

    @property
    def disks(self) -> list[str]:
        """The devices under it, by name, as far as its own report or `lsblk` names them."""
        named = [row["device"] for row in self.tables["disks"] if row["device"]]
        return list(dict.fromkeys(named)) or [*filter(None, [self.device.get("name")])]

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
        """Give the rows of `io` by entry, with the entry's row of `jobs`."""
        jobs = {row["entry"]: row for row in self.tables["jobs"]}
        rows = defaultdict(list)
        for row in self.io:
            rows[row["entry"]].append(row)
        for entry, own in rows.items():
            yield jobs.get(entry, {}), own

    def wholes(self) -> list[Row]:
        """Give the rows to judge: totals where there are any, else each entry's."""
        totals = [row for row in self.io if row["scope"] == "total"]
        return totals or self.io

    def option(self, entry: int | None, name: str) -> str | None:
        """Give an option's value: the entry's own, else what holds for all."""
        return _option(self._options, entry, name)

    def default(self, entry: int | None, name: str) -> str | None:
        """Give the tool's default, where the options are listed and this one was not given."""
        return self.option(entry, name) if (entry, name) in self._defaults else None

    def direct(self, row: Row) -> bool | None:
        """Say whether the page cache was passed by, as far as it was given or is the default."""
        if row["ioengine"] == "mmap":  # it maps the page cache, whatever direct= says
            return False
        is_default = self.shows_all_options or self.default(row["entry"], "direct") == "0"
        if row["direct"] is None and is_default:
            return False
        return None if row["direct"] is None else bool(row["direct"])

    @property
    def shows_all_options(self) -> bool:
        """Whether its command line holds every option: fio's, with no word that may be a file."""
        words = self.command.split()
        at = next((n for n, word in enumerate(words) if word.rpartition("/")[2] == "fio"), None)
        if at is None:
            return False
        own = takewhile(lambda word: not _OPERATOR.match(word), words[at + 1 :])
        return all(word.startswith("-") and word != "-" for word in own)

    def is_bypassing(self, row: Row) -> bool:
        """Whether the engine has no page cache to pass by: it speaks to a device or a server."""
        return self.tool == "fio" and row["ioengine"] is not None and row["ioengine"] not in _KERNEL

    def tells_options(self, entry: int | None) -> bool:
        """Whether the options of an entry are listed, so that one not listed was not given."""
        return bool(self._options.get(entry))

    def all_options(self) -> dict[str, str]:
        """Give the options of all entries, by name; of one with several values, all of them."""
        found: dict[str, list[str]] = defaultdict(list)
        for options in self._options.values():
            for name, text in options.items():
                if text not in found[name]:
                    found[name].append(text)
        return {name: ", ".join(texts) for name, texts in found.items()}

    def subject(self, row: Row, say: Callable[..., str] = str.format) -> str:
        """Name what a row is about: in English, a key, or as `fiotools.language.say` does."""
        what, name = say(row.get("direction") or "run"), row.get("job")
        if row.get("thread") is not None:
            name = say("thread {n}", n=row["thread"])
        if name:
            what = say("{what} of {name}", what=what, name=name)
        if self._has_several and row.get("scope") != "total":
            what = say("{name} (entry {n})", name=what, n=row["entry"])
        return what


def directions(rows: list[Row]) -> list[Row]:
    """Keep the rows that make up a whole: reads, writes and trims, or else their mixture."""
    return [row for row in rows if row["direction"] in _PARTS] or [
        row for row in rows if row["direction"] in ("mixed", "total", "copy")
    ]


def _option(
    options: Mapping[int | None, Mapping[str, str]], entry: int | None, name: str
) -> str | None:
    own = options.get(entry, {}).get(name)
    return options.get(None, {}).get(name) if own is None else own


def _is_default(row: Row) -> bool:
    return bool(row["origin"] == "default")


_TABLES = (
    *("jobs", "settings", "io", "percentiles", "bins"),
    *("timings", "cpu", "disks", "extras", "notes"),
)


def runs(results: Results) -> list[Run]:
    """Take the tables of a reading apart by run."""
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
    keys = [(head["source"], head["run"]) for head in heads]
    if len(set(keys)) < len(keys):
        raise SchemaError("a run is there twice: was a file read twice?")
    parts: dict[tuple[Any, Any], dict[str, list[Row]]] = {
        key: {name: [] for name in _TABLES} for key in keys
    }
    for name in _TABLES:
        for row in _rows(tables.polars(name)) if name in tables else ():
            own = parts.get((row["source"], row["run"]))
            if own is not None:
                own[name].append(row)
    known = TABLES["runs"]
    return [
        Run(head, parts[key], {name: head[name] for name in head if name not in known})
        for key, head in zip(keys, heads, strict=True)
    ]


def _rows(frame: Any) -> list[Row]:
    data = nw.from_native(frame, eager_only=True)
    lists = [values(data, name) for name in data.columns]
    return [dict(zip(data.columns, row, strict=True)) for row in zip(*lists, strict=True)]
