"""Cost at 1x, 2x, 4x and 8x: ``python -m benchmarks.growth [--quick] [WORD ...]``.

For every reader an ordinary input and hostile ones, and for the statistics frames of many rows;
with words, only those whose names have them all. One process measures one after the other, as long
as none fails. It first finds a size at which one takes 0.2 s or more (0.05 s for hostile input, of
which there is much; and as far as that does not need more than 8 MB). The exponent is that of CPU
seconds over size, fitted to all sizes: 1 is linear, and doubling the input then costs 2 times as
much; 1.05 is 2.07 times. Noise only ever adds to a cost: the least of several turns counts, and
where the exponent is above the bound, more turns are taken. Where it still is, all is measured
again at four times the sizes: what outgrows a cache of the processor on the way costs more for
once, what is not linear costs more and more. Both are kept. The process keeps what memory it has
had: what the first touch of a page takes is up to the machine. What is linear by what it does is
measured too, as a control.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import linear_regression
from typing import Any

from benchmarks.process import WORK, Child, FailedError

STEPS = (1, 2, 4, 8)
LINEAR = 1.05  # the exponent above which doubling the input costs more than 2.1 times
TIMES = (3, 2, 1, 1)  # that each is measured, in turn; the least is taken
_MORE = 2  # times that all turns are taken again where the exponent is above
_LARGER = 4  # times the size, where it still is
_ENOUGH, _QUICKLY = 0.2, 0.05  # seconds at 1x
_FIRST, _MOST = 2**15, 2**23  # bytes at 1x
_LONGEST = 300.0  # seconds for one of them
# the allocators of C and of polars give nothing back
_KEEPING = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": str(2**40),
    "_RJEM_MALLOC_CONF": "dirty_decay_ms:-1,muzzy_decay_ms:-1",
}
Curve = dict[str, Any]
Make = Callable[[int], Callable[[], object]]


def _split(text: str) -> list[list[str]]:
    return [line.split(",") for line in text.splitlines()]


def _numbered(text: str) -> list[dict[str, float]]:
    return [{value: float(value) for value in row} for row in _split(text)]


# what an exponent is on this machine where the work is linear by what it does
CONTROLS = {"str.split": _split, "dict of float": _numbered}


def _controlled(work: Callable[[str], object]) -> Make:
    from fiotools.tables import resting

    def make(size: int) -> Callable[[], object]:
        text = "".join(f"{n}.5,{n % 97}.25,{n * 7919 % 100_003},3\n" for n in range(size))
        return lambda: resting()(work)(text)  # as readers work

    return make


def names(*, quick: bool) -> list[tuple[str, str, str]]:
    """List what is measured: kind, reader or function, and input.

    Kinds are ordinary, hostile, statistic, and control: what is known to be linear.
    """
    from benchmarks.growing import ORDINARY
    from benchmarks.rows import STATISTICS

    found = [("ordinary", one.reader, one.name) for one in ORDINARY]
    if quick:  # one for each reader
        found = list({what: (kind, what, name) for kind, what, name in reversed(found)}.values())
    else:
        from benchmarks.hostile import HOSTILE

        found += [("hostile", one.reader, one.name) for one in HOSTILE]
        found += [("statistic", name, "many rows") for name in STATISTICS]
        found += [("control", name, "lines") for name in CONTROLS]
    return found


def measure(*, quick: bool = False, words: tuple[str, ...] = ()) -> Iterator[tuple[str, Curve]]:
    """Measure one after the other; give names and curves."""
    command = [sys.executable, "-m", "benchmarks.growth", "--answer"]
    command += ["--quick"] if quick else []
    with Child(command) as child:
        # listed by another process: this one starts those that are measured, and stays small
        listed = child.ask(json.dumps({"quick": quick and not words}))
    labels = {f"{kind}: {what}, {name}": (kind, what, name) for kind, what, name in listed}
    left = [label for label in labels if all(word in label for word in words)]
    while left:
        with Child(command, _KEEPING, _LONGEST) as child:
            failed = False
            while left and not failed:
                label = left.pop(0)
                try:
                    curve = child.ask(json.dumps(labels[label]))
                except FailedError as error:  # the next one gets another process
                    curve, failed = {"failed": str(error)}, True
                print(f"{label:60} {said(curve)}", flush=True)
                kind, what, name = labels[label]
                yield label, {"kind": kind, "what": what, "name": name, **curve}


def said(curve: Curve) -> str:
    """Put a curve into a line."""
    if "failed" in curve:
        return str(curve["failed"])
    cost = " ".join(f"{cpu:.3f}" for cpu in curve["cpu_s"])
    smaller = f" (smaller: {curve['smaller']['exponent']:.2f})" if "smaller" in curve else ""
    sizes = f"{curve['size'][0]:,} {curve['unit']} and on"
    return f"{curve['exponent']:.2f}{smaller}   {cost} s at {sizes}"


def one(kind: str, what: str, name: str, *, quick: bool) -> Curve:
    """Measure one in this process."""
    WORK.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=WORK) as place:
        if kind == "control":
            return _curve(_controlled(CONTROLS[what]), "lines", 2**9, _ENOUGH, quick)
        if kind == "statistic":
            from benchmarks.rows import STATISTICS

            return _curve(STATISTICS[what], "rows", 2**9, _QUICKLY if quick else _ENOUGH, quick)
        make = _reading(what, name, Path(place))
        enough = _QUICKLY if quick or kind == "hostile" else _ENOUGH
        return _curve(make, "bytes", _FIRST, enough, quick)


def _curve(make: Make, unit: str, first: int, enough: float, quick: bool) -> Curve:
    _cost(make(first))  # imports, and all that is made once
    gc.freeze()  # what is there by now is not searched again by every collection
    size = first
    while (taken := _twice(make(size))) < enough and size < _MOST:
        size = min(_MOST, int(size * max(2.0, min(16.0, 1.2 * enough / taken))))
    curve = _measured(make, unit, size, 1 + _MORE)
    if curve["exponent"] > LINEAR and not quick:
        curve = _measured(make, unit, _LARGER * size, 1) | {"smaller": curve}
    return curve


def _measured(make: Make, unit: str, size: int, most: int) -> Curve:
    sizes = [step * size for step in STEPS]
    runs = [make(size) for size in sizes]
    costs = [math.inf] * len(runs)
    for _ in range(most):
        _take_turns(runs, costs)
        if exponent(sizes, costs) <= LINEAR:
            break
    return {"size": sizes, "unit": unit, "cpu_s": costs, "exponent": exponent(sizes, costs)}


def _take_turns(runs: list[Callable[[], object]], costs: list[float]) -> None:
    """Keep the least that each costs."""
    for turn in range(max(TIMES)):
        for at, run in enumerate(runs):
            if turn < TIMES[at]:
                costs[at] = min(costs[at], _cost(run))


def exponent(sizes: list[int], costs: list[float]) -> float:
    """Fit the power of the size with which the cost grows.

    Examples
    --------
    >>> exponent([1, 2, 4], [3.0, 12.0, 48.0])
    2.0
    """
    slope, _ = linear_regression([math.log(s) for s in sizes], [math.log(c) for c in costs])
    return slope


def _reading(what: str, name: str, place: Path) -> Make:
    """Give a function that makes an input of a size, and gives what reads it."""
    import fiotools as ft
    from benchmarks.growing import ORDINARY
    from benchmarks.hostile import HOSTILE

    known = {(one.reader, one.name): one for one in (*HOSTILE, *ORDINARY)}
    grown = known[what, name]

    def make(size: int) -> Callable[[], object]:
        folder = place / str(len(list(place.iterdir())))
        folder.mkdir()
        path = grown.make(folder, size)

        def read() -> object:
            with contextlib.suppress(ft.FileError):
                return ft.read(path, errors="note")
            return None

        return read

    return make


def _twice(run: Callable[[], object]) -> float:
    return min(_cost(run), _cost(run))


def _cost(run: Callable[[], object]) -> float:
    """Give the CPU seconds of a run."""
    gc.collect()
    begun = time.process_time()
    answer = run()
    taken = time.process_time() - begun
    del answer
    return max(taken, 1e-6)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("words", nargs="*", help="of the names of what is measured")
    parser.add_argument(
        "--quick", action="store_true", help="smaller, and ordinary inputs unless there are words"
    )
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.answer:
        _answer(quick=options.quick)
    else:
        for _ in measure(quick=options.quick, words=tuple(options.words)):
            pass


def _answer(*, quick: bool) -> None:
    """Measure what each line asks for, or list what there is."""
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(names(**asked) if isinstance(asked, dict) else one(*asked, quick=quick)))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
