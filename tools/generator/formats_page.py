"""The page on the formats: the readers' docstrings, and which columns each fills."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import ModuleType

from fiotools.readers import Reader, built_in
from fiotools.readers.document import Field
from fiotools.vocabulary import ROWS
from tools.generator.columns_page import row, written_from
from tools.generator.filled import (
    ALWAYS,
    COVERED,
    KINDS,
    OWN,
    PLAIN,
    SHOWN,
    Cell,
    Gap,
    committed,
    gap_of,
    gaps,
    problems,
)

LEGEND = """\
| mark | means |
|:-:|---|
| ● | filled by at least one of the outputs in `tests/fixtures` and `data` |
| ◐ | filled where the report stands in a transcript, which shows the command or the machine |
| ○ | read, but no committed output has it |
| – | not in the format, or not with certainty |
| (blank) | not applicable |
"""

# How the parts of a reader's docstring begin.
LEADS = r"(?:Produced by|Fills|Traps[.:]|Grammar:|Specified in)(?!\w)"


def render() -> str:
    """Write ``formats.md``; refuse if ``coverage.toml`` is not true."""
    if wrong := problems(committed(), gaps()):
        raise SystemExit("docs/coverage.toml does not fit the readers:\n" + "\n".join(wrong))
    listed = [
        row([f"[`{r.name}`](#{r.name})", r.title, f"`{r.produced_by}`", ", ".join(r.tables)])
        for r in built_in()
    ]
    return "\n".join(
        [
            "# What can be read",
            "",
            written_from("the readers' docstrings, `docs/coverage.toml` and all committed outputs"),
            "",
            "The format of a file is found by its content; exactly one reader must claim it."
            " [columns.md](columns.md) explains the columns.",
            "",
            "| format | what | made by | tables |",
            "|---|---|---|---|",
            *listed,
            "",
            "The columns of a format are those that a committed output fills; `source` and `run`"
            " are always there, and each reader may leave `notes`.",
            "",
            "\n".join(format_section(reader) for reader in built_in()).rstrip(),
            "",
        ]
    )


def format_section(reader: Reader) -> str:
    """Write a reader's docstring, its traps as a list."""
    parts = [f"## {reader.name}"]
    for lead, words in sections(reader):
        if lead.startswith("Traps"):
            items = _items(words, clauses=lead == "Traps:")
            parts.append("**Traps**\n\n" + "\n".join(f"* {item}" for item in items))
        elif len(parts) == 1:
            parts.append(_capital(f"{reader.title}: {words}"))
        else:
            parts.append(f"**{lead}** {words}" if lead else words)
    if reader in COVERED:
        parts.append(_filled(reader))
    parts += [_fields(*pair) for pair in getattr(_module(reader), "FIELDS", {}).items()]
    return "\n\n".join(parts) + "\n"


def _module(reader: Reader) -> ModuleType:
    return import_module(reader.read.__module__)


def _fields(table: str, fields: Sequence[Field]) -> str:
    """Write the source of each column of a table."""
    lines = [row([f"column of `{table}`", "is", "since", "and"]), row(["---"] * 4)]
    for field in fields:
        unit = f" ({field.unit})" if field.unit else ""
        rules = [
            field.rule,
            "" if field.zero else "0: not measured",
            f"none without `{field.samples}`" if field.samples else "",
        ]
        said = "; ".join(rule for rule in rules if rule)
        lines.append(row([f"`{field.column}`", f"`{field.key}`{unit}", field.since, said]))
    return "\n".join(lines)


def sections(reader: Reader) -> list[tuple[str, str]]:
    """Return the paragraphs of a reader's docstring, each with its first words.

    Sentences that begin with such words make a paragraph of their own.
    """
    text = (_module(reader).__doc__ or "").replace("``", "`")
    found = []
    for block in re.split(r"\n\s*\n", text.strip().removeprefix(f"{reader.name}: ")):
        for part in re.split(rf"(?<=\.) (?={LEADS})", " ".join(block.split())):
            lead = re.match(LEADS, part)
            found.append((lead[0], part[lead.end() :].strip()) if lead else ("", part))
    return found


