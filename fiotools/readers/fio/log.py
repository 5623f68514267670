"""fio_log: latencies, bandwidth and IOPS, as fio logs them while it runs.

Produced by ``fio --write_lat_log=x --write_bw_log=x --write_iops_log=x ...``: ``x_lat.1.log``,
``x_clat.1.log`` and so on, a file per job and quantity. Without ``log_avg_msec`` a row is one I/O,
with it a window of time. Fills ``runs`` (one row), ``samples`` and, with ``log_unix_epoch=1``,
``extras``.

``quantity`` is ``lat_ns``, ``clat_ns`` or ``slat_ns`` (of an I/O, or of a window its mean, or its
maximum with ``log_max_value=1``: the file does not say which), ``bw_bytes_per_s``, ``iops``, or
``count`` where an IOPS log counts single I/Os. With ``log_window_value=both`` a window is two rows:
``lat_mean_ns`` and ``lat_max_ns``, ``bw_mean_bytes_per_s`` and so on. ``bs_bytes``,
``offset_bytes`` and ``prio`` are of single I/Os; windows have none, and fio writes 0 there.
``entry`` is the job's number in the name, as in fio's own report without ``group_reporting``.

Traps: the quantity and the job stand in the file's name alone (`fio_log_name`); columns were added
(`fio_log_layout`) and units changed (`fio_log_units`) from version to version, and no log says
which wrote it. Where content and ``version=`` do not settle it, a note says what was taken.
A bandwidth is KiB/s of a window, but 1000 B/s of an I/O. With ``log_compression`` fio (3.33) takes
the mean of single I/Os for every window: 1 in an IOPS log, and rates that are no bandwidth.
``per_job_logs=0`` appends: the file holds several jobs, or several runs, one after another. Times
are ms. Early fio 1.x wrote three columns, in units that are not certain: that is not read. Issue
times (``log_issue_time=1``) have no column and are left out.
``log_store_compressed=1`` writes ``.log.fz``, which ``fio --inflate-log=FILE`` unpacks.

Specified in fio's HOWTO ("Log File Formats"), ``iolog.c`` and ``stat.c``, 2.0 to 3.42.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fiotools.errors import ParseError
from fiotools.readers.fio.log_head import first_rows, is_cut
from fiotools.readers.fio.log_name import log_name
from fiotools.readers.fio.version import Version
from fiotools.spelling import typed

if TYPE_CHECKING:
    from fiotools.sniff import Document
    from fiotools.tables import Tables

_WIDEST = 8


def sniff(document: Document) -> bool:
    """Claim lines of numbers that are named as fio's logs are, or that only fio writes."""
    rows = first_rows(document)
    name = log_name(document.plain_name)
    if name and name.kind != "hist":
        claimed = rows[0].count(",") < _WIDEST if rows else is_cut(document)
    else:
        claimed = name is None and len(rows) > 1 and all(map(_only_fio_writes, rows))
    return claimed and not document.kinds


def _only_fio_writes(row: str) -> bool:
    """Whether a line is of a single I/O beyond doubt, whatever the file is called."""
    fields = row.split(", ")
    return (
        5 <= len(fields) < _WIDEST
        and fields[2] in ("0", "1", "2")
        and fields[3].isdecimal()
        and int(fields[3]) % 512 == 0 < int(fields[3])
        and (fields[-1] == "0" or fields[-1].startswith("0x"))
    )


def read(document: Document, tables: Tables) -> None:
    """Read one log."""
    # polars is slow to import, and only logs need it
    from fiotools.readers.fio.log_rows import add_rows

    name = log_name(document.plain_name)
    if name is None or name.kind == "hist":
        raise ParseError(
            document.name,
            "a log of fio, but its name does not say of what",
            remedy="give it back its name (x_lat.1.log, x_bw.1.log, ...)"
            + typed(", or reads(text, name='x_lat.1.log')", ""),
        )
    fio = Version.of(document.version)
    tables.start_run(
        tool="fio",
        tool_version=fio.text,
        format="fio_log",
        host=name.host,
        status="ok" if document.text.endswith("\n") else "truncated",
    )
    add_rows(document, tables, name, fio)
