"""fio_log: latencies, bandwidth and IOPS, as fio logs them while it runs.

Produced by ``fio --write_lat_log=x --write_bw_log=x --write_iops_log=x ...``: ``x_lat.1.log``,
``x_clat.1.log`` and so on, a file per job and quantity. Without ``log_avg_msec`` a row is one I/O,
with it a window of time. Fills ``runs`` (one row), ``samples`` and, with ``log_unix_epoch=1``,
``extras``.

``quantity`` is ``lat_ns``, ``clat_ns`` or ``slat_ns`` (of an I/O, or of a window its mean, or its
maximum with ``log_max_value=1``: the file does not say which), ``bw_bytes_per_s``, ``iops``, or
``count`` where an IOPS log counts single I/Os. With ``log_window_value=both`` a window is two rows:
``lat_mean_ns`` and ``lat_max_ns``, ``bw_mean_bytes_per_s`` and so on. ``bs_bytes``,
``offset_bytes`` and ``prio`` belong to single I/Os; windows have none, and fio writes 0 there.
``entry`` is the job's number in the name, as in fio's own report without ``group_reporting``.

fio writes no header, and later versions write more columns:

``time, value[, maximum], direction, block size[, offset][, priority][, issue time]``

The offset comes with ``log_offset=1`` (2.1.11); the priority always since 3.18, 0 or 1, or in hex
with ``log_prio=1``; value and maximum of each window with ``log_window_value=both`` (3.37); the
issue time with ``log_issue_time=1`` (3.38), which needs ``log_offset=1``.

So a fifth and last column is an offset or a priority. Every layout that fits the number of columns
is tried on all rows; the one that fits most rows is taken. Ambiguous columns stay unnamed.

Traps: only the file's name says the quantity and the job (`log_name`), and no log says which
version wrote it. A note says what was assumed if neither the content nor ``version=`` settles it.
Latencies are ns since 3.0 and were usec before: only a version, a column that older ones do not
write, or physics decides. No I/O takes longer than the run so far, so a latency that would begin
long before the run if it were usec is ns; physics cannot prove usec. A bandwidth is KiB/s of a
window, but 1000 B/s of a single I/O, despite the manual: ``bytes * 1000000 / nsec`` (``stat.c``,
``add_bw_sample``; usec and 1000 before 3.0); before 2.2 fio logged windows only, with a block size.
With ``log_compression`` fio (3.33) averages single I/Os in every window: 1 in an IOPS log, and
rates that are not bandwidth. ``per_job_logs=0`` appends: the file holds several jobs, or several
runs, one after another. Times are ms. Three columns are early fio 1.x, in uncertain units: not
read. Issue times (``log_issue_time=1``) have no column and are left out.
``log_store_compressed=1`` writes ``.log.fz``, which ``fio --inflate-log=FILE`` unpacks.

Specified in fio's HOWTO ("Log File Formats"), ``iolog.c`` (``flush_samples``) and ``stat.c``, 2.0
to 3.42.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from fiotools.errors import ParseError, argument
from fiotools.readers.fio import DIRECTIONS, LATENCIES, Version
from fiotools.tables.notes import Note
from fiotools.units import human

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fiotools.readers.document import Document
    from fiotools.tables.rows import Rows

# --- what logs of histograms have, too: a name, first lines, a clock --------------------------

DIRECTION = pl.Enum(DIRECTIONS[:3])  # by the number that a log has
UNFINISHED = "the last line has no end: it may be cut within a number, and is left out"

_NUMBER = "[0-9]{1,18}"  # below 2^63
_HEX = "0x[0-9a-f]{4}"
_ROW = re.compile(rf"{_NUMBER}(?:, ?(?:{_NUMBER}|{_HEX}))+", re.A)
_CUT = re.compile("[0-9][0-9, x]*")
_HEAD = 1 << 16
_EPOCH_MS = 10**11  # no run lasts three years
_LATE_MS = 3_600_000
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
    """The parts of a log's name, ``<prefix>_<kind>.<number>.log`` (``init.c``, ``gen_log_name``).

    The prefix is the option's value or the job's name; ``per_job_logs=0`` leaves out the number. A
    client adds ``.<host>`` (``client.c``). ``--bandwidth-log`` writes ``agg-read_bw.log`` and the
    like, for all jobs together.
    """

    kind: str  # bw, iops, slat, clat, lat, or hist
    job: str | None  # the prefix; None if the log covers all jobs together
    number: int | None  # of the job, from 1
    host: str | None  # the client that sent the log
    scope: str | None  # job or total; None without a number: it may be one job, or several

    def keys(self, run: int) -> dict[str, object]:
        """Return the keys of the log's rows."""
        return {
            "run": run,
            "entry": self.number or 1,
            "host": self.host,
            "job": self.job,
            "scope": self.scope,
        }


