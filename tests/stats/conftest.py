"""The same rows as a pandas and as a polars frame, and the articles' numbers."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest

from fiotools.display import verdicts


def _rows(frame) -> list[dict]:
    """Give a frame's rows as plain dicts, missing values as None.

    Rows of an answer also have its words: the sentences of its flags as ``told``, and the verdict
    in ``words``.
    """
    rows = frame.to_dict("records") if isinstance(frame, pd.DataFrame) else frame.to_dicts()
    found = [
        {k: None if v is None or v is pd.NA or v != v else v for k, v in row.items()}
        for row in rows
    ]
    for row in found if "details" in frame.columns else ():
        told = "; ".join(text for _, text in verdicts.cautions(row)) or None
        row |= {"told": told, "words": verdicts.verdict(row) if row.get("verdict") else None}
    return found


@pytest.fixture
def rows():
    return _rows


@pytest.fixture(params=["pandas", "polars"])
def make(request):
    """Build a frame of either type from columns of equal length; single values are repeated."""

    def build(**columns):
        size = max((len(c) for c in columns.values() if isinstance(c, list)), default=1)
        full = {k: c if isinstance(c, list) else [c] * size for k, c in columns.items()}
        return pd.DataFrame(full) if request.param == "pandas" else pl.DataFrame(full, strict=False)

    return build


# article 002: (direction, thread, bytes, I/Os, I/O per s, AvgLat ms, LatStdDev ms) as printed
DISKSPD = {
    "nvme": [
        ("total", 0, 39494254592, 9642152, 80350.16, 0.397, 0.105),
        ("total", 1, 39487418368, 9640483, 80336.25, 0.397, 0.090),
        ("total", None, 78981672960, 19282635, 160686.40, 0.397, 0.097),
        ("read", 0, 23701483520, 5786495, 48220.13, 0.429, 0.106),
        ("read", 1, 23695867904, 5785124, 48208.70, 0.429, 0.092),
        ("read", None, 47397351424, 11571619, 96428.83, 0.429, 0.099),
        ("write", 0, 15792771072, 3855657, 32130.03, 0.350, 0.082),
        ("write", 1, 15791550464, 3855359, 32127.55, 0.350, 0.062),
        ("write", None, 31584321536, 7711016, 64257.58, 0.350, 0.073),
    ],
    "vhdx": [
        ("total", 0, 18685411328, 4561868, 38010.73, 0.841, 0.456),
        ("total", 1, 24736432128, 6039168, 50320.00, 0.635, 0.395),
        ("total", None, 43421843456, 10601036, 88330.73, 0.724, 0.434),
        ("read", 0, 11210981376, 2737056, 22805.90, 0.735, 0.382),
        ("read", 1, 14839906304, 3623024, 30188.03, 0.539, 0.321),
        ("read", None, 26050887680, 6360080, 52993.93, 0.623, 0.362),
        ("write", 0, 7474429952, 1824812, 15204.83, 0.999, 0.509),
        ("write", 1, 9896525824, 2416144, 20131.97, 0.780, 0.447),
        ("write", None, 17370955776, 4240956, 35336.81, 0.875, 0.487),
    ],
    "mirror": [
        ("total", 0, 9261477888, 2261103, 18841.34, 1.696, 1.383),
        ("total", 1, 21545037824, 5260019, 43830.73, 0.729, 0.710),
        ("total", None, 30806515712, 7521122, 62672.07, 1.020, 1.060),
        ("read", 0, 5554102272, 1355982, 11299.14, 1.499, 1.234),
        ("read", 1, 12925665280, 3155680, 26295.68, 0.594, 0.605),
        ("read", None, 18479767552, 4511662, 37594.82, 0.866, 0.941),
        ("write", 0, 3707375616, 905121, 7542.20, 1.991, 1.534),
        ("write", 1, 8619372544, 2104339, 17535.06, 0.932, 0.801),
        ("write", None, 12326748160, 3009460, 25077.26, 1.251, 1.180),
    ],
}


def _article_002(make, threads):
    flat = [
        (volume, entry, *row)
        for volume, table in DISKSPD.items()
        for entry, row in enumerate(table, start=1)
        if (row[1] is not None) == threads
    ]
    volume, entry, direction, thread, size, ios, iops, mean, stddev = map(
        list, zip(*flat, strict=True)
    )
    return make(
        volume=volume,
        source=[f"{v}.txt" for v in volume],
        run=1,
        entry=entry,
        **({"thread": thread} if threads else {}),
        direction=direction,
        bs_bytes=4096,
        iodepth=32,
        clones=1 if threads else 2,
        io_bytes=size,
        total_ios=ios,
        iops=iops,
        lat_mean_ns=[1e6 * m for m in mean],
        lat_stddev_ns=[1e6 * s for s in stddev],
        iops_stddev=100.0,
    )


@pytest.fixture
def diskspd(make):
    """What DISKSPD printed of the runs of article 002, totals too: 9 rows."""
    return _article_002(make, threads=False)


@pytest.fixture
def threads(make):
    """What it printed of their threads: 18 rows."""
    return _article_002(make, threads=True)


@pytest.fixture
def lima(make):
    """The IOPS table of article 004: five runs per mount."""
    return make(
        mount=["sshfs"] * 5 + ["9p"] * 5 + ["virtiofs"] * 5,
        read_iops=[
            *(1495, 1772, 1702, 1764, 1771),
            *(5814, 5703, 8916, 9037, 8910),
            *(9645, 7716, 7740, 7747, 7565),
        ],
        write_iops=[
            *(2755, 604, 3279, 2919, 1939),
            *(4839, 4143, 4493, 4972, 5026),
            *(2265, 4481, 4575, 4542, 4314),
        ],
        mixed_read_iops=[
            *(1037, 1172, 1135, 1153, 1139),
            *(4030, 3819, 3797, 3923, 3965),
            *(4207, 3874, 3761, 3806, 3681),
        ],
        mixed_iops=[
            *(1037 + 443, 1172 + 503, 1135 + 487, 1153 + 495, 1139 + 488),
            *(4030 + 1729, 3819 + 1637, 3797 + 1628, 3923 + 1682, 3965 + 1699),
            *(4207 + 1805, 3874 + 1662, 3761 + 1614, 3806 + 1633, 3681 + 1579),
        ],
    )


@pytest.fixture
def tarball(make):
    """The times of article 004: three runs per mount."""
    return make(
        mount=["sshfs"] * 3 + ["9p"] * 3 + ["virtiofs"] * 3,
        real_s=[15.758, 15.996, 15.586, 34.567, 29.186, 32.770, 6.130, 5.259, 5.370],
    )
