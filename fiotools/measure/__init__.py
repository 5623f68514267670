"""The articles' procedures, run with the real tools; raw outputs and a manifest are kept.

`run` measures several places with one experiment, `resume` continues an interrupted campaign,
`campaign` opens its folder, and `known` returns the arguments of `fiotools.check` that its manifest
knows.
"""

from __future__ import annotations

from fiotools.measure.campaign import Campaign, campaign, known
from fiotools.measure.experiments import EXPERIMENTS
from fiotools.measure.runner import resume, run
from fiotools.measure.tools import Interrupted

__all__ = ["EXPERIMENTS", "Campaign", "Interrupted", "campaign", "known", "resume", "run"]
