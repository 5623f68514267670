"""Whether runs are of one kind: on one target, of one mode, and enough to see a second."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import ceil, exp, log, log1p, sqrt

import numpy as np
from numpy.typing import NDArray

from fiotools.errors import argument
from fiotools.units import percent

_FAR = 10.0  # times between the runs of a side; of noise with a CoV of 50 %, 20 runs reach 6
_WORTH = log1p(0.05)  # modes that lie nearer do not matter
_DIP = (12, 1000)  # runs: below, the dip test finds nothing; above, it takes long
_RARE = (0.2, 0.1)  # shares of a mode that few runs may miss
_MISSED = 0.05
_NAMED = 3  # targets in a message
_DRIVE = re.compile(r"[A-Za-z]:|/dev/(?!shm/).*|.*(?=[/\\])")

Array = NDArray[np.float64]


def unlike(logs: Sequence[float], whose: str = "the runs") -> list[str]:
    """Warn of runs that lie far apart, or in two groups, by the logarithms of their values.

    Two groups are runs with a gap between them that is above 9 times the median gap, with two runs
    or more on either side (one alone is an outlier), and above 5 %. Among n > 12 runs gaps in the
    middle are smaller, and it is 3 n / 4 times. The dip test judges 12 to 1,000 different runs too:
    Hartigan and Hartigan, "The dip test of unimodality" (1985), at 5 % for uniform values. Less
    than 5 % of lognormal runs raise the warning.

    Examples
    --------
    >>> unlike([log(iops) for iops in (5814, 5703, 8916, 9037, 8910)])
    ['the runs fall into two groups: 2 of 5,703 to 5,814 and 3 of 8,910 to 9,037']
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

    Examples
    --------
    >>> round(dip(np.array([1.0, 2.0, 3.0, 4.0])), 6), dip(np.array([1.0, 1.1, 5.0, 5.1]))
    (0.125, 0.25)
    """
    low, high, deepest = 0, len(values) - 1, 1.0
    while True:
        x, step = values[low : high + 1], np.arange(low, high + 1, dtype=np.float64)
        below, above = _hull(x, step), _hull(x, -step)
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


def _hull(x: Array, y: Array) -> NDArray[np.int_]:
    """Give the points on the greatest convex function below all."""
    knots: list[int] = []
    for i in range(len(x)):
        while len(knots) > 1:
            a, b = knots[-2:]
            if (y[b] - y[a]) * (x[i] - x[b]) < (y[i] - y[b]) * (x[b] - x[a]):
                break
            knots.pop()
        knots.append(i)
    return np.array(knots)


def unseen(n: int, runs: str = "runs a side") -> str | None:
    """Say which rare modes n runs may have missed, and how many runs would not.

    The chance that n runs all miss a mode that takes the share q of them is ``(1 - q)^n``.

    Examples
    --------
    >>> unseen(3)
    '3 runs a side may miss a rare mode: one that takes 20 % of the runs with a chance of 51 % (14
    runs: 5 %), 10 % with 73 % (29 runs: 5 %)'
    >>> unseen(29)
    """
    told = [
        f"{percent(share)} %{{}} {percent((1 - share) ** n)} % "
        f"({ceil(log(_MISSED) / log1p(-share))} runs: {percent(_MISSED)} %)"
        for share in _RARE
        if (1 - share) ** n > _MISSED
    ]
    if not told:
        return None
    words = [" of the runs with a chance of", *[" with"] * (len(told) - 1)]
    listed = ", ".join(one.format(word) for one, word in zip(told, words, strict=True))
    return f"{n} {runs} may miss a rare mode: one that takes {listed}"


def device_of(target: str) -> str:
    r"""Give the device, drive or folder of a target, as far as its name says.

    Examples
    --------
    >>> [device_of(name) for name in ("/dev/sda", r"C:\test.dat", "/mnt/a/test.1", "test.1")]
    ['/dev/sda', 'C:', '/mnt/a', '']
    """
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
