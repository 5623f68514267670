"""The byte budget: what was moved is in memory, or it went over the link.

Bytes that are moved again and again count once, so the size of the file bounds them. Everything
stands on the longest time there is: of the tool, or of the `time` around it.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import expm1

from fiotools.hints import argument
from fiotools.language import listed, say
from fiotools.stats.check.evidence import Evidence
from fiotools.stats.check.finding import Finding
from fiotools.stats.check.flows import Flow, flows
from fiotools.stats.check.runs import Run
from fiotools.units import human

_BASIS = "bytes moved <= memory of the guest + memory of the host + link x seconds"
# what keeps I/Os to a part of the file
_CORNERS = (
    *(
        "zonemode",
        "zonesize",
        "zonerange",
        "percentage_random",
        "rw_sequencer",
        "read_iolog",
        "-rd",
    ),
)


def budget(run: Run, known: Evidence) -> Iterator[Finding]:
    """Ask where the bytes of each direction can have been."""
    if known.is_memory:
        return
    ways: dict[str, list[Flow]] = {}
    for flow in flows(run, known):
        if flow.direction != "total" and not flow.subject.endswith("all jobs"):
            ways.setdefault(flow.direction, []).append(flow)
    for several in ways.values():
        # of many jobs the one that is hardest to account for
        yield _spent(run, max(several, key=lambda flow: _unexplained(run, flow, known)), known)


def _unexplained(run: Run, flow: Flow, known: Evidence) -> float:
    return (_distinct(run, flow) or 0.0) - (known.carried or 0.0) * (_longest(run, flow) or 0.0)


def _spent(run: Run, flow: Flow, known: Evidence) -> Finding:
    distinct, took = _distinct(run, flow), _longest(run, flow)
    terms = {
        say("the guest's memory ({ram})", ram=argument("ram")): known.ram,
        say("the link ({link})", link=argument("link")): known.carried,
        say(
            "the host's memory ({host_ram}; 0 if there is no host)", host_ram=argument("host_ram")
        ): known.host_ram,
    }
    missing = listed(name for name, value in terms.items() if value is None)
    ask = say("not known: {missing}", missing=missing)
    if distinct is None or not took:
        why = say("how many different bytes were moved is not in the report: no size of the file")
        remedy = say("keep the size of the file, and the whole output")
        return Finding("budget", flow.subject, "unknown", why, _BASIS, remedy)
    words = {"moved": human(distinct, "B"), "time": human(took, "s")}
    if known.ram is None or known.carried is None:
        why = say("where {moved} were within {time} cannot be accounted for", **words)
        return Finding("budget", flow.subject, "unknown", why, _BASIS, ask, distinct, unit="B")
    carried = known.carried * took
    words |= {"ram": human(known.ram, "B"), "carried": human(carried, "B")}
    if known.host_ram:
        said = say(
            "of {moved} the guest holds at most {ram} of memory, the host {host}, and the link "
            "carries {carried} in {time}",
            host=human(known.host_ram, "B"),
            **words,
        )
    else:
        said = say(
            "of {moved} the guest holds at most {ram} of memory, and the link carries {carried} "
            "in {time}",
            **words,
        )
    limit = known.ram + carried + (known.host_ram or 0.0)
    figures = (distinct, limit, "B")
    rest = distinct - limit
    if rest <= 0.01 * distinct:
        return Finding("budget", flow.subject, "ok", said, _BASIS, None, *figures)
    left = {"said": said, "rest": human(rest, "B"), "share": f"{100 * rest / distinct:.0f}"}
    if known.host_ram is None:
        why = say(
            "{said}: at least {rest} ({share} %) were neither there nor on the link, but in the "
            "memory of a host, or nowhere",
            **left,
        )
        look = say("look at the size of the virtual disk, and count the bytes at the device")
        remedy = listed([ask, look], "; ")
        return Finding("budget", flow.subject, "suspect", why, _BASIS, remedy, *figures)
    why = say("{said}: at least {rest} ({share} %) were never stored nor read", **left)
    remedy = say("use random data, prefill the file, and count the bytes at the device")
    return Finding("budget", flow.subject, "impossible", why, _BASIS, remedy, *figures)


def _distinct(run: Run, flow: Flow) -> float | None:
    """Bound the different bytes from below, whatever was moved again and again.

    Jobs may have a file each or share one, so that what one of them moved is all that is certain.
    Uniformly random I/O of n bytes in a file of s reaches s (1 - exp(-n / s)) of it; other patterns
    may stay in a corner of the file.
    """
    row = flow.row
    if row is None or run.tool == "dd":
        return flow.moved
    size, jobs = row["size_bytes"], 1 if row["scope"] == "job" else row["numjobs"]
    if not size or flow.moved is None or not jobs or row["rw"] is None:
        return None
    if any(run.option(row["entry"], name) not in (None, "0", "none") for name in _CORNERS):
        return None
    if any("Distribution" in name for name in run.all_options()):  # DISKSPD's
        return None
    each = flow.moved / jobs
    if "rand" not in row["rw"]:
        return float(min(each, size))
    if run.option(row["entry"], "random_distribution") not in (None, "random"):
        return None
    return float(size * -expm1(-each / size)) if run.tells_options(row["entry"]) else None


def _longest(run: Run, flow: Flow) -> float | None:
    real = run.timing["real_s"] if run.timing else None
    known = [seconds for seconds in (flow.seconds, real) if seconds]
    return max(known) if known else None
