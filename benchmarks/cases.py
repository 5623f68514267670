"""What is compared with what, and how near the floor it has to be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

from benchmarks import made

MB = 1_000_000
Store = dict[str, Any]  # of one case, as rounds.py writes it

GROUPS = {
    "A": "A: many files of fio JSON",
    "B": "B: JSON+ with its bins",
    "C": "C: logs of single I/Os",
    "D": "D: DISKSPD's XML",
    "E": "E: dd and time",
    "H": "H: histograms over time",
    "one": "One small file, in a process that has read another",
    "start": "A fresh process, from its start to its end",
}


@dataclass(frozen=True)
class Goal:
    """A bound on one number.

    Attributes
    ----------
    kind : {"floor", "seconds", "memory"}
        CPU seconds over the floor's, or themselves; or bytes at the peak.
    bound : float
        The number may not be above.
    of : str
        What the memory is a multiple of (without it, the bound is megabytes).
    """

    kind: str
    bound: float
    of: str = ""

    @property
    def text(self) -> str:
        """Give the bound in words."""
        words = {
            "floor": f"<= {self.bound:g}x the floor",
            "seconds": f"<= {seconds(self.bound)}",
            "memory": f"memory <= {self.bound:g}" + (f"x the {self.of}" if self.of else " MB"),
        }
        return words[self.kind]

    def figure(self, case: Store) -> float | None:
        """Give what is bounded, of what was measured; None if a part of it is missing."""
        if self.kind == "memory":
            held, whole = middle(case, "ours", "rss"), self._whole(case)
            return None if held is None or not whole else held / whole
        if self.kind == "seconds":
            return middle(case, "ours", "cpu_s")
        return ratio(case, "ours", self.kind)

    def _whole(self, case: Store) -> float | None:
        if self.of == "file":
            return float(case["size"]["bytes"])
        return middle(case, "ours", "bytes") if self.of else MB

    def said(self, case: Store) -> str:
        """Put the number in words; or why there is none."""
        figure = self.figure(case)
        if figure is None:
            sides = case["sides"].values()
            return next((side["failed"] for side in sides if "failed" in side), "-")
        if self.kind == "seconds":
            return seconds(figure)
        return f"{figure:.0f} MB" if self.kind == "memory" and not self.of else f"{figure:.2f}x"

    def holds(self, case: Store) -> bool | None:
        """Say whether it is met; None if unknown."""
        figure = self.figure(case)
        return None if figure is None else figure <= self.bound


@dataclass(frozen=True)
class Case:
    """One row of the tables.

    Attributes
    ----------
    name : str
        Its first word is that of its group.
    ours, floor : str
        Functions of `sides`, or names of its `COMMANDS`; not each has a floor.
    input : made.Input, optional
        Commands name their files themselves.
    goals : tuple of Goal
    when : {"always", "full", "large"}
        Whether ``--quick`` leaves it out, or whether it takes so long that it has to be asked for.
    """

    name: str
    ours: str
    floor: str = ""
    input: made.Input | None = None
    goals: tuple[Goal, ...] = ()
    when: str = "always"

    @property
    def group(self) -> str:
        """Give the name of its group."""
        return self.name.partition(",")[0].partition("-")[0]

    @property
    def sides(self) -> dict[str, str]:
        """Give what is run, by its part."""
        found = {"floor": self.floor} if self.floor else {}
        return found | {"ours": self.ours}

    def goals_of(self, found: Store) -> Iterator[Goal]:
        """Give the goals that hold for what was measured: on small inputs none of memory."""
        return (goal for goal in self.goals if not (found["quick"] and goal.kind == "memory"))


def middle(case: Store, side: str, figure: str) -> float | None:
    """Return the median of a number of a side over its rounds; None if there is none."""
    values = [value for value in case["sides"].get(side, {}).get(figure, []) if value is not None]
    return float(median(values)) if values else None


def ratio(case: Store, above: str, below: str) -> float | None:
    """Give the CPU seconds of one side over those of another: medians of the rounds."""
    one, other = middle(case, above, "cpu_s"), middle(case, below, "cpu_s")
    return one / other if one is not None and other else None


def seconds(value: float | None) -> str:
    """Write seconds, and short ones as milliseconds."""
    if value is None:
        return ""
    return f"{value:.2f} s" if value >= 0.1 else f"{1000 * value:.3g} ms"


def _within(times: float) -> Goal:
    return Goal("floor", times)


_400_MB = Goal("memory", 400)
_TWICE_THE_FRAMES = Goal("memory", 2, "frames")
_3_TIMES_THE_FRAMES = Goal("memory", 3, "frames")
_ORJSON, _ALL, _IO = "floors.orjson_loads", "ours.everything", "ours.io"
_SCAN, _SUMMED = "floors.scan_csv", "floors.scan_windows"
_WINDOWS, _PERCENTILES = "ours.windows", "ours.window_percentiles"
_POLARS = "commands.import_polars"

# name, ours, floor, input, goals
CASES = [
    Case("A, runs and io", _IO, _ORJSON, made.JSON, (_within(2.8), _3_TIMES_THE_FRAMES)),
    Case("A, with percentiles", "ours.percentiles", _ORJSON, made.JSON,
         (_within(3.4), _3_TIMES_THE_FRAMES), when="full"),
    Case("A, all tables", _ALL, _ORJSON, made.JSON, (_within(4.4), _3_TIMES_THE_FRAMES),
         when="full"),
    Case("A, all tables in pandas", "ours.everything_in_pandas", _ORJSON, made.JSON, when="full"),
    Case("A-mixed, all tables", _ALL, _ORJSON, made.MIXED, (_within(6.5),)),
    Case("A, converted by two", "ours.convert_by_two", "ours.convert", made.JSON, when="full"),
    Case("B, many files", _ALL, _ORJSON, made.MANY_PLUS, (_within(1.4), _TWICE_THE_FRAMES)),
    Case("B, one file", _ALL, _ORJSON, made.ONE_PLUS, (_within(1), _TWICE_THE_FRAMES),
         when="full"),
    Case("B, many files, no bins", _IO, _ORJSON, made.MANY_PLUS, (_within(0.5),), when="full"),
    Case("B, one file, no bins", _IO, _ORJSON, made.ONE_PLUS, (_within(0.5),), when="full"),
    Case("C, whole", "ours.scan_log", "floors.read_csv", made.LOG,
         (_within(1.1), _TWICE_THE_FRAMES), when="full"),
    Case("C, windows", _WINDOWS, _SUMMED, made.LOG, (_within(1.3), _400_MB)),
    Case("C, percentiles", _PERCENTILES, _SCAN, made.LOG, (_within(1.5), _400_MB), when="full"),
    Case("C, a short log", _WINDOWS, _SUMMED, made.SHORT_LOG, (_within(1.3), _400_MB),
         when="full"),
    Case("C, 100 M rows", _WINDOWS, _SUMMED, made.LONG_LOG, (_within(1.3), _400_MB), when="large"),
    Case("C, 100 M rows, percentiles", _PERCENTILES, _SCAN, made.LONG_LOG,
         (_within(1.5), _400_MB), when="large"),
    Case("D, many files", _ALL, "floors.expat", made.MANY_XML, (_within(2),)),
    Case("D, one file", _ALL, "floors.expat", made.ONE_XML,
         (_within(1.5), Goal("memory", 1.5, "file")), when="full"),
    Case("E, sessions", _ALL, "floors.re_search", made.SESSIONS, (_within(5),)),
    Case("E, reports", _ALL, "floors.re_finditer", made.REPORTS, (_within(8),)),
    Case("H, histograms", _ALL, "floors.numpy_fromstring", made.HIST, (_within(1.3),)),
    Case("one, fio JSON", _ALL, _ORJSON, made.SMALL_JSON, (Goal("seconds", 0.002),)),
    Case("one, fio JSON, runs and io", _IO, _ORJSON, made.SMALL_JSON),
    Case("one, DISKSPD XML", _ALL, "floors.expat", made.SMALL_XML),
    Case("one, dd", _ALL, "floors.re_finditer", made.SMALL_DD),
    Case("start, fiotools compare of three XML", "commands.compare", _POLARS,
         goals=(_within(2.5),)),
    Case("start, fiotools read of one JSON", "commands.read", _POLARS),
    Case("start, ft.read of one JSON", "commands.ft_read", _POLARS),
    Case("start, ft.read of one JSON, its io", "commands.ft_read_io", _POLARS),
    Case("start, import fiotools", "commands.import_fiotools",
         "commands.import_pandas_and_polars", goals=(_within(1.3),)),
    Case("start, fiotools --help", "commands.help", _POLARS, goals=(Goal("seconds", 0.3),)),
]  # fmt: skip
