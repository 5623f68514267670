"""The lines of fio's human report, and what they say: text to plain data, without judgement."""

from __future__ import annotations

import re
from collections.abc import Callable

from fiotools.readers.fio.bins import NS, coarse_edges
from fiotools.readers.fio.normal_data import Disk, Entry, Run, Section
from fiotools.readers.fio.normal_group import sum_doubt
from fiotools.readers.fio.printed import amount, best, count

CLIENT = re.compile(r"(?:Jobs: .*)?<([^<>\s]+)>$")
_LONGEST = 5_000
_DIGITS = 18  # fit into 64 bits
_INT = rf"\d{{1,{_DIGITS}}}(?!\d)"
_REAL = r"[\d.]{1,25}"
_NUMBER = rf"-?{_REAL}[kKmMG]?"
_DECIMAL = re.compile(rf"{_REAL}[kMGTPE](?!i)")  # "512B/s" has no prefix, and says nothing


def bare(line: str) -> str:
    """Drop indentation, quoting, and progress that a carriage return was to overwrite."""
    return line.rsplit("\r", 1)[-1].strip().lstrip("> \t")


def begins(line: str) -> bool:
    """Say whether a line is the first of an entry, which begins a report."""
    pattern, _ = _LINES[0]
    return len(line) <= _LONGEST and pattern.match(line) is not None


def take(line: str, at: int, run: Run) -> bool:
    """Take in a line; say whether it is one of fio's."""
    if len(line) > _LONGEST:
        return False
    for pattern, handle in _LINES:
        if found := pattern.match(line):
            if not run.entries and handle is not _entry:
                return False
            try:
                return handle(run, found, at)
            except ValueError:  # a number that is none: the line is damaged, or not fio's
                return False
    return False


def _entry(run: Run, found: re.Match[str], at: int) -> bool:
    name = found["name"]
    if name.startswith("Jobs: "):  # progress without an end of line before the report
        known = [one.name for one in run.definitions if name.endswith(one.name)]
        name = max(known, key=len) if known else re.split(r"\[eta [^\]]*\]|s\]", name)[-1]
    entry = Entry(
        name,
        int(found["group"]),
        int(found["jobs"]),
        int(found["error"]),
        int(found["pid"]),
        at,
        None if name == "All clients" else run.client,
        found["message"],
        (found["date"] or "").strip() or None,
    )
    # after a summary comes a new process, another client, or the same again with higher counts
    if run.summed and entry.key in {one.key for one in run.entries}:
        run.earlier.append(run.entries)
        run.entries, run.disks, run.extras, run.summed = [], [], {}, False
        run.cut, run.group = None, ""
    elif run.summed and run.client is None:
        return False
    run.entries.append(entry)
    return True


