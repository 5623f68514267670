"""Change what a tool printed as people and systems do, without changing a number, and read it again.

A log puts a time before each line, a mail wraps at 72 columns, a wiki makes table cells. After each
of these a number must be the same, or the text refused, or a warning must speak of it. `KINDS` has
the tables of mutations: adding one is adding a line. `make fuzz` prints what became of each format.
"""

from __future__ import annotations

import csv
import gzip
import html
import io
import itertools
import json
import multiprocessing
import quopri
import re
import tempfile
import textwrap
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import fiotools as ft

FIXTURES = Path(__file__).parent / "fixtures"
LARGEST = 40_000  # bytes; larger files say the same again
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d.])|\d+(?:\.\d+)?")
# what identifies a file, a place or a person, and no number that was measured
_NAMES = {"source", "run", "entry", "host", "port", "group", "job", "thread", "target", "command"}

Change = Callable[[str], "str | bytes | None"]  # None: such a text has nothing to change


class Case(NamedTuple):
    """One mutation: text in, text or bytes out, None where it does not apply."""

    name: str
    change: Change


def _lines(change: Callable[[int, str], str]) -> Change:
    """Change every line, given its number."""

    def changed(text: str) -> str:
        lines = text.removesuffix("\n").split("\n")
        return "".join(change(number, line) + "\n" for number, line in enumerate(lines, 1))

    return changed


def before(prefix: str) -> Change:
    """Put a prefix before every line; # in it is the line's number, @ seconds that count up."""

    def prefixed(number: int, line: str) -> str:
        return prefix.replace("#", str(number)).replace("@", f"{number % 60:02}") + line

    return _lines(prefixed)


def _swap(*pairs: tuple[str, str]) -> Change:
    def swapped(text: str) -> str:
        for old, new in pairs:
            text = text.replace(old, new)
        return text

    return swapped


def _sub(pattern: str, new: str) -> Change:
    return lambda text: re.sub(pattern, new, text, flags=re.MULTILINE)


def _around(above: str, below: str = "") -> Change:
    return lambda text: f"{above}{text.removesuffix(chr(10))}\n{below}"


def _encoded(codec: str, bom: bytes = b"") -> Change:
    def encoded(text: str) -> bytes | None:
        try:
            return bom + text.encode(codec)
        except UnicodeEncodeError:
            return None

    return encoded


def _of_json(change: Callable[[Any], str]) -> Change:
    """Change a document that is JSON and nothing else."""

    def changed(text: str) -> str | None:
        try:
            return change(json.loads(text))
        except json.JSONDecodeError:
            return None

    return changed


def _of_xml(change: Change) -> Change:
    return lambda text: change(text) if text.lstrip().startswith("<") else None


def _of_text(change: Change) -> Change:
    """Change what is neither JSON nor XML."""
    return lambda text: None if text.lstrip()[:1] in ("{", "[", "<") else change(text)


def _of_csv(change: Callable[[list[list[str]]], str]) -> Change:
    """Change a table of hyperfine."""

    def changed(text: str) -> str | None:
        return change(list(csv.reader(io.StringIO(text)))) if text[:8] == "command," else None

    return changed


def _with_leaves(change: Callable[[Any], Any]) -> Callable[[Any], str]:
    """Write a document whose numbers are changed."""

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: walk(one) for key, one in value.items()}
        if isinstance(value, list):
            return [walk(one) for one in value]
        return change(value)

    return lambda document: json.dumps(walk(document), indent=2)


def _written(rows: list[list[str]], **form: Any) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n", **form).writerows(rows)
    return out.getvalue()


def _wrapped(width: int, text: str) -> str:
    """Wrap at blanks, as a mail does."""
    parts = [
        textwrap.wrap(line, width, drop_whitespace=False, break_long_words=False) or [""]
        for line in text.split("\n")
    ]
    return "\n".join(itertools.chain.from_iterable(parts))


def _grouped(by: str, text: str) -> str:
    """Group the digits of whole numbers by thousands."""
    pattern = r"(?<![\w.,/:-])[1-9]\d{4,17}(?![\w.,/:-])"
    return re.sub(pattern, lambda found: f"{int(found[0]):,}".replace(",", by), text)


