"""The replicate is the run: which rows count as runs, in which order, and whether they are alike.

Threads, jobs, directions and percentiles of one run are not repeats of it. Everything that averages
or compares uses this module first.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, exp, isinf, log, log1p, sqrt
from numbers import Real
from typing import Any, Generic

import narwhals as nw
import numpy as np
import scipy
from narwhals.typing import IntoDataFrameT
from numpy.typing import NDArray

from fiotools.errors import SchemaError, argument, typed
from fiotools.stats import frames
from fiotools.stats.frames import Array, Frame, Key
from fiotools.units import percent
from fiotools.vocabulary import COLUMNS, CONDITIONS

# columns that can tell the rows of one run apart, beside its conditions
_PARTS = (
    *("host", "port", "group", "job", "thread", "target", "entry", "direction"),
    *("latency", "percentile", "quantity", "time_s", "command", "cpu", "device"),
)
KINDS = ("latency", "percentile", "quantity")  # of a row's one number
_TIME = re.compile(r"\d{4}-\d\d-\d\d([T ])\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?")
_BY_GROUP = {"job", "group"}  # scopes that overlap only within one fio group
_ALONE = ("source", "run", "group", "direction", *KINDS, "time_s")
ScopedRun = tuple[Key, Any, str]  # run, fio group, scope
_PLACES = ("host", "port", "job", "target", "device")
_ROUND = "round"  # the column of a campaign, and of most tables of runs made by hand
_NUMBER = re.compile(r"\d+")
_NO_NUMBER = re.compile(
    r"\d[kmgt](i?b)?(?![a-z])|(?<!\d)\d\d?([./-])\d\d?\2\d{4}(?!\d)", re.IGNORECASE
)
_ENDING = re.compile(r"(\.[a-z]\w*)+$", re.IGNORECASE)
_FAR = 10.0  # times between the runs of a side; of noise with a CoV of 50 %, 20 runs reach 6
_WORTH = log1p(0.05)  # modes that lie nearer do not matter
_DIP = (12, 1000)  # runs: below, the dip test finds nothing; above, it takes long
_RARE = (0.2, 0.1)  # shares of a mode that few runs may miss
_MISSED = 0.05
_NAMED = 3  # targets in a message
_DRIVE = re.compile(r"[A-Za-z]:|/dev/(?!shm/).*|.*(?=[/\\])")


@dataclass(frozen=True)
class Runs(Generic[IntoDataFrameT]):
    """Rows of one scope and one direction (unless it is named), as statistics of runs want them.

    `numbers` is the metric; `keys` says which run a row belongs to; the columns of `watch` should
    not differ among rows treated alike, but may. `moments` says when each row's run was, if all are
    known; `targets` on which devices, drives or folders. `between` is the column that tells the
    sides apart, `pair` the one that pairs their runs.
    """

    data: nw.DataFrame[IntoDataFrameT]
    numbers: list[float]
    keys: list[Key]
    watch: dict[str, list[Any]]
    moments: list[Any] | None
    targets: list[frozenset[str]]
    between: str | None = None
    pair: str | None = None

    @cached_property
    def side(self) -> list[Any]:
        """The side of each row."""
        return frames.optional(self.data, self.between) if self.between else [None] * len(self.data)

    @cached_property
    def first(self) -> dict[Any, int]:
        """The first row of each side."""
        return {side: rows[0] for side, rows in frames.rows_by(self.side).items()}

    @cached_property
    def pairs(self) -> list[Any] | None:
        """The pair of each row."""
        return frames.values(self.data, self.pair) if self.pair else None

    @cached_property
    def has_rounds(self) -> bool:
        """Whether pairs are rounds, and not conditions, or places with a run each."""
        if not self.pairs:
            return False
        conditions = frames.columns(self.data, CONDITIONS).values()
        is_condition = any(one_to_one(self.pairs, condition) for condition in conditions)
        rounds = self.pair in ("source", "run") or sortable(frames.distinct(self.pairs)) is not None
        return rounds and not is_condition and self.pair not in _PLACES

    @cached_property
    def order(self) -> Order | None:
        """The order of the runs: by times, run numbers of one file, rounds, or file names."""
        if self.moments is not None:
            return Order(self.moments, True, SERIES)
        sources, numbers = (frames.optional(self.data, name) for name in ("source", "run"))
        in_one_file = len(set(sources)) == 1 < len(set(numbers)) and None not in numbers
        if in_one_file and self.pair != "run":
            return Order(numbers, True, SERIES)
        for name in frames.present(self.data, [*frames.names(self.pair), _ROUND]):
            rounds = frames.values(self.data, name)
            if name != "source" and None not in rounds and sortable(rounds) is not None:
                return Order(rounds, False, f"in the order of {name!r}")
        if None in sources or None in numbers:
            return None
        files = list(zip(sources, numbers, strict=True))
        return Order(files, False, "in the order of the file names")


def runs_of(
    data: nw.DataFrame[IntoDataFrameT],
    metric: str,
    named: Collection[str],
    scope: str | None = None,
    *,
    by: Collection[str] | None = None,
    between: str | None = None,
    pair: str | None = None,
    positive: bool = False,
) -> Runs[IntoDataFrameT]:
    """Take the rows of a frame that count, or say which filter to type.

    Each combination of `by` (without it, of the columns named) is a question of its own; `between`
    and `pair` are among these.
    """
    frames.need(data, [metric, *named])
    whole, data = data, choose_scope(data, scope, named)
    if "direction" not in named:
        refuse_directions(data, named if by is None else by)
    numbers = checked(data, metric, positive=positive)
    watch = frames.columns(
        data, [*watched(data, named, between), *(n for n in KINDS if n not in named)]
    )
    targets = _targets(whole, data)
    return Runs(data, numbers, run_keys(data), watch, moments(data), targets, between, pair)


def _targets(whole: Frame, kept: Frame) -> list[frozenset[str]]:
    """Give the targets of each kept row; a total is on all targets of its run."""
    if "target" not in kept.columns:
        return [frozenset()] * len(kept)
    own, every = frames.values(kept, "target"), frames.values(whole, "target")
    devices = {target: frozenset([device_of(target)]) for target in frames.distinct(every)}
    of_runs: dict[Key, frozenset[str]] = {}
    for key, target in zip(run_keys(whole), every, strict=True):
        of_runs[key] = of_runs.get(key, frozenset()) | devices.get(target, frozenset())
    return [
        of_runs[key] if target is None and len(key) > 1 else devices.get(target, frozenset())
        for key, target in zip(run_keys(kept), own, strict=True)
    ]


def choose_scope(
    frame: nw.DataFrame[IntoDataFrameT], scope: str | None, named: Collection[str]
) -> nw.DataFrame[IntoDataFrameT]:
    """Keep one scope: the one asked for, else `total`, else the only one there is.

    With group_reporting fio sums up several jobs, and leaves one job as it is: rows of both scopes
    are of one kind if each is all that its fio group did.
    """
    if "scope" not in frame.columns:
        if scope is not None:
            raise SchemaError(
                f"{argument('scope', scope)} was asked for, but the frame has no column 'scope'"
            )
        return frame
    there = frames.distinct(frames.values(frame, "scope"))
    if scope is not None and scope not in there:
        raise SchemaError(f"no row of scope {scope!r}; there are: {_listed(there)}")
    if scope is None and ("scope" in named or len(there) < 2):
        return frame
    chosen = scope or "total"
    if chosen not in there:
        alone = len(frames.groups(frame, frames.columns(frame, _ALONE))) == len(frame)
        if {*there} == _BY_GROUP and alone:
            return frame
        remedy = f"make totals of them with {_totals()}"
        if (found := _lossless(_places(frame))) is not None:
            sign, one = found
            named_so = f"name one, {argument('scope', one)}, or " if sign == "==" else ""
            remedy = f"{named_so}type {frames.to_type(frame, 'scope', one, sign)}"
        raise SchemaError(f"rows of several scopes ({_listed(there)}) are not repeats: {remedy}")
    kept = [row for row, value in enumerate(frames.values(frame, "scope")) if value == chosen]
    if scope is None:
        _no_run_lost(frame, kept)
    return frame[kept]


def in_one_scope(
    frame: IntoDataFrameT, scope: str | None, named: Collection[str]
) -> IntoDataFrameT:
    """Keep one scope of any frame, as the statistics do, and lose no run."""
    return choose_scope(frames.opened(frame), scope, named).to_native()


def refuse_scopes(frame: Frame) -> None:
    """Refuse to add a total to its own parts."""
    at = _places(frame) if "scope" in frame.columns else []
    if (run := _twice(at)) is None:
        return
    scopes = frames.distinct(scope for whose, _, scope in at if whose == run)
    remedy = "in each group, keep either its jobs or their sum"
    if (found := _lossless(at)) is not None:
        sign, scope = found
        word = "keep one" if sign == "==" else "leave one out"
        remedy = f"{word}, {frames.to_type(frame, 'scope', scope, sign)}"
    raise SchemaError(
        f"{run_name(run)} mixes rows of scope {_listed(scopes)}, "
        f"which would count I/O twice: {remedy}"
    )


def refuse_twice(frame: Frame) -> None:
    """Refuse entries of a report that are there twice."""
    lists = frames.columns(frame, ("entry", "direction"))
    if "entry" not in lists:
        return
    seen = set()
    for key, *entry in zip(run_keys(frame), *lists.values(), strict=True):
        if len(key) == 2 and entry[0] is not None:
            if (key, *entry) in seen:
                raise SchemaError(
                    f"{run_name(key)} has entries that are there twice: was a file read twice?"
                )
            seen.add((key, *entry))


def refuse_unknown_runs(frame: Frame) -> None:
    """Refuse rows of unknown runs if rows of one run are put together."""
    if "run" in frame.columns:
        unknown = frames.values(frame, "run").count(None)
        if unknown:
            raise SchemaError(
                f"run is missing in {unknown} of {len(frame)} rows: which run are they of?"
            )


def _places(frame: Frame) -> list[ScopedRun]:
    """Say for each row of a known scope which run and fio group it is about."""
    keys = frames.keys_of(frame, frames.present(frame, ("source", "run")))
    group = frames.optional(frame, "group")
    return [
        (keys[row], group[row], scope)
        for row, scope in enumerate(frames.values(frame, "scope"))
        if scope is not None
    ]


def _twice(at: Iterable[ScopedRun]) -> Key | None:
    """Give the first run whose rows would count I/O twice.

    fio may report one group whole and another job by job: these overlap only within a group.
    """
    runs: dict[Key, set[str]] = {}
    parts: dict[tuple[Key, Any], set[str]] = {}
    for run, group, scope in at:
        runs.setdefault(run, set()).add(scope)
        parts.setdefault((run, group), set()).add(scope)
    for (run, _), scopes in parts.items():
        if len(scopes if runs[run] <= _BY_GROUP else runs[run]) > 1:
            return run
    return None


def _lossless(at: Sequence[ScopedRun]) -> tuple[str, str] | None:
    """Find the filter on scope that counts nothing twice and leaves no group and no run out."""
    there = frames.distinct(scope for _, _, scope in at)
    there.sort(key=lambda scope: scope != "group")  # the sum of jobs is one number
    for sign, scope in (
        *(("==", scope) for scope in there if scope != "total"),
        *(("!=", scope) for scope in there),
        ("==", "total"),
    ):
        kept = [place for place in at if (place[2] == scope) is (sign == "==")]
        if _twice(kept) is None and _covers(kept, at):
            return sign, scope
    return None


def _covers(kept: Iterable[ScopedRun], at: Iterable[ScopedRun]) -> bool:
    parts = {(run, group) for run, group, _ in kept}
    runs = {run for run, _ in parts}
    whole = {run for run, _, scope in kept if scope not in _BY_GROUP}
    return all(
        run in whole or ((run, group) in parts if scope in _BY_GROUP else run in runs)
        for run, group, scope in at
    )


def _totals() -> str:
    return typed("combine(io, to='run')", "--combine run")


def _no_run_lost(frame: Frame, kept: Sequence[int]) -> None:
    """Refuse to take totals if that would silently leave runs out."""
    if "run" not in frame.columns:
        return
    whose = run_keys(frame)
    lost = set(whose) - {whose[row] for row in kept}
    if lost:
        held = frames.distinct(
            value
            for value, key in zip(frames.values(frame, "scope"), whose, strict=True)
            if key in lost
        )
        raise SchemaError(
            f"{len(lost)} of {len(set(whose))} runs have no row of scope 'total' (they have "
            f"{_listed(held)}): make totals of them with {_totals()}, or name {argument('scope')}"
        )


def refuse_directions(frame: Frame, by: Collection[str]) -> None:
    """Refuse several directions in one number: those of one run are one observation.

    A workload that only reads is not mixed with one that only writes if `by` tells them apart.
    """
    directions = frames.optional(frame, "direction")
    for rows in frames.groups(frame, by).values():
        there = frames.distinct(directions[row] for row in rows)
        if len(there) > 1:
            keep = "total" if "total" in there else there[0]
            raise SchemaError(
                f"several directions ({_listed(there)}): "
                + typed("add 'direction' to by=", "--by direction")
                + f", or keep one: {frames.to_type(frame, 'direction', keep)}"
            )


def run_keys(frame: Frame) -> list[Key]:
    """Say for each row which run it belongs to; without a column `run`, each row is one."""
    if "run" not in frame.columns:
        return [(row,) for row in range(len(frame))]
    pairs = zip(frames.optional(frame, "source"), frames.values(frame, "run"), strict=True)
    return [
        (row,) if number is None else (source, number) for row, (source, number) in enumerate(pairs)
    ]


def run_name(key: Key) -> str:
    """Name a run for a message."""
    if len(key) == 1:
        return f"row {key[0]}"
    source, run = key
    return f"run {run}" if source is None else f"run {run} of {source}"


def refuse_percentiles(frame: Frame) -> None:
    """Refuse a frame of percentiles if rows are added up."""
    if {"percentile", "value_ns"} & {*frame.columns}:
        raise SchemaError(_percentiles())


def _percentiles() -> str:
    return "percentiles neither add nor average" + typed(
        ": merge the histograms they are from, percentiles_from_bins(bins, by=...),"
        " or bound them, bound_percentiles(percentiles, io)",
        "",
    )


def refuse_several(frame: Frame, rows: Sequence[int], key: Key) -> SchemaError:
    """Build the error for several rows of one run that nothing reduces to one number."""
    head = f"{run_name(key)} has {len(rows)} rows, but one number is needed"
    apart = frames.differing(frames.columns(frame, [*CONDITIONS, *_PARTS, *labels(frame)]), rows)
    if not apart:
        return SchemaError(f"{head}, and nothing tells them apart: is it there twice?")
    remedy = typed("name it in by=", "--by one of them")
    remedy += f" ({', '.join(apart)}), or keep one of them"
    parts = {"host", "port", "group", "job", "thread", "target", "entry", "time_s"}
    if parts & set(apart) and "percentile" in frame.columns:
        remedy = f"{_percentiles()}; or {remedy}"
    elif parts & set(apart):
        # rates of groups do not add: they may have run one after the other
        add = "" if "group" in apart else f"{_totals()} first, or "
        remedy = f"threads and jobs are not repeats: {add}{remedy}"
    return SchemaError(f"{head}; {remedy}")


def one_row_each(
    frame: Frame,
    rows: Iterable[int],
    keys: Sequence[Key],
    phases: Sequence[Any] | None = None,
) -> None:
    """Refuse several rows of one run (or of one phase of it) if each is to be a run."""
    found: dict[Key, list[int]] = {}  # the keys of one group, which may be among thousands
    for row in rows:
        found.setdefault((keys[row], phases[row] if phases else None), []).append(row)
    for (key, _), own in found.items():
        if len(own) > 1:
            raise refuse_several(frame, own, key)


def checked(frame: Frame, metric: str, *, positive: bool) -> list[float]:
    """Give the metric's values, all of them there, finite and (for ratios) above zero."""
    found: list[float] = []
    gaps = 0
    for row, value in enumerate(frames.numbers(frame, metric)):
        if value is None:
            gaps += 1
            continue
        if isinf(value):
            raise SchemaError(f"{metric} is infinite in row {row}")
        if abs(value) > frames.LARGEST:
            raise SchemaError(f"{metric} is {value:g} in row {row}: too large for a measurement")
        if positive and value <= 0:
            raise SchemaError(
                f"{metric} is {value:g} in row {row}: a ratio needs values above zero"
            )
        found.append(value)
    if gaps:
        remedy = f": {frames.leave_out(frame, metric)}"
        if gaps == len(frame):  # `combine` says why
            why = [text for text in frames.distinct(frames.optional(frame, "warnings")) if text]
            remedy = f", all of them ({'; '.join(why)})" if why else ", all of them"
        raise SchemaError(f"{metric} is missing in {gaps} of {len(frame)} rows{remedy}")
    return found


