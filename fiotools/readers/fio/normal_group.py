"""The summary of a group in fio's human report, held against the group's entries."""

from __future__ import annotations

import re

from fiotools.readers.fio.normal_data import Run
from fiotools.readers.fio.printed import amount

_TIMES = re.compile(r"(?:run=(\d{1,18})-|mint=(\d{1,18})msec, maxt=)(\d{1,18})msec")
_MOVED = re.compile(r"\bio=([^\s,]+)")


def sum_doubt(run: Run, direction: str, rest: str) -> str | None:
    """Say what of a group's summary is not what its entries are together.

    Parameters
    ----------
    run : Run
        As far as it has been read.
    direction : str
    rest : str
        The summary behind the direction: ``"bw=..., io=..., run=1001-1001msec"``.
    """
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