# what stands before each line of a log, and is taken off
TAKEN_OFF = {
    "syslog": "Nov 22 14:09:@ node1 bench[4711]: ",
    "dmesg": "[  123.4567@] ",
    "docker --timestamps": "2026-11-22T14:09:@.123456789Z ",
    "docker compose": "bench-1  | ",
    "k8s CRI": "2026-11-22T14:09:@.123456789Z stdout F ",
    "kubectl --prefix": "[pod/bench-1/fio] ",
    "Jenkins": "[2026-11-22T14:09:@.123Z] ",
    "GitLab": "2026-11-22T14:09:@.123456Z 01O ",
    "time of day": "14:09:@ ",
    "ts": "Nov 22 14:09:@ ",
    "Python logging": "2026-11-22 14:09:@,123 INFO bench: ",
    "srun --label": "0: ",
    "Heroku": "2026-11-22T14:09:@.123456+00:00 app[worker.1]: ",
    "grep -n": "#:",
    "grep -H": "run.txt:",
    "grep -Hn": "logs/run.txt:#:",
    "cat -n": "     #\t",
    "nl": "     #  ",
    "mail": "> ",
    "mail twice": "> > ",
    "Buildkite": "\x1b_bk;t=17145600@123\x07",
}
# what else stands there: refused, or told
OTHER_PREFIXES = {
    "epoch": "1763820@.123456 ",
    "Go": "2026/11/22 14:09:@ ",
    "ts -i %.s": "0.0000@ ",
    "pdsh": "node1: ",
    "mpirun --tag-output": "[1,0]<stderr>:",
    "tag without blank": "log:",
    "less -N": "      # ",
    "mail name": "Bob> ",
    "shell comment": "# ",
    "SQL comment": "-- ",
    "diff -": "-",
    "numbered list": "#. ",
    "bar": "| ",
    "box": "│ ",
}

# what stands around a whole text
AROUND = {
    "prose": ("Here is what I got on my laptop today:\n\n", "\nWhat do you think of 5 of 7?\n"),
    "prompt": ("user@host:~$ ./bench.sh\n", "user@host:~$ \n"),
    "fence with language": ("```console\n", "```\n"),
    "heading": ("# Results\n\n## Disk 1\n\n", "\n"),
    "details": ("<details><summary>log</summary>\n\n```\n", "```\n</details>\n"),
    "script": (
        'Script started on 2026-11-22 14:09:35+00:00 [TERM="xterm"]\n',
        '\nScript done on 2026-11-22 14:10:35+00:00 [COMMAND_EXIT_CODE="0"]\n',
    ),
    "warning above": ("ulimit: open files: cannot modify limit: Operation not permitted\n", ""),
    "warning below": ("", "rm: cannot remove 'testfile': No such file or directory\n"),
    "df above": (
        "Filesystem 1K-blocks Used Available Use% Mounted on\n"
        "/dev/sda1 264224076 12345678 251878398 5% /\n",
        "",
    ),
    "form feed": ("\f", "\f"),
    "ANSI colour": ("\x1b[32m", "\x1b[0m"),
    "nul bytes": ("", "\0\0\0\0"),
    "Ctrl-Z": ("", "\x1a"),
}

ENDS = {
    "CRLF": _swap(("\n", "\r\n")),
    "CR": _swap(("\n", "\r")),
    "CR CR LF": _swap(("\n", "\r\r\n")),
    "U+2028": _swap(("\n", "\u2028")),
    "vertical tab": _swap(("\n", "\v")),
    "none at the end": lambda text: text.rstrip("\n"),
    "blanks before": _lines(lambda _, line: line + "   "),
    "every line twice spaced": _swap(("\n", "\n\n")),
    "blank lines gone": _sub(r"\n{2,}", "\n"),
    "backslash": _of_text(_lines(lambda _, line: line + " \\")),
    "$ (cat -A)": _lines(lambda _, line: line.replace("\t", "^I") + "$"),
    "<br>": _lines(lambda _, line: line + "<br>"),
    "two letters": _swap(("\n", "\\n")),
    # joined and wrapped
    **{
        f"joined by {by!r}": _of_text(_swap(("\n", by)))
        for by in (" ", "", " / ", "; ", ", ", " | ", " ↵ ")
    },
    **{f"at {width} columns": _sub(f"(.{{{width}}})(?=.)", "\\1\n") for width in (20, 60, 80, 132)},
    **{f"at blanks, {width} columns": partial(_wrapped, width) for width in (40, 72, 80)},
}

