"""time: many durations as bash prints them, ``real 0m4.364s`` with a tab, read at once.

`time_labels` reads the same of one report, and every other form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.readers.dd.columns import Cuts, Flags, Integers

_TAB = ord("\t")
_MOST = 9  # digits of minutes


def durations(
    cuts: Cuts, above: Integers, end: Integers, label: bytes
) -> tuple[NDArray[np.float64], Flags]:
    """Read lines of a label and a duration.

    Parameters
    ----------
    cuts : Cuts
    above, end : numpy.ndarray
        The cuts at the end of the line above, and of the line itself.
    label : bytes

    Returns
    -------
    numpy.ndarray
        Seconds.
    numpy.ndarray of bool
        Which lines are such lines.
    """
    tab, stop = cuts.at[above + 1], cuts.at[end]
    good = (end - above == 2) & (cuts.kind[above + 1] == _TAB)
    good &= cuts.ends(above + 1, label) & (tab - cuts.at[above] - 1 == len(label))
    good &= (cuts.bytes[stop - 1] == ord("s")) & (cuts.bytes[stop - 5] == ord("."))
    tens = cuts.bytes[stop - 7] != ord("m")
    minutes_end = stop - 7 - tens
    good &= cuts.bytes[minutes_end] == ord("m")
    thousandths, is_fraction = cuts.digits(stop - 1, np.full_like(stop, 3))
    seconds, is_second = cuts.digits(stop - 5, 1 + tens)
    minutes, is_minute = cuts.number(tab + 1, minutes_end)
    good &= is_fraction & is_second & is_minute & (seconds < 60)
    good &= minutes_end - tab - 1 <= _MOST
    return ((60 * minutes + seconds) * 1000 + thousandths) / 1000, good
