"""What the name of a fio log says: nothing inside the file tells what was logged.

fio puts ``<prefix>_<kind>.<number>.log`` together (``init.c``, ``gen_log_name``): the prefix is the
option's value or the job's name, the number counts the jobs from 1 and is left out with
``per_job_logs=0``. A client adds ``.<host>`` (``client.c``). ``--bandwidth-log`` writes
``agg-read_bw.log`` and its like, for all jobs together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAME = re.compile(
    r"""(?:(?P<job>.+?)_)?
    (?P<kind>bw|iops|slat|clat|lat|(?:clat_)?hist)
    (?:\.(?P<number>[0-9]{1,9}))?
    \.log
    (?:\.(?!(?:fz|gz|xz|zst|bz2|zip|txt|csv)$)(?P<host>.+))?""",
    re.X | re.S,
)
_AGGREGATES = {"agg-read", "agg-write", "agg-trim", "agg-mixed"}


@dataclass(frozen=True, slots=True)
class LogName:
    """The parts of a log's name.

    Attributes
    ----------
    kind : {"bw", "iops", "slat", "clat", "lat", "hist"}
        What was logged.
    job : str or None
        The prefix; None where the log is of all jobs together.
    number : int or None
        Number of the job, from 1.
    host : str or None
        The client that sent the log.
    scope : {"job", "total"} or None
        None without a number: it may be one job, or several.
    """

    kind: str
    job: str | None
    number: int | None
    host: str | None
    scope: str | None

    def keys(self, run: int) -> dict[str, object]:
        """Give the keys of the log's rows."""
        return {
            "run": run,
            "entry": self.number or 1,
            "host": self.host,
            "job": self.job,
            "scope": self.scope,
        }


def log_name(path: str) -> LogName | None:
    """Read the name of a log; None if fio does not name logs so.

    Examples
    --------
    >>> log_name("runs/randread_clat.2.log")
    LogName(kind='clat', job='randread', number=2, host=None, scope='job')
    """
    found = _NAME.fullmatch(path.rsplit("/", 1)[-1])
    if not found:
        return None
    kind = found["kind"].removeprefix("clat_") if "hist" in found["kind"] else found["kind"]
    number = int(found["number"]) if found["number"] else None
    if number is None and found["job"] in _AGGREGATES:
        return LogName(kind, None, None, found["host"], "total")
    return LogName(kind, found["job"], number, found["host"], "job" if number else None)
