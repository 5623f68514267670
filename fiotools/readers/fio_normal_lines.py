"""The lines of fio's human report, and what they say: text to plain data, without judgement."""

from __future__ import annotations

import re
from collections.abc import Callable

from fiotools.readers.fio_bins import NS, coarse_edges
from fiotools.readers.fio_normal_data import Definition, Entry, Run, Section
from fiotools.readers.fio_printed import amount, count

_LAST = ("%", "msec")  # the end of a last line that is whole
_NUMBER = r"-?[\d.]+[kKmMG]?"


def bare(line: str) -> str:
    """Drop indentation, quoting, and progress that a carriage return was to overwrite."""
    return line.rsplit("\r", 1)[-1].strip().lstrip("> \t")


_DEFINED = re.compile(
    r"(?:<[^>]+> )?(.*): \(g=(\d+)\): rw=([^,]+), bs=(.*?), ioengine=([^,]*), iodepth=(\d+)"
)
_CLIENT = re.compile(r"(?:Jobs: .*)?<([^<>\s]+)>$")
_BS = re.compile(r"(\d+(?:\.\d+)?)([KMG]?)(?:iB|B)?-(\d+(?:\.\d+)?)([KMG]?)(?:iB|B)?")


def head(line: str, at: int, run: Run) -> None:
    """Take in a line above the first entry."""
    if found := _DEFINED.match(line):
        name, group, rw, bs, engine, depth = found.groups()
        blocks = tuple(_block(*block) for block in _BS.findall(bs))
        run.definitions.append(Definition(name, int(group), rw, blocks, engine, int(depth)))
    elif line == "..." and run.definitions:
        run.definitions[-1].clones = True
    elif version := re.match(r"(?:fio-|fio )(\d[\w.-]*)$", line):
        run.version = version[1]
    elif client := re.match(r"hostname=.*fio=fio-([\w.-]+)", line):
        run.version = client[1]
    elif client := _CLIENT.match(line):
        run.client = client[1]
    elif re.match(r"fio: |[Nn]ote: |clock setaff", line):
        run.remarks.append((at, line))


def _block(low: str, low_unit: str, high: str, high_unit: str) -> int | None:
    """Give a block size where it is one, and printed without being rounded."""
    if (low, low_unit) != (high, high_unit):
        return None
    size = float(low) * 1024 ** ("", "K", "M", "G").index(low_unit)
    whole = int(size)
    exact = not low_unit or low.endswith(".0") or whole & (whole - 1) == 0
    return whole if exact and whole == size else None


def body(text: str, first: int, run: Run, at: int) -> int:
    """Take in lines from the first entry on, until one that is not fio's; return the end."""
    end = position = first
    size = len(text)
    while position < size:
        newline = text.find("\n", position)
        stop = newline if newline >= 0 else size
        line = bare(text[position:stop])
        if line:
            whole = newline >= 0 or line.endswith(_LAST)
            if not whole and not line.startswith("Jobs: "):
                if text[position] not in " \t" and not _is_begun(line, run):
                    break
                run.cut, end = at, stop
            elif _take(line, at, run):
                end = stop
            else:
                if "(groupid=" in line:  # an entry of the same process, damaged
                    run.cut = at
                break
        position, at = stop + 1, at + 1
    if position >= size and run.cut is None and _lacks_totals(run):
        run.cut = at - 1
    return end


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
        f"Run status group {entry.group} (all jobs).{section.direction.upper()}"
        for entry in run.entries
        for section in entry.sections
        if section.io is not None and section.io.value and entry.name != "All clients"
    }
    return run.summed and bool(run.group) and not did <= set(run.extras)


def _take(line: str, at: int, run: Run) -> bool:
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
    bws = [amount(part, kilo) for part in found["bw"].replace("(", " ").replace(")", "").split()]
    entry.sections.append(
        Section(
            found["direction"],
            amount(found["io"], kilo),
            min(bws, key=lambda one: one.slack),
            count(found["iops"]),
            int(found["ms"]),
        )
    )
    # kb_base=1000 puts the decimal unit first, and changes what the bw line below counts
    if not old and "i" not in found["bw"].split()[0].removesuffix("it/s"):
        run.extras["kb_base"] = "1000"
    return True


def _latency(run: Run, found: re.Match[str], at: int) -> bool:
    entry = run.entries[-1]
    if found["prio"].strip():
        entry.extras[f"{run.section.direction}.{found['kind']}{found['prio']}"] = found[0]
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


def _percentile_head(run: Run, found: re.Match[str], at: int) -> bool:
    kind = "lat" if found["kind"] == "sync" else found["kind"]
    run.percentiles, run.scale = [], NS[found["unit"]]
    if not found["prio"].strip():  # those of one priority have no table
        run.section.percentiles[kind] = run.percentiles
    return True


