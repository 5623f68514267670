"""What is compared with what, and how near the floor it has to be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

from benchmarks import made

MB = 1_000_000
Store = dict[str, Any]  # of one case, as rounds.py writes it


@dataclass(frozen=True)
class Goal:
    """A bound on one figure.

    Attributes
    ----------
    kind : {"floor", "peer", "memory"}
    text : str
        The bound in words.
    figure : callable
        Takes what was measured of a case, and gives the figure; None if a part of it is missing.
    most, least : callable, optional
        The same for the bound: the figure may not be above, or below.
    unit : {"x", "MB"}
    """

    kind: str
    text: str
    figure: Callable[[Store], float | None]
    most: Callable[[Store], float | None] | None = None
    least: float | None = None
    unit: str = "x"

    def holds(self, case: Store) -> bool | None:
        """Say whether it is met; None if nobody knows."""
        figure, bound = self.figure(case), self.bound(case)
        if figure is None or bound is None:
            return None
        return figure <= bound if self.most else figure >= bound

    def bound(self, case: Store) -> float | None:
        """Give the bound as a number."""
        return self.most(case) if self.most else self.least


@dataclass(frozen=True)
class Case:
    """One row of the table.

    Attributes
    ----------
    name : str
        Its first letter is that of its goals.
    input : made.Input
    ours : str
        A function of `sides.ours`.
    floor : str
        A function of `sides.floors`; none where there is no goal against one.
    goals : tuple of Goal
    peers : tuple of str
        Functions of `sides.peers`.
    beside : str
        Another function of `sides.ours`, to compare with.
    when : {"always", "full", "large"}
        Whether ``--quick`` leaves it out, or whether it takes so long that it has to be asked for.
    """

    name: str
    input: made.Input
    ours: str
    floor: str = ""
    goals: tuple[Goal, ...] = ()
    peers: tuple[str, ...] = ()
    beside: str = ""
    when: str = "always"

    @property
    def letter(self) -> str:
        """Give the letter of its goals."""
        return self.name[0]

    @property
    def sides(self) -> list[str]:
        """List the processes, as `sides` names them."""
        named = [(self.floor, "floors"), (self.ours, "ours"), (self.beside, "ours")]
        found = [f"{module}.{function}" for function, module in named if function]
        return [*found, *(f"peers.{peer}" for peer in self.peers)]


def own_cpu(side: Store) -> list[float]:
    """Give a side's CPU seconds of each round, without what its imports take in the median."""
    imports = median(side["imports"]["cpu_s"])
    return [max(cpu - imports, 1e-3) for cpu in side["cpu_s"]]


def own_rss(side: Store) -> float:
    """Give the bytes at a side's peak above the peak of its imports."""
    return float(median(side["rss"]) - median(side["imports"]["rss"]))


def ratio(case: Store, above: str, below: str) -> float | None:
    """Give the median over the rounds of one side's CPU seconds over the other's."""
    sides = [case["sides"].get(name) for name in (above, below)]
    if any(side is None or "failed" in side for side in sides):
        return None
    # a peer may have had fewer rounds
    pairs = zip(own_cpu(sides[0]), own_cpu(sides[1]), strict=False)
    return median(one / other for one, other in pairs)


def _floor(case: Store) -> float | None:
    return ratio(case, f"ours.{case['ours']}", f"floors.{case['floor']}")


def _peer(name: str) -> Callable[[Store], float | None]:
    return lambda case: ratio(case, f"peers.{name}", f"ours.{case['ours']}")


def _rss(case: Store) -> float | None:
    side = case["sides"].get(f"ours.{case['ours']}", {"failed": ""})
    return None if "failed" in side else own_rss(side) / MB


def within(times: float) -> Goal:
    """Bound the CPU seconds by a floor."""
    return Goal("floor", f"<= {times:g}x the floor", _floor, most=lambda case: times)


