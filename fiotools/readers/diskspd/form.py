"""Where documents of DISKSPD of one outline have their figures, if they are of a usual form.

What a document holds is found by reading it. Here that is done with one that has the number of each
value in the value's place: what is read of it says where each figure is, in all documents of the
outline.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fiotools.readers.diskspd.buckets import mark_of
from fiotools.readers.diskspd.elements import Fields, MalformedError
from fiotools.readers.diskspd.numbers import LONG
from fiotools.readers.diskspd.results import (
    LARGEST,
    Layout,
    Values,
    extras_of,
    read_results,
    said_of,
)

Texts: TypeAlias = tuple[str, ...]

NOTHING = -1  # the number of a value that is none: the last of all texts is empty


@dataclass(frozen=True)
class Form:
    """Where the one run of a document has its figures, by the numbers of their values.

    Attributes
    ----------
    layout : Layout
    said : list of int
        The machine, the version, and when it was written.
    profile : list of int
        All that was asked for.
    marks : list of (int or None)
        What ``-D`` sampled of each entry, and of the whole run.
    curve : int or None
        The percentiles.
    """

    layout: Layout
    said: list[int]
    profile: list[int]
    marks: list[int | None]
    curve: int | None
    _wholes: list[int]
    _numbers: list[int]
    _names: list[int]
    _extras: list[int]

    def values(self, texts: Texts) -> Values | None:
        """Take the values of a document; None if one is more than digits and a point."""
        wholes, numbers = taken(texts, self._wholes), taken(texts, self._numbers)
        digits = "".join(wholes) + "".join(numbers).replace(".", "")
        if not digits.isdecimal() or max(map(len, (*wholes, *numbers))) >= LONG:
            return None
        try:
            values = Values(
                [int(text) if text else None for text in wholes],
                [float(text) if text else None for text in numbers],
                [
                    *(text or None for text in taken(texts, self._names)),
                    *taken(texts, self._extras),
                ],
            )
        except ValueError:
            return None
        return values if sum(filter(None, values.wholes)) <= LARGEST else None


def taken(texts: Texts, places: Sequence[int]) -> Texts:
    """Take some of the values of a document."""
    return tuple(map(texts.__getitem__, places))


def form_of(root: Fields) -> Form | None:
    """Find the form of documents.

    Parameters
    ----------
    root : Fields
        Of a document with the number of each value in its place.

    Returns
    -------
    Form or None
        None if it is not one run that did not fail, or anything in it is unusual.
    """
    spans = root.all("TimeSpan")
    if len(spans) != 1 or spans[0].all("Error"):
        return None
    span = spans[0]
    try:
        said = said_of(root)
        layout, values = read_results(span, extras_of(root))
    except MalformedError:
        return None
    if any(path.startswith("Thread[") for _, path in layout.extras):  # by its number, not its place
        return None
    targets = [target for thread in span.all("Thread") for target in thread.all("Target")]
    texts, names = [_place(text) for text in values.texts], len(targets) + layout.cpus
    return Form(
        layout=layout,
        said=[_place(text) for text in said],
        profile=[_place(text) for one in root.all("Profile") for _, text in one.leaves()],
        marks=[mark_of(place, "Iops") for place in (*targets, span)],
        curve=mark_of(span, "Latency"),
        _wholes=[NOTHING if place is None else place for place in values.wholes],
        _numbers=[NOTHING if place is None else int(place) for place in values.numbers],
        _names=texts[:names],
        _extras=texts[names:],
    )


def _place(number: str | None) -> int:
    return int(number) if number else NOTHING
