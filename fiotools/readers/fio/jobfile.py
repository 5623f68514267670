"""fio's job files: what was to be done. They hold settings and no result.

An INI of fio's own kind, written by hand: ``[section]`` names a job, ``key=value`` or a bare flag
gives an option.

A job file completes a report beside it that does not list its options: reports of clients, terse
output and reports before 2.17. It is used if it has the report's name (``run.fio`` for
``run.json``) or is the only one in the folder, if it has a section for each job, and if nothing in
the report contradicts it. Only the folder is searched: no file's content opens another file.
Options given on the command line as well are unknown.

Traps: ``;`` and ``#`` begin a comment anywhere in a line; a section whose name begins with
``global`` adds to the options of all jobs below it, not above; a name ends with the last character
but one of its line; the last value counts if an option is given twice; ``name=`` overrides the
section's name; ``${VAR}`` and ``$ncpus`` stay as they are, for fio to fill in.

Specified in fio's ``init.c`` (``__parse_jobs_ini``), ``parse.c`` (``strip_blank_end``) and
``HOWTO``, "Job file format"; checked against ``fio --showcmd`` of 3.33.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from fiotools.readers.fio import options as fio_options
from fiotools.vocabulary import CONDITIONS

if TYPE_CHECKING:
    from fiotools.tables import Tables

_COMMENT = re.compile(r"[;#].*")
_OPTION = re.compile(r"([A-Za-z_][\w-]*)\s*(?:=\s*(.*))?")
_INCLUDE = re.compile(r"include\s+\S")
# a job file has one of these options; other programs' files do not
_TELLING = {
    *("rw", "readwrite", "ioengine", "bs", "blocksize", "iodepth", "numjobs", "bsrange", "bssplit"),
    *("rwmixread", "rwmixwrite", "time_based", "group_reporting", "stonewall", "iodepth_batch"),
}
_LOOK_AT = 2000  # lines


@dataclass(eq=False)
class JobSection:
    """A job: its own options, and those of the ``[global]`` sections above it."""

    name: str
    own: Mapping[str, str]
    shared: Mapping[str, str]
    group: list[JobSection]  # the jobs that run together, itself among them

    @property
    def options(self) -> dict[str, str]:
        """All options that hold for the job."""
        return {**self.shared, **self.own}

    @property
    def job(self) -> str:
        """Its name in reports: fio keeps 127 bytes."""
        name = self.options.get("name", self.name)
        return name.encode()[:127].decode(errors="ignore")

    @property
    def grouped(self) -> bool:
        """Whether its group is reported together."""
        return fio_options.is_set(self.options, "group_reporting")

    def conditions(self, direction: str | None) -> dict[str, Any]:
        """Return its conditions, or those of the group that it is reported with."""
        together = [self]
        if self.grouped:
            together = [section for section in self.group if section.grouped]
        found = fio_options.common_conditions([one.options for one in together], direction)
        if len(together) > 1:
            found.pop("numjobs", None)
        return {name: value for name, value in found.items() if "$" not in str(value)}


@dataclass
class JobFile:
    """The jobs of a file."""

    sections: list[JobSection] = field(default_factory=list)
    includes: bool = False  # other files, which are not read
    is_certain: bool = False  # whether it has options that only fio has
    is_odd: bool = False  # whether it has a line that is not a job file's


def is_job_file(text: str) -> bool:
    """Whether a text is a job file: sections of options, some of them only fio's."""
    found = parse("\n".join(text.split("\n", _LOOK_AT)[:_LOOK_AT]))
    return found.is_certain and not found.is_odd


def parse(text: str) -> JobFile:
    """Read a job file."""
    found = JobFile()
    parts: list[tuple[str, dict[str, str]]] = []
    for line in text.split("\n"):
        bare = _COMMENT.sub("", line).strip()
        option, includes = _OPTION.fullmatch(bare), _INCLUDE.match(bare) is not None
        found.includes |= includes
        if bare.startswith("["):
            parts.append((bare[1:-1], {}))
            found.is_odd |= not bare.endswith("]")
        elif parts and option:
            parts[-1][1][option[1]] = option[2] or ""
            found.is_certain |= option[1] in _TELLING
        elif bare and not (parts and includes):
            found.is_odd = True
    shared: dict[str, str] = {}
    group: list[JobSection] = []
    for name, options in parts:
        own = fio_options.normalise(options)
        if name.startswith("global"):
            shared = {**shared, **own}
            continue
        known = {**shared, **own}
        if any(fio_options.is_set(known, flag) for flag in ("stonewall", "new_group")):
            group = []
        group.append(JobSection(name, own, shared, group))
        found.sections.append(group[-1])
    return found


