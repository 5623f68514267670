"""The sections of a page: each a heading, and a function that gives its pieces, or none.

An empty section is named at the end of the page, with the switch of the tool that would fill it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from fiotools import plot
from fiotools.display import layout
from fiotools.display.layout import given
from fiotools.files import short_names
from fiotools.plot.spec import CURVES, ROWS
from fiotools.reports.answers import tell
from fiotools.reports.asked import Asked, to_frame
from fiotools.reports.blocks import (
    Block,
    fold,
    link,
    listing,
    of_frame,
    of_sheet,
    paragraph,
    table,
    verdicts,
)
from fiotools.reports.cells import names_of
from fiotools.reports.figures import drawn
from fiotools.reports.findings import Comparison
from fiotools.reports.measured import cautions, measured
from fiotools.reports.sentences import UNKNOWN, across, sentences
from fiotools.reports.tables import archive
from fiotools.stats.cells import differs
from fiotools.stats.combine import fairness, threads_of
from fiotools.stats.crosstab import wide
from fiotools.stats.explain import METRICS, explain
from fiotools.stats.settings import settings_diff
from fiotools.stats.steady import steady
from fiotools.stats.summary import summarize
from fiotools.tables import naming
from fiotools.units import many
from fiotools.vocabulary import GRAVEST

_LATENCY = "lat_mean_ns"
_TABLE = 40  # rows of a table that is not folded
_ALL = 400  # rows of a table that is
_DOUBTS = 5
_CELLS = 6  # of a comparison that needs no cross table
_LINES = 10  # of a list that is not folded
_FEW = 3  # sentences that are given whole
_PANELS = 6
_LETTERS = 20  # of a line above a panel
_QUANTITIES = 4  # that are drawn over time
_SAMPLES = 20_000  # of one plot
_PERCENTILES = {
    "fio": "fio --output-format=json+ --percentile_list=50:99:99.9",
    "diskspd": "diskspd -L",
}
_TIMES = ["real_s", "user_s", "sys_s"]


@dataclass(frozen=True)
class Section:
    """A section of a page."""

    heading: str
    make: Callable[[Asked], Iterator[Block]]
    fills: Mapping[str, str] = field(default_factory=dict)  # by tool, "" for any

    def filled_by(self, asked: Asked) -> str:
        """Say what would fill the section with the tools that were used; nothing if they cannot."""
        tools = ["", *_tools(asked)]
        return "; ".join(self.fills[tool] for tool in tools if tool in self.fills)


def _tools(asked: Asked) -> list[str]:
    return [*dict.fromkeys(asked.results.runs["tool"])]


def credible(asked: Asked) -> Iterator[Block]:
    """Say what contradicts the numbers, and behind a fold all that was checked."""
    checks = asked.checks
    whole = layout.findings(layout.Frame(checks))
    yield paragraph(f"{whole.title[:1].upper()}{whole.title[1:]}.")
    grave = checks[checks["verdict"].isin(GRAVEST[:2])]
    limits = [] if asked.campaign is None else cautions(asked.campaign)
    if doubts := [*_doubts(grave, checks), *(("", one) for one in limits)]:
        yield listing(doubts, "doubts")
    whole.title = ""
    yield fold(f"all {many(len(checks), 'finding')}, and what would decide more", of_sheet(whole))


def _doubts(grave: pd.DataFrame, checks: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Say each accusation once, the gravest first: in how many runs, and one of its reasons."""
    every = len(checks[["source", "run"]].drop_duplicates())
    order = grave.assign(rank=grave["verdict"].map(GRAVEST.index)).sort_values(
        "rank", kind="stable"
    )
    kinds = [*order.groupby(["rank", "verdict", "check"], sort=False)]
    for (_, verdict, name), own in kinds[:_DOUBTS]:
        some = len(own[["source", "run"]].drop_duplicates())
        of = f", {some} of {every} runs" if every > 1 else ""
        yield f"{verdict} ({name}{of})", str(own["why"].iloc[0])
    if len(kinds) > _DOUBTS:
        yield "", f"and {many(len(kinds) - _DOUBTS, 'other check')}"


