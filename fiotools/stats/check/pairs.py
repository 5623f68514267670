"""Two sides of a comparison: which runs face each other, and what cannot be true of both.

No statistic: one run may have several rows, and a side several runs; each side is its geometric
mean. Whether a difference is settled is the question of `fiotools.compare`.

Of m devices, k copies and a share x of reads, m / (x + k (1 - x)) is the most that a mirror can do
against one device; there is no least, for reads at a low depth find one device only.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log
from typing import Any, TypeAlias

from fiotools.errors import SchemaError
from fiotools.hints import argument, typed
from fiotools.language import listed, say
from fiotools.stats.check.evidence import Evidence
from fiotools.stats.check.finding import Finding
from fiotools.stats.check.runs import Row, Run
from fiotools.units import human
from fiotools.vocabulary import CONDITIONS

_IGNORED = ("size_bytes",)  # the sides may have files of their own


Cell: TypeAlias = tuple[Any, ...]
Rate: TypeAlias = "tuple[Run, Row | None, float, str]"  # with the row and the unit, if any


@dataclass(frozen=True, slots=True)
class Pair:
    """One cell of one level against the same cell of the baseline.

    `elsewhere` is the greatest ratio of the two levels where other labels differ.
    """

    run: Run
    subject: str
    level: str
    rate: float
    rate_baseline: float
    unit: str
    baseline: Run
    row: Row | None = None
    elsewhere: float = 1.0

    @property
    def ratio(self) -> float:
        """Level / baseline, as rates: above 1 is faster."""
        return self.rate / self.rate_baseline


def pairs(several: Sequence[Run], known: Evidence) -> list[Pair]:
    """Put each level's cells beside the baseline's."""
    found = list(_pairs(several, known))
    widest: dict[Cell, float] = defaultdict(lambda: 1.0)
    for asked, pair in found:
        widest[asked] = max(widest[asked], pair.ratio, 1 / pair.ratio)
    return [replace(pair, elsewhere=widest[asked]) for asked, pair in found]


def _pairs(several: Sequence[Run], known: Evidence) -> Iterator[tuple[Cell, Pair]]:
    """Give the pairs, each with its level and what was asked of it."""
    between, baseline = known.between, known.baseline
    if between is None:
        return
    if several and between not in several[0].labels:
        there = ", ".join(map(repr, several[0].labels)) or "none"
        raise SchemaError(
            f"{argument('between', between)} is no label of the results (there are: {there}): "
            f"{typed('read() makes labels', 'labels are made')} of the fields of a path template"
        )
    levels = dict.fromkeys(str(run.labels[between]) for run in several)
    if baseline is not None and str(baseline) not in levels:
        raise SchemaError(
            f"{argument('baseline', baseline)} is no value of {between!r}; "
            f"there are: {', '.join(levels)}"
        )
    for key, sides in _sides(several, between).items():
        base = sides.pop(str(baseline), [])
        for level, own in sides.items():
            if not base:
                continue
            run, row, _, unit = own[0]
            what = key[0] or "command"
            pair = Pair(
                run,
                f"{what}: {level} against {baseline}",
                level,
                _center(own),
                _center(base),
                unit,
                base[0][0],
                row,
            )
            direction, _, conditions = key
            yield (level, direction, conditions), pair


_FIGURES = ("direction", "scope", "io_bytes", "total_ios", "lat_mean_ns", "lat_max_ns")


def twins(several: Sequence[Run]) -> Iterator[tuple[Run, Finding]]:
    """Find runs whose figures are those of an earlier one: of chance no two runs are alike."""
    first: dict[Cell, Run] = {}
    for run in several:
        figures = tuple(tuple(row[name] for name in _FIGURES) for row in run.io)
        if not any(row["lat_mean_ns"] and row["lat_max_ns"] for row in run.io):
            continue
        if (other := first.setdefault(figures, run)) is run:
            continue
        why = say(
            "bytes, I/Os and latencies are those of run {n} of {source}, to the last digit",
            n=other.head["run"],
            source=other.head["source"],
        )
        remedy = say("leave one of the two out: a run that was copied is no second one")
        basis = "no two runs take the same nanoseconds"
        yield run, Finding("twin", "run", "suspect", why, basis, remedy)


def alone(several: Sequence[Run], known: Evidence) -> list[Run]:
    """Give the runs of levels that nothing of the baseline faces; all, if no sides were named."""
    between, baseline = known.between, str(known.baseline)
    if between is None:
        return list(several) if len(several) > 1 else []
    faced = set()
    for sides in _sides(several, between).values():
        if baseline in sides:
            faced |= {id(run) for own in sides.values() for run, *_ in own}
    return [run for run in several if id(run) not in faced and str(run.labels[between]) != baseline]


def _sides(several: Sequence[Run], between: str) -> dict[Cell, dict[str, list[Rate]]]:
    """Sort the rates of all runs by what they are rates of, then by level."""
    cells: dict[Cell, dict[str, list[Rate]]] = defaultdict(lambda: defaultdict(list))
    for run in several:
        for key, row, rate, unit in _cells(run, between):
            cells[key][str(run.labels[between])].append((run, row, rate, unit))
    return cells


def _cells(run: Run, between: str) -> Iterator[tuple[Cell, Row | None, float, str]]:
    """Give the rates of a run with what they are rates of."""
    # a label that numbers repeats does not part cells
    labels = tuple(
        (name, value)
        for name, value in run.labels.items()
        if name != between and not str(value).isdigit()
    )
    names = [name for name in CONDITIONS if name not in _IGNORED]
    for row in run.wholes():
        rate, unit = row["bw_bytes_per_s"], "B/s"
        if rate is None:
            rate, unit = row["iops"], "1/s"
        if rate:
            conditions = tuple(row[name] for name in names)
            yield (row["direction"], labels, conditions), row, rate, unit
    timing = run.timing
    if not run.io and timing is not None and (timing["real_s"] or timing["real_mean_s"]):
        yield ("", labels, ()), None, 1 / (timing["real_s"] or timing["real_mean_s"]), "1/s"


def _center(side: Sequence[Rate]) -> float:
    return exp(sum(log(rate) for _, _, rate, _ in side) / len(side))


_SLACK = 1.1  # a quarter of storage set-ups varies by as much from run to run


# what caches or packs what lies below it, by the name of a level or a device
_HELPS = re.compile(r"cache|arc\b|zfs|btrfs|compress|zstd|lz4|lzo|vdo|squashfs|erofs", re.I)


def layers(pair: Pair, known: Evidence) -> Iterator[Finding]:
    """Ask whether the device has vanished from the measurement."""
    if known.sides == "layer":
        yield _layer(pair, known)
    elif known.sides == "device":
        yield _device(pair)


def _layer(pair: Pair, known: Evidence) -> Finding:
    basis = "a layer that neither caches nor packs cannot make what lies below it faster"
    if pair.ratio <= _SLACK * (known.compression or 1.0):
        return _fine(pair, basis)
    helping = [name for name in (pair.level, *pair.run.disks) if _HELPS.search(name)]
    if helping:
        why = say(
            "{said}: {name} caches or packs, so that it may be", said=_said(pair), name=helping[0]
        )
        remedy = say("say how warm the cache was, or how well the data packs")
        return Finding("layers", pair.subject, "ok", why, basis, remedy, pair.ratio, _SLACK)
    why = say(
        "{said}: faster through the layer than without it, so the layer answered from a cache, "
        "or stored less",
        said=_said(pair),
    )
    return _accused(pair, why, basis)


def _device(pair: Pair) -> Finding:
    basis = "devices that differ in speed elsewhere, or a processor that was busy all the time"
    if max(pair.ratio, 1 / pair.ratio) > _SLACK:
        return _fine(pair, basis)
    if pair.elsewhere > 1.5 or all(map(_is_busy, (pair.run, pair.baseline))):
        why = say(
            "{said}: other devices at one speed, so that what both share was measured (a cache, a "
            "link, a processor), and no device",
            said=_said(pair),
        )
        return _accused(pair, why, basis)
    why = say(
        "{said}: devices may be alike, or what both share was measured (a cache, a link)",
        said=_said(pair),
    )
    remedy = say("count the bytes at each device")
    return Finding("layers", pair.subject, "unknown", why, basis, remedy, pair.ratio, _SLACK)


def _is_busy(run: Run) -> bool:
    """Whether a processor worked for a command all the time that it took."""
    timing = run.timing
    if timing is None or not timing["real_s"]:
        return False
    return bool((timing["user_s"] or 0.0) + (timing["sys_s"] or 0.0) >= 0.9 * timing["real_s"])


def _fine(pair: Pair, basis: str) -> Finding:
    return Finding("layers", pair.subject, "ok", _said(pair), basis, None, pair.ratio, _SLACK)


def _accused(pair: Pair, why: str, basis: str) -> Finding:
    remedy = say("empty the caches of guest and host, flush, use random data, and measure again")
    return Finding("layers", pair.subject, "suspect", why, basis, remedy, pair.ratio, _SLACK)


def _said(pair: Pair) -> str:
    times = f"{pair.ratio:.3g}"
    if not pair.row:
        return say("{times} times as fast", times=times)
    rates = {"rate": human(pair.rate, pair.unit), "baseline": human(pair.rate_baseline, pair.unit)}
    return say("{rate} against {baseline} is {times} times as fast", times=times, **rates)


_MIRROR_BASIS = "k copies on m devices, share x of reads: m / (x + k (1 - x)) times one device"


def mirror(pair: Pair, known: Evidence) -> Iterator[Finding]:
    """Hold a mirror's gain against what its copies leave."""
    if known.sides != "mirror" or pair.row is None:
        return
    copies = known.copies
    if isinstance(copies, Mapping):
        if pair.level not in copies:
            return
        copies = copies[pair.level]
    direction = pair.row["direction"]
    share = {"read": 1.0, "write": 0.0}.get(direction, _reads(pair.run))
    if direction in ("read", "write") and _is_mixed(pair.run):
        return  # one direction of a mixture has the other's copies to wait for
    if copies is None or known.devices is None or share is None:
        where = say("on how many devices they lie ({devices})", devices=argument("devices"))
        terms = {
            say("how many copies there are ({copies})", copies=argument("copies")): copies,
            where: known.devices,
            say("the share of reads"): share,
        }
        missing = listed(name for name, value in terms.items() if value is None)
        why = say(
            "{times} times the single disk's: what a mirror can do is not known",
            times=f"{pair.ratio:.3g}",
        )
        remedy = say("not known: {missing}", missing=missing)
        yield Finding("mirror", pair.subject, "unknown", why, _MIRROR_BASIS, remedy, pair.ratio)
        return
    most = known.devices / (share + copies * (1 - share))
    said = say(
        "{times} times the single disk's rate, where {copies} copies on {devices} with {share} % "
        "reads leave at most {most}",
        times=f"{pair.ratio:.3g}",
        copies=copies,
        devices=say("{n} device" if known.devices == 1 else "{n} devices", n=known.devices),
        share=f"{100 * share:.0f}",
        most=f"{most:.3g}",
    )
    figures = (pair.ratio, most)
    if pair.ratio <= 1.1 * most:
        yield Finding("mirror", pair.subject, "ok", said, _MIRROR_BASIS, None, *figures)
        return
    remedy = say(
        "a cache answered, the copies lie on more devices, or the two were not measured alike"
    )
    yield Finding("mirror", pair.subject, "suspect", said, _MIRROR_BASIS, remedy, *figures)