BLANKS = {
    "leading ones gone": _sub(r"^[ \t]+", ""),
    "runs collapsed": _sub(r"[ \t]{2,}", " "),
    "all collapsed and stripped": lambda text: _sub(r"^ +| +$", "")(re.sub(r"[ \t]+", " ", text)),
    "tabs to 8 blanks": str.expandtabs,
    "tabs to one blank": _swap(("\t", " ")),
    "tabs gone": _of_text(_swap(("\t", ""))),
    "8 blanks to tabs": _swap((" " * 8, "\t")),
    "doubled": _of_text(_swap((" ", "  "))),
    "NBSP": _swap((" ", "\xa0")),
    "narrow NBSP": _swap((" ", "\u202f")),
    "&nbsp;": _swap((" ", "&nbsp;")),
    "zero width after": _swap((" ", " \u200b")),
    "around =": _of_text(_swap(("=", " = "))),
    "none after comma": _of_text(_swap((", ", ","))),
    "before units": _of_text(_sub(r"(?<=\d)(?=[KMG]i?B)", " ")),
    "none before units": _of_text(_sub(r"(?<=\d) (?=[kKMG]i?B|bytes|s\b)", "")),
    "none before colon": _of_text(_sub(r" +:", ":")),
}

CHARACTERS = {
    "smart quotes": _swap(('"', "”"), ("'", "’"), ("`", "‘")),
    "en dash": _swap(("-", "–")),
    "em dash for two": _swap(("--", "—")),
    "minus sign": _of_text(_swap(("-", "\u2212"))),
    "soft hyphens": _sub(r"(?<=[a-z]{3})(?=[a-z]{3})", "\xad"),
    "Greek mu": _swap(("µ", "μ"), ("usec", "μsec")),
    "multiplication sign": _of_text(_sub(r"(?<=\d)x(?=\d)", "×")),
    "full width digits": _of_text(lambda text: text.translate(_WIDE)),
    "Arabic digits": _of_text(lambda text: text.translate(_ARABIC)),
    "superscript exponents": _of_text(_sub(r"(?<=\d)e-0(\d)\b", "×10⁻\\1")),
    "escaped marks": _of_text(_sub(r"([_*\[\]#])", r"\\\1")),
    "bold numbers": _of_text(_sub(r"(?<![\w.])(\d+(?:\.\d+)?)(?![\w.])", r"**\1**")),
    "code spans": _of_text(_sub(r"^(.+)$", r"`\1`")),
    "in capitals": _of_text(str.upper),
    "coloured lines": _lines(lambda _, line: f"\x1b[1;31m{line}\x1b[0m"),
    "coloured numbers": _of_text(_sub(r"(\d+)", "\x1b[33m\\1\x1b[0m")),
}
_WIDE = {ord(str(digit)): ord("０") + digit for digit in range(10)}
_ARABIC = {ord(str(digit)): ord("٠") + digit for digit in range(10)}

NUMBERS = {
    "decimal comma": _of_text(_sub(r"(?<=\d)\.(?=\d)", ",")),
    **{f"grouped by {by!r}": _of_text(partial(_grouped, by)) for by in (",", ".", " ", "'", "_")},
    "leading zero gone": _of_text(_sub(r"\b0\.(?=\d)", ".")),
    "trailing zeros gone": _of_text(_sub(r"(\.\d*?[1-9])0+\b", r"\1")),
    "trailing zeros more": _of_text(_sub(r"(\.\d+)\b", r"\g<1>00")),
    "plus sign": _of_text(_sub(r"(?<=[ =\t])(?=\d)", "+")),
}

ENCODINGS = {
    "BOM": _encoded("utf-8", b"\xef\xbb\xbf"),
    "UTF-16 LE, BOM": _encoded("utf-16-le", b"\xff\xfe"),
    "UTF-16 BE, BOM": _encoded("utf-16-be", b"\xfe\xff"),
    "UTF-16 LE": _encoded("utf-16-le"),
    "UTF-32": _encoded("utf-32"),
    "cp1252": _encoded("cp1252"),
    "cp437": _encoded("cp437"),
    "UTF-8 twice": lambda text: text.encode().decode("latin-1"),
    "gzip": lambda text: gzip.compress(text.encode()),
    "quoted-printable": lambda text: quopri.encodestring(text.encode()),
}

