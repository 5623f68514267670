"""What a verb of the command line is, and options that are declared once for several verbs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_args, get_type_hints


@dataclass(frozen=True)
class Command:
    """One verb.

    Attributes
    ----------
    run : callable
        Its function: the name is the verb, the docstring its help, the parameters its arguments
        and options. A dataclass among these is a group of options: its fields, under its docstring
        in the help. It returns the exit code.
    examples : tuple of str
        What to type, without ``fiotools``; shown below the help.
    """

    run: Callable[..., int]
    examples: tuple[str, ...]

    @property
    def epilog(self) -> str:
        """The examples as typer takes them: after a backspace it keeps the lines as they are."""
        lines = [f"  fiotools {example}" for example in self.examples]
        return "\n".join(["\b", "Examples:", *lines])


def spread(run: Callable[..., int]) -> Callable[..., int]:
    """Give a function whose parameters are plain: a dataclass among them is taken apart.

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
    """List the options of a group, under its heading; a group of groups has none."""
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
    """Make a group of the options that were given, which are taken out."""
    hints = get_type_hints(group)
    return group(
        **{
            field.name: _made(hints[field.name], given)
            if is_dataclass(hints[field.name])
            else given.pop(field.name)
            for field in fields(group)
        }
    )
