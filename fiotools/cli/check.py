"""`fiotools check`: the numbers against what people know and files do not say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fiotools.cli.output import Shown, give, wrong_command
from fiotools.cli.sources import Reading, read_all
from fiotools.units import many
from fiotools.vocabulary import GRAVEST

if TYPE_CHECKING:
    import polars as pl

    from fiotools.display.columns import Sheet

_STRICT = 3
_OF_SIDES = ("between", "baseline", "sides", "copies")


def is_compared(known: Mapping[str, Any]) -> bool:
    """Whether sides are compared, and not each run alone checked."""
    return any(name in known for name in _OF_SIDES)


def refuse_nonsense(known: Mapping[str, Any]) -> None:
    """Check what is known among the arguments, before many files are read."""
    from fiotools.stats.check.evidence import Evidence, evidence

    given = {name: one for name, one in known.items() if name in Evidence.__dataclass_fields__}
    sides = {"between": "some", "baseline": "some"} if is_compared(given) else {}
    with wrong_command():
        evidence(**{**given, **sides})


def checked(read: Reading, known: Mapping[str, Any]) -> pl.DataFrame:
    """Check what was read."""
    from fiotools.stats.check import answer
    from fiotools.stats.check.evidence import evidence

    sides = _sides(read, known) if is_compared(known) else {}
    return answer(read.results, evidence(**{**known, **sides}))


def _sides(read: Reading, known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the column of the sides and the baseline: as they were typed, or the first."""
    from fiotools.stats import question
    from fiotools.tables import naming

    runs = read.table("runs")
    typed = known.get("between") or question.sides_of(read.results, runs)
    between = naming.found(typed, runs, "--between")
    baseline = known.get("baseline")
    if baseline is not None:
        baseline = naming.value_of(runs, between, baseline)
    elif between == "label" and read.first is not None:
        baseline = read.first
    else:
        baseline = question.first_level(runs, between, read.results)
    return {"between": between, "baseline": baseline}


def check(
    files: Sequence[str],
    *,
    asked: dict[str, Any],
    every_row: bool = False,
    strict: bool = False,
    shown: Shown,
    reading: dict[str, Any],
) -> int:
    """Check whether the numbers of every run can be true: ok, note, suspect, impossible, unknown.

    Tell what you know and the files do not: the more is known, the less stays unknown. The exit
    code is 0, whatever it finds, unless --strict is given.

    Parameters
    ----------
    every_row : bool
        Show the ok rows too.
    strict : bool
        Exit with 3 if anything is impossible or suspect.
    """
    refuse_nonsense(asked)
    read = read_all(files, reading, label=is_compared(asked))
    with read.working("checking"):
        answer = checked(read, asked)
    give(shown, [answer], lambda one: _sheet(one, every=every_row), read.results)
    if strict and not read.code and answer["verdict"].is_in(GRAVEST[:2]).any():
        return _STRICT
    return read.code


def _sheet(answer: pl.DataFrame, *, every: bool) -> Sheet:
    from fiotools.display import layout

    made = layout.findings(layout.Frame(answer), ok=every)
    ok = int((answer["verdict"] == "ok").sum())
    if ok and not every:
        made.notes.append(f"{many(ok, 'ok finding')} hidden: --all shows them")
    return made
