"""DISKSPD's options that make a figure mean something else than it seems to.

The two outputs name them differently: elements of ``Profile`` in the XML, sentences of
``Input parameters`` in the text, and both may hold the command line's own letters.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiotools.stats.credibility.finding import Finding
from fiotools.stats.credibility.known import Known
from fiotools.stats.credibility.options_fio import short
from fiotools.stats.credibility.runs import Run

_BASIS = "DISKSPD, wiki: command line and parameters, "


def options_diskspd(run: Run, known: Known) -> Iterator[Finding]:
    """Audit the options of a DISKSPD run."""
    if run.tool != "diskspd" or not run.io:
        return
    options = {
        name.rpartition("/")[2] if name.startswith("Target") else name: text
        for name, text in run.all_options().items()
    }
    yield _caching(run, known)
    if any(row["direction"] == "write" for row in run.io):
        yield from _data(options)
    warmup = options.get("-W", options.get("Warmup", options.get("warm up time")))
    if warmup in ("0", "0s"):
        why = "no warm-up (-W0; the default is 5 s): the first seconds are in the figures"
        yield Finding("warmup", "run", "ok", why, f"{_BASIS}-W", "leave -W out")
    longest = max((row["runtime_s"] or 0.0 for row in run.io), default=0.0)
    if 0 < longest < 30:
        yield short("run", longest)


def _caching(run: Run, known: Known) -> Finding:
    direct = {row["direct"] for row in run.io}
    basis = f"{_BASIS}-S"
    if known.is_memory:
        return Finding("caching", "run", "ok", "memory was measured, as was declared", basis)
    if False in direct:
        return Finding(
            "caching",
            "run",
            "suspect",
            "neither -Sh nor -Su: the system's file cache answers (-Sw alone leaves it on)",
            basis,
            "use -Sh",
        )
    if None in direct:
        why = "whether -Sh or -Su was given is not in the report"
        remedy = "keep the whole output, with its input parameters"
        return Finding("caching", "run", "unknown", why, basis, remedy)
    return Finding("caching", "run", "ok", "the file cache was off (-Sh or -Su)", basis)


def _data(options: dict[str, str]) -> Iterator[Finding]:
    """Ask what was written: zeros, 0 to 255 again and again, or random data."""
    typed = options.get("-Z")
    pattern = options.get("Pattern", "")
    is_zero = typed == "" or pattern == "zero" or "zeroing write buffers" in " ".join(options)
    words = " ".join(options)
    is_random = (
        (typed is not None and typed != "")
        or pattern == "random"
        or "generating random data for each write IO" in words
        or any("random data" in name and "write" in name for name in options)
    )
    if is_zero:
        yield Finding(
            "data",
            "run",
            "suspect",
            "-Z writes zeros: a disk that compresses or leaves zeros out stores less than this",
            f"{_BASIS}-Z",
            "use -Zr",
        )
    elif is_random:
        yield Finding("data", "run", "ok", "random data was written (-Zr)", f"{_BASIS}-Z")
    elif options:
        yield Finding(
            "data",
            "run",
            "ok",
            "DISKSPD writes the bytes 0 to 255 again and again, which compress well",
            f"{_BASIS}-Z",
            "use -Zr, if what lies below compresses or deduplicates",
        )