def log_name(path: str) -> LogName | None:
    """Read the name of a log; None if fio does not name logs like this.

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


def named(document: Document) -> LogName | None:
    """Read the name of a log, with the caller's quantity if the name has none."""
    name = log_name(document.plain_name)
    if name is None and document.quantity is not None:
        name = log_name(f"{document.plain_name.removesuffix('.log')}_{document.quantity}.log")
    return name


def begin(document: Document, rows: Rows, name: LogName, kind: str) -> Version:
    """Start the run of a log, and note an incomplete last line; return fio's version."""
    fio, text = Version.of(document.version), document.text
    is_whole = text.endswith("\n")
    rows.start_run(
        tool="fio",
        tool_version=fio.text,
        format=kind,
        host=name.host,
        status="ok" if is_whole else "truncated",
    )
    if not is_whole:
        warn(rows, "incomplete", UNFINISHED, text.count("\n") + 1)
    return fio


def warn(rows: Rows, code: str, message: str, line: int | None = None) -> None:
    """Add a warning to the log's run."""
    rows.say(Note(code, "warning", line, message), rows.runs)


def first_rows(document: Document) -> list[str]:
    """Return the first lines of a text that look like a log's."""
    head = document.text[:_HEAD]
    lines = head[: head.rfind("\n") + 1].split("\n", 10)[:10]
    return [line for line in lines if _ROW.fullmatch(line)]


def is_cut(document: Document) -> bool:
    """Whether a text is the beginning of a log's first line."""
    return _CUT.fullmatch(document.text.rstrip("\n"), 0, _HEAD) is not None


def incomplete(name: str) -> ParseError:
    """Return the error for a log that was cut off within its first line."""
    remedy = "the file was cut off: copy it again, or run fio again"
    return ParseError(name, "no complete line of a log", line=1, remedy=remedy)


def time_zero(rows: Rows, times: NDArray[np.int64]) -> int:
    """Return the zero of the times in ms: the run's start, or the first entry of Unix times."""
    first, last = int(times.min()), int(times.max())
    if first < _EPOCH_MS:
        if first > max(_LATE_MS, last - first):
            rows.note(
                f"the first entry is at {first / 1000:g} s: with log_alternate_epoch=1 times count"
                " from another clock's zero",
                code="meaning",
                run=rows.runs,
            )
        return 0
    rows.add("extras", run=rows.runs, path="time_zero_ms", text=str(first))
    when = ""
    if first < 10**14:
        when = f" ({datetime.fromtimestamp(first / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC)"
    rows.note(
        f"times are Unix times (log_unix_epoch=1): time_s counts from the first entry, {first} ms"
        + when,
        code="meaning",
        run=rows.runs,
    )
    return first


# --- columns of numbers -----------------------------------------------------------------------

# only logs of histograms have more columns
_ROWS = re.compile(rf"^{_NUMBER}(?:, ?(?:{_NUMBER}|{_HEX})){{1,11}}$", re.A | re.M)
_LOOKED_AT = 200  # lines that decide the layout
_FIELD = rf"[ \t]*(?:\+?0*{_NUMBER}|-0+)\r?"
_HEX_FIELD = rf"[ \t]*{_HEX}\r?"
_LARGEST = 10**18
_NARROW = pl.Int32(), pl.UInt32()  # times, and the rest
_WIDE = (pl.Int64(),)
_HEXED = re.compile(_HEX_FIELD, re.A)
# a comma between the thousands of a number has no blank behind it
_GROUPED = re.compile(r"^[^\n]*[0-9],[0-9]{3}(?![0-9])", re.M)

Number = tuple[int, int] | None  # a version
Types = tuple[pl.DataType, ...]  # of the columns; the last one is also that of further columns
Shape = tuple[int, int | None]  # number of columns, and the one in hex


