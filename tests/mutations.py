"""Change what a tool printed as people and systems do, without changing a number, and read it again.

    make fuzz                                    has its table at the end
    python -m tests.mutations --corpus           the files of ../shared/corpus too
    python -m tests.mutations dd --show 20       one format, and its first silent cases

A log puts a time before each line, a mail wraps at 72 columns, a wiki makes table cells. After each
of these a number must be the same, or the text refused, or a warning must speak of it. `CASES` is
the table of mutations; adding one is adding a line.
"""

from __future__ import annotations

import argparse
import bz2
import csv
import gzip
import html
import io
import itertools
import json
import lzma
import multiprocessing
import quopri
import re
import sys
import tempfile
import textwrap
import unicodedata
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import zstandard

import fiotools as ft
from tests.corpus import CORPUS

FIXTURES = Path(__file__).parent / "fixtures"
LARGEST = 40_000  # bytes; larger files say the same again
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d.])|\d+(?:\.\d+)?")
# what identifies a file, a place or a person, and no number that was measured
_NAMES = {"source", "run", "entry", "host", "port", "group", "job", "thread", "target", "command"}

Change = Callable[[str], "str | bytes | None"]  # None: such a text has nothing to change


class Case(NamedTuple):
    """One mutation.

    Attributes
    ----------
    name : str
    change : callable
        Text in, text or bytes out; None where it does not apply.
    beside : str
        The reader whose fixture stands in the text too; its numbers must be there as well.
    """

    name: str
    change: Change
    beside: str = ""


def _lines(change: Callable[[int, str], str]) -> Change:
    """Change every line, given its number."""

    def changed(text: str) -> str:
        lines = text.removesuffix("\n").split("\n")
        return "".join(change(number, line) + "\n" for number, line in enumerate(lines, 1))

    return changed


def _before(prefix: str) -> Change:
    """Put a prefix before every line; # in it is the line's number, @ seconds that count up."""

    def prefixed(number: int, line: str) -> str:
        return prefix.replace("#", str(number)).replace("@", f"{number % 60:02}") + line

    return _lines(prefixed)


def _swap(*pairs: tuple[str, str]) -> Change:
    """Replace words; None where none of them is there."""

    def swapped(text: str) -> str | None:
        changed = text
        for old, new in pairs:
            changed = changed.replace(old, new)
        return None if changed == text else changed

    return swapped


def _sub(pattern: str, new: str, flags: re.RegexFlag = re.MULTILINE) -> Change:
    compiled = re.compile(pattern, flags)

    def changed(text: str) -> str | None:
        found = compiled.sub(new, text)
        return None if found == text else found

    return changed


def _around(above: str, below: str = "") -> Change:
    return lambda text: f"{above}{text.removesuffix(chr(10))}\n{below}"


def _encoded(*names: str, bom: bytes = b"") -> Change:
    def encoded(text: str) -> bytes | None:
        try:
            return bom + text.encode(names[0])
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


def _reversed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _reversed(value[key]) for key in reversed(value)}
    return [_reversed(one) for one in value] if isinstance(value, list) else value


def _written(rows: list[list[str]], **form: Any) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n", **form).writerows(rows)
    return out.getvalue()


