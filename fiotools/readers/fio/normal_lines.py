"""The lines of fio's text report: what each looks like, and what it says of a run.

A line is taken by the first pattern that matches it (`LINES`, above the first entry `ABOVE`); a
taker that raises `ValueError` found a damaged line. Specified in fio's ``stat.c``
(``show_thread_status_normal``) and ``init.c``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import NamedTuple

from fiotools.readers.fio import STATISTICS
from fiotools.readers.fio.bins import NS, coarse_edges
from fiotools.readers.fio.cumulative import State
from fiotools.readers.fio.documents import TOTAL
from fiotools.readers.fio.printed import Printed, amount, count
from fiotools.readers.fio.remarks import Said
from fiotools.readers.fio.schema import Disk, Latency, filled, raw_text
from fiotools.readers.formats import FIO_DEFINITION
from fiotools.readers.text import Cursor, Taker

# --- what a report says -----------------------------------------------------------------------


@dataclass
class Definition:
    """A job as fio understood it, printed above the reports."""

    name: str
    group: int
    options: dict[str, str]
    clones: bool = False


@dataclass
class Curve:
    """Percentiles of one latency."""

    line: int
    scale: int = 1  # the ns of their unit
    decimals: int = 0  # how many digits their names have behind the point
    pairs: list[tuple[float, float]] = field(default_factory=list)


class Sum(NamedTuple):
    """One direction in the summary of a group."""

    group: str  # its heading
    direction: str
    io: Printed
    bw: Printed
    longest_ms: int
    is_old: bool


@dataclass
class Section:
    """One direction of an entry."""

    direction: str
    line: int = field(compare=False)
    io: Printed | None = None
    bw: Printed | None = None
    iops: Printed | None = None
    runtime_ms: int | None = None
    is_old: bool = False  # the layout from before 2.18, with KB of 1024 bytes
    samples: dict[str, float] = field(default_factory=dict)  # of rates, by their keys in `Part`
    latencies: dict[str, Latency] = field(default_factory=dict)
    percentiles: dict[str, Curve] = field(default_factory=dict)

    @property
    def is_decimal(self) -> bool:
        """Whether the bandwidth counts 1000 bytes but says 1024, as in fio 1 until 1.3x."""
        if not self.is_old or self.io is None or self.bw is None or not self.runtime_ms:
            return False
        seconds = self.runtime_ms / 1000
        exact, slack = self.io.value / seconds, self.io.reach / seconds + self.bw.slack
        said = self.bw.value
        return abs(exact - said) > slack and abs(exact - said / 1.024) <= slack


@dataclass(kw_only=True)
class Entry:
    """One job's, one group's or one client's part of a report."""

    line: int  # counted from the start of the report
    name: str  # empty if its first line is missing, without group and error then
    group: int | None
    error: int | None
    jobs: int
    pid: int
    host: str | None = None  # of a client; empty if it is uncertain which
    message: str | None = None
    sections: list[Section] = field(default_factory=list)
    # I/Os in total, short and dropped: reads, writes, trims and syncs
    issued: dict[str, list[int]] = field(default_factory=dict)
    description: str | None = None
    cpu: dict[str, float] = field(default_factory=dict)
    # the coarse distribution: unit to bin to percent
    shares: dict[str, dict[str, float]] = field(default_factory=dict)
    extras: dict[str, str] = field(default_factory=dict)  # values without a column

    @property
    def is_total(self) -> bool:
        """Whether it sums up the entries of all clients."""
        return self.name == TOTAL

    @property
    def key(self) -> tuple[str, int | None, int, str | None]:
        """The key that repeated reports of the same entry share."""
        return self.name, self.group, self.pid, self.host

    @property
    def state(self) -> State:
        """What it says of its job, to tell its later reports; the process id is the proof."""
        ran = [float(section.runtime_ms or 0) for section in self.sections]
        issued = self.issued.get("total") or [0] * _COUNTED
        return State(self.key, max(ran, default=0.0), tuple(issued))

    @property
    def summary(self) -> str:
        """The heading of the summary of its group."""
        host = f"<{self.host}> " if self.host else ""
        return f"{host}Run status group {self.group} (all jobs)"


