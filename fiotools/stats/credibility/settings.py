"""What the two sides of a comparison were not asked alike."""

from __future__ import annotations

from collections.abc import Iterator

from fiotools.spelling import argument
from fiotools.stats.credibility.finding import Finding
from fiotools.stats.credibility.known import Known
from fiotools.stats.credibility.pairs import Pair
from fiotools.stats.credibility.runs import Run

_BASIS = "the options of both reports"
# where the files lie is what a comparison is about
_PLACES = ("filename", "directory", "of", "if", "Path", "path", "name", "output")
_LISTED = 5


def unsided(known: Known) -> Finding:
    """Say what is missing where a run has no other side."""
    if known.between is None:
        why = "whether a layer, a mirror or a cache made the difference is not asked: no sides"
        remedy = (
            f"name the sides with {argument('between')} and {argument('baseline')}, "
            f"and what they are with {argument('sides')}"
        )
    else:
        why = f"no run of {known.between}={known.baseline} has the same direction and conditions"
        remedy = "measure the baseline alike"
    return Finding("sides", "run", "unknown", why, _BASIS, remedy)


def settings(pair: Pair, known: Known) -> Iterator[Finding]:
    """Name the options and versions that differ between a level and its baseline."""
    del known
    one, other = _options(pair.run), _options(pair.baseline)
    if not one or not other:
        if pair.row is not None:
            why = "whether both sides had the same options is not in the reports"
            remedy = "keep the job files or the command lines beside the reports"
            yield Finding("sides", pair.subject, "unknown", why, _BASIS, remedy)
        return
    differ = [
        f"{name} is {one.get(name, 'not given')} against {other.get(name, 'not given')}"
        for name in dict.fromkeys([*one, *other])
        if one.get(name) != other.get(name)
    ]
    mine, theirs = pair.run.head["tool_version"], pair.baseline.head["tool_version"]
    if mine != theirs:
        differ.insert(0, f"the version is {mine} against {theirs}")
        if pair.run.tool == "diskspd" and _is_new(mine) != _is_new(theirs):
            differ[0] += " (2.2 counts otherwise)"
    if not differ:
        why = f"{len(one)} options are the same on both sides"
        yield Finding("sides", pair.subject, "ok", why, _BASIS, None, 0.0, 0.0)
        return
    more = f", and {len(differ) - _LISTED} more" if len(differ) > _LISTED else ""
    why = f"the sides were not asked alike: {'; '.join(differ[:_LISTED])}{more}"
    remedy = "change one thing only, or say that this is what is compared"
    yield Finding("sides", pair.subject, "suspect", why, _BASIS, remedy, float(len(differ)), 0.0)


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
