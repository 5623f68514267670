"""Options of a verb, made of the arguments of functions and of what `verbs` adds to them.

The Tab key offers names of columns, tables, formats and links: they do not depend on the files, and
a shell offers files if no name fits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from fiotools.cli.signatures import Argument, Signature, signature
from fiotools.cli.verbs import FACTS, GROUPS, OF_METRICS, Fact, Verb
from fiotools.errors import argument, in_shell, similar
from fiotools.tables.naming import short
from fiotools.vocabulary import COLUMNS, CONDITIONS, KEYS, TABLES

_TICKS = re.compile(r"``(.+?)``|`([^`]+)`")
_SCOPES = ("total", "thread", "job", "group", "client", "target")


def _formats() -> Iterable[str]:
    from fiotools.readers import readers

    return [one.name for one in readers()]


def _links() -> Iterable[str]:
    from fiotools.links import NAMES

    return NAMES


_OFFERS: Mapping[str, Callable[[], Iterable[str]]] = {
    "columns": lambda: map(short, COLUMNS),
    "described": lambda: dict.fromkeys([*map(short, COLUMNS), *TABLES]),
    "formats": _formats,
    "labels": lambda: ["label", *map(short, (*KEYS, *CONDITIONS))],
    "links": _links,
    "metrics": lambda: [short(name) for name, one in COLUMNS.items() if one.better],
    "scopes": lambda: _SCOPES,
    "tables": lambda: TABLES,
}


def _offered(
    ctx: Any, parameter: Any, incomplete: str, *, about: Argument, fact: Fact
) -> list[CompletionItem]:
    """List what the Tab key offers: names, one more after a comma, or else files."""
    given, comma, last = incomplete.rpartition(",") if not fact.is_whole else ("", "", incomplete)
    known = _OFFERS[fact.offers]() if fact.offers else about.choices
    names = [name for name in known if name.startswith(last) and name not in given.split(",")]
    found = [CompletionItem(f"{given}{comma}{name}") for name in names]
    return found or [CompletionItem(incomplete, type="file")]


class Value(click.ParamType[Any]):
    """What a text on the command line means to an argument of a function."""

    name = "text"

    def __init__(self, about: Argument, fact: Fact) -> None:
        self._about, self._fact = about, fact
        self.is_number = bool({int, float} & about.kinds)
        self._number: Callable[[str], float] = int if int in about.kinds else float

    @property
    def shown(self) -> str:
        """What stands for a value in the help."""
        if self._fact.value:
            return self._fact.value
        if choices := self._about.choices:
            return f"[{'|'.join(choices)}]"
        if self.is_number and str not in self._about.kinds:
            return "N" if int in self._about.kinds else "NUMBER"
        return "TEXT"

    @property
    def limits(self) -> str:
        """The range of a number, in words."""
        low, high = self._fact.limits
        return "" if low is None else f"from {low}" if high is None else f"from {low} to {high}"

    def convert(self, value: str, param: Any, ctx: Any) -> Any:
        """Convert a text to a value, several, or a name with its value."""

        def one(text: str) -> Any:
            if wrong := self._wrong(text):
                raise click.UsageError(f"{param.opts[-1]} {text} is {wrong}", ctx)
            return self._read(text)

        if self._about.is_several and not self._fact.is_whole:
            parts = [part.strip() for part in value.split(",")]
            return [one(part) for part in parts if part]
        if not self._about.is_named:
            return one(value)
        name, sign, text = value.rpartition("=")
        if not (sign or self._about.is_single):
            raise click.UsageError(f"{param.opts[-1]} {value} is not {self.shown}", ctx)
        return name if sign else None, one(text)

    def _wrong(self, text: str) -> str:
        """Say what is wrong with a value; nothing if it is right."""
        if choices := self._about.choices:
            listed = ", ".join(map(repr, choices))
            return "" if text in choices else f"not one of {listed}{similar(text, choices)}"
        low, high = self._fact.limits
        try:
            value = self._read(text)
        except ValueError:
            value = None
        if isinstance(value, str):
            return ""
        if value is not None and (low is None or low <= value) and (high is None or value <= high):
            return ""
        if self._fact.reads is not None:
            return f"not a {self.shown.lower()}: write {self._fact.example}"
        number = "whole number" if int in self._about.kinds else "number"
        return " ".join(filter(None, [f"not a {number}", self.limits]))

    def _read(self, text: str) -> Any:
        if self._fact.reads is not None:
            return self._fact.reads(text)
        if str in self._about.kinds or not self.is_number:
            return _amount(text) if self.is_number else text
        return self._number(text)

    def gathered(self, given: Any) -> Any:
        """Put the values of an option together."""
        if not given:
            return None
        if self._about.is_named:
            named = dict(given)
            return named[None] if [*named] == [None] else named
        if not self._about.is_several:
            return list(given)
        values = [one for part in given for one in (part if isinstance(part, list) else [part])]
        return values[0] if self._about.is_single and len(values) == 1 else values


def _amount(text: str) -> float | str:
    """Read a number; a text with a unit stays as it is."""
    try:
        return float(text)
    except ValueError:
        return text


class Option(click.Option):
    """An option of a verb, in a section of its help."""

    def __init__(
        self, group: str, about: Argument, fact: Fact, help: str, *, is_repeated: bool
    ) -> None:
        with in_shell():
            flag = fact.flag or argument(about.name)
        self.heading = fact.heading or (GROUPS[group].heading if group in GROUPS else "Options")
        self._value = Value(about, fact)
        self._is_repeated = is_repeated
        is_many = is_repeated or about.is_several or about.is_named
        is_flag, is_grouped = about.kinds == {bool}, group == "asked" or group in GROUPS
        more: dict[str, Any] = {"is_flag": True, "default": False}
        if not is_flag:
            more = {
                "type": self._value,
                "metavar": self._value.shown,
                "multiple": is_many,
                "required": about.is_required,
                "shell_complete": partial(_offered, about=about, fact=fact),
            }
        super().__init__(
            [
                *filter(None, (fact.short, flag)),
                f"{group}__{about.name}" if is_grouped else about.name,
            ],
            help=_whole(help, "" if is_flag else _extra(about, self._value.limits)),
            **more,
        )

    def type_cast_value(self, ctx: Any, value: Any) -> Any:
        """Convert what was typed."""
        found = super().type_cast_value(ctx, value)
        if self._is_repeated:
            return list(found) or None
        return self._value.gathered(found) if self.multiple else found


class Place(click.Argument):
    """What is typed without an option."""

    heading = "Arguments"

    def __init__(self, about: Argument, fact: Fact, help: str) -> None:
        self.told, self._shown = help, fact.value
        super().__init__(
            [about.name],
            nargs=-1 if about.is_several else 1,
            required=about.is_required,
            metavar=fact.value if about.is_required else f"[{fact.value}]",
            shell_complete=partial(_offered, about=about, fact=fact),
        )

    def get_help_record(self, ctx: Any) -> tuple[str, str]:
        """Return its name and its help."""
        return self._shown, _whole(self.told, "required" if self.required else "")


def _whole(help: str, extra: str) -> str:
    return f"{help}  [{extra}]" if extra else help


def _extra(about: Argument, limits: str) -> str:
    default = about.default
    if isinstance(default, list | tuple):
        default = ", ".join(map(str, default))
    told = [] if default in (None, "", False) else [f"default: {default}"]
    return "; ".join([*told, *filter(None, [limits])])


def shell(text: str, names: Iterable[str]) -> str:
    """Take the marks out of a sentence of a docstring; an argument becomes its option."""
    known = {*names}

    def told(match: re.Match[str]) -> str:
        if match[1] is not None:
            return match[1]
        return flag(match[2]) if match[2] in known else match[2]

    return _TICKS.sub(told, text)


def flag(name: str) -> str:
    """Return the option of an argument."""
    with in_shell():
        return FACTS.get(name, Fact()).flag or argument(name)


def made(
    group: str, read: Signature, names: Iterable[str], *, repeats: Sequence[str] = ()
) -> Iterator[Option]:
    """Make the options of some arguments."""
    for name in names:
        about = read.arguments[name]
        yield Option(
            group,
            about,
            fact := FACTS.get(f"{group}.{name}") or FACTS.get(name) or Fact(),
            shell(about.help, read.arguments) + (" Repeatable." if fact.is_whole else ""),
            is_repeated=name in repeats,
        )


def of_verb(verb: Verb) -> Iterator[click.Parameter]:
    """Make the arguments and options of a verb."""
    own = signature(f"cli.{verb.run}")
    for name, about in own.arguments.items():
        if name == "asked":
            yield from _of_question(verb)
        elif name in GROUPS:
            yield from _of_group(name, verb)
        elif name != "name" and about.is_positional:
            yield Place(about, FACTS[name], about.help or FACTS[name].help)
        elif name not in ("name", *verb.leaves):
            yield from made(verb.run, own, [name])


def _of_question(verb: Verb) -> Iterator[Option]:
    """Make options of what the function takes beside the data, as far as it can be typed."""
    read = signature(verb.asks)
    _, *others = read.arguments.items()
    left = {*verb.leaves, *signature(GROUPS["rows"].place).arguments}
    typed = [name for name, one in others if name not in left and (one.kinds or one.choices)]
    yield from made("asked", read, typed, repeats=verb.repeats)


def _of_group(name: str, verb: Verb) -> Iterator[Option]:
    group = GROUPS[name]
    read = signature(group.place)
    left = {*group.leaves, *(verb.leaves if name != "reading" else ())}
    is_question = "asked" in signature(f"cli.{verb.run}").arguments
    if name == "rows" and is_question and "metric" not in signature(verb.asks).arguments:
        left |= {*OF_METRICS}
    yield from made(name, read, [one for one in group.names or read.arguments if one not in left])


def given_to(run: str, typed: Mapping[str, Any]) -> dict[str, Any]:
    """Sort what was typed into the arguments of the function that runs a verb.

    What was not typed is left out, so that it has the default of its function. A group that is a
    class becomes an object of it.
    """
    groups: dict[str, dict[str, Any]] = {
        name: {} for name in signature(f"cli.{run}").arguments if name == "asked" or name in GROUPS
    }
    own: dict[str, Any] = {}
    for key, value in typed.items():
        if not (value is None or value is False or value == ()):
            group, _, name = key.rpartition("__")
            (groups[group] if group else own)[name] = value
    return own | {name: _made(name, values) for name, values in groups.items()}


def _made(group: str, values: dict[str, Any]) -> Any:
    module, _, name = GROUPS[group].place.partition(":") if group in GROUPS else ("", "", "")
    if not module.startswith("cli."):
        return values
    return getattr(import_module(f"fiotools.{module}"), name)(**values)
