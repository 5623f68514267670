"""What a verb of the command line is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """One verb.

    Attributes
    ----------
    run : callable
        Its function: the name is the verb, the docstring its help, the parameters its arguments
        and options. It returns the exit code.
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