class Lines(NamedTuple):
    """The lines that are rows.

    polars parses all lines at once, as logs have 10^6 and more. If any is not a row, each is
    checked (`exact`), with the tolerance of polars: blanks, tabs and a plus before a number, a
    carriage return behind it, and -0. A last line without a line end may be cut within a number,
    and is never taken.
    """

    frame: pl.DataFrame  # columns 0, 1, ...; numbers, except the one in hex, which is text
    numbers: pl.Series  # the line of each row
    others: pl.Series | None = None  # the lines with another layout


def torn(count: int) -> str:
    """Return the message on lines with another layout."""
    return (
        f"{count:,} lines unlike the others (torn, from another writer, or with"
        " negative or impossible numbers): left out"
    )


def shape_of(text: str) -> Shape | None:
    """Return how many columns most of the first lines have, and which one is in hex."""
    shapes: Counter[Shape] = Counter()
    for row in islice(_ROWS.finditer(text), _LOOKED_AT):
        fields = row[0].split(",")
        hexed = [i for i, field in enumerate(fields) if "x" in field]
        if len(hexed) < 2:
            shapes[len(fields), hexed[0] if hexed else None] += 1
    return shapes.most_common(1)[0][0] if shapes else None


def parsed(body: bytes, shape: Shape, types: Types = _NARROW) -> tuple[Lines, Types]:
    """Parse complete lines, each ended by a newline; return the types that they needed, too."""
    for fitting in dict.fromkeys((types, _WIDE)):
        frame = fast(body, shape, fitting)
        if frame is not None:
            numbers = pl.int_range(1, frame.height + 1, eager=True)
            return Lines(frame, numbers), fitting
    return exact(body, shape), types


def fast(body: bytes, shape: Shape, types: Types) -> pl.DataFrame | None:
    """Parse lines together; None unless each is a row of numbers that fit the types."""
    if body.startswith(b"\n"):  # polars would pass over empty lines
        return None
    width, hexed = shape
    schema: dict[str, Any] = {str(i): types[min(i, len(types) - 1)] for i in range(width)}
    if hexed is not None:
        schema[str(hexed)] = pl.String()
    try:
        frame = pl.read_csv(body, has_header=False, schema=schema, quote_char=None)
    except pl.exceptions.PolarsError:
        return None
    if frame.is_empty() or any(series.null_count() for series in frame):
        return None
    if hexed is not None and not all(map(_HEXED.fullmatch, frame[str(hexed)].unique())):
        return None
    for series in frame:
        if series.dtype.is_signed_integer():
            values = series.to_numpy()
            if values.min() < 0 or values.max() >= _LARGEST:
                return None
    return frame


def exact(body: bytes, shape: Shape) -> Lines:
    """Parse the lines that are rows, and return the numbers of the others."""
    width, hexed = shape
    text = body.replace(b"\r\n", b"\n").decode("utf-8", errors="replace")
    fields = [_HEX_FIELD if i == hexed else _FIELD for i in range(width)]
    series = pl.Series(text.split("\n")[:-1], dtype=pl.String)
    good = series.str.contains(f"^{','.join(fields)}$")
    numbers = pl.int_range(1, len(series) + 1, eager=True)
    schema = {str(i): pl.String if i == hexed else pl.Int64 for i in range(width)}
    kept = "\n".join(series.filter(good).to_list()).encode()
    frame = pl.read_csv(kept, has_header=False, schema=schema, quote_char=None)
    others = numbers.filter(~good & (series.str.len_bytes() > 0))
    return Lines(frame, numbers.filter(good), others)


# --- which is which ---------------------------------------------------------------------------

_PRIORITY_SINCE = (3, 18)
_FIELDS = ("time", "value", "max", "ddir", "bs", "offset", "prio", "issue")
# optional columns: a layout has their letters
_LETTERS = {"max": "m", "offset": "o", "prio": "p", "issue": "i"}
_LAYOUTS = {
    letters: [name for name in _FIELDS if _LETTERS.get(name, "") in letters]
    for letters in ("", "o", "p", "op", "mp", "opi", "mop", "mopi")
}
_SINCE = {"m": (3, 37), "i": (3, 38), "p": _PRIORITY_SINCE}


