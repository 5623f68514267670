"""`fiotools plot KIND`: one plot.

The library asks the question of a plot, and finds the columns that were not named.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from fiotools import language
from fiotools.cli.check import checked, is_compared, refuse_nonsense
from fiotools.cli.output import Trouble, say
from fiotools.cli.questions import RowFilter, wrong_condition
from fiotools.cli.signatures import signature
from fiotools.cli.sources import Reading, read_all
from fiotools.cli.verbs import GROUPS, Verb
from fiotools.errors import SchemaError
from fiotools.files import atomic_write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fiotools.plot.spec import Spec

_SUFFIXES = (".svg", ".png", ".pdf")


@dataclass(frozen=True)
class Wish:
    """What is drawn, and how.

    Parameters
    ----------
    metric : str, optional
        The column to draw: iops, bw, lat_mean.
    y : str, optional
        The column of the rows; by default the files.
    hue : str, optional
        The column of the colours and curves.
    x : str, optional
        The condition that was swept.
    follows : str, optional
        The column that the runs follow, such as a commit; by default their time.
    by : sequence of str
        A panel, or one answer, for each value of these: direction,bs.
    order : sequence of str
        Rows or curves in this order: a,b,c.
    sequence : str, optional
        The column that the runs follow, such as a round; by default their time.
    to : str, optional
        The column that the bars reach to; none: no bars.
    ceiling : mapping of str to str
        A limit to draw: USB=500MB/s.
    log : bool
        Draw a logarithmic axis.
    speedup : bool
        Draw times faster instead of level / baseline.
    pair : str, optional
        The column that pairs runs: round.
    band : float, optional
        Differences up to this share do not count; by default 0.05.
    limit : str, optional
        Mark the best below this latency: 1ms.
    percents : sequence of float
        The limit of --steady, in percent: 20,10.
    steady : {"snia", "fio-deviation", "fio-slope", "none"}, optional
        The rule for a steady state; by default snia.
    window : int, optional
        The number of rounds that are judged.
    round : float, optional
        The length of a round: 10s.
    """

    metric: str | None = None
    y: str | None = None
    hue: str | None = None
    x: str | None = None
    follows: str | None = None
    by: Sequence[str] = ()
    order: Sequence[str] = ()
    sequence: str | None = None
    to: str | None = None
    ceiling: Mapping[str, str] | None = None
    log: bool = False
    speedup: bool = False
    pair: str | None = None
    band: float | None = None
    limit: str | None = None
    percents: float | Sequence[float] | None = None
    steady: Literal["snia", "fio-deviation", "fio-slope", "none"] | None = None
    window: int | None = None
    round: float | None = None


_SINGLE = ("where", "scope", "drop_missing")  # filters of rows that are not added up
_FILTERS = ("where", "scope", "combine", "drop_missing", "table")
_WISHES = tuple(one.name for one in fields(Wish))
_KNOWN = tuple({**signature(GROUPS["known"].place).arguments}.keys() - GROUPS["known"].leaves)
# arguments with another name than the option
_ARGUMENTS = {
    "speedup": "faster",
    "ceiling": "ceilings",
    "follows": "x",
    "sequence": "order",
    "percents": "limit",
    "round": "round_s",
}


class Kind(NamedTuple):
    """What is not derived about the plot of a function of fiotools.plot."""

    line: str
    example: str
    takes: tuple[str, ...]  # options, beside files and filters
    filters: tuple[str, ...] = _FILTERS
    compares: bool = True  # files
    draws: tuple[str, ...] = ()  # columns of numbers, where no metric is named
    renamed: Mapping[str, str] = {}  # arguments of this kind

    def verb(self, kind: str) -> Verb:
        """Return the kind as a verb."""
        every = [*_WISHES, *_FILTERS, *GROUPS["sides"].names, *_KNOWN]
        takes = {*self.takes, *self.filters}
        left = tuple(name for name in every if name not in takes)
        return Verb(self.line, (f"plot {kind} {self.example}",), f"plot:{kind}", "plot:draw", left)

    def arguments(self, typed: Mapping[str, Any]) -> dict[str, Any]:
        """Return what was typed, by the names of the function's arguments."""
        names = {**_ARGUMENTS, **self.renamed}
        return {
            names.get(name, name): typed[name]
            for name in self.takes
            if typed.get(name) not in (None, (), False)
        }


