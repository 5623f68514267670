"""`study`: a folder of results, asked everything that its report answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fiotools.display import columns
from fiotools.display.show import Readable, show
from fiotools.measure.experiments import experiment_named
from fiotools.plain_text import many
from fiotools.reports.blocks import (
    NOTHING,
    Block,
    fold,
    heading,
    link,
    listing,
    paragraph,
    table,
    together,
    verdicts,
)
from fiotools.reports.credibility import ACCUSATIONS, checked, doubts, weighed
from fiotools.reports.method import measured
from fiotools.reports.questions import Comparison, Wish, comparisons
from fiotools.reports.sentences import MOST, UNKNOWN, Sentence, findings, sentences
from fiotools.reports.subjects import Source, differs, gather
from fiotools.reports.tables import written
from fiotools.stats.settings_diff import settings_diff

if TYPE_CHECKING:
    import pandas as pd

    from fiotools.reports.figures import ReportFigure
    from fiotools.tables.results import Results

_MACHINE = "the procedure, the machine and the commands"
_EACH = "all comparisons, one by one"
_CLAUSE = re.compile("[:;,] ")  # where a sentence could end
_HOW = (
    "How many times is always a side over its baseline; in brackets its 95 % interval, and n the "
    "runs of each side. Differences up to 5 % do not count."
)


@dataclass(frozen=True)
class Part:
    """One campaign, or one reading of files, with the questions put to it.

    Attributes
    ----------
    source : Source
    comparisons : list of Comparison
        What is compared, each with its frame and its answer.
    told : mapping
        What the caller knows, for `fiotools.check`.
    """

    source: Source
    comparisons: list[Comparison]
    told: Mapping[str, Any]

    @property
    def results(self) -> Results:
        """The tables, as `fiotools.read` gives them."""
        return self.source.results

    @property
    def name(self) -> str:
        """The experiment, or ``results``."""
        return self.source.name

    @property
    def title(self) -> str:
        """Name the part, and the question of its experiment."""
        if self.source.campaign is None:
            return "The results"
        return f"{self.name}: {experiment_named(self.source.campaign.asked.experiment).question}"

    @property
    def heading(self) -> Block:
        """Head what is shown of this part."""
        return heading(self.title)

    @property
    def side(self) -> str | None:
        """The column that holds the sides."""
        if self.source.campaign is not None:
            return "place"
        return next((one.between for one in self.comparisons if one.between), None)

    @cached_property
    def checks(self) -> pd.DataFrame:
        """What `fiotools.check` says of every run."""
        return checked(self.source, self.told)

    @cached_property
    def doubts(self) -> list[tuple[str, str]]:
        """Of what, and what speaks against taking the figures for a disk's."""
        return [
            *(("", said) for said in self.source.said),
            *doubts(self.source, self.checks, self.side),
        ]

    def figures(self, out: str | Path) -> Iterator[ReportFigure]:
        """Draw what the tables allow, one figure at a time, and save them in a folder."""
        from fiotools.reports.figures import figures

        return figures(self.source, self.comparisons, Path(out), self._prefix)

    @property
    def _prefix(self) -> str:
        folder = self.source.campaign.folder.name if self.source.campaign else ""
        return f"{folder}-" if folder else ""


