"""Statistics: frame in, frame out."""

from fiotools.stats.combine import combine
from fiotools.stats.compare import compare, speedup
from fiotools.stats.summary import summarize
from fiotools.stats.threads import fairness, per_thread

__all__ = ["combine", "compare", "fairness", "per_thread", "speedup", "summarize"]
