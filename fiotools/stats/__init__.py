"""Statistics: frame in, frame out."""

from fiotools.stats.asked import settings_diff
from fiotools.stats.best import best_under
from fiotools.stats.bounds import bound_percentiles
from fiotools.stats.combine import combine
from fiotools.stats.compare import compare, speedup
from fiotools.stats.credibility import check
from fiotools.stats.histogram import merge_bins, percentiles_from_bins
from fiotools.stats.reconcile import reconcile
from fiotools.stats.steady import steady
from fiotools.stats.summary import summarize
from fiotools.stats.threads import fairness, per_thread
from fiotools.stats.variance import variance_parts
from fiotools.stats.windowing import window, window_bins

__all__ = [
    "best_under",
    "bound_percentiles",
    "check",
    "combine",
    "compare",
    "fairness",
    "merge_bins",
    "per_thread",
    "percentiles_from_bins",
    "reconcile",
    "settings_diff",
    "speedup",
    "steady",
    "summarize",
    "variance_parts",
    "window",
    "window_bins",
]
