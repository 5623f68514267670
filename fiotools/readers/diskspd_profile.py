"""``Results/Profile`` of DISKSPD's XML: elements, to conditions and settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fiotools.readers import diskspd_options as options
from fiotools.readers.diskspd_elements import Element, leaves, number, text, whole


def read_profile(root: Element) -> Iterator[options.Asked]:
    """Read what each time span was asked to do."""
    profile = root.find("Profile")
    if profile is None:
        return
    common = [*leaves(profile, skip=("TimeSpans",))]
    for span in profile.iterfind("TimeSpans/TimeSpan"):
        own = [(path.removeprefix("Targets/"), value) for path, value in leaves(span)]
        targets = [
            (text(target, "Path") or "", _conditions(target))
            for target in span.iterfind("Targets/Target")
        ]
        pool, per_thread = whole(span, "ThreadCount"), whole(span, "RequestCount")
        asked = options.plan(targets, [*common, *own], pool, per_thread)
        # a profile (-X) may give each thread of a pool targets of its own
        apart = span.find("Targets/Target/ThreadTargets") is not None
        yield replace(asked, each=None) if apart else asked


def _conditions(target: Element) -> options.Conditions:
    write_pct = number(target, "WriteRatio")
    ratio = number(target, "RandomRatio")
    random = True if target.find("Random") is not None else None
    if random is None and target.find("StrideSize") is not None:
        random = False
    return {
        # RandomRatio (-rs) mixes random and sequential, for which fio's rw has no word
        "rw": options.pattern(random if ratio in (None, 0.0, 100.0) else None, write_pct),
        "bs_bytes": whole(target, "BlockSize"),
        "iodepth": whole(target, "RequestCount"),
        "numjobs": whole(target, "ThreadsPerFile"),
        "direct": _direct(target),
        "rwmixread_pct": options.mix(write_pct),
        "size_bytes": whole(target, "FileSize"),
    }


def _direct(target: Element) -> bool | None:
    if "true" in (text(target, "DisableOSCache"), text(target, "DisableAllCache")):
        return True
    return None if text(target, "DisableLocalCache") == "true" else False