@dataclass(frozen=True)
class Study:
    """What a report is made of; each of its methods gives a piece of the page."""

    parts: list[Part]

    @property
    def unread(self) -> pd.DataFrame:
        """The notes on what was found and could not be read."""
        notes = self.notes
        return notes[notes["severity"].eq("error")].reset_index(drop=True)

    @property
    def notes(self) -> pd.DataFrame:
        """Everything that the readers had to say."""
        import pandas as pd

        frames = [part.results.notes for part in self.parts]
        return pd.concat([f for f in frames if len(f)] or frames[:1], ignore_index=True)

    def __repr__(self) -> str:
        return "\n".join(f"{part.name}: {_about(part)}" for part in self.parts)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        shown = listing([(part.name, _about(part)) for part in self.parts], "plain")
        unread = self.unread["source"].tolist()
        return {
            "text/plain": repr(self),
            "text/html": shown.html,
            "application/vnd.fiotools+json": {"unread": unread},
        }

    def verdict(self) -> Block:
        """Say what was found, in words, and what speaks against it."""
        every = [one.doubts for one in self.parts]
        common = [one for one in every[0] if all(one in others for others in every)]
        common = common if len(every) > 1 else []
        found = [_caveats(common)] if common else []
        for part in self.parts:
            found += [heading(part.title, 4)] if len(self.parts) > 1 else []
            own = [one for one in part.doubts if one not in common]
            found += _found(part.comparisons, _caveats(own) if own else NOTHING)
            if not part.comparisons:
                found.append(paragraph("There is nothing to compare: no I/O was summed up."))
        compared = any(one.answer is not None for part in self.parts for one in part.comparisons)
        return together([*found, paragraph(_HOW, "how") if compared else NOTHING])

    def credibility(self) -> Block:
        """Say of every run whether its figures can be true."""
        return self._of_each(lambda part: [_weighed(part)])

    def settings(self) -> Block:
        """Say in what the sides were not asked alike."""
        return self._of_each(_settings)

    def tables(self, out: str | Path) -> Block:
        """Write all tables, answers and raw outputs into a folder, and list them."""
        folder = Path(out)

        def of(part: Part) -> list[Block]:
            answers = {"checks": part.checks}
            for at, one in enumerate(part.comparisons):
                if one.answer is not None:
                    answers[f"comparison{at + 1 if at else ''}"] = one.answer
            rows = [
                (_named(file.name, folder), file.what, file.size)
                for file in written(part.source, answers, folder, part._prefix)
            ]
            return [table([], rows, "facts files")]

        return self._of_each(of)

    def measured(self) -> Block:
        """Tell how it was measured."""
        return self._of_each(lambda part: [fold(_MACHINE, measured(part.source), printed=True)])

    def _of_each(self, tell: Callable[[Part], Sequence[Block]]) -> Block:
        """Tell something of each part, below its name where there are several."""
        found: list[Block] = []
        for part in self.parts:
            found += [heading(part.name, 4)] if len(self.parts) > 1 else []
            found += tell(part)
        return together(found)

    def remarks(self) -> Block:
        """Give the notes of the readers, of each kind once."""
        notes = self.notes
        if not len(notes):
            return paragraph("Nothing: every file was read to its end.")
        order = {"error": 0, "warning": 1, "info": 2}
        notes = notes.iloc[notes["severity"].map(order).argsort(kind="stable")]
        groups = notes.groupby(["severity", "message"], sort=False, dropna=False)
        rows = []
        for (severity, message), part in groups:
            files = list(dict.fromkeys(part["source"]))
            more = f" and {many(len(files) - 1, 'other file')}" if files[1:] else ""
            rows.append((severity, f"{files[0]}{more}", message))
        return table(["severity", "file", "note"], rows, "facts notes")


def study(
    sources: Any,
    *,
    between: str | None = None,
    baseline: Any = None,
    metric: str | None = None,
    by: str | Sequence[str] | None = None,
    **known: Any,
) -> Study:
    """Open results, and ask them everything that a report answers.

    Parameters
    ----------
    sources : path, list of paths, or mapping of label to paths
        The folder of a campaign of ``fiotools measure``, a folder that holds several, or whatever
        `fiotools.read` takes.
    between, baseline, by
        As in `fiotools.compare`. By default what the experiment is about, or what the labels, the
        path template or the names of the files set apart; the baseline is the first.
    metric : str, optional
        The column to compare.
    **known
        What the files do not say, as in `fiotools.check`: ``ram``, ``link``, ``media``, ...

    Returns
    -------
    Study
        Its ``parts`` have the tables and the answers.

    Raises
    ------
    FileNotFoundError
        If something is not there.
    FiotoolsError
        If nothing can be read, or the question has no answer.

    Examples
    --------
    >>> import fiotools as ft
    >>> one = study("data/page-cache/{cache}.txt", baseline="before")
    >>> one.parts[0].comparisons[0].answer["speedup"].round(2).tolist()
    [9.36]
    """
    names = [by] if isinstance(by, str) else by
    wish = Wish(between, baseline, metric, tuple(columns.split(names)) if names else None)
    told = {name: value for name, value in known.items() if value not in (None, False)}
    if told.keys() & {"sides", "copies"}:
        told |= {"between": between, "baseline": baseline}
    return Study([Part(one, comparisons(one, wish), told) for one in gather(sources)])


def _about(part: Part) -> str:
    """Say in a line what was read."""
    one = part.source.campaign
    told = repr(part.results).removeprefix("<Results: ").removesuffix(">")
    if one is None:
        return told
    tools = " and ".join(dict.fromkeys(part.results.runs["tool"]))
    where = ", ".join(one.asked.places)
    began = one.session["started_at"][:10]
    return (
        f"{many(len(part.results.runs), 'run')} of {tools} on {where}; {began}, "
        f"{one.asked.effort} campaign"
    )