def labels(frame: Frame) -> list[str]:
    """Name the text columns that are the user's labels, not of the vocabulary."""
    return [
        name
        for name, dtype in frame.schema.items()
        if name not in COLUMNS
        and name != "warnings"
        and isinstance(dtype, (nw.String, nw.Categorical, nw.Enum, nw.Boolean))
    ]


def watched(frame: Frame, named: Collection[str], between: str | None = None) -> list[str]:
    """Name the columns that should not differ among rows treated alike, but may.

    These are conditions, the host, commands, and labels that group runs, not those that number them
    (digits) or name each row. A column that is one-to-one with one that was named is the same thing
    under another name, as a label "4k" is beside a bs_bytes of 4096. A condition that is one-to-one
    with `between` is watched: it may make the difference. A command is not: it names the side.
    """
    lists = frames.columns(
        frame, dict.fromkeys([*CONDITIONS, *named, *labels(frame), "host", "command"])
    )
    varying = frames.differing(lists)
    told = [name for name in varying if name in CONDITIONS or (name in named and name in COLUMNS)]
    apart = [name for name in varying if name in named and name != between]
    found = [
        name
        for name in told
        if name not in named and not any(one_to_one(lists[name], lists[other]) for other in apart)
    ]
    for name in varying:
        if name in named or (name in COLUMNS and name not in ("host", "command")):
            continue
        everywhere = lists[name]
        same = [*told, between] if name == "command" and between in lists else told
        numbering = all(str(value).isdigit() for value in everywhere if value is not None)
        grouping = len(set(everywhere)) < len(everywhere) and not numbering
        if grouping and not any(one_to_one(everywhere, lists[other]) for other in same):
            found.append(name)
    return found