_SPAN = '<span id="L{}">{}</span>'
MARKUP = {
    "entities": html.escape,
    "numeric entities": _of_text(_swap((":", "&#58;"), ("=", "&#61;"))),
    "<pre>": lambda text: f"<pre>{html.escape(text, quote=False)}</pre>\n",
    "a span a line": _of_text(_lines(lambda at, line: _SPAN.format(at, html.escape(line)))),
    "highlighted numbers": _of_text(_sub(r"(\d+)", r'<span class="mi">\1</span>')),
    "percent-encoded blanks": _of_text(_swap((" ", "%20"))),
    "+ for blanks": _of_text(_swap((" ", "+"))),
}


def _stderr(number: int, line: str) -> str:
    """Write a line as docker keeps it."""
    return json.dumps({"log": f"{line}\n", "time": f"2026-11-22T14:09:{number % 60:02}Z"})


def _in_cells(_: int, line: str) -> str:
    """Write a row of a wiki's table."""
    return "| " + " | ".join(re.split(r"\s{2,}|\t", line.strip())) + " |"


CELLS = {
    "a line a cell": _of_text(_lines(lambda _, line: f"| {line} |")),
    "words in cells": _of_text(_lines(_in_cells)),
    "CSV of number and line": _of_text(_lines(lambda number, line: f'{number},"{line}"')),
    "words by commas": _of_text(_sub(r"[ \t]+", ",")),
    "Python string": lambda text: repr(text) + "\n",
    "JSON string": lambda text: json.dumps(text) + "\n",
    "stderr of a JSON": lambda text: json.dumps({"rc": 0, "stderr": text}, indent=1),
    "lines of a JSON": lambda text: json.dumps({"lines": text.splitlines()}),
    "JSON lines of a log": _lines(_stderr),
    "YAML block": _of_text(lambda text: "output: |\n" + textwrap.indent(text, "  ")),
    "XML element": _of_text(lambda text: f"<out><![CDATA[{text}]]></out>\n"),
}


def _as_text(value: Any) -> Any:
    return value if isinstance(value, str | bool | None) else repr(value)


def _as_float(value: Any) -> Any:
    return float(value) if type(value) is int and abs(value) < 2**53 else value


_indented = partial(json.dumps, indent=2)
JSON: dict[str, Callable[[Any], str]] = {
    "minified": partial(json.dumps, separators=(",", ":")),
    "keys sorted": partial(_indented, sort_keys=True),
    "lines by CR": lambda one: _indented(one).replace("\n", "\r"),
    "numbers as texts": _with_leaves(_as_text),
    "integers as floats": _with_leaves(_as_float),
    "in a list": lambda one: _indented([one]),
    "under a key": lambda one: _indented({"id": 7, "result": one}),
    "as a text under a key": lambda one: json.dumps({"stdout": _indented(one)}),
    "an unknown key more": lambda one: _indented({**one, "score": 5} if "jobs" in one else one),
    "comment above": lambda one: f"// run 1\n{_indented(one)}",
    "trailing commas": lambda one: re.sub(r"([^\[{,\s])\n(\s*[\]}])", r"\1,\n\2", _indented(one)),
    "Python's form": lambda one: f"{one!r}\n",
    "a log line inside": lambda one: _indented(one).replace("\n", "\nfio: terminating\n", 1),
}

XML = {
    "an attribute": _sub(r"<(\w+)>", r'<\1 xml:space="preserve">'),
    "a namespace": _swap(("<Results>", '<Results xmlns="urn:x">')),
    "in a root": lambda text: f"<all>\n{text}</all>\n",
    "in small letters": lambda text: re.sub(r"</?\w+", lambda tag: tag[0].lower(), text),
    "stderr inside": _swap(("<TimeSpan>\n", "<TimeSpan>\nWARNING: error setting IO priority\n")),
}

CSV: dict[str, Callable[[list[list[str]]], str]] = {
    "semicolons": partial(_written, delimiter=";"),
    "all quoted": partial(_written, quoting=csv.QUOTE_ALL),
    "columns reversed": lambda rows: _written([row[:1] + row[:0:-1] for row in rows]),
    "a column more": lambda rows: _written([[*row, "note"] for row in rows]),
    "header twice": lambda rows: _written([rows[0], *rows]),
}

