r"""time: three durations with labels, which most shells and ``time -p`` print.

``real 0.09``, ``user 0.00``, ``sys 0.02`` below each other (bash, ksh93, BusyBox, toybox, AIX,
``-p`` of them all) or, by formats of the user's own, in one line; and ``0.09 real 0.00 user 0.02
sys`` with the label behind (mksh, BSD, macOS), below which ``time -l`` of BSD and macOS goes on.

Traps. toybox prints user and sys as seconds, a point, and microseconds *without leading zeros*
(``0.1033`` is 1.033 ms; ``toys/posix/time.c``, 0.8.9), where real has three true decimals. If all
have three, toybox cannot be told from ``TIMEFORMAT``, and user and sys are left out. ``-l`` counts
the peak of memory in bytes on macOS and in KiB on BSD, and prints no unit. Labels of two commands
that ended at once may stand mixed: what is no whole report is noted and left out.
"""

from __future__ import annotations

import re

from fiotools.readers.time.report import (
    END,
    VALUE,
    Duration,
    Found,
    Timing,
    below,
    durations,
    ending,
    line_start,
    timed,
)

_IS = r"(?:[ \t]+|[ \t]*[:=][ \t]*)"
# lines may have been joined with nothing between: "0m0.600suser"
_LABEL = re.compile(
    rf"([Rr]eal|elapsed|[Uu]ser|[Ss]ys(?:tem)?){_IS}({VALUE}|[.,][0-9]{{1,9}}s?)"
    rf"(?:(?<=s)(?=[Uu]ser|[Ss]ys)|{END})"
)
_WHOLE, _MOST = ["real", "user", "sys"], 12  # labels
_BESIDE = re.compile(r"(?:[ \t]+|[ \t]*[^\w\s.:=+-]{1,2}[ \t]*|[ \t]*->[ \t]*|(?<=s))(?=[A-Za-z])")
_THEN = r"(?:[ \t]+|[ \t]*,[ \t]*)"
_NEXT = rf"{_IS}{VALUE} ?real{_THEN}{VALUE} ?user{_THEN}{VALUE} ?sys(?:tem)?"
# with a value behind the last label, that one and all others stand before theirs
_BEHIND = re.compile(
    rf"real{_THEN}({VALUE}) ?user{_THEN}({VALUE}) ?sys(?:tem)?{END}"
    rf"(?!(?:{_NEXT}){{0,9}}+{_IS}[0-9])"
)
_VALUE = re.compile(rf"(?<![\w.,:])({VALUE}) ?\Z")
_OF_SYS = re.compile(rf"[Ss]ys(?:tem)?{_IS}\Z")

_COUNT = re.compile(r"([0-9]{1,18})  ?([a-z][a-z ]{3,40}[a-z])(?=[ \t]*(?:\n|\Z))")
_RSS = "maximum resident set size"
_MACOS = {"instructions retired": "", "cycles elapsed": "", "peak memory footprint": ""}
# label of -l: name among the extras; none where the kernels keep no count
_LISTED = {
    _RSS: "",
    "average shared memory size": "",
    "average unshared data size": "",
    "average unshared stack size": "",
    "page reclaims": "minor_faults",
    "page faults": "major_faults",
    "minor page faults": "minor_faults",
    "major page faults": "major_faults",
    "swaps": "",
    "block input operations": "inputs",
    "block output operations": "outputs",
    "messages sent": "",
    "messages received": "",
    "signals received": "",
    "voluntary context switches": "voluntary_switches",
    "involuntary context switches": "involuntary_switches",
    **{label: label.replace(" ", "_") for label in _MACOS},
}


def read(text: str, at: int) -> Found | None:
    """Read a report whose first label (real) is at the position."""
    start = line_start(text, at)
    if start is None or (at and text[at - 1].isalpha()):  # "unreal 5"
        return None
    value = _VALUE.search(text[max(start, at - 40) : at])
    behind = _BEHIND.match(text, at) if value else None
    if value and behind:
        return _behind(text, at - len(value[0]), value[1], behind)
    is_odd = value is not None and not _OF_SYS.search(text[start : at - len(value[0])])
    return _before(text, at, text[start:at], is_odd=is_odd)


