"""Two sides of a comparison: which runs are compared, and what cannot be true of both.

No statistic: one run may have several rows, and a side several runs; each side is its geometric
mean. `fiotools.compare` tells whether a difference is more than chance.

With m devices, k copies and a share x of reads a mirror does at most m / (x + k (1 - x)) times what
one device does; there is no lower bound, because reads at a low depth find one device only.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log
from typing import Any, TypeAlias

from fiotools.errors import SchemaError, argument, typed
from fiotools.language import listed, say
from fiotools.stats.check.evidence import Evidence, Finding
from fiotools.stats.check.runs import Row, RunFacts
from fiotools.stats.settings import differing_options, is_place, merged
from fiotools.units import human
from fiotools.vocabulary import CONDITIONS

_OPTIONS = "the options of both reports"
_LISTED = 5
_HITS = "share of hits h = (1 - 1/S) / (1 - 1/S_max), for a gain S by the cache"
_MIRROR = "k copies on m devices, share x of reads: m / (x + k (1 - x)) times one device"
_SLACK = 1.1  # a quarter of storage set-ups varies by as much from run to run
# levels and devices with these in their name cache or pack the data below them
_HELPS = re.compile(
    r"(?<!no)(?<!no[-_ ])(?<!un)cache|arc\b|zfs|btrfs|compress|zstd|lz4|lzo|vdo|squashfs|erofs",
    re.I,
)
_LAYER = "a layer that neither caches nor packs cannot make what lies below it faster"
_DEVICE = "devices that differ in speed elsewhere, or a processor that was busy all the time"
_NUMBERS = ("direction", "scope", "io_bytes", "total_ios", "lat_mean_ns", "lat_max_ns")
_IGNORED = ("size_bytes",)  # the sides may have files of their own

Cell: TypeAlias = tuple[Any, ...]
Rate: TypeAlias = "tuple[RunFacts, Row | None, float, str]"  # with the row and the unit, if any


@dataclass(frozen=True, slots=True)
class Pair:
    """One cell of one level against the same cell of the baseline, each with its runs.

    `row` is of the first run; `elsewhere` is the greatest ratio of the two levels where other
    labels differ.
    """

    runs: list[RunFacts]
    baselines: list[RunFacts]
    subject: str
    level: str
    rate: float
    rate_baseline: float
    unit: str
    row: Row | None = None
    elsewhere: float = 1.0

    @property
    def ratio(self) -> float:
        """Level / baseline, as rates: above 1 is faster."""
        return self.rate / self.rate_baseline


def pairs(
    several: Sequence[RunFacts], known: Evidence
) -> tuple[dict[RunFacts, list[Pair]], set[RunFacts]]:
    """Pair each level's cells with the baseline's; tell which runs have no other side."""
    between, baseline = known.between, str(known.baseline)
    if between is None:
        return {}, set(several if len(several) > 1 else ())
    if several and between not in several[0].labels:
        there = ", ".join(map(repr, several[0].labels)) or "none"
        raise SchemaError(
            f"{argument('between', between)} is not a label of the results (there are: {there}): "
            f"{typed('read() makes labels', 'labels are made')} of the fields of a path template"
        )
    levels = dict.fromkeys(str(run.labels[between]) for run in several)
    copies = known.copies if isinstance(known.copies, Mapping) else {}
    for name, value in [("baseline", known.baseline), *(("copies", level) for level in copies)]:
        if str(value) not in levels:
            raise SchemaError(
                f"{argument(name, value)} is not a value of {between!r}; "
                f"there are: {', '.join(levels)}"
            )
    cells: dict[Cell, dict[str, list[Rate]]] = defaultdict(lambda: defaultdict(list))
    for run in several:
        for cell, row, rate, unit in _cells(run, between):
            cells[cell][str(run.labels[between])].append((run, row, rate, unit))
    found: list[tuple[Cell, Pair]] = []
    widest: dict[Cell, float] = defaultdict(lambda: 1.0)  # of a level and its workload
    for (direction, _, conditions), sides in cells.items():
        base = sides.pop(baseline, [])
        for level, own in sides.items() if base else ():
            _, row, _, unit = own[0]
            subject = f"{direction or 'command'}: {level} against {baseline}"
            runs, baselines = (list(dict.fromkeys(run for run, *_ in side)) for side in (own, base))
            pair = Pair(runs, baselines, subject, level, _center(own), _center(base), unit, row)
            asked = (level, direction, conditions)
            widest[asked] = max(widest[asked], pair.ratio, 1 / pair.ratio)
            found.append((asked, pair))
    facing: dict[RunFacts, list[Pair]] = defaultdict(list)
    for asked, pair in found:
        facing[pair.runs[0]].append(replace(pair, elsewhere=widest[asked]))
    faced = {run for _, pair in found for run in pair.runs}
    return facing, {run for run in several if str(run.labels[between]) != baseline} - faced


def twins(several: Sequence[RunFacts]) -> Iterator[tuple[RunFacts, Finding]]:
    """Find runs with the numbers of an earlier one: by chance no two runs are alike."""
    first: dict[Cell, RunFacts] = {}
    for run in several:
        numbers = tuple(tuple(row[name] for name in _NUMBERS) for row in run.io)
        if not any(row["lat_mean_ns"] and row["lat_max_ns"] for row in run.io):
            continue
        if (other := first.setdefault(numbers, run)) is run:
            continue
        why = say(
            "bytes, I/Os and latencies are those of run {n} of {source}, to the last digit",
            n=other.head["run"],
            source=other.head["source"],
        )
        remedy = say("leave one of the two out: a copied run is not a second run")
        probe = Finding("twin", "run", "no two runs take the same nanoseconds")
        yield run, probe.suspect(why, remedy)


def _cells(run: RunFacts, between: str) -> Iterator[tuple[Cell, Row | None, float, str]]:
    """Yield the rates of a run, each with its cell."""
    # a label that numbers repetitions does not separate cells
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


def layers(pair: Pair, known: Evidence) -> Iterator[Finding]:
    """Check whether the device has vanished from the measurement."""
    said = say("{times} times as fast", times=f"{pair.ratio:.3g}")
    if pair.row is not None:
        said = say(
            "{rate} against {baseline} is {times} times as fast",
            rate=human(pair.rate, pair.unit),
            baseline=human(pair.rate_baseline, pair.unit),
            times=f"{pair.ratio:.3g}",
        )
    remedy = say("empty the caches of guest and host, flush, use random data, and measure again")
    if known.sides == "layer":
        probe = Finding("layers", pair.subject, _LAYER, pair.ratio, _SLACK)
        disks = (name for run in pair.runs for name in run.disks)
        helping = [name for name in (pair.level, *disks) if _HELPS.search(name)]
        if pair.ratio <= _SLACK * (known.compression or 1.0):
            yield probe.ok(said)
        elif helping:
            template = "{said}: possible, because {name} caches or packs"
            look = say("state how warm the cache was, or how well the data packs")
            yield probe.ok(say(template, said=said, name=helping[0]), look)
        else:
            why = say(
                "{said}: faster through the layer than without it, so the layer answered from a "
                "cache, or stored less",
                said=said,
            )
            yield probe.suspect(why, remedy)
    elif known.sides == "device":
        probe = Finding("layers", pair.subject, _DEVICE, pair.ratio, _SLACK)
        if max(pair.ratio, 1 / pair.ratio) > _SLACK:
            yield probe.ok(said)
        elif pair.elsewhere > 1.5 or all(map(_is_busy, [*pair.runs, *pair.baselines])):
            why = say(
                "{said}: different devices at one speed, so something that both share was measured "
                "(a cache, a link, a processor), not a device",
                said=said,
            )
            yield probe.suspect(why, remedy)
        else:
            why = say(
                "{said}: the devices may be alike, or something that both share was measured (a "
                "cache, a link)",
                said=said,
            )
            yield probe.unknown(why, say("count the bytes at each device"))


def _is_busy(run: RunFacts) -> bool:
    """Whether a processor worked for a command all the time that it took."""
    timing = run.timing
    if timing is None or not timing["real_s"]:
        return False
    return bool((timing["user_s"] or 0.0) + (timing["sys_s"] or 0.0) >= 0.9 * timing["real_s"])


def mirror(pair: Pair, known: Evidence) -> Iterator[Finding]:
    """Compare a mirror's gain with the most that its copies allow."""
    copies = known.copies
    if isinstance(copies, Mapping):
        copies = {str(level): count for level, count in copies.items()}.get(pair.level)
        if copies is None:
            return
    if known.sides != "mirror" or pair.row is None:
        return
    direction = pair.row["direction"]
    share = {"read": 1.0, "write": 0.0}.get(direction, _reads(pair.runs[0]))
    is_mixture = {"read", "write"} <= {row["direction"] for row in pair.runs[0].io}
    if is_mixture and direction in ("read", "write"):
        return  # one direction of a mixture waits for the other's copies
    probe, times = Finding("mirror", pair.subject, _MIRROR, pair.ratio), f"{pair.ratio:.3g}"
    if copies is None or known.devices is None or share is None:
        terms = {
            say("the number of copies ({copies})", copies=argument("copies")): copies,
            say("the number of devices ({devices})", devices=argument("devices")): known.devices,
            say("the share of reads"): share,
        }
        missing = listed(name for name, value in terms.items() if value is None)
        template = "{times} times the single disk's rate: the limit of a mirror is not known"
        yield probe.unknown(
            say(template, times=times), say("not known: {missing}", missing=missing)
        )
        return
    most = known.devices / (share + copies * (1 - share))
    said = say(
        "{times} times the single disk's rate, where {copies} copies on {devices} with {share} % "
        "reads leave at most {most}",
        times=times,
        copies=copies,
        devices=say("{n} device" if known.devices == 1 else "{n} devices", n=known.devices),
        share=f"{100 * share:.0f}",
        most=f"{most:.3g}",
    )
    remedy = say(
        "a cache answered, the copies lie on more devices, or the two were measured differently"
    )
    probe = probe.of(pair.ratio, most)
    yield probe.ok(said) if pair.ratio <= 1.1 * most else probe.suspect(said, remedy)


