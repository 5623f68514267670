"""A plan: how many runs it takes to find a difference."""

from __future__ import annotations

from typing import Any

from fiotools.errors import SchemaError
from fiotools.language import say
from fiotools.plot import words
from fiotools.plot.kind import kind, opened
from fiotools.plot.roles import Arguments
from fiotools.plot.spec import Axis, Row, Spec, in_order
from fiotools.stats import frames
from fiotools.stats.plan import plan as ask_plan
from fiotools.units import percent

_DIFFERENCES = (0.07, 0.08, 0.1, 0.12, 0.15, 0.2, 0.3)  # beyond the band of 5 %


def _planned(data: Any, asked: Arguments) -> Any:
    """Ask for the plan of what is none yet."""
    given = {
        role: value
        for role in ("metric", "between", "pair")
        if (value := asked.pop(role, None)) is not None
    }
    if "runs_differ" in getattr(data, "columns", ()):
        return data
    return ask_plan(data, by=asked["by"] or None, differences=_DIFFERENCES, **given)


@kind(_planned)
def plan(
    frame: Any,
    metric: str | None = None,
    *,
    between: str | None = None,
    pair: str | None = None,
) -> Spec:
    """Draw how many runs a side are needed, against the difference to be found.

    Full marks are for finding a difference of that size, hollow ones for finding that two equal
    sides are the same within it. Both axes are logarithmic. A plan of rounds is drawn in rounds.

    Parameters
    ----------
    frame : Results, pandas.DataFrame or polars.DataFrame, or float
        Runs, or how much they vary, for which `fiotools.plan` is asked; or its answer for one
        combination of `by`: ten differences make a curve.
    metric, between, pair : optional
        Of runs, as in `fiotools.plan`.
    by, without, title, ax
        As in `repeats`.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If the frame is not a plan, has no number of runs, or has a difference twice.

    Examples
    --------
    >>> import fiotools as ft
    >>> ax = ft.plot.plan(0.03)
    >>> ft.plot.spec("plan", 0.03).notes
    ('runs vary by up to 3 %', 'dashed: to find that equal sides are within the 5 % band')
    """
    del metric, between, pair
    table = opened(frame, "difference_pct", "power", "runs_differ", "cov_hi_pct")
    differences = frames.complete(table, "difference_pct")
    powers = frames.complete(table, "power")
    if len(set(zip(differences, powers, strict=True))) < len(table):
        raise SchemaError("a difference is there twice: keep the rows of one plan")
    what = "rounds" if frames.distinct(frames.optional(table, "rounds_differ")) else "runs"
    rows, groups = list[Row](), list[str]()
    for power in in_order(powers, None):
        for question, words_of in (
            ("differ", "power {share}"),
            ("same", "power {share}, the same"),
        ):
            counts = frames.numbers(table, f"{what}_{question}")
            name = say(words_of, share=words.percent(power))
            found = [
                Row(difference, count, group=name)
                for difference, own, count in zip(differences, powers, counts, strict=True)
                if own == power and count
            ]
            groups += [name] if found else []
            rows += found
    if not rows:
        raise SchemaError("nothing to draw: every difference takes more than 1000 runs a side")
    bands = [one for one in frames.optional(table, "band") if one]
    band = percent(max(bands)) if bands else ""
    cov = percent(max(frames.complete(table, "cov_hi_pct")) / 100)
    most = max(row.y for row in rows)
    return Spec(
        "lines",
        tuple(rows),
        Axis(say("difference to be found"), "%", "difference_pct", log=True),
        Axis(
            say("runs a side") if what == "runs" else say("rounds"),
            "",
            log=True,
            ends=(2.5, max(20.0, most * 1.3)),
        ),
        hue="label",
        groups=tuple(groups),
        notes=(
            say("runs vary by up to {cov} %", cov=cov),
            say("dashed: to find that equal sides are within the {band} % band", band=band)
            if band
            else say("dashed: to find that equal sides are the same within it"),
        ),
        how=frozenset({"paired"}),
    )
