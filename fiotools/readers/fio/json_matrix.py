"""The numbers of many documents that are equal but for them, as the columns of a matrix.

Where the digits of all documents begin and end is found at once; documents are of one form if the
lengths of what lies between are the same. Numbers are read from their digits when asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from fiotools.readers.fio.digits import LONGEST, PAD, numbers
from fiotools.readers.fio.json_cut import CUT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]

# a text, a number, a place where something was cut out
TOKEN = re.compile(rb'"[^"]*"|[-0-9][-+.0-9eE]*|\0')
RUN = re.compile(rb"[0-9]+")
NUMBER = re.compile(rb"[0-9]+(\.[0-9]+)?")

_WIDE = 18  # digits of a number and of its decimals; together they are a 64-bit number
_EXACT = 2**53  # the whole numbers below are float64s
_STEP = 2**18  # bytes
_ALL = slice(None)
_TENS = 10 ** np.arange(_WIDE + 1, dtype=np.int64)


class Form:
    """Where the numbers of a document stand.

    Attributes
    ----------
    edges : int
        How often digits begin or end.
    widths : numpy.ndarray
        The bytes before each of these places, since the one before.
    heads : numpy.ndarray
        The edge at which each number begins; the decimals of one that has any begin two further.
    """

    def __init__(self, rest: bytes) -> None:
        heads, fixed, run = [], [], 0
        for token in TOKEN.finditer(rest):
            text = token[0]
            if text[:1] == b'"':
                for digits in RUN.findall(text):
                    fixed += [(run, at, len(digits)) for at in range(0, len(digits), 8)]
                    run += 1
            elif text != CUT:
                heads.append(run)
                run += text.count(b".") + 1
        edges = _edges(np.frombuffer(rest, np.uint8))
        self.edges = len(edges)
        self.widths = np.diff(edges, prepend=0)
        self.heads = 2 * np.array(heads, dtype=np.intp)
        run_of, at, size = np.array(fixed, dtype=np.int64).reshape(-1, 3).T
        self._fixed = 2 * run_of, at, size
        self._free = (64 - 8 * np.minimum(size - at, 8)).view(np.uint64)
        self._says = self._digits(rest + PAD, edges[2 * run_of])

    def says(self, data: bytes, edges: Whole, widths: Whole) -> NDArray[np.bool_]:
        """Say of documents whether the digits within their texts are the same."""
        run, _, size = self._fixed
        same = (widths[:, run] == size) & (self._digits(data, edges[:, run]) == self._says)
        found: NDArray[np.bool_] = same.all(axis=1)
        return found

    def _digits(self, data: bytes, starts: Whole) -> NDArray[np.uint64]:
        words = np.ndarray(len(data) - 7, dtype="<u8", buffer=data, strides=1)
        found: NDArray[np.uint64] = words[starts + self._fixed[1]]
        found <<= self._free
        return found


class Matrix:
    """The numbers of some documents: a row each.

    Attributes
    ----------
    fits : numpy.ndarray
        Which of the documents have the form; the others are left out.
    odd : numpy.ndarray
        Of those, which have a number that cannot be read here.
    """

    def __init__(self, form: Form, rests: Sequence[bytes]) -> None:
        self._data = data = CUT.join([*rests, PAD])
        digits = np.frombuffer(data, np.uint8)
        sizes = np.fromiter(map(len, rests), np.int64, len(rests)) + 1
        begins = np.cumsum(sizes) - sizes
        fits, odd, edges = [], [], []
        # what is made of a step stays in the cache
        steps = np.flatnonzero(np.diff(begins // _STEP)) + 1
        for first, last in pairwise([0, *steps.tolist(), len(rests)]):
            found = _Step(
                form, data, digits, begins[first:last], begins[last - 1] + sizes[last - 1]
            )
            fits.append(found.fits)
            odd.append(found.odd)
            edges.append(found.edges.reshape(-1))
        self.fits, self.odd = np.concatenate(fits), np.concatenate(odd)
        self._heads, self._edges = form.heads, np.concatenate(edges)
        self._begins = np.arange(len(self.odd)) * form.edges

    def __len__(self) -> int:
        return len(self._begins)

    def whole(self, which: Whole, documents: Whole | slice = _ALL) -> Whole:
        """Read numbers without decimals.

        Parameters
        ----------
        which : numpy.ndarray
            Their places: the same for all documents, or a row for each.
        documents : numpy.ndarray
            Those that are asked; all by default.
        """
        at, widths = self._places(which, documents, 0)
        return self._digits(at, widths, documents)

    def real(self, which: Whole, documents: Whole | slice = _ALL) -> NDArray[np.float64]:
        """Read numbers with decimals; arguments as in `whole`."""
        at, widths = self._places(which, documents, 0)
        tail, decimals = self._places(which, documents, 2)
        self._leave_out(widths + decimals > _WIDE, documents)
        decimals = np.minimum(decimals, _WIDE)
        scale = _TENS[decimals]
        both = self._digits(at, widths, documents) * scale
        both += self._digits(tail, decimals, documents)
        # a quotient of two numbers that a float64 holds is the float64 nearest to it
        found: NDArray[np.float64] = both / scale
        for place in zip(*np.nonzero(both >= _EXACT), strict=True):
            found[place] = float(self._data[at[place] : tail[place] + decimals[place]])
        return found

    def _places(self, which: Whole, documents: Whole | slice, further: int) -> tuple[Whole, Whole]:
        """Give where digits begin, and how many they are."""
        edge = self._begins[documents, None] + (self._heads[which] + further)
        starts = self._edges.take(edge)
        edge += 1
        return starts, self._edges.take(edge) - starts

    def _digits(self, starts: Whole, widths: Whole, documents: Whole | slice) -> Whole:
        long = widths > LONGEST
        if long.any():
            self._leave_out(long, documents)
            widths = np.minimum(widths, LONGEST)
        found = numbers(self._data, starts.reshape(-1), widths.reshape(-1))
        assert found is not None  # they are digits
        return found.reshape(widths.shape)

    def _leave_out(self, odd: NDArray[np.bool_], documents: Whole | slice) -> None:
        if odd.any():
            np.logical_or.at(self.odd, np.arange(len(self))[documents], odd.any(axis=1))


class _Step:
    """A few documents that stand one behind another: whether they fit, where their numbers are."""

    def __init__(
        self, form: Form, data: bytes, digits: NDArray[np.uint8], begins: Whole, end: int
    ) -> None:
        edges = _edges(digits[begins[0] : end])
        edges += begins[0]
        first = np.searchsorted(edges, np.append(begins, end))
        self.fits = first[1:] - first[:-1] == form.edges
        if not self.fits.all():
            begins, first = begins[self.fits], first[:-1][self.fits]
            edges = edges[first[:, None] + np.arange(form.edges)]
        edges = edges.reshape(-1, form.edges)
        widths = np.empty_like(edges)
        np.subtract(edges[:, 1:], edges[:, :-1], out=widths[:, 1:])
        np.subtract(edges[:, 0], begins, out=widths[:, 0])
        same = (widths[:, ::2] == form.widths[::2]).all(axis=1)
        widths = widths[:, 1:]  # of the digits, at the places of their starts
        same &= form.says(data, edges, widths)
        if not same.all():
            self.fits[self.fits] = same
            edges, widths = edges[same], widths[same]
        # JSON has no number 007
        zeros = (digits[edges[:, form.heads]] == ord("0")) & (widths[:, form.heads] > 1)
        self.odd = zeros.any(axis=1)
        self.edges = edges


def _edges(data: NDArray[np.uint8]) -> Whole:
    """Find where runs of digits begin and end. A text begins and ends without one."""
    digit = data - np.uint8(ord("0")) < 10
    found = np.flatnonzero(digit[1:] != digit[:-1])
    found += 1
    return found