def _percentiles(run: Run, found: re.Match[str], at: int) -> bool:
    for percentile, value in re.findall(rf"([\d.]+)th=\[\s*>?=?\s*({_NUMBER})\s*\]", found[0]):
        run.percentiles.append((float(percentile), count(value).value * run.scale))
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
    for name, pct in re.findall(r"(>=\d+|\d+)=([\d.]+)%", found["list"]):
        coarse_edges(name, found["unit"], True)  # raises for a bin that fio has not
        into[name] = float(pct)
    return True


def _cpu(run: Run, found: re.Match[str], at: int) -> bool:
    run.entries[-1].cpu = {name: float(value) for name, value in found.groupdict().items()}
    return True


def _issued(run: Run, found: re.Match[str], at: int) -> bool:
    for name, numbers in re.findall(r"(total|short|drop)\w*=([\d,rwd=/]+)", found[0]):
        run.entries[-1].issued[name] = [int(number) for number in re.findall(r"\d+", numbers)]
    return True


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
    run.group, run.summed = found[0].rstrip(":"), True
    return True


def _group_line(run: Run, found: re.Match[str], at: int) -> bool:
    run.extras[f"{run.group}.{found['name']}"] = found["rest"]
    return True


def _disk(run: Run, found: re.Match[str], at: int) -> bool:
    figures = re.findall(r"(\w+)=([\d.]+)(?:/([\d.]+))?", found["rest"])
    values = {name: tuple(float(part) for part in parts if part) for name, *parts in figures}
    run.disks.append((found["name"], values))
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


_STATS = rf"min=\s*(?P<min>{_NUMBER}), max=\s*(?P<max>{_NUMBER})"
_MEANS = rf"avg=\s*(?P<avg>{_NUMBER}), stdev=\s*(?P<stdev>{_NUMBER})(?:, samples=(?P<samples>\d+))?"
_UNIT = r"\((?P<unit>nsec|usec|msec)\)"
_IO_2 = re.compile(
    r"(?P<direction>read|write|trim|mixed) *: io=(?P<io>[^,]+), bw=(?P<bw>[^,]+),"
    r" iops=(?P<iops>[^,]+), runt=\s*(?P<ms>\d+)msec"
)
_LINES: tuple[tuple[re.Pattern[str], Callable[[Run, re.Match[str], int], bool]], ...] = tuple(
    (re.compile(pattern) if isinstance(pattern, str) else pattern, handle)
    for pattern, handle in (
        (
            r"(?P<name>.*): \(groupid=(?P<group>\d+), jobs=(?P<jobs>\d+)\): err=\s*(?P<error>\d+)"
            r"(?: \((?P<message>.*)\))?: pid=(?P<pid>\d+)(?:: (?P<date>.*))?$",
            _entry,
        ),
        (
            r"(?P<direction>read|write|trim|mixed) *: IOPS=(?P<iops>[^,]+),"
            r" BW=(?P<bw>\S+ \(\S+\)) ?\((?P<io>[^/]+)/(?P<ms>\d+)msec\)",
            _section,
        ),
        (_IO_2, _section),
        (rf"(?P<kind>slat|clat|lat|sync)(?P<prio>[^(:]*) {_UNIT} *: {_STATS}, {_MEANS}", _latency),
        (
            r"(?P<kind>slat|clat|lat|sync)(?P<prio>.*) percentiles \((?P<unit>[num]sec)\) *:",
            _percentile_head,
        ),
        (r"\| *\d+\.\d+th=.*", _percentiles),
        (
            rf"bw \( *(?P<unit>\w+) */s\) *: {_STATS}, per=(?P<per>-?[\d.]+)?(?:nan|inf)?%,"
            rf" {_MEANS}",
            _bw,
        ),
        (rf"iops *: {_STATS}, {_MEANS}", _iops),
        (rf"lat {_UNIT} *: *(?P<list>(?:>=)?\d+=[\d.]+%.*)", _shares),
        (
            r"cpu *: usr=(?P<usr>[\d.]+)%, sys=(?P<sys>[\d.]+)%, ctx=(?P<ctx>\d+),"
            r" majf=(?P<majf>\d+), minf=(?P<minf>\d+)",
            _cpu,
        ),
        (r"issued(?: rwts?)? *: ?total=.*", _issued),
        (
            r"(?P<name>IO depths|submit|complete|errors|latency|steadystate|Description|states) *:"
            r" *(?P<rest>.*)",
            _extra,
        ),
        (r"fsync/fdatasync/sync_file_range.*:$", _pass),
        (r"block lifetime percentiles|\| *\d", _pass),
        (r"Run status group \d+ \(all jobs\):", _group),
        (r"(?P<name>READ|WRITE|TRIM|MIXED): (?P<rest>(?:io|bw)=.*)", _group_line),
        (r"Disk stats \(read/write\):", _pass),
        (r"(?P<name>\S+): (?P<rest>ios=\d+/\d+, .*)", _disk),
        (r"fio: .*", _remark),
        (_CLIENT, _client),
        (r"(?:<[^>]+> )?Jobs: \d+ \(f=\d+\).*", _progress),
        (r"(?:<[^>]+> )?$", _pass),
    )
)
