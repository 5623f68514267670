"""What `check` found, gravest first: of what, what was asked, and the observed against the limit.

What is said of several runs in the same words stands there once. What is impossible or suspect has
its own row wherever its numbers differ.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fiotools.display import cells
from fiotools.display.sheet import Sheet, Shown
from fiotools.display.text import many, printable
from fiotools.schema import ANSWERS

if TYPE_CHECKING:
    import polars as pl

    from fiotools.display.table import Table

GRAVEST = ("impossible", "suspect", "unknown", "ok")
_NUMBER = re.compile(r"\d[\d.,]*")


@dataclass(frozen=True)
class Finding:
    """One row of the answer, as texts.

    Attributes
    ----------
    place : str
        The run, where there are several, and what of it was looked at.
    against : str
        The observed, and the limit that it is held against.
    """

    verdict: str
    check: str
    place: str
    against: str
    why: str
    remedy: str


def findings(columns: Mapping[str, Any] | pl.DataFrame) -> Iterator[Finding]:
    """Read the rows of an answer of `check`: a frame, or its columns by name."""
    names = list(columns if isinstance(columns, Mapping) else columns.columns)
    labels = [name for name in names if name not in (*ANSWERS["check"], "source", "run")]
    several = len(set(zip(columns["source"], columns["run"], strict=True))) > 1
    for values in zip(*(list(columns[name]) for name in names), strict=True):
        row = dict(zip(names, values, strict=True))
        place = [_text(row[name]) for name in labels or ["source"] if several]
        place += [f"run {row['run']}"] if row["run"] != 1 else []
        yield Finding(
            _text(row["verdict"]),
            _text(row["check"]),
            " ".join(dict.fromkeys([*place, _text(row["subject"])])),
            _against(row),
            _text(row["why"]),
            _text(row["remedy"]),
        )


def counts(verdicts: Any) -> str:
    """Count the verdicts, gravest first."""
    found = Counter(verdicts)
    return ", ".join(f"{found[verdict]} {verdict}" for verdict in GRAVEST)


def few(places: list[str]) -> str:
    """Name the first two places, and count the rest."""
    named = list(dict.fromkeys(places))
    return ", ".join(named[:2]) + (f" and {len(named) - 2} more" if len(named) > 2 else "")


def sheet(table: Table) -> Sheet:
    """Lay out an answer of `check`."""
    said: dict[tuple[str, ...], list[Finding]] = {}
    whole = table.whole()
    for one in findings(whole):
        own = one.verdict in GRAVEST[:2]
        words = (one.why, one.against) if own else (_NUMBER.sub("#", one.why),)
        said.setdefault((one.verdict, one.check, one.remedy, *words), []).append(one)
    order = [*GRAVEST, *map(_text, [*whole["verdict"], *whole["check"]])]
    groups = sorted(
        said.values(), key=lambda group: tuple(map(order.index, (group[0].verdict, group[0].check)))
    )
    shown = groups[: table.rows]
    firsts = [group[0] for group in shown]
    alike = [{one.why for one in group} for group in shown]
    whys = [
        one.why + (" (and others in such words)" if len(whys) > 1 else "")
        for one, whys in zip(firsts, alike, strict=True)
    ]
    against = [
        one.against if len({other.against for other in group}) == 1 else ""
        for one, group in zip(firsts, shown, strict=True)
    ]
    made = [
        Shown("verdict", [one.verdict for one in firsts]),
        Shown("check", [one.check for one in firsts]),
        Shown("of", [few([one.place for one in group]) for group in shown], wraps=True),
        Shown("observed vs limit", against),
        Shown("why", whys, wraps=True),
        Shown("what to do", [one.remedy for one in firsts], wraps=True, once=True),
    ]
    runs = len(set(zip(whole["source"], whole["run"], strict=True)))
    title = f"{many(runs, 'run')}: {counts(whole['verdict'])}"
    notes = [f"the first {len(shown)} of {len(groups)} rows"] if len(shown) < len(groups) else []
    return Sheet([one for one in made if any(one.cells)], title, notes)


def _against(row: Mapping[str, Any]) -> str:
    """Write the observed against the limit, as far as they are known."""
    unit = "" if cells.is_missing(row["unit"]) else str(row["unit"])
    ends = [end for end in (row["observed"], row["limit"]) if not cells.is_missing(end)]
    texts = [cells.cell(end, unit) for end in ends]
    return " vs ".join(texts) if not cells.is_missing(row["observed"]) else ""


def _text(value: object) -> str:
    return "" if cells.is_missing(value) else printable(str(value))