def verdict(asked: Asked) -> Iterator[Block]:
    """Say what was found of each side, over all cells and in each."""
    one = asked.comparison
    if one is None:
        return
    if one.answer is None:
        yield paragraph(f"Not compared: {one.problem}.")
        return
    is_unlike = len(asked.results.settings) > 0 and len(_differing(asked)) > 0
    lone = one.answer["verdict"].eq("one run").sum() > 1
    said = [*(["settings", "sides"] if is_unlike else []), *(["unknown"] if lone else [])]
    whole = [across(own, said) for own in asked.found if len(own.cells) > 1]
    each = sentences(one.answer, said)
    if whole and len(one.answer) > _FEW:
        yield verdicts(whole)
        yield fold("each cell alone", verdicts(each), printed=True)
    else:
        yield verdicts([*whole, *each])
    if len(one.answer) > _CELLS:
        yield of_frame(wide(one.answer))
    known = one.answer[one.answer["ratio"].notna()]
    says_more = len(known) > 1 or known["ratio_lo"].notna().any()
    if says_more and len(known) <= ROWS:
        yield drawn(
            f"Ratios of {naming.short(one.metric)} to {one.baseline}",
            f"Each point is a side divided by {one.baseline}; a bar is the 95 % interval.",
            plot.ratios,
            known,
        )
    how = [f"{UNKNOWN[0].upper()}{UNKNOWN[1:]}: three runs a side would tell it"] if lone else []
    how += (
        ["The sides differ in options or tools, too: they are listed under Options and tools"]
        if is_unlike
        else []
    )
    if silent := _silent(asked, one):
        how.append(f"{', '.join(silent)}: left out, without {naming.short(one.metric)}")
    yield from (paragraph(f"{text}.", "how") for text in how)
    # the sentences have the cautions, and Options and tools what differs
    said_above = dict.fromkeys(("flags", "details", "settings_differ", "varies_in"))
    yield fold("the numbers", of_frame(one.answer.assign(**said_above)))


def _silent(asked: Asked, one: Comparison) -> list[str]:
    """Name the sides without a number of the metric."""
    every = asked.results.runs if one.between in asked.results.runs else one.frame
    there = {one.baseline}
    if one.answer is not None:
        there |= {*one.answer[one.answer["ratio"].notna()][one.between]}
    return [str(side) for side in dict.fromkeys(every[one.between].dropna()) if side not in there]


def runs_in_numbers(asked: Asked) -> Iterator[Block]:
    """Tabulate all runs, as the terminal does."""
    rows = asked.overview
    if len(rows) <= _TABLE:
        yield of_frame(rows)
        return
    by = [*_cells(asked, frame := _rows(asked)), *([asked.between] if asked.between else [])]
    if asked.metric and by:
        own = frame[[*dict.fromkeys(["source", "run", *by, asked.metric])]]
        cells = to_frame(summarize(own, asked.metric, by=by))
        told = of_frame(cells, _ALL)
        yield told if len(cells) <= _TABLE else fold(f"each of {len(cells)} cells", told)
    yield fold(f"all {many(len(rows), 'row')}", of_frame(rows, _ALL))


def runs_drawn(asked: Asked) -> Iterator[Block]:
    """Draw a sweep as curves, other runs as points."""
    if asked.metric is None or len(asked.results.runs) < 2:
        return
    frame = _rows(asked)
    if asked.swept:
        yield from _sweep(asked, frame)
    else:
        yield _points(asked, frame, asked.metric)