def _reads(run: RunFacts) -> float | None:
    """Return the share of reads among the I/Os."""
    counts = {"read": 0, "write": 0}
    for row in run.wholes():
        if row["direction"] in counts:
            if row["total_ios"] is None:
                return None
            counts[row["direction"]] += row["total_ios"]
    every = sum(counts.values())
    return counts["read"] / every if every else None


def warm(pair: Pair, known: Evidence) -> Iterator[Finding]:
    """Tell the share of hits from a cache's gain; the baseline is the cold side."""
    if known.sides != "cache":
        return
    gain, words = pair.ratio, {"times": f"{pair.ratio:.3g}"}
    probe = Finding("warm", pair.subject, _HITS, gain)
    if gain <= 1.1:
        yield probe.of(gain, 1.1).suspect(
            say(
                "{times} times as fast: the cache changed nothing, so both sides are cold or warm",
                **words,
            ),
            say("drop the cache before the cold run, and read the file once before the warm one"),
        )
        return
    least = 1 - 1 / gain
    share = say("between {least} and 100 % of the warm run were hits", least=f"{100 * least:.0f}")
    if known.speedup_max is not None:
        hits = least / (1 - 1 / known.speedup_max)
        if hits > 1:
            words["most"] = argument("speedup_max", known.speedup_max)
            why = say("{times} times as fast is more than a cache can gain ({most})", **words)
            remedy = say("measure again how much a cache gains at most")
            yield probe.of(gain, known.speedup_max).suspect(why, remedy)
            return
        share = say("{share} % of the warm run were hits", share=f"{100 * hits:.0f}")
    said = say("{times} times as fast: {hits}, if the cold run had none", hits=share, **words)
    if all(run.drops_cache for run in pair.baselines) or known.cache == "cold":
        yield probe.ok(said, say("do not pool the two: they are two populations"))
        return
    nothing = say("nothing shows that the cache was empty before the cold run")
    remedy = say("drop the cache first and show it; do not pool the two")
    yield probe.unknown(listed([said, nothing], "; "), remedy)


