"""Verbs of the command line, the options that several verbs share, and what the Tab key offers.

A dataclass is a group of options; a verb with a parameter of it has them all. The offers are names
of columns, tables, formats and links: they do not depend on the files, and a shell offers files if
no name fits.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, Literal, get_args, get_type_hints

import typer

from fiotools.cli.output import ENDINGS
from fiotools.display.columns import short
from fiotools.vocabulary import COLUMNS, CONDITIONS, KEYS, TABLES


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


def spread(run: Callable[..., int]) -> Callable[..., int]:
    """Return a function with plain parameters: a dataclass among them is split into its fields.

    Examples
    --------
    >>> from fiotools.cli.options import Sides
    >>> def verb(name: str, *, sides: Sides) -> int:
    ...     return len(name + sides.baseline)
    >>> plain = spread(verb)
    >>> list(inspect.signature(plain).parameters), plain(name="a", between=None, baseline="old")
    (['name', 'between', 'baseline'], 4)
    """
    own = inspect.signature(run, eval_str=True)
    groups: dict[str, Any] = {}
    plain: list[inspect.Parameter] = []
    for one in own.parameters.values():
        if is_dataclass(one.annotation):
            groups[one.name] = one.annotation
            plain += _options(one.annotation)
        else:
            plain.append(one.replace(kind=one.KEYWORD_ONLY))

    @wraps(run)
    def plainly(**given: Any) -> int:
        made = {name: _made(group, given) for name, group in groups.items()}
        return run(**given, **made)

    vars(plainly)["__signature__"] = own.replace(parameters=plain)
    plainly.__annotations__ = {one.name: one.annotation for one in plain}
    return plainly


def _options(group: Any) -> Iterator[inspect.Parameter]:
    """List the options of a group, under its heading; a group of groups has no heading."""
    hints = get_type_hints(group, include_extras=True)
    heading = None if any(map(is_dataclass, hints.values())) else inspect.getdoc(group)
    for field in fields(group):
        hint = hints[field.name]
        if is_dataclass(hint):
            yield from _options(hint)
            continue
        if heading is not None:
            kind, option = get_args(hint)
            option = copy(option)
            option.rich_help_panel = heading.rstrip(".")
            hint = Annotated[kind, option]
        kind = inspect.Parameter.KEYWORD_ONLY
        yield inspect.Parameter(field.name, kind, default=field.default, annotation=hint)


def _made(group: Any, given: dict[str, Any]) -> Any:
    """Make a group of the given options, and remove them from these."""
    values = {}
    for name, hint in get_type_hints(group).items():
        values[name] = _made(hint, given) if is_dataclass(hint) else given.pop(name)
    return group(**values)


def offer(
    names: Callable[[], Iterable[str]], *, several: bool = False
) -> Callable[[str], Iterator[str]]:
    """Let the Tab key offer names; if there may be several, one more after a comma.

    Examples
    --------
    >>> offered = offer(lambda: ("job", "job_start", "bs"), several=True)
    >>> list(offered("job,")), list(offered("bs,job"))
    (['job,job_start', 'job,bs'], ['bs,job', 'bs,job_start'])
    """

    def offered(incomplete: str) -> Iterator[str]:
        given, comma, last = incomplete.rpartition(",") if several else ("", "", incomplete)
        already = given.split(",")
        for name in names():
            if name.startswith(last) and name not in already:
                yield f"{given}{comma}{name}"

    return offered


offer_columns = offer(lambda: map(short, COLUMNS), several=True)
offer_labels = offer(lambda: ["label", *map(short, (*KEYS, *CONDITIONS))], several=True)
offer_metrics = offer(lambda: [short(name) for name, one in COLUMNS.items() if one.better])
offer_tables = offer(lambda: TABLES, several=True)
_SCOPES = ("total", "thread", "job", "group", "client", "target")


def option(metavar: str, help: str, *names: str, **more: Any) -> Any:
    """Describe an option: the placeholder of its value, and its help."""
    return typer.Option(*names, metavar=metavar, help=help, **more)


def flag(name: str, help: str) -> Any:
    """Describe an option without a value."""
    return typer.Option(name, help=help)


def column(help: str) -> Any:
    """Describe an option that names a column of labels or conditions."""
    return option("COLUMN", help, autocompletion=offer_labels)


Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES",
        help="Files, folders, globs, path templates ('data/{volume}.xml'), NAME=FILES to name what"
        " they hold, or - for standard input.",
        show_default=False,
    ),
]
_METRIC = "The column to look at: iops, bw, lat_mean..."
Metric = Annotated[
    str | None, option("COLUMN", _METRIC, "--metric", "-m", autocompletion=offer_metrics)
]
_BY = "One answer for each value of these: direction,bs."
By = Annotated[list[str] | None, option("COLUMNS", _BY, "--by", autocompletion=offer_labels)]
_WHERE = "Keep these rows: direction=read, 'bs>=4k', \"rw in ['read', 'write']\". Repeatable."
Where = Annotated[list[str] | None, option("CONDITION", _WHERE, "--where", "-w")]
_SCOPE = f"Keep rows of this scope: {', '.join(_SCOPES)}."
Scope = Annotated[str | None, option("SCOPE", _SCOPE, autocompletion=offer(lambda: _SCOPES))]
Combine = Annotated[
    Literal["run", "group"] | None,
    typer.Option(help="First add up jobs and threads, for each run or fio group."),
]
Lang = Annotated[Literal["en", "ja"], typer.Option(help="The language of the plots.")]
_FORMAT = "json and csv: every column, in base units."
Format = Annotated[
    Literal["table", "json", "csv", "markdown"], typer.Option("--format", "-f", help=_FORMAT)
]
Output = Annotated[
    str | None,
    option(
        "FILE",
        f"Write it to FILE{', '.join(ENDINGS)}, whole or not at all.",
        "--output",
        "-o",
    ),
]
Between = Annotated[str | None, column("The column that holds the sides; by default the files.")]
Confidence = Annotated[float, option("SHARE", "Confidence of the interval.", min=0.5, max=1)]


@dataclass(frozen=True)
class Sides:
    """What is compared with what."""

    between: Between = None
    baseline: Annotated[
        str | None, option("VALUE", "The value the others are divided by; by default the first.")
    ] = None


@dataclass(frozen=True)
class Rows:
    """Which rows count."""

    where: Where = None
    scope: Scope = None
    combine: Combine = None
    drop_missing: Annotated[bool, flag("--drop-missing", "Leave out rows without the metric.")] = (
        False
    )
    table: Annotated[
        str | None,
        option(
            "TABLE",
            "The table to take; by default the one that has it.",
            "--table",
            "-t",
            autocompletion=offer_tables,
        ),
    ] = None

    @property
    def own_scope(self) -> str | None:
        """The scope of the rows; `combine` takes it before and leaves rows of one scope."""
        return None if self.combine else self.scope


def _formats() -> list[str]:
    from fiotools.readers import readers

    return [one.name for one in readers()]


@dataclass(frozen=True)
class ReadAs:
    """How the files are read."""

    reader: Annotated[
        str | None,
        option(
            "FORMAT",
            "Read as this format (see: fiotools formats), whatever the content is.",
            autocompletion=offer(_formats),
        ),
    ] = None
    tool_version: Annotated[
        str | None, option("TEXT", "The tool's version, for formats that do not tell it.")
    ] = None
    quantity: Annotated[
        Literal["bw", "iops", "lat", "clat", "slat", "hist"] | None,
        typer.Option(help="The quantity of fio logs that were renamed."),
    ] = None
    workers: Annotated[
        int, option("N", "Read with N processes: for thousands of files, or large ones.", min=1)
    ] = 1


@dataclass(frozen=True)
class Judging:
    """How a comparison is judged."""

    pair: Annotated[str | None, column("The column that pairs runs: round.")] = None
    confidence: Confidence = 0.95
    band: Annotated[
        float, option("SHARE", "Differences up to this share do not matter.", min=0, max=1)
    ] = 0.05
    method: Annotated[
        Literal["log-welch", "hodges-lehmann"],
        typer.Option(help="The t interval of logarithms, or the interval of their ranks."),
    ] = "log-welch"
    looks: Annotated[
        Literal["once", "any"],
        typer.Option(help="any: runs were or may be added after a look at the result."),
    ] = "once"


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The options of `compare` and `speedup`."""

    metric: Metric = None
    sides: Sides
    by: By = None
    kept: Rows
    judging: Judging