def _sweep(asked: Asked, frame: pd.DataFrame) -> Iterator[Block]:
    """Draw a curve for each side; two swept conditions make a grid, too."""
    x, *others = asked.swept
    one = asked.comparison
    if others and one is not None and one.answer is not None:
        answer = one.answer[one.answer["ratio"].notna()]
        apart = [name for name in (*_cells(asked, answer), one.between) if name in answer]
        answer, first = _panels(answer, [name for name in apart if name not in asked.swept[:2]])
        yield drawn(
            f"Ratios for each {naming.short(x)} and {naming.short(others[0])}",
            f"Each field is the ratio to the baseline under these two conditions.{first}",
            plot.grid,
            answer,
            x=x,
            y=others[0],
            by=["cell"] if "cell" in answer else None,
        )
    hue = asked.between or next(iter(others), None)
    frame, first = _panels(frame, [one for one in _cells(asked, frame) if one not in (x, hue)])
    yield drawn(
        f"{naming.short(asked.metric or '')} by {naming.short(x)}",
        f"How {naming.short(asked.metric or '')} changes with {naming.short(x)}.{first}",
        plot.sweep,
        frame,
        asked.metric,
        x=x,
        hue=hue,
        by=["cell"] if "cell" in frame else None,
    )


def _points(asked: Asked, frame: pd.DataFrame, metric: str) -> Block:
    """Draw each run as a point: a panel for each cell, or if these are many, a row."""
    y, cells = asked.rows, _cells(asked, frame)
    if y == "source":
        names = dict.fromkeys(frame["source"])
        frame = frame.assign(
            source=frame["source"].map(dict(zip(names, short_names([*names]), strict=True)))
        )
    named: dict[str, Any] = {"y": y}
    told = names_of(frame, cells)
    if len({*told}) > _PANELS and frame[y].nunique() <= CURVES:
        frame, named = frame.assign(cell=told), {"y": "cell", "hue": y}
    elif any(told):
        frame, named = frame.assign(cell=told), {"y": y, "by": ["cell"]}
    first = ""
    if frame[named["y"]].nunique() > ROWS:
        there = [*frame[named["y"]].unique()]
        frame = frame[frame[named["y"]].isin(there[:ROWS])]
        first = f" The first {ROWS} of {len(there)}."
    return drawn(
        f"{naming.short(metric)} of each run",
        f"How far the runs lie apart.{first}",
        plot.repeats,
        frame.drop(columns="direction", errors="ignore") if "direction" in cells else frame,
        metric,
        **named,
    )


def latency(asked: Asked) -> Iterator[Block]:
    """Draw percentiles; or where none are known, the mean latencies."""
    results = asked.results
    there = {*results.percentiles["latency"]}
    kind = next((one for one in ("lat", "clat") if one in there), None)
    if kind is None:
        frame = _rows(asked) if asked.metric else pd.DataFrame()
        if _LATENCY in frame and frame[_LATENCY].notna().any() and len(results.runs) > 1:
            yield _points(asked, frame[frame[_LATENCY].notna()], _LATENCY)
            if how := "; ".join(_PERCENTILES[one] for one in _tools(asked) if one in _PERCENTILES):
                yield paragraph(f"No percentiles are in these files: {how} prints them.", "how")
        return
    frame = results.percentiles[results.percentiles["latency"] == kind]
    hue = next(
        one
        for one in (asked.between, *asked.swept, "source")
        if one and (one == "source" or differs(frame, one))
    )
    if hue == "source" and frame["source"].nunique() > CURVES:
        yield paragraph(
            f"{many(frame['source'].nunique(), 'file')} have too many curves for a plot: the table "
            "above has their percentiles.",
            "how",
        )
        return
    frame = _shortened(frame)
    frame, first = _panels(frame, [one for one in _cells(asked, frame) if one != hue])
    whole = {"lat": "from request to completion", "clat": "from submission to completion"}[kind]
    yield drawn(
        f"Percentiles of {kind}",
        f"How long the slowest I/Os took, {whole}: at 99, one of a hundred I/Os took longer; each "
        f"further nine is one step to the right.{first}",
        plot.percentiles,
        frame,
        hue=hue,
        by=["cell"] if "cell" in frame else None,
    )


