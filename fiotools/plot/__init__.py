"""Plots: a tidy frame in, Axes out. The statistics stand in `fiotools.stats`."""

from fiotools.plot.credibility import credibility
from fiotools.plot.distributions import cdf, heatmap, percentiles, tails
from fiotools.plot.fairness import fairness
from fiotools.plot.plan import plan
from fiotools.plot.ratios import ratios
from fiotools.plot.rows import latency, repeats, throughput, timings
from fiotools.plot.series import series
from fiotools.plot.steps import history, shifts
from fiotools.plot.style import save, style, title
from fiotools.plot.sweeps import grid, load, sweep

__all__ = [
    "cdf",
    "credibility",
    "fairness",
    "grid",
    "heatmap",
    "history",
    "latency",
    "load",
    "percentiles",
    "plan",
    "ratios",
    "repeats",
    "save",
    "series",
    "shifts",
    "style",
    "sweep",
    "tails",
    "throughput",
    "timings",
    "title",
]
