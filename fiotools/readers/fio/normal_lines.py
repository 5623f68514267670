"""Walking along the lines of fio's human report: where it begins, and where it ends."""

from __future__ import annotations

import re

from fiotools.readers.fio.normal_data import Definition, Run
from fiotools.readers.fio.normal_report import CLIENT, bare, take
from fiotools.readers.fio.terse_lines import is_entry

_LAST = ("%", "msec")  # the end of a last line that is whole
_TERSE = "terse output beside the report was left out: the report says more"
_STRANGE = 5  # so many lines on end that are not understood are not fio's

_DEFINED = re.compile(
    r"(?:<[^>]+> )?(.*): \(g=(\d{1,9})\): rw=([^,]+), bs=(.*?), ioengine=([^,]*),"
    r" iodepth=(\d{1,9})"
)
_SIZE = r"(\d{1,9}(?:\.\d{1,9})?)([KMG]?)(?:iB|B)?"
_BS = re.compile(rf"{_SIZE}-{_SIZE}")


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
    elif client := CLIENT.match(line):
        run.client = client[1]
    elif re.match(r"fio: |[Nn]ote: |clock setaff", line):
        run.remarks.append((at, line))
    elif ": (g=" in line:
        run.doubts.append((at, f"the definition {line[:60]!r} cannot be read: no conditions"))
    elif is_entry(line) and _TERSE not in {text for _, text in run.remarks}:
        run.remarks.append((at, _TERSE))


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
    strange: list[tuple[int, str]] = []
    while position < size:
        newline = text.find("\n", position)
        stop = newline if newline >= 0 else size
        raw = text[position:stop]
        line = bare(raw)
        if line:
            whole = newline >= 0 or line.endswith(_LAST)
            if not whole and not line.startswith("Jobs: "):
                if text[position] not in " \t" and not _is_begun(line, run):
                    break
                run.cut, end = at, stop
            elif take(line, at, run):
                # the name of a client says nothing, and may be a tag of XML, if no line follows
                end = end if CLIENT.match(line) else stop
                run.strange += strange
                strange = []
                if run.entries[-1].line == at:
                    run.indent = _indent(raw)
            elif "(groupid=" in line:  # an entry of the same process, damaged
                run.cut = at
                break
            elif run.summed or _indent(raw) <= run.indent or len(strange) == _STRANGE:
                break
            else:  # of another version, or damaged: only if lines follow that are fio's
                strange.append((at, line))
        position, at = stop + 1, at + 1
    if position >= size and run.cut is None and _lacks_totals(run):
        run.cut = at - 1
    return end


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
        (f"<{entry.host}> " if entry.host else "")
        + f"Run status group {entry.group} (all jobs).{section.direction.upper()}"
        for entry in run.entries
        for section in entry.sections
        if section.io is not None and section.io.value and entry.name != "All clients"
    }
    return run.summed and bool(run.group) and not did <= set(run.extras)