def one_to_one(one: Collection[Any], other: Collection[Any]) -> bool:
    """Say whether each value of one column stands beside one value of the other, and back."""
    return len(set(one)) == len(set(other)) == len(set(zip(one, other, strict=True)))


def moments(frame: Frame) -> list[Any] | None:
    """Give the time of each row's run, if the frame knows all of them.

    Texts sort as times do if all have one form, from the year down to the second.
    """
    for name in ("started_at", "reported_at"):
        if name in frame.columns:
            dtype, found = frame.schema[name], frames.values(frame, name)
            is_sorting = dtype.is_temporal() or dtype.is_numeric() or _are_times(found)
            if None not in found and is_sorting:
                return found
    return None


def _are_times(texts: Iterable[Any]) -> bool:
    """Say whether texts are times of one form and one zone: then they sort as the times do."""
    times = [_TIME.fullmatch(text) if isinstance(text, str) else None for text in texts]
    forms = {(len(time[0]), time[1], time[2]) if time else None for time in times}
    return None not in forms and len(forms) == 1


def _listed(found: Iterable[Any]) -> str:
    return ", ".join(str(value) for value in found)


@dataclass(frozen=True)
class Order:
    """Where each row's run stands among the others: its `places`, made `sortable`.

    `across` says whether they tell which of two runs of different sides came first: rounds and file
    names tell the order within a side only. `over` ends "values drift up by 3 %".
    """

    places: list[Any]
    across: bool
    over: str


