"""`fiotools measure`: the articles' procedures, run on places of one's own."""

from __future__ import annotations

from fiotools.cli.command import Command
from fiotools.measure.command import EXAMPLES, measure

COMMAND = Command(measure, EXAMPLES)
