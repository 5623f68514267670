"""Figures: a tidy frame in, Axes out. Nothing is computed here but places on paper."""

from fiotools.plot.latency import latency
from fiotools.plot.percentiles import percentiles
from fiotools.plot.ratios import ratios
from fiotools.plot.repeats import repeats
from fiotools.plot.style import save, style, title
from fiotools.plot.sweep import sweep
from fiotools.plot.throughput import throughput
from fiotools.plot.timings import timings

__all__ = [
    "latency",
    "percentiles",
    "ratios",
    "repeats",
    "save",
    "style",
    "sweep",
    "throughput",
    "timings",
    "title",
]
