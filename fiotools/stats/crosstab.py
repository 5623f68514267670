"""A cross table: tests down, sides across, and how far each lies from the first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
from narwhals.typing import IntoDataFrame, IntoDataFrameT

from fiotools.errors import SchemaError
from fiotools.stats import cells
from fiotools.stats.compare import Looks, compare
from fiotools.stats.question import FOUND, question
from fiotools.tables.columns import of_pandas
from fiotools.tables.results import to_pandas
from fiotools.units import level
from fiotools.vocabulary import ANSWERS

CHANGE = ("change_pct", "change_lo_pct", "change_hi_pct")
TOLD = ("n", "verdict", "beyond_band", "flags", "details")
_SIDE = "the side"  # no label has such a name


@question(
    finds_cells=True, called={"side": "between", "columns": "between", "rows": "by", "index": "by"}
)
def crosstab(
    frame: IntoDataFrameT,
    metric: str = FOUND,
    *,
    between: str = FOUND,
    baseline: Any = FOUND,
    by: str | Sequence[str] | None = None,
    pair: str | None = None,
    unit: str | None = None,
    confidence: float = 0.95,
    band: float = 0.05,
    looks: Looks = "once",
    settings: IntoDataFrame | None = None,
) -> IntoDataFrameT:
    """Tabulate tests down and sides across, and how many per cent each lies from the first.

    Parameters
    ----------
    frame : Results, pandas.DataFrame or polars.DataFrame
        As in `compare`.
    by : str or sequence of str, optional
        The columns of the rows, which may be called ``rows``, too; by default the conditions and
        labels that vary, and not only from side to side.
    between : str, optional
        The column of the sides, which may be called ``side``; by default found, as in `compare`.
    metric, baseline, pair, unit, confidence, band, looks, settings : optional
        As in `compare`.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row for each combination of `by`: these columns; ``metric``, ``unit``, ``confidence``,
        ``band`` and ``comparisons`` of `compare`; ``baseline``, the column of the first side; and
        a column for each side, named as the side is: the geometric mean of its runs [unit]. Then
        for each other side ``x``: ``x_change_pct``, ``x_change_lo_pct``, ``x_change_hi_pct``, its
        difference from the first with the interval, null for one run a side; ``x_n`` (also of the
        first), ``x_verdict``, ``x_beyond_band``, ``x_flags`` and ``x_details`` of `compare`.
        `show` puts the per cent and the interval below each value, with the mark of the verdict.

    Raises
    ------
    SchemaError
        As in `compare`, and if a side is called like a column of the answer.

    Examples
    --------
    >>> import fiotools as ft
    >>> res = ft.read("data/dda-vhdx/xml/{volume}.xml")
    >>> table = ft.crosstab(res, "iops")
    >>> table[["direction", "mirror", "nvme", "nvme_change_pct"]].round()
      direction   mirror      nvme  nvme_change_pct
    0      read  37594.0   96430.0            157.0
    1     write  25077.0   64258.0            156.0
    2     total  62671.0  160689.0            156.0
    """
    about = {"baseline": baseline, "pair": pair, "unit": unit, "confidence": confidence}
    about |= {"band": band, "looks": looks, "settings": settings}
    by = cells.of_tests(frame, between, ["direction"]) if by is None else by
    answer = compare.door.function(frame, metric, between=between, by=by, **about)
    found: IntoDataFrameT = wide(answer)
    return found


def wide(answer: Any) -> Any:
    """Put the rows of an answer of `compare` beside each other."""
    if not isinstance(answer, pl.DataFrame):
        return to_pandas(wide(of_pandas(answer)))
    *by, between = answer.columns[: answer.columns.index("baseline")]
    cell = [*by, "metric"]
    first = level(answer["baseline"][0], between)
    names = [level(one, between) for one in answer[between]]
    others = [*dict.fromkeys(names)]
    if twice := {first, *others} & {*by, *ANSWERS["crosstab"]}:
        raise SchemaError(f"a side is called like a column, {', '.join(twice)}: rename it")
    ratios = zip(CHANGE, ("ratio", "ratio_lo", "ratio_hi"), strict=True)
    told = answer.with_columns(
        pl.Series(_SIDE, names), *((100 * (pl.col(one) - 1)).alias(name) for name, one in ratios)
    )
    shared = told.group_by(cell, maintain_order=True).agg(
        pl.lit(first).alias("baseline"),
        pl.col("unit", "band").first(),
        pl.col("confidence", "comparisons").max(),
        pl.col("center_baseline").drop_nulls().first().alias(first),  # a cell may lack a side
        pl.col("n_baseline").max().alias(f"{first}_n"),
    )
    across = told.pivot(_SIDE, index=cell, values=["center", *CHANGE, *TOLD])
    return shared.join(across, on=cell, nulls_equal=True, maintain_order="left").select(
        *(*by, *ANSWERS["crosstab"], first),
        *(pl.col(f"center_{side}").alias(side) for side in others),
        *(
            pl.col(f"{name}_{side}").alias(f"{side}_{name}")
            for side in others
            for name in (*CHANGE, *TOLD)
        ),
        f"{first}_n",
    )
