"""Did it even happen? Physics, arithmetic and a run's own options against its numbers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import narwhals as nw
import polars as pl

from fiotools.stats import frames
from fiotools.stats.check import (
    contradictions,
    link_rate,
    media,
    options,
    page_cache,
    pairs,
    totals,
)
from fiotools.stats.check.evidence import Cache, Evidence, Finding, Media, Memory, Sides, evidence
from fiotools.stats.check.runs import RunFacts, runs
from fiotools.tables import resting
from fiotools.tables.results import to_pandas
from fiotools.vocabulary import ANSWERS

if TYPE_CHECKING:
    from fiotools.tables.results import Results

# in the order of the answer
_OF_RUNS: tuple[Callable[[RunFacts, Evidence], Iterator[Finding]], ...] = (
    *(
        totals.little,
        totals.depth,
        totals.parts,
        contradictions.contradictions,
        totals.elapsed,
        link_rate.ceiling,
        media.medium,
    ),
    *(media.turns, link_rate.budget, page_cache.pagecache, media.fast, options.options_fio),
    *(options.options_diskspd, page_cache.sparse, options.copying),
)
_OF_PAIRS = (pairs.settings, pairs.layers, pairs.mirror, pairs.warm)
_LAST = (
    media.modes,
    options.processor,
    media.fresh,
    options.pace,
    page_cache.amplified,
)


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
) -> Any:
    """Check whether the numbers of every run can be true, and what they are numbers of.

    Pass what the files do not say: a check without evidence is ``unknown`` and names what is
    missing. ``impossible`` is for physics only. A ``note`` accuses nobody: it says what to know
    before the number is used.

    Parameters
    ----------
    results : Results
        From `read`, with all tables.
    ram : str, number or path, optional
        Memory of the machine: 8GB, or a file with the output of ``free``. ``"8GB"`` are 8 GiB, as
        memory is sold. The file has the command above its output, or is a copy of /proc/meminfo.
    host_ram : str, number or path, optional
        Memory of the host if the machine is a guest; 0: no host.
    link : str or number, optional
        The link to the device: usb3-5g, sata-3, pcie4-x4, or a rate: 450MB/s. The others are
        ``usb2``, ``usb3-10g``, ``sas-3``, ``pcie3-x4``, ``eth-10g``, ...; a rate is that of one
        direction.
    media : {"hdd", "sata-ssd", "nvme", "ram"}, optional
        The kind of the device. It is known if all disks of a run are called ``nvme...``.
    devices : int, optional
        The number of devices, each with a link of its own. The default for links is one; for a
        mirror it is unknown.
    cache : {"cold", "warm"}, optional
        The cache that was meant to be measured. A warm cache is memory, and no fault.
    between : str, optional
        The column that holds the sides of a comparison: a label.
    baseline : str, optional
        The side without layer, mirror or cache: a value of that label.
    sides : {"layer", "device", "mirror", "cache"}, optional
        The kind of the sides. Layer: the levels go through a layer and the baseline does not (the
        default). Device: other devices. Mirror: mirrors of `copies` of the baseline's single disk
        (the default with `copies`). Cache: the baseline is cold and the level is warm.
    copies : int or mapping of level to int, optional
        Copies that a mirror writes.
    speedup_max : float, optional
        The most that the cache gains, known from elsewhere.
    moved : str or number, optional
        Bytes that each timed command moved, such as ``cat``: 512MiB.
    capacity : str or number, optional
        The capacity of the SSD: 1TB.
    prefilled : bool, optional
        The file was full of data before it was read.
    compression : float, optional
        How many times smaller the data is below the files, if something packs it. That may be a
        file system or a link; 1 by default.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per run, check and subject: the labels, ``source``, ``run``, ``subject``, ``check``
        (its short name), ``finding`` (what was found, a name that stays), ``verdict`` (ok, note,
        suspect, impossible, unknown), ``observed`` and ``limit`` (in ``unit``), ``details`` (the
        values of the finding, as JSON); and in English ``why`` (one sentence), ``remedy`` (what to
        do, or to find out), ``basis`` (where the limit comes from).

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
    arguments = {name: value for name, value in locals().items() if name != "results"}
    found = answer(results, evidence(**arguments))
    return to_pandas(found) if results.kind == "pandas" else found


@resting()
def answer(results: Results, given: Evidence) -> pl.DataFrame:
    """Do the same as `check`, and return a frame of polars."""
    every = deque(runs(results))
    facing, alone = pairs.pairs(every, given)
    copied = dict(pairs.twins(every))
    labels = [*every[0].labels] if every else []
    findings, rows = list[Finding](), list[int]()
    for row in range(len(every)):
        run = every.popleft()  # its rows go when they are judged
        told = _told(run, given)
        found = [one for question in _OF_RUNS for one in question(run, told)]
        found += [copied[run]] if run in copied else []
        if run in alone:
            alone.remove(run)
            found.append(pairs.unsided(given))
        mine = facing.get(run, [])
        found += [one for ask in _OF_PAIRS for pair in mine for one in ask(pair, told)]
        found += [one for question in _LAST for one in question(run, told)]
        findings += found
        rows += [row] * len(found)
    heads = nw.from_native(results.tables.polars("runs"), eager_only=True)
    columns = {name: [getattr(one, name) for one in findings] for name in ANSWERS["check"]}
    return frames.beside(heads, [*labels, "source", "run"], rows, columns)


def _told(run: RunFacts, given: Evidence) -> Evidence:
    """Add what a run's file or its side of the comparison tells and the caller does not."""
    if given.media is None:
        given = replace(given, media=link_rate.media_of(run))
    level = run.labels.get(given.between) if given.between else None
    if given.sides == "cache" and given.cache is None and str(level) != str(given.baseline):
        given = replace(given, cache="warm")
    return given