KINDS: Mapping[str, Kind] = {
    "throughput": Kind(
        "a value per row",
        "single.json mirror.json -o bw.svg",
        ("metric", "y", "hue", "by", "order", "ceiling", "log"),
        draws=("bw_bytes_per_s",),
    ),
    "latency": Kind(
        "mean and slowest I/O, per row",
        "'{volume}.xml' --hue thread --scope thread -w direction=total -o lat.svg",
        ("metric", "y", "hue", "by", "to", "order", "ceiling", "log"),
        draws=("lat_mean_ns",),
    ),
    "ratios": Kind(
        "the answer of compare, with intervals",
        "'data/{volume}.xml' --baseline vhdx --metric iops --by direction -o r.svg",
        ("metric", "between", "baseline", "by", "speedup", "pair", "band"),
        renamed={"by": "y"},
    ),
    "parts": Kind(
        "why two sides differ, in bars that add up",
        "old='old/*.json' new='new/*.json' -w direction=read -o why.svg",
        ("metric", "between", "baseline", "by"),
        _SINGLE,
    ),
    "plan": Kind(
        "how many runs a difference takes",
        "'runs/{fs}_{bs}_{round:d}.json' -m iops --between bs -w fs=xfs -o plan.svg",
        ("metric", "between", "pair"),
    ),
    "repeats": Kind(
        "each run, and their geometric mean",
        "old='old/*.json' new='new/*.json' --metric iops -o repeats.png",
        ("metric", "y", "hue", "by", "order", "ceiling", "log"),
    ),
    "sweep": Kind(
        "a value against a condition such as the queue depth",
        "'runs/{volume}-{iodepth:d}.json' --hue volume --metric bw -o sweep.svg",
        ("metric", "x", "hue", "by", "order", "ceiling", "log"),
        draws=("bw_bytes_per_s",),
    ),
    "grid": Kind(
        "a value, or the ratio of two sides, for two conditions",
        "'runs/{fs}_{bs_bytes}_{round:d}.json' --x bs --y fs --metric bw -o grid.svg",
        ("metric", "x", "y", "between", "baseline", "speedup", "pair", "band"),
    ),
    "load": Kind(
        "IOPS and latency against the queue depth",
        "'runs/{volume}-{iodepth}.json' --hue volume --limit 1ms -o load.svg",
        ("metric", "x", "hue", "order", "limit"),
        compares=False,
        draws=("lat_mean_ns", "iops"),
        renamed={"metric": "latency"},
    ),
    "fairness": Kind(
        "the threads of a run",
        "'{volume}.xml' -w direction=total -o threads.svg",
        ("y", "order"),
        ("where", "drop_missing"),
        draws=("iops",),
    ),
    "percentiles": Kind(
        "latency against percentile",
        "a.json b.json -w latency=clat -w direction=read -o tail.svg",
        ("hue", "by", "order"),
        draws=("value_ns",),
    ),
    "tails": Kind(
        "ratios of percentiles, from histograms",
        "old=old_clat_hist.1.log new=new_clat_hist.1.log -o shift.svg",
        ("between", "baseline", "by", "pair", "band"),
        _SINGLE,
        renamed={"by": "hue"},
    ),
    "cdf": Kind(
        "the share of the I/Os that took no longer",
        "a.json b.json -w latency=clat -w direction=read -o latencies.svg",
        ("hue", "order"),
        _SINGLE,
        draws=("count",),
    ),
    "heatmap": Kind(
        "latency over time",
        "run_clat_hist.1.log -w direction=read -o heat.svg",
        ("ceiling",),
        _SINGLE,
        compares=False,
        draws=("count",),
    ),
    "series": Kind(
        "a quantity over time, and whether it was steady",
        "run_iops.1.log -w direction=write --round 10s -o steady.svg",
        ("metric", "hue", "order", "steady", "window", "percents", "round"),
        _SINGLE,
        draws=("value",),
        renamed={"metric": "quantity"},
    ),
    "history": Kind(
        "runs by commit or date, with steps",
        "'runs/{commit}_{round:d}.json' --metric iops --x commit -o history.svg",
        ("metric", "follows", "by", "order"),
    ),
    "shifts": Kind(
        "levels of runs or of a log",
        "run_iops.1.log -w direction=write --round 10s -o steps.svg",
        ("metric", "sequence", "round"),
    ),
    "timings": Kind(
        "user, system, waiting",
        "'page-cache/{cache}.txt' -o times.svg",
        ("y", "by", "order"),
        draws=("real_s",),
    ),
    "credibility": Kind(
        "the findings of check on a page",
        "runs/ --ram 8GB --link usb3-5g -o page.svg",
        ("y", "between", "baseline", *_KNOWN),
        ("where",),
        compares=False,
    ),
}


