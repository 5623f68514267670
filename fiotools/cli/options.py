"""Options of a verb, made of the arguments of functions; and what the Tab key offers for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import click
from click.shell_completion import CompletionItem

from fiotools import units
from fiotools.cli.signatures import Argument
from fiotools.errors import argument, in_shell, similar
from fiotools.tables.naming import short
from fiotools.vocabulary import COLUMNS, CONDITIONS, KEYS, TABLES

WHOLE = ("where", "fail_if")  # commas do not part their values
_SHORT = {
    "metric": "-m",
    "where": "-w",
    "output": "-o",
    "form": "-f",
    "table": "-t",
    "tables": "-t",
}
# what stands for a value in the help, where its type does not say it
_VALUES = {
    "where": "CONDITION",
    "fail_if": "RULE",
    **dict.fromkeys(["output", "limits"], "FILE"),
    "baseline": "VALUE",
    "link": "NAME|RATE",
    "version": "VERSION",
    "workers": "N|ADDRESS",
    "ceilings": "VALUE",
    "table": "TABLE",
    "tables": "TABLES",
    "format": "FORMAT",
    **dict.fromkeys(["ram", "host_ram", "moved", "capacity"], "SIZE"),
    **dict.fromkeys(["limit", "every"], "VALUE"),
    **dict.fromkeys(["at", "percentiles"], "PERCENTILES"),
}
# the help of arguments whose docstrings only point to another function
_HELP = {
    "metric": "The column to look at: iops, bw, lat_mean.",
    "between": "The column that holds the sides.",
    "baseline": "The side that the others are divided by.",
    "by": "A panel, or an answer, for each value of these.",
    "x": "The condition that was swept.",
    "y": "The column of the rows.",
    "hue": "The column of the colours and curves.",
    "order": "Rows or curves in this order.",
    "to": "The column that the bars reach to.",
    "at": "The percentiles.",
    "limit": "Mark the best below this latency: 1ms.",
    "ceilings": "A limit to draw: USB=500MB/s.",
    "log": "Draw a logarithmic axis.",
    "reasons": "How many reasons are told.",
}
_SHARES = ("confidence", "band")  # numbers from 0 to 1
_TICKS = re.compile(r"``(.+?)``|`([^`]+)`")


def _formats() -> Iterable[str]:
    from fiotools.readers import readers

    return [one.name for one in readers()]


def _links() -> Iterable[str]:
    from fiotools.links import NAMES

    return NAMES


def _labels() -> Iterable[str]:
    return ["label", *map(short, (*KEYS, *CONDITIONS))]


def _metrics() -> Iterable[str]:
    return [short(name) for name, one in COLUMNS.items() if one.better]


_LABELS = ("by", "between", "over", "sweep", "order", "pair", "unit", "x", "y", "hue")
_OFFERS: Mapping[str, Callable[[], Iterable[str]]] = {
    **dict.fromkeys(["metric", "sort"], _metrics),
    "format": _formats,
    "link": _links,
    "names": lambda: dict.fromkeys([*map(short, COLUMNS), *TABLES]),
    **dict.fromkeys(_LABELS, _labels),
}


def offered(name: str, choices: Iterable[str], incomplete: str) -> list[CompletionItem]:
    """List what the Tab key offers: names, one more after a comma, or else files."""
    given, comma, last = incomplete.rpartition(",") if name not in WHOLE else ("", "", incomplete)
    known = _OFFERS[name]() if name in _OFFERS else choices
    names = [one for one in known if one.startswith(last) and one not in given.split(",")]
    found = [CompletionItem(f"{given}{comma}{one}") for one in names]
    return found or [CompletionItem(incomplete, type="file")]


class Value(click.ParamType[Any]):
    """What a text on the command line means to an argument of a function."""

    name = "text"

    def __init__(self, about: Argument) -> None:
        self._about = about
        self._is_time = about.name.endswith("_s")
        self._is_number = bool({"int", "float"} & about.kinds)
        self._is_text = bool(about.kinds - {"int", "float"})

    @property
    def shown(self) -> str:
        """What stands for a value in the help."""
        about = self._about
        plain = "TIME" if self._is_time else "NUMBER" if not self._is_text else "TEXT"
        if about.choices:
            plain = f"[{'|'.join(about.choices)}]"
        elif about.name in _OFFERS:
            plain = "COLUMNS" if about.is_several else "COLUMN"
        value = _VALUES.get(about.name, plain)
        return f"NAME={value}" if about.is_named else value

    def convert(self, value: str, param: Any, ctx: Any) -> Any:
        """Convert a text to a value, several, or a name with its value."""
        about = self._about
        if about.is_named:
            name, sign, text = value.rpartition("=")
            if not sign and "int" not in about.kinds:
                raise click.UsageError(f"{param.opts[-1]} {value} is not {self.shown}", ctx)
            return name if sign else None, self._read(text, param, ctx)
        if not about.is_several or about.name in WHOLE:
            return self._read(value, param, ctx)
        parts = [part.strip() for part in value.split(",")]
        return [self._read(part, param, ctx) for part in parts if part]

    def _read(self, text: str, param: Any, ctx: Any) -> Any:
        """Read one value."""
        wrong, choices = "", self._about.choices
        if choices and text not in choices:
            wrong = f"not one of {', '.join(choices)}{similar(text, choices)}"
        elif self._is_time:
            try:
                return units.seconds(text)
            except ValueError:
                wrong = "not a time: write 10s"
        elif self._is_number:
            try:
                value = float(text)
            except ValueError:
                value = None
            if value is None and self._is_text:
                return text  # with a unit
            is_share = self._about.name in _SHARES
            if value is None or (is_share and not 0 <= value <= 1):
                kind = "number" if "float" in self._about.kinds else "whole number"
                wrong = f"not a {kind}{' from 0 to 1' if is_share else ''}"
            elif value.is_integer() and re.fullmatch(r"[-+]?\d+", text):
                return int(text)
            elif self._about.kinds == {"int"}:
                wrong = "not a whole number"
            else:
                return value
        if wrong:
            raise click.UsageError(f"{param.opts[-1]} {text} is {wrong}", ctx)
        return text

    def gathered(self, given: Any) -> Any:
        """Put the values of an option that was repeated together."""
        if not given:
            return None
        if self._about.is_named:
            named = dict(given)
            return named[None] if [*named] == [None] else named
        values = [one for part in given for one in (part if isinstance(part, list) else [part])]
        takes_one = (
            re.match(r"(str|float|int|Any)\b", self._about.kind) and self._about.name not in WHOLE
        )
        return values[0] if len(values) == 1 and takes_one else values


class Option(click.Option):
    """An option that stands for an argument of a function."""

    def __init__(self, about: Argument, names: Iterable[str] = (), dest: str = "") -> None:
        self.about, self._value = about, Value(about)
        self._is_many = about.is_several or about.is_named
        is_own = about.help and not about.help.startswith(("As in", "Of "))
        help = shell(about.help if is_own else _HELP.get(about.name, about.help), names)
        help += " Repeatable." if about.name in WHOLE else ""
        names = [*filter(None, [_SHORT.get(about.name)]), flag(about.name), dest or about.name]
        if about.kinds == {"bool"}:
            super().__init__(names, is_flag=True, default=False, help=help)
            return
        default = about.default
        if isinstance(default, list | tuple):
            default = ", ".join(map(str, default))
        super().__init__(
            names,
            type=self._value,
            metavar=self._value.shown,
            multiple=self._is_many,
            required=about.is_required,
            help=f"{help}  [default: {default}]" if default not in (None, "", False) else help,
            shell_complete=lambda ctx, one, part: offered(about.name, about.choices, part),
        )

    def type_cast_value(self, ctx: Any, value: Any) -> Any:
        """Convert what was typed."""
        found = super().type_cast_value(ctx, value)
        return self._value.gathered(found) if self._is_many else found


def flag(name: str) -> str:
    """Return the option of an argument."""
    with in_shell():
        return argument(name)


def shell(text: str, names: Iterable[str] = ()) -> str:
    """Take the marks out of a text of a docstring; an argument becomes its option."""
    known = {*names}

    def told(match: re.Match[str]) -> str:
        return flag(match[2]) if match[2] in known else match[1] or match[2]

    return _TICKS.sub(told, text)