def _zipped(text: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("out.txt", text)
    return out.getvalue()


def _quoted_printable(text: str) -> bytes:
    return quopri.encodestring(text.encode())


# what stands before each line of a log
PREFIXES = {
    "syslog": "Nov 22 14:09:@ node1 bench[4711]: ",
    "syslog RFC 5424": "<14>1 2026-11-22T14:09:@.003Z node1 bench 4711 - - ",
    "journald short-iso": "2026-11-22T14:09:@+0000 node1 bench[4711]: ",
    "dmesg": "[  123.4567@] ",
    "docker --timestamps": "2026-11-22T14:09:@.123456789Z ",
    "docker compose": "bench-1  | ",
    "k8s CRI": "2026-11-22T14:09:@.123456789Z stdout F ",
    "klog": "I1122 14:09:@.123456    4711 bench.go:12] ",
    "kubectl --prefix": "[pod/bench-1/fio] ",
    "GitHub Actions": "2026-11-22T14:09:@.1234567Z ",
    "Jenkins": "[2026-11-22T14:09:@.123Z] ",
    "GitLab": "2026-11-22T14:09:@.123456Z 01O ",
    "ISO time": "2026-11-22 14:09:@ ",
    "time of day": "14:09:@ ",
    "time in brackets": "[14:09:@] ",
    "epoch": "1763820@.123456 ",
    "ts": "Nov 22 14:09:@ ",
    "ts -s": "00:00:@ ",
    "ts -i %.s": "0.0000@ ",
    "Python logging": "2026-11-22 14:09:@,123 INFO bench: ",
    "logging basicConfig": "INFO:root:",
    "log4j": "[INFO] ",
    "pdsh": "node1: ",
    "srun --label": "0: ",
    "mpirun --tag-output": "[1,0]<stderr>:",
    "ansible": "node1 | ",
    "vagrant": "==> default: ",
    "packer": "    qemu: ",
    "terraform": "null_resource.bench (remote-exec): ",
    "Heroku": "2026-11-22T14:09:@.123456+00:00 app[worker.1]: ",
    "AWS logs": "bench/fio/0123456789abcdef 2026-11-22T14:09:@.123Z ",
    "grep -n": "#:",
    "grep -H": "run.txt:",
    "grep -Hn": "logs/run.txt:#:",
    "grep -A": "run.txt-",
    "grep -nA": "#-",
    "tag without blank": "log:",
    "cat -n": "     #\t",
    "nl": "     #  ",
    "less -N": "      # ",
    "mail": "> ",
    "mail twice": "> > ",
    "mail without blank": ">",
    "mail name": "Bob> ",
    "shell comment": "# ",
    "C comment": " * ",
    "SQL comment": "-- ",
    "slashes": "// ",
    "LaTeX comment": "% ",
    "diff +": "+",
    "diff -": "-",
    "diff blank": " ",
    "list": "- ",
    "bullet": "• ",
    "numbered list": "#. ",
    "indented": "    ",
    "tab": "\t",
    "deeply indented": " " * 24,
    "bar": "| ",
    "box": "│ ",
    "pytest": "E   ",
    "echo": "+ ",
}

# what stands around a whole text
AROUND = {
    "prose": ("Here is what I got on my laptop today:\n\n", "\nWhat do you think of 5 of 7?\n"),
    "prompt": ("user@host:~$ ./bench.sh\n", "user@host:~$ \n"),
    "root prompt": ("[root@host ~]# sh bench.sh\n", "[root@host ~]# exit\n"),
    "fence": ("```\n", "```\n"),
    "fence with language": ("```console\n", "```\n"),
    "tildes": ("~~~\n", "~~~\n"),
    "heading": ("# Results\n\n## Disk 1\n\n", "\n"),
    "BBCode": ("[code]\n", "[/code]\n"),
    "Jira": ("{noformat}\n", "{noformat}\n"),
    "details": ("<details><summary>log</summary>\n\n```\n", "```\n</details>\n"),
    "asciidoc": ("----\n", "----\n"),
    "rst": ("Results::\n\n", ""),
    "LaTeX": ("\\begin{verbatim}\n", "\\end{verbatim}\n"),
    "script": (
        'Script started on 2026-11-22 14:09:35+00:00 [TERM="xterm"]\n',
        '\nScript done on 2026-11-22 14:10:35+00:00 [COMMAND_EXIT_CODE="0"]\n',
    ),
    "sudo": ("[sudo] password for bob: \n", ""),
    "warning above": ("ulimit: open files: cannot modify limit: Operation not permitted\n", ""),
    "warning below": ("", "rm: cannot remove 'testfile': No such file or directory\n"),
    "date above": ("Sun Nov 22 14:09:35 UTC 2026\n", ""),
    "uptime above": (" 14:09:35 up 3 days,  2:01,  1 user,  load average: 0.5, 0.4, 0.3\n", ""),
    "df above": (
        "Filesystem 1K-blocks Used Available Use% Mounted on\n"
        "/dev/sda1 264224076 12345678 251878398 5% /\n",
        "",
    ),
    "blank lines": ("\n\n\n", "\n\n\n"),
    "form feed": ("\f", "\f"),
    "ANSI colour": ("\x1b[32m", "\x1b[0m"),
    "title": ("\x1b]0;user@host: ~\x07", ""),
    "nul bytes": ("", "\0\0\0\0"),
    "Ctrl-Z": ("", "\x1a"),
}

_LINE_OF_TEXT = re.compile(r"[^\n]*\S[^\n]*\n")

CASES: list[Case] = [
    *(Case(f"prefix: {name}", _before(prefix)) for name, prefix in PREFIXES.items()),
    *(Case(f"around: {name}", _around(*parts)) for name, parts in AROUND.items()),
    # line ends
    Case("ends: CRLF", _swap(("\n", "\r\n"))),
    Case("ends: CR", _swap(("\n", "\r"))),
    Case("ends: CR CR LF", _swap(("\n", "\r\r\n"))),
    Case("ends: LF CR", _swap(("\n", "\n\r"))),
    Case("ends: U+2028", _swap(("\n", "\u2028"))),
    Case("ends: U+0085", _swap(("\n", "\x85"))),
    Case("ends: vertical tab", _swap(("\n", "\v"))),
    Case("ends: none at the end", lambda text: text.rstrip("\n")),
    Case("ends: blanks before", _lines(lambda _, line: line + "   ")),
    Case("ends: tab before", _lines(lambda _, line: line + "\t")),
    Case("ends: every line twice spaced", _swap(("\n", "\n\n"))),
    Case("ends: blank lines gone", _sub(r"\n{2,}", "\n")),
    Case("ends: backslash", _of_text(_lines(lambda _, line: line + " \\"))),
    Case("ends: $ (cat -A)", _lines(lambda _, line: line.replace("\t", "^I") + "$")),
    Case("ends: erase to end of line", _lines(lambda _, line: line + "\x1b[K")),
    Case("ends: <br>", _lines(lambda _, line: line + "<br>")),
    Case("ends: two letters", _swap(("\n", "\\n"))),
    Case("ends: four letters", _swap(("\n", "\\r\\n"))),
    Case("ends: hard break of Markdown", _lines(lambda _, line: line + "  ")),
    Case("ends: ¶", _lines(lambda _, line: line + "¶")),
    # joined and wrapped
    *(
        Case(f"joined: {name}", _of_text(_swap(("\n", by))))
        for name, by in {
            "blank": " ",
            "nothing": "",
            "slash": " / ",
            "semicolon": "; ",
            "comma": ", ",
            "tab": "\t",
            "bar": " | ",
            "arrow": " ↵ ",
        }.items()
    ),
    *(
        Case(
            f"wrapped: {width} columns",
            lambda text, width=width: re.sub(f"(.{{{width}}})(?=.)", "\\1\n", text),  # type: ignore[misc]
        )
        for width in (20, 40, 60, 72, 76, 80, 100, 132)
    ),
    *(
        Case(
            f"wrapped: {width} columns at blanks",
            lambda text, width=width: (  # type: ignore[misc]
                "\n".join(
                    part
                    for line in text.split("\n")
                    for part in (
                        textwrap.wrap(line, width, drop_whitespace=False, break_long_words=False)
                        or [""]
                    )
                )
            ),
        )
        for width in (40, 72, 80)
    ),
    # blanks
    Case("blanks: leading ones gone", _sub(r"^[ \t]+", "")),
    Case("blanks: runs collapsed", _sub(r"[ \t]{2,}", " ")),
    Case("blanks: runs collapsed, tabs too", _sub(r"[ \t]+", " ")),
    Case("blanks: all collapsed and stripped", lambda text: re.sub(r"(?m)^ +| +$", "", re.sub(r"[ \t]+", " ", text))),
    Case("blanks: tabs to 8 blanks", lambda text: text.expandtabs(8) if "\t" in text else None),
    Case("blanks: tabs to 4 blanks", lambda text: text.expandtabs(4) if "\t" in text else None),
    Case("blanks: tabs to one blank", _swap(("\t", " "))),
    Case("blanks: tabs gone", _of_text(_swap(("\t", "")))),
    Case("blanks: 8 blanks to tabs", _swap((" " * 8, "\t"))),
    Case("blanks: doubled", _of_text(_swap((" ", "  ")))),
    Case("blanks: NBSP", _swap((" ", "\xa0"))),
    Case("blanks: NBSP in runs", _swap(("  ", " \xa0"))),
    Case("blanks: figure space", _swap((" ", "\u2007"))),
    Case("blanks: narrow NBSP", _swap((" ", "\u202f"))),
    Case("blanks: ideographic", _swap((" ", "\u3000"))),
    Case("blanks: &nbsp;", _swap((" ", "&nbsp;"))),
    Case("blanks: zero width after", _swap((" ", " \u200b"))),
    Case("blanks: around =", _of_text(_swap(("=", " = ")))),
    Case("blanks: none after comma", _of_text(_swap((", ", ",")))),
    Case("blanks: before units", _of_text(_sub(r"(?<=\d)(?=[KMG]i?B)", " "))),
    Case("blanks: none before units", _of_text(_sub(r"(?<=\d) (?=[kKMG]i?B|bytes|s\b)", ""))),
    Case("blanks: none before colon", _of_text(_sub(r" +:", ":"))),
    # characters
    Case("characters: smart quotes", _swap(('"', "”"), ("'", "’"), ("`", "‘"))),
    Case("characters: en dash", _swap(("-", "–"))),
    Case("characters: em dash for two", _swap(("--", "—"))),
    Case("characters: minus sign", _of_text(_swap(("-", "\u2212")))),
    Case("characters: minus sign before digits", _sub(r"-(?=\d)", "\u2212")),
    Case("characters: hyphen that does not break", _swap(("-", "\u2011"))),
    Case("characters: soft hyphens", _sub(r"(?<=[a-z]{3})(?=[a-z]{3})", "\xad")),
    Case("characters: ellipsis", _swap(("...", "…"))),
    Case("characters: Greek mu", _swap(("µ", "μ"), ("usec", "μsec"))),
    Case("characters: multiplication sign", _of_text(_sub(r"(?<=\d)x(?=\d)", "×"))),
    Case("characters: full width digits", _of_text(lambda text: text.translate(_WIDE))),
    Case("characters: full width marks", _of_text(lambda text: text.translate(_WIDE_MARKS))),
    Case("characters: Arabic digits", _of_text(lambda text: text.translate(_ARABIC))),
    Case("characters: ligatures", _of_text(_swap(("fi", "ﬁ")))),
    Case("characters: superscript exponents", _of_text(_sub(r"(?<=\d)e-0(\d)\b", "×10⁻\\1"))),
    Case("characters: escaped marks", _of_text(_sub(r"([_*\[\]#])", r"\\\1"))),
    Case("characters: bold words", _of_text(_sub(r"^(\w+)", r"**\1**"))),
    Case("characters: bold numbers", _of_text(_sub(r"(?<![\w.])(\d+(?:\.\d+)?)(?![\w.])", r"**\1**"))),
    Case("characters: code spans", _of_text(_lines(lambda _, line: f"`{line}`" if line else line))),
    Case("characters: in capitals", _of_text(str.upper)),
    Case("characters: in small letters", _of_text(str.lower)),
    Case("characters: coloured lines", _lines(lambda _, line: f"\x1b[1;31m{line}\x1b[0m")),
    Case("characters: coloured numbers", _of_text(_sub(r"(\d+)", "\x1b[33m\\1\x1b[0m"))),
    # numbers
    Case("numbers: decimal comma", _of_text(_sub(r"(?<=\d)\.(?=\d)", ","))),
    *(
        Case(f"numbers: grouped by {name}", _of_text(lambda text, by=by: _grouped(text, by)))  # type: ignore[misc]
        for name, by in {"comma": ",", "dot": ".", "blank": " ", "apostrophe": "'", "underscore": "_", "thin space": "\u2009"}.items()
    ),
    Case("numbers: leading zero gone", _of_text(_sub(r"\b0\.(?=\d)", "."))),
    Case("numbers: trailing zeros gone", _of_text(_sub(r"(\.\d*?[1-9])0+\b", r"\1"))),
    Case("numbers: trailing zeros more", _of_text(_sub(r"(\.\d+)\b", r"\g<1>00"))),
    Case("numbers: plus sign", _of_text(_sub(r"(?<=[ =\t])(?=\d)", "+"))),
    # encodings
    Case("encoding: BOM", _encoded("utf-8", bom=b"\xef\xbb\xbf")),
    Case("encoding: UTF-16 LE, BOM", _encoded("utf-16-le", bom=b"\xff\xfe")),
    Case("encoding: UTF-16 BE, BOM", _encoded("utf-16-be", bom=b"\xfe\xff")),
    Case("encoding: UTF-16 LE", _encoded("utf-16-le")),
    Case("encoding: UTF-16 BE", _encoded("utf-16-be")),
    Case("encoding: UTF-32", _encoded("utf-32")),
    Case("encoding: Latin-1", _encoded("latin-1")),
    Case("encoding: cp1252", _encoded("cp1252")),
    Case("encoding: cp437", _encoded("cp437")),
    Case("encoding: UTF-8 twice", lambda text: text.encode().decode("latin-1")),
    # packing
    Case("packed: gzip", lambda text: gzip.compress(text.encode())),
    Case("packed: bzip2", lambda text: bz2.compress(text.encode())),
    Case("packed: xz", lambda text: lzma.compress(text.encode())),
    Case("packed: zstd", lambda text: zstandard.compress(text.encode())),
    Case("packed: zip", _zipped),
    # markup
    Case("markup: entities", lambda text: html.escape(text)),
    Case("markup: numeric entities", _of_text(_swap((":", "&#58;"), ("=", "&#61;")))),
    Case("markup: <pre>", lambda text: f"<pre>{html.escape(text, quote=False)}</pre>\n"),
    Case("markup: page", lambda text: f"<html><body><p>Results</p><pre><code>{html.escape(text)}</code></pre></body></html>\n"),
    Case("markup: a div a line", _of_text(_lines(lambda _, line: f"<div>{html.escape(line)}</div>"))),
    Case("markup: a span a line", _of_text(_lines(lambda number, line: f'<span id="L{number}">{html.escape(line)}</span>'))),
    Case("markup: table of lines", _of_text(lambda text: "<table>\n" + _lines(lambda number, line: f"<tr><td>{number}</td><td>{html.escape(line)}</td></tr>")(text) + "</table>\n")),  # type: ignore[operator]
    Case("markup: highlighted numbers", _of_text(_sub(r"(\d+)", r'<span class="mi">\1</span>'))),
    Case("markup: quoted-printable", _quoted_printable),
    Case("markup: percent-encoded blanks", _of_text(_swap((" ", "%20")))),
    Case("markup: + for blanks", _of_text(_swap((" ", "+")))),
    # cells
    Case("cells: a line a cell", _of_text(_lines(lambda _, line: f"| {line} |"))),
    Case("cells: box", _of_text(_lines(lambda _, line: f"│ {line:<76} │"))),
    Case("cells: padded bars", _of_text(_lines(lambda _, line: f"| {line:<76} |"))),
    Case("cells: words in cells", _of_text(_lines(lambda _, line: "| " + " | ".join(re.split(r"\s{2,}|\t", line.strip())) + " |"))),
    Case("cells: quoted lines", _of_text(_lines(lambda _, line: '"' + line.replace('"', '""') + '"'))),
    Case("cells: quoted lines, comma", _of_text(_lines(lambda _, line: '"' + line.replace('"', '\\"') + '",'))),
    Case("cells: single quotes", _of_text(_lines(lambda _, line: f"'{line}'"))),
    Case("cells: CSV of number and line", _of_text(_lines(lambda number, line: f'{number},"{line}"'))),
    Case("cells: words by commas", _of_text(_sub(r"[ \t]+", ","))),
    Case("cells: words by semicolons", _of_text(_sub(r"[ \t]+", ";"))),
    Case("cells: Python string", lambda text: repr(text) + "\n"),
    Case("cells: Python bytes", lambda text: repr(text.encode()) + "\n"),
    Case("cells: Python list of lines", lambda text: repr(text.splitlines()) + "\n"),
    Case("cells: JSON string", lambda text: json.dumps(text) + "\n"),
    Case("cells: JSON string, not ASCII", lambda text: json.dumps(text, ensure_ascii=False)),
    Case("cells: stderr of a JSON", lambda text: json.dumps({"rc": 0, "stderr": text}, indent=1)),
    Case("cells: stdout and stderr", lambda text: json.dumps({"stdout": "", "stderr": text})),
    Case("cells: lines of a JSON", lambda text: json.dumps({"lines": text.splitlines()})),
    Case("cells: JSON lines of a log", _lines(lambda number, line: json.dumps({"log": line + "\n", "stream": "stderr", "time": f"2026-11-22T14:09:{number % 60:02}Z"}))),
    Case("cells: YAML block", _of_text(lambda text: "output: |\n" + textwrap.indent(text, "  "))),
    Case("cells: XML element", _of_text(lambda text: f"<out><![CDATA[{text}]]></out>\n")),
    # JSON
    Case("JSON: minified", _of_json(lambda one: json.dumps(one, separators=(",", ":")))),
    Case("JSON: one line", _of_json(json.dumps)),
    Case("JSON: indent 1", _of_json(lambda one: json.dumps(one, indent=1))),
    Case("JSON: indent 4", _of_json(lambda one: json.dumps(one, indent=4))),
    Case("JSON: tabs", _of_json(lambda one: json.dumps(one, indent="\t"))),
    Case("JSON: keys sorted", _of_json(lambda one: json.dumps(one, indent=2, sort_keys=True))),
    Case("JSON: keys reversed", _of_json(lambda one: json.dumps(_reversed(one), indent=2))),
    Case("JSON: blank before colon", _of_json(lambda one: json.dumps(one, indent=2, separators=(",", " : ")))),
    Case("JSON: lines by CR", _of_json(lambda one: json.dumps(one, indent=2).replace("\n", "\r"))),
    Case("JSON: numbers as texts", _of_json(_with_leaves(lambda one: one if isinstance(one, str | bool | None) else repr(one)))),
    Case("JSON: integers as floats", _of_json(_with_leaves(lambda one: float(one) if type(one) is int and abs(one) < 2**53 else one))),
    Case("JSON: whole floats as integers", _of_json(_with_leaves(lambda one: int(one) if isinstance(one, float) and one == one and abs(one) < 2**53 and one.is_integer() else one))),
    Case("JSON: exponents", _of_json(lambda one: re.sub(r"(?<=: )(\d+)\.(\d+)(?=[,\n])", r"\1.\2e0", json.dumps(one, indent=2)))),
    Case("JSON: in a list", _of_json(lambda one: json.dumps([one], indent=2))),
    Case("JSON: under a key", _of_json(lambda one: json.dumps({"id": 7, "result": one}, indent=2))),
    Case("JSON: as a text under a key", _of_json(lambda one: json.dumps({"stdout": json.dumps(one, indent=2)}))),
    Case("JSON: an unknown key more", _of_json(lambda one: json.dumps({**one, "comment": "mine", "score": 5}, indent=2) if isinstance(one, dict) else json.dumps(one))),
    Case("JSON: every key twice", _of_json(lambda one: re.sub(r'(?m)^( *"[^"\n]+": *[^\[{\n]*?),?$(?=\n)', r"\1,\n\1,", json.dumps(one, indent=2)).replace(",\n}", "\n}"))),
    Case("JSON: \\u for letters", _of_json(lambda one: json.dumps(one, indent=2).replace('"job', '"\\u006aob'))),
    Case("JSON: comment above", _of_json(lambda one: "// run 1\n" + json.dumps(one, indent=2))),
    Case("JSON: trailing commas", _of_json(lambda one: re.sub(r"(?m)([^\[{,\s])\n(\s*[\]}])", r"\1,\n\2", json.dumps(one, indent=2)))),
    Case("JSON: Python's form", _of_json(lambda one: repr(one) + "\n")),
    Case("JSON: a log line inside", _of_json(lambda one: json.dumps(one, indent=2).replace("\n", "\nfio: terminating on signal 2\n", 1))),
    # XML
    Case("XML: minified", _of_xml(_sub(r">\s+<", "><"))),
    Case("XML: one line", _of_xml(_swap(("\n", " ")))),
    Case("XML: indented", _of_xml(_sub(r"^[ \t]*<", "      <"))),
    Case("XML: an element over two lines", _of_xml(_sub(r"<(\w+)>([^<\n]+)</", "<\\1>\n\\2\n</"))),
    Case("XML: declaration", _of_xml(lambda text: '<?xml version="1.0" encoding="UTF-8"?>\n' + text)),
    Case("XML: comments", _of_xml(_sub(r"</(\w+)>$", r"</\1><!-- \1: 5 -->"))),
    Case("XML: a comment inside", _of_xml(_sub(r"<(\w+)>(\d)(\d)", r"<\1>\2<!-- ok -->\3"))),
    Case("XML: CDATA", _of_xml(_sub(r"<(\w+)>([^<\n]+)</", r"<\1><![CDATA[\2]]></"))),
    Case("XML: digits as entities", _of_xml(_sub(r"(?<=>)1", "&#49;"))),
    Case("XML: blanks in elements", _of_xml(_sub(r"<(\w+)>([^<\n]+)</", r"<\1> \2 </"))),
    Case("XML: blanks in tags", _of_xml(_sub(r"<(/?\w+)>", r"<\1 >"))),
    Case("XML: an attribute", _of_xml(_sub(r"<(\w+)>", r'<\1 xml:space="preserve">'))),
    Case("XML: a namespace", _of_xml(_swap(("<Results>", '<Results xmlns="urn:x">')))),
    Case("XML: in a root", _of_xml(lambda text: f"<all>\n{re.sub(r'<[?].*?[?]>', '', text)}</all>\n")),
    Case("XML: in small letters", _of_xml(lambda text: re.sub(r"</?\w+", lambda tag: tag[0].lower(), text))),
    Case("XML: stderr inside", _of_xml(_swap(("<TimeSpan>\n", "<TimeSpan>\nWARNING: error setting IO priority\n")))),
    Case("XML: CPUs numbered", _of_xml(_swap(("<CPU>\n", '<CPU Number="0">\n')))),
    # CSV and logs
    Case("CSV: semicolons", _of_csv(lambda rows: _written(rows, delimiter=";"))),
    Case("CSV: tabs", _of_csv(lambda rows: _written(rows, delimiter="\t"))),
    Case("CSV: all quoted", _of_csv(lambda rows: _written(rows, quoting=csv.QUOTE_ALL))),
    Case("CSV: columns reversed", _of_csv(lambda rows: _written([row[:1] + row[:0:-1] for row in rows]))),
    Case("CSV: a column more", _of_csv(lambda rows: _written([[*row, "note"] for row in rows]))),
    Case("CSV: blank lines", _of_csv(lambda rows: _written(rows).replace("\n", "\n\n"))),
    Case("CSV: header twice", _of_csv(lambda rows: _written([rows[0], *rows]))),
    Case("log: no blanks", _of_text(_sub(r"(?<=\d), (?=[\d-])", ","))),
    Case("log: semicolons", _of_text(_sub(r"(?<=\d), (?=[\d-])", ";"))),
    Case("log: tabs", _of_text(_sub(r"(?<=\d), (?=[\d-])", "\t"))),
    Case("log: header", _of_text(_sub(r"\A(?=\d+, \d+, \d)", "time, value, direction, bs, offset\n"))),
]  # fmt: skip

_WIDE = {ord(str(digit)): ord("０") + digit for digit in range(10)}
_WIDE_MARKS = str.maketrans(",:()%=", "，：（）％＝")
_ARABIC = {ord(str(digit)): ord("٠") + digit for digit in range(10)}


def _grouped(text: str, by: str) -> str | None:
    """Group the digits of whole numbers by thousands."""

    def grouped(found: re.Match[str]) -> str:
        return f"{int(found[0]):,}".replace(",", by)

    changed = re.sub(r"(?<![\w.,/:-])[1-9]\d{4,17}(?![\w.,/:-])", grouped, text)
    return None if changed == text else changed


@cache
def smallest() -> dict[str, tuple[str, str]]:
    """Give the smallest fixture of each reader: its name and text."""
    found: dict[str, tuple[str, str]] = {}
    for format_, name, text in fixtures():
        if format_ not in found or len(text) < len(found[format_][1]):
            found[format_] = name, text
    return found


@cache
def fixtures() -> list[tuple[str, str, str]]:
    """List the fixtures: format, name, text."""
    return list(_texts(sorted(FIXTURES.rglob("*"))))


def _texts(paths: Iterable[Path]) -> Iterator[tuple[str, str, str]]:
    """Read what can be read: (format, name, text) of texts that are not too long."""
    files = [path for path in paths if path.is_file() and path.stat().st_size <= LARGEST]
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
            yield kind, path.name, text


def _beside(name: str, below: bool, between: str = "\n") -> Case:
    """Make the case in which another tool's output stands in the same text."""

    def joined(text: str) -> str | None:
        other = smallest()[name][1]
        if other == text:
            return None
        parts = (text, other) if below else (other, text)
        return between.join(part.removesuffix("\n") + "\n" for part in parts)

    where = "below" if below else "above"
    return Case(f"beside: {name} {where}", joined, beside=name)


# what stands beside another tool's output in one log; fio's logs have no name of their own there
BESIDE = (
    *("crystaldiskmark", "dd", "diskspd_text", "diskspd_xml", "fio_json", "fio_normal"),
    *("fio_terse", "hyperfine", "time"),
)


def cases() -> list[Case]:
    """List all mutations."""
    pairs = itertools.product(BESIDE, (True, False))
    return [*CASES, *(_beside(name, below) for name, below in pairs)]


class Numbers(NamedTuple):
    """The numbers of one file, and what was said of them."""

    rows: Counter[tuple[str, tuple[tuple[str, Any], ...]]]
    warned: Counter[str]

    def __add__(self, other: Numbers) -> Numbers:  # type: ignore[override]
        return Numbers(self.rows + other.rows, self.warned + other.warned)


def _numbers(results: ft.Results) -> dict[str, Numbers]:
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
        read = {source[skip:]: numbers for source, numbers in _numbers(results).items()}
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
    if not Counter(_cells(lost)) - Counter(_cells(more)) and before.warned - after.warned:
        return "same", ""  # what was doubtful before is not any more
    if not more:
        return "lost", _shown(lost)
    # a row that only lacks some of its values has lost them; any other difference is a change
    before_cells, after_cells = Counter(_cells(lost)), Counter(_cells(more))
    if after_cells - before_cells:
        return "changed", f"now {_shown(more)}; before {_shown(lost)}"
    return "lost", str(next(iter(before_cells - after_cells)))


def _cells(rows: Counter[Any]) -> Iterator[tuple[Any, ...]]:
    for (table, row), n in rows.items():
        for cell in row * n:
            yield table, *cell


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
            wanted = before + _alone(case.beside) if case.beside else before
            after = None if key in refused else read.get(key, Numbers(Counter(), Counter()))
            yield Outcome(format_, name, case.name, *verdict(wanted, after))


@cache
def _alone(name: str) -> Numbers:
    file, text = smallest()[name]
    return _read({f"alone/{file}": text.encode()})[0][f"alone/{file}"]


def table(found: Sequence[Outcome], by: str = "format") -> str:
    """Count the outcomes by format or by case."""
    columns = ("same", "refused", "warned", "lost", "changed")
    width = max(len(getattr(one, by)) for one in found) + 2
    lines = [f"{by:{width}}{'cases':>8}" + "".join(f"{name:>9}" for name in columns) + "  silent"]
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for one in found:
        counted[getattr(one, by)][one.verdict] += 1
        counted["all"][one.verdict] += 1
    for name, count in counted.items():
        if name == "all":
            continue
        lines.append(_line(name, count, columns, width))
    return "\n".join([lines[0], *sorted(lines[1:]), _line("all", counted["all"], columns, width)])


def _line(name: str, count: Counter[str], columns: Sequence[str], width: int) -> str:
    total = count.total()
    silent = (count["lost"] + count["changed"]) / total
    cells = "".join(f"{count[column]:9,}" for column in columns)
    return f"{name:{width}}{total:8,}{cells}{silent:8.2%}"


def walk(files: Sequence[tuple[str, str, str]], workers: int) -> list[Outcome]:
    """Mutate files in every way, some at a time."""
    start = multiprocessing.get_context("spawn")  # not forked: polars has threads by now
    some = [files[at : at + 2] for at in range(0, len(files), 2)]
    with ProcessPoolExecutor(workers, mp_context=start) as pool:
        return [one for found in pool.map(_list, some) for one in found]


def _list(files: Sequence[tuple[str, str, str]]) -> list[Outcome]:
    return list(outcomes(files))


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("format", nargs="*", help="all by default")
    parser.add_argument("--corpus", action="store_true", help="the files of ../shared/corpus too")
    parser.add_argument("--every", type=int, default=1, help="take every nth file only")
    parser.add_argument("--show", type=int, default=0, help="list so many silent cases")
    parser.add_argument("--by", choices=("format", "case"), default="format")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--save", type=Path, help="write every outcome as CSV")
    options = parser.parse_args()
    files = [*fixtures()]
    if options.corpus:
        files += _texts(sorted(CORPUS.rglob("*")))
    files = [one for one in files if not options.format or one[0] in options.format]
    files = files[:: options.every]
    found = walk(files, options.workers)
    print(table(found, options.by))
    silent = [one for one in found if one.verdict in ("lost", "changed")]
    for one in silent[: options.show]:
        print(*one, sep=" | ")
    if options.save:
        with options.save.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([Outcome._fields, *found])
    return 0


if __name__ == "__main__":
    sys.exit(main())
