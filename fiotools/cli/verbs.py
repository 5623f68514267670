"""The verbs, and what a signature and a docstring do not say about them.

A verb is a line here. Its options are the arguments of the function that it asks (``asks``) and of
the function that runs it (``run``). A parameter of the latter that is named like a group stands for
the options of the group, ``asked`` for those of the function that the verb asks, and ``name`` for
the name of the verb: such a function runs several.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from fiotools import units


class Verb(NamedTuple):
    """A verb of the command line."""

    line: str  # in the list of verbs
    examples: tuple[str, ...]
    asks: str = ""  # the function that answers: module and name
    run: str = "questions:answer"  # the function of the command line that calls it
    leaves: tuple[str, ...] = ()  # arguments that it has no options for
    repeats: tuple[str, ...] = ("metric", "quantity")  # an answer for each of these


class Group(NamedTuple):
    """Options that several verbs share: arguments of a function, or fields of a class."""

    place: str
    heading: str
    names: tuple[str, ...] = ()  # only these are options; by default all are
    leaves: tuple[str, ...] = ()


class Fact(NamedTuple):
    """What is not derived about an argument."""

    value: str = ""  # stands for its value in the help
    short: str = ""  # the short flag
    flag: str = ""  # instead of the argument's name
    offers: str = ""  # what the Tab key offers
    limits: tuple[int | None, int | None] = (None, None)
    heading: str = ""  # the section of the help, unless its group has one
    reads: Callable[[str], Any] | None = None  # converts a text
    example: str = ""  # of such a text
    is_whole: bool = False  # commas do not part its values
    help: str = ""  # of an argument that many functions of the command line have


READING = ("format", "version", "quantity")
GROUPS: Mapping[str, Group] = {
    "rows": Group("cli.questions:RowFilter", "Which rows count"),
    "shown": Group("cli.output:Shown", "How the answer is shown"),
    "known": Group(
        "stats.check:check",
        "What you know and the files do not tell",
        leaves=("results", "between", "baseline"),
    ),
    "wish": Group("cli.plot:Wish", "Options"),
    "sides": Group("stats.compare:compare", "What is compared with what", ("between", "baseline")),
    "reading": Group("input.read:read", "How the files are read", READING),
}
# a question without a metric is about all rows of its table
OF_METRICS = ("combine", "drop_missing", "table")

_SIDES = GROUPS["sides"].heading
_JUDGED = "How it is judged"
_KNOWN = GROUPS["known"].heading
_FILES = "Files, folders, globs, path templates ('data/{volume}.xml')"
_COLUMN = Fact("COLUMN", offers="labels")
_COLUMNS = Fact("COLUMNS", offers="labels")

# by the argument's name; ``group.name`` or ``module:function.name`` where names mean several things
FACTS: Mapping[str, Fact] = {
    "metric": Fact("COLUMN", "-m", offers="metrics"),
    "quantity": Fact("COLUMN", "-m", "--metric", "metrics"),
    "reading.quantity": Fact(),
    "by": _COLUMNS,
    "over": _COLUMNS,
    "sweep": _COLUMNS,
    "stats.scaling:scaling.sweep": _COLUMN,
    "levels": _COLUMNS,
    "order": _COLUMN,
    "between": _COLUMN._replace(heading=_SIDES),
    "baseline": Fact("VALUE", heading=_SIDES),
    "sides": Fact(heading=_SIDES),
    "copies": Fact("N|LEVEL=N", heading=_SIDES, limits=(1, None)),
    "pair": _COLUMN._replace(heading=_JUDGED),
    "unit": _COLUMN._replace(heading=_JUDGED),
    "confidence": Fact("SHARE", limits=(0, 1), heading=_JUDGED),
    "band": Fact("SHARE", limits=(0, 1), heading=_JUDGED),
    "tolerance": Fact("SHARE", limits=(0, 1), heading=_JUDGED),
    "looks": Fact(heading=_JUDGED),
    "differences": Fact("SHARES"),
    "power": Fact("SHARES"),
    "comparisons": Fact("N", limits=(1, None)),
    "cv": Fact("SHARE"),
    "limit": Fact("LIMIT"),
    "every": Fact("TIME"),
    "at": Fact("PERCENTILES"),
    "percentiles": Fact("PERCENTILES"),
    "window": Fact("ROUNDS", limits=(2, None), heading=_JUDGED),
    "method": Fact(heading=_JUDGED),
    "round_s": Fact("TIME", reads=units.seconds, example="10s"),
    "costs": Fact("LEVEL=COST"),
    # what is known
    **{
        name: Fact(value, heading=_KNOWN)
        for name, value in (
            ("ram", "SIZE|FILE"),
            ("host_ram", "SIZE|FILE"),
            ("media", ""),
            ("cache", ""),
            ("moved", "SIZE"),
            ("capacity", "SIZE"),
            ("speedup_max", "TIMES"),
            ("compression", "TIMES"),
            ("prefilled", ""),
        )
    },
    "link": Fact("NAME|RATE", offers="links", heading=_KNOWN),
    "devices": Fact("N", limits=(1, None), heading=_KNOWN),
    # which rows
    "where": Fact("CONDITION", "-w", is_whole=True),
    "scope": Fact("SCOPE", offers="scopes"),
    "table": Fact("TABLE", "-t", offers="tables"),
    "tables": Fact("TABLES", "-t", "--table", "tables"),
    # how the answer is shown
    "columns": Fact("COLUMNS", "-c", offers="columns"),
    "rows_shown": Fact("N", flag="--rows", limits=(0, None)),
    "form": Fact("", "-f", "--format"),
    "output": Fact("FILE", "-o"),
    "read:read.output": Fact("FILE|FOLDER/", "-o"),
    "read:convert.output": Fact("FOLDER|URL", "-o"),
    "measure:measure.output": Fact("FOLDER", "-o"),
    "every_row": Fact(flag="--all"),
    "fail_if": Fact("RULE", is_whole=True),
    # how files are read
    "format": Fact("FORMAT", offers="formats"),
    "workers": Fact("N|ADDRESS"),
    # measuring
    "dir": Fact("[NAME=]FOLDER", is_whole=True),
    "continued": Fact("FOLDER", flag="--resume"),
    "job": Fact("FILE"),
    "size": Fact("SIZE"),
    "only": Fact("WORKLOAD", is_whole=True),
    "question": Fact("TEXT"),
    # arguments without an option
    "files": Fact(
        "FILES",
        help=f"{_FILES}, NAME=FILES to name what they hold, or - for standard input.",
    ),
    "stored": Fact("FILES", help=f"{_FILES}, or NAME=FILES to name what they hold."),
    "builds": Fact("HISTORY NEW", help="A folder, a dataset, a quoted glob or NAME=FILES each."),
    "names": Fact("COLUMN|TABLE", offers="described"),
    "experiment": Fact("EXPERIMENT"),
    "notebooks": Fact("NOTEBOOK"),
    # plots
    "x": _COLUMN,
    "y": _COLUMN,
    "hue": _COLUMN,
    "follows": _COLUMN._replace(flag="--x"),
    "sequence": _COLUMN._replace(flag="--order"),
    "wish.order": Fact("VALUES"),
    "spread": Fact("COLUMN", offers="columns"),
    "ceiling": Fact("NAME=VALUE", is_whole=True),
    "percents": Fact("PERCENT", flag="--limit"),
    "round": Fact("TIME", reads=units.seconds, example="10s"),
}

# by what they are for, in the order of `fiotools --help`
SECTIONS: Mapping[str, Mapping[str, Verb]] = {
    "What is in the files": {
        "formats": Verb(
            "formats that can be read, and the commands that make them",
            ("formats --format markdown",),
            run="describe:formats",
        ),
        "describe": Verb(
            "the meaning of a column, its unit, its name in each tool",
            ("describe", "describe bw lat_mean", "describe io", "describe --format csv"),
            run="describe:describe",
        ),
        "read": Verb(
            "show what is in the files, or write it as parquet, csv, xlsx",
            (
                "read run.json",
                "read 'data/{volume}.xml' --scope total --columns volume,direction,iops",
                "read runs/ -o runs.parquet",
                "read runs/ -o tables/ --format csv",
                "read run.json --table percentiles --where percentile=99 --format json",
                "read run.json --table notes",
                "read - < run.json",
            ),
            run="read:read",
        ),
        "overview": Verb(
            "a row for each run and direction: rates, latencies, percentiles",
            ("overview runs/", "overview 'data/{volume}.xml' --by volume --format csv"),
            asks="stats.overview:overview",
            run="read:overview",
        ),
        "convert": Verb(
            "many files to a dataset; run it again for new files",
            (
                "convert runs/ -o dataset/",
                "convert runs/ -o dataset/ --workers 2 --format json",
                "convert 'data/{volume}.xml' -o volumes/ --table io,percentiles",
                "convert old=old/ new=new/ -o both/",
            ),
            asks="dataset:convert",
            run="read:convert",
            leaves=(*READING, "destination"),
        ),
        "export": Verb(
            "to Prometheus and Grafana, Bencher, github-action-benchmark",
            (
                "export run.json",
                "export 'runs/{volume}_{round}.json' -o fio.prom",
                "export 'runs/{volume}_{round:d}.json' --format bencher -o bmf.json",
            ),
            run="read:export",
        ),
    },
    "One side": {
        "summarize": Verb(
            "median and mean of each group, with their intervals",
            (
                "summarize 'runs/*.json' --metric iops --by direction",
                "summarize 'data/{volume}.xml' --metric lat_mean --by volume,direction",
                "summarize one.json two.json --metric iops --by label,direction",
                "summarize times.txt --metric real --format json",
                "summarize run.json --metric iops --where direction=read --combine run",
            ),
            asks="stats.summary:summarize",
        ),
        "combine": Verb(
            "add up threads and jobs, for each run or fio group",
            ("combine 'data/{volume}.xml' --to run --scope thread",),
            asks="stats.combine:combine",
        ),
        "per-thread": Verb(
            "each thread, with its share of the run",
            ("per-thread 'data/{volume}.xml' --by volume -w direction=total",),
            asks="stats.combine:per_thread",
        ),
        "fairness": Verb(
            "how evenly the threads of each run shared the work",
            ("fairness 'data/{volume}.xml' --by volume -w direction=total",),
            asks="stats.combine:fairness",
        ),
        "best-under": Verb(
            "the most IOPS below a limit of the latency",
            (
                "best-under 'runs/{volume}-{iodepth}.json' -m lat_mean --limit 1ms --by volume"
                " -w direction=read",
                "best-under run.json -m p99 --limit 2ms -w direction=read",
            ),
            asks="stats.best_under:best_under",
        ),
        "scaling": Verb(
            "the knee of a load curve, by the Universal Scalability Law",
            (
                "scaling 'depth/{iodepth:d}_{round:d}.json' -w direction=read",
                "scaling depth/ --sweep iodepth --by rw,bs",
            ),
            asks="stats.scaling:scaling",
        ),
        "percentiles": Verb(
            "percentiles of several files, jobs or threads together",
            (
                "percentiles a.json b.json -w latency=clat --at 50,99,99.9",
                "percentiles one.json two.json -w latency=clat --by source",
            ),
            asks="stats.percentiles:percentiles",
        ),
        "window": Verb(
            "rates, means and percentiles of a log, for each second",
            (
                "window run_iops.1.log --every 10s",
                "window run_clat_hist.1.log --every 1s --percentiles 50,99 --format csv",
            ),
            asks="stats.windows:window",
        ),
        "variance": Verb(
            "the spread of machines, runs and phases, and the best repeats",
            (
                "variance 'runs/{fs}_{bs}_{round:d}.json' -m iops --levels bs,round"
                " -w direction=read -w fs=xfs",
            ),
            asks="stats.variance:variance",
        ),
    },
    "Several sides": {
        "compare": Verb(
            "the ratio of two sides, its interval, and a verdict in words",
            (
                "compare single.json mirror.json --metric iops --by direction",
                "compare one='one/*.json' two='two/*.json' --metric lat_mean"
                " --where direction=read",
                "compare 'data/{volume}.xml' --baseline vhdx --metric iops --by direction",
                "compare old/ new/ --metric bw --by direction,bs --combine run --format markdown",
                "compare old='old/*.json' new='new/*.json' --metric iops --fail-if slower:5%",
            ),
            asks="stats.compare:compare",
            run="compare:compare",
        ),
        "gate": Verb(
            "does a build keep its rules, against a history or limits?",
            (
                "gate history/ new/ --metric iops",
                "gate old='old/*.json' new='new/*.json' -m iops -m p99 --fail-if slower:5%",
                "gate run.json --fail-if 'p99 > 10ms' --where direction=read",
            ),
            asks="stats.compare:compare",
            run="compare:gate",
            leaves=("between", "baseline", "looks"),
        ),
        "speedup": Verb(
            "the same as times faster: above 1 is better",
            (
                "speedup 'page-cache/{cache}.txt' --baseline before --metric real",
                "speedup old='old/*.txt' new='new/*.txt' --metric real",
                "speedup 'data/{volume}.xml' --baseline vhdx --metric lat_mean --by direction",
            ),
            asks="stats.compare:speedup",
        ),
        "overall": Verb(
            "one ratio over all workloads",
            (
                "overall 'runs/{fs}_{bs}_{round:d}.json' -m iops --between bs --over fs"
                " -w direction=read",
            ),
            asks="stats.overall:overall",
        ),
        "tails": Verb(
            "the ratios of percentiles of latency, from histograms",
            ("tails old=old_clat_hist.1.log new=new_clat_hist.1.log -w direction=read",),
            asks="stats.tails:tails",
        ),
        "explain": Verb(
            "why two sides differ, in parts; of one side, which limit binds",
            (
                "explain single.json mirror.json",
                "explain old='old/*.json' new='new/*.json' --metric bw -w direction=read",
                "explain run.json --link pcie4-x4",
            ),
            asks="stats.explain:explain",
            run="explain:explain",
            leaves=("scope", "combine", "drop_missing", "table"),
            repeats=(),
        ),
        "settings-diff": Verb(
            "the options in which the sides differ",
            ("settings-diff single.json mirror.json",),
            asks="stats.settings:settings_diff",
            run="compare:settings_diff",
        ),
        "plan": Verb(
            "how many runs a comparison takes",
            (
                "plan --cv 0.03",
                "plan 'runs/{fs}_{bs}_{round:d}.json' -m iops --between bs --by fs"
                " --differences 0.1",
                "plan --cv 0.03 --comparisons 12 --power 0.8 --format csv",
            ),
            asks="stats.plan:plan",
            run="compare:plan",
        ),
    },
    "How far to trust it": {
        "check": Verb(
            "can these numbers be true? ok, note, suspect, impossible, unknown",
            (
                "check run.json --ram 16GB --link pcie4-x4",
                "check 'data/{volume}.xml' --ram 8GB --media nvme --between volume --baseline vhdx",
                "check dd.txt --link usb3-5g --media hdd --cache cold --all",
                "check runs/ --ram 8GB --strict || echo 'do not publish this'",
            ),
            asks="stats.check:check",
            run="check:check",
        ),
        "steady": Verb(
            "was a log steady? the mean of the whole, its interval",
            (
                "steady run_iops.1.log -w direction=write --round 10s",
                "steady run_iops.1.log -w direction=write --method fio-slope --limit 0.3"
                " --round 10s",
            ),
            asks="stats.steady:steady",
        ),
        "shifts": Verb(
            "when a log or a sequence of runs changed its level",
            (
                "shifts run_iops.1.log -w direction=write --round 10s",
                "shifts 'runs/{fs}_{bs}_{round:d}.json' -m iops --order round -w direction=read"
                " -w fs=xfs -w bs=4k",
            ),
            asks="stats.shifts:shifts",
        ),
        "reconcile": Verb(
            "does a log agree with the summary of its run?",
            ("reconcile logged.json run_iops.1.log",),
            asks="stats.reconcile:reconcile",
        ),
    },
    "To show others": {
        "plot": Verb("draw a plot as svg, png or pdf", ()),
        "notebook": Verb("a notebook of real calls on your files, to edit", ()),
        "report": Verb(
            "one page: verdict, plots, credibility, how it was measured",
            (
                "report random-io-20261121-093000 -o report.html",
                "report campaigns/ -o report.html --title 'My disks'",
                "report old=old/ new=new/ -o report.html --ram 16GB --link pcie4-x4",
                "report 'data/{volume}.xml' --baseline vhdx -o report.html --lang ja",
            ),
            asks="reports.report:report",
            run="report:report",
            repeats=(),
        ),
        "measure": Verb(
            "run the tools on your own places, and keep their output",
            (
                "measure random-io --dir ssd=/home/me/scratch --dir nas=/mnt/nas/me --quick",
                "measure throughput --dir /mnt/a --dir /mnt/b --only write-random-fdatasync"
                " --only read",
                "measure random-io --dir /mnt/a --dir /mnt/b --until settled --rounds 20",
                "measure page-cache --dir /srv --dry-run",
                "measure --job my.fio --dir a=/mnt/a --dir b=/mnt/b --rounds 5",
                "measure --resume random-io-20261121-093000",
            ),
            run="measure:measure",
        ),
    },
}
VERBS: Mapping[str, Verb] = {
    name: verb for section in SECTIONS.values() for name, verb in section.items()
}

# what people type for a verb, and the command that does it
MEANT: Mapping[str, str] = {
    **dict.fromkeys(["regress", "ci", "assert"], "gate HISTORY NEW --fail-if slower"),
    **dict.fromkeys(
        ["ls", "show", "cat", "view", "info", "open", "print", "head", "list", "parse"],
        "read FILES",
    ),
    **dict.fromkeys(
        ["stats", "stat", "summary", "mean", "median", "average", "avg"], "summarize FILES"
    ),
    **dict.fromkeys(["cmp", "vs", "ab", "ratio", "delta", "benchstat"], "compare FILES"),
    **dict.fromkeys(["why", "because", "bottleneck", "limits"], "explain FILES"),
    **dict.fromkeys(["diff", "settings", "options"], "settings-diff FILES"),
    **dict.fromkeys(
        ["merge-bins", "percentiles-from-bins", "bound-percentiles", "hist", "histogram"],
        "percentiles FILES",
    ),
    **dict.fromkeys(["tail", "p99"], "tails FILES"),
    **dict.fromkeys(["merge", "aggregate", "sum", "total"], "combine FILES"),
    **dict.fromkeys(["threads"], "per-thread FILES"),
    **dict.fromkeys(["geomean"], "overall FILES"),
    **dict.fromkeys(["slo"], "best-under FILES"),
    **dict.fromkeys(["knee", "usl", "scalability"], "scaling FILES"),
    **dict.fromkeys(["verify", "validate", "sanity", "lint", "doctor"], "check FILES"),
    **dict.fromkeys(["power", "samplesize", "sample-size"], "plan FILES"),
    **dict.fromkeys(["run", "bench", "benchmark", "fio", "start"], "measure EXPERIMENT"),
    **dict.fromkeys(["html", "page", "publish"], "report FILES"),
    **dict.fromkeys(["ipynb", "jupyter", "lab", "template"], "notebook QUESTION FILES"),
    **dict.fromkeys(["csv", "json", "parquet", "excel", "xlsx", "write"], "read FILES -o FILE"),
    **dict.fromkeys(["dataset", "import", "ingest"], "convert FILES"),
    **dict.fromkeys(["prometheus", "openmetrics", "grafana"], "export FILES"),
    **dict.fromkeys(["columns", "column", "vocabulary", "units"], "describe"),
    **dict.fromkeys(["draw", "graph", "chart", "figure"], "plot KIND FILES"),
    **dict.fromkeys(["changepoint", "changepoints", "steps", "regression"], "shifts FILES"),
    **dict.fromkeys(["version"], "--version"),
}
# an option that is a verb of its own
OPTIONS_MEANT: Mapping[tuple[str, str], str] = {
    ("compare", "--settings"): "settings-diff FILES",
}