SERIES = "over the series of runs"


def sortable(places: Sequence[Any]) -> list[Any] | None:
    """Turn places into values that sort as the runs were made; None if nothing numbers them.

    Numbers and times sort by themselves. Texts number runs if they differ in their numbers alone:
    "r2" comes before "r10"; "4k" and "8k" are sizes, and "24.11.2026" begins with the day. Files
    sort by such names, and then by the number of the run in the file.
    """
    if all(isinstance(place, tuple) for place in places):
        stems = [_ENDING.sub("", str(source)) for source, _ in places]
        names = sortable(stems) if len(set(stems)) > 1 else [()] * len(stems)
        return names and list(zip(names, [run for _, run in places], strict=True))
    if all(isinstance(place, str) for place in places):
        if _are_times(places):
            return list(places)
        alike = len({_NUMBER.sub("#", place) for place in places}) == 1
        if not alike or any(
            _NO_NUMBER.search(place) or not _NUMBER.search(place) for place in places
        ):
            return None
        return [tuple(map(int, _NUMBER.findall(place))) for place in places]
    numbers = all(isinstance(place, Real) and not isinstance(place, bool) for place in places)
    return list(places) if numbers or all(hasattr(place, "year") for place in places) else None


def unlike(logs: Sequence[float], whose: str = "the runs") -> list[str]:
    """Warn of runs that lie far apart, or in two groups, by the logarithms of their values.

    Two groups of two runs or more have a gap between them above 5 % and above 9 times the median
    gap (among n > 12 runs 3 n / 4 times). The dip test judges 12 to 1,000 runs: Hartigan and
    Hartigan, "The dip test of unimodality" (1985), at 5 % for uniform values. Less than 5 % of
    lognormal runs raise the warning.
    """
    values = np.sort(np.asarray(logs, dtype=np.float64))
    n, found = len(values), []
    if n and (apart := exp(values[-1] - values[0])) >= _FAR:
        found.append(f"{whose} lie {apart:,.3g} times apart: are they of one kind?")
    gaps = np.diff(values)
    if n < 4:
        return found
    at = 1 + int(np.argmax(gaps[1:-1]))
    usual = float(np.median(gaps))  # 0 of rounded values, whose gaps are those of the rounding
    if usual > 0 and gaps[at] > max(_WORTH, max(9.0, 0.75 * n) * usual):
        groups = (values[: at + 1], values[at + 1 :])
        words = [f"{len(own)} of {_number(own[0])} to {_number(own[-1])}" for own in groups]
        found.append(f"{whose} fall into two groups: {' and '.join(words)}")
    elif (
        _DIP[0] <= n <= _DIP[1]
        and len(set(logs)) == n  # of rounded values the test would find the rounding
        and values[-1] - values[0] > _WORTH
        and sqrt(n) * dip(values) > 0.545 - 0.32 / sqrt(n)  # uniform samples of 12 to 200
    ):
        found.append(f"{whose} have more than one mode (dip test)")
    return found


