"""The lines of fio's human report, and what each of them says: a table of patterns and takers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fiotools.readers.fio.bins import NS, coarse_edges
from fiotools.readers.fio.printed import Printed, amount, best, count, number
from fiotools.readers.fio.terse_lines import is_entry
from fiotools.readers.text import Cursor, Taker, taken

if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST = 5_000
_DIGITS = 18  # fit into 64 bits
_KIB = 1024
_STATS = ("min", "max", "mean", "stddev")
_DISK_COUNTS = ("ios", "merge", "sectors")
# what fio's JSON calls the lines that have no column
_AS_IN_JSON = {
    "IO depths": "iodepth_level",
    "submit": "iodepth_submit",
    "complete": "iodepth_complete",
}
_TERSE = "terse output beside the report was left out: the report says more"


@dataclass
class Definition:
    """A job as fio understood it, printed above the reports."""

    name: str
    group: int
    options: dict[str, str]
    clones: bool = False


@dataclass
class Section:
    """One direction of an entry.

    Attributes
    ----------
    figures : dict of str to float
        Columns of `io`: latencies, and statistics over samples.
    is_old : bool
        Whether it has the layout of before 2.18, with KB of 1024 bytes.
    """

    direction: str
    io: Printed | None = None
    bw: Printed | None = None
    iops: Printed | None = None
    runtime_ms: int | None = None
    is_old: bool = False
    figures: dict[str, float] = field(default_factory=dict)
    percentiles: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    @property
    def is_decimal(self) -> bool:
        """Whether the bandwidth is in 1000 bytes under the name of 1024, as in fio 1 until 1.3x."""
        if not self.is_old or self.io is None or self.bw is None or not self.runtime_ms:
            return False
        seconds = self.runtime_ms / 1000
        exact, slack = self.io.value / seconds, self.io.reach / seconds + self.bw.slack
        said = self.bw.value
        return abs(exact - said) > slack and abs(exact - said / 1.024) <= slack


@dataclass
class Entry:
    """One job's, or one group's, part of a report."""

    name: str
    group: int
    jobs: int
    error: int
    pid: int
    line: int
    host: str | None = None
    message: str | None = None
    description: str | None = None
    sections: list[Section] = field(default_factory=list)
    shares: dict[str, dict[str, float]] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)  # columns of `jobs`
    issued: dict[str, list[int]] = field(default_factory=dict)
    extras: dict[str, str] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, int, int, str | None]:
        """What a repeated report of the same entry has in common."""
        return self.name, self.group, self.pid, self.host

    @property
    def section(self) -> Section:
        """The direction whose lines are being read."""
        if not self.sections:  # a report whose first lines are lost
            self.sections.append(Section("unknown"))
        return self.sections[-1]

    def add_extra(self, name: str, text: str) -> None:
        """Keep what has no column; what stands in several lines, as one text."""
        self.extras[name] = f"{self.extras.get(name, '')} {text}".strip()


@dataclass
class Disk:
    """One block device, and on which machine in client mode."""

    name: str
    figures: dict[str, tuple[float, ...]]
    host: str | None


@dataclass
class Run:
    """What one fio process printed."""

    version: str | None = None
    client: str | None = None  # the machine whose report follows, in client mode
    definitions: list[Definition] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    earlier: list[list[Entry]] = field(default_factory=list)
    disks: list[Disk] = field(default_factory=list)
    extras: dict[str, str] = field(default_factory=dict)
    remarks: list[tuple[int, str]] = field(default_factory=list)
    doubts: list[tuple[int, str]] = field(default_factory=list)  # what does not fit together
    strange: list[tuple[int, str]] = field(default_factory=list)  # lines not understood
    cut: int | None = None  # the line where the text ends although fio had more to say
    # where the lines that continue others belong
    summed: bool = False
    group: str = ""
    group_id: int = -1
    percentiles: list[tuple[float, float]] = field(default_factory=list)
    scale: int = 1
    priority: str = ""


def bare(line: str) -> str:
    """Drop indentation, quoting, and progress that a carriage return was to overwrite."""
    return line.rsplit("\r", 1)[-1].strip().lstrip("> \t")


def begins(line: str) -> bool:
    """Say whether a line is the first of an entry, which begins a report."""
    return len(line) <= _LONGEST and _ENTRY.fullmatch(line) is not None


def stands_above(line: str) -> bool:
    """Say whether a line is one that fio prints before the first entry."""
    return any(pattern.fullmatch(line) for pattern, _ in _ABOVE)


def take_above(cursor: Cursor, run: Run) -> None:
    """Take a line above the first entry."""
    if not taken(cursor, run, _ABOVE):
        if is_entry(cursor.bare) and _TERSE not in {text for _, text in run.remarks}:
            run.remarks.append((cursor.number, _TERSE))
        cursor.take()


def take(cursor: Cursor, run: Run) -> bool:
    """Take a line from the first entry on; say whether it is one of fio's."""
    try:
        return len(cursor.bare) <= _LONGEST and taken(cursor, run, _LINES)
    except ValueError:  # a number that is none: the line is damaged, or not fio's
        return False


