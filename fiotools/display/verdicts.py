"""The words of an answer that compares: of its verdict, its cautions, and what a gate found.

Frames hold values. Each of these takes a row of the answer, whose columns before ``baseline`` name
the cell and the side.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import narwhals as nw

from fiotools import flags
from fiotools.display import columns
from fiotools.display.columns import Mark, is_missing
from fiotools.flags import Flag
from fiotools.stats.frames import Metric, metric_of
from fiotools.tables.naming import short
from fiotools.units import human, level, percent, sides
from fiotools.words import named

Row: TypeAlias = Mapping[str, Any]
_FAR = 3.0  # times: more, or its inverse, is not said in percent
# verdicts of too few runs, and what follows from them
LACKING = {"one run": ": no error known", "few runs": ": too few to tell", "no run": ""}


def verdict(row: Row) -> str:
    """Say the verdict as someone without statistics would."""
    found = "" if is_missing(row["verdict"]) else str(row["verdict"])
    if not found:
        return ""
    if "beyond_band" not in row:
        return _of_series(row, found)
    if found == "same":
        return f"same within {percent(row['band'])} %"
    if found in LACKING:
        return lacking(row) + LACKING[found]
    beside = _beside_history(row)
    if found != "undecided" and row["beyond_band"] != "undecided":
        return found + beside
    ends = [
        None if is_missing(row[name]) else float(row[name]) for name in ("ratio_lo", "ratio_hi")
    ]
    if None in ends:
        why = next((why for code, why in _NO_INTERVAL.items() if has(row, code)), "too few runs")
        return f"cannot tell: {why}"
    low, high = (float(end or 0) for end in ends)
    metric = metric_of(row["metric"])
    if found == "undecided":
        least, most = _change(low, metric), _change(high, metric)
        return f"cannot tell: between {_once(least, most)} and {most}"
    return f"{found}, {by(row)}{beside}"


# why there is no interval, by the flag that says it
_NO_INTERVAL = {
    "no-spread": "no spread at all",
    "history-drift": "the history drifts",
    "history-step": "the history steps",
    "history-skew": "the history is skewed",
}


def _beside_history(row: Row) -> str:
    """Say of what differs from a history on which side of it it lies."""
    values = next((one.values for one in of_row(row) if one.code == "history"), None)
    if values is None or is_missing(row["ratio"]):
        return ""
    where = "below" if row["ratio"] < 1 else "above"
    return f": {where} what {100 * values['share']:.4g} % of such {values['what']} show"


_WORDS = {
    "met": "window met",
    "not met": "window not met",
    "undecided": "cannot tell",
    "no step": "no step found",
    "no summary": "no row of io to compare with",
}


def _of_series(row: Row, found: str) -> str:
    """Say the verdict of `steady`, `shifts` or `reconcile`, and what it follows from."""
    there = of_row(row)
    why = "; ".join(flags.sentence(one) for one in there if one.code in flags.OF_VERDICT)
    words = _WORDS.get(found, found)
    if found == "no rate":
        words = f"no {row['metric']} in the summary"
    if any(one.code == "by-chance" for one in there):
        words = f"{words}, or two levels by chance"
    return f"{words}: {why}" if why else words


def by(row: Row) -> str:
    """Say by how much two sides differ: "by 3.8 to 56 %"."""
    low, high = float(row["ratio_lo"]), float(row["ratio_hi"])
    least, most = sorted(abs(end - 1) for end in (low, high))
    share = f"{percent(least)} to {percent(most)} %"
    if metric_of(row["metric"]).is_time:
        return f"taking {share} {'more' if low > 1 else 'less'} time"
    return f"by {share}"


def _change(ratio: float, metric: Metric) -> str:
    """Say what a ratio means: "8 % slower"."""
    if not 1 / _FAR < ratio < _FAR:
        return f"{columns.figures(ratio)} times the {'time' if metric.is_time else 'value'}"
    share = f"{percent(abs(ratio - 1))} %"
    if metric.is_time:
        return f"{share} {'more' if ratio > 1 else 'less'} time"
    gain, loss = metric.words
    return f"{share} {gain if metric.sign * (ratio - 1) > 0 else loss}"


def _once(least: str, most: str) -> str:
    """Leave out "times the value" if what follows says it too."""
    word = " times the "
    return least.partition(word)[0] if word in most else least


def lacking(row: Row) -> str:
    """Say which runs there are, or are not: "one run each"."""
    there = (one for one in of_row(row) if one.code in flags.OF_VERDICT)
    one = next(there, Flag(str(row["verdict"]), {}))
    side, values = one.values.get("side"), one.values
    name = dict(zip(("level", "baseline"), names_of(row), strict=True)).get(str(side))
    if one.code == "no-pair":
        return "no pairs"
    if one.code == "no-run":
        workload = ", ".join(values.get("workload", ()))
        return f"no run of {name!r}" + (f" of {workload}" if workload else "")
    if one.code == "two":
        return f"two {values['what']}"
    if one.code != "one-run":
        return one.code
    cell = f"one run in a cell of {', '.join(values.get('columns', ()))}"
    unit = values.get("what", "run")
    which = {"each": f"one {unit} each", "pairs": "one pair", "cell": cell}
    return which.get(str(side), f"one {unit} of {name!r}")


def names_of(row: Row) -> tuple[Any, Any]:
    """Give the level and the baseline of a row."""
    return row[columns.named_by(list(row), "gate" if "rule" in row else "compare")[-1]], row[
        "baseline"
    ]


def of_row(row: Row) -> list[Flag]:
    """Give the flags of a row."""
    told, details = (None if is_missing(row.get(x)) else row[x] for x in ("flags", "details"))
    return flags.flags_of(told, details)


def has(row: Row, code: str) -> bool:
    """Say whether a row has a flag."""
    return any(one.code == code for one in of_row(row))


def has_units(row: Row) -> bool:
    """Say whether what counts once is more than a run: a day, a session."""
    return any(
        one.values.get("what", "run") != "run" for one in of_row(row) if one.code == "one-run"
    )


def cautions(row: Row) -> list[tuple[Flag, str]]:
    """Give the flags of a row with their sentences, but those that its verdict says."""
    sides = names_of(row) if "baseline" in row else ()
    there = [one for one in of_row(row) if one.code not in flags.OF_VERDICT]
    return [(one, flags.sentence(one, *sides)) for one in there]


def told(answer: Any) -> list[str | None]:
    """Write the cautions of each row of an answer, "; " between them; None if there are none."""
    rows = nw.from_native(answer, eager_only=True).iter_rows(named=True)
    return ["; ".join(text for _, text in cautions(row)) or None for row in rows]


def verdicts(answer: Any) -> list[str]:
    """Say the verdict of each row of a comparison."""
    return list(map(verdict, nw.from_native(answer, eager_only=True).iter_rows(named=True)))


def mark_of(row: Row) -> Mark:
    """Choose the mark of a verdict: hollow if the difference may lie within the band."""
    is_open = row.get("beyond_band") == "undecided" and row["verdict"] != "undecided"
    return columns.mark(row["verdict"], hollow=is_open)


def settings(row: Row) -> list[str]:
    """Say which options the sides had, and what each was set to."""
    given = {None: "not given", "": "given"}
    found = next((one.values for one in of_row(row) if one.code == "settings"), None)
    if found is None:
        return []
    texts = zip(found["options"], *found["texts"].values(), strict=True)
    return [
        f"{option} is {given.get(one, one)} against {given.get(other, other)}"
        for option, one, other in texts
    ]


def compared(row: Row) -> str:
    """Name what a row of a gate is about: its cell, and both sides."""
    names = columns.named_by(list(row), "gate")
    if is_missing(row["baseline"]):
        return ", ".join(level(row[name], name) for name in names)
    *cell, between = names
    own, other = sides(row[between], row["baseline"], between)
    where = ", ".join(level(row[name], name) for name in cell)
    return f"{where}: {own} / {other}" if where else f"{own} / {other}"


def held(row: Row) -> str:
    """Say in a sentence why a rule of a gate is broken, or not."""
    from fiotools.stats.gate import FAIL, PASS, UNKNOWN, Limit, is_constant, rule_of

    rule, told = rule_of(row["rule"]), compared(row)
    if isinstance(rule, Limit):
        return named(told, _beside_limit(row))
    if is_missing(row["ratio"]):
        return f"{told}: {verdict(row)}"
    ratio, constant = f"{row['ratio']:.3g}", is_constant(row)
    if not is_missing(row["ratio_lo"]):
        ratio += f" [{row['ratio_lo']:.3g}, {row['ratio_hi']:.3g}]"
    told += f": {ratio} times the {row['metric']}; "
    if constant:
        runs = " and ".join(str(n) for n in dict.fromkeys((row["n"], row["n_baseline"])))
        told += f"no spread among {runs} runs a side (copies of one run?); "
    if rule.word.startswith("not-"):
        return told + ("constant" if constant else verdict(row))
    more = f"{rule.broken} by more than {percent(rule.share)} %" if rule.share else rule.broken
    why = f" ({verdict(row)})" if is_missing(row["ratio_lo"]) and not constant else ""
    if rule.shown:
        shown = "it is not shown that it is" if row["outcome"] == FAIL else "shown to be"
        return f"{told}{shown} not {more}{why}"
    if row["outcome"] == UNKNOWN:
        return f"{told}whether it is {more} is unknown{why}"
    if row["outcome"] not in (FAIL, PASS):
        told += f"whether it is {more} is undecided"
    else:
        told += f"{more}{_beside_history(row)}" if row["outcome"] == FAIL else f"not {more}"
    seen = row["detectable"]
    if is_missing(seen):
        return told
    what = {"slower": "a loss", "worse": "a loss", "faster": "a gain", "better": "a gain"}
    of = f"{what.get(rule.word, 'a change')} of {percent(seen)} %"
    return f"{told}; with these runs {of} is seen four times in five"


def _beside_limit(row: Row) -> str:
    """Say what was held against a limit, and on which side of it it lies."""
    unit, limit = row["unit"] or "1", row["limit"]
    told = f"{short(row['metric'])} is {human(row['observed'], unit)}"
    if not is_missing(row["observed_lo"]):
        ends = (human(row[f"observed_{end}"], unit) for end in ("lo", "hi"))
        told += f" [{', '.join(ends)}]"
    where = "above" if row["observed"] > limit else "below" if row["observed"] < limit else "at"
    told += f", {where} {human(limit, unit)}"
    if row["outcome"] == "undecided":
        told += ", which the interval reaches: whether it is kept is undecided"
    return told if row["n"] > 1 else f"{told}; one run: another may differ"