def _is_mixed(run: Run) -> bool:
    found = {row["direction"] for row in run.io}
    return {"read", "write"} <= found


def _reads(run: Run) -> float | None:
    """Give the share of reads among the I/Os."""
    counts = {"read": 0, "write": 0}
    for row in run.wholes():
        if row["direction"] in counts:
            if row["total_ios"] is None:
                return None
            counts[row["direction"]] += row["total_ios"]
    every = sum(counts.values())
    return counts["read"] / every if every else None


_OPTIONS_BASIS = "the options of both reports"
# where the files lie is what a comparison is about
_PLACES = ("filename", "directory", "of", "if", "Path", "path", "name", "output")
_LISTED = 5


def unsided(known: Evidence) -> Finding:
    """Say what is missing where a run has no other side."""
    if known.between is None:
        why = say("whether a layer, a mirror or a cache made the difference is not asked: no sides")
        remedy = say(
            "name the sides with {between} and {baseline}, and what they are with {sides}",
            between=argument("between"),
            baseline=argument("baseline"),
            sides=argument("sides"),
        )
    else:
        why = say(
            "no run of {between}={baseline} has the same direction and conditions",
            between=known.between,
            baseline=known.baseline,
        )
        remedy = say("measure the baseline alike")
    return Finding("sides", "run", "unknown", why, _OPTIONS_BASIS, remedy)