def unsided(known: Evidence) -> Finding:
    """Ask for the other side of a run that has none."""
    if known.between is None:
        why = say("no sides were named, so layers, mirrors and caches were not checked")
        remedy = say(
            "name the sides with {between} and {baseline}, and their kind with {sides}",
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
        remedy = say("measure the baseline with the same options")
    return Finding("sides", "run", _OPTIONS).unknown(why, remedy)


def settings(pair: Pair, _known: Evidence) -> Iterator[Finding]:
    """Name the options and versions that differ between a level and its baseline."""
    probe = Finding("sides", pair.subject, _OPTIONS)
    sides = pair.runs, pair.baselines
    every = [merged(run.option_texts() for run in side) for side in sides]
    one, other = (
        {name: texts for name, texts in own.items() if not is_place(name)} for own in every
    )
    if not one or not other:
        if pair.row is not None:
            why = say("the reports do not tell whether both sides used the same options")
            remedy = say("keep the job files or the command lines beside the reports")
            yield probe.unknown(why, remedy)
        return
    words = {None: say("not given"), "": say("given")}
    differ = [
        say(
            "{option} is {one} against {other}",
            option=line["option"],
            one=words.get(line["text"], line["text"]),
            other=words.get(line["text_baseline"], line["text_baseline"]),
        )
        for line in differing_options(one, other)
    ]
    mine, theirs = (sorted({str(run.head["tool_version"]) for run in side}) for side in sides)
    if mine != theirs:
        texts = {"one": ", ".join(mine), "other": ", ".join(theirs)}
        version = say("the version is {one} against {other}", **texts)
        is_diskspd = pair.runs[0].tool == "diskspd"
        if is_diskspd and {*map(_is_new, mine)} != {*map(_is_new, theirs)}:
            version = say("{version} (2.2 counts otherwise)", version=version)
        differ.insert(0, version)
    probe = probe.of(float(len(differ)), 0.0)
    if not differ:
        yield probe.ok(say("{n} options are the same on both sides", n=len(one)))
        return
    why = say(
        "the sides used different options: {differences}",
        differences=listed(differ[:_LISTED], "; "),
    )
    if more := len(differ[_LISTED:]):
        why = say("{said}, and {n} more", said=why, n=more)
    yield probe.suspect(why, say("change one thing only, or state that this is the comparison"))


def _is_new(version: str) -> bool | None:
    """Whether a version of DISKSPD is 2.2 or later; 2.0 and 2.1 count otherwise."""
    numbers = [part for part in version.split(".") if part.isdecimal()]
    return [int(part) for part in numbers[:2]] >= [2, 2] if len(numbers) > 1 else None
