"""fio_normal: the report that fio prints for people, alone or in the middle of other text.

Produced by ``fio ...`` or ``fio --output=report.txt ...``. Fills ``runs``, ``jobs``, ``io``,
``percentiles``, ``bins`` (the coarse distribution, as percent), ``disks``, ``samples`` (the
earlier reports of ``--status-interval``), ``settings`` (from a command line, where a transcript
shows one) and ``extras`` (depths, date, the group summary).

The definition line above (``job: (g=0): rw=..., bs=..., iodepth=...``) gives the conditions.
Figures are recomputed from the exact ones (``issued rwts``, milliseconds, block size) where the
result prints like what is printed; else the printed one, three to six digits, stands.

Traps: units change from line to line (nsec, usec, msec; KiB, MiB; Gibit with ``unit_base=1``);
``k`` is 1000; before 3.0 ``KB`` is 1024, but early fio 1 meant 1000 by it in bandwidths; digits
behind the point can be wrong (11.96 is printed as 11.0), so of two prints of one figure the safer
one is taken; the ``lat (usec)   :`` lines look like ``lat (usec):`` and hold the completion
latency; with ``kb_base=1000`` the line ``bw ( MiB/s)`` counts 1000 KiB; the date has no zone, so it
stays in ``extras``, like latencies by priority; reports of one process repeat with
``--status-interval`` and are cumulative: the last one counts. ``jobs=2`` is a group; which
conditions hold for a group of unlike jobs is left open. Counts and rates, and a group's entries and
its summary, are held against each other.

Grammar: fio ``stat.c`` (``show_thread_status_normal``) and ``init.c``, 1.x to 3.42.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fiotools.errors import ParseError
from fiotools.readers.fio.bins import NS, coarse_edges
from fiotools.readers.fio.json_fields import STATISTICS
from fiotools.readers.fio.normal_rows import Definition, Job, Run, Section, add
from fiotools.readers.fio.printed import amount, count, number
from fiotools.readers.fio.terse_lines import heading, is_entry
from fiotools.readers.fio.text_rows import ALL, Disk
from fiotools.readers.formats import FIO_SAID
from fiotools.readers.surroundings import read_reports
from fiotools.readers.text import Cursor, Taker, line_start, lines_above, taken

if TYPE_CHECKING:
    from fiotools.readers.document import Document
    from fiotools.readers.fio.text_rows import Said
    from fiotools.tables import Tables

# how far to look for the ends of a line of fio's: with progress before it, and without
_LINE, _PROGRESS = 5_000, 65_000
_LAST = ("%", "msec")  # the end of a last line that is whole
_STRANGE = 5  # so many lines on end that are not understood are not fio's


def read(document: Document, tables: Tables) -> None:
    """Read a text that is nothing but fio's human reports."""
    if not document.reports:
        said = FIO_SAID.search(document.text)
        raise ParseError(
            document.name,
            f"fio printed no report; it said {said[0][:120]!r}" if said else "no report of fio",
            line=document.line(said.start()) if said else 1,
            remedy="correct that and run fio again",
        )
    read_reports(document, tables, add)


# --- where a report begins and ends -----------------------------------------------------------


def parse(text: str, match: re.Match[str]) -> tuple[int, int, Run] | None:
    """Read the report around the first entry's ``(groupid=0, jobs=1): err=``."""
    at, most = match.start(), match.end() + _LINE
    stop = text.find("\n", match.end(), most)
    # a line may be a whole file, and hold the anchor everywhere
    name = line_start(text, at, _LINE, "\n\r")
    if name is None or (most < len(text) and stop < 0):
        return None
    far = line_start(text, at, _PROGRESS) if text[at - 2 : at] == ": " else None
    first = name if far is None else far
    # what stands above is walked over once, for a report, and not for each line that is none
    entry = _entry(bare(text[first : stop if stop >= 0 else len(text)]))
    if entry is None:
        return None
    start, run = _above(text, first, entry), Run()
    cursor = Cursor(text, start, bare)
    while cursor.start < first:
        if not taken(cursor, run, _ABOVE):
            if is_entry(cursor.bare) and _TERSE not in {said for _, said in run.remarks}:
                run.remarks.append((cursor.number, _TERSE))
            cursor.take()
    end = _take_entries(cursor, run)
    return (start, end, run) if run.entries else None


def bare(line: str) -> str:
    """Drop indentation, quoting, and progress that a carriage return was to overwrite."""
    return line.rsplit("\r", 1)[-1].strip().lstrip("> \t")


