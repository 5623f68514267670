"""The buckets of DISKSPD's XML (``-D``) as numbers: I/Os per second and latencies over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from fiotools.readers.diskspd.elements import (
    Document,
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
    from numpy.typing import NDArray

_IOS = (TIME, *(direction.title() for direction in DIRECTIONS))
_OF_SIDES = tuple(f"{word}{name}" for word in ("Read", "Write") for name in LATENCIES)
_ATTRIBUTES = (*_IOS, *_OF_SIDES, *(f"Total{name}" for name in LATENCIES))


def sampled(
    document: Document, element: Element, *, measured: bool, wanted: bool
) -> Sampled | None:
    """Return the samples of a target or a whole run; their names alone unless ``wanted``.

    ``measured`` is whether latencies were measured. A whole run without them is asked whether it
    has any.
    """
    buckets = element.all("Iops/Bucket")
    if not buckets:
        return None
    is_unmeasured = element.tag == "TimeSpan" and not measured
    given = _columns(document, buckets, is_asked=wanted or is_unmeasured)
    own = [name for name in (_ATTRIBUTES if measured else _IOS) if name in given]
    sides = [name for name in _OF_SIDES if is_unmeasured and name in given]
    try:
        is_made_up = bool(sides) and bool((_rows(given, sides) > 0).any())
        values = _rows(given, own) if wanted and own else np.empty((0, 0))
    except ValueError:
        raise _malformed(document, buckets, [*own, *sides]) from None
    return Sampled(own, values, [name for name in given if name not in _ATTRIBUTES], is_made_up)


def _columns(
    document: Document, buckets: Sequence[Element], *, is_asked: bool
) -> Mapping[str, Sequence[str]]:
    """Return the values of each attribute; nan where one is missing."""
    if not buckets[0].is_buckets:
        every = [*map(document.attributes, buckets)]
        names = dict.fromkeys(chain.from_iterable(every))
        return {name: [one.get(name, "nan") for one in every] for name in names}
    text = document.text(buckets[0])
    if len(buckets) > 1 or not names_of(text):
        raise NotPlainError
    return columns(text) if is_asked else dict.fromkeys(names_of(text), ())


def _rows(given: Mapping[str, Sequence[str]], names: Sequence[str]) -> NDArray[np.float64]:
    """Read some attributes: a row for each."""
    return numbers([*chain.from_iterable(map(given.__getitem__, names))]).reshape(len(names), -1)


def _malformed(document: Document, buckets: Sequence[Element], names: Sequence[str]) -> Exception:
    """Find the value that is not a number, and make its error."""
    for bucket in buckets:
        for name, text in document.attributes(bucket).items():
            try:
                to_number(text)
            except ValueError:
                if name in names:
                    said = f"{name} is {text!r}, not a number"
                    return MalformedError(document.line(bucket), said)
    return NotPlainError()  # only another parser tells the line