@dataclass
class FioOutput:
    """The output of one fio process."""

    version: str | None = None
    is_excerpt: bool = False  # of a report that the same text has with more lines
    is_alone: bool = False  # only the summary of its groups
    # in client mode, the machines whose reports are to follow, and the one whose report is being
    # read; empty if it is uncertain which
    waiting: list[str] = field(default_factory=list)
    host: str | None = None
    definitions: list[Definition] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    earlier: list[list[Entry]] = field(default_factory=list)  # of reports before the last one
    disks: list[Disk] = field(default_factory=list)
    extras: dict[str, str] = field(default_factory=dict)
    remarks: Said = field(default_factory=list)
    terse: int | None = None  # the line on which terse output begins above it
    doubts: Said = field(default_factory=list)  # contradictions
    # what was not understood, or is not certain: its line, code and message
    left_out: list[tuple[int, str, str]] = field(default_factory=list)
    cut: int | None = None  # the line where the text ends before fio's output does
    is_summed: bool = False
    begun: int = 0  # which entry is the first of the report that is being read
    is_between: bool = True  # whether the next entry begins a report
    group: str = ""  # the heading of the summary that is being read
    sums: list[Sum] = field(default_factory=list)
    # the percentiles that are being read, if their heading was; the name of their extra if they
    # belong to one priority, which has no table
    curve: Curve | None = None
    priority: str = ""

    @property
    def entry(self) -> Entry:
        """The entry whose lines are being read."""
        return self.entries[-1]

    @cached_property
    def alike(self) -> dict[tuple[str, int | None, str | None], list[Entry]]:
        """The entries of one name, group and machine, once all are read."""
        found = defaultdict(list)
        for entry in self.entries:
            found[entry.name, entry.group, entry.host].append(entry)
        return found

    @cached_property
    def grouped(self) -> dict[int | None, list[Definition]]:
        """The definitions of each group, once all are read."""
        found: dict[int | None, list[Definition]] = defaultdict(list)
        for one in self.definitions:
            found[one.group].append(one)
        return found


# the takers of lines, in the order in which they are tried: above the first entry, and from it on
Takers = list[tuple[re.Pattern[str], Taker[FioOutput]]]
ABOVE: Takers = []
LINES: Takers = []


def plain(name: str) -> str:
    """Drop a tag of HTML before a name."""
    return _HTML.sub("", name)


# --- what lines look like ---------------------------------------------------------------------

_AGAIN = "a second line of its kind: another report's"
_HTML = re.compile(r"<\w{1,10}>(?! )")
_BRACKETS = re.compile(r"[()]")
_DIGITS = 18  # fit into 64 bits
_COUNTED = 4  # reads, writes, trims and syncs
_END = r"(?![,'_]?\d)"  # people put commas between thousands
_INT = rf"\d{{1,{_DIGITS}}}{_END}"
_WRAPPED = rf"\d{{1,20}}{_END}"  # may have fallen below 0, and be 2**64 less
_REAL = rf"[\d.]{{1,25}}{_END}"
_NUMBER = rf"-?{_REAL}[kKmMG]?"
_UNIT = r"\((?P<unit>nsec|usec|msec)\)"
# two levels of priority until 3.29; from 3.30 each priority has its number
_KIND = r"(?P<level>(?:high|low) prio[_ ](?:\([^)]*\) )?)?(?P<kind>slat|clat|lat|sync)"
_DIRECTION = r"(?P<direction>read|write|trim|mixed) *:"
_SIZE = r"(\d{1,9}(?:\.\d{1,9})?)([KMG]?)(?:iB|B)?"
_TAG = r"(?:<(?!/)[^>\n]+>[ ]?)?"