def _found(asked: list[Comparison], caveats: Block) -> list[Block]:
    """Say the most important first, then what speaks against it; the rest is folded."""
    every = [_verdict(one, several=len(asked) > 1) for one in asked]
    if sum(len(one.answer) for one in asked if one.answer is not None) > MOST:
        return [verdicts(findings(asked)), caveats, fold(_EACH, *every, printed=True)]
    swept = [findings([one]) if one.answer is None else [] for one in asked]
    shown = [verdicts(own) if own else said for own, said in zip(swept, every, strict=True)]
    return [*shown, caveats]


def _caveats(doubts: list[tuple[str, str]]) -> Block:
    """Fold what speaks against the figures; the line says how much, and the gravest of it."""
    grave = next((one for one in doubts if one[1].startswith(ACCUSATIONS)), doubts[0])
    said = ": ".join(filter(None, (grave[0], _CLAUSE.split(grave[1])[0])))
    count = many(len(doubts), "caveat")
    line = f"{count}, of which the gravest: {said}" if len(doubts) > 1 else f"{count}: {said}"
    return fold(line, listing(doubts, "doubts"), printed=True)


def _verdict(one: Comparison, *, several: bool) -> Block:
    """Say what one comparison found."""
    lead = [paragraph(f"{one.title[0].upper()}{one.title[1:]}:")] if several else []
    lead += [paragraph(f"{one.said}.")] if one.said else []
    if one.answer is None:
        return together([*lead, paragraph(f"No comparison: {one.problem}.")])
    said = sentences(one.answer, together=True)
    tail = f"; {UNKNOWN}"
    after = []
    if len(said) > 1 and any(sentence.rest.endswith(tail) for sentence in said):
        said = [Sentence(s.head, s.rest.removesuffix(tail), s.verdict) for s in said]
        after.append(f"Where a side has one run, {UNKNOWN}.")
    if _at_once(one):
        after.append(
            "Read, write and total of one run are one observation: that they agree confirms "
            "nothing."
        )
    return together([*lead, verdicts(said), *(paragraph(text, "how") for text in after)])


def _at_once(one: Comparison) -> bool:
    """Say whether rows that are compared apart are of the same runs."""
    frame = one.frame
    if "direction" not in one.by or not {"source", "run"} <= set(frame):
        return False
    return bool(frame.groupby(["source", "run"])["direction"].nunique().gt(1).any())


def _weighed(part: Part) -> Block:
    counts = part.checks["verdict"].value_counts()
    order = ("impossible", "suspect", "unknown", "ok")
    said = ", ".join(f"{counts.get(verdict, 0)} {verdict}" for verdict in order)
    frame = weighed(part.checks, part.side)
    grave = frame[frame["verdict"].isin(order[:2])].reset_index(drop=True)
    rest = frame[frame["verdict"].isin(order[2:])].reset_index(drop=True)
    blocks = [paragraph(f"Of {many(len(part.results.runs), 'run')}, answers: {said}.")]
    blocks += [_shown(show(grave, rows=None))] if len(grave) else []
    blocks += [fold("what is unknown, and what is in order", _shown(show(rest, rows=None)))]
    return together(blocks)


def _settings(part: Part) -> list[Block]:
    settings = part.results.settings
    side = next((one for one in part.comparisons if one.between is not None), None)
    if not len(settings):
        return [paragraph("The files do not say which options were set.")]
    found: list[Block] = []
    between = side.between if side is not None else None
    if side is not None and between in settings and differs(settings, str(between)):
        differ = settings_diff(settings, between=str(between), baseline=side.baseline)
        if len(differ):
            found.append(_shown(show(differ, rows=None)))
        else:
            found.append(
                paragraph("All sides had the same options, but for the names of files and folders.")
            )
    alike = settings.drop_duplicates(["option", "text"])
    rows = [
        (option, ", ".join(dict.fromkeys(map(str, own["text"].dropna()))) or "set")
        for option, own in alike.groupby("option", sort=False)
    ]
    found.append(fold(f"all {len(rows)} options", table([], rows), printed=True))
    return found


def _shown(readable: Readable) -> Block:
    return Block(repr(readable), readable._repr_html_())


def _named(name: str, folder: Path) -> Block | str:
    """Name a file by a link to it, if it was made."""
    return link(name, (folder / name).as_posix()) if name else "-"
