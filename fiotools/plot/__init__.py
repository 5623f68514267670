"""Plots: a tidy frame in, Axes out. The statistics stand in `fiotools.stats`."""

from fiotools.plot.cdf import cdf
from fiotools.plot.credibility import credibility
from fiotools.plot.fairness import fairness
from fiotools.plot.grid import grid
from fiotools.plot.heatmap import heatmap
from fiotools.plot.history import history
from fiotools.plot.latency import latency
from fiotools.plot.load import load
from fiotools.plot.percentiles import percentiles
from fiotools.plot.plan import plan
from fiotools.plot.ratios import ratios
from fiotools.plot.repeats import repeats
from fiotools.plot.series import series
from fiotools.plot.shifts import shifts
from fiotools.plot.style import save, style, title
from fiotools.plot.sweep import sweep
from fiotools.plot.tails import tails
from fiotools.plot.throughput import throughput
from fiotools.plot.timings import timings

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