def _section(run: Run, found: re.Match[str], at: int) -> bool:
    entry = run.entries[-1]
    old = found.re is _IO_2
    kilo = 1024 if old else 1000
    bws = [
        amount(part, kilo, old) for part in found["bw"].replace("(", " ").replace(")", "").split()
    ]
    section = Section(
        found["direction"],
        amount(found["io"], kilo, old),
        best(*bws),
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
    return True


def _latency(run: Run, found: re.Match[str], at: int) -> bool:
    entry = run.entries[-1]
    if found["level"] or found["prio"].strip():
        entry.extras[f"{run.section.direction}.{_priority(found)}"] = found[0]
        return True
    if found["kind"] == "sync":
        entry.sections.append(Section("sync"))
    kind = "lat" if found["kind"] == "sync" else found["kind"]
    scale = NS[found["unit"]]
    values = {"min": "min", "max": "max", "mean": "avg", "stddev": "stdev"}
    run.section.latencies[kind] = {
        stat: count(found[name]).value * scale for stat, name in values.items()
    }
    return True


def _priority(found: re.Match[str]) -> str:
    """Name a latency of one priority, as it is printed."""
    return f"{found['level'] or ''}{found['kind']}{found['prio']}".strip()


def _percentile_head(run: Run, found: re.Match[str], at: int) -> bool:
    kind = "lat" if found["kind"] == "sync" else found["kind"]
    run.percentiles, run.scale, run.priority = [], NS[found["unit"]], ""
    if found["level"] or found["prio"].strip():  # those of one priority have no table
        run.priority = f"{run.section.direction}.{_priority(found)} percentiles ({found['unit']})"
    else:
        run.section.percentiles[kind] = run.percentiles
    if found["rest"].strip():  # in 1.5x they begin behind the head
        _take_percentiles(run, found["rest"], at)
    return True


def _percentiles(run: Run, found: re.Match[str], at: int) -> bool:
    if run.priority:
        run.entries[-1].listed.setdefault(run.priority, []).append(found[0].strip("| "))
    else:
        _take_percentiles(run, found[0], at)
    return True


def _take_percentiles(run: Run, text: str, at: int) -> None:
    """Add percentiles; fio sorts them, so what does not rise was damaged."""
    for name, value in _PERCENTILE.findall(text):
        pair = float(name), count(value).value * run.scale
        if run.percentiles and pair[0] <= run.percentiles[-1][0] and pair != run.percentiles[-1]:
            run.doubts.append((at, f"the percentiles are not in order at {name}"))
        run.percentiles.append(pair)


def _lifetimes(run: Run, found: re.Match[str], at: int) -> bool:
    run.entries[-1].listed.setdefault(_LIFETIMES, []).append(found["rest"].strip())
    return True


def _bw(run: Run, found: re.Match[str], at: int) -> bool:
    unit = found["unit"]
    thousand = 1000 if run.extras.get("kb_base") == "1000" else 1024
    # the samples are KiB/s inside fio, whatever it calls them; "MiB" is a kb_base of those
    scale = 1024.0 * (thousand if unit.startswith("M") else 1) / (8 if "bit" in unit else 1)
    stats = {"min": "min", "max": "max", "mean": "avg", "stddev": "stdev"}
    section = run.section
    section.bw_stats = {stat: count(found[name]).value * scale for stat, name in stats.items()}
    if found["per"]:
        section.bw_stats["per"] = float(found["per"])
    if found["samples"]:
        section.bw_stats["samples"] = float(found["samples"])
    return True


def _iops(run: Run, found: re.Match[str], at: int) -> bool:
    stats = {"min": "min", "max": "max", "mean": "avg", "stddev": "stdev"}
    section = run.section
    section.iops_stats = {stat: count(found[name]).value for stat, name in stats.items()}
    if found["samples"]:
        section.iops_stats["samples"] = float(found["samples"])
    return True


def _shares(run: Run, found: re.Match[str], at: int) -> bool:
    into = run.entries[-1].shares.setdefault(found["unit"], {})
    for name, pct in re.findall(rf"(>=\d{{1,9}}|\b\d{{1,9}})=({_REAL})%", found["list"]):
        coarse_edges(name, found["unit"], True)  # raises for a bin that fio has not
        into[name] = float(pct)
    return True


def _cpu(run: Run, found: re.Match[str], at: int) -> bool:
    run.entries[-1].cpu = {n: float(value) for n, value in found.groupdict().items() if value}
    return True


def _issued(run: Run, found: re.Match[str], at: int) -> bool:
    for name, numbers in re.findall(r"(total|short|drop)\w*=([\d,rwd=/]+)", found[0]):
        counts = re.findall(r"\d+", numbers)
        if max(map(len, counts), default=0) > _DIGITS:
            return False
        run.entries[-1].issued[name] = [int(number) for number in counts]
    return True


_DISK_COUNTS = ("ios", "merge", "sectors")
_AS_IN_JSON = {
    "IO depths": "iodepth_level",
    "submit": "iodepth_submit",
    "complete": "iodepth_complete",
}


def _extra(run: Run, found: re.Match[str], at: int) -> bool:
    if found["name"] == "Description":
        run.entries[-1].description = found["rest"].strip("[]")
    else:
        name = _AS_IN_JSON.get(found["name"], found["name"])
        run.entries[-1].extras[name] = found["rest"]
    return True


def _group(run: Run, found: re.Match[str], at: int) -> bool:
    place = f"<{run.client}> " if run.client else ""
    run.group, run.summed = place + found[0].rstrip(":"), True
    run.group_id = int(found["group"])
    return True


def _group_line(run: Run, found: re.Match[str], at: int) -> bool:
    run.extras[f"{run.group}.{found['name']}"] = found["rest"]
    if doubt := sum_doubt(run, found["name"].lower(), found["rest"]):
        run.doubts.append((at, doubt))
    return True


def _disk(run: Run, found: re.Match[str], at: int) -> bool:
    figures = re.findall(rf"(\w{{1,40}})=({_REAL})(?:/({_REAL}))?", found["rest"])
    values = {name: tuple(float(part) for part in parts if part) for name, *parts in figures}
    counts = [value for name in _DISK_COUNTS for value in values.get(name, ())]
    if any(value % 1 or value > 1e15 for value in counts):
        return False
    run.disks.append(Disk(found["name"], values, run.client))
    run.summed = True
    return True


def _client(run: Run, found: re.Match[str], at: int) -> bool:
    run.client = found[1]
    return True


def _remark(run: Run, found: re.Match[str], at: int) -> bool:
    run.remarks.append((at, found[0]))
    return True


def _progress(run: Run, found: re.Match[str], at: int) -> bool:
    if run.summed and run.client is None:  # that was an interim report: fio was still running
        run.cut = at
    return True


def _pass(run: Run, found: re.Match[str], at: int) -> bool:
    return True


_LIFETIMES = "block lifetime percentiles"
_STATS = rf"min=\s*(?P<min>{_NUMBER}) *, max=\s*(?P<max>{_NUMBER}) *"
_MEANS = (
    rf"avg=\s*(?P<avg>{_NUMBER}) *, stdev=\s*(?P<stdev>{_NUMBER})"
    rf"(?:, samples=(?P<samples>{_INT}))?"
)
_UNIT = r"\((?P<unit>nsec|usec|msec)\)"
# two levels of priority until 3.29; from 3.30 on each priority has its number
_KIND = r"(?P<level>(?:high|low) prio[_ ](?:\([^)]*\) )?)?(?P<kind>slat|clat|lat|sync)"
_PERCENTILE = re.compile(rf"(\d{{1,3}}(?:\.\d{{1,9}})?)th=\[?\s*>?=?\s*({_NUMBER})")
_IO_2 = re.compile(
    r"(?P<direction>read|write|trim|mixed) *: io=(?P<io>[^,]+), bw=(?P<bw>[^,]+),"
    rf" iops=(?P<iops>[^,]+), runt=\s*(?P<ms>{_INT})msec"
)
_LINES: tuple[tuple[re.Pattern[str], Callable[[Run, re.Match[str], int], bool]], ...] = tuple(
    (re.compile(pattern) if isinstance(pattern, str) else pattern, handle)
    for pattern, handle in (
        (
            rf"(?P<name>.*): \(groupid=(?P<group>{_INT}), jobs=(?P<jobs>{_INT})\):"
            rf" err=\s*(?P<error>{_INT})(?: \((?P<message>.*)\))?: pid=(?P<pid>{_INT})"
            r"(?:: (?P<date>.*))?$",
            _entry,
        ),
        (
            r"(?P<direction>read|write|trim|mixed) *: IOPS=(?P<iops>[^,]+),"
            rf" BW=(?P<bw>\S+ \(\S+\)) ?\((?P<io>[^/]+)/(?P<ms>{_INT})msec\)"
            r"(?:; (?P<more>.*))?",
            _section,
        ),
        (_IO_2, _section),
        (rf"{_KIND}(?P<prio>[^(:]*) {_UNIT} *: {_STATS}, {_MEANS}", _latency),
        (
            rf"{_KIND}(?P<prio>.*) percentiles \((?P<unit>[num]sec)\) *:(?P<rest>.*)",
            _percentile_head,
        ),
        (r"(?:\| *)?\d{1,3}(?:\.\d+)?th=\[.*|\d{1,3}\.\d+th=\d+(?:,.*)?$", _percentiles),
        (
            rf"bw \( *(?P<unit>\w+) */s\) *: {_STATS},"
            rf" per=(?P<per>-?{_REAL})?(?:-?nan|inf)?%, {_MEANS}",
            _bw,
        ),
        (rf"iops *: {_STATS}, {_MEANS}", _iops),
        (rf"lat {_UNIT} *: *(?P<list>(?:>=)?\d+=[\d.]+%.*)", _shares),
        (
            rf"cpu *: usr=(?P<usr>{_REAL})%, sys=(?P<sys>{_REAL})%, ctx=(?P<ctx>{_INT})"
            rf"(?:, majf=(?P<majf>{_INT}), minf=(?P<minf>{_INT}))?",
            _cpu,
        ),
        (r"issued(?: rwts?| r/w(?:/d)?)? *: ?total=.*", _issued),
        (
            r"(?P<name>IO depths|submit|complete|errors|latency|steadystate|Description|states) *:"
            r" *(?P<rest>.*)",
            _extra,
        ),
        (r"fsync/fdatasync/sync_file_range.*:$", _pass),
        (
            r"(?:block lifetime percentiles *:|\|)(?P<rest>(?: *\d{1,3}\.\d+th=\d+,?)*)$",
            _lifetimes,
        ),
        (rf"Run status group (?P<group>{_INT}) \(all jobs\):", _group),
        (r"(?P<name>READ|WRITE|TRIM|MIXED): (?P<rest>(?:io|bw)=.*)", _group_line),
        (r"Disk stats \(read/write\):", _pass),
        (r"(?P<name>\S+): (?P<rest>ios=\d+/\d+, .*)", _disk),
        (r"fio: .*", _remark),
        (CLIENT, _client),
        (r"(?:<[^>]+> )?Jobs: \d+ \(f=\d+\).*", _progress),
        (r"(?:<[^>]+> )?$", _pass),
    )
)
