"""Two sides of a comparison: which runs face each other, and how fast each is.

No statistic: one run may have several rows, and a side several runs; each side is its geometric
mean. Whether a difference is settled is the question of `fiotools.compare`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Any, TypeAlias

from fiotools.errors import SchemaError
from fiotools.spelling import argument, typed
from fiotools.stats.credibility.known import Known
from fiotools.stats.credibility.runs import Row, Run
from fiotools.vocabulary import CONDITIONS

_IGNORED = ("size_bytes",)  # the sides may have files of their own


Cell: TypeAlias = tuple[Any, ...]
Rate: TypeAlias = "tuple[Run, Row | None, float, str]"  # with the row and the unit, if any


@dataclass(frozen=True, slots=True)
class Pair:
    """One cell of one level against the same cell of the baseline."""

    run: Run
    subject: str
    level: str
    rate: float
    rate_baseline: float
    unit: str
    baseline: Run
    row: Row | None = None

    @property
    def ratio(self) -> float:
        """Level / baseline, as rates: above 1 is faster."""
        return self.rate / self.rate_baseline


def pairs(several: Sequence[Run], known: Known) -> Iterator[Pair]:
    """Put each level's cells beside the baseline's."""
    between, baseline = known.between, known.baseline
    if between is None:
        return
    if several and between not in several[0].labels:
        there = ", ".join(map(repr, several[0].labels)) or "none"
        raise SchemaError(
            f"{argument('between', between)} is no label of the results (there are: {there}): "
            f"{typed('read() makes labels', 'labels are made')} of the fields of a path template"
        )
    levels = dict.fromkeys(str(run.labels[between]) for run in several)
    if baseline is not None and str(baseline) not in levels:
        raise SchemaError(
            f"{argument('baseline', baseline)} is no value of {between!r}; "
            f"there are: {', '.join(levels)}"
        )
    for key, sides in _sides(several, between).items():
        base = sides.pop(str(baseline), [])
        for level, own in sides.items():
            if not base:
                continue
            run, row, _, unit = own[0]
            what = key[0] or "command"
            yield Pair(
                run,
                f"{what}: {level} against {baseline}",
                level,
                _center(own),
                _center(base),
                unit,
                base[0][0],
                row,
            )


def alone(several: Sequence[Run], known: Known) -> list[Run]:
    """Give the runs of levels that nothing of the baseline faces; all, if no sides were named."""
    between, baseline = known.between, str(known.baseline)
    if between is None:
        return list(several) if len(several) > 1 else []
    faced = set()
    for sides in _sides(several, between).values():
        if baseline in sides:
            faced |= {id(run) for own in sides.values() for run, *_ in own}
    return [run for run in several if id(run) not in faced and str(run.labels[between]) != baseline]


def _sides(several: Sequence[Run], between: str) -> dict[Cell, dict[str, list[Rate]]]:
    """Sort the rates of all runs by what they are rates of, then by level."""
    cells: dict[Cell, dict[str, list[Rate]]] = defaultdict(lambda: defaultdict(list))
    for run in several:
        for key, row, rate, unit in _cells(run, between):
            cells[key][str(run.labels[between])].append((run, row, rate, unit))
    return cells


def _cells(run: Run, between: str) -> Iterator[tuple[Cell, Row | None, float, str]]:
    """Give the rates of a run with what they are rates of."""
    # a label that numbers repeats does not part cells
    labels = tuple(
        (name, value)
        for name, value in run.labels.items()
        if name != between and not str(value).isdigit()
    )
    names = [name for name in CONDITIONS if name not in _IGNORED]
    for row in run.wholes():
        rate, unit = row["bw_bytes_per_s"], "B/s"
        if rate is None:
            rate, unit = row["iops"], "1/s"
        if rate:
            conditions = tuple(row[name] for name in names)
            yield (row["direction"], labels, conditions), row, rate, unit
    timing = run.timing
    if not run.io and timing is not None and (timing["real_s"] or timing["real_mean_s"]):
        yield ("", labels, ()), None, 1 / (timing["real_s"] or timing["real_mean_s"]), "1/s"


def _center(side: Sequence[Rate]) -> float:
    return exp(sum(log(rate) for _, _, rate, _ in side) / len(side))
