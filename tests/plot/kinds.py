"""Every kind of plot with as many levels and runs as asked, and what is on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

import fiotools as ft

SHARES = (50.0, 90.0, 99.0, 99.9)
# what `explain` says of two sides
PARTS = pd.DataFrame(
    {
        "fs": "xfs",
        "baseline": "ext4",
        "metric": "iops",
        "part": ["inflight", "device"],
        "n": 3,
        "n_baseline": 3,
        "seconds": [None, 2e-4],
        "log_ratio": np.log([4.0, 0.5]),
        "ratio": [4.0, 0.5],
        "share_pct": [200.0, -100.0],
        "verdict": ["cause", "part"],
    }
)


def runs(names: Sequence[Any], rounds: int, scale: Sequence[float] | None = None) -> pd.DataFrame:
    """A row per level and run; ``scale`` multiplies the levels."""
    rng = np.random.default_rng(3)
    rows = []
    for at, name in enumerate(names):
        factor = scale[at] if scale else 1 + at / len(names)
        for one in range(rounds):
            noise = rng.lognormal(0, 0.03)
            rows.append(
                {
                    "device": name,
                    "source": f"{name}-{one}.json",
                    "run": 1,
                    "round": one,
                    "iops": 1e4 * factor * noise,
                    "bw_bytes_per_s": 4e7 * factor * noise,
                    "lat_mean_ns": 1e5 * factor * noise,
                    "lat_stddev_ns": 3e4 * factor,
                    "real_s": 10 * factor * noise,
                    "user_s": 1 * factor,
                    "sys_s": 2 * factor,
                }
            )
    return pd.DataFrame(rows)


def means(frame: pd.DataFrame) -> pd.DataFrame:
    """The mean of each level's runs; one run stays as it is."""
    if frame["device"].is_unique:
        return frame
    found = frame.groupby("device", sort=False).mean(numeric_only=True).reset_index()
    return found.drop(columns=["run", "round"]).assign(n=len(frame) // len(found))


def swept(frame: pd.DataFrame) -> pd.DataFrame:
    """The runs at five queue depths."""
    return pd.concat(
        frame.assign(
            iodepth=depth,
            source=frame["source"] + str(depth),
            iops=frame["iops"] * depth / (1 + depth / 8),
            lat_mean_ns=frame["lat_mean_ns"] * (1 + depth / 8),
        )
        for depth in (1, 4, 16, 64, 128)
    )


def tail(frame: pd.DataFrame) -> pd.DataFrame:
    """Four percentiles of each run."""
    return pd.concat(
        frame.assign(
            latency="clat",
            direction="read",
            percentile=share,
            value_ns=frame["lat_mean_ns"] * (1 + at**2),
        )
        for at, share in enumerate(SHARES)
    )


def histograms(frame: pd.DataFrame) -> pd.DataFrame:
    """The bins of each level, added up over its runs."""
    return pd.concat(
        means(frame)[["device", "lat_mean_ns"]].assign(
            latency="clat",
            direction="read",
            bin_lo_ns=lambda own, at=at: own["lat_mean_ns"] * 1.5**at,
            bin_hi_ns=lambda own, at=at: own["lat_mean_ns"] * 1.5 ** (at + 1),
            count=count,
        )
        for at, count in enumerate((500, 300, 150, 50))
    )


def against_the_first(frame: pd.DataFrame) -> Any:
    """A comparison of each level with a baseline of its own."""
    both = pd.concat(
        [
            frame.assign(place="old", source="old" + frame["source"]),
            frame.assign(place="new", iops=frame["iops"] * 1.3),
        ]
    )
    return ft.compare(both, "iops", between="place", baseline="old", by="device")


def threads(frame: pd.DataFrame) -> pd.DataFrame:
    """Four threads of each level."""
    own = means(frame).assign(run=1, source="x")
    return pd.concat(own.assign(thread=at, iops=own["iops"] * (1 + at / 9)) for at in range(4))


def ratios_of_tails(frame: pd.DataFrame) -> pd.DataFrame:
    """The ratio of each level at four percentiles, with its interval."""
    return pd.DataFrame(
        [
            {
                "percentile": share,
                "device": name,
                "baseline": "old",
                "ratio": 1.1 + at / 30 + share / 200,
                "ratio_lo": 1.0 + at / 30 + share / 200,
                "ratio_hi": 1.2 + at / 30 + share / 200,
            }
            for at, name in enumerate(frame["device"].unique())
            for share in SHARES
        ]
    )


def samples(frame: pd.DataFrame) -> pd.DataFrame:
    """The IOPS of each level in each of 20 seconds."""
    noise = np.random.default_rng(7).lognormal(0, 0.05, 21)
    return pd.concat(
        means(frame)[["device", "iops"]]
        .rename(columns={"iops": "value"})
        .assign(run=1, direction="read", quantity="iops", time_s=float(second))
        .assign(value=lambda own, at=second: own["value"] * noise[at])
        for second in range(1, 21)
    )


def checks(frame: pd.DataFrame) -> pd.DataFrame:
    """Three checks of each run, two of which it does not pass."""
    return pd.concat(
        frame[["device", "source", "run"]].assign(
            check=check,
            verdict=verdict,
            finding=f"{check}.made",
            details=None,
            remedy="name the link",
            why=f"{check} of 3.9 times",
        )
        for check, verdict in (("link", "impossible"), ("cache", "suspect"), ("size", "ok"))
    )


def bins_over_time(frame: pd.DataFrame) -> pd.DataFrame:
    """The histogram of a second for each run."""
    own = histograms(runs(["a"], 1)).drop(columns="device")
    return pd.concat(own.assign(time_s=second + 1.0) for second in range(len(frame)))


# how each kind is drawn; what is named goes to the plot
KINDS: dict[str, Callable[..., Any]] = {
    "repeats-hue": lambda f, **named: ft.plot.repeats(
        means(f).assign(host="a"), "iops", y="host", hue="device", **named
    ),
    "repeats-log": lambda f, **named: ft.plot.repeats(
        means(f), "iops", y="device", log=True, **named
    ),
    "repeats-slowest": lambda f, **named: ft.plot.repeats(
        means(f).assign(lat_max_ns=lambda own: 9 * own["lat_mean_ns"]),
        "lat_mean_ns",
        y="device",
        to="lat_max_ns",
        **named,
    ),
    "ratios": lambda f, **named: ft.plot.ratios(against_the_first(f), **named),
    "repeats": lambda f, **named: ft.plot.repeats(f, "iops", y="device", **named),
    "sweep": lambda f, **named: ft.plot.sweep(swept(f), "iops", x="iodepth", hue="device", **named),
    "sweep-both": lambda f, **named: ft.plot.sweep(
        swept(f), ["iops", "lat_mean_ns"], x="iodepth", hue="device", limit="120us", **named
    ),
    "grid": lambda f, **named: ft.plot.grid(swept(f), "iops", x="iodepth", y="device", **named),
    "fairness": lambda f, **named: ft.plot.fairness(threads(f), y="device", **named),
    "percentiles": lambda f, **named: ft.plot.percentiles(tail(f), hue="device", **named),
    "percentiles-rows": lambda f, **named: ft.plot.percentiles(
        tail(means(f)), y="device", means=means(f), **named
    ),
    "tails": lambda f, **named: ft.plot.tails(ratios_of_tails(f), **named),
    "cdf": lambda f, **named: ft.plot.cdf(histograms(f), hue="device", **named),
    "heatmap": lambda f, **named: ft.plot.heatmap(bins_over_time(f), **named),
    "series": lambda f, **named: ft.plot.series(samples(f), "iops", hue="device", **named),
    "series-steady": lambda f, **named: ft.plot.series(
        samples(f[f["device"] == f["device"].iloc[0]]), steady=True, round_s=4, **named
    ),
    "threads": lambda f, **named: ft.plot.threads(samples(f), "iops", y="device", **named),
    "timings": lambda f, **named: ft.plot.timings(means(f), y="device", **named),
    "parts": lambda _, **named: ft.plot.parts(PARTS, **named),
    "credibility": lambda f, **named: ft.plot.credibility(checks(f), y="device", **named),
}


def said(ax: Axes) -> str:
    """All that is written below Axes: the label, and the notes of the figure."""
    figure = figure_of(ax)
    return f"{ax.get_xlabel()}\n{figure.get_supxlabel()}".replace("\n", " ").strip()


def figure_of(drawn: Any) -> Figure:
    ax = drawn if isinstance(drawn, Axes) else np.ravel(drawn)[0]
    return ax.get_figure(root=True)


def texts(figure: Figure) -> list[tuple[Text, Bbox]]:
    """Everything that is written on a figure, and where."""
    figure.canvas.draw()
    hidden = set()
    for ax in figure.findobj(Axes):
        for axis in (ax.xaxis, ax.yaxis):
            shown = {id(tick.label1) for tick in axis._update_ticks()} if ax.axison else set()
            hidden |= {
                id(tick.label1)
                for tick in [*axis.majorTicks, *axis.minorTicks]
                if id(tick.label1) not in shown
            }
    return [
        (text, text.get_window_extent())
        for text in figure.findobj(Text)
        if text.get_text().strip() and text.get_visible() and id(text) not in hidden
    ]


def faults(figure: Figure) -> list[str]:
    """Say which words are off the figure or on top of others."""
    whole, found = figure.bbox, []
    written = texts(figure)
    for text, box in written:
        if min(box.x0, box.y0) < -1 or box.x1 > whole.x1 + 1 or box.y1 > whole.y1 + 1:
            found.append(f"off the figure: {text.get_text()!r}")
    for (one, box), (other, beside) in combinations(written, 2):
        if one.get_rotation() == other.get_rotation() == 45:  # boxes meet where words do not
            box, beside = beginning(one, box), beginning(other, beside)
        wide = min(box.x1, beside.x1) - max(box.x0, beside.x0)
        high = min(box.y1, beside.y1) - max(box.y0, beside.y0)
        if wide > 1 and high > 0.25 * min(box.height, beside.height):
            found.append(f"on each other: {one.get_text()!r}, {other.get_text()!r}")
    return found


def beginning(text: Text, box: Bbox) -> Bbox:
    """Give the box that a slanted line is as high as wide in, at its beginning."""
    figure = text.get_figure(root=True)
    assert figure is not None
    high = 1.5 * float(text.get_fontsize()) * figure.dpi / 72
    return Bbox.from_bounds(box.x0, box.y0, high, high)
