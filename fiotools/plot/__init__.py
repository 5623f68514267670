"""Figures: a tidy frame in, Axes out. Nothing is computed here but places on paper."""

from fiotools.plot.latency import latency
from fiotools.plot.ratios import ratios
from fiotools.plot.style import save, style, title
from fiotools.plot.throughput import throughput
from fiotools.plot.timings import timings

__all__ = ["latency", "ratios", "save", "style", "throughput", "timings", "title"]