class Layout(NamedTuple):
    """The columns of a log."""

    frame: pl.DataFrame  # time, value, ddir, bs, and the others as far as they are certain
    bad: pl.Series  # the lines whose values do not fit
    since: Number  # the oldest fio that writes so many columns, if that is known
    open: bool  # whether the fifth column may be an offset or a priority
    tied: bool  # whether value and maximum may be value and direction
    refuted: bool  # whether the given version never writes such a log
    letters: str  # the optional columns it has
    others: list[str]  # other layouts with this number of columns


def layout_of(lines: Lines, version: Number) -> Layout | None:
    """Name the columns; None if no fio writes so many."""
    known = [letters for letters, names in _LAYOUTS.items() if len(names) == lines.frame.width]
    allowed = [
        letters
        for letters in known
        if version is None
        or (
            ("p" in letters or version < _PRIORITY_SINCE)
            and all(version >= _SINCE.get(letter, (0, 0)) for letter in letters)
        )
    ]
    texts = [i for i, dtype in enumerate(lines.frame.dtypes) if dtype == pl.String]  # in hex
    named = {
        letters: _named(lines, letters)
        for letters in allowed or known
        if all(_LAYOUTS[letters][i] == "prio" for i in texts)
    }
    if not named:
        return None
    fits = {letters: _fits(frame) for letters, frame in named.items()}
    most = max(fit.sum() for fit in fits.values())
    best = [letters for letters, fit in fits.items() if fit.sum() == most]
    chosen, fit, frame = best[0], fits[best[0]], named[best[0]]
    is_open = best == ["o", "p"]  # all zero
    if is_open:
        frame = frame.drop("offset")
    since = None if "o" in best or not chosen else max(_SINCE[x] for x in chosen if x in _SINCE)
    return Layout(
        frame if fit.all() else frame.filter(fit),
        lines.numbers.filter(~fit),
        since,
        is_open,
        len(best) > 1 and not is_open,
        not allowed,
        chosen,
        [letters for letters in named if letters != chosen],
    )


def continued(lines: Lines, first: Layout) -> tuple[pl.DataFrame, pl.Series] | None:
    """Return the rows of further lines, and the lines whose values do not fit, as in `Layout`.

    None if their columns differ in meaning from the first ones.
    """
    frame = _named(lines, first.letters)
    fit = _fits(frame)
    if first.open:
        if (frame["offset"] > 1).any():
            return None
        frame = frame.drop("offset")
    if fit.all():
        return frame, lines.numbers.filter(~fit)
    others = (_fits(_named(lines, letters)) for letters in first.others)
    if any(other.sum() > fit.sum() for other in others):
        return None
    return frame.filter(fit), lines.numbers.filter(~fit)


def _named(lines: Lines, letters: str) -> pl.DataFrame:
    """Name the columns by one layout."""
    return lines.frame.rename(dict(zip(lines.frame.columns, _LAYOUTS[letters], strict=True)))


def _fits(frame: pl.DataFrame) -> pl.Series:
    """Return which rows can be fio's under one layout."""
    tests = [pl.col("ddir") <= 2]
    if "prio" in frame.columns and frame.schema["prio"] != pl.String:
        tests.append(pl.col("prio") <= 1)
    if "max" in frame.columns:
        # only windows have a maximum, and windows have no columns of a single I/O
        tests.append(pl.col("max") >= pl.col("value"))
        tests += [pl.col(name) == 0 for name in ("bs", "offset", "issue") if name in frame.columns]
    return frame.select(pl.all_horizontal(tests).alias("fits")).to_series()


# --- the meaning of a row ---------------------------------------------------------------------

