"""dd: many whole reports as columns, and what is asked of one report asked of all at once.

`dd_rates` and `dd_runs` ask the same of a single one, in the same words where they can.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from fiotools.arrays import Vector
from fiotools.readers.dd import lines as dd_lines
from fiotools.readers.dd import rates as dd_rates
from fiotools.readers.dd.columns import Cuts, Figures, Texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.readers.dd.columns import Flags, Integers

    Floats: TypeAlias = NDArray[np.float64]

LINES = 3  # of a report
AGREES, ROUNDED, CONTRADICTS = range(3)  # what a printed rate does
_EXACT = 22  # a float64 has every power of ten up to this one
_TENS = np.array([10.0**power for power in range(_EXACT + 1)])
_FIXED = np.array([0.5 * 10.0**-places for places in range(_EXACT + 1)])
_LEAST = -2 * _EXACT
_MAGNITUDES = np.array([10.0**power for power in range(_LEAST, _EXACT)])
_HALVES = np.array([0.5 * 10.0 ** (power - 5) for power in range(_LEAST, _EXACT)])
_NEVER = (0.0, -1.0, 1.0, 1.0)  # what no size agrees with
_ALWAYS = (0.0, np.inf, 1.0, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Reports:
    """Reports, one in each row.

    Attributes
    ----------
    columns : dict of str to numpy.ndarray
        ``full_in``, ``partial_in``, ``full_out``, ``partial_out``, ``bytes``, ``seconds``, ``rate``
        (the place in the texts), ``whole`` (seconds), ``bw``, ``verdict``, ``sized``, ``fits`` and
        ``behind``.
    rates : list of str
        The rates as printed.
    """

    columns: dict[str, NDArray[Any]]
    rates: list[str]

    def __len__(self) -> int:
        return len(self.columns["bytes"])

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.columns[name]

    def take(self, index: Integers | slice) -> Reports:
        """Return some of them."""
        return Reports({name: of[index] for name, of in self.columns.items()}, self.rates)

    def printed_rates(self) -> Vector:
        """Return the rates, as they were printed."""
        return Vector(self["rate"].astype(np.int32), words=self.rates)

    def printed_records(self) -> tuple[Vector, Vector]:
        """Return records in and out, as they were printed; they share their words."""
        import pandas as pd

        full, fulls = pd.factorize(np.append(self["full_in"], self["full_out"]))
        partial, partials = pd.factorize(np.append(self["partial_in"], self["partial_out"]))
        pairs, different = pd.factorize(full + len(fulls) * partial)
        words = [
            f"{fulls[pair % len(fulls)]}+{partials[pair // len(fulls)]}"
            for pair in different.tolist()
        ]
        into, out = pairs.astype(np.int32).reshape(2, -1)
        return Vector(into, words=words), Vector(out, words=words)


def read(cuts: Cuts, ends: Sequence[Integers]) -> tuple[Reports, Flags]:
    """Read reports of three lines.

    Parameters
    ----------
    cuts : Cuts
    ends : sequence of four numpy.ndarray
        The cuts at the end of the line above, and of each line.

    Returns
    -------
    Reports
    numpy.ndarray of bool
        Which of them are reports.
    """
    into = cuts.records(ends[0], ends[1], b" in")
    out = cuts.records(ends[1], ends[2], b" out")
    figures, good = read_figures(cuts, ends[2], ends[3])
    columns = {
        **figures.columns,
        "full_in": into.full,
        "partial_in": into.partial,
        "full_out": out.full,
        "partial_out": out.partial,
    }
    reports = Reports(columns, figures.rates)
    full, partial, amount = out.full, out.partial, figures["bytes"]
    whole = (full > 0) & (amount % np.maximum(full, 1) == 0)
    # as `dd_runs.fits`, where bytes were moved; and as where dd is on its way
    columns["fits"] = np.where(partial > 0, amount >= full + partial, whole)
    columns["behind"] = (into.partial == partial) & (into.full == full + 1) & (full > 0)
    return reports, good & into.good & out.good


def read_figures(
    cuts: Cuts, above: Integers, end: Integers, *, is_progress: bool = False
) -> tuple[Reports, Flags]:
    """Read lines of figures, as `read` does."""
    figures = cuts.figures(above, end)
    power = figures.decimals + figures.exponent
    good = figures.good & (power <= _EXACT)
    # one rounding, as in reading the text: both are exact
    seconds = figures.digits / _TENS[np.where(good, power, 0)]
    columns: dict[str, NDArray[Any]] = {
        "bytes": figures.bytes,
        "seconds": seconds,
        "whole": power == 0,
        "rate": figures.rate.place,
    }
    with np.errstate(divide="ignore", invalid="ignore"):
        columns["bw"], columns["verdict"] = _rates(figures, seconds, is_progress)
        sized = _size_agrees(figures.bytes, figures.size)
        columns["sized"] = sized & _size_agrees(figures.bytes, figures.binary)
    return Reports(columns, figures.rate.texts), good


def plain(reports: Reports) -> Flags:
    """Say of which there is nothing to say: their rows are those of `dd_rows`, with no note."""
    found: Flags = (reports["bytes"] > 0) & (reports["seconds"] > 0)
    found &= (reports["verdict"] == AGREES) & reports["sized"]
    found &= reports["fits"] & ~reports["behind"]
    return found


def _rates(figures: Figures, seconds: Floats, is_progress: bool) -> tuple[Floats, NDArray[Any]]:
    """Give bandwidths and verdicts as `dd_rates.rate` does of what GNU printed in some time."""
    figure = _HALVES[np.searchsorted(_MAGNITUDES, seconds, side="right") - 1]
    fixed = _FIXED[np.clip(figures.decimals, 0, _EXACT)]
    half = np.where(figures.exponent > 0, figure, np.minimum(fixed, figure))
    bounds = np.array([*map(_bounds, figures.rate.texts), (np.nan,) * 4])[figures.rate.place].T
    shortest, longest = seconds - half, seconds + half
    agrees = _between(figures.bytes, shortest, longest, bounds[1], bounds[2])
    values, verdicts = figures.bytes / seconds, np.where(agrees, AGREES, CONTRADICTS)
    some = np.flatnonzero(~agrees)
    if len(some):
        value, low, _, cut_off = bounds[:, some]
        amount, time, decimals = figures.bytes[some], seconds[some], figures.decimals[some]
        is_stepped = np.zeros(len(some), dtype=bool)
        for bound in (shortest[some], longest[some]):
            rate = amount / (np.maximum(1, np.floor(bound * 1000)) / 1000)
            is_stepped |= (low <= rate) & (rate <= cut_off)
        coarse = np.select([decimals == 0, decimals == 1], [0.5 * is_progress, 0.05])
        is_rounded = _between(amount, time - coarse, time + coarse, low, cut_off) & (coarse > 0)
        verdicts[some] = np.select([is_stepped, is_rounded], [AGREES, ROUNDED], CONTRADICTS)
        known = np.where((value > 0) & (amount / value >= dd_rates.WHOLE), value, np.nan)
        values[some] = np.where(verdicts[some] == ROUNDED, known, values[some])
    return values, verdicts


def _between(amount: Integers, shortest: Floats, longest: Floats, low: Floats, high: Floats) -> Any:
    fastest = np.where(shortest > 0, amount / shortest, np.inf)
    return dd_rates.is_between(fastest, amount / longest, low, high)


@lru_cache(maxsize=10_000)
def _bounds(rate: str) -> tuple[float, float, float, float]:
    token = dd_lines.segment(f"1 bytes copied, 1 s, {rate}").tokens[0]
    assert isinstance(token.value, dd_lines.Figures)
    return dd_rates.bounds(token.value)


def _size_agrees(amount: Integers, size: Texts) -> Flags:
    """As `dd_rates.size_agrees`."""
    sizes = np.array([*map(_size, size.texts), _ALWAYS])
    number, digit, unit, other = sizes[size.place].T
    good: Flags = np.abs(amount / unit - number) <= digit
    good |= np.abs(amount / other - number) <= digit
    return good


@lru_cache(maxsize=10_000)
def _size(text: str) -> tuple[float, float, float, float]:
    found = dd_rates.sizes(text)
    if len(found) != 1 or found[0][2][-1] >= 10**_EXACT:
        return _NEVER
    number, digit, worth = found[0]
    return number, digit, float(worth[0]), float(worth[-1])


def joined(parts: Sequence[Reports]) -> Reports:
    """Put reports one below the other."""
    if len(parts) == 1:
        return parts[0]
    known: dict[str, int] = {}
    places = []
    for part in parts:
        place = np.array([known.setdefault(text, len(known)) for text in part.rates], dtype=np.intp)
        places.append(place[part["rate"]])
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0].columns}
    return Reports({**columns, "rate": np.concatenate(places)}, list(known))


def grows(reports: Reports) -> Flags:
    """Say of every report but the first whether it can be a later one of the dd above.

    As `dd_series` asks of two whole reports with nothing between them.
    """
    into, out = (reports[f"full_{way}"] + reports[f"partial_{way}"] for way in ("in", "out"))
    found: Flags = _rises(reports["bytes"]) & _rises(reports["seconds"]) & _rises(into)
    found &= out[1:] >= out[:-1]
    for way in ("in", "out"):
        partial = reports[f"partial_{way}"]
        found &= partial[1:] >= partial[:-1]
    full = reports["full_out"]
    is_known = (full > 0) & (reports["partial_out"] == 0)
    block = reports["bytes"] // np.maximum(full, 1)
    found &= (block[1:] == block[:-1]) | ~is_known[1:] | ~is_known[:-1]
    return found


def _rises(values: NDArray[Any]) -> Flags:
    good: Flags = values[1:] > values[:-1]
    return good


def is_round(number: int) -> bool:
    """Whether a person would ask for that many records: 100, 2500, 640, 1024, 20480."""
    odd = number
    while odd and odd % 2 == 0:
        odd //= 2
    return odd in (0, 1, 3, 5, 25) or len(str(number).rstrip("0")) <= 2
