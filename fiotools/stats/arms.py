"""The two sides of a comparison: their runs, their cells, what order may do, and their options."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log, sqrt
from typing import TYPE_CHECKING, Any, TypeAlias

from narwhals.typing import IntoDataFrame, IntoDataFrameT

from fiotools import units
from fiotools.errors import SchemaError, argument, typed
from fiotools.stats import frames, replicates
from fiotools.stats.frames import AnswerRow, Frame, Key
from fiotools.stats.replicates import Order, Runs
from fiotools.vocabulary import COLUMNS, CONDITIONS, EVERY

if TYPE_CHECKING:
    from fiotools.stats.drift import Side


_PLACE_OPTIONS = {
    *("filename", "directory", "if", "of", "Path", "path", "name", "output", "job"),
    *("write_bw_log", "write_iops_log", "write_lat_log", "write_hist_log"),
}
# fio's, in which "1m" is a minute
_DURATIONS = {"runtime", "timeout", "ramp_time", "startdelay", "thinktime"}

OptionTexts: TypeAlias = Mapping[str, Collection[str]]  # all texts of each


@dataclass(frozen=True)
class Replicate:
    """One run: the logarithm of its value in each cell, its pair, and its place in the order."""

    key: Key
    cells: dict[Key, float]
    pair: Any = None
    place: Any = None

    @property
    def log(self) -> float:
        """Its one number: the mean over its cells, which is their geometric mean in logarithms."""
        return sum(self.cells.values()) / len(self.cells)


@dataclass(frozen=True)
class Arms:
    """The runs of both sides.

    `dims` are unnamed conditions that vary within a side: they make its cells, each with runs of
    its `own`, or else each run went through all. `over` is the column of which each run has its
    own value, such as "15 values of workload".
    """

    level: list[Replicate]
    baseline: list[Replicate]
    dims: list[str]
    own: bool
    order: Order | None = None
    over: str | None = None

    def runs_by_cell(self) -> list[tuple[list[Replicate], list[Replicate]]]:
        """Give the runs of level and baseline in each cell that is analysed on its own."""
        return [*self.of_cells().values()] if self.own else [(self.level, self.baseline)]

    def of_cells(self) -> dict[Key, tuple[list[Replicate], list[Replicate]]]:
        """Give the runs of level and baseline that went through each cell."""
        found: dict[Key, tuple[list[Replicate], list[Replicate]]] = {}
        for place, side in enumerate((self.level, self.baseline)):
            for run in side:
                for cell in run.cells:
                    found.setdefault(cell, ([], []))[place].append(run)
        return found

    def by_cell(self) -> list[tuple[list[float], list[float]]]:
        """Give the logarithms of the same runs, of which each has but one number."""
        return [
            ([run.log for run in level], [run.log for run in baseline])
            for level, baseline in self.runs_by_cell()
        ]


def arms_of(runs: Runs[Any], level: Sequence[int], baseline: Sequence[int]) -> Arms:
    """Make replicates of both sides; refuse runs without one number, and cells of one side only."""
    lists = {name: column for name, column in runs.watch.items() if name in CONDITIONS}
    within = {*frames.differing(lists, level), *frames.differing(lists, baseline)}
    dims = [name for name in lists if name in within]
    pairs, order = runs.pairs, runs.order

    def side(rows: Sequence[int]) -> list[Replicate]:
        found, partners = [], dict[Any, int]()
        for key, own in frames.rows_by(runs.keys, rows).items():
            cells = {
                tuple(lists[name][row] for name in dims): log(runs.numbers[row]) for row in own
            }
            if len(cells) < len(own):
                raise replicates.refuse_several(runs.data, own, key)
            first, partner = own[0], pairs and pairs[own[0]]
            if partner is not None and partners.setdefault(partner, first) != first:
                raise _no_pairs(runs, [partners[partner], first])
            found.append(Replicate(key, cells, partner, order and order.places[first]))
        return found

    a, b = side(level), side(baseline)
    _refuse_shared(a, b, paired=pairs is not None)
    over = _over(runs, level, baseline)
    return Arms(a, b, dims, _own_cells(a, b, dims), order, over)


def _over(runs: Runs[Any], level: Sequence[int], baseline: Sequence[int]) -> str | None:
    """Name the condition, target or label of which each run of a side has its own value."""
    if pairs := runs.pairs:
        count = len({pairs[row] for row in level} & {pairs[row] for row in baseline} - {None})
        return f"{count} values of {runs.pair!r}" if count > 1 and not runs.has_rounds else None
    for name, values in runs.watch.items():
        sides = [[values[row] for row in side] for side in (level, baseline)]
        if name not in CONDITIONS and all(
            1 < len(side) == len(frames.distinct(side)) for side in sides
        ):
            return f"{len(sides[0])} values of {name!r}"
    return None


def _no_pairs(runs: Runs[Any], rows: Sequence[int]) -> SchemaError:
    """Build the error for two runs of a side with the same partner."""
    data, pair, value = runs.data, runs.pair, runs.pairs and runs.pairs[rows[0]]
    both = ", ".join(replicates.run_name(runs.keys[row]) for row in rows)
    head = f"{pair} {value!r} has more than one run on a side ({both}): no pairs"
    # labels, and whole numbers such as a round
    own = [name for name, kind in data.schema.items() if name not in EVERY and not kind.is_float()]
    apart = frames.differing(frames.columns(data, [*CONDITIONS, *own]), rows)
    if not apart:
        return SchemaError(f"{head}; keep one of them")
    name = apart[0]
    return SchemaError(
        f"{head}; "
        + typed(f"add {name!r} to by=", f"--by {name}")
        + f", or keep one: {frames.to_type(data, name, frames.values(data, name)[rows[0]])}"
    )


def _own_cells(level: list[Replicate], baseline: list[Replicate], dims: list[str]) -> bool:
    """Say whether cells have their own runs; refuse sides with different cells."""
    if not dims or not level or not baseline:
        return False
    shapes = {frozenset(run.cells) for run in (*level, *baseline)}
    if len(shapes) == 1:
        return False
    covered = [{cell for run in side for cell in run.cells} for side in (level, baseline)]
    if covered[0] == covered[1] and all(len(shape) == 1 for shape in shapes):
        return True
    raise SchemaError(
        f"the runs do not all hold the same cells of {', '.join(dims)}: "
        f"name that in {argument('by')}, or keep what both sides have"
    )


def _refuse_shared(level: list[Replicate], baseline: list[Replicate], *, paired: bool) -> None:
    """Refuse runs that are on both sides: they are pairs, not independent groups."""
    both = {run.key for run in level if run.key[0] is not None and len(run.key) == 2}
    shared = [run.key for run in baseline if run.key in both]
    if shared and not paired:
        sources = {source for source, _ in shared}
        how = argument("pair", "run" if len(sources) == 1 < len(shared) else "source")
        if 1 < len(sources) < len(shared):
            how = typed("pair='run', by='source'", "--pair run --by source")
        raise SchemaError(
            f"{replicates.run_name(shared[0])} stands on both sides: compare within runs, {how}"
        )


def matched(arms: Arms) -> tuple[Arms, int]:
    """Keep the runs that have a partner, in the same order on both sides; count the others."""
    if arms.own:
        raise SchemaError(
            f"pairs need the same cells in every run: "
            f"name {', '.join(arms.dims)} in {argument('by')}"
        )
    level, baseline = (
        {run.pair: run for run in side if run.pair is not None}
        for side in (arms.level, arms.baseline)
    )
    common = [key for key in level if key in baseline]
    alone = len(arms.level) + len(arms.baseline) - 2 * len(common)
    sides = [level[key] for key in common], [baseline[key] for key in common]
    return replace(arms, level=sides[0], baseline=sides[1]), alone


def kinds(arms: Arms, names: Sequence[Any], *, paired: bool) -> list[str]:
    """Warn of runs that are not of one kind; for pairs, of their ratios."""
    if paired:
        [(level, baseline)] = arms.by_cell()
        ratios = [a - b for a, b in zip(level, baseline, strict=True)]
        return replicates.unlike(ratios, "the ratios of the pairs")
    if arms.over:
        return []
    found = [
        note
        for cell in arms.by_cell()
        for name, side in zip(names, cell, strict=True)
        for note in replicates.unlike(side, f"the runs of {name!r}")
    ]
    return list(dict.fromkeys(found))


def levels_beside(data: Frame, between: str, baseline: Any) -> list[Any]:
    """Give the levels to compare with the baseline, which must be one of them."""
    there = frames.ordered(frames.complete(data, between))
    listed = ", ".join(repr(value) for value in there)
    if baseline not in there:
        why = f"is not a value of {between!r}"
        numeric = data.schema[between].is_numeric()
        if numeric and isinstance(baseline, str):
            why = f"is a text, and {between!r} holds numbers"
        elif isinstance(baseline, (int, float)) and all(isinstance(value, str) for value in there):
            why = f"is a number, and {between!r} holds texts"
        raise SchemaError(f"baseline {baseline!r} {why}; there are: {listed}")
    if len(there) < 2:
        raise SchemaError(f"{between!r} holds only {listed}: there is nothing to compare it with")
    return [value for value in there if value != baseline]


def order_notes(
    arms: Arms, names: Sequence[Any], *, paired: bool, band: float, confidence: float
) -> list[str]:
    """Warn of what the order of the runs may have done, as far as it is known.

    A disturbance hits both runs of a pair or round: a drift is looked for in their means.
    """
    order = arms.order
    if order is None:
        return []
    from fiotools.stats.drift import LEAST_DF, drift, step

    # cells have levels of their own: a difference between them is not a drift
    cells = [[_placed(side) for side in cell] for cell in arms.runs_by_cell()]
    sides = [side for cell in cells for side in cell]
    if not all(sides):
        return []
    found = _fixed_order(cells, names, paired=paired) if order.across else []
    if arms.over:  # a change made from run to run is not a drift
        return found
    if paired:
        sides = [_means(*cells[0])]
    elif all(sorted(p for p, _ in one) == sorted(p for p, _ in other) for one, other in cells):
        sides = [_means(sorted(one), sorted(other)) for one, other in cells]
    trend = drift(sides, band=band, confidence=confidence, over=order.over)
    jump = step(sides, band=band)
    found += [note for note in (trend, jump) if note]
    one_run = all(a.key == b.key for a, b in zip(arms.level, arms.baseline, strict=False))
    if order.across or one_run:
        return found
    if trend:
        found.append(
            "it is unknown which side ran first: unless they alternated, the drift is part of the "
            "difference"
        )
    elif len(sides) == 1 and len(sides[0]) - 2 < LEAST_DF:
        found.append(
            f"{len(sides[0])} {'pairs' if paired else 'rounds'} are too few to show a drift, and "
            "it is unknown which side ran first"
        )
    return found


def _placed(runs: Sequence[Replicate]) -> Side:
    """Put the value of each run beside its place; nothing if their order is unknown."""
    places = replicates.sortable([run.place for run in runs]) or []
    return [(place, exp(run.log)) for place, run in zip(places, runs, strict=False)]


def _means(level: Side, baseline: Side) -> Side:
    """Give the geometric mean of both runs of each round."""
    rounds = zip(level, baseline, strict=True)
    return [(place, sqrt(one) * sqrt(other)) for (place, one), (_, other) in rounds]


def _fixed_order(
    cells: Sequence[Sequence[Side]], names: Sequence[Any], *, paired: bool
) -> list[str]:
    """Warn if one side always came first."""
    places = [[[place for place, _ in side] for side in cell] for cell in cells]
    if all(map(blocks, places)) and len({min(a) < min(b) for a, b in places}) == 1:
        return ["the sides ran in blocks: drift cannot be told from the difference"]
    for name, (one, other) in zip(names, (places[0], places[0][::-1]), strict=True):
        if paired and all(a < b for a, b in zip(one, other, strict=True)):
            return [
                f"{name!r} ran first in every pair: drift cannot be told from the difference "
                "unless the order alternates"
            ]
    return []


def blocks(sides: Sequence[Sequence[Any]]) -> bool:
    """Say whether all runs of one side came before all of the other."""
    if min(len(side) for side in sides) < 2:
        return False
    first, second = sorted(sides, key=min)
    return bool(max(first) < min(second))


def differing_options(
    level: OptionTexts, baseline: OptionTexts, *, named: Iterable[str] = ()
) -> list[AnswerRow]:
    """List the options that differ, but for places and those behind columns that were `named`."""
    own = set[str]()
    for column in named:
        keys = COLUMNS[column].keys.values() if column in COLUMNS else ()
        own.update(option.strip(" =") for key in keys for option in re.split("[,;]", key))
    found = []
    for option in dict.fromkeys([*level, *baseline]):
        sides = level.get(option, ()), baseline.get(option, ())
        one, other = ({_amount(option, text) for text in texts} for texts in sides)
        if one != other and not is_place(option) and option.rpartition("/")[2] not in own:
            text, text_baseline = (", ".join(texts) if texts else None for texts in sides)
            found.append({"option": option, "text": text, "text_baseline": text_baseline})
    return found


def is_place(option: str) -> bool:
    """Say whether an option names a file or a job: a comparison is about different ones."""
    return option.rpartition("/")[2] in _PLACE_OPTIONS


def _amount(option: str, text: str) -> str | float:
    """Read a size or a time, so that one amount has one value."""
    readings = (units.size, units.seconds)
    for reading in reversed(readings) if option in _DURATIONS else readings:
        try:
            return reading(text)
        except ValueError:
            continue
    return text.strip()


def settings_diff(settings: IntoDataFrameT, *, between: str, baseline: Any) -> IntoDataFrameT:
    """List the options in which the levels of a label differ from their baseline.

    Names of files and folders are left out, and options that differ in the same way within each
    side, such as a swept block size.

    Parameters
    ----------
    settings : pandas.DataFrame or polars.DataFrame
        `Results.settings`, with the label.
    between : str
        The label whose levels are the sides.
    baseline : object
        The level that the others are compared with.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per level and option that differs: `between` (the level), ``baseline``, ``option``,
        ``text`` (the level's; several values joined) and ``text_baseline``; null if a side was not
        given the option.

    Raises
    ------
    SchemaError
        If a column or the baseline is missing, or there is one level only.

    See Also
    --------
    compare : Takes the same frame as ``settings=``, and warns.

    Examples
    --------
    >>> import fiotools as ft
    >>> told = ft.read("data/how-many-runs/rounds/{workload}_ext4_1.json").settings
    >>> settings_diff(told, between="workload", baseline="randread")["option"].tolist()
    ['iodepth', 'direct', 'rw', 'ioengine', 'fsync']
    """
    data = frames.opened(settings, [between, "option", "text"])
    levels = levels_beside(data, between, baseline)
    side = frames.values(data, between)
    had, keys = options_of_runs(settings), replicates.run_keys(data)
    base, *others = (
        options_of_rows(had, keys, [row for row, own in enumerate(side) if own == level])
        for level in (baseline, *levels)
    )
    lines = [
        one | {"row": {between: side.index(level), "baseline": side.index(baseline)}}
        for level, own in zip(levels, others, strict=True)
        for one in differing_options(own, base)
    ]
    keep = {between: between, "baseline": between}
    return frames.answer(data, "settings_diff", keep, lines)


def options_of_runs(settings: IntoDataFrame) -> dict[Key, OptionTexts]:
    """Give the options of each run: an entry's own hides one given for all, either a default."""
    data = frames.opened(settings, ["source", "run", "entry", "option", "text", "origin"])
    told: dict[Key, dict[tuple[bool, Any], dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    lists = (frames.values(data, name) for name in ("entry", "option", "text", "origin"))
    for run, entry, option, text, origin in zip(replicates.run_keys(data), *lists, strict=True):
        if text is not None:
            told[run][origin == "default", entry][option] = text
    found = {}
    for run, own in told.items():
        entries = dict.fromkeys(entry for _, entry in sorted(own, key=lambda place: place[0]))
        shared = own[True, None] | own[False, None]
        each = [
            own[True, entry] | shared | own[False, entry] for entry in entries if entry is not None
        ]
        found[run] = merged(
            {option: [text] for option, text in one.items()} for one in each or [shared]
        )
    return found


def options_of_rows(
    had: Mapping[Key, OptionTexts], keys: Sequence[Key], rows: Iterable[int]
) -> OptionTexts:
    """Bring together the options of the runs of some rows."""
    return merged(had.get(run, {}) for run in dict.fromkeys(keys[row] for row in rows))


def merged(several: Iterable[OptionTexts]) -> OptionTexts:
    """Bring together the options of several runs or entries."""
    found: dict[str, dict[str, None]] = {}
    for one in several:
        for option, texts in one.items():
            found.setdefault(option, {}).update(dict.fromkeys(texts))
    return {option: list(texts) for option, texts in found.items()}