def _before(text: str, at: int, prefix: str, *, is_odd: bool) -> Found | None:
    """Read labels that stand before their values; with an odd value more, they may not."""
    here, end, labels, texts = at, at, list[str](), list[str]()
    while here >= 0 and (match := _LABEL.match(text, here)) and len(labels) < _MOST:
        label = {"e": "real", "r": "real", "u": "user", "s": "sys"}[match[1][0].lower()]
        if labels == _WHOLE and label == "real":
            break
        labels.append(label)
        texts.append(match[2])
        end, beside = match.end(), _BESIDE.match(text, match.end())
        here = beside.end() if beside else below(text, end)
    if len(labels) < 2 or labels[0] != "real":
        return None
    begin, status, failed, extras = ending(text, at)
    is_one_line = "\n" not in text[at:end]
    found = durations(texts) if labels == _WHOLE and not (is_odd and is_one_line) else None
    if not found:
        told = " ".join(text[at - len(prefix) if is_odd else at : end].split())
        said = f"not one whole report of time ({told:.80}): left out; paste it as it was printed"
        return begin, end, Timing(None, doubts=(("warning", said),))
    user, sys, doubts = _toybox(texts, found, is_one_line=is_one_line)
    timing = Timing(
        real=found[0].seconds,
        user=user,
        sys=sys,
        exit_status=status,
        failed=failed,
        extras=extras,
        doubts=doubts,
    )
    return begin, end, timing


_Pair = tuple[float | None, float | None, tuple[tuple[str, str], ...]]


def _certain(found: list[Duration]) -> _Pair:
    return found[1].seconds, found[2].seconds, ()


def _toybox(texts: list[str], found: list[Duration], *, is_one_line: bool) -> _Pair:
    """Read user and sys as toybox means them, where the report may be toybox's.

    toybox prints three lines; in one, three decimals each are rather a ``TIMEFORMAT``'s.
    """
    real, *cpu = found
    if real.unit or real.places != 3:
        return _certain(found)
    if any(one.unit or not 3 <= one.places <= 6 for one in cpu):
        return _certain(found)
    if any(one.places > 3 for one in cpu):
        parts = [re.split("[.,]", text) for text in texts[1:]]
        micros = [int(whole) * 10**6 + int(rest) for whole, rest in parts]
        said = "toybox: the decimals of user and sys are microseconds without leading zeros"
        return micros[0] / 10**6, micros[1] / 10**6, (("info", said),)
    if all(one.seconds.is_integer() for one in cpu):
        return _certain(found)
    if is_one_line:
        said = "user and sys are taken for seconds; toybox's would lack zeros: use time -p"
        return cpu[0].seconds, cpu[1].seconds, (("warning", said),)
    user, sys = (one.seconds if one.seconds.is_integer() else None for one in cpu)
    said = "user and sys may be toybox's, whose decimals lack zeros: left out; use time -p"
    return user, sys, (("warning", said),)


def _behind(text: str, at: int, real: str, match: re.Match[str]) -> Found | None:
    """Read labels that stand behind their values, and the list of ``-l``."""
    found = durations((real, match[1], match[2]))
    if not found:
        return None
    begin, status, failed, extras = ending(text, at)
    start = line_start(text, at) or 0
    end, counts, columns = match.end(), dict[str, int](), 0
    while (here := below(text, end)) >= 0:
        count = _COUNT.match(text, here)
        if not count or count[2] not in _LISTED or count[2] in counts:
            break
        end, counts[count[2]] = count.end(), int(count[1])
        if count[2] == _RSS:
            # %9ld.%02ld above; %20ld on macOS, %10ld elsewhere and long ago
            columns = count.end(1) - (line_start(text, here) or 0) - (at + len(real) - start) + 12
    rss, doubts = _peak(counts, columns)
    listed = tuple((_LISTED[label], str(n)) for label, n in counts.items() if _LISTED[label])
    timing = timed(
        found,
        max_rss_bytes=rss,
        exit_status=status,
        failed=failed,
        extras=(*extras, *listed),
        doubts=doubts,
    )
    return begin, end, timing


def _peak(counts: dict[str, int], columns: int) -> tuple[int | None, tuple[tuple[str, str], ...]]:
    """Give the peak of memory in bytes, where the list tells its unit."""
    peak = counts.get(_RSS)
    if not peak:  # 0: not measured
        return None, ()
    if columns == 20 or _MACOS.keys() & counts.keys():
        return peak, ()
    # bytes are whole pages
    if "minor page faults" in counts or peak % 4096:
        return (peak * 1024 if peak < 2**53 else None), ()
    said = f"{_RSS} {peak}: bytes (macOS) or KiB (BSD), the report does not tell: left out"
    return None, (("warning", said),)
