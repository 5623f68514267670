"""What a verb of the command line is, and options that are declared once for several verbs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
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
        if not is_dataclass(one.annotation):
            plain.append(one.replace(kind=one.KEYWORD_ONLY))
            continue
        groups[one.name] = one.annotation
        heading = str(inspect.getdoc(one.annotation)).rstrip(".")
        hints = get_type_hints(one.annotation, include_extras=True)
        plain += [
            inspect.Parameter(
                field.name,
                one.KEYWORD_ONLY,
                default=field.default,
                annotation=_under(heading, hints[field.name]),
            )
            for field in fields(one.annotation)
        ]

    @wraps(run)
    def plainly(**given: Any) -> int:
        made = {
            name: group(**{one.name: given.pop(one.name) for one in fields(group)})
            for name, group in groups.items()
        }
        return run(**given, **made)

    vars(plainly)["__signature__"] = own.replace(parameters=plain)
    plainly.__annotations__ = {one.name: one.annotation for one in plain}
    return plainly


def _under(heading: str, annotation: Any) -> Any:
    """Give an option of a group the heading of its section."""
    kind, option = get_args(annotation)
    option = copy(option)
    option.rich_help_panel = heading
    return Annotated[kind, option]