def _number(log_value: float) -> str:
    value = exp(log_value)
    return f"{value:,.0f}" if 1000 <= value < 1e7 else f"{value:.4g}"


def dip(values: Array) -> float:
    """Give the distance of sorted values, all different, from the nearest unimodal distribution.

    It narrows the interval of the mode: outside it the distribution is convex below and concave
    above, and the distance of the steps from these hulls is twice the dip.
    """
    low, high, deepest = 0, len(values) - 1, 1.0
    while True:
        x, step = values[low : high + 1], np.arange(low, high + 1, dtype=np.float64)
        below, above = _corners(x, step), _corners(x, -step)
        convex = np.interp(x, x[below], step[below])
        concave = np.interp(x, x[above], step[above] + 1)
        knots = np.union1d(below, above)
        widest = knots[np.argmax((concave - convex)[knots])]
        if concave[widest] - convex[widest] <= deepest:
            break
        first, last = below[below <= widest][-1], above[above >= widest][0]
        deepest = max(
            deepest,
            float(np.max(step[: first + 1] + 1 - convex[: first + 1])),
            float(np.max(concave[last:] - step[last:])),
        )
        if last - first == high - low:
            break
        low, high = low + int(first), low + int(last)
    return deepest / (2 * len(values))


def _corners(x: Array, y: Array) -> NDArray[np.int_]:
    """Give the corners of the greatest convex function below all points: its slopes only rise."""
    widths = np.diff(x)
    return scipy.optimize.isotonic_regression(np.diff(y) / widths, weights=widths).blocks