LOG = {
    "no blanks": _of_text(_sub(r"(?<=\d), (?=[\d-])", ",")),
    "semicolons": _of_text(_sub(r"(?<=\d), (?=[\d-])", ";")),
    "header": _of_text(_sub(r"\A(?=\d+, \d+, \d)", "time, value, direction, bs, offset\n")),
}

KINDS: dict[str, dict[str, Change]] = {
    "prefix": {name: before(one) for name, one in {**TAKEN_OFF, **OTHER_PREFIXES}.items()},
    "around": {name: _around(*parts) for name, parts in AROUND.items()},
    "ends": ENDS,
    "blanks": BLANKS,
    "characters": CHARACTERS,
    "numbers": NUMBERS,
    "encoding": ENCODINGS,
    "markup": MARKUP,
    "cells": CELLS,
    "JSON": {name: _of_json(change) for name, change in JSON.items()},
    "XML": {name: _of_xml(change) for name, change in XML.items()},
    "CSV": {name: _of_csv(change) for name, change in CSV.items()},
    "log": LOG,
}


@cache
def fixtures() -> list[tuple[str, str, str]]:
    """List the fixtures that can be read and are not too long: format, name, text."""
    paths = sorted(FIXTURES.rglob("*"))
    files = [path for path in paths if path.is_file() and path.stat().st_size <= LARGEST]
    found = []
    runs = ft.read(files, errors="note", tables=("runs",)).runs
    formats = runs.groupby("source")["format"].agg(lambda one: "+".join(sorted(set(one))))
    for path in files:
        format_ = formats.get(path.as_posix())
        try:
            text = path.read_bytes().decode("utf-8").replace("\r\n", "\n")
        except UnicodeDecodeError:
            continue
        if format_ and "\0" not in text:
            kind = "transcript" if "+" in format_ or path.parent.name == "transcript" else format_
            found.append((kind, path.name, text))
    return found


def cases() -> list[Case]:
    """List all mutations."""
    return [
        Case(f"{kind}: {name}", one) for kind, own in KINDS.items() for name, one in own.items()
    ]


class Numbers(NamedTuple):
    """The numbers of one file, and what was said of them."""

    rows: Counter[tuple[str, tuple[tuple[str, Any], ...]]]
    warned: Counter[str]


def numbers_of(results: ft.Results) -> dict[str, Numbers]:
    """Give the numbers of each file that was read."""
    found: dict[str, Numbers] = defaultdict(lambda: Numbers(Counter(), Counter()))
    for table, frame in results.to_polars().items():
        if table == "notes":
            for source, severity, message in frame.select(
                "source", "severity", "message"
            ).iter_rows():
                if severity != "info":
                    found[source].warned[re.sub(r"\d+", "0", message)] += 1
            continue
        if table == "settings":
            given = frame.filter(frame["origin"] != "default")  # of the tool, not of the file
            for source, option, text in given.select("source", "option", "text").iter_rows():
                # the numbers in it: blanks and capitals may differ, and words are no numbers
                values = _NUMBER.findall(unicodedata.normalize("NFKC", text or ""))
                row = tuple((_letters(option), float(one.replace(",", ""))) for one in values)
                if row:
                    found[source].rows[table, row] += 1
            continue
        kinds = zip(frame.columns, frame.dtypes, strict=True)
        names = [name for name, dtype in kinds if dtype.is_numeric() and name not in _NAMES]
        names += [name for name in ("direction", "latency", "quantity") if name in frame.columns]
        if table in ("extras", "runs") or not len(frame):
            continue
        sources = frame["source"].to_list()
        for source, values in zip(sources, frame.select(names).iter_rows(), strict=True):
            given = zip(names, values, strict=True)
            row = tuple((name, _plain(value)) for name, value in given if value is not None)
            found[source].rows[table, row] += 1
    return found


def _letters(option: str) -> str:
    return re.sub(r"\W+", "", unicodedata.normalize("NFKC", option)).lower()


def _plain(value: Any) -> Any:
    return float(f"{value:.12g}") if isinstance(value, float) else value


