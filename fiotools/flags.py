"""Flags: reasons for caution about an answer, as codes that code decides by, values, and sentences.

An answer has the codes of a row in its column ``flags``, joined by ``;``, and beside them in
``details`` the values of each as JSON, in the same order. The sentence of a code stands here and
nowhere else; `sentence` puts the values into it where an answer is shown.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from math import ceil, log, log1p
from typing import Any, NamedTuple

from fiotools.errors import typed
from fiotools.units import human, percent
from fiotools.words import UNITS, filled

_RARE = (0.2, 0.1)  # shares of a mode that few runs may miss
_MISSED = 0.05


class Flag(NamedTuple):
    """A code, and the values that its sentence needs.

    ``side`` is "level" or "baseline", whose names stand in the row; "pairs"; or missing for all
    runs. ``order`` names what told the order of the runs.
    """

    code: str
    values: Mapping[str, Any]

    @property
    def kind(self) -> tuple[Any, ...]:
        """Its code and its words: flags of one kind differ in their numbers alone."""
        rest = ((name, str(one)) for name, one in self.values.items() if not _is_number(one))
        return self.code, *rest


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def flag(code: str, **values: Any) -> Flag:
    """Raise a flag."""
    return Flag(code, values)


def columns_of(flags: Iterable[Flag]) -> dict[str, str | None]:
    """Give the columns ``flags`` and ``details`` of a row."""
    there = [*flags]
    values = [dict(one.values) for one in there]
    return {
        "flags": ";".join(one.code for one in there) or None,
        "details": as_json(values) if any(values) else None,
    }


def as_json(values: Any) -> str:
    """Write values as a column of a frame has them."""
    return json.dumps(values, default=_plain, ensure_ascii=False)


def _plain(value: Any) -> Any:
    """Give a number of numpy, or a date, as JSON can hold it."""
    return value.item() if hasattr(value, "item") else str(value)


def flags_of(flags: str | None, details: str | None) -> list[Flag]:
    """Read the flags of a row."""
    codes = flags.split(";") if flags else []
    values = json.loads(details) if details else [{} for _ in codes]
    return [Flag(*one) for one in zip(codes, values, strict=True)]


def has(flags: str | None, code: str) -> bool:
    """Say whether a row has a flag."""
    return bool(flags) and code in str(flags).split(";")


def rare_modes(n: int) -> list[tuple[float, float, int]]:
    """Say which rare modes n runs may have missed, by ``(1 - q)^n``, and how many would not.

    Each is a share of the runs, the chance, and the runs for which it is 5 %.
    """
    return [
        (share, (1 - share) ** n, ceil(log(_MISSED) / log1p(-share)))
        for share in _RARE
        if (1 - share) ** n > _MISSED
    ]


def _rare(values: Mapping[str, Any]) -> str:
    told: list[str] = []
    what = str(values["what"]).partition(" ")[0]
    for share, chance, enough in rare_modes(values["n"]):
        if_, with_ = ("if", "") if told else ("if those are", " of all, with a chance of")
        needed = f"{enough} {what}: {percent(_MISSED)} %"
        told.append(f"{if_} {percent(share)} %{with_ or ','} {percent(chance)} % ({needed})")
    return filled("{n} {what} may miss runs unlike the others: ", **values) + "; ".join(told)


def _faster(values: Mapping[str, Any]) -> str:
    unit = values["unit"]
    told = [f"{name} ({human(mean, unit)})" for name, mean in values["conditions"]]
    more = [f"and {values['more']} more"] if values["more"] else []
    return filled("faster, but not below it: {told}", told=[*told, *more])


_OFF = "log {off:%} % {off:+above|below} the summary"
_REST = "the {left:%} % of the run without a log"
_DRIFT = "drift cannot be told from the difference"
SENTENCES: Mapping[str, str | Callable[[Mapping[str, Any]], str]] = {
    # how many numbers there are, and how they count
    "run-means": "each run counts once: the geometric mean of its {cells} cells of {columns}",
    "own-cells": "cells of {columns} weigh the same, each with runs of its own",
    "round-means": "each {pair} counts once: the mean of its {n} log ratios",
    "no-partner": "{n} {n:=run|runs} without a partner in {pair!r} left out",
    "no-round": (
        "{n} of {of} values of {pair!r} left out: they do not hold every workload on both sides"
    ),
    "other-values": (
        "over {n} values of {column!r}, one run each: the interval is of other such values, not of "
        "other runs of these"
    ),
    "need": "need >= {n} {what} for a verdict",
    "few-history": "{n} {what} of {side!r} would show what one more is like",
    "history": "held against what {n} {what} predict: {share:%} % of such lie above its lower end",
    "history-drift": (
        "the {n} {what} of the history drift {change:+up|down} by {change:%} % {over}: they do not "
        "predict the next one: keep the last of them"
    ),
    "history-step": (
        "the {n} {what} of the history step {change:+up|down} by {change:%} % after {unit} {at}: "
        "they do not predict the next one: keep those since"
    ),
    "history-skew": (
        "the {n} {what} of the history lie far off on one side: they do not predict the next one"
    ),
    "sessions": (
        "the runs of {side!r} are of {n} sessions, hours apart, and those of one are alike: count "
        "each session once, {arg[unit=session]}"
    ),
    "looks": "too few runs for an interval that holds at any number of looks",
    # whether the runs are of one kind
    "far-apart": "{whose} lie {times:,.3g} times apart: are they of one kind?",
    "two-groups": lambda values: filled(
        "{whose} fall into two groups: {n} of {low:{form}} to {high:{form}} and {n_above} of "
        "{low_above:{form}} to {high_above:{form}}",
        form=values["unit"] if values.get("unit") in UNITS else "~",
        **values,
    ),
    "modes": "{whose} have more than one mode (dip test)",
    "rare-modes": _rare,
    "no-spread": "no spread at all: are these copies of one run?",
    "unlike-spread": ("{whose} do not differ at all: the interval is from the other side alone"),
    "targets": (
        "{whose} are on {n} targets ({names}), which are not repeats of each other: name what "
        "tells them apart in {arg.by}"
    ),
    # what their order may have done
    "drift": "values drift {change:+up|down} by {change:%} % {over}",
    "step": (
        "values of a side step {change:+up|down} by {change:%} % after run {at} of {n}: see "
        "shifts()"
    ),
    "step-by-chance": (
        "values of a side step {change:+up|down} by {change:%} % after run {at} of {n}, or lie so "
        "by chance: see shifts()"
    ),
    "blocks": f"the sides ran in blocks: {_DRIFT}",
    "order": f"{{side!r}} ran first in every pair: {_DRIFT} unless the order alternates",
    "first-unknown": (
        "it is unknown which side ran first: unless they alternated, the drift is part of the "
        "difference"
    ),
    "few-rounds": (
        "{n} {what} are too few to show a drift, and it is unknown which side ran first"
    ),
    "pooled": "with the spread of all {n} sides, which are alike, or their own if it is larger",
    # what differs besides
    "sides": "the sides differ in {columns} too",
    "shares": "the sides hold {columns} in different shares",
    "settings": "the sides had other options: {options}",
    "settings-unknown": "the reports do not say whether both sides had the same options",
    "settings-elsewhere": "settings= has none of these runs: is it of another read?",
    "paced": (
        "{options}: latencies count from the issue of each I/O; the wait for a late issue is not "
        "in them"
    ),
    "submitting": (
        "{whose} spent nearly all of the time submitting I/Os, and clat begins after that: "
        "lat_mean has all of it"
    ),
    # more runs
    "edge": (
        "the ratio seems to lie at the edge of the band, where more runs hardly settle it; if the "
        "sides are equal, {n} more a side do"
    ),
    "wide": "the runs spread far: more than 100 a side would be needed to settle it",
    # over all workloads
    "disturbance": (
        "a disturbance of several workloads at once looks like a difference here: measure in "
        "rounds that hold them all, {arg.pair}"
    ),
    "sample": "{arg[workloads=sample]} asks about workloads like these",
    # within a run
    "no-windows": "no windows of time: no interval within a run",
    "few-windows": "need >= {n} windows for an interval within a run",
    "few-beyond": "fewer than {n} I/Os beyond the percentile: no interval within a run",
    "uneven-tail": "the tail is too uneven over the run for an interval",
    "these-runs": (
        "the interval is about these two runs: other runs may differ more, and events that happen "
        "fewer than three times in a run may be missing in it"
    ),
    # one group
    "median": "median: need >= {n} runs for its interval",
    "center": "center: need >= 2 runs for its interval",
    "center-no-spread": "center: no spread at all, so no interval",
    "noisy": "runs spread by {share:%} % (CoV)",
    "outliers": "outliers: {values}",
    "slow-first": "slow first run{over_files}: cold cache?",
    # levels of variance
    "one-in-each": "need >= 2 in one of the level above for their spread",
    "below-0": "they differ less than the level below suggests: taken as 0",
    "unequal": "unequally many repeats: the interval is approximate",
    # the best below a limit
    "missing": "iops or {metric} is missing in {n} of {of}",
    "none-below": "no {metric} below {limit:{unit}}",
    "lowest": "no {metric} below {limit:{unit}}; the lowest is {least:{unit}}",
    "faster": _faster,
    "one-below": "one run: another may not be below it",
    "reaches": "the interval of the center reaches {high:{unit}}: whether it is below is undecided",
    # a load curve
    "few-loads": "{n} {n:=load|loads}: a knee needs {of}, from idle to full",
    "mixed-curve": "no knee: the runs differ in {columns} too; name it in {arg.by}, or keep one",
    "poor-fit": "no knee: the rates lie {share:%} % off the fitted curve",
    "no-bend": "no knee: the rate may grow in proportion to the load; measure at higher loads",
    "full": "no knee: it may be full from the first load on; measure at lower loads",
    "knee-outside": (
        "no knee: it lies from {low:.3g} to {high:.3g}, the loads from {least:.4g} to {most:.4g}"
    ),
    "misfit": (
        "the rates lie {share:%} % off the fitted curve, more than runs differ: the interval takes "
        "it for chance"
    ),
    # jobs and threads together
    "started-apart": "jobs started up to {late:g} s apart: rates do not add",
    "groups": lambda _: (
        "groups may have run one after the other: rates do not add, "
        + typed("combine(io, to='group')", "--combine group")
    ),
    "no-start": "no job_start: taken to have run side by side",
    "unequal-times": (
        "runtimes from {shortest:g} to {longest:g} s: rates are sums over the longest"
    ),
    "unequal-threads": "threads differ in {conditions}: fairness is between equals",
    "no-iops": "iops is missing for some threads",
    "one-thread": "one thread: nothing to share",
    "no-io": "no thread did any I/O",
    "idle-thread": "a thread did no I/O",
    # histograms and percentiles
    "coarser": "finer bins were added to coarser ones",
    "bins-vary": "bins vary in {columns}",
    "tables-vary": "tables vary in {columns}",
    "empty": "no I/Os",
    "last-bin": "in the last bin, which has no end",
    "independent": "the interval is within the {n:=run|runs}, if I/Os were independent",
    "maximum": "a maximum has no interval",
    "few-ios": "need >= {n:g} I/Os for an interval",
    "rare": "fewer than {n} I/Os beyond it",
    "extremes": "io's smallest and largest latency contradict the bins",
    "bins-count": "the bins hold {n} I/Os, io has {of}",
    "unweighted": (
        "a row is a window of its log: without the I/Os in each, no mean and no percentile"
    ),
    # series of samples
    "empty-rounds": "{n} of {of} rounds without I/O left out",
    "double-end": "the last sample ends with the one before: left out",
    "at-0": "the only sample is at time 0: how long it stands for is unknown",
    "before-times": "the first sample ends where the times begin: left out",
    "first-sample": "the first sample, at {at:.4g} s, is taken to be as long as the others",
    "idle-gaps": (
        "{seconds:.3g} s between samples count as time without I/O, which fio does not write"
    ),
    "multiples": (
        "all times are multiples of {length:.3g} s: if that was the window, nothing was done "
        "between samples, and the mean is {mean:.4g}"
    ),
    "no-multiples": (
        "the intervals are not multiples of one length: if windows were shorter than "
        "{shortest:.3g} s, nothing was done between samples, and the mean is too high"
    ),
    "uneven": "intervals from {shortest:.3g} to {longest:.3g} s: weighted by time",
    # whether a series is steady
    "of-rounds": "{n} of {of}",
    "over-limit": "{name} {value:.3g} %, limit {limit:g} %",
    "few-for-window": "need >= {n} rounds for a window",
    "met-yet": (
        "met, yet it {rise:+rises|falls} by {rise:.2g|} % over the window, {drift:.2g|} % a round"
    ),
    "cut": "the first {n} samples differ, and are left out",
    "whole-series": "over the whole series it {rise:+rises|falls} by {rise:.2g|} %",
    "late": "met after round {round}: SNIA stops after {most}",
    "trend": "a trend goes through it (Mann-Kendall, p {p:.2g})",
    "step-at": "a step at sample {at}: see shifts()",
    "few-samples": "mean: need >= {n} samples for its interval",
    "even-batches": "mean: no spread between its batches, so no interval",
    "short": (
        "mean: {missed:%} % of series as short hold no stall, if stalls take {stalled:%} % of the "
        "time, {lasting} samples each"
    ),
    "skewed": (
        "the values lie far off on one side: the interval of their spread is too narrow, for times "
        "and rates take logarithms"
    ),
    # of a plan
    "within-band": (
        "a difference of {share:%} % is within the limit of {limit:%} %: no number of runs shows "
        "that it is more"
    ),
    "few-pilot": (
        "a pilot of {n} runs (fewer than {of}) seldom shows runs that are far off: if there are "
        "such, half of the pilots plan too few"
    ),
    # levels of a sequence
    "of-needed": "{n} of {of}",
    "uncertain-spread": "the spread is too uncertain for an interval",
    "drift-within": "values change within the levels, too: a drift, not a step?",
    "by-chance": (
        "{n} runs in random order fall apart as cleanly in {pct:.2g} % of orders; {of} runs would "
        "prove it, if the level stays"
    ),
    "few-for-step": (
        "{n} runs show large steps only: from {of} on, one of four times their spread is seen four "
        "times in five"
    ),
    # a log against its summary
    "added": "rates of {n} entries added",
    "of-group": "{n} of the {of} jobs of its group have a log",
    "no-runtime": "no runtime_s: the coverage of the log is unknown",
    "little": "the log covers only {share:%} % of the run",
    "longer": "the log is longer than the run: {seconds:.4g} s",
    "other-amount": "the log has {n:,.0f} {what}, the summary {of:,.0f}",
    "off": _OFF,
    "off-whole": f"{_OFF}, over the whole run",
    "off-idle": f"{_OFF}, unless it was idle in parts of the time between its samples",
    "off-more": f"{_OFF}, more than {_REST} can explain",
    "off-late": f"{_OFF}, unless the samples after its gaps were late",
    "off-rest": f"{_OFF}; {_REST} would have been at {{rest:.4g}} {{unit}}, as its samples are too",
    "off-odd-rest": (
        f"{_OFF}; {_REST} would have been at {{rest:.4g}} {{unit}}, as none of its samples is"
    ),
}
# what the words of a verdict say: no caution beside it
OF_VERDICT = (
    *("no-run", "no-pair", "one-run", "two", "of-rounds", "of-needed", "over-limit", "off"),
    *("history", "pooled"),
    *("off-whole", "off-idle", "off-more", "off-late", "off-rest", "off-odd-rest"),
)


def sentence(one: Flag, level: Any = None, baseline: Any = None) -> str:
    """Write the sentence of a flag; the sides have these names."""
    words = SENTENCES.get(one.code)
    values = dict(one.values)
    side, order = values.get("side"), values.get("order")
    if side in ("level", "baseline"):
        values["side"] = level if side == "level" else baseline
    values["whose"] = {None: "the runs", "pairs": "the ratios of the pairs"}.get(
        side, f"the runs of {values.get('side')!r}"
    )
    values["over"] = "over the series of runs" if order is None else f"in the order of {order}"
    values["over_files"] = "" if order is None else f" {values['over']}"
    try:
        return words(values) if callable(words) else filled(words or one.code, **values)
    except KeyError:  # of a frame without its details
        return one.code
