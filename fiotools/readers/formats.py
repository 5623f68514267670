"""The formats that are read: a table of readers, and which text each of them claims.

The table holds only what is needed to recognise a file. The code that reads it is named by its
place (`Later`), and imported when a file has that format.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from fiotools.readers.document import Grammar, Reader

if TYPE_CHECKING:
    from fiotools.readers.document import Document
    from fiotools.tables.rows import Rows


class Later:
    """A function by its place, ``"package.module:name"``: imported when it is called first."""

    def __init__(self, place: str) -> None:
        self.__module__, _, self._name = place.partition(":")

    @cached_property
    def _found(self) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(import_module(self.__module__), self._name)
        return found

    def __call__(self, *given: Any) -> Any:
        """Call it."""
        return self._found(*given)

    def __repr__(self) -> str:
        return f"{self.__module__}:{self._name}"


_HEAD = 1 << 16  # characters
_NUMBER = re.compile("^[0-9]", re.MULTILINE)

# --- what each tool's output has near its beginning -------------------------------------------

FIO_JSON = r'\{\s*"fio ?version"\s*:'
FIO_NORMAL = r"\(groupid=\d+, jobs=\d+\): err="
# lines of a report that are complete in themselves, where the first line of their entry is missing;
# each begins with a fixed letter, which is found fast
FIO_PARTS = "|".join(
    (
        *(f"{name} ?: [*_`]{{0,3}}(?:IOPS|io)=" for name in ("read", "write", "trim", "mixed")),
        *(f"{name}: (?:bw|io)=" for name in ("READ", "WRITE", "TRIM", "MIXED")),
        r"Run status group \d{1,9} \(all jobs\):",
    )
)
FIO_TERSE = r"[3-5];fio[- ][\d.]"
DISKSPD_XML = (
    r"<Results>(?=\s*(?:<!--[^>]{0,500}-->\s*)?(?:<(?:System|Profile|TimeSpan)\b|<?\w*\Z))"
)
DISKSPD_TEXT = (
    r"^[ \t]*(?:Command Line:|Input parameters:|Results for (?:timespan|job) \d"
    r"|(?:\|[ \t]*)?thread[ \t]*\|[ \t]*bytes[ \t]*\|[ \t]*I/Os[ \t]*\|)"
)
_S = r"[ \t\xa0]"
# no blank belongs to two parts, and none repeats without bound: the search stays linear
CRYSTALDISKMARK_ROW = (
    r"(?<![A-Za-z])(?P<kind>Sequential|Seq|SEQ|Random|RND)"
    rf"(?:{_S}{{1,30}}(?P<way>Read|Write|Mix)(?![A-Za-z]))?"
    rf"(?:{_S}{{1,30}}(?P<size>\d{{1,5}}){_S}?(?P<unit>[KM]i?B))?"
    rf"(?:{_S}{{0,30}}\((?:QD?={_S}{{0,5}}(?P<depth>\d{{1,5}}))?"
    rf"(?:,{_S}{{0,5}})?(?:T={_S}{{0,5}}(?P<threads>\d{{1,5}}))?\))?"
    rf"{_S}{{0,30}}:{_S}{{0,30}}(?P<rate>[\d.,]{{1,20}}){_S}{{0,5}}MB/s"
)
CRYSTALDISKMARK = re.sub(r"\?P<\w+>", "?:", CRYSTALDISKMARK_ROW)
# the median came with 1.6; version 2 has the statistics of each metric
HYPERFINE_CSV = (
    r"command,(?:mean,stddev,(?:median,)?user,system,min,max(?=[,\n]|\Z)"
    r"|(?:time|memory|cpu|instructions|cache|branch)[a-z_]{0,20}_unit,[a-z_]{3,30}_mean,)"
)
# the command comes first, even if the keys were sorted
_HYPERFINE_2 = (
    r'(?:"schema_version"\s*:\s*\d{1,4}\s*,\s*)?"metadata"\s*:\s*\{\s*"hyperfine_version"'
)
HYPERFINE_JSON = rf'\{{\s*(?:"results"\s*:\s*\[\s*\{{\s*"command"\s*:|{_HYPERFINE_2})'
HYPERFINE_SHOWN = r"[ \t]{0,12}(?:Time \((?:mean|abs)\b|Benchmark #?\d{1,6}: )"
HYPERFINE_TABLE = (
    r"[ \t]{0,8}\|?[ \t]{0,20}Command[ \t]{0,20}\n?[|\t][ \t]{0,20}Mean\b[ \w]{0,20}\["
)
# each begins with a fixed kind of character, which is found fast
DD_RECORDS = (
    r"[0-9](?<![0-9.,:+=][0-9])[0-9]{0,17}\+[0-9]{1,18}"
    r"(?=[ \t][^\s\x21-\x3e@\[-^`{-~]|[^\x00-\x7f])"
)
# seconds, their unit, a separator, and the rate up to its slash
DD_FIGURES = (
    r"[0-9][ ]?(?:secs?|seconds?|Sekunden|secondes|segundos|secondi|s|c|с|秒)(?:[,，、] ?|[ ]\()"
    r"[0-9][0-9.,]{0,24}[ ]?[kKMGTPEZY]?(?:i?B|bytes)?/"
)
DD_SAID = r"dd(?<![^\s/]dd)(?:\.exe)?: (?=\S)"
# the beginnings of timings; the longer ones of the same word first. Each begins with a letter,
# which is found fast
_ELAPSED = ("real", "Real", "elapsed")
TIMES = {
    # a list without its first line begins at the next
    "verbose": (
        r"Real time \(s\): \d|(?:User|System) time \((?:seconds|s)\): \d"
        r"|Elapsed \(wall clock\)[^\n]{0,30}: \d"
    ),
    # a line that was wrapped is broken at one of these, and found by another
    "zsh": (
        r"user\s{1,9}[\d.,:]+(?:[mun]?s)?\s{1,9}system|system\s{1,9}\d{1,9}%\s{1,9}cpu"
        r"|cpu\s{1,9}[\d.,:]+(?:[mun]?s)?\s{1,9}total"
    ),
    "gnu": (r"user\s{1,9}\d+[.,]\d+system|system\s{1,9}[\d:.,]+elapsed"),
    "tcsh": r"u\s{1,9}\d+[.,]\d+s\s{1,9}\d+:\d",
    "fish": r"Executed in +\d",
    "powershell": r"TotalSeconds[ \t]+:[ \t]*\d",
    "labels": "|".join(rf"{name}(?:[ \t]+|[ \t]*[:=,][ \t]*)\d" for name in _ELAPSED),
}

_BLANK = "%20|&nbsp;|&#32;"  # as web pages write it
# what certainly belongs to a report of time; a line that was broken somewhere still has one. A
# digit, or a letter that begins a word, is known sooner than the rest
TIME_MARK = (
    # "0.09 real", but not the time that stands before "real 0.09"
    r"[0-9](?:[.,][0-9]+(?:s? (?:real|user|system)\b(?![ \t]+[+]?[0-9][0-9hm.,]*s?[^\w\n]{0,4}$)"
    r"|(?:user|system)\b"
    r"|u\s{1,9}[0-9]+[.,][0-9]+s\s{1,9}[0-9]+:)"
    r"|elapsed\b|% ?CPU\b|avgtext\b|avgdata\b|maxresident|inputs\+[0-9]|outputs \(|major\+"
    r"|io\s{1,9}[0-9]+pf|pf\+[0-9]+w\b| {1,4}(?:maximum {1,2}resident"
    r"|page {1,2}reclaims|instructions {1,2}retired|cycles {1,2}elapsed|peak {1,2}memory))"
    r"|(?=[rusceptxmfvT])(?:\b|(?<=\\n))(?:"
    r"(?:real|user|sys)(?:[\s|]|\^I|\\t|%20){0,9}[+]?(?:[0-9]+h ?)?[0-9]+m ?[0-9]+[.,][0-9]+s"
    r"|Command (?:exited with non-zero status|terminated by signal) [0-9]"
    r"|terminated by signal [0-9]|cpu\s{1,9}[0-9.,:]+ total\b|pagefaults\s{1,9}[0-9]"
    r"|(?:User|System|Real) time \((?:seconds|s)\)|Elapsed\W{1,3}wall clock|CPU this job got"
    r"|Max(?:imum resident set size| RSS) \(|(?:Major|Minor) (?:\(re\w{4,8} |faults:)"
    r"|page faults: [0-9]|voluntary context|context switches\b|switches: [0-9]"
    r"|File system (?:in|out)puts: [0-9]|Page size \(bytes\): [0-9]|Socket messages \w{4,8}: [0-9]"
    r"|Executed in +[0-9]|(?:usr|sys) time +[0-9]+[.,][0-9]|TotalSeconds +: +[0-9]"
    r"|(?:real|user|sys)[ \t]+[+]?[0-9]+[.,][0-9]+s?[^\w\n]{0,4}$)"
)
_TCSH = [f"u {digit}" for digit in range(10)]
TIME_LINE = (
    r"[^\w\n]{0,4}(?:real|user|sys)[ \t]*[+]?[0-9]+[.,][0-9]+s?[^\w\n]{0,4}$"
    r"|(?:\S{0,7} )?(?:exited )?(?:with )?non-zero status [0-9]"
    r"|[ \t]{0,30}(?:[0-9]{1,18} {1,2})?(?:maximum resident set|page (?:reclaims|faults)$"
    r"|block (?:in|out)put op|instructions retired$|cycles elapsed$|peak memory footprint$)"
)

_AFTER_LABEL = "\n\r\t |^\\%+0123456789"  # between a label of a damaged line and its number

# --- who claims a text ------------------------------------------------------------------------

_FIO_KEY = re.compile(r'"fio ?version"\s*:')
# keys of a fio document whose version was dropped, or of its jobs alone
_FIO_OTHER_KEYS = tuple(
    re.compile(rf'"(?:{key})"\s*:')
    for key in ("jobname", "jobs|client_stats|groupid", "io_bytes|iops")
)
_HYPERFINE = re.compile(
    r"""\s*\{\s*(?:"results"\s*:\s*\[\s*\{\s*"command"\s*:\s*"[^"\\]*+(?:\\.[^"\\]*+)*+"\s*,\s*
    "(?:mean|exit_codes|max)"\s*:|"""
    rf"{_HYPERFINE_2})",
    re.X | re.S,
)
_DISKSPD_PROFILE = re.compile(r"\s*(?:<\?xml[^<>]*\?>\s*)?<Profile>\s*<")
# errors that fio prints instead of a report, and the line above its first entry
FIO_SAID = re.compile(
    r"^(?:fio: |\w+: verify failed|verify: |error: failed to setup shm)[^\n]*", re.M
)
FIO_DEFINITION = re.compile(r"^(?:<[^>\n]{1,200}> )?[^\n]{0,200}: \(g=\d{1,9}\): rw=")


def _fio_json(document: Document) -> bool:
    """Claim any text with a fio document in it."""
    if not document.is_structured:
        return "fio_json" in document.kinds
    text = document.text
    if text.lstrip()[:1] not in "{[" or _HYPERFINE.match(text):
        return False
    return _FIO_KEY.search(text) is not None or all(key.search(text) for key in _FIO_OTHER_KEYS)


def _fio_normal(document: Document) -> bool:
    """Claim a text of nothing but fio's human reports, or of fio's errors instead of one."""
    if document.is_structured or document.kinds:
        return document.sole == "fio_normal"
    first = document.text.lstrip().partition("\n")[0]
    return bool(FIO_SAID.match(first) or FIO_DEFINITION.match(first))


_log, _hist_log = (Later(f"fiotools.readers.fio.{name}:sniff") for name in ("log", "hist_log"))


def _has_rows(document: Document) -> bool:
    """Whether one of the first lines of a text begins with a number, and there is no report."""
    text = document.text
    return (
        text[:1] not in "{<" and not document.kinds and _NUMBER.search(text, 0, _HEAD) is not None
    )


def _diskspd_xml(document: Document) -> bool:
    """Claim DISKSPD's results, and its bare profile."""
    if not document.is_structured:
        return document.sole == "diskspd_xml"
    text = document.text
    if text.lstrip()[:1] != "<":
        return False
    return re.search(DISKSPD_XML, text) is not None or is_profile(text)


def is_profile(text: str) -> bool:
    """Whether a text is DISKSPD's profile: requests without results."""
    return _DISKSPD_PROFILE.match(text) is not None


def _hyperfine(document: Document) -> bool:
    """Claim hyperfine's JSON, and texts of nothing but its other outputs."""
    if document.is_structured:
        return _HYPERFINE.match(document.text) is not None
    return document.sole == "hyperfine"


def _transcript(document: Document) -> bool:
    """Claim a text that holds more than the reports of one tool."""
    if document.is_structured:
        return False
    kinds = document.kinds
    return bool(kinds) and "fio_json" not in kinds and bool(document.leftover or len(kinds) > 1)


_FIO_START = re.compile(rb"\s*" + FIO_JSON.encode())
_take_fio = Later("fiotools.readers.fio.json:take")


def taken(data: bytes, rows: Rows) -> bool:
    """Read a file that is one whole document of fio; return whether it is.

    No other format is, so that none has to be asked.
    """
    return _FIO_START.match(data) is not None and _take_fio(data, rows)


# --- the formats ------------------------------------------------------------------------------


def _reader(
    name: str, *, module: str = "", anchor: str = "", needs: tuple[str, ...] = (), **facts: Any
) -> Reader:
    """Describe a reader; its module has its name, and if nothing is said, it claims its reports."""
    place = f"fiotools.readers.{module or name.replace('_', '.', 1)}"
    read, parse, add = (Later(f"{place}:{function}") for function in ("read", "parse", "add"))
    grammar = Grammar(anchor, parse, add, needs) if anchor else None
    facts.setdefault("sniff", lambda document: document.sole == name)
    return Reader(name=name, read=read, grammar=grammar, **facts)


_FIO = (
    *("runs", "jobs", "settings", "io", "percentiles", "bins", "samples", "disks"),
    *("extras", "notes"),
)

READERS: tuple[Reader, ...] = (
    _reader(
        "crystaldiskmark",
        title="CrystalDiskMark's text (2.x to 9.x) and KDiskMark's (1.5 to 3.2), also in posts",
        produced_by="Edit > Copy, or File > Save (text)",
        tables=("runs", "settings", "io", "extras", "notes"),
        mark=f"(?=[SR]){CRYSTALDISKMARK}",
        mark_needs=("mb/s",),
        anchor=CRYSTALDISKMARK,
        needs=("Seq", "SEQ", "Random", "RND"),
    ),
    _reader(
        "dd",
        module="dd.reader",
        title="dd reports (GNU, BSD, BusyBox, toybox, uutils; any language)",
        produced_by="dd if=... of=... 2>log",
        tables=("runs", "io", "samples", "settings", "extras", "notes"),
        mark=(
            rf"\d(?:\W{{0,4}}|{_BLANK})records(?:\W{{1,3}}|{_BLANK})(?:in|out)\b"
            r"|\d\+\d{1,18}(?:[^\w\n]{1,3}|%20)(?:enregist|regist|rexist|datens|zapis|poster|blo[ck])"
            rf"|\d(?:\W{{0,4}}|{_BLANK})bytes(?:\W{{1,3}}|{_BLANK})[^()\n]{{1,90}}\)"
            rf"(?:\W{{1,4}}|{_BLANK})copied"
            r"|\d\W{0,4}bytes transferred in \W?\d"
            r"|\d\+\d{1,18}[ \t]?(?=[^\x00-\x7f])\w"  # records, in a script of its own
        ),
        mark_needs=(
            *("records", "bytes", "regist", "rexist", "datens", "zapis", "poster"),
            *("bloc", "blok", "+"),
        ),
        anchor=f"{DD_RECORDS}|{DD_FIGURES}|{DD_SAID}",
        needs=("+", "/s", "/c", "/с", "/秒", "dd: ", "dd.exe: "),
    ),
    _reader(
        "diskspd_text",
        title="DISKSPD results as text (2.0.12 to 2.2, diskspd-for-linux), also as Markdown tables",
        produced_by="diskspd ... target > run.txt",
        tables=("runs", "settings", "io", "percentiles", "cpu", "extras", "notes"),
        mark=(
            r"(?<!\w)(?:thread[ \t]*\|[ \t]*bytes[ \t]*\||CPU[ \t]*\|[ \t]*Usage[ \t]*\|"
            r"|(?:%\W?ile|Percentile)[ \t]*\|[ \t]*(?:Read|Write|Total)[ \t]*\(ms\)"
            r"|total:[ \t]+\d+ \|)|\b(?:Input parameters|Results for timespan \d+):$"
        ),
        mark_needs=(
            *("total:", "input parameters", "results for timespan", "thread", "usage", "(ms)"),
        ),
        anchor=DISKSPD_TEXT,
        needs=("Command Line:", "Input parameters:", "Results for ", "I/Os"),
    ),
    _reader(
        "diskspd_xml",
        title="DISKSPD results in XML (2.0.12 to 2.2)",
        produced_by="diskspd ... -Rxml target > run.xml",
        tables=("runs", "settings", "io", "percentiles", "samples", "cpu", "extras", "notes"),
        sniff=_diskspd_xml,
        mark=rf"{DISKSPD_XML}|</?TimeSpan>",
        mark_needs=("<results>", "timespan>"),
        anchor=DISKSPD_XML,
        needs=("<Results>",),
    ),
    _reader(
        "fio_hist_log",
        title="fio logs of latency histograms (log_hist_msec, 2.17 to 3.4x)",
        produced_by="fio --write_hist_log=x --log_hist_msec=1000 ...",
        tables=("runs", "bins", "samples", "extras", "notes"),
        sniff=lambda document: _has_rows(document) and _hist_log(document),
        line_mark=r"[0-9]{1,18}, [0-2], [0-9]{1,10}(?:, [0-9]{1,18}){60}",
        mark_needs=(", ",),
    ),
    _reader(
        "fio_json",
        title="fio JSON (json, json+), 1.99 to 3.4x",
        produced_by="fio --output-format=json (or json+) --output=run.json ...",
        tables=_FIO,
        sniff=_fio_json,
        mark=(
            rf"{FIO_JSON}|(?:[\"\u201c\u201d]|&quot;)"
            r"(?:fio ?version|jobname|io_kbytes|iodepth_level)(?:[\"\u201c\u201d]|&quot;)"
        ),
        mark_needs=("fio version", "fioversion", "jobname", "io_kbytes", "iodepth_level"),
        anchor=FIO_JSON,
        needs=('"fio',),
    ),
    _reader(
        "fio_log",
        title="fio logs of latency, bandwidth and IOPS, per I/O or averaged (2.0 to 3.4x)",
        produced_by="fio --write_lat_log=x --write_bw_log=x --write_iops_log=x ...",
        tables=("runs", "samples", "extras", "notes"),
        sniff=lambda document: _has_rows(document) and _log(document),
        line_mark=r"[0-9]{1,18}, [0-9]{1,18}, [0-3], [0-9]{1,10}(?:, [0-9]+){0,2}$",
        mark_needs=(", ",),
    ),
    _reader(
        "fio_normal",
        title="fio's human report (1.x to 3.4x)",
        produced_by="fio ..., or fio --output=report.txt ...",
        tables=_FIO,
        sniff=_fio_normal,
        # one of a line is enough; each begins with a fixed kind of character, which is found fast
        mark=(
            rf"{FIO_NORMAL}|Disk stats \(read/write\):|ios=\d+/\d+, merge"
            r"|(?=[rwt])\b(?:read|write|trim) ?: ?(?:IOPS|io) ?="
            r"|(?=[scl])\b[sc]?lat \([mun]?sec\) ?: ?(?:\d|min=)"
            r"|\b(?:bw ?\( ?[KMG]i?B/s\)|iops *): min=|\bcpu +: usr=|\bIO depths +: 1="
            r"|\bissued (?:rwts?|r/w/d|rwt)?: ?(?:total|\d)|\d\.\d+th=\["
        ),
        mark_needs=(
            *("(groupid=", "disk stats", "ios=", "iops", "io=", "io =", "sec)", "b/s)", ": usr="),
            *("io depths", "issued ", "th=["),
        ),
        anchor=rf"{FIO_NORMAL}|{FIO_PARTS}",
        needs=("(groupid=", "IOPS=", "iops=", "Run status group ", ": bw=", ": io="),
    ),
    _reader(
        "fio_terse",
        title="fio's terse output, versions 2 to 5 (fio 1.5x to 3.4x)",
        produced_by="fio --minimal ..., or fio --output-format=terse --terse-version=5 ...",
        tables=_FIO,
        mark=rf"{FIO_TERSE}|[3-5];(?:fio|\ufb01o)\W[\d.]",
        mark_needs=(";fio", ";\ufb01o"),
        anchor=rf"(?:^|(?<=\r))(?:{FIO_TERSE}|2;)",
        needs=("2;", ";fio"),
    ),
    _reader(
        "hyperfine",
        module="hyperfine.reader",
        title="hyperfine's exports (JSON, CSV, Markdown, AsciiDoc, Org mode) and its terminal, 1.0"
        " to 2.0",
        produced_by="hyperfine --export-json out.json ...; copying what a terminal shows",
        tables=("runs", "settings", "timings", "extras", "notes"),
        sniff=_hyperfine,
        mark=(
            r"\b(?:Time\W{1,3}\((?:mean|abs)\b|Wall Time\W{1,20}[0-9]|User: [0-9.]+ .?s, System: "
            r"|Command[ \t]{1,20}\|[ \t]{1,20}Mean\b[ \w]{0,20}\[)"
            rf'|{HYPERFINE_CSV}$|"exit_codes"\s*:'
        ),
        line_mark=rf"{HYPERFINE_CSV}|{HYPERFINE_TABLE}",
        mark_needs=("command,mean", "_unit,", "(abs", "mean", "wall time", "user:", '"exit_codes"'),
        # a recorded terminal has the rests of the progress bar before a carriage return
        anchor=rf"^(?:{HYPERFINE_CSV}|{HYPERFINE_JSON}|{HYPERFINE_TABLE})"
        rf"|(?:^|(?<=\r)){HYPERFINE_SHOWN}",
        needs=("command,", '"results"', "Benchmark ", "Time (", "Mean "),
    ),
    _reader(
        "iostat",
        title="iostat's JSON (sysstat 11.5 to 12.7)",
        produced_by="S_TIME_FORMAT=ISO iostat -xyt -o JSON 1 > iostat.json",
        tables=("runs", "samples", "cpu", "disks", "extras", "notes"),
        sniff=Later("fiotools.readers.iostat:sniff"),
        mark=r'"(?:disk_device|avg-cpu)"\s*:',
        mark_needs=('"disk_device"', '"avg-cpu"'),
    ),
    _reader(
        "time",
        title="time of any shell, of GNU, BSD, BusyBox and toybox; Measure-Command",
        produced_by="time command 2>log",
        tables=("runs", "timings", "extras", "notes"),
        mark=TIME_MARK,
        line_mark=TIME_LINE,
        # not the sys of /proc/sys
        mark_needs=(
            *("real", "user", *map("sys{}".format, _AFTER_LABEL), "command ", "elapsed", "%cpu"),
            *("cpu", "resident", "puts", "page", "switches", "system", "avg", "major", "minor"),
            *("non-zero", "by signal", "footprint", "peak", "socket", "voluntary", "executed in"),
            *("time (", "usr time", "sys time", "cycles", "instructions", "max rss", "io ", "pf+"),
            *("totalseconds", *_TCSH),
        ),
        anchor="|".join(TIMES.values()),
        needs=(
            *("real", "Real", "elapsed", "system", "User time", "Executed in", "TotalSeconds"),
            *_TCSH,
        ),
    ),
    _reader(
        "transcript",
        title="terminal sessions and Markdown articles with any of these reports",
        produced_by="(time dd ...) 2>log; copying what a terminal shows",
        tables=(
            *("runs", "jobs", "settings", "io", "percentiles", "bins", "samples", "timings"),
            *("disks", "extras", "notes"),
        ),
        sniff=_transcript,
    ),
)
