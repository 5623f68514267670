"""hyperfine: one command's figures to rows, whichever export they came from.

What hyperfine computed over the runs is held against the runs, where the file has both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isclose, isfinite
from statistics import fmean, median, stdev
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from fiotools.tables import Tables

_INT64 = 2**63 - 1
_CHECKS: dict[str, Callable[[list[float]], float]] = {
    "mean": fmean,
    "median": median,
    "min": min,
    "max": max,
    "stddev": stdev,
}


@dataclass
class Benchmark:
    """One command: hyperfine's figures in seconds, and its single runs where the file has them."""

    command: str
    figures: dict[str, float]
    times: list[Any] | None = None
    exit_codes: list[Any] | None = None
    memory: list[Any] | None = None
    parameters: dict[str, str] = field(default_factory=dict)
    line: int | None = None


# a command, or why there is none; and how many lines of the export stand above it
Finding: TypeAlias = "tuple[Benchmark | None, str, int]"


def seconds(value: Any) -> float | None:
    """Take a number of seconds, or nothing."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if isfinite(value) and value >= 0 else None


def add(tables: Tables, index: int, benchmark: Benchmark) -> None:
    """Add a command: a run for each execution, or one with its summary."""
    first = tables.runs + 1
    if benchmark.times:
        _add_executions(tables, benchmark, benchmark.times)
    else:
        _add_summary(tables, benchmark)
    for run in range(first, tables.runs + 1):
        for option, text in benchmark.parameters.items():
            tables.add("settings", run=run, option=option, text=text, origin="given")
    for name, value in benchmark.figures.items():
        # about the command, so of no single run
        tables.add("extras", path=f"results/{index}/{name}", text=repr(value))
    for message in _contradictions(benchmark):
        tables.note(
            f"{benchmark.command[:80]!r}: {message}",
            line=benchmark.line,
            severity="warning",
            run=first,
        )


def _add_executions(tables: Tables, benchmark: Benchmark, times: list[Any]) -> None:
    first, short, failed = tables.runs + 1, 0, 0
    codes = _beside(benchmark.exit_codes, times)
    memory = _beside(benchmark.memory, times)
    single = benchmark.figures if len(times) == 1 else {}
    missing = [None] * len(times)
    for raw, code, used in zip(times, codes or missing, memory or missing, strict=True):
        # a command faster than the shell's start is left with 0, which is no time
        real = seconds(raw) or None
        bad = codes is not None and code != 0  # a killed command has the code null
        short, failed = short + (real is None), failed + bad
        run = _start(tables, benchmark, real, "error" if bad else "ok")
        tables.add(
            "timings",
            run=run,
            command=benchmark.command,
            real_s=real,
            user_s=single.get("user"),
            sys_s=single.get("system"),
            max_rss_bytes=_count(used) or None,
            exit_status=_count(code),
        )
    of = f"of {len(times)} runs of {benchmark.command[:80]!r}"
    if short:
        message = f"{short} {of} have no time: faster than the shell's start; use --shell=none"
        tables.note(message, severity="warning", run=first)
    if failed:
        message = f"{failed} {of} failed (--ignore-failure)"
        tables.note(message, severity="warning", run=first)


def _add_summary(tables: Tables, benchmark: Benchmark) -> None:
    codes = benchmark.exit_codes
    failed = codes is not None and any(code != 0 for code in codes)
    run = _start(tables, benchmark, None, "error" if failed else "ok")
    tables.add(
        "timings",
        run=run,
        command=benchmark.command,
        real_mean_s=benchmark.figures["mean"] or None,
        real_stddev_s=benchmark.figures.get("stddev"),
        n=len(codes) if codes else None,
    )


def _start(tables: Tables, benchmark: Benchmark, real: float | None, status: str) -> int:
    return tables.start_run(
        tool="hyperfine",
        format="hyperfine",
        command=benchmark.command,
        duration_s=real,
        status=status,
    )


def _beside(values: list[Any] | None, times: list[Any]) -> list[Any] | None:
    """Give the values if there is one for each time."""
    return values if values and len(values) == len(times) else None


def _count(value: Any) -> int | None:
    if isinstance(value, float) and value.is_integer():  # other programs write 0.0
        value = int(value)
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and -_INT64 <= value <= _INT64 else None


def _contradictions(benchmark: Benchmark) -> list[str]:
    """Say where the file's figures do not belong together."""
    found, figures, times = [], benchmark.figures, benchmark.times
    for name in ("exit_codes", "memory"):
        values = getattr(benchmark, name)
        if values and times and len(values) != len(times):
            found.append(f"{len(values)} {name} for {len(times)} times: left out")
        odd = [value for value in values or () if value is not None and _count(value) is None]
        if odd:
            found.append(f"{len(odd)} {name} are no whole numbers ({odd[0]!r:.40}): left out")
    if times is None:
        middle = [figures[name] for name in ("mean", "median") if name in figures]
        low, high = figures.get("min", 0.0), figures.get("max", float("inf"))
        if not all(low * (1 - 1e-9) <= value <= high * (1 + 1e-9) for value in middle):
            found.append("its mean or median is not between its min and its max")
        return found
    known = [value for value in map(seconds, times) if value is not None]
    if len(known) < len(times):
        return [*found, f"{len(times) - len(known)} times are no numbers of seconds: left out"]
    for name, compute in _CHECKS.items():
        if name in figures and len(known) > (name == "stddev"):
            own = compute(known)
            if not isclose(figures[name], own, rel_tol=1e-6, abs_tol=1e-9):
                found.append(f"the {name} {figures[name]:.6g} is not that of its times, {own:.6g}")
    return found