def _entry(line: str) -> re.Match[str] | None:
    """Recognise the first line of an entry."""
    return _ENTRY.fullmatch(line) if len(line) <= _LINE else None


def _above(text: str, first: int, entry: re.Match[str]) -> int:
    """Walk up from the first entry over what fio printed before it; return where that begins."""
    start, job = first, (entry["name"], int(entry["group"]))
    is_next = True
    for at, raw in lines_above(text, first):
        line = bare(raw)
        if len(line) > _LINE:
            break
        if is_entry(line):
            # with normal,terse the terse line of a job stands right above its report
            if not is_next or heading(line) not in (None, job):
                break
        elif not any(pattern.fullmatch(line) for pattern, _ in _ABOVE):
            break
        elif line:
            is_next = False
        start = at if line else start
    return start


def _take_entries(cursor: Cursor, run: Run) -> int:
    """Take lines from the first entry on, until one that is not fio's; return their end."""
    end, depth = cursor.start, 0
    strange: Said = []
    while not cursor.done:
        at, stop, raw, line = cursor.number, cursor.stop, cursor.line, cursor.bare
        is_whole = not cursor.is_open or line.endswith(_LAST) or line.startswith("Jobs: ")
        if not is_whole and line:
            if raw[0] not in " \t" and not _is_begun(line, run):
                break
            run.cut, end = at, stop
        elif line and _take(cursor, run):
            # the name of a client says nothing, and may be a tag of XML, if no line follows
            end = end if _CLIENT.fullmatch(line) else stop
            run.strange += strange
            strange = []
            if run.entry.line == at:
                depth = _indent(raw)
            continue
        elif "(groupid=" in line:  # an entry of the same process, damaged
            run.cut = at
            break
        elif line:  # of another version, or damaged: only if lines follow that are fio's
            if run.is_summed or _indent(raw) <= depth or len(strange) == _STRANGE:
                break
            strange.append((at, line))
        cursor.take()
    if cursor.done and run.cut is None and _lacks_totals(run):
        run.cut = cursor.number - 1
    return end


def _take(cursor: Cursor, run: Run) -> bool:
    """Take a line from the first entry on; say whether it is one of fio's."""
    try:
        return len(cursor.bare) <= _LINE and taken(cursor, run, _LINES)
    except ValueError:  # a number that is none: the line is damaged, or not fio's
        return False


def _indent(raw: str) -> int:
    """Count the columns before a line, which may be quoted."""
    line = raw.rsplit("\r", 1)[-1]
    return len(line) - len(line.lstrip("> \t"))


def _is_begun(line: str, run: Run) -> bool:
    """Say whether a line that ends the text, without an end of line, began as one of fio's."""
    names = (f"{entry.name}: (groupid=" for entry in run.entries)
    starts = (*names, "Jobs: ", "Run status group ", "Disk stats (read/write):")
    return "(groupid=" in line or any(
        start.startswith(line) or line.startswith(start) for start in starts
    )


def _lacks_totals(run: Run) -> bool:
    """Say whether the group summary has begun, and does not hold what its entries did."""
    did = {
        f"{entry.summary}.{section.direction.upper()}"
        for entry in run.entries
        for section in entry.sections
        if section.io is not None and section.io.value and not entry.is_total
    }
    return run.is_summed and bool(run.group) and not did <= set(run.extras)


# --- who takes a line above the first entry ---------------------------------------------------


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


