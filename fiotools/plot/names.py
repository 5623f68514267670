"""What people call plots and their arguments elsewhere, and which of ours they mean.

The names are for hints only: no plot and no argument has two names.
"""

from collections.abc import Mapping, Sequence

METRICS = ("metric", "latency", "quantity")  # arguments that name what is drawn
_CURVES = ("hue", "y")

# by the name of an argument: of these, the first that a kind takes
ARGUMENTS: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("between", "group", "color", "colour", "label"), _CURVES),
    **dict.fromkeys(("y", "value", "column", *METRICS), METRICS),
    **dict.fromkeys(("col", "row", "panels", "facet"), ("by",)),
    **dict.fromkeys(("axes", "axis", "figure"), ("ax",)),
    **dict.fromkeys(("limit", "limits", "ceiling"), ("ceilings", "limit")),
    **dict.fromkeys(("logx", "logy", "scale"), ("log",)),
    "name": ("title",),
    "speedup": ("faster",),
}

# by the name of a plot: the kinds
MEANT: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("line", "lines", "plot", "lineplot"), ("series", "sweep")),
    **dict.fromkeys(("bar", "bars", "barplot", "barh"), ("throughput", "repeats", "timings")),
    **dict.fromkeys(("times", "time", "timing", "cpu"), ("timings", "series")),
    **dict.fromkeys(("box", "boxplot", "violin", "violinplot", "strip"), ("repeats",)),
    **dict.fromkeys(("runs", "rows", "points", "scatter"), ("repeats",)),
    **dict.fromkeys(("hist", "histogram", "histograms", "ecdf"), ("cdf", "heatmap")),
    **dict.fromkeys(("distribution", "distributions", "kde"), ("cdf", "percentiles")),
    **dict.fromkeys(("thread", "threads", "per_thread", "shares"), ("fairness",)),
    **dict.fromkeys(("compare", "comparison", "comparisons", "speedup"), ("ratios",)),
    **dict.fromkeys(("check", "checks"), ("credibility",)),
    **dict.fromkeys(("iops", "bw", "bandwidth"), ("throughput", "repeats")),
    **dict.fromkeys(("lat", "latencies"), ("latency", "percentiles")),
    **dict.fromkeys(("steady", "samples", "log", "timeseries"), ("series",)),
    **dict.fromkeys(("sweeps", "scaling", "iodepth"), ("sweep", "load")),
    **dict.fromkeys(("cells", "matrix"), ("grid", "heatmap")),
    **dict.fromkeys(("waterfall", "breakdown", "explain", "stacked"), ("parts",)),
    "quantiles": ("percentiles",),
    "planning": ("plan",),
    "trend": ("history", "shifts"),
}
