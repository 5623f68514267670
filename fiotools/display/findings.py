"""The layout of an answer of `check`: gravest first, the observed value against the limit.

A finding that several runs share has one row. If it is impossible or suspect, it has a row for each
different number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fiotools.display import cells
from fiotools.display.frame import Frame
from fiotools.display.layout import first_rows
from fiotools.display.model import Column, Sheet
from fiotools.files.path_labels import common_folder
from fiotools.language import counted, listed, say, spoken
from fiotools.plain_text import printable
from fiotools.schema import ANSWERS

_GRAVEST = ("impossible", "suspect", "unknown", "ok")
_FIGURE = re.compile(r"(?<![\w.=-])\d[\d.,]*(?: (?:[kMGTP]?i?B|B|s|[mµn]s)(?:/s)?)?(?![\w])")
_WRAPS = 44  # letters that a line has at least: these sentences are long


@dataclass(frozen=True)
class _Finding:
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


def sheet(frame: Frame, *, ok: bool = True) -> Sheet:
    """Lay out an answer of `check`; without ``ok``, findings that are ok are only counted."""
    columns = frame.whole()
    labels = [name for name in columns if name not in (*ANSWERS["check"], "source", "run")]
    runs = set(zip(columns["source"], columns["run"], strict=True))
    folder = "" if labels else common_folder(map(_text, columns["source"]))
    where = labels or ["source"] if len(runs) > 1 else []
    said: dict[tuple[str, ...], list[_Finding]] = {}
    for one in _findings(columns, where, folder):
        if ok or one.verdict != "ok":
            own = one.verdict in _GRAVEST[:2]  # an accusation stands with its own figures
            words = (one.why, one.against) if own else (_FIGURE.sub("…", one.why),)
            said.setdefault((one.verdict, one.check, one.remedy, *words), []).append(one)
    order = [*_GRAVEST, *map(_text, [*columns["verdict"], *columns["check"]])]
    groups = sorted(said.items(), key=lambda group: tuple(map(order.index, group[0][:2])))
    shown = groups[: frame.rows]
    made = [
        Column("verdict", [key[0] for key, _ in shown], keep=3),
        Column("check", [spoken(key[1]) for key, _ in shown], keep=2),
        Column(
            say("of"),
            [_few([one.place for one in group]) for _, group in shown],
            keep=4,
            wraps=_WRAPS,
            joins="",
        ),
        Column(
            say("observed vs limit"), [_alike([one.against for one in group]) for _, group in shown]
        ),
        Column(
            say("why"),
            [_in_words_of_all([one.why for one in group]) for _, group in shown],
            keep=4,
            wraps=_WRAPS,
            joins=": ",
        ),
        Column(
            say("what to do"),
            [key[2] for key, _ in shown],
            keep=4,
            wraps=_WRAPS,
            joins="\n> ",
            once=True,
        ),
    ]
    counts = Counter(columns["verdict"])
    told = listed(f"{counts[verdict]} {say(verdict)}" for verdict in _GRAVEST)
    notes = [first_rows(len(shown), len(groups))] if len(shown) < len(groups) else []
    where_of = counted(len(runs), "{n} run", "{n} runs")
    where_of = say("{runs} in {folder}", runs=where_of, folder=folder) if folder else where_of
    title = say("{name}: {text}", name=where_of, text=told)
    return Sheet([one for one in made if any(one.cells)], title, notes)


def _findings(
    columns: Mapping[str, list[Any]], where: list[str], folder: str
) -> Iterator[_Finding]:
    """Read the rows; ``where`` names the columns that name a run."""
    for values in zip(*columns.values(), strict=True):
        row = dict(zip(columns, values, strict=True))
        place = [_text(row[name]).removeprefix(folder) for name in where]
        place += [say("run {n}", n=row["run"])] if row["run"] != 1 else []
        yield _Finding(
            _text(row["verdict"]),
            _text(row["check"]),
            " ".join(dict.fromkeys([*place, _text(row["subject"])])),
            _against(row),
            _text(row["why"]),
            _text(row["remedy"]),
        )


def _in_words_of_all(whys: list[str]) -> str:
    """Write a sentence of several runs, without the numbers that differ."""
    figures = zip(*map(_FIGURE.findall, whys), strict=False)
    common = iter([_alike(every) or "…" for every in figures])
    return _FIGURE.sub(lambda _: next(common, "…"), whys[0])


def _alike(texts: Sequence[str]) -> str:
    """Give what all say; nothing if they do not say the same."""
    return texts[0] if len(set(texts)) == 1 else ""


def _few(places: list[str]) -> str:
    """Name the first two places, and count the rest."""
    named = list(dict.fromkeys(places))
    more = [say("and {n} more", n=len(named) - 2)] if len(named) > 2 else []
    return listed([*named[:2], *more])


def _against(row: Mapping[str, Any]) -> str:
    """Write the observed against the limit, as far as they are known."""
    unit = "" if cells.is_missing(row["unit"]) else str(row["unit"])
    ends = [end for end in (row["observed"], row["limit"]) if not cells.is_missing(end)]
    texts = [cells.cell(end, unit) for end in ends]
    return " vs ".join(texts) if not cells.is_missing(row["observed"]) else ""


def _text(value: object) -> str:
    return "" if cells.is_missing(value) else printable(str(value))
