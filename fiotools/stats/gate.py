"""A gate for pipelines: which answers break a rule, such as "slower:5%" or "p99 > 10ms"."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import expm1, inf, isclose, log, log1p
from typing import Any

import narwhals as nw
import scipy
from narwhals.typing import IntoDataFrameT

from fiotools.errors import SchemaError, argument
from fiotools.flags import has
from fiotools.stats import frames
from fiotools.stats.compare import SAME, settled
from fiotools.stats.estimates import ENOUGH, POWER
from fiotools.stats.frames import AnswerRow, metric_of
from fiotools.stats.history import LEAST
from fiotools.units import amount, size
from fiotools.vocabulary import ANSWERS

_RULE = re.compile(r"(?:(?P<metric>\S+)\s+)?(?P<word>[a-z-]+)(?::(?P<share>\d+(?:\.\d+)?)\s*%)?")
# which way each word fails: +1 a gain, -1 a loss, in the sense of the metric or of the ratio
_GOOD = {"faster": 1, "better": 1, "slower": -1, "worse": -1}
_MORE = {"higher": 1, "lower": -1}
# a rule that passes only what was shown, instead of failing only what was shown
_SHOWN = "shown-not-"
LOSSES = tuple(f"{how}{word}" for how in ("", _SHOWN) for word in (*_GOOD, *_MORE))
_WORDS = (*LOSSES, "not-same", "not-settled")
# columns that are not those of a comparison
_OWN = ("rule", "outcome", "detectable", "observed", "observed_lo", "observed_hi", "limit", "unit")
_LIMIT = re.compile(r"\s*([A-Za-z][\w.]*)\s*(<=|>=|<|>)\s*(\S.*?)\s*")
_BEYOND = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
# undecided: the limit lies inside the interval; unknown: there is no interval
FAIL, PASS, UNDECIDED, UNKNOWN = "fail", "pass", "undecided", "unknown"


@dataclass(frozen=True)
class Rule:
    """What must not be found: `word` by more than `share`, for one `metric` or (None) for all."""

    text: str
    metric: str | None
    word: str
    share: float

    @classmethod
    def of(cls, text: str) -> Rule:
        """Read a rule."""
        match = _RULE.fullmatch(text.strip())
        if (
            match is None
            or match["word"] not in _WORDS
            or (match["share"] and match["word"] not in LOSSES)
            or (match["word"].startswith(_SHOWN) and not float(match["share"] or 0))
        ):
            raise SchemaError(
                f"{text!r} is not a rule: write slower:5%, p99 slower:10%, shown-not-slower:5%, "
                f"not-same, or a limit, 'p99 > 10ms'; the words are {', '.join(_WORDS)}"
            )
        share = float(match["share"] or 0) / 100
        return cls(text.strip(), match["metric"], match["word"], share)

    def judge(self, row: Mapping[str, Any]) -> str:
        """Say whether a row of a comparison breaks the rule, keeps it, or leaves it undecided."""
        constant = is_constant(row)
        if self.word == "not-same":
            same = row["verdict"] == SAME or (constant and isclose(row["ratio"], 1))
            return PASS if same else FAIL
        if self.word == "not-settled":
            return PASS if constant or settled(row["beyond_band"]) else FAIL
        ends = row["ratio_lo"], row["ratio_hi"]
        if constant:
            ends = row["ratio"], row["ratio"]
        if None in ends:
            return FAIL if self.shown else UNKNOWN
        low, high = (log(end) if end > 0 else -inf for end in ends)
        if self._way(row["metric"]) < 0:
            low, high = -high, -low
        edge = log1p(self.share)  # on both sides, as that of the band of `compare`
        if self.shown:
            return PASS if high <= edge else FAIL
        return FAIL if low > edge else PASS if high <= edge else UNDECIDED

    @property
    def shown(self) -> bool:
        """Whether it passes only what was shown."""
        return self.word.startswith(_SHOWN)

    @property
    def broken(self) -> str:
        """The word for a ratio that breaks it."""
        return self.word.removeprefix(_SHOWN)

    def detectable(self, row: Mapping[str, Any]) -> float | None:
        """Give the loss that breaks the rule four times in five, with an interval this wide."""
        ends = row["ratio_lo"], row["ratio_hi"]
        if self.word not in LOSSES or None in ends or min(ends) <= 0:
            return None
        if self.shown:
            return self.share
        method = str(row.get("method") or "")
        fewest = min(row["n"], row["n_baseline"])
        df = max(1, fewest - 1 if method.startswith("log-paired") else 2 * (fewest - 1))
        if method.startswith("log-pooled"):  # of all sides
            df *= row["comparisons"]
        if method.startswith("log-prediction"):
            df = row["n_baseline"] - 1
        error = (1 - (row.get("confidence") or 0.95)) / (row.get("comparisons") or 1)
        reach = float(scipy.special.stdtrit(df, 1 - error / 2))
        center = float(scipy.special.nctdtrinc(df, 1 - POWER, reach))  # of a noncentral t
        half = log(ends[1] / ends[0]) / 2
        return expm1(log1p(self.share) + half * center / reach)

    def _way(self, metric: str) -> int:
        """Say which way the ratio goes if the rule is broken."""
        if self.broken in _MORE:
            return _MORE[self.broken]
        measure = metric_of(metric)
        if measure.better is None:
            raise SchemaError(
                f"is higher or lower {metric!r} better? Write higher or lower instead"
            )
        return _GOOD[self.broken] * measure.sign


@dataclass(frozen=True)
class Limit:
    """What one side may not be: beyond a value of a metric, by itself."""

    text: str
    metric: str
    sign: str
    value: str

    def amount(self, metric: str) -> float:
        """Read the value in the unit of the metric."""
        unit = metric_of(metric).unit
        has_unit = re.search(r"[^\d\s.,eE+-]", self.value) is not None
        if unit in ("ns", "s", "B", "B/s") and not has_unit:
            raise SchemaError(
                f"{self.text!r}: in which unit? write {self.metric} {self.sign} {self.value}"
                + ("ms" if unit in ("ns", "s") else "MB/s" if unit == "B/s" else "MB")
            )
        try:
            return float(size(self.value, kilo=1000) if unit == "1/s" else amount(self.value, unit))
        except ValueError:
            raise SchemaError(f"{self.text!r}: {self.value!r} is not a value of {metric}") from None

    def judge(self, row: Mapping[str, Any]) -> str:
        """Say whether the center of a group lies beyond the limit; that of few runs as it is."""
        limit, beyond = self.amount(row["metric"]), _BEYOND[self.sign]
        ends = [
            row["center"],
            *((row["center_lo"], row["center_hi"]) if row["n"] >= ENOUGH else ()),
        ]
        found = {beyond(end, limit) for end in ends if end is not None}
        return UNDECIDED if len(found) > 1 else FAIL if found == {True} else PASS

    def line(self, row: Mapping[str, Any]) -> AnswerRow:
        """Say what was held against the limit."""
        observed = {f"observed{end}": row[f"center{end}"] for end in ("", "_lo", "_hi")}
        return observed | {
            "limit": self.amount(row["metric"]),
            "unit": metric_of(row["metric"]).unit,
        }


def rule_of(text: str) -> Rule | Limit:
    """Read a rule about two sides, or a limit of one."""
    match = _LIMIT.fullmatch(text)
    is_value = match is not None and any(char.isdigit() for char in match[3])
    return Limit(text.strip(), *match.groups()) if match and is_value else Rule.of(text)


def is_constant(row: Mapping[str, Any]) -> bool:
    """Say whether enough runs have no spread at all: their ratio has no interval, and no error."""
    if not has(row["flags"], "no-spread"):
        return False
    return bool(min(row["n"], row["n_baseline"]) >= ENOUGH or row["n_baseline"] >= LEAST)


def gate(
    comparison: IntoDataFrameT | Sequence[IntoDataFrameT], fail_if: str | Sequence[str]
) -> IntoDataFrameT:
    """Hold answers to rules, as a pipeline does before it lets a change pass.

    Parameters
    ----------
    comparison : pandas.DataFrame or polars.DataFrame, or a sequence of them
        The answer of `compare` or `speedup`, or for limits that of `summarize`; for several
        metrics, one answer each.
    fail_if : str or sequence of str
        Rules: ``"slower:5%"`` fails if the whole interval of the ratio lies beyond 5 % on the worse
        side, which are the edges of the band of `compare`: below 1 / 1.05 for I/Os per second,
        above 1.05 for a time. ``"shown-not-slower:5%"`` passes only if the whole interval lies on
        the other side of that edge: it lets a loss of 5 % pass in .025. ``"p99 slower:10%"`` is
        about one metric; ``"slower"`` is any loss that chance does not explain. The words are
        slower and worse, faster and better, higher and lower (of the ratio itself), each also after
        ``shown-not-``; ``not-same`` (fails unless the verdict is "same") and ``not-settled`` (fails
        if there are too few runs to decide). ``"p99 > 10ms"`` and ``"iops < 5000"`` are limits: the
        whole interval of the center lies beyond, or the center itself of fewer than 3 runs.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row for each rule and each row of the answer that it is about: the columns that name
        the row, ``baseline``, ``metric``, ``n``, ``n_baseline``, ``ratio``, ``ratio_lo``,
        ``ratio_hi``, ``verdict``, ``beyond_band``, ``band``, ``flags``, ``details``, ``rule``,
        ``outcome``: "fail", "pass", "undecided" if the interval holds the edge, or "unknown" if
        there is none; and ``detectable``: the loss (or gain) that these runs would have seen four
        times in five, .12 for 12 %. If 3 or more runs a side do not spread at all, the ratio itself
        is held to the rule. A limit has ``observed``, ``observed_lo``, ``observed_hi``, ``limit``
        [unit]. `show` says each in a sentence.

    Raises
    ------
    SchemaError
        If a rule cannot be read or is about a metric that is not there, or the frame is not a
        comparison.

    Examples
    --------
    >>> import pandas as pd
    >>> import fiotools as ft
    >>> runs = pd.DataFrame({
    ...     "build": ["old"] * 5 + ["new"] * 5,
    ...     "iops": [131, 127, 140, 129, 133, 100, 104, 98, 101, 97],
    ... })
    >>> cmp = ft.compare(runs, "iops", between="build", baseline="old")
    >>> held = ft.gate(cmp, ["slower:5%", "slower:40%"])
    >>> held["outcome"].tolist()
    ['fail', 'pass']
    >>> held[["rule", "ratio", "ratio_lo", "ratio_hi", "detectable"]].round(2)
             rule  ratio  ratio_lo  ratio_hi  detectable
    0   slower:5%   0.76      0.72       0.8        0.12
    1  slower:40%   0.76      0.72       0.8        0.50
    """
    several: Any = comparison if isinstance(comparison, (list, tuple)) else [comparison]
    opened: list[nw.DataFrame[IntoDataFrameT]] = [frames.opened(one, ["metric"]) for one in several]
    if not opened:
        raise SchemaError("there is no comparison to hold to a rule")
    rules = [rule_of(text) for text in ([fail_if] if isinstance(fail_if, str) else fail_if)]
    if not rules:
        raise SchemaError(f"there is no rule: {argument('fail_if', 'slower:5%')}")
    kinds = {"baseline" in one.columns for one in opened}
    if len(kinds) > 1:
        raise SchemaError("comparisons and summaries have rules of their own: hold each to its own")
    data: nw.DataFrame[IntoDataFrameT] = opened[0] if len(opened) == 1 else nw.concat(opened)
    compares = kinds == {True}
    relative = [rule for rule in rules if isinstance(rule, Rule)]
    limits = [rule for rule in rules if isinstance(rule, Limit)]
    for odd in limits if compares else relative:
        whose = "one side: summarize() it" if compares else "two sides: compare() them"
        raise SchemaError(f"rule {odd.text!r} is about {whose}")
    return _compared(data, relative) if compares else _summarized(data, limits)


def _compared(data: nw.DataFrame[IntoDataFrameT], rules: Sequence[Rule]) -> IntoDataFrameT:
    """Hold the rows of comparisons to rules."""
    shown = [name for name in ANSWERS["gate"] if name not in _OWN]
    frames.need(data, shown)
    names = data.columns[: data.columns.index("baseline")]
    if not names:
        raise SchemaError("not a comparison: no column before 'baseline'")
    found = [
        {"row": at, **{name: row[name] for name in shown}}
        | {"rule": rule.text, "outcome": rule.judge(row), "detectable": rule.detectable(row)}
        for rule in rules
        for at, row in _about(data, rule)
    ]
    return frames.answer(data, "gate", (*names, "baseline"), found)


def _summarized(data: nw.DataFrame[IntoDataFrameT], rules: Sequence[Limit]) -> IntoDataFrameT:
    """Hold the rows of summaries to limits."""
    shown = ("metric", "n", "flags", "details")
    frames.need(data, [*shown, "center", "center_lo", "center_hi"])
    names = data.columns[: data.columns.index("metric")]
    found = [
        {"row": at, **{name: row[name] for name in shown}, **rule.line(row)}
        | {"rule": rule.text, "outcome": rule.judge(row)}
        for rule in rules
        for at, row in _about(data, rule)
    ]
    return frames.answer(data, ("baseline", *ANSWERS["gate"]), names, found)


def _about(data: nw.DataFrame[Any], rule: Rule | Limit) -> list[tuple[int, dict[str, Any]]]:
    """Give the rows that a rule is about, with their places."""
    rows = [
        dict(zip(data.columns, values, strict=True))
        for values in frames.keys_of(data, data.columns)
    ]
    about = [
        (at, row)
        for at, row in enumerate(rows)
        if rule.metric is None or f"{row['metric']}_".startswith(f"{rule.metric}_")
    ]
    if not about:
        there = ", ".join(frames.distinct(row["metric"] for row in rows))
        raise SchemaError(f"rule {rule.text!r} is about {rule.metric}; compared was {there}")
    return about
