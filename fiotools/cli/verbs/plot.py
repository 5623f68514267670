"""`fiotools plot`: one figure, by its kind."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from fiotools.cli import files, options
from fiotools.cli.options import command, option
from fiotools.cli.output import Trouble, say
from fiotools.cli.plot_options import Drawing, Wish
from fiotools.cli.verbs import check
from fiotools.files import atomic_write

# the functions of fiotools.plot, repeated here because --help must not load them
Kind = Literal[
    "throughput",
    "latency",
    "ratios",
    "plan",
    "repeats",
    "sweep",
    "grid",
    "load",
    "fairness",
    "percentiles",
    "tails",
    "cdf",
    "heatmap",
    "series",
    "history",
    "shifts",
    "timings",
    "credibility",
]
_SUFFIXES = (".svg", ".png", ".pdf")
# kinds that do not compare files
_WITHOUT_LABELS = ("load", "heatmap", "credibility")


@command(
    "plot throughput single.json mirror.json -o bw.svg",
    "plot latency '{volume}.xml' --hue thread --scope thread -w direction=total -o lat.svg",
    "plot ratios 'data/{volume}.xml' --baseline vhdx --metric iops --by direction -o r.svg",
    "plot plan 'runs/{fs}_{bs}_{round:d}.json' --metric iops --between bs -o plan.svg",
    "plot repeats old='old/*.json' new='new/*.json' --metric iops -o repeats.png",
    "plot percentiles a.json b.json -w latency=clat -w direction=read -o tail.svg",
    "plot sweep 'runs/{fs}_{bs_bytes}_{round:d}.json' --hue fs --metric bw -o sweep.svg",
    "plot grid 'runs/{fs}_{bs_bytes}_{round:d}.json' --x bs --y fs --metric bw -o grid.svg",
    "plot load 'runs/{volume}-{iodepth}.json' --hue volume --limit 1ms -o load.svg",
    "plot fairness '{volume}.xml' -w direction=total -o threads.svg",
    "plot tails old=old_clat_hist.1.log new=new_clat_hist.1.log -o shift.svg",
    "plot cdf a.json b.json -w latency=clat -w direction=read --merge -o latencies.svg",
    "plot heatmap run_clat_hist.1.log -w direction=read -o heat.svg",
    "plot series run_iops.1.log -w direction=write --round 10s -o steady.svg",
    "plot history 'runs/{commit}_{round:d}.json' --metric iops --x commit -o history.svg",
    "plot shifts run_iops.1.log -w direction=write --round 10s -o steps.svg",
    "plot credibility runs/ --ram 8GB --link usb3-5g -o page.svg",
    "plot timings 'page-cache/{cache}.txt' -o times.svg",
)
def plot(
    kind: Annotated[
        Kind, typer.Argument(metavar="KIND", help="One of those above.", show_default=False)
    ],
    sources: options.Files,
    *,
    output: Annotated[
        str,
        option("FILE", "FILE.svg, .png or .pdf, written whole or not.", "--output", "-o"),
    ],
    wish: Wish,
    sides: options.Sides,
    kept: options.Rows,
    known: check.Known,
    title: Annotated[str | None, option("TEXT", "The title above the plot.")] = None,
    lang: options.Lang = "en",
    read_as: options.ReadAs,
) -> int:
    """Draw a plot.

    KIND is one of: throughput (a value per row), latency (mean and spread), ratios (of compare,
    with intervals), plan (how many runs a difference takes), repeats (each run, and the median),
    sweep (against a condition such as the block size), grid (of two conditions; with --baseline the
    ratios of two sides), load (IOPS and latency against the queue depth), fairness (threads of a
    run), percentiles and cdf (curves of latencies), tails (ratios of percentiles), heatmap (latency
    over time), series (a quantity over time, and whether it was steady), history (runs by commit or
    date, with steps), shifts (levels of runs or of a log), timings (user, system, waiting),
    credibility (the findings of check, with its options).
    """
    path = Path(output)
    if path.suffix.lower() not in _SUFFIXES:
        raise Trouble(f"{output}: a plot ends in {', '.join(_SUFFIXES)}", 2)
    atomic_write.refuse_missing_folder(path)
    asked = Drawing(kind, wish, sides, kept, known)
    asked.refuse_what_is_not_taken()
    compared = check.is_compared(sides, known)
    if kind == "credibility":
        check.refuse_nonsense(sides, known)
    read = files.read_all(sources, read_as, label=kind not in _WITHOUT_LABELS or compared)
    from fiotools import plot as drawn
    from fiotools.cli import drawing

    with files.working(read, "drawing"), atomic_write.named(path), drawing.speaking(lang):
        ax = drawing.draw(read, asked)
        if title:
            drawn.title(ax, title)
        written = drawn.save(ax, path.with_suffix(path.suffix.lower()), data=read.results)
    say(f"wrote {written[0]}")
    return read.code