def threads(asked: Asked) -> Iterator[Block]:
    """Say and draw how fairly threads that ran side by side were served."""
    own = getattr(asked.results, threads_of(asked.results, {}))
    own = own[own["clones"].eq(1)]
    if not len(own) or own.groupby(["source", "run", "direction"]).size().max() < 2:
        return
    results = asked.results
    if len(asked.results.threads):
        results = results.where(direction="total")
    answer = to_frame(fairness(results, by=asked.rows))
    if answer["jain"].isna().all():  # tests one after the other
        return
    yield listing((one.head, one.rest) for one in tell(answer).sentences)
    yield drawn(
        "IOPS of each thread",
        "Each point is a thread: the further apart, the less fair.",
        plot.fairness,
        results,
        y=asked.rows,
    )


def timings(asked: Asked) -> Iterator[Block]:
    """Draw where the wall time of commands went."""
    own = asked.results.timings
    own = own[own[_TIMES].notna().all(axis=1)]
    if not len(own):
        return
    yield drawn(
        "Parts of the wall time of each command",
        "What the wall time of each command was spent on; waiting is for storage, or for others.",
        plot.timings,
        own,
        y=asked.rows if asked.rows in own else "source",
        by=[one for one in asked.by if one in own] or None,
    )


def over_time(asked: Asked) -> Iterator[Block]:
    """Draw each quantity of a log, and where it was steady."""
    samples = asked.results.samples
    for quantity in samples["quantity"].dropna().unique()[:_QUANTITIES]:
        own = samples[samples["quantity"] == quantity]
        apart = [one for one in (asked.between, "source", "direction") if one]
        hue = next((one for one in apart if differs(own, one)), None)
        if len(own) > _SAMPLES:
            rows = f"{len(own):,} samples of {quantity}"
            yield paragraph(
                f"{rows} are too many to draw here: fiotools window sums them up.", "how"
            )
            continue
        told = None if hue else steady(own, quantity)
        own = _shortened(own)
        yield drawn(
            f"{naming.short(quantity)} over time",
            "How it changed during the run.",
            plot.series,
            own,
            quantity,
            hue=hue,
            steady=told,
        )


def reasons(asked: Asked) -> Iterator[Block]:
    """Say what explains the difference, or what limits one side."""
    one = asked.comparison
    if asked.metric not in METRICS or (one is not None and one.answer is None):
        return
    facts = {one: asked.known[one] for one in ("ram", "link", "media") if one in asked.known}
    by = [one for one in asked.by if one != "direction"]
    answer = to_frame(
        explain(
            asked.results,
            asked.metric if asked.between else None,
            between=asked.between,
            baseline=asked.baseline,
            by=by or None,
            **facts,
        )
    )
    said = tell(answer).sentences
    told = listing(
        (one.head, one.rest) if len(said) <= _FEW and one.rest else one.head for one in said
    )
    yield told if len(said) <= _LINES else fold(f"each of {len(said)} cells", told, printed=True)
    yield fold("the parts and their arithmetic", of_frame(answer, _ALL))


def differences(asked: Asked) -> Iterator[Block]:
    """List the options and tools in which the sides differ, and all options behind a fold."""
    own = asked.results.settings
    if asked.between is not None and len(own):
        differ = _differing(asked)
        alike = "The sides had the same options and tools, except for names of files and folders."
        yield of_frame(differ) if len(differ) else paragraph(alike)
    if len(own):
        each = own.drop_duplicates(["option", "text"]).groupby("option", sort=False)
        rows = [
            (option, ", ".join(dict.fromkeys(map(given, texts["text"].fillna("")))))
            for option, texts in each
        ]
        yield fold(f"all {many(len(rows), 'option')}", table([], rows), printed=True)