# --- above the first entry --------------------------------------------------------------------


def _take_definition(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    blocks = (_block(*block) for block in _BS.findall(found["bs"]))
    options = {**found.groupdict(), "bs": ",".join(blocks)}
    name, group = options.pop("name"), int(options.pop("group"))
    run.definitions.append(Definition(name, group, options))


def _block(low: str, low_unit: str, high: str, high_unit: str) -> str:
    """Give a block size as an option; a question mark if it is a range, or was rounded."""
    size = float(low) * 1024 ** ("", "K", "M", "G").index(low_unit)
    whole = int(size)
    is_exact = not low_unit or low.endswith(".0") or whole & (whole - 1) == 0
    is_one = (low, low_unit) == (high, high_unit) and is_exact and whole == size
    return str(whole) if is_one else "?"


def _take_clones(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    if run.definitions:
        run.definitions[-1].clones = True


def _take_version(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    run.version = found[1]


def _take_unreadable(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    doubt = f"the definition {found[0][:60]!r} cannot be read: no conditions"
    run.doubts.append((cursor.number, doubt))


# --- entries ----------------------------------------------------------------------------------


def _take_entry(cursor: Cursor, run: Run, found: re.Match[str]) -> bool:
    name = found["name"]
    if name.startswith("Jobs: "):  # progress without an end of line before the report
        known = [one.name for one in run.definitions if name.endswith(one.name)]
        name = max(known, key=len) if known else re.split(r"\[eta [^\]]*\]|s\]", name)[-1]
    group, jobs, error, pid = map(int, found.group("group", "jobs", "error", "pid"))
    entry = Entry(name, group, jobs, error, pid, cursor.number, message=found["message"])
    entry.host = None if name == "All clients" else run.client
    if found["date"] and found["date"].strip():
        entry.extras["date"] = found["date"].strip()
    # after a summary comes a new process, another client, or the same again with higher counts
    if run.summed and entry.key in {one.key for one in run.entries}:
        run.earlier.append(run.entries)
        run.entries, run.disks, run.extras, run.summed = [], [], {}, False
        run.cut, run.group = None, ""
    elif run.summed and run.client is None:
        return False
    run.entries.append(entry)
    return True


def _take_section(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    entry = run.entries[-1]
    old = found.re is _IO_2
    kilo = 1024 if old else 1000
    bws = found["bw"].replace("(", " ").replace(")", "").split()
    section = Section(
        found["direction"],
        amount(found["io"], kilo, old),
        best(*(amount(part, kilo, old) for part in bws)),
        count(found["iops"]),
        int(found["ms"]),
        is_old=old,
    )
    entry.sections.append(section)
    if more := found.groupdict().get("more"):  # "0 zone resets", "Cachehit=50.00%"
        name = "zone_resets" if more.endswith(" zone resets") else "more"
        entry.extras[f"{section.direction}.{name}"] = more.removesuffix(" zone resets")
    # kb_base=1000 puts the decimal unit first, and changes what the bw line below counts
    if not old and _DECIMAL.match(found["bw"]):
        run.extras["kb_base"] = "1000"


def _statistics(found: re.Match[str], column: str, scale: float = 1) -> dict[str, float]:
    """Give the columns of a line ``min=, max=, avg=, stdev=``."""
    return {column.format(stat): number(found[stat]) * scale for stat in _STATS}


def _take_latency(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    entry = run.entries[-1]
    if priority := _priority(found):
        entry.extras[f"{entry.section.direction}.{priority}"] = found[0]
        return
    kind = found["kind"]
    if kind == "sync":
        entry.sections.append(Section("sync"))
    column = f"{_measured(kind)}_{{}}_ns"
    entry.section.figures |= _statistics(found, column, NS[found["unit"]])


def _measured(kind: str) -> str:
    """Name the latency that a line has; of syncs there is one only."""
    return "lat" if kind == "sync" else kind


def _priority(found: re.Match[str]) -> str | None:
    """Name a latency of one priority, as it is printed; those have no table."""
    if not found["level"] and not found["prio"].strip():
        return None
    return f"{found['level'] or ''}{found['kind']}{found['prio']}".strip()


def _take_percentile_head(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    section = run.entries[-1].section
    run.percentiles, run.scale, run.priority = [], NS[found["unit"]], ""
    if priority := _priority(found):
        run.priority = f"{section.direction}.{priority} percentiles ({found['unit']})"
    else:
        section.percentiles[_measured(found["kind"])] = run.percentiles
    if found["rest"].strip():  # in 1.5x they begin behind the head
        _add_percentiles(run, found["rest"], cursor.number)


def _take_percentiles(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    if run.priority:
        run.entries[-1].add_extra(run.priority, found[0].strip("| "))
    else:
        _add_percentiles(run, found[0], cursor.number)


def _add_percentiles(run: Run, text: str, at: int) -> None:
    """Add percentiles; fio sorts them, so what does not rise was damaged."""
    for name, value in _PERCENTILE.findall(text):
        pair = float(name), number(value) * run.scale
        if run.percentiles and pair[0] <= run.percentiles[-1][0] and pair != run.percentiles[-1]:
            run.doubts.append((at, f"the percentiles are not in order at {name}"))
        run.percentiles.append(pair)


def _take_lifetimes(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    run.entries[-1].add_extra("block lifetime percentiles", found["rest"].strip())


def _take_bw(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    unit, section = found["unit"], run.entries[-1].section
    thousand = 1000 if run.extras.get("kb_base") == "1000" else 1024
    # the samples are KiB/s inside fio, whatever it calls them; "MiB" is a kb_base of those, and
    # until about 1.40 "KiB/s" were 1000 bytes a second
    scale = _KIB * (thousand if unit.startswith("M") else 1) / (8 if "bit" in unit else 1)
    scale *= 1000 / 1024 if section.is_decimal else 1
    section.figures |= _statistics(found, "bw_{}_bytes_per_s", scale)
    _add_samples(section, found, {"per": "bw_agg_pct", "samples": "bw_samples"})


def _take_iops(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    section = run.entries[-1].section
    section.figures |= _statistics(found, "iops_{}")
    _add_samples(section, found, {"samples": "iops_samples"})


def _add_samples(section: Section, found: re.Match[str], columns: Mapping[str, str]) -> None:
    section.figures |= {
        column: float(found[part]) for part, column in columns.items() if found[part]
    }


def _take_shares(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    into = run.entries[-1].shares.setdefault(found["unit"], {})
    for name, pct in re.findall(rf"(>=\d{{1,9}}|\b\d{{1,9}})=({_REAL})%", found["list"]):
        coarse_edges(name, found["unit"], True)  # raises for a bin that fio has not
        into[name] = float(pct)


def _take_cpu(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    run.entries[-1].cpu = {name: float(text) for name, text in found.groupdict().items() if text}


def _take_issued(cursor: Cursor, run: Run, found: re.Match[str]) -> bool:
    for name, numbers in re.findall(r"(total|short|drop)\w*=([\d,rwd=/]+)", found[0]):
        counts = re.findall(r"\d+", numbers)
        if max(map(len, counts), default=0) > _DIGITS:
            return False
        run.entries[-1].issued[name] = [int(number) for number in counts]
    return True


def _take_extra(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    entry, name = run.entries[-1], found["name"]
    if name == "Description":
        entry.description = found["rest"].strip("[]")
    else:
        entry.extras[_AS_IN_JSON.get(name, name)] = found["rest"]


# --- below the entries ------------------------------------------------------------------------


def _take_group(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    run.group = f"<{run.client}> {found['title']}" if run.client else found["title"]
    run.group_id, run.summed = int(found["group"]), True


def _take_sum(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    run.extras[f"{run.group}.{found['name']}"] = found["rest"]
    if doubt := _sum_doubt(run, found["name"].lower(), found["rest"]):
        run.doubts.append((cursor.number, doubt))


def _sum_doubt(run: Run, direction: str, rest: str) -> str | None:
    """Say what of a group's summary is not what its entries are together."""
    parts = [
        section
        for entry in run.entries
        if (entry.group, entry.host) == (run.group_id, run.client)
        for section in entry.sections
        if section.direction == direction
    ]
    times, moved = _TIMES.search(rest), _MOVED.search(rest)
    if not parts or not times or not moved or direction == "mixed":
        return None  # fio 3.33 counts nothing in mixed
    ran = [section.runtime_ms or 0 for section in parts]
    if (min(ran), max(ran)) != (int(times[1] or times[2]), int(times[3])):
        return f"{direction}: the run times in the summary of the group are not its entries'"
    old = parts[0].is_old
    whole = amount(moved[1], 1024 if old else 1000, old)
    amounts = [section.io for section in parts if section.io is not None]
    done, reach = sum(io.value for io in amounts), sum(io.reach for io in amounts)
    if abs(done - whole.value) > reach + whole.reach:
        return f"{direction}: the entries of the group do not add up to its summary"
    return None


def _take_disk(cursor: Cursor, run: Run, found: re.Match[str]) -> bool:
    figures = re.findall(rf"(\w{{1,40}})=({_REAL})(?:/({_REAL}))?", found["rest"])
    values = {name: tuple(float(part) for part in parts if part) for name, *parts in figures}
    counts = [value for name in _DISK_COUNTS for value in values.get(name, ())]
    if any(value % 1 or value > 1e15 for value in counts):
        return False
    run.disks.append(Disk(found["name"], values, run.client))
    run.summed = True
    return True


def _take_client(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    run.client = found[1]


def _take_remark(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    run.remarks.append((cursor.number, found[0]))


def _take_progress(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    if run.summed and run.client is None:  # that was an interim report: fio was still running
        run.cut = cursor.number


def _pass(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    """Take a line that says nothing."""


# --- the table --------------------------------------------------------------------------------

CLIENT = re.compile(r"(?:Jobs: .*)?<([^<>\s]+)>")
_INT = rf"\d{{1,{_DIGITS}}}(?!\d)"
_REAL = r"[\d.]{1,25}"
_NUMBER = rf"-?{_REAL}[kKmMG]?"
_EXTREMES = rf"min=\s*(?P<min>{_NUMBER}) *, max=\s*(?P<max>{_NUMBER}) *"
_MEANS = (
    rf"avg=\s*(?P<mean>{_NUMBER}) *, stdev=\s*(?P<stddev>{_NUMBER})"
    rf"(?:, samples=(?P<samples>{_INT}))?.*"
)
_UNIT = r"\((?P<unit>nsec|usec|msec)\)"
# two levels of priority until 3.29; from 3.30 on each priority has its number
_KIND = r"(?P<level>(?:high|low) prio[_ ](?:\([^)]*\) )?)?(?P<kind>slat|clat|lat|sync)"
_DIRECTION = r"(?P<direction>read|write|trim|mixed) *:"

_ENTRY = re.compile(
    rf"(?P<name>.*): \(groupid=(?P<group>{_INT}), jobs=(?P<jobs>{_INT})\):"
    rf" err=\s*(?P<error>{_INT})(?: \((?P<message>.*)\))?: pid=(?P<pid>{_INT})(?:: (?P<date>.*))?"
)
_IO_2 = re.compile(
    rf"{_DIRECTION} io=(?P<io>[^,]+), bw=(?P<bw>[^,]+), iops=(?P<iops>[^,]+),"
    rf" runt=\s*(?P<ms>{_INT})msec.*"
)
_DECIMAL = re.compile(rf"{_REAL}[kMGTPE](?!i)")  # "512B/s" has no prefix, and says nothing
_PERCENTILE = re.compile(rf"(\d{{1,3}}(?:\.\d{{1,9}})?)th=\[?\s*>?=?\s*({_NUMBER})")
_TIMES = re.compile(r"(?:run=(\d{1,18})-|mint=(\d{1,18})msec, maxt=)(\d{1,18})msec")
_MOVED = re.compile(r"\bio=([^\s,]+)")
_SIZE = r"(\d{1,9}(?:\.\d{1,9})?)([KMG]?)(?:iB|B)?"
_BS = re.compile(rf"{_SIZE}-{_SIZE}")
_TAG = r"(?:<(?!/)[^>\n]+>[ ]?)?"

Pairs = tuple[tuple[re.Pattern[str], Taker[Run]], ...]

_ABOVE: Pairs = tuple(
    (re.compile(pattern), take)
    for pattern, take in (
        (
            r"(?:<[^>]+> )?(?P<name>.*): \(g=(?P<group>\d{1,9})\): rw=(?P<rw>[^,]+),"
            r" bs=(?P<bs>.*?), ioengine=(?P<ioengine>[^,]*), iodepth=(?P<iodepth>\d{1,9}).*",
            _take_definition,
        ),
        (r"(?:<[^>]+> )?.*: \(g=\d+\): rw=.*", _take_unreadable),
        (r"\.\.\.", _take_clones),
        (r"(?:fio-|fio )(\d[\w.-]*)", _take_version),
        (r"hostname=.*fio=fio-([\w.-]+).*", _take_version),
        (CLIENT.pattern, _take_client),
        (r"(?:fio: |[Nn]ote: |clock setaff).*", _take_remark),
        (
            rf"{_TAG}(?:(?:\^C|fio-\d|fio[ ]\d+\.\d|fio:[ ]|Starting[ ]\d+|Jobs:[ ]\d|[Nn]ote:[ ]"
            r"|hostname=|clock[ ]setaffinity|.*:[ ]Laying[ ]out[ ]IO[ ]file|file[ ].*exceeds"
            r"|\(f=\d+\)).*|\.\.\.)?",
            _pass,
        ),
    )
)
_LINES: Pairs = tuple(
    (re.compile(pattern), take)
    for pattern, take in (
        (_ENTRY.pattern, _take_entry),
        (
            rf"{_DIRECTION} IOPS=(?P<iops>[^,]+), BW=(?P<bw>\S+ \(\S+\)) ?"
            rf"\((?P<io>[^/]+)/(?P<ms>{_INT})msec\)(?:; (?P<more>.*))?.*",
            _take_section,
        ),
        (_IO_2.pattern, _take_section),
        (rf"{_KIND}(?P<prio>[^(:]*) {_UNIT} *: {_EXTREMES}, {_MEANS}", _take_latency),
        (rf"{_KIND}(?P<prio>.*) percentiles {_UNIT} *:(?P<rest>.*)", _take_percentile_head),
        (r"(?:\| *)?\d{1,3}(?:\.\d+)?th=\[.*|\d{1,3}\.\d+th=\d+(?:,.*)?", _take_percentiles),
        (
            rf"bw \( *(?P<unit>\w+) */s\) *: {_EXTREMES},"
            rf" per=(?P<per>-?{_REAL})?(?:-?nan|inf)?%, {_MEANS}",
            _take_bw,
        ),
        (rf"iops *: {_EXTREMES}, {_MEANS}", _take_iops),
        (rf"lat {_UNIT} *: *(?P<list>(?:>=)?\d+=[\d.]+%.*)", _take_shares),
        (
            rf"cpu *: usr=(?P<usr_cpu_pct>{_REAL})%, sys=(?P<sys_cpu_pct>{_REAL})%,"
            rf" ctx=(?P<ctx>{_INT})(?:, majf=(?P<majf>{_INT}), minf=(?P<minf>{_INT}))?.*",
            _take_cpu,
        ),
        (r"issued(?: rwts?| r/w(?:/d)?)? *: ?total=.*", _take_issued),
        (
            r"(?P<name>IO depths|submit|complete|errors|latency|steadystate|Description|states) *:"
            r" *(?P<rest>.*)",
            _take_extra,
        ),
        (r"fsync/fdatasync/sync_file_range.*:", _pass),
        (
            r"(?:block lifetime percentiles *:|\|)(?P<rest>(?: *\d{1,3}\.\d+th=\d+,?)*)",
            _take_lifetimes,
        ),
        (rf"(?P<title>Run status group (?P<group>{_INT}) \(all jobs\)):.*", _take_group),
        (r"(?P<name>READ|WRITE|TRIM|MIXED): (?P<rest>(?:io|bw)=.*)", _take_sum),
        (r"Disk stats \(read/write\):.*", _pass),
        (r"(?P<name>\S+): (?P<rest>ios=\d+/\d+, .*)", _take_disk),
        (r"fio: .*", _take_remark),
        (CLIENT.pattern, _take_client),
        (r"(?:<[^>]+> )?Jobs: \d+ \(f=\d+\).*", _take_progress),
        (r"(?:<[^>]+> )?", _pass),
    )
)
