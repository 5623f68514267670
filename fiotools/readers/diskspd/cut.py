"""The buckets of DISKSPD's XML, taken out of a file before it is decoded and parsed.

With ``-D`` nearly all of a file is buckets: lines that differ in their digits alone, and which
`diskspd_numbers` reads much faster than a parser of XML. Here they are found and nothing is judged:
each run of them leaves a mark in its place, and the ends of its lines, so that everything else
stands in the line in which it stood. Whoever reads the marks asks `diskspd_buckets` whether the
runs are what they look like; if not, the whole file is read as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEAD = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,99}<Results>\s{0,99}<(?:System|Profile|TimeSpan)>")
_BUCKET, _CURVE = b"<Bucket", b"<Bucket>"  # of -D; of the percentiles
_IOPS_END, _LATENCY_END = b"</Iops>", b"</Latency>"
NUMBER = "Cut"  # the attribute of a mark: which run stood there


@dataclass(frozen=True)
class Cut:
    """A file whose buckets were cut out.

    Attributes
    ----------
    data : bytes
        The whole file.
    rest : bytes
        The file with marks in the place of buckets; there are no other elements of that name.
    runs : list of (start, end)
        What each mark stands for: from a bucket to the end of the element that holds it.
    """

    data: bytes
    rest: bytes
    runs: list[tuple[int, int]]


def cut(data: bytes) -> Cut | None:
    r"""Cut the buckets out of a file; None if it does not begin as XML of DISKSPD.

    Examples
    --------
    >>> one = b'<Bucket SampleMillisecond="1000" Read="1" Write="2" Total="3"/>\n'
    >>> cut(b"<Results>\n<System>\n<Iops>\n" + 2 * one + b"</Iops>").rest
    b'<Results>\n<System>\n<Iops>\n<Bucket Cut="0"/>\n\n</Iops>'
    """
    if not _HEAD.match(data):
        return None
    parts: list[bytes] = []
    runs: list[tuple[int, int]] = []
    at = 0
    while (start := data.find(_BUCKET, at)) >= 0:
        end = data.find(_LATENCY_END if data.startswith(_CURVE, start) else _IOPS_END, start)
        if end < 0:
            return None
        mark = f'<Bucket {NUMBER}="{len(runs)}"/>'.encode()
        parts += data[at:start], mark, b"\n" * data.count(b"\n", start, end)
        runs.append((start, end))
        at = end
    parts.append(data[at:])
    return Cut(data, b"".join(parts), runs)