def _items(text: str, *, clauses: bool) -> list[str]:
    """Split into sentences, and the first into clauses, but not inside code and parentheses."""
    hidden = re.sub(r"`[^`]*`|\([^()]*\)", lambda match: "`" * len(match[0]), text)
    ends = [match.end() for match in re.finditer(r"(?<=[\w`\"]\.) (?=\S)", hidden)]
    if clauses:
        ends += [match.end() for match in re.finditer("; ", hidden[: (*ends, None)[0]])]
    starts = [0, *sorted(ends)]
    items = [text[a:b].rstrip(";. ") for a, b in zip(starts, [*starts[1:], None], strict=True)]
    return [_capital(item) + "." for item in items]


def _capital(text: str) -> str:
    # names of tools stay as people type them
    small = re.match(r"(?:bash|dd|diskspd|fio|hyperfine|time)\b", text)
    return text if small else text[:1].upper() + text[1:]


def _filled(reader: Reader) -> str:
    """List which columns a reader fills, and why it leaves the others empty: a row per table."""
    lines = [row(["table", "filled", "left empty"]), row(["---"] * 3)]
    for table, columns in SHOWN.items():
        is_whole = table in PLAIN or (reader.name, table, "") not in committed()
        said: dict[tuple[bool, str], list[str]] = {}
        for column in [""] if is_whole else columns:
            if column not in ALWAYS:
                name = f"`{column}`" if column else ""
                said.setdefault(_said((reader.name, table, column)), []).append(name)
        full, empty = (
            "<br>".join(": ".join(filter(None, [why, ", ".join(names)])) for why, names in found)
            for found in (
                [(key[1], names) for key, names in said.items() if key[0] is is_full]
                for is_full in (True, False)
            )
        )
        if (full or empty or is_whole) and said.keys() != {(False, "not applicable")}:
            lines.append(row([f"`{table}`", full or "yes" * (not empty), empty]))
    return "\n".join(lines)


def _said(cell: Cell) -> tuple[bool, str]:
    """Return whether a reader fills a cell, and the condition or the reason."""
    if cell in committed():
        return True, "" if committed()[cell] == OWN else "in a transcript"
    gap = gap_of(cell, gaps())
    if gap.kind == "unseen":
        return True, f"in no committed output, {gap.why}"
    return False, gap.why or "not applicable"


def coverage() -> str:
    """Write the page of the matrices: which format fills which column."""
    marks, declared = committed(), gaps()
    names = [reader.name for reader in COVERED]
    whole = {table: (table, "") for table in SHOWN}
    parts = [
        f"# Which format fills which column\n\n{LEGEND}",
        f"## Tables\n\n{_matrix('table', names, whole, marks, declared)}",
    ]
    for table, columns in SHOWN.items():
        if table in PLAIN:
            continue
        readers = [name for name in names if (name, table, "") in marks]
        rows = {name: (table, name) for name in columns if name not in ALWAYS}
        drawn = _matrix("column", readers, rows, marks, declared)
        parts.append(f"## {table}\n\nOne row is {ROWS[table]}.\n\n{drawn}")
    return "\n".join(parts)


def _matrix(
    title: str,
    readers: Sequence[str],
    rows: Mapping[str, tuple[str, str]],
    marks: Mapping[Cell, str],
    declared: Sequence[Gap],
) -> str:
    """Write marks as a table, readers across, with footnotes.

    Each row has a name, and stands for a table and a column.
    """
    notes: dict[str, int] = {}

    def mark(cell: Cell) -> str:
        if cell in marks:
            return marks[cell]
        gap = gap_of(cell, declared)
        number = notes.setdefault(gap.why, len(notes) + 1) if gap.why else None
        return KINDS[gap.kind] + (_raised(number) if number else "")

    # broken names, so that a dozen readers fit
    heads = [re.sub("_|(?=diskmark)", "<br>", name) for name in readers]
    lines = [row([title, *heads]), row(["---", *(":-:" for _ in readers)])]
    lines += [
        row([f"`{name}`", *(mark((reader, *place)) for reader in readers)])
        for name, place in rows.items()
    ]
    if notes:
        # two spaces at the end break the line
        lines += ["", "  \n".join(f"{_raised(number)} {why}" for why, number in notes.items())]
    return "\n".join(lines) + "\n"


def _raised(number: int) -> str:
    return "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(number))