# one value per row; value and maximum of a window
_QUANTITIES = {
    "bw": ("bw_bytes_per_s", "bw_mean_bytes_per_s", "bw_max_bytes_per_s"),
    "iops": ("iops", "iops_mean", "iops_max"),
    **{k: (f"{k}_ns", f"{k}_mean_ns", f"{k}_max_ns") for k in LATENCIES},
}
QUANTITY = pl.Enum(["count", *(name for names in _QUANTITIES.values() for name in names)])
FIGURES: Mapping[str, pl.DataType] = {
    "direction": DIRECTION,
    "time_s": pl.Float64(),
    "value": pl.Float64(),
    "bs_bytes": pl.Int64(),
    "offset_bytes": pl.Int64(),
    "prio": pl.String(),
}
_OPEN = (
    "the fifth column is always 0: the priority (fio 3.18 and later), or the offset of an older"
    " fio; it is left out, and {} decides"
)
_WINDOWS = "a row is a window of time: its mean, or its maximum if fio was run with log_max_value=1"
_COMPRESSED = "; with log_compression it averages rates of single I/Os, and is not a bandwidth"
_MAYBE_OLD = (
    "latencies are read as ns (fio 3.18 and later); an older fio with log_offset=1 wrote as many"
    " columns, before 3.0 in usec: {} decides"
)
_UNCERTAIN = (
    "unit unknown: latencies are read as ns (fio 3), half of them above {}; {} reads usec"
    " (fio 2), {}"
)
_UNCERTAIN_BW = "unit unknown: bandwidths are read as {}, 2.4 % off if that is wrong; {} decides"
_ONES = (
    "every window is 1: with log_compression fio averages single I/Os, 1 each, which is not a rate"
)
Scale = tuple[int, Note | None]  # and what is said of it

# wide, because I/Os in flight when ramp_time ended began before the clock
_MARGIN_MS, _MARGIN = 60_000, 10
_PER_IO_SINCE, _WINDOWS_ONLY_BEFORE = (2, 15), (2, 2)
_WINDOW_MS = 400  # fio's own windows are 500 ms long


@dataclass(frozen=True, slots=True)
class Meaning:
    """The quantity, unit and clock of a log's rows.

    They are decided once for a log: `read` sees all rows, `scan` the first ones, and checks the
    others against them.
    """

    kind: str  # what was logged, as the name says
    quantities: Mapping[str, str]  # each quantity, and its column
    scale: int  # the factor of a value; in a log of bandwidth, of a single I/O's
    sure: bool  # whether further rows cannot change the scale
    zero: float  # when times begin, in ms
    windows: bool  # whether a row is a window of time; if not, those with a block size are I/Os


def meaning_of(rows: Rows, name: LogName, fio: Version, layout: Layout) -> Meaning:
    """Decide what rows mean, and note the doubts."""
    frame, number = layout.frame, None if layout.refuted else fio.number
    windows = not (frame["bs"] > 0).any()
    if layout.open and not windows:
        rows.note(_OPEN.format(argument("version")), code="assumed", run=rows.runs)
    zero = time_zero(rows, frame["time"].to_numpy())
    scale, note = 1, None
    if name.kind == "bw":
        scale, note = _bw_scale(layout, number, name.scope == "job")
    elif name.kind != "iops":
        scale, note = _latency_scale(layout, number, zero == 0)
    if note:
        rows.say(note, rows.runs)
    one, mean, largest = _QUANTITIES[name.kind]
    ones = name.kind == "iops" and bool((frame["value"] == 1).all())
    if "max" in frame.columns:
        quantities = {mean: "value", largest: "max"}
    else:
        quantities = {one: "value"}
        if windows:
            said_of = _COMPRESSED if name.kind == "bw" else ""
            rows.note(_WINDOWS + said_of, code="meaning", run=rows.runs)
        if ones and not windows:
            quantities = {"count": "value"}
            rows.note("a row is one I/O, not a rate", code="meaning", run=rows.runs)
        elif ones:
            warn(rows, "meaning", _ONES)
    sure = name.kind != "bw" or windows or note is None
    return Meaning(name.kind, quantities, scale, sure, zero, windows)


