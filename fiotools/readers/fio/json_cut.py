"""Texts cut out of fio documents: what is left is the same for all runs of one kind.

A fleet's documents differ in their numbers, and in names, options and dates. With these cut out,
and without digits, the documents of a thousand runs are equal byte for byte: they have the same
keys in the same order, and numbers of the same kind at the same places.
"""

from __future__ import annotations

BEGINS = b'{\n  "fio version" : "fio-'
CUT = b"\0"  # stands where something was cut out

_DIGITS = b"0123456789"
_TIME, _JOBS, _SHARED = b'"time" : "', b'"jobs" : [', b'"global options" : {'
_NAME, _OWN, _DISK = b'"jobname" : "', b'"job options" : {', b'"name" : "'
_RARE = b'jobname"'  # bytes that are seldom beside each other are found sooner


def cut(data: bytes) -> tuple[bytes, list[bytes]] | None:
    r"""Cut the texts out; None if the document is not of the usual layout.

    What a text is of depends on what stands around it in the rest, which is not looked at here.

    Examples
    --------
    >>> rest, texts = cut(b'{\n  "fio version" : "fio-3.33",\n  "jobs" : [\n  ]\n}')
    >>> rest, texts
    (b'{\n  "fio version" : "fio-\x00",\n  "jobs" : [\n  ]\n}', [b'3.33'])
    """
    find = data.find
    jobs = find(_JOBS)
    if jobs < 0 or not data.startswith(BEGINS):
        return None
    start = len(BEGINS)
    end = find(b'"', start)
    texts, kept = [data[start:end]], [BEGINS]
    for key, stop in ((_TIME, b'"'), (_SHARED, b"}")):
        start = find(key, end, jobs)
        if start >= 0:
            start += len(key)
            kept.append(data[end:start])
            end = find(stop, start)
            texts.append(data[start:end])
    start = find(_RARE, max(end, jobs))
    while start >= 0 and end >= 0:
        start += len(_NAME) - 1
        name = find(b'"', start)
        own = find(_OWN, name) + len(_OWN)
        if name < 0 or own < len(_OWN):
            return None
        kept += data[end:start], data[name:own]
        end = find(b"}", own)
        texts += data[start:name], data[own:end]
        start = find(_RARE, end)
    # the last list of all is that of the jobs, if no disks are listed behind it
    start = data.rfind(b"[")
    if start > end >= 0:
        start = find(_DISK, start)
        while start >= 0 and end >= 0:
            start += len(_DISK)
            kept.append(data[end:start])
            end = find(b'"', start)
            texts.append(data[start:end])
            start = find(_DISK, end)
    if end < 0:
        return None
    kept.append(data[end:])
    rest = CUT.join(kept)
    # without a backslash every quotation mark opens or closes a text
    return None if b"\\" in rest else (rest, texts)


def skeleton(rest: bytes) -> bytes:
    """Give what is left without its numbers."""
    return rest.translate(None, _DIGITS)
