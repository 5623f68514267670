"""The buckets of DISKSPD's XML (``-D``) as numbers: I/Os per second and latencies over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from fiotools.readers.diskspd.elements import (
    Element,
    MalformedError,
    NotPlainError,
    columns,
    names_of,
    numbers,
    to_number,
)
from fiotools.readers.diskspd.runs import DIRECTIONS, LATENCIES, TIME, Sampled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_IOS = (TIME, *(direction.title() for direction in DIRECTIONS))
_OF_SIDES = tuple(f"{word}{name}" for word in ("Read", "Write") for name in LATENCIES)
_ATTRIBUTES = (*_IOS, *_OF_SIDES, *(f"Total{name}" for name in LATENCIES))


def sampled(element: Element, *, measured: bool, wanted: bool) -> Sampled | None:
    """Return the samples of a target or a whole run; their names alone unless ``wanted``.

    ``measured`` is whether latencies were measured. A whole run without them is asked whether it
    has any.
    """
    buckets = element.all("Iops/Bucket")
    if not buckets:
        return None
    is_unmeasured = element.tag == "TimeSpan" and not measured
    given = _columns(buckets, is_asked=wanted or is_unmeasured)
    own = [name for name in (_ATTRIBUTES if measured else _IOS) if name in given]
    sides = [name for name in _OF_SIDES if is_unmeasured and name in given]
    try:
        return Sampled(
            own,
            _rows(given, own if wanted else []),
            [name for name in given if name not in _ATTRIBUTES],
            bool((_rows(given, sides) > 0).any()),
        )
    except ValueError:
        raise _malformed(buckets, [*own, *sides]) from None


def _columns(buckets: Sequence[Element], *, is_asked: bool) -> Mapping[str, Sequence[str]]:
    """Return the values of each attribute; nan where one is missing."""
    text = buckets[0].buckets
    if not text:
        every = [dict(bucket.attributes) for bucket in buckets]
        names = dict.fromkeys(chain.from_iterable(every))
        return {name: [one.get(name, "nan") for one in every] for name in names}
    if len(buckets) > 1 or not names_of(text):
        raise NotPlainError
    return columns(text) if is_asked else dict.fromkeys(names_of(text), ())


def _rows(given: Mapping[str, Sequence[str]], names: Sequence[str]) -> NDArray[np.float64]:
    """Read some attributes: a row for each."""
    found = numbers([*chain.from_iterable(map(given.__getitem__, names))])
    return found.reshape(len(names), -1) if names else found.reshape(0, 0)


def _malformed(buckets: Sequence[Element], names: Sequence[str]) -> Exception:
    """Find the value that is not a number, and make its error."""
    for bucket in buckets:
        for name, text in bucket.attributes:
            try:
                to_number(text)
            except ValueError:
                if name in names:
                    return MalformedError(bucket, f"{name} is {text!r}, not a number")
    return NotPlainError()  # only another parser tells the line