_DEFINITION = re.compile(
    r"(?:<[^>]{1,200}> )?(?P<name>.{0,200}): \(g=(?P<group>\d{1,9})\): rw=(?P<rw>[^,]{1,40}),"
    r" bs=(?P<bs>.{0,200}?), ioengine=(?P<ioengine>[^,]*), iodepth=(?P<iodepth>\d{1,9}).*"
)
_BS = re.compile(rf"{_SIZE}-{_SIZE}")
CLIENT = re.compile(r"(?:Jobs: .*)?<(?P<client>[^<>\s]+)>")
_DECIMAL = re.compile(rf"{_REAL}[kMGTPE](?!i)")  # "512B/s" has no prefix, and cannot tell
ENTRY = re.compile(
    rf"(?P<name>.*): \(groupid=(?P<group>{_INT}), jobs=(?P<jobs>{_INT})\):"
    rf" err=\s*(?P<error>{_INT})(?: \((?P<message>.*)\))?: pid=(?P<pid>{_INT})(?:: (?P<date>.*))?"
)
GROUP = re.compile(rf"(?P<title>Run status group {_INT} \(all jobs\)):.*")
_PERCENTILE = re.compile(
    rf"(\d{{1,3}}(?:\.\d{{1,9}})?)th=\[?\s*>?=?\s*({_NUMBER})(?=\s*(?:[],;]|\Z))"
)
SUM = re.compile(
    r"(?P<name>READ|WRITE|TRIM|MIXED): (?P<rest>(?:bw=(?P<bw>[^=,]*)[^=]*, )?"
    r"io=(?P<io>[^\s,]+(?: \([^),]+\))?)(?:, aggrb=(?P<old>[^,\s]+))?.*?"
    r"(?:run=(?P<run>\d{1,18})-|mint=(?P<mint>\d{1,18})msec, maxt=)(?P<longest>\d{1,18})msec.*)"
)
# the fields of a disk's line, by their names in fio's JSON
_DISK: dict[str, tuple[str, ...]] = {
    "ios": ("read_ios", "write_ios"),
    "merge": ("read_merges", "write_merges"),
    "sectors": ("read_sectors", "write_sectors"),
    "ticks": ("read_ticks", "write_ticks"),
    "in_queue": ("in_queue",),
    "util": ("util",),
}
_DISK_COUNTS = ("ios", "merge", "sectors")
# names in fio's JSON for lines without a column
_AS_IN_JSON = {
    "IO depths": "iodepth_level",
    "submit": "iodepth_submit",
    "complete": "iodepth_complete",
}


def _line(*patterns: str, into: Takers = LINES) -> Callable[[Taker[FioOutput]], Taker[FioOutput]]:
    """Let a function take the lines that one of the patterns matches."""

    def listed(take: Taker[FioOutput]) -> Taker[FioOutput]:
        into.extend((re.compile(pattern), take) for pattern in patterns)
        return take

    return listed


_above = partial(_line, into=ABOVE)


# --- lines above the first entry --------------------------------------------------------------


