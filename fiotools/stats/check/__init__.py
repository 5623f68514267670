"""Did it even happen? Every run is asked what physics, arithmetic and its own options say of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from fiotools.errors import SchemaError
from fiotools.stats.check.byte_budget import budget
from fiotools.stats.check.dd_copies import copying
from fiotools.stats.check.evidence import Cache, Evidence, Media, Memory, Sides, evidence
from fiotools.stats.check.finding import Finding, Verdict
from fiotools.stats.check.latency_modes import modes
from fiotools.stats.check.link_rate import ceiling, media_of
from fiotools.stats.check.littles_law import depth, little
from fiotools.stats.check.media import fast, medium, turns
from fiotools.stats.check.options import options_diskspd, options_fio
from fiotools.stats.check.page_cache import pagecache, warm
from fiotools.stats.check.pairs import Pair, alone, layers, mirror, pairs, settings, twins, unsided
from fiotools.stats.check.remarks import remarks
from fiotools.stats.check.runs import Run, runs
from fiotools.stats.check.totals import parts
from fiotools.stats.check.unwritten_blocks import sparse
from fiotools.tables.columns import column
from fiotools.tables.frames import of_files, to_pandas
from fiotools.vocabulary import ANSWERS, EVERY

if TYPE_CHECKING:
    import pandas as pd

    from fiotools.tables.results import Results

__all__ = ["Cache", "Finding", "Media", "Memory", "Sides", "Verdict", "check"]

# asked of every run, in this order
_OF_RUNS: tuple[Callable[[Run, Evidence], Iterator[Finding]], ...] = (
    *(little, depth, parts, ceiling, medium, turns, budget, pagecache, fast),
    *(options_fio, options_diskspd, sparse, copying),
)
_OF_PAIRS: tuple[Callable[[Pair, Evidence], Iterator[Finding]], ...] = (
    *(settings, layers, mirror, warm),
)
_LAST: tuple[Callable[[Run, Evidence], Iterator[Finding]], ...] = (modes, remarks)
_KEYS = ("source", "run")


def check(
    results: Results,
    *,
    ram: Memory | None = None,
    host_ram: Memory | None = None,
    link: str | float | None = None,
    media: Media | None = None,
    devices: int | None = None,
    cache: Cache | None = None,
    between: str | None = None,
    baseline: str | None = None,
    sides: Sides | None = None,
    copies: int | Mapping[str, int] | None = None,
    speedup_max: float | None = None,
    moved: str | float | None = None,
    capacity: str | float | None = None,
    prefilled: bool = False,
    compression: float | None = None,
) -> pd.DataFrame:
    """Ask of every run whether its figures can be true, and of what.

    What the files do not say has to be given; what nobody says is answered with ``unknown`` and the
    evidence that is missing. ``impossible`` is for physics only. A note that accuses nobody is
    ``ok`` with a remedy.

    Parameters
    ----------
    results : Results
        As `read` gives them, with all tables.
    ram, host_ram : str, number or path, optional
        Memory of the machine that ran the tool, and of the host if that is a guest (0: there is no
        host). ``"8GB"`` are 8 GiB, as memory is sold. A path is of a file with what ``free`` said
        below its command, or of a copy of /proc/meminfo. Where a session shows ``free`` at the
        prompt of a run, `ram` is known.
    link : str or number, optional
        What the device hangs on: ``usb2``, ``usb3-5g``, ``usb3-10g``, ``sata-3``, ``sas-3``,
        ``pcie3-x4``, ``pcie4-x4``, ``eth-10g``, ... or a rate in one direction: ``"450MB/s"``.
        Of ``lsblk`` only the kind is known (usb, sata), which the remedy names.
    media : {"hdd", "sata-ssd", "nvme", "ram"}, optional
        What the device is. Evidence of a run whose disks are all called ``nvme...``, and where a
        session shows ``lsblk`` at the prompt of a run and it is certain which device that is: of
        NVMe, and of SATA where nothing rotates and nothing looks virtual. A disk that is said to
        rotate may be virtual, so that ``"hdd"`` has to be given.
    devices : int, optional
        How many there are, each with a link of its own. For links the default is one; a mirror's is
        unknown.
    cache : {"cold", "warm"}, optional
        What was meant to be measured. A warm cache is memory, and no fault.
    between, baseline : str, optional
        A label and one of its values, as in `compare`: the sides of a comparison.
    sides : {"layer", "device", "mirror", "cache"}, optional
        What the sides are: the levels go through a layer and the baseline does not (the default);
        they are devices of another kind; they are mirrors of `copies` (the default with `copies`)
        of the baseline's single disk; the baseline is cold and the level is warm, as `cache` says.
    copies : int or mapping of level to int, optional
        Copies that a mirror writes.
    speedup_max : float, optional
        What the cache gains at most, from elsewhere.
    moved : str or number, optional
        Bytes that each timed command moved (``cat``), where no tool says it.
    capacity : str or number, optional
        Of the SSD.
    prefilled : bool, optional
        Whether the file was full of data before it was read.
    compression : float, optional
        How many times smaller the data is below the files, where they lie on a compressed file
        system or come over a link that packs; 1 by default.

    Returns
    -------
    pandas.DataFrame
        A row per run, check and subject: the labels, ``source``, ``run``, ``subject``, ``check``
        (the question's short name), ``verdict`` (ok, suspect, impossible, unknown), ``observed``
        and ``limit`` (in ``unit``), ``why`` (one sentence), ``remedy`` (what to do, or to find
        out), ``basis`` (where the limit comes from). The sentences ``why`` and ``remedy`` are in
        the language that `plot.style` has set, and stay in it: English unless it was asked before.
        All else is the same in every language.

    Raises
    ------
    SchemaError
        If an argument makes no sense, or `results` are not Results.

    Examples
    --------
    >>> import fiotools as ft
    >>> res = ft.read("data/wsl-vhdx/f_ext4-vhdx_write.txt")
    >>> seen = ft.check(res, ram="7926928KiB", link="usb3-5g")
    >>> seen.query("verdict == 'impossible'")["why"].item()
    '1.98 GB/s is 3.95 times the 500 MB/s that the link (usb3-5g) can carry: impossible as a rate
    of the disk'
    """
    given = evidence(
        ram=ram,
        host_ram=host_ram,
        link=link,
        media=media,
        devices=devices,
        cache=cache,
        copies=copies,
        moved=moved,
        capacity=capacity,
        prefilled=prefilled,
        compression=compression,
        between=between,
        baseline=baseline,
        sides=sides,
        speedup_max=speedup_max,
    )
    return to_pandas(answer(results, given))


def answer(results: Results, given: Evidence) -> pl.DataFrame:
    """Answer as `check` does, as a frame of polars."""
    every = runs(results)
    facing: dict[int, list[Pair]] = {}
    for pair in pairs(every, given):
        facing.setdefault(id(pair.run), []).append(pair)
    single = {id(run) for run in alone(every, given)}
    copied = {id(run): one for run, one in twins(every)}
    found = []
    for run in every:
        mine = facing.get(id(run), [])
        told = _told(run, given)
        found += [(run, one) for question in _OF_RUNS for one in question(run, told)]
        found += [(run, copied[id(run)])] if id(run) in copied else []
        found += [(run, unsided(given))] if id(run) in single else []
        found += [(run, one) for ask in _OF_PAIRS for pair in mine for one in ask(pair, told)]
        found += [(run, one) for question in _LAST for one in question(run, told)]
    return _frame(found, list(every[0].labels) if every else [])


def _told(run: Run, given: Evidence) -> Evidence:
    """Add what the file or its side of the comparison tells of a run, where nobody else does."""
    if given.ram is None and run.memory is not None:
        given = replace(given, ram=run.memory)
    if given.media is None:
        given = replace(given, media=media_of(run))
    level = run.labels.get(given.between) if given.between else None
    if given.sides == "cache" and given.cache is None and str(level) != str(given.baseline):
        given = replace(given, cache="warm")
    return given


def _frame(found: list[tuple[Run, Finding]], labels: list[str]) -> pl.DataFrame:
    answers = ANSWERS["check"]
    hidden = [name for name in labels if name in answers]
    if hidden:
        raise SchemaError(f"column {hidden[0]!r} would hide the answer's own: rename the label")
    columns = [of_files(name, [run.labels.get(name) for run, _ in found]) for name in labels]
    columns += [column(name, [run.head[name] for run, _ in found]) for name in _KEYS]
    for name in answers:
        values = [getattr(one, name) for _, one in found]
        columns.append(column(name, values, EVERY[name].dtype))
    return pl.DataFrame(columns)