def _take_unreadable(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    doubt = f"the definition {found[0][:60]!r} cannot be read: no conditions"
    run.doubts.append((cursor.number, doubt))


def _take_version(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    run.version = found[1]


# --- who takes a line of an entry -------------------------------------------------------------


def _take_entry(cursor: Cursor, run: Run, found: re.Match[str]) -> bool:
    name = found["name"]
    if name.startswith("Jobs: "):  # progress without an end of line before the report
        known = [one.name for one in run.definitions if name.endswith(one.name)]
        name = max(known, key=len) if known else re.split(r"\[eta [^\]]*\]|s\]", name)[-1]
    entry = Job(
        line=cursor.number,
        name=name,
        group=int(found["group"]),
        error=int(found["error"]),
        host=None if name == ALL else run.client,
        jobs=int(found["jobs"]),
        pid=int(found["pid"]),
        message=found["message"],
    )
    if found["date"] and found["date"].strip():
        entry.extras["date"] = found["date"].strip()
    # after a summary comes a new process, another client, or the same again with higher counts
    if run.is_summed and entry.key in {one.key for one in run.entries}:
        run.begin_again()
    elif run.is_summed and run.client is None:
        return False
    run.entries.append(entry)
    return True


def _take_section(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    said = found.groupdict()
    old = "more" not in said
    kilo = 1024 if old else 1000
    bws = said["bw"].replace("(", " ").replace(")", "").split()
    rates = [amount(part, kilo, old) for part in bws]
    section = Section(
        said["direction"],
        amount(said["io"], kilo, old),
        min(rates, key=lambda rate: rate.reach),  # the most precise print
        count(said["iops"]),
        int(said["ms"]),
        is_old=old,
    )
    run.entry.sections.append(section)
    if more := said.get("more"):  # "0 zone resets", "Cachehit=50.00%"
        name = "zone_resets" if more.endswith(" zone resets") else "more"
        run.entry.extras[f"{section.direction}.{name}"] = more.removesuffix(" zone resets")
    # kb_base=1000 puts the decimal unit first, and changes what the bw line below counts
    if not old and _DECIMAL.match(said["bw"]):
        run.extras["kb_base"] = "1000"


def _take_statistics(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    entry, kind = run.entry, found["kind"]
    if priority := _priority(found):
        entry.extras[f"{entry.section.direction}.{priority}"] = found[0]
        return
    if kind == "sync":
        entry.sections.append(Section("sync"))
    section = entry.section
    counts: dict[str, str] = {}
    if kind:
        column, scale = f"{_measured(kind)}_{{}}_ns", float(NS[found["unit"]])
    elif found["rate"]:
        column, scale = "bw_{}_bytes_per_s", _sample_scale(run, section, found["rate"])
        counts = {"bw_agg_pct": found["per"], "bw_samples": found["samples"]}
    else:
        column, scale = "iops_{}", 1.0
        counts = {"iops_samples": found["samples"]}
    section.figures |= {column.format(stat): number(found[stat]) * scale for stat in STATISTICS}
    section.figures |= {name: float(text) for name, text in counts.items() if text}


def _sample_scale(run: Run, section: Section, unit: str) -> float:
    """Say how many bytes a second the unit of sampled bandwidths has.

    The samples are KiB/s inside fio, whatever it calls them; "MiB" is a kb_base of those, and until
    about 1.40 "KiB/s" were 1000 bytes a second.
    """
    thousand = 1000 if run.extras.get("kb_base") == "1000" else 1024
    scale = 1024 * (thousand if unit.startswith("M") else 1) / (8 if "bit" in unit else 1)
    return scale * 1000 / 1024 if section.is_decimal else scale


def _measured(kind: str) -> str:
    """Name the latency that a line has; of syncs there is one only."""
    return "lat" if kind == "sync" else kind


def _priority(found: re.Match[str]) -> str | None:
    """Name a latency of one priority, as it is printed; those have no table."""
    if not found["level"] and not (found["prio"] or "").strip():
        return None
    return f"{found['level'] or ''}{found['kind']}{found['prio']}".strip()


def _take_percentile_head(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    section = run.entry.section
    run.curve, run.scale, run.priority = [], NS[found["unit"]], ""
    if priority := _priority(found):
        run.priority = f"{section.direction}.{priority} percentiles ({found['unit']})"
    else:
        section.percentiles[_measured(found["kind"])] = run.curve
    if found["rest"].strip():  # in 1.5x they begin behind the head
        _add_percentiles(run, found["rest"], cursor.number)


def _take_percentiles(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    if run.priority:
        _add_text(run.entry, run.priority, found[0].strip("| "))
    else:
        _add_percentiles(run, found[0], cursor.number)


def _add_percentiles(run: Run, text: str, at: int) -> None:
    """Add percentiles; fio sorts them, so what does not rise was damaged."""
    for name, value in _PERCENTILE.findall(text):
        pair = float(name), number(value) * run.scale
        if run.curve and pair[0] <= run.curve[-1][0] and pair != run.curve[-1]:
            run.doubts.append((at, f"the percentiles are not in order at {name}"))
        run.curve.append(pair)


def _add_text(entry: Job, name: str, text: str) -> None:
    """Keep what has no column and stands in several lines, as one text."""
    entry.extras[name] = f"{entry.extras.get(name, '')} {text}".strip()


def _take_lifetimes(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    _add_text(run.entry, "block lifetime percentiles", found["rest"].strip())


def _take_shares(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    into = run.entry.shares.setdefault(found["unit"], {})
    for name, pct in re.findall(rf"(>=\d{{1,9}}|\b\d{{1,9}})=({_REAL})%", found["list"]):
        coarse_edges(name, found["unit"], True)  # raises for a bin that fio has not
        into[name] = float(pct)


def _take_cpu(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    run.entry.cpu = {name: float(text) for name, text in found.groupdict().items() if text}


def _take_issued(cursor: Cursor, run: Run, found: re.Match[str]) -> bool:
    for name, numbers in re.findall(r"(total|short|drop)\w*=([\d,rwd=/]+)", found[0]):
        counts = re.findall(r"\d+", numbers)
        if max(map(len, counts), default=0) > _DIGITS:
            return False
        run.entry.issued[name] = [int(number) for number in counts]
    return True


def _take_extra(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    name = found["name"]
    if name == "Description":
        run.entry.description = found["rest"].strip("[]")
    else:
        run.entry.extras[_AS_IN_JSON.get(name, name)] = found["rest"]


# --- who takes a line below the entries -------------------------------------------------------


def _take_group(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    run.group = f"<{run.client}> {found['title']}" if run.client else found["title"]
    run.is_summed = True


def _take_sum(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    direction, rest = found["name"].lower(), found["rest"]
    run.extras[f"{run.group}.{found['name']}"] = rest
    parts = [
        section
        for entry in run.entries
        if (entry.summary, entry.host) == (run.group, run.client)
        for section in entry.sections
        if section.direction == direction
    ]
    total = _SUM.search(rest)
    if not parts or not total or direction == "mixed":
        return  # fio 3.33 counts nothing in mixed
    moved, shortest, longest = total[1], int(total[2] or total[3]), int(total[4])
    ran = [section.runtime_ms or 0 for section in parts]
    if (min(ran), max(ran)) != (shortest, longest):
        what = "the run times in the summary of the group are not its entries'"
        run.doubts.append((cursor.number, f"{direction}: {what}"))
        return
    old = parts[0].is_old
    whole = amount(moved, 1024 if old else 1000, old)
    amounts = [section.io for section in parts if section.io is not None]
    done, reach = sum(io.value for io in amounts), sum(io.reach for io in amounts)
    if abs(done - whole.value) > reach + whole.reach:
        what = "the entries of the group do not add up to its summary"
        run.doubts.append((cursor.number, f"{direction}: {what}"))


def _take_disk(cursor: Cursor, run: Run, found: re.Match[str]) -> bool:
    name = found["name"]
    row: dict[str, Any] = {"host": run.client, "device": name}
    parts: dict[str, str] = {}
    for key, *texts in re.findall(rf"(\w{{1,40}})=({_REAL})(?:/({_REAL}))?", found["rest"]):
        values = [float(text) for text in texts if text]
        columns, unit = _DISK.get(key, ((), 1))
        if key in _DISK_COUNTS and any(value % 1 or value > 1e15 for value in values):
            return False
        if key.startswith("agg"):
            parts[f"disk_util.{name}.{key}"] = "/".join(f"{value:g}" for value in values)
        elif len(columns) == len(values):
            row |= {column: value / unit for column, value in zip(columns, values, strict=True)}
    run.disks.append(Disk(row, parts))
    run.is_summed = True
    return True


def _take_client(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    run.client = found[1]


def _take_remark(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    run.remarks.append((cursor.number, found[0]))


def _take_progress(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    if run.is_summed and run.client is None:  # that was an interim report: fio was still running
        run.cut = cursor.number


def _pass(cursor: Cursor, run: Run, found: re.Match[str]) -> None:
    """Take a line that says nothing."""


# --- the table --------------------------------------------------------------------------------

_DIGITS = 18  # fit into 64 bits
_INT = rf"\d{{1,{_DIGITS}}}(?!\d)"
_REAL = r"[\d.]{1,25}"
_NUMBER = rf"-?{_REAL}[kKmMG]?"
_UNIT = r"\((?P<unit>nsec|usec|msec)\)"
# two levels of priority until 3.29; from 3.30 on each priority has its number
_KIND = r"(?P<level>(?:high|low) prio[_ ](?:\([^)]*\) )?)?(?P<kind>slat|clat|lat|sync)"
_DIRECTION = r"(?P<direction>read|write|trim|mixed) *:"
_SIZE = r"(\d{1,9}(?:\.\d{1,9})?)([KMG]?)(?:iB|B)?"
_TAG = r"(?:<(?!/)[^>\n]+>[ ]?)?"

_BS = re.compile(rf"{_SIZE}-{_SIZE}")
_CLIENT = re.compile(r"(?:Jobs: .*)?<([^<>\s]+)>")
_DECIMAL = re.compile(rf"{_REAL}[kMGTPE](?!i)")  # "512B/s" has no prefix, and says nothing
_ENTRY = re.compile(
    rf"(?P<name>.*): \(groupid=(?P<group>{_INT}), jobs=(?P<jobs>{_INT})\):"
    rf" err=\s*(?P<error>{_INT})(?: \((?P<message>.*)\))?: pid=(?P<pid>{_INT})(?:: (?P<date>.*))?"
)
_PERCENTILE = re.compile(rf"(\d{{1,3}}(?:\.\d{{1,9}})?)th=\[?\s*>?=?\s*({_NUMBER})")
_SUM = re.compile(r"\bio=([^\s,]+).*?(?:run=(\d{1,18})-|mint=(\d{1,18})msec, maxt=)(\d{1,18})msec")
# what a disk's line has: the columns, and how many of it make one of theirs
_DISK: dict[str, tuple[tuple[str, ...], float]] = {
    "ios": (("read_ios", "write_ios"), 1),
    "merge": (("read_merges", "write_merges"), 1),
    "sectors": (("read_sectors_bytes", "write_sectors_bytes"), 1 / 512),
    "ticks": (("read_ticks_s", "write_ticks_s"), 1000),
    "in_queue": (("in_queue_s",), 1000),
    "util": (("util_pct",), 1),
}
_DISK_COUNTS = ("ios", "merge", "sectors")
# what fio's JSON calls the lines that have no column
_AS_IN_JSON = {
    "IO depths": "iodepth_level",
    "submit": "iodepth_submit",
    "complete": "iodepth_complete",
}
_TERSE = "terse output beside the report was left out: the report says more"

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
        (_CLIENT.pattern, _take_client),
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
        # what most lines are stands first
        (r"(?:\| *)?\d{1,3}(?:\.\d+)?th=\[.*|\d{1,3}\.\d+th=\d+(?:,.*)?", _take_percentiles),
        (
            rf"(?:{_KIND}(?P<prio>[^(:]*) {_UNIT}|bw \( *(?P<rate>\w+) */s\)|iops) *:"
            rf" min=\s*(?P<min>{_NUMBER}) *, max=\s*(?P<max>{_NUMBER}) *,"
            rf"(?: per=(?P<per>-?{_REAL})?(?:-?nan|inf)?%,)?"
            rf" avg=\s*(?P<mean>{_NUMBER}) *, stdev=\s*(?P<stddev>{_NUMBER})"
            rf"(?:, samples=(?P<samples>{_INT}))?.*",
            _take_statistics,
        ),
        (rf"{_KIND}(?P<prio>.*) percentiles {_UNIT} *:(?P<rest>.*)", _take_percentile_head),
        (rf"lat {_UNIT} *: *(?P<list>(?:>=)?\d+=[\d.]+%.*)", _take_shares),
        (
            rf"{_DIRECTION} IOPS=(?P<iops>[^,]+), BW=(?P<bw>\S+ \(\S+\)) ?"
            rf"\((?P<io>[^/]+)/(?P<ms>{_INT})msec\)(?:; (?P<more>.*))?.*",
            _take_section,
        ),
        (
            rf"{_DIRECTION} io=(?P<io>[^,]+), bw=(?P<bw>[^,]+), iops=(?P<iops>[^,]+),"
            rf" runt=\s*(?P<ms>{_INT})msec.*",
            _take_section,
        ),
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
        (
            r"(?:block lifetime percentiles *:|\|)(?P<rest>(?: *\d{1,3}\.\d+th=\d+,?)*)",
            _take_lifetimes,
        ),
        (rf"(?P<title>Run status group {_INT} \(all jobs\)):.*", _take_group),
        (r"(?P<name>READ|WRITE|TRIM|MIXED): (?P<rest>(?:io|bw)=.*)", _take_sum),
        (r"(?P<name>\S+): (?P<rest>ios=\d+/\d+, .*)", _take_disk),
        (r"fio: .*", _take_remark),
        (_CLIENT.pattern, _take_client),
        (r"(?:<[^>]+> )?Jobs: \d+ \(f=\d+\).*", _take_progress),
        (
            r"(?:<[^>]+> )?|fsync/fdatasync/sync_file_range.*:|Disk stats \(read/write\):.*",
            _pass,
        ),
    )
)