# --- a job file beside a report ---------------------------------------------------------------

_AMOUNTS = ("io_bytes", "total_ios")
_TABLES = ("jobs", "io", "percentiles", "bins", "samples")
_WRITES = {"read": {"read"}, "randread": {"read"}, "write": {"write"}, "randwrite": {"write"}}
Row = dict[str, Any]


class JobNames:
    """The names of the job files in a folder.

    Examples
    --------
    >>> JobNames(["x.fio", "y.fio"]).likely("x.json"), JobNames(["x.fio"]).likely("z.json")
    (('x.fio', True), ('x.fio', False))
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = sorted(names)
        self._by: dict[str, list[str]] = {}
        for name in self._names:
            for key in (name, PurePosixPath(name).stem):
                self._by.setdefault(key, []).append(name)

    def likely(self, report: str, own: str = "") -> tuple[str | None, bool]:
        """Choose the job file of a report by name; return it, and whether the names match.

        ``own`` is the report's file, which may be named like a job file.
        """
        for name in self._by.get(PurePosixPath(report).stem, ()):
            if name != own:
                return name, True
        others = [name for name in self._names[:3] if name != own]
        return others[0] if len(others) == 1 else None, False


def lacking(tables: Tables) -> dict[int, list[Row]]:
    """Return the entries of fio's runs that do not list options, by run."""
    runs = {row["run"] for row in _rows(tables, "runs", "run", "tool") if row["tool"] == "fio"}
    without = runs.difference(row["run"] for row in _rows(tables, "settings", "run"))
    entries: dict[int, list[Row]] = defaultdict(list)
    for row in _rows(tables, "jobs", "run", "entry", "job", "host", "port", "scope"):
        if row["run"] in without:
            entries[row["run"]].append(row)
    return entries


def complete(tables: Tables, name: str, text: str, namesake: bool) -> bool:
    """Complete the runs without options from a job file, if it is certainly theirs.

    Return whether any was. If the file has the report's name, a note says why it does not fit.
    """
    if not is_job_file(text):
        return False
    file = parse(text)
    jobs = {section.job: section for section in reversed(file.sections)}  # the first of a name
    figures: dict[int, list[Row]] = defaultdict(list)
    for row in _rows(tables, "io", "run", "job", "direction", *_AMOUNTS, *CONDITIONS):
        figures[row["run"]].append(row)
    sections: dict[int, dict[int, JobSection]] = {}  # by run and entry
    for run, entries in lacking(tables).items():
        unfit = _unfit(entries, file)
        against = unfit or _contradicted(figures[run], jobs)
        if against:
            # the only job file in a folder may belong to another run
            if namesake or not unfit:
                message = f"the job file {name} beside it is not used: {against}"
                tables.note(message, severity="warning", run=run)
            continue
        tables.note(f"settings and conditions come from the job file {name} beside it", run=run)
        sections[run] = {row["entry"]: jobs[row["job"]] for row in entries if row["job"] in jobs}
        _add_settings(tables, run, entries, sections[run])
    _amend(tables, sections)
    return bool(sections)


def note_lack(tables: Tables) -> None:
    """Note the runs whose conditions are unknown."""
    without = lacking(tables)
    if not without:
        return
    formats = {row["run"]: row["format"] for row in _rows(tables, "runs", "run", "format")}
    known = {
        row["run"]
        for row in _rows(tables, "io", "run", *CONDITIONS)
        if any(row[name] is not None for name in CONDITIONS)
    }
    for run in without:
        if run not in known and formats[run] in ("fio_json", "fio_terse"):
            tables.note(
                "the report does not list the options of its jobs: the conditions are missing; a"
                " job file beside it (run.fio for run.json) would be read",
                run=run,
            )