def draw(
    name: str,
    files: Sequence[str],
    *,
    output: str,
    title: str | None = None,
    lang: Literal["en", "ja"] = "en",
    wish: Wish,
    sides: dict[str, Any],
    known: dict[str, Any],
    rows: RowFilter,
    reading: dict[str, Any],
) -> int:
    """Draw one kind of plot.

    Parameters
    ----------
    output : str
        FILE.svg, .png or .pdf.
    title : str, optional
        The title above the plot.
    lang : {"en", "ja"}
        The language of the plot.
    """
    path = Path(output)
    if path.suffix.lower() not in _SUFFIXES:
        raise Trouble(f"{output}: a plot ends in {', '.join(_SUFFIXES)}", 2)
    atomic_write.refuse_missing_folder(path)
    if wish.steady == "none" and not (wish.window is wish.percents is wish.round is None):
        raise Trouble("--steady none judges nothing: leave out --window, --limit, --round", 2)
    if name == "credibility":
        refuse_nonsense({**known, **sides})
    label = KINDS[name].compares or is_compared({**known, **sides})
    read = read_all(files, reading, label=label)
    with read.working("drawing"), atomic_write.named(path):
        asked = KINDS[name].arguments({**vars(wish), **sides})
        written = _drawn(
            path.with_suffix(path.suffix.lower()),
            lambda: replace(_spec(name, asked, read, rows, {**known, **sides}), title=title or ""),
            lang,
            read,
        )
    say(f"wrote {written}")
    return read.code


def _spec(
    name: str, asked: dict[str, Any], read: Reading, rows: RowFilter, facts: Mapping[str, Any]
) -> Spec:
    """Ask the library what to draw."""
    from fiotools.plot import spec
    from fiotools.tables import conditions

    if name == "credibility":
        with wrong_condition():
            findings = conditions.kept(checked(read, facts), rows.where)
        return spec(name, findings, y=asked.get("y"))
    kind = KINDS[name]
    numbers = [asked["metric"]] if "metric" in asked else kind.draws
    named = (asked.get(role) for role in ("x", "y", "hue", "pair"))
    results = rows.of(read.results, [*numbers, *asked.get("by", ()), *filter(None, named)])
    if asked.get("to") == "none":
        asked["to"] = None
    if name != "series":
        return spec(name, results, **asked)
    judged = asked.keys() & {"steady", "window", "limit", "round_s"}
    steady = asked.pop("steady", True)
    try:
        return spec(name, results, steady=steady != "none" and steady, **asked)
    except SchemaError as error:
        if judged:
            raise
        found = spec(name, results, **asked)
        say(f"drawn without a verdict: {error}")
        return found


@contextmanager
def _said() -> Iterator[None]:
    """Say what the library warns of."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UserWarning)
        yield
    for one in told:
        say(str(one.message))


def _drawn(path: Path, ask: Callable[[], Spec], lang: str, read: Reading) -> Path:
    """Draw and save a plot in our style and in a language, and leave matplotlib as it was."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib.axes import Axes

    from fiotools import plot
    from fiotools.plot.kind import drawn

    with mpl.rc_context(), language.speaking(language.ENGLISH):
        plot.style(lang=lang)
        with _said():
            found = drawn(ask())
        # several panels are a Figure
        ax = found if isinstance(found, Axes) else found[0].get_figure(root=True)
        return plot.save(ax, path, data=read.results)[0]