def faster(times: float, peer: str, name: str) -> Goal:
    """Bound the CPU seconds by a peer."""
    return Goal("peer", f">= {times:g}x faster than {name}", _peer(peer), least=times)


def memory(times: float, of: str = "frames", more: int = 0) -> Goal:
    """Bound the peak of memory by the size of what comes out, or of what goes in."""

    def most(case: Store) -> float | None:
        side = case["sides"].get(f"ours.{case['ours']}", {})
        size = case["size"]["bytes"] if of == "file" else side.get("bytes")
        return None if size is None else (times * size / MB) + more

    text = f"memory <= {times:g}x the {of}" + (f" + {more} MB" if more else "")
    return Goal("memory", text, _rss, most=most, unit="MB")


def flat(most: int) -> Goal:
    """Bound the peak of memory by a number."""
    return Goal("memory", f"memory <= {most} MB", _rss, most=lambda case: most, unit="MB")


_A_MEMORY = memory(3, more=32)
_WINDOWS = (within(1.15), flat(400))
_PERCENTILES = (within(1.5), flat(400))
_ALL, _IO = "everything", "io"
_FIO_PLOT = faster(5, "fio_plot", "fio-plot")
_HIST_PEER = faster(20, "fiologparser_hist", "fiologparser_hist")

# name, input, ours, floor, goals
CASES = [
    Case("A, runs and io", made.JSON, _IO, "orjson_loads", (within(2), _FIO_PLOT, _A_MEMORY),
         peers=("fio_plot",)),
    Case("A, with percentiles", made.JSON, "percentiles", "orjson_loads", (within(3), _A_MEMORY),
         when="full"),
    Case("A, all tables", made.JSON, _ALL, "orjson_loads", (within(4.5), _A_MEMORY), when="full"),
    Case("A, in two processes", made.JSON, "io_by_two", beside=_IO, when="full"),
    Case("A, converted", made.JSON, "convert", "orjson_loads", when="full"),
    Case("A, converted by two", made.JSON, "convert_by_two", beside="convert", when="full"),
    Case("B, many files", made.MANY_PLUS, _ALL, "orjson_loads", (within(1.2), memory(2)),
         peers=("clat2csv",)),
    Case("B, one file", made.ONE_PLUS, _ALL, "orjson_loads", (within(0.85), memory(2)),
         when="full"),
    Case("B, many files, no bins", made.MANY_PLUS, _IO, "orjson_loads", (within(0.3),),
         when="full"),
    Case("B, one file, no bins", made.ONE_PLUS, _IO, "orjson_loads", (within(0.3),), when="full"),
    Case("C, whole", made.LOG, "scan_log", "read_csv", (within(1.1), memory(2)), when="full"),
    Case("C, windows", made.LOG, "windows", "scan_csv", _WINDOWS),
    Case("C, percentiles", made.LOG, "window_percentiles", "scan_csv", _PERCENTILES, when="full"),
    Case("C, a short log", made.SHORT_LOG, "windows", "scan_csv", _WINDOWS,
         peers=("fiologparser", "fio_plot_log"), when="full"),
    Case("C, 100 M rows", made.LONG_LOG, "windows", "scan_csv", _WINDOWS, when="large"),
    Case("C, 100 M rows, percentiles", made.LONG_LOG, "window_percentiles", "scan_csv",
         _PERCENTILES, when="large"),
    Case("D, many files", made.MANY_XML, _ALL, "expat", (within(1.4),)),
    Case("D, one file", made.ONE_XML, _ALL, "expat", (within(0.5), memory(1.5, "file")),
         when="full"),
    Case("E, sessions", made.SESSIONS, _ALL, "re_search", (within(1.4),), peers=("jc",)),
    Case("E, reports", made.REPORTS, _ALL, "re_finditer", (within(2),)),
    Case("H, histograms", made.HIST, _ALL, "numpy_fromstring", (within(1.2), _HIST_PEER),
         peers=("fiologparser_hist",)),
]  # fmt: skip