def _differing(asked: Asked) -> pd.DataFrame:
    baseline = asked.baseline if asked.comparison is None else asked.comparison.baseline
    between = str(asked.between)
    return to_frame(settings_diff(asked.results, between=between, baseline=baseline))


def raw_tables(asked: Asked) -> Iterator[Block]:
    """Carry all tables and the outputs of the tools along, in an archive to save from the page."""
    content, listed = archive(asked)
    yield link("data.zip", "data.zip", content, ": all tables, in base units, and the raw outputs.")
    yield fold(f"{many(len(listed), 'part')} of data.zip", table([], listed))


def notes(asked: Asked) -> Iterator[Block]:
    """List what was noticed while reading, each kind once."""
    every = asked.results.notes
    order = ["error", "warning", "info"]
    rows: list[tuple[str, str, str]] = []
    for (severity, message), own in every.groupby(["severity", "message"], sort=False):
        files = [*dict.fromkeys(own["source"])]
        others = f" and {many(len(files) - 1, 'other file')}" if files[1:] else ""
        rows.append((str(severity), f"{files[0]}{others}", str(message)))
    rows.sort(key=lambda row: order.index(row[0]))
    if rows:
        told = table(["severity", "file", "note"], rows)
        yield told if len(rows) <= _LINES else fold(f"{len(rows)} kinds of notes", told)


def _rows(asked: Asked) -> pd.DataFrame:
    """Return the rows to draw: those that were compared, else all that have the metric."""
    one = asked.comparison
    if one is not None and one.answer is not None:
        return one.frame
    own = asked.results.io if asked.metric in asked.results.io else asked.results.timings
    return own[own[asked.metric].notna()]


def _cells(asked: Asked, frame: pd.DataFrame) -> list[str]:
    """Name the columns of the cells that a frame has, with the direction."""
    names = dict.fromkeys((*asked.by, "direction"))
    return [one for one in names if differs(frame, one)]


def _shortened(frame: pd.DataFrame) -> pd.DataFrame:
    """Name files by what sets them apart."""
    files = [*dict.fromkeys(frame["source"])]
    names = dict(zip(files, short_names(files), strict=True))
    return frame.assign(source=frame["source"].map(names))


def _panels(frame: pd.DataFrame, by: Sequence[str]) -> tuple[pd.DataFrame, str]:
    """Name the panel of each row in the column ``cell``; of many, keep the first, and say so."""
    told = names_of(frame, by)
    there = [*dict.fromkeys(told)]
    if len(there) < 2:
        return frame, ""
    lines = {name: textwrap.fill(name, _LETTERS) for name in there}  # panels stand side by side
    frame = frame.assign(cell=[lines[name] for name in told])
    if len(there) <= _PANELS:
        return frame, ""
    kept = frame[[name in there[:_PANELS] for name in told]]
    return kept, f" The first {_PANELS} of {len(there)} panels."


SECTIONS = (
    Section("Can it be true?", credible),
    Section(
        "The verdict",
        verdict,
        {"": "give two files or folders, each a side, or name the column of the sides"},
    ),
    Section("The runs in numbers", runs_in_numbers),
    Section("The runs", runs_drawn),
    Section(
        "Latency",
        latency,
        _PERCENTILES,
    ),
    Section(
        "The threads",
        threads,
        {"diskspd": "diskspd -t2 or more"},
    ),
    Section(
        "Where the time went",
        timings,
        {"dd": "time dd ...", "hyperfine": "hyperfine --export-json FILE"},
    ),
    Section(
        "Over time",
        over_time,
        {
            "fio": "fio --write_bw_log=NAME --write_iops_log=NAME --write_lat_log=NAME",
            "diskspd": "diskspd -D",
            "dd": "dd status=progress",
        },
    ),
    Section("What explains it?", reasons),
    Section("Options and tools", differences),
    Section("How it was measured", measured),
    Section("The raw tables", raw_tables),
    Section("What was noticed while reading the files", notes),
)