def _read(files: dict[str, bytes]) -> tuple[dict[str, Numbers], set[str]]:
    """Read files by name, each in a folder of its own; give their numbers, and what was refused."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        paths = []
        for name, data in files.items():
            paths.append(root / name)
            paths[-1].parent.mkdir(exist_ok=True)
            paths[-1].write_bytes(data)
        try:
            results, failures = ft.read(paths), []
        except ft.ReadErrors as errors:
            results, failures = errors.results, errors.failures
        notes = results.notes
        # of another mutation; what repeats a run of its own file is said in earnest
        others = [
            message.startswith("the same run as run ") and f" of {source}:" not in message
            for source, message in zip(notes["source"], notes["message"], strict=True)
        ]
        kept = notes[~np.array(others, dtype=bool)]
        results = ft.Results({**results.tables, "notes": kept}, results.files)
        skip = len(root.as_posix()) + 1
        read = {source[skip:]: numbers for source, numbers in numbers_of(results).items()}
        return read, {failure.path[skip:] for failure in failures}


def verdict(before: Numbers, after: Numbers | None) -> tuple[str, str]:
    """Say what became of a file's numbers (same, refused, warned, lost or changed), and where."""
    if after is None:
        return "refused", ""
    lost, more = before.rows - after.rows, after.rows - before.rows
    if not lost and not more:
        return "same", ""
    if after.warned - before.warned:
        return "warned", ""
    if not cells(lost) - cells(more) and before.warned - after.warned:
        return "same", ""  # what was doubtful before is not any more
    if not more:
        return "lost", _shown(lost)
    # a row that only lacks some of its values has lost them; any other difference is a change
    before_cells, after_cells = cells(lost), cells(more)
    if after_cells - before_cells:
        return "changed", f"now {_shown(more)}; before {_shown(lost)}"
    return "lost", str(next(iter(before_cells - after_cells)))


def cells(rows: Counter[Any]) -> Counter[tuple[Any, ...]]:
    """Count the numbers of rows, each with its table and column."""
    found: Counter[tuple[Any, ...]] = Counter()
    for (table, row), n in rows.items():
        for cell in row:
            found[table, *cell] += n
    return found


def _shown(rows: Counter[Any]) -> str:
    """Name one of some rows."""
    for table, row in rows:
        return f"{table}: " + ", ".join(f"{name} {value}" for name, value in row)
    return "nothing"


class Outcome(NamedTuple):
    """What became of one file under one mutation."""

    format: str
    name: str
    case: str
    verdict: str
    where: str


def outcomes(
    files: Sequence[tuple[str, str, str]], every: Sequence[Case] | None = None
) -> Iterator[Outcome]:
    """Mutate files in every way, and say what became of each."""
    every = cases() if every is None else every
    for format_, name, text in files:
        inputs = {f"before/{name}": text.encode()}
        for number, case in enumerate(every):
            changed = case.change(text)
            if changed is not None and changed != text:
                data = changed.encode() if isinstance(changed, str) else changed
                inputs[f"{number}/{name}"] = data
        read, refused = _read(inputs)
        before = read.get(f"before/{name}")
        if before is None or not before.rows:
            continue
        for number, case in enumerate(every):
            key = f"{number}/{name}"
            if key not in inputs:
                continue
            after = None if key in refused else read.get(key, Numbers(Counter(), Counter()))
            yield Outcome(format_, name, case.name, *verdict(before, after))


def table(found: Sequence[Outcome]) -> str:
    """Count the outcomes by format."""
    columns = ("same", "refused", "warned", "lost", "changed")
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for one in found:
        counted[one.format][one.verdict] += 1
    lines = [f"{'format':18}{'cases':>8}" + "".join(f"{name:>9}" for name in columns) + "  silent"]
    for name in [*sorted(counted), "all"]:
        count = counted[name] if name != "all" else sum(counted.values(), Counter())
        silent = (count["lost"] + count["changed"]) / count.total()
        cells = "".join(f"{count[column]:9,}" for column in columns)
        lines.append(f"{name:18}{count.total():8,}{cells}{silent:8.2%}")
    return "\n".join(lines)


def walk(files: Sequence[tuple[str, str, str]], workers: int) -> list[Outcome]:
    """Mutate files in every way, some at a time."""
    start = multiprocessing.get_context("spawn")  # not forked: polars has threads by now
    some = [files[at : at + 2] for at in range(0, len(files), 2)]
    with ProcessPoolExecutor(workers, mp_context=start) as pool:
        return [one for found in pool.map(_list, some) for one in found]


def _list(files: Sequence[tuple[str, str, str]]) -> list[Outcome]:
    return list(outcomes(files))
