"""`fiotools plot`: one figure, by its kind."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from fiotools.cli import evidence, files, options
from fiotools.cli.command import Command
from fiotools.cli.stream import Trouble, say

# the functions of fiotools.plot; they stand here so that --help need not load them
Kind = Literal[
    "throughput",
    "latency",
    "ratios",
    "repeats",
    "sweep",
    "load",
    "fairness",
    "percentiles",
    "cdf",
    "heatmap",
    "series",
    "timings",
    "credibility",
]
Steady = Literal["snia", "fio-deviation", "fio-slope", "none"]
_SUFFIXES = (".svg", ".png", ".pdf")


def plot(
    kind: Annotated[
        Kind, typer.Argument(metavar="KIND", help="One of those above.", show_default=False)
    ],
    sources: options.Files,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="FILE.svg, .png or .pdf, written whole or not."
        ),
    ],
    metric: options.Metric = None,
    y: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Names the rows; default: the files.")
    ] = None,
    hue: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Gives colours, and names of curves.")
    ] = None,
    x: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="sweep, load: the condition that was swept."),
    ] = None,
    between: options.Between = None,
    baseline: options.Baseline = None,
    by: options.By = None,
    where: options.Where = None,
    scope: options.Scope = None,
    combine: options.Combine = None,
    drop_missing: options.DropMissing = False,
    order: Annotated[
        str | None, typer.Option(metavar="VALUES", help="Rows or curves, in this order: a,b,c.")
    ] = None,
    spread: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="latency: the deviation to draw; none: no bars."),
    ] = None,
    ceiling: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="throughput: a limit to draw, as USB=500MB/s."),
    ] = None,
    log: Annotated[bool, typer.Option("--log", help="throughput: a logarithmic axis.")] = False,
    speedup: Annotated[
        bool, typer.Option("--speedup", help="ratios: times faster, and not level / baseline.")
    ] = False,
    pair: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="ratios: the column that pairs runs.")
    ] = None,
    band: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="ratios: up to this share is no difference; 0.05."),
    ] = None,
    limit: Annotated[
        str | None,
        typer.Option(
            metavar="LIMIT",
            help="load: marks the best below this latency, 1ms. series: of --steady, in percent.",
        ),
    ] = None,
    steady: Annotated[
        Steady | None, typer.Option(help="series: the rule it is judged by; default: snia.")
    ] = None,
    window: Annotated[
        int | None, typer.Option(metavar="N", help="series: how many rounds are judged.")
    ] = None,
    round_: Annotated[
        str | None,
        typer.Option("--round", metavar="TIME", help="series: judges rounds of so long, as 10s."),
    ] = None,
    merge: Annotated[
        bool,
        typer.Option("--merge", help="cdf, heatmap: add up the histograms of jobs and runs."),
    ] = False,
    ram: evidence.Ram = None,
    host_ram: evidence.HostRam = None,
    link: evidence.Link = None,
    media: evidence.MediaIs = None,
    devices: evidence.Devices = None,
    cache: evidence.CacheIs = None,
    sides: evidence.SidesAre = None,
    copies: evidence.Copies = None,
    speedup_max: evidence.SpeedupMax = None,
    moved: evidence.Moved = None,
    capacity: evidence.Capacity = None,
    prefilled: evidence.Prefilled = False,
    compression: evidence.Compression = None,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What the figure says, above it.")
    ] = None,
    table: options.Table = None,
    reader: options.Reader = None,
    tool_version: options.ToolVersion = None,
) -> int:
    """Draw one figure.

    KIND is one of: throughput (a value per row), latency (mean and spread), ratios (of compare,
    with intervals), repeats (each run, and the middle), sweep (against a condition such as the
    block size), load (IOPS and latency against the queue depth), fairness (threads of a run),
    percentiles and cdf (curves of latencies), heatmap (latency over time), series (a quantity over
    time, and whether it was steady), timings (user, system, waiting), credibility (what check says,
    with the options of check).
    """
    path = Path(output)
    if path.suffix.lower() not in _SUFFIXES:
        raise Trouble(f"{output}: a figure ends in {', '.join(_SUFFIXES)}", 2)
    from fiotools.cli import drawing

    wish = drawing.Wish(
        kind=kind,
        metric=metric,
        table=table,
        y=y,
        hue=hue,
        x=x,
        between=between,
        baseline=baseline,
        by=by,
        where=where,
        scope=scope,
        combine=combine,
        drop_missing=drop_missing,
        order=order,
        spread=spread,
        ceilings=ceiling,
        log=log,
        speedup=speedup,
        pair=pair,
        band=band,
        limit=limit,
        steady=steady,
        window=window,
        round=round_,
        merge=merge,
        known={
            "ram": ram,
            "host_ram": host_ram,
            "link": link,
            "media": media,
            "devices": devices,
            "cache": cache,
            "sides": sides,
            "copies": copies,
            "speedup_max": speedup_max,
            "moved": moved,
            "capacity": capacity,
            "prefilled": prefilled,
            "compression": compression,
        },
    )
    wish.refuse_what_is_not_taken()
    label = kind not in drawing.WITHOUT_LABELS or wish.is_compared
    read = files.read_all(sources, reader=reader, version=tool_version, label=label)
    ax = drawing.draw(read, wish)
    from fiotools.plot import save
    from fiotools.plot import title as write_title

    if title:
        write_title(ax, title)
    save(ax, path.with_suffix(path.suffix.lower()), data=read.results)
    say(f"wrote {output}")
    return read.code


COMMAND = Command(
    plot,
    (
        "plot throughput single.json mirror.json -o bw.svg",
        "plot latency '{volume}.xml' --hue thread --scope thread -w direction=total -o lat.svg",
        "plot ratios 'data/{volume}.xml' --baseline vhdx --metric iops --by direction -o r.svg",
        "plot repeats old='old/*.json' new='new/*.json' --metric iops -o repeats.png",
        "plot percentiles a.json b.json --where 'latency=clat' -o tail.svg",
        "plot sweep 'runs/{fs}_{bs_bytes}_{round:d}.json' --hue fs --metric bw -o sweep.svg",
        "plot load 'runs/{volume}-{iodepth}.json' --hue volume --limit 1ms -o load.svg",
        "plot fairness '{volume}.xml' -w direction=total -o threads.svg",
        "plot cdf a.json b.json -w latency=clat -w direction=read --merge -o latencies.svg",
        "plot heatmap run_clat_hist.1.log -w direction=read -o heat.svg",
        "plot series run_iops.1.log -w direction=write --round 10s -o steady.svg",
        "plot credibility runs/ --ram 8GB --link usb3-5g -o page.svg",
        "plot timings 'page-cache/{cache}.txt' -o times.svg",
    ),
)