def settings(pair: Pair, known: Evidence) -> Iterator[Finding]:
    """Name the options and versions that differ between a level and its baseline."""
    del known
    one, other = _options(pair.run), _options(pair.baseline)
    if not one or not other:
        if pair.row is not None:
            why = say("whether both sides had the same options is not in the reports")
            remedy = say("keep the job files or the command lines beside the reports")
            yield Finding("sides", pair.subject, "unknown", why, _OPTIONS_BASIS, remedy)
        return
    nothing = say("not given")
    differ = [
        say(
            "{option} is {one} against {other}",
            option=name,
            one=one.get(name, nothing),
            other=other.get(name, nothing),
        )
        for name in dict.fromkeys([*one, *other])
        if one.get(name) != other.get(name)
    ]
    mine, theirs = pair.run.head["tool_version"], pair.baseline.head["tool_version"]
    if mine != theirs:
        version = say("the version is {one} against {other}", one=mine, other=theirs)
        if pair.run.tool == "diskspd" and _is_new(mine) != _is_new(theirs):
            version = say("{version} (2.2 counts otherwise)", version=version)
        differ.insert(0, version)
    if not differ:
        why = say("{n} options are the same on both sides", n=len(one))
        yield Finding("sides", pair.subject, "ok", why, _OPTIONS_BASIS, None, 0.0, 0.0)
        return
    why = say(
        "the sides were not asked alike: {differences}",
        differences=listed(differ[:_LISTED], "; "),
    )
    if more := len(differ[_LISTED:]):
        why = say("{said}, and {n} more", said=why, n=more)
    remedy = say("change one thing only, or say that this is what is compared")
    yield Finding(
        "sides", pair.subject, "suspect", why, _OPTIONS_BASIS, remedy, float(len(differ)), 0.0
    )


def _options(run: Run) -> dict[str, str]:
    return {
        name: text
        for name, text in run.all_options().items()
        if name.rpartition("/")[2] not in _PLACES
    }


def _is_new(version: str | None) -> bool | None:
    """Whether a version of DISKSPD is 2.2 or later; 2.0 and 2.1 count otherwise."""
    numbers = [part for part in (version or "").split(".") if part.isdecimal()]
    return [int(part) for part in numbers[:2]] >= [2, 2] if len(numbers) > 1 else None