def unseen(n: int, runs: str = "runs a side") -> str | None:
    """Say which rare modes n runs may have missed, by ``(1 - q)^n``, and how many would not."""
    told: list[str] = []
    for share in _RARE:
        if (chance := (1 - share) ** n) > _MISSED:
            with_ = "with" if told else "of the runs with a chance of"
            enough = f"{ceil(log(_MISSED) / log1p(-share))} runs: {percent(_MISSED)} %"
            told.append(f"{percent(share)} % {with_} {percent(chance)} % ({enough})")
    return f"{n} {runs} may miss a rare mode: one that takes {', '.join(told)}" if told else None


def device_of(target: str) -> str:
    r"""Give the device, drive or folder of a target, as far as its name says."""
    found = _DRIVE.match(target)
    return found[0] if found else ""


def several_targets(targets: Iterable[frozenset[str]], whose: str = "the runs") -> list[str]:
    """Warn of runs on several targets."""
    there = sorted({" with ".join(sorted(own)) for own in targets if own})
    if len(there) < 2:
        return []
    listed = ", ".join(there[:_NAMED]) + (", and others" if len(there) > _NAMED else "")
    return [
        f"{whose} are on {len(there)} targets ({listed}), which are not repeats of each other: "
        f"name what tells them apart in {argument('by')}"
    ]
