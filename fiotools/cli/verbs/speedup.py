"""`fiotools speedup`: how many times faster, and how sure."""

from __future__ import annotations

from fiotools.cli import comparison, files, options
from fiotools.cli.answer import give
from fiotools.cli.command import Command


def speedup(
    sources: options.Files,
    *,
    asked: options.Comparison,
    output: options.Output = None,
    format: options.Format = "table",
    read_as: options.ReadAs,
) -> int:
    """Compare as `compare` does, and say how many times faster: above 1 is better."""
    from fiotools.stats.compare import speedup as statistic

    read = files.read_all(sources, read_as, label=True)
    answer = comparison.answer(statistic, read, asked)
    give(format, lambda: answer, lambda: comparison.sheet(answer), output, read)
    return read.code


COMMAND = Command(
    speedup,
    (
        "speedup 'page-cache/{cache}.txt' --baseline before --metric real",
        "speedup old='old/*.txt' new='new/*.txt' --metric real",
        "speedup 'data/{volume}.xml' --baseline vhdx --metric lat_mean --by direction",
    ),
)
