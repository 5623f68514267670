"""`fiotools speedup`: how many times faster, and how sure."""

from __future__ import annotations

from fiotools.cli import comparing, files, options
from fiotools.cli.answer import give
from fiotools.cli.command import Command


def speedup(
    sources: options.Files,
    *,
    metric: options.Metric = None,
    sides: options.Sides,
    by: options.By = None,
    kept: options.Rows,
    judging: options.Judging,
    format: options.Format = "table",
    read_as: options.ReadAs,
) -> int:
    """Compare as `compare` does, and say how many times faster: above 1 is better."""
    from fiotools.stats.compare import speedup as answer_of

    read = files.read_all(sources, read_as, label=True)
    question = comparing.asked(read, metric, sides, by, kept, judging)
    with files.working(read, "comparing"):
        answer = answer_of(question.frame, question.metric, **question.arguments)
    give(answer, format, lambda frame: comparing.sheet(frame, question.arguments["between"]))
    return read.code


COMMAND = Command(
    speedup,
    (
        "speedup 'page-cache/{cache}.txt' --baseline before --metric real",
        "speedup old='old/*.txt' new='new/*.txt' --metric real",
        "speedup 'data/{volume}.xml' --baseline vhdx --metric lat_mean --by direction",
    ),
)