def _latency_scale(layout: Layout, version: Number, relative: bool) -> Scale:
    """Return the ns of a latency's unit; physics needs times from the start of the run."""
    value, time = layout.frame["value"], layout.frame["time"]
    early = (value // 1000 > time + _MARGIN_MS) & (value // 1000 > time * _MARGIN)
    why = ""
    if relative and early.any():
        row = layout.frame.row(early.arg_true()[0], named=True)
        why = (
            f"as usec an I/O of {row['value'] / 1e6:.4g} s would have ended"
            f" {row['time'] / 1000:g} s after the start"
        )
    if version is not None:
        if version >= (2, 99):
            return 1, None
        said = "usec as fio {}.{} writes them, but {}".format(*version, why)
        return 1000, Note("contradiction", "warning", None, said) if why else None
    if layout.since is not None:
        return 1, None
    if why:
        return 1, Note("meaning", "info", None, f"latencies are ns: {why}")
    if layout.open:
        return 1, Note("assumed", "info", None, _MAYBE_OLD.format(argument("version")))
    median = value.median()
    assert isinstance(median, float)
    older = argument("version", "2.21")
    read = human(median, "ns"), older, human(median * 1000, "ns")
    return 1, Note("assumed", "warning", None, _UNCERTAIN.format(*read))


def _bw_scale(layout: Layout, version: Number, one_job: bool) -> Scale:
    """Return the bytes in the unit of rows with a block size.

    Windows of one job end one after another: two at once are single I/Os.
    """
    single = layout.frame.filter(pl.col("bs") > 0)
    if single.is_empty() or layout.since is not None:
        return 1000, None
    if version is not None and not _WINDOWS_ONLY_BEFORE <= version < _PER_IO_SINCE:
        return (1024 if version < _WINDOWS_ONLY_BEFORE else 1000), None
    gaps = single.select(pl.col("time").diff().over("ddir")).to_series()
    if one_job and (gaps == 0).any():
        return 1000, None
    typical = gaps.median()
    if isinstance(typical, float) and typical >= _WINDOW_MS:
        scale, severity, read = 1024, "warning", "KiB/s of windows (fio before 2.2)"
    else:
        scale, severity = 1000, "info" if layout.open else "warning"
        read = "1000 B/s of single I/Os (since 2.15)"
    message = _UNCERTAIN_BW.format(read, argument("version"))
    return scale, Note("assumed", severity, None, message)


def figures(
    frame: pl.DataFrame, value: str, meaning: Meaning, wanted: Collection[str] = FIGURES
) -> pl.DataFrame:
    """Compute the wanted columns of `samples` from the column ``value`` or ``max`` of a layout.

    The frame has a row at least. Constant columns cost nothing.
    """
    columns: dict[str, pl.Expr | pl.Series] = {}
    if "direction" in wanted:
        columns["direction"] = pl.col("ddir").cast(pl.UInt8).cat.to(DIRECTION)
    if "time_s" in wanted:
        # by numpy: polars multiplies by the reciprocal, which is a digit off
        times = (frame["time"].to_numpy() - meaning.zero) / 1000
        columns["time_s"] = pl.Series(times, dtype=pl.Float64)
    if "value" in wanted:
        number = pl.col(value).cast(pl.Float64)
        if meaning.kind == "bw":
            # fio writes no rate for an I/O that took no time
            single = pl.when(number > 0).then(number * meaning.scale)
            columns["value"] = pl.when(pl.col("bs") > 0).then(single).otherwise(number * 1024)
        else:
            columns["value"] = number * meaning.scale
    for name, source in (("bs_bytes", "bs"), ("offset_bytes", "offset"), ("prio", "prio")):
        if name in wanted:
            columns[name] = _of_single(frame, source, FIGURES[name])
    # names take less time than expressions, which polars plans
    return frame.with_columns(**columns)[[name for name in FIGURES if name in wanted]]


def _of_single(frame: pl.DataFrame, name: str, dtype: pl.DataType) -> pl.Expr:
    """Return a column that windows lack: one value if all are equal, as they mostly are."""
    sizes = frame["bs"]
    if name not in frame.columns or not sizes.max():
        return pl.lit(None, dtype=dtype)
    column, single = pl.col(name), bool(sizes.min())
    if single and frame[name].min() == frame[name].max():
        column = pl.lit(frame[name][0])
    column = column.cast(dtype)
    if dtype == pl.String:
        column = column.str.strip_chars()
    return column if single else pl.when(pl.col("bs") > 0).then(column)


# --- the reader -------------------------------------------------------------------------------

_WIDEST = 8


def sniff(document: Document) -> bool:
    """Claim lines of numbers in a file named like fio's logs, or that only fio writes."""
    rows = first_rows(document)
    name = named(document)
    if name and name.kind != "hist":
        commas = (rows[0].count(", ") or rows[0].count(",")) if rows else 0
        claimed = commas < _WIDEST if rows else is_cut(document)
    else:
        claimed = name is None and len(rows) > 1 and all(map(_only_fio_writes, rows))
    return claimed and not document.kinds


def _only_fio_writes(row: str) -> bool:
    """Whether a line certainly is a single I/O, whatever the file's name."""
    fields = row.split(", ")
    return (
        5 <= len(fields) < _WIDEST
        and fields[2] in ("0", "1", "2")
        and fields[3].isdecimal()
        and int(fields[3]) % 512 == 0 < int(fields[3])
        and (fields[-1] == "0" or fields[-1].startswith("0x"))
    )


def read(document: Document, rows: Rows) -> None:
    """Read one log."""
    name = named(document)
    if name is None or name.kind == "hist":
        raise ParseError(
            document.name,
            "a log of fio, but its name does not say the quantity",
            remedy=f"add {argument('quantity', 'iops')} (or bw, lat, clat, slat), or give it "
            "back its name (x_lat.1.log)",
        )
    fio = begin(document, rows, name, "fio_log")
    layout, meaning = decided(document, rows, name, fio)
    _note_order(rows, name, layout.frame, meaning.windows)
    if rows.wants("samples"):
        for quantity, column in meaning.quantities.items():
            found = figures(layout.frame, column, meaning).to_dict()
            rows.extend("samples", found, **name.keys(rows.runs), quantity=quantity)


def decided(document: Document, rows: Rows, name: LogName, fio: Version) -> tuple[Layout, Meaning]:
    """Decide from the lines of a text which columns it has, and what they mean.

    Raises
    ------
    ParseError
        If no line is complete, or no version of fio writes such lines.
    """
    text = document.text[: document.text.rfind("\n") + 1]
    _refuse_grouped(document.name, text)
    shape = shape_of(text)
    if shape is None:
        raise incomplete(document.name)
    lines, _ = parsed(text.encode("utf-8", errors="replace"), shape)
    if lines.others is not None and len(lines.others):
        warn(rows, "left out", torn(len(lines.others)), int(lines.others[0]))
    layout = layout_of(lines, fio.number)
    if layout is None or layout.frame.is_empty():
        raise ParseError(
            document.name,
            f"lines of {lines.frame.width} columns, unlike any fio from 2.0 to 3.42",
            line=int(lines.numbers[0]),
            remedy="three columns are early fio 1.x, in unknown units"
            if lines.frame.width == 3
            else "was the file edited, or made by another tool?",
        )
    if layout.refuted:
        warn(
            rows,
            "contradiction",
            f"fio {fio.text} does not write such columns: their content decides",
        )
    if layout.tied:
        warn(rows, "assumed", "ambiguous columns: read as without log_window_value=both")
    if "issue" in layout.frame.columns:
        rows.note("issue times (log_issue_time=1) are left out", code="left out", run=rows.runs)
    if len(layout.bad):
        warn(rows, "left out", unlike_fio(len(layout.bad)), int(layout.bad[0]))
    return layout, meaning_of(rows, name, fio, layout)


def _refuse_grouped(name: str, text: str) -> None:
    """Refuse numbers whose thousands are grouped: their commas look like those between columns."""
    between = text.count(", ")
    within = text.count(",") - between
    # torn lines have some, too
    if between and within > text.count("\n") // 100 and (found := _GROUPED.search(text)):
        raise ParseError(
            name,
            f"commas within numbers, which fio does not write ({found[0][:40]!r})",
            line=text.count("\n", 0, found.start()) + 1,
            remedy=r"remove those without a blank behind: sed -E ':a;s/([0-9]),([0-9])/\1\2/;ta'",
        )


def unlike_fio(count: int) -> str:
    """Return the message on lines with values that fio does not write."""
    return (
        f"{count:,} lines with values that fio does not write (a direction above 2,"
        " a priority above 1, a maximum below its mean): left out"
    )


def _note_order(rows: Rows, name: LogName, frame: pl.DataFrame, windows: bool) -> None:
    """Note times that step back, and windows that end twice; the rows stay as they are."""
    steps = frame["time"].diff()
    back = steps.filter(steps < 0)
    if len(back):
        largest = back.min()
        assert isinstance(largest, int)
        rows.note(
            f"times step back {len(back):,} times, by up to {-largest / 1000:g} s: this file has"
            " rows of several jobs or runs",
            code="meaning",
            severity="info" if name.scope != "job" or largest > -1000 else "warning",
            run=rows.runs,
        )
    twice = int(frame.select("time", "ddir").is_duplicated().sum()) if windows else 0
    if twice and name.scope == "job":
        rows.note(
            f"{twice:,} windows end at the same time as another of their direction",
            code="meaning",
            run=rows.runs,
        )
