"""The layouts of answers that people read; any other frame has the plain layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fiotools.display import cells, layout
from fiotools.display.frame import Frame, answer_of
from fiotools.display.layout import WRAPS
from fiotools.display.model import Column, Sheet
from fiotools.hints import argument
from fiotools.language import listed, say
from fiotools.schema import ANSWERS


def sheet(frame: Frame) -> Sheet:
    """Lay out an answer, or any other frame."""
    return _LAYOUTS.get(answer_of(frame.names), layout.sheet)(frame)


def comparison(frame: Frame) -> Sheet:
    """Lay out an answer of `compare`, `speedup` or `tails`."""
    *by, between = frame.names[: frame.names.index("baseline")]
    what = "speedup" if "speedup" in frame.names else "ratio"
    left, shared = layout.folded(frame, [*by, what])
    labels = [*left[:-1], between]
    metric, baseline, method, confidence = (
        _one(frame, name) for name in ("metric", "baseline", "method", "confidence")
    )
    several = [name for name in ("metric", "baseline") if not _one(frame, name)]
    pairs = zip(frame.columns["n"], frame.columns["n_baseline"], strict=True)
    of = baseline or say("the baseline")
    runs = [str(own) if own == other else f"{own} vs {other}" for own, other in pairs]
    made = [
        *(layout.column(frame, name, keep=5) for name in [*labels, *several]),
        layout.column(frame, "center", layout.head(metric or "center"), keep=1),
        layout.column(frame, "center_baseline", say("of {name}", name=of), keep=1),
        layout.column(frame, what, f"{what} [{confidence}]" if confidence else what, keep=4),
        Column("n", runs, right=True, keep=2, about=layout.about("n")),
        layout.column(frame, "verdict", keep=3),
    ]
    count = max(frame.columns["comparisons"], default=0)
    sure = []
    if confidence and method:
        sure.append(say("{confidence} intervals by {method}", confidence=confidence, method=method))
        if count > 1:
            sure = [say("{said}, for all {n} together", said=sure[0], n=count)]
    if any(frame.columns["runs_needed"]):
        if "any looks" not in method:
            looks = argument("looks", "any")
            sure.append(say("added runs count as another look: {option}", option=looks))
        more = [f"+{count}" if count else "" for count in frame.columns["runs_needed"]]
        told = layout.about("runs_needed")
        made.append(Column("runs needed", more, right=True, about=told))
    words = {"metric": _metric(metric), "baseline": baseline or say("its baseline")}
    if between == "label":  # the files have names of their own
        title = say("{metric}, against {baseline}", **words)
    else:
        title = say("{metric} of each {name}, against {baseline}", name=between, **words)
    return Sheet(made, title, [*layout.said(frame, labels), *sure, *layout.cut(frame)], shared)


def overall(frame: Frame) -> Sheet:
    """Lay out an answer of `overall`: a comparison, in which the rows over all have a name."""
    counts, about = frame.columns["workloads"], frame.columns["about"]
    for name in frame.names[: frame.names.index("baseline")]:
        column = frame.columns[name]
        if None in column and all(isinstance(value, str) for value in column if value is not None):
            frame.columns[name] = [
                f"{about[row]} ({counts[row]})" if value is None else value
                for row, value in enumerate(column)
            ]
            break
    return comparison(frame)


def summary(frame: Frame) -> Sheet:
    """Lay out an answer of `summarize`."""
    labels = frame.names[: -len(ANSWERS["summarize"])]
    metric, confidence = _one(frame, "metric"), _one(frame, "confidence")
    left, shared = layout.folded(frame, labels)
    # of one run, there is nothing between the least and the most
    spread = ("stddev", "cov_pct", "min", "max") if max(frame.columns["n"], default=0) > 1 else ()
    keep = {"n": 3, "median": 4, "mean": 4, "cov_pct": 2, "outliers": 2}
    names = ["n", "median", "mean", *spread, *(["outliers"] * any(frame.columns["outliers"]))]
    made = [layout.column(frame, name, keep=5) for name in left]
    for name in names:
        sure = confidence and any(frame.columns.get(f"{name}_lo", ()))
        title = f"{name} [{confidence}]" if sure else ""
        made.append(layout.column(frame, name, title, keep.get(name, 1)))
    title = say("{metric} of the runs", metric=_metric(metric))
    if labels:
        title = say("{said} of each {names}", said=title, names=listed(map(layout.head, labels)))
    return Sheet(made, title, [*layout.said(frame, left), *layout.cut(frame)], shared)


def settings(frame: Frame) -> Sheet:
    """Lay out an answer of `settings_diff`: each option, and what it was set to."""
    if not frame.size:
        return Sheet([], say("no option in the files differs between the sides"))
    of = say("of {name}", name=_one(frame, "baseline") or say("the baseline"))
    texts = {say("set to"): frame.columns["text"], of: frame.columns["text_baseline"]}
    made = [layout.column(frame, name, keep=1) for name in ("option", frame.names[0])]
    for head, values in texts.items():
        given = [say("not given") if value is None else value for value in values]
        made.append(Column(head, given, wraps=WRAPS))
    title = say("options that differ between {names}", names=frame.names[0])
    return Sheet(made, title, layout.cut(frame))


def _check(frame: Frame) -> Sheet:
    from fiotools.display import findings

    return findings.sheet(frame)


def _metric(name: str) -> str:
    return layout.head(name) if name else say("each metric")


def _one(frame: Frame, name: str) -> str:
    """Write the value of a column, if it has only one."""
    texts = {text for text in layout.cells_of(frame, name) if text != cells.NONE}
    return texts.pop() if len(texts) == 1 else ""


_LAYOUTS: Mapping[str | None, Callable[[Frame], Sheet]] = {
    "compare": comparison,
    "overall": overall,
    "speedup": comparison,
    "tails": comparison,
    "summarize": summary,
    "check": _check,
    "settings_diff": settings,
}