@_above(FIO_DEFINITION.pattern + ".*")
def _take_definition(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    at, whole = cursor.number, _DEFINITION.fullmatch(found[0])
    if whole is None:
        said = f"the definition {found[0][:60]!r} cannot be read: no conditions"
        run.doubts.append((at, said))
        return
    blocks = (_block(*block) for block in _BS.findall(whole["bs"]))
    options = {**whole.groupdict(), "bs": ",".join(blocks)}
    name, group = options.pop("name"), int(options.pop("group"))
    run.definitions.append(Definition(name, group, options))


def _block(low: str, low_unit: str, high: str, high_unit: str) -> str:
    """Return a block size as an option; a question mark if it is a range, or rounded."""
    size = float(low) * 1024 ** ("", "K", "M", "G").index(low_unit)
    whole = int(size)
    is_exact = not low_unit or low.endswith(".0") or whole & (whole - 1) == 0
    is_one = (low, low_unit) == (high, high_unit) and is_exact and whole == size
    return str(whole) if is_one else "?"


@_above(r"(?:<[^>]+> )?(?:\.\.\.|…)")
def _take_clones(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    if run.definitions:
        run.definitions[-1].clones = True


# --- lines of an entry, the most frequent first -----------------------------------------------


@_line(ENTRY.pattern)
def _take_entry(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> bool:
    name = plain(found["name"])
    if name.startswith("Jobs: "):  # progress without a line end before the report
        known = [one.name for one in run.definitions if name.endswith(one.name)]
        name = max(known, key=len) if known else re.split(r"\[eta [^\]]*\]|s\]", name)[-1]
    if run.is_between and name != TOTAL:
        run.host = (
            run.waiting.pop() if len({*run.waiting}) == 1 else "" if run.waiting else run.host
        )
    entry = Entry(
        line=cursor.number,
        name=name,
        group=int(found["group"]),
        error=int(found["error"]),
        host=None if name == TOTAL else run.host,
        jobs=int(found["jobs"]),
        pid=int(found["pid"]),
        message=found["message"],
    )
    if found["date"] and found["date"].strip():
        entry.extras["date"] = found["date"].strip()
    # after a summary: a new process, another client, or the same entries with higher counts
    if run.is_alone:
        return False
    if run.is_summed and run.host != "" and entry.key in {one.key for one in run.entries}:
        run.earlier.append(run.entries)
        run.entries, run.disks, run.extras, run.sums = [], [], {}, []
        run.is_summed, run.cut, run.group = False, None, ""
    elif run.is_summed and run.host is None:
        return False
    if run.is_between:
        run.begun, run.is_between = len(run.entries), False
    run.entries.append(entry)
    _begin(run)
    return True


def _begin(run: FioOutput) -> None:
    """Forget the lines above, as those of another part of the report follow."""
    run.curve, run.priority = None, ""


@_line(r"(?:\| *)?\d{1,3}(?:\.\d+)?th=\[.*|\d{1,3}\.\d+th=\d+(?:,.*)?")
def _take_percentiles(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    if run.priority:
        _add_text(run.entry.extras, run.priority, found[0].strip("| "))
        return
    pairs = _pairs(found[0])
    curve = run.curve
    if curve is None or (curve.pairs and float(pairs[0][0]) < curve.pairs[-1][0]):
        curve = run.curve = Curve(cursor.number)
        message = (
            "percentiles without the line 'clat percentiles (usec)' above them: they are left out,"
            " as their unit is not certain"
        )
        run.left_out.append((cursor.number, "left out", message))
    _add_percentiles(run, curve, pairs, cursor.number)


def _pairs(text: str) -> list[tuple[str, str]]:
    """Split a line of percentiles into their names and values."""
    found: list[tuple[str, str]] = _PERCENTILE.findall(text)
    if len(found) < text.count("th="):
        raise ValueError(f"not percentiles: {text!r}")
    return found


def _add_percentiles(
    run: FioOutput, curve: Curve, pairs: Iterable[tuple[str, str]], at: int
) -> None:
    """Add percentiles; fio sorts them, so one that falls is damaged."""
    for name, value in pairs:
        pair = float(name), count(value).value * curve.scale
        if curve.pairs and pair[0] < curve.pairs[-1][0]:
            run.doubts.append((at, f"the percentiles are out of order at {name}"))
        curve.pairs.append(pair)
        curve.decimals = len(name.partition(".")[2])


def _add_text(extras: dict[str, str], name: str, text: str) -> None:
    """Keep several lines without a column as one text."""
    extras[name] = f"{extras.get(name, '')} {text}".strip()


@_line(
    rf"(?:{_KIND}(?P<prio>[^(:]*) {_UNIT}|bw \( *(?P<rate>\w+) */s\)|iops) *:"
    rf" min=\s*(?P<min>{_NUMBER}) *, max=\s*(?P<max>{_NUMBER}) *,"
    rf"(?: per=(?P<per>-?{_REAL})?(?:-?nan|inf)?%,)?"
    rf" avg=\s*(?P<mean>{_NUMBER}) *, stdev=\s*(?P<stddev>{_NUMBER})"
    rf"(?:, samples=(?P<samples>{_INT}))?.*",
)
def _take_statistics(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    entry, kind, samples = run.entry, found["kind"], found["samples"]
    if priority := _priority(found):
        direction = entry.sections[-1].direction if entry.sections else "unknown"
        entry.extras[f"{direction}.{priority}"] = found[0]
        return
    if kind == "sync":
        entry.sections.append(Section("sync", cursor.number))
    section = entry.sections[-1] if entry.sections else None
    printed = {name: count(found[name]).value for name in STATISTICS}
    if kind:
        scale, kind = float(NS[found["unit"]]), _measured(kind)
        latency = filled(Latency(), {name: one * scale for name, one in printed.items()})
        if section is None or section.latencies.setdefault(kind, latency) != latency:
            raise ValueError(_AGAIN)
    else:
        what, scale, counts = "iops", 1.0, {"iops_samples": samples}
        if unit := found["rate"]:
            what, counts = "bw", {"bw_agg": found["per"], "bw_samples": samples}
            # fio samples KiB/s, whatever it calls them; "MiB" is kb_base times that, and until
            # about 1.40 "KiB/s" were 1000 bytes per second
            thousand = 1000 if run.extras.get("kb_base") == "1000" else 1024
            scale = (thousand if unit.startswith("M") else 1) / (8 if "bit" in unit else 1)
            scale = scale * 1000 / 1024 if section and section.is_decimal else scale
        measures = {f"{what}_{name}": one * scale for name, one in printed.items()}
        measures |= {name: float(text) for name, text in counts.items() if text}
        if what == "bw":
            measures["bw_dev"] = measures.pop("bw_stddev")
        if section is None or any(
            section.samples.get(name, value) != value for name, value in measures.items()
        ):
            raise ValueError(_AGAIN)
        section.samples |= measures
    run.curve, run.priority = None, ""


def _measured(kind: str) -> str:
    """Name the latency of a line; syncs have only one."""
    return "lat" if kind == "sync" else kind


def _priority(found: re.Match[str]) -> str | None:
    """Name a latency of one priority as printed; those have no table."""
    if not found["level"] and not (found["prio"] or "").strip():
        return None
    return f"{found['level'] or ''}{found['kind']}{found['prio']}".strip()


@_line(rf"{_KIND}(?P<prio>.*) percentiles {_UNIT} *:(?P<rest>.*)")
def _take_percentile_head(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    kind, priority = _measured(found["kind"]), _priority(found)
    section = run.entry.sections[-1] if run.entry.sections else None
    if found["kind"] == "sync" and not (section and section.direction == "sync"):
        section = Section("sync", cursor.number)
        run.entry.sections.append(section)
    # a direction has one table of each latency
    if not section or (not priority and kind in section.percentiles):
        raise ValueError("percentiles of no direction")
    curve = run.curve = Curve(cursor.number, NS[found["unit"]])
    run.priority = ""
    if priority:
        run.priority = f"{section.direction}.{priority} percentiles ({found['unit']})"
    else:
        section.percentiles[kind] = curve
    # in 1.5x they begin on the same line
    _add_percentiles(run, curve, _pairs(found["rest"]), cursor.number)


@_line(rf"lat {_UNIT} *: *(?P<list>(?:(?:>=)?\d{{1,9}}={_REAL}%,? *)+)")
def _take_shares(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    into = run.entry.shares.setdefault(found["unit"], {})
    for name, pct in re.findall(rf"(>=\d+|\d+)=({_REAL})%", found["list"]):
        coarse_edges(name, found["unit"], True)  # raises for a bin that fio does not have
        into[name] = float(pct)


@_line(
    rf"{_DIRECTION} IOPS=(?P<iops>[^,]+), BW=(?P<bw>\S+ \(\S+\)) ?"
    rf"\((?P<io>[^/]+)/(?P<ms>{_INT})msec\)(?:; (?P<more>.*))?.*",
    rf"{_DIRECTION} io=(?P<io>[^,]+), bw=(?P<bw>[^,]+), iops=(?P<iops>[^,]+),"
    rf" runt=\s*(?P<ms>{_INT})msec.*",
)
def _take_section(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> bool:
    said = found.groupdict()
    is_old = "more" not in said
    section = Section(
        said["direction"],
        cursor.number,
        _amount(said["io"], is_old),
        _amount(said["bw"], is_old),
        count(said["iops"]),
        int(said["ms"]),
        is_old,
    )
    is_again = any(one.direction == section.direction for one in run.entry.sections)
    if run.is_between or (run.is_alone and is_again):
        return False
    run.entry.sections.append(section)
    _begin(run)
    if more := said.get("more"):  # "0 zone resets", "Cachehit=50.00%"
        name = "zone_resets" if more.endswith(" zone resets") else "more"
        run.entry.extras[f"{section.direction}.{name}"] = more.removesuffix(" zone resets")
    # kb_base=1000 puts the decimal unit first, and changes the unit of the bw line below
    if not is_old and _DECIMAL.match(said["bw"]):
        run.extras["kb_base"] = "1000"
    return True


def _amount(text: str, is_old: bool) -> Printed:
    """Read a number that may be printed with both kinds of prefix: the more precise print."""
    parts = filter(str.strip, _BRACKETS.split(text))
    return min((amount(part, is_old) for part in parts), key=lambda one: one.reach)


@_line(
    rf"cpu *: usr=(?P<usr_cpu>{_REAL})%, sys=(?P<sys_cpu>{_REAL})%,"
    rf" ctx=(?P<ctx>{_WRAPPED})(?:, majf=(?P<majf>{_WRAPPED}), minf=(?P<minf>{_WRAPPED}))?.*",
)
def _take_cpu(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    told = {name: float(text) for name, text in found.groupdict().items() if text}
    run.entry.cpu = {name: value for name, value in told.items() if value < 2**63}
    # fio 2.0 subtracts counts of threads that ended: 2**64 - 341660 switches
    if odd := ", ".join(told.keys() - run.entry.cpu.keys()):
        run.left_out.append((cursor.number, "left out", f"{odd} fell below 0: left out"))


@_line(r"issued(?: rwts?| r/w(?:/d)?)? *: ?total=.*")
def _take_issued(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> bool:
    for name, numbers in re.findall(r"(total|short|drop)\w*=([\d,rwd=/]+)", found[0]):
        counts = re.findall(r"\d+", numbers)
        if max(map(len, counts), default=0) > _DIGITS or len(counts) > _COUNTED:
            return False
        run.entry.issued[name] = [int(number) for number in counts]
    sections = run.entry.sections
    is_listed = any(section.direction == "sync" for section in sections)
    if any(run.entry.issued.get("total", [])[3:]) and not is_listed:  # they were not timed
        sections.append(Section("sync", cursor.number))
    return True


@_line(
    r"(?P<name>IO depths|submit|complete|errors|latency|steadystate|Description|states) *:"
    r" *(?P<rest>.*)",
)
def _take_extra(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    name = found["name"]
    if name == "Description":
        run.entry.description = found["rest"].strip("[]")
    else:
        run.entry.extras[_AS_IN_JSON.get(name, name)] = found["rest"]


@_line(r"(?:block lifetime percentiles *:|\|)(?P<rest>(?: *\d{1,3}\.\d+th=\d+,?)*)")
def _take_lifetimes(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    _add_text(run.entry.extras, "block lifetime percentiles", found["rest"].strip())


# --- lines below the entries ------------------------------------------------------------------


@_line(GROUP.pattern)
def _take_group(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    run.group = _heading(run, found["title"])
    run.is_summed = run.is_between = True


def _heading(run: FioOutput, title: str) -> str:
    return f"<{run.host}> {title}" if run.host else title


@_line(r"(?P<name>READ|WRITE|TRIM|MIXED): (?P<rest>(?:io|bw)=.*)")
def _take_sum(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    at, total = cursor.number, SUM.fullmatch(found[0])
    found, direction = total or found, found["name"].lower()
    known = None
    if total and (total["bw"] or total["old"]):
        is_old = total["old"] is not None
        io, bw = (_amount(text, is_old) for text in (total["io"], total["old"] or total["bw"]))
        known = Sum(run.group, direction, io, bw, int(total["longest"]), is_old)
    _add_text(run.extras, f"{run.group}.{found['name']}", found["rest"])
    if not total or not known:
        return
    run.sums.append(known)
    run.cut = None  # it is not an interim report
    parts = [
        section
        for entry in run.entries[run.begun :]
        if entry.summary == run.group
        for section in entry.sections
        if section.direction == direction
    ]
    if not parts or direction == "mixed":
        return  # fio 3.33 counts nothing in mixed
    ran = [section.runtime_ms or 0 for section in parts]
    if (min(ran), max(ran)) != (int(total["run"] or total["mint"]), known.longest_ms):
        what = "the run times in the group's summary are not its entries'"
        run.doubts.append((at, f"{direction}: {what}"))
        return
    amounts = [section.io for section in parts if section.io is not None]
    done, reach = sum(io.value for io in amounts), sum(io.reach for io in amounts)
    if abs(done - known.io.value) > reach + known.io.reach:
        what = "the entries of the group do not add up to its summary"
        run.doubts.append((at, f"{direction}: {what}"))


@_line(r"(?P<name>\S+): (?P<rest>ios=\d+/\d+, .*)")
def _take_disk(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> bool:
    name = found["name"]
    disk, parts = Disk(name=name, hostname=run.host or None), {}
    for key, *texts in re.findall(rf"(\w{{1,40}})=({_REAL})(?:/({_REAL}))?", found["rest"]):
        values, columns = [float(text) for text in texts if text], _DISK.get(key, ())
        if key in _DISK_COUNTS and any(value % 1 or value > 1e15 for value in values):
            return False
        if len(columns) == len(values):
            for column, value in zip(columns, values, strict=True):
                setattr(disk, column, value if value % 1 else int(value))
        elif columns:
            return False
        else:  # of the devices that it is made of, or not known
            parts[key] = raw_text("/".join(f"{value:g}" for value in values))
    disk.rest = parts or None
    run.disks.append(disk)
    run.is_summed = run.is_between = True
    run.cut = None
    return True


# --- lines anywhere ---------------------------------------------------------------------------


@_above(
    r"(?:fio-|fio )(?P<version>\d[\w.-]*)",
    r"(?P<version>[12]\.\d{1,2}(?:\.\d{1,2})?)",  # 2.0.8
    r"hostname=.*fio=fio-(?P<version>[\w.-]+).*",
)
def _take_version(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    run.version = found["version"]


@_above(CLIENT.pattern)
@_line(CLIENT.pattern)
def _take_client(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    run.waiting.append(found["client"])


@_line(r"(?:<[^>]+> )?Jobs: \d+ \(f=\d+\).*")
def _take_progress(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    if run.is_summed and run.host is None:  # an interim report: fio was still running
        run.cut = cursor.number


@_above(
    r"(?:fio: |[Nn]ote: |clock setaff|verify: |\w+: verify failed|(?:Expected|Received) CRC: ).*",
    r".* : Saving output of (?:prerun|postrun) in .*",
)
@_line(r"(?:fio: |verify: |\w+: verify failed).*")
def _take_remark(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    run.remarks.append((cursor.number, found[0]))


@_above(
    rf"{_TAG}(?:(?:\^C|fio-\d|fio[ ]\d+\.\d|fio:[ ]|Starting[ ]\d+|Jobs:[ ]\d|[Nn]ote:[ ]"
    r"|hostname=|clock[ ]setaffinity|.*:[ ]Laying[ ]out[ ]IO[ ]file|file[ ].*exceeds"
    r"|\(f=\d+\)|.*:[ ]\d+[ ]\(f=\d+\):).*|\.\.\.)?",
)
@_line(r"(?:<[^>]+> )?|fsync/fdatasync/sync_file_range.*:|Disk stats \(read/write\):.*")
def _pass(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    """Skip a line without information."""


def is_section(line: str) -> bool:
    """Whether a line has the numbers of a direction."""
    return any(pattern.fullmatch(line) for pattern, take in LINES if take is _take_section)
