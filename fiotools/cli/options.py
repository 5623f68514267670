"""Verbs of the command line, the options that several verbs share, and what the Tab key offers.

A dataclass is a group of options; a verb with a parameter of it has them all. The offers are names
of columns, tables, formats and links: they do not depend on the files, and a shell offers files if
no name fits.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass, field, fields, is_dataclass
from functools import wraps
from typing import Any, Literal, TypeAlias, TypeVar, dataclass_transform, get_type_hints

import typer
from typer.models import OptionInfo

from fiotools.cli.output import ENDINGS
from fiotools.tables.naming import short
from fiotools.vocabulary import COLUMNS, CONDITIONS, KEYS, TABLES

_Group = TypeVar("_Group")


@dataclass(frozen=True)
class Command:
    """A verb of the command line: its function, and examples that are shown below the help.

    The function's name is the verb, its docstring the help, its parameters are the arguments and
    options. A dataclass among these is a group of options: its fields, under its docstring in the
    help. It returns the exit code.
    """

    run: Callable[..., int]
    examples: tuple[str, ...]

    @property
    def epilog(self) -> str:
        """The examples for typer, which keeps lines after a backspace as they are."""
        lines = [f"  fiotools {example}" for example in self.examples]
        return "\n".join(["\b", "Examples:", *lines])


def command(*examples: str) -> Callable[[Callable[..., int]], Command]:
    """Make a verb of a function, with examples of it."""
    return lambda run: Command(run, examples)


@dataclass_transform(frozen_default=True, kw_only_default=True)
def group(kind: type[_Group]) -> type[_Group]:
    """Make a dataclass of a group of options; one that is made in code has their defaults."""
    for name, described in list(vars(kind).items()):
        if isinstance(described, OptionInfo):
            setattr(kind, name, field(default=described.default, metadata={"option": described}))
    return dataclass(frozen=True, kw_only=True)(kind)


def spread(run: Callable[..., int]) -> Callable[..., int]:
    """Return a function with plain parameters: a dataclass among them is split into its fields."""
    own = inspect.signature(run, eval_str=True)
    plain = [
        option
        for one in own.parameters.values()
        for option in _options(one.name, one.annotation, one.default)
    ]

    @wraps(run)
    def plainly(**given: Any) -> int:
        made = {one.name: _made(one.name, one.annotation, given) for one in own.parameters.values()}
        return run(**made)

    vars(plainly)["__signature__"] = own.replace(parameters=plain)
    plainly.__annotations__ = {one.name: one.annotation for one in plain}
    return plainly


def _options(
    name: str, kind: Any, described: Any, heading: str | None = None
) -> Iterator[inspect.Parameter]:
    """List an option, or those of a group under its heading; a group of groups has none."""
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        is_nested = any(map(is_dataclass, hints.values()))
        heading = None if is_nested else (inspect.getdoc(kind) or "").rstrip(".")
        for one in fields(kind):
            yield from _options(one.name, hints[one.name], one.metadata.get("option"), heading)
        return
    described = copy(described)
    if isinstance(described, OptionInfo):
        spelled = described.param_decls or ()
        if not any(word.startswith("--") for word in spelled):
            described.param_decls = (f"--{name.replace('_', '-')}", *spelled)
        described.rich_help_panel = heading or described.rich_help_panel
    yield inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=described, annotation=kind
    )


def _made(name: str, kind: Any, given: dict[str, Any]) -> Any:
    """Take the value of an option, or make a group of its options."""
    if not is_dataclass(kind):
        return given[name]
    group: Any = kind
    return group(**{one: _made(one, hint, given) for one, hint in get_type_hints(kind).items()})


def offer(
    names: Callable[[], Iterable[str]], *, several: bool = False
) -> Callable[[str], Iterator[str]]:
    """Let the Tab key offer names; if there may be several, one more after a comma."""

    def offered(incomplete: str) -> Iterator[str]:
        given, comma, last = incomplete.rpartition(",") if several else ("", "", incomplete)
        already = given.split(",")
        for name in names():
            if name.startswith(last) and name not in already:
                yield f"{given}{comma}{name}"

    return offered


offer_columns = offer(lambda: map(short, COLUMNS), several=True)
offer_labels = offer(lambda: ["label", *map(short, (*KEYS, *CONDITIONS))], several=True)
offer_tables = offer(lambda: TABLES, several=True)
_SCOPES = ("total", "thread", "job", "group", "client", "target")


def option(metavar: str, help: str, *names: str, default: Any = None, **more: Any) -> Any:
    """Describe an option: the placeholder of its value, and its help.

    It is called as its parameter is, unless one of the ``names`` begins with two hyphens.
    """
    return typer.Option(default, *names, metavar=metavar, help=help, **more)


def choice(default: str | None, help: str, *names: str) -> Any:
    """Describe an option with a few values, which its type lists."""
    return typer.Option(default, *names, help=help)


def flag(help: str, *names: str) -> Any:
    """Describe an option without a value."""
    return typer.Option(False, *names, help=help)


def column(help: str) -> Any:
    """Describe an option that names a column of labels or conditions."""
    return option("COLUMN", help, autocompletion=offer_labels)


Form: TypeAlias = Literal["table", "json", "csv", "markdown"]
Lang: TypeAlias = Literal["en", "ja"]
Combine: TypeAlias = Literal["run", "group"]


def _files(others: str) -> Any:
    told = f"Files, folders, globs, path templates ('data/{{volume}}.xml'), {others}."
    return typer.Argument(..., metavar="FILES", help=told, show_default=False)


FILES = _files("NAME=FILES to name what they hold, or - for standard input")
STORED_FILES = _files("or NAME=FILES to name what they hold")  # to be read again
METRIC = option(
    "COLUMN",
    "The column to look at: iops, bw, lat_mean...",
    "-m",
    autocompletion=offer(lambda: [short(name) for name, one in COLUMNS.items() if one.better]),
)
BY = option(
    "COLUMNS",
    "One answer for each value of these: direction,bs.",
    autocompletion=offer_labels,
)
WHERE = option(
    "CONDITION",
    "Keep these rows: direction=read, 'bs>=4k', \"rw in ['read', 'write']\". Repeatable.",
    "-w",
)
SCOPE = option(
    "SCOPE",
    f"Keep rows of this scope: {', '.join(_SCOPES)}.",
    autocompletion=offer(lambda: _SCOPES),
)
COMBINE = choice(None, "First add up jobs and threads, for each run or fio group.")
FORMAT = choice("table", "json and csv: every column, in base units.", "-f")
OUTPUT = option("FILE", f"Write it to FILE{', '.join(ENDINGS)}, whole or not at all.", "-o")
BETWEEN = column("The column that holds the sides; by default the files.")
CONFIDENCE = option("SHARE", "Confidence of the interval.", default=0.95, min=0.5, max=1)


@group
class Sides:
    """What is compared with what."""

    between: str | None = BETWEEN
    baseline: str | None = option(
        "VALUE", "The value the others are divided by; by default the first."
    )


@group
class RowFilter:
    """Which rows count."""

    where: list[str] | None = WHERE
    scope: str | None = SCOPE
    combine: Combine | None = COMBINE
    drop_missing: bool = flag("Leave out rows without the metric.")
    table: str | None = option(
        "TABLE",
        "The table to take; by default the one that has it.",
        "-t",
        autocompletion=offer_tables,
    )

    @property
    def own_scope(self) -> str | None:
        """The scope of the rows; `combine` takes it before and leaves rows of one scope."""
        return None if self.combine else self.scope


def _formats() -> list[str]:
    from fiotools.readers import readers

    return [one.name for one in readers()]


@group
class ReadAs:
    """How the files are read."""

    reader: str | None = option(
        "FORMAT",
        "Read as this format (see: fiotools formats), whatever the content is.",
        autocompletion=offer(_formats),
    )
    tool_version: str | None = option(
        "TEXT", "The tool's version, for formats that do not tell it."
    )
    quantity: Literal["bw", "iops", "lat", "clat", "slat", "hist"] | None = choice(
        None, "The quantity of fio logs that were renamed."
    )
    workers: int = option(
        "N", "Read with N processes: for thousands of files, or large ones.", default=1, min=1
    )


@group
class Judging:
    """How a comparison is judged."""

    pair: str | None = column("The column that pairs runs: round.")
    confidence: float = CONFIDENCE
    band: float = option(
        "SHARE", "Differences up to this share do not matter.", default=0.05, min=0, max=1
    )
    looks: Literal["once", "any"] = choice(
        "once", "any: runs were or may be added after a look at the result."
    )


@group
class ComparisonOptions:
    """The options of `compare` and `speedup`."""

    metric: str | None = METRIC
    sides: Sides
    by: list[str] | None = BY
    kept: RowFilter
    judging: Judging