def _rows(tables: Tables, table: str, *names: str) -> Iterator[Row]:
    for values in tables.rows(table, *names):
        yield dict(zip(names, values, strict=True))


def _unfit(entries: list[Row], file: JobFile) -> str | None:
    """Return why a job file cannot belong to a report's entries."""
    if file.includes:
        return "it includes others"
    # terse output does not name the host
    alike = Counter(
        (row["job"], row["host"], row["port"])
        if row["host"] or row["scope"] != "client"
        else (row["job"], row["entry"], None)
        for row in entries
    )
    for (job, *_), count in alike.items():
        named = [section for section in file.sections if section.job == job]
        if job == "All clients":
            continue
        if not named:
            return f"it has no job {job!r}"
        if any(section.options != named[0].options for section in named):
            return f"it has several jobs {job!r}"
        clones = fio_options.conditions(named[0].options, None).get("numjobs", 1)
        if named[0].options.get("numjobs", "1").isdigit() and count > clones * len(named):
            return f"it has fewer jobs {job!r}"
    return None


def _contradicted(rows: list[Row], jobs: Mapping[str, JobSection]) -> str | None:
    """Return which value of a run contradicts the job file."""
    moved: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in rows:
        if row["job"] in jobs:
            asked = jobs[row["job"]].conditions(row["direction"])
            moved[row["job"], asked.get("rw", "")].add(row["direction"])
            against = _contradiction(row, asked)
            if against:
                return f"{against} of {row['job']!r} differs"
    for (job, rw), directions in moved.items():
        if _WRITES.get(rw) == {"write"} and directions <= {"read", "sync"}:
            return f"rw of {job!r} differs"
    return None


def _contradiction(row: Row, asked: Mapping[str, Any]) -> str | None:
    for name in CONDITIONS:
        if None not in (row[name], asked.get(name)) and row[name] != asked[name]:
            return name
    done = _WRITES.get(asked.get("rw", ""), {row["direction"]})
    # verify reads the writes again; other directions are sums
    possible = {*done, "mixed", "total", "sync", *(["read"] if "write" in done else [])}
    if row["direction"] not in possible:
        return "rw"
    if row["total_ios"] and row["io_bytes"] and "bs_bytes" in asked:
        # fio counts bytes when they are sent, I/Os when they complete
        flying = asked.get("iodepth", 1) * asked.get("numjobs", 1)
        if row["io_bytes"] > (row["total_ios"] + flying) * asked["bs_bytes"]:
            return "bs_bytes"
    return None


def _add_settings(
    tables: Tables, run: int, entries: list[Row], sections: Mapping[int, JobSection]
) -> None:
    shared = [section.shared for section in sections.values()]
    first = next(iter(shared), {})
    everywhere = all(options == first for options in shared)
    if everywhere:
        fio_options.add_settings(tables, run, None, None, first, "global")
    for row in entries:
        section = sections.get(row["entry"])
        if section is None:
            continue
        place = (tables, run, row["entry"], row["job"])
        if not everywhere:  # a later [global] adds to the jobs below it
            fio_options.add_settings(*place, section.shared, "global")
        own = {name: text for name, text in section.own.items() if name != "name"}
        fio_options.add_settings(*place, own, "given")


def _amend(tables: Tables, sections: Mapping[int, Mapping[int, JobSection]]) -> None:
    """Fill missing conditions, and mark groups."""
    if not sections:
        return
    every = (section for entries in sections.values() for section in entries.values())
    grouped = any(section.grouped for section in every)
    for table in _TABLES if grouped else ("io",):
        known = ("run", "entry", "scope", *(("direction", *CONDITIONS) if table == "io" else ()))
        rows = [*_rows(tables, table, *known)]
        for row in rows:
            section = sections.get(row["run"], {}).get(row["entry"])
            if section is None:
                continue
            if section.grouped and row["scope"] == "job":
                row["scope"] = "group"
            if table == "io":
                asked = section.conditions(row["direction"])
                row.update((name, value) for name, value in asked.items() if row[name] is None)
        tables.amend(table, {name: [row[name] for row in rows] for name in known})
