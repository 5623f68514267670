"""``Results/Profile`` of DISKSPD's XML: elements, to conditions and settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fiotools.readers.diskspd import options
from fiotools.readers.diskspd.elements import Element


def read_profile(root: Element) -> Iterator[options.Asked]:
    """Read what each time span was asked to do."""
    for profile in root.all("Profile")[:1]:
        common = profile.said(skip=("TimeSpans",))
        for span in profile.below("TimeSpans").all("TimeSpan"):
            own = [(path.removeprefix("Targets/"), value) for path, value in span.said()]
            given = span.below("Targets").all("Target")
            targets = [(target.text("Path") or "", _conditions(target)) for target in given]
            pool, per_thread = span.whole("ThreadCount"), span.whole("RequestCount")
            asked = options.plan(targets, [*common, *own], pool, per_thread)
            # a profile (-X) may give each thread of a pool targets of its own
            apart = any(target.all("ThreadTargets") for target in given)
            yield replace(asked, each=None) if apart else asked


def _conditions(target: Element) -> options.Conditions:
    write_pct = target.number("WriteRatio")
    ratio = target.number("RandomRatio")
    random = True if target.all("Random") else None
    if random is None and target.all("StrideSize"):
        random = False
    return {
        # RandomRatio (-rs) mixes random and sequential, for which fio's rw has no word
        "rw": options.pattern(random if ratio in (None, 0.0, 100.0) else None, write_pct),
        "bs_bytes": target.whole("BlockSize"),
        "iodepth": target.whole("RequestCount"),
        "numjobs": target.whole("ThreadsPerFile"),
        "direct": _direct(target),
        "rwmixread_pct": options.mix(write_pct),
        "size_bytes": target.whole("FileSize"),
    }


def _direct(target: Element) -> bool | None:
    if "true" in (target.text("DisableOSCache"), target.text("DisableAllCache")):
        return True
    return None if target.text("DisableLocalCache") == "true" else False
