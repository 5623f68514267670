"""The order in which runs were made, as far as a frame tells it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from fiotools.stats import frames
from fiotools.stats.replicates import Runs

_ROUND = "round"  # the column of a campaign, and of most tables of runs made by hand
_NUMBER = re.compile(r"\d+")
_SIZE = re.compile(r"\d[kmgt](i?b)?(?![a-z])", re.IGNORECASE)
_ENDING = re.compile(r"(\.[a-z]\w*)+$", re.IGNORECASE)


@dataclass(frozen=True)
class Order:
    """Where each row's run stands among the others.

    Attributes
    ----------
    places : list
        Of each row; made `sortable`, they sort as the runs were made.
    across : bool
        Whether they tell which of two runs of different sides came first. Times do, and the numbers
        of runs in one file; rounds and the names of files tell the order within a side only.
    over : str
        What the runs are ordered by, as the end of "values drift up by 3 %".
    """

    places: list[Any]
    across: bool
    over: str


SERIES = "over the series of runs"


def order_of(runs: Runs[Any], pair: str | None = None) -> Order | None:
    """Find the order of the runs: by times, run numbers of one file, rounds, or file names."""
    if runs.moments is not None:
        return Order(runs.moments, True, SERIES)
    sources = frames.optional(runs.data, "source")
    numbers = frames.optional(runs.data, "run")
    if len(set(sources)) == 1 < len(set(numbers)) and None not in numbers and pair != "run":
        return Order(numbers, True, SERIES)
    for name in frames.present(runs.data, [*frames.names(pair), _ROUND]):
        rounds = frames.values(runs.data, name)
        if name != "source" and None not in rounds and sortable(rounds) is not None:
            return Order(rounds, False, f"in the order of {name!r}")
    if None in sources or None in numbers:
        return None
    files = list(zip(sources, numbers, strict=True))
    return Order(files, False, "in the order of the file names")


def sortable(places: Sequence[Any]) -> list[Any] | None:
    """Turn places into what sorts as the runs were made; None where nothing numbers them.

    Numbers and times sort by themselves. Texts number runs if they differ in their numbers alone:
    "r2" comes before "r10"; "4k" and "8k" are sizes. Files sort by such names, and then by the
    number of the run in the file.

    Examples
    --------
    >>> sortable(["r10", "r2"]), sortable(["4k", "8k"]), sortable(["fast", "slow"])
    ([(10,), (2,)], None, None)
    >>> sortable([("a_10.json", 1), ("a_9.json", 1)])
    [((10,), 1), ((9,), 1)]
    """
    if all(isinstance(place, tuple) for place in places):
        stems = [_ENDING.sub("", str(source)) for source, _ in places]
        names = sortable(stems) if len(set(stems)) > 1 else [()] * len(stems)
        return names and list(zip(names, [run for _, run in places], strict=True))
    if all(isinstance(place, str) for place in places):
        alike = len({_NUMBER.sub("#", place) for place in places}) == 1
        if not alike or any(_SIZE.search(place) or not _NUMBER.search(place) for place in places):
            return None
        return [tuple(map(int, _NUMBER.findall(place))) for place in places]
    numbers = all(isinstance(place, Real) and not isinstance(place, bool) for place in places)
    return list(places) if numbers or all(hasattr(place, "year") for place in places) else None
