"""`study`: a folder of results, with everything that its report shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from fiotools.display import explained
from fiotools.display.layout import given
from fiotools.errors import SchemaError
from fiotools.reports.blocks import (
    NOTHING,
    Block,
    Heading,
    address,
    fold,
    listing,
    of_frame,
    paragraph,
    table,
    together,
    verdicts,
)
from fiotools.reports.credibility import Doubt, checked, doubts, weighed
from fiotools.reports.findings import Finding, findings, top
from fiotools.reports.method import files, measured
from fiotools.reports.questions import Choices, Comparison, comparisons
from fiotools.reports.sentences import (
    UNKNOWN,
    Sentence,
    across,
    headline,
    headline_of_sweep,
    of_sweep,
    sentences,
)
from fiotools.reports.subjects import Source, gather
from fiotools.stats.explain import METRICS, explain
from fiotools.stats.explain import NOTHING as NOTHING_TO_EXPLAIN
from fiotools.stats.settings import settings_diff
from fiotools.tables import naming
from fiotools.vocabulary import GRAVEST
from fiotools.words import counted, named

if TYPE_CHECKING:
    from fiotools.reports.figures import Pieces

_MACHINE = "the procedure, the machine and the commands"
_EACH = "each cell alone"
_PARTS = "the parts and their arithmetic"
_HOW = (
    "A ratio is a side over its baseline, in brackets its 95 % interval; n counts the runs of each "
    "side. Differences up to 5 % do not count."
)
_QUESTION = (
    "which side is faster at which workload, by how many times, and can the numbers be those of a "
    "disk?"
)
_ALONE = "what was measured, and can the numbers be those of a disk?"
_FEW = 3  # rows of an answer that need no fold


@dataclass(frozen=True, kw_only=True)
class StudyPart(Source):
    """One campaign, or one reading of files, with its comparisons."""

    comparisons: list[Comparison]  # each with its frame and its answer
    told: Mapping[str, Any]  # facts that the caller knows, for `fiotools.check`

    @property
    def title(self) -> str:
        """Name the part and its experiment's question."""
        if self.campaign is None:
            return self.folder or "The results"
        question = self.campaign.experiment.question
        return named(self.name, question)

    @property
    def side(self) -> str | None:
        """The label that holds the sides; None if they are told apart within a file."""
        if self.campaign is not None:
            return "place"
        return next((one.between for one in self.comparisons if one.between in self.checks), None)

    @cached_property
    def checks(self) -> pd.DataFrame:
        """The answer of `fiotools.check` for every run."""
        return checked(self, self.told)

    @cached_property
    def doubts(self) -> list[Doubt]:
        """Sides, and why their numbers may not be those of a disk."""
        own = [Doubt("", said) for said in self.lacking]
        return [*own, *doubts(self, self.checks, self.side)]

    @cached_property
    def found(self) -> list[list[Finding]]:
        """What each comparison found of its sides."""
        return [[*findings(one)] for one in self.comparisons]

    @property
    def findings(self) -> list[Finding]:
        """What was found of all sides, the clearest first."""
        every = [one for own in self.found for one in own]
        return sorted(every, key=lambda one: one.clearness, reverse=True)

    @property
    def headline(self) -> str:
        """The main finding in a few words; empty if nothing was compared or swept."""
        if not self.findings:
            tops = [own for one in self.comparisons if (own := top(one)) is not None]
            return headline_of_sweep(tops[0]) if tops else ""
        found = self.findings[0]
        said, over = headline(found), found.over
        sides = ("", str(over[str(found.comparison.between)]), str(over["baseline"]))
        for doubt in self.doubts:
            if doubt.is_impossible and doubt.side in sides:
                begun = f"{doubt.lead[0].upper()}{doubt.lead[1:]}"
                return f"{named(doubt.side, doubt.lead) if doubt.side else begun}; {said}"
        return said

    def figures(self, out: str | Path, kind: str = "png") -> Iterator[Pieces]:
        """Draw the plots that the tables allow, one at a time, and save them in a folder."""
        from fiotools.reports.figures import figures

        return figures(self, self.comparisons, Path(out), kind)


@dataclass(frozen=True)
class Study:
    """The parts of a report; each method returns a piece of the page."""

    parts: list[StudyPart]

    @property
    def unread(self) -> pd.DataFrame:
        """The notes on files that could not be read; a run that failed can be."""
        read = {source for part in self.parts for source in part.results.runs["source"]}
        notes = self.notes
        is_lost = notes["severity"].eq("error") & ~notes["source"].isin(read)
        return notes[is_lost].reset_index(drop=True)

    @property
    def notes(self) -> pd.DataFrame:
        """All notes of the readers."""
        frames = [part.results.notes for part in self.parts]
        return pd.concat([f for f in frames if len(f)] or frames[:1], ignore_index=True)

    def __repr__(self) -> str:
        return "\n".join(f"{part.name}: {_about(part)}" for part in self.parts)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return self.about()._repr_mimebundle_()

    def about(self) -> Block:
        """Say in a line of each part what was read."""
        return listing([(part.name, _about(part)) for part in self.parts], "plain")

    @property
    def headline(self) -> str:
        """The main finding in a few words, or what was read if there is none."""
        told = [part for part in self.parts if part.headline]
        if not told:
            return f"The results: {', '.join(_read(part) for part in self.parts[:1])}"
        first = max(told, key=lambda part: [one.clearness for one in part.findings[:1]])
        return f"{first.name}, {first.headline}" if len(self.parts) > 1 else first.headline

    @property
    def question(self) -> str:
        """The question that the page answers."""
        return _QUESTION if any(part.findings for part in self.parts) else _ALONE

    def verdict(self) -> Block:
        """Say in words what was found, after what voids it and before its other caveats."""
        every = [one.doubts for one in self.parts]
        common = [one for one in every[0] if all(one in others for others in every)]
        common = common if len(every) > 1 else []
        found = [_caveats(common)]
        for part in self.parts:
            found += [Heading(part.title, 4)] if len(self.parts) > 1 else []
            own = [one for one in part.doubts if one not in common]
            found.append(_caveats([one for one in own if one.lead]))
            found += _found(part)
            found.append(_caveats([one for one in own if not one.lead]))
        return together(found)

    def credibility(self) -> Block:
        """Say of every run how far to trust its numbers."""
        return self._of_each(lambda part: [_weighed(part)])

    def explained(self) -> Block:
        """Split what was compared into parts that add up; nothing if no part has any."""
        each = {part.name: [*_explained(part)] for part in self.parts}
        if not any(each.values()):
            return NOTHING
        return self._of_each(lambda part: each[part.name])

    def settings(self) -> Block:
        """List the options that differ between the sides."""
        return self._of_each(_settings)

    def tables(self) -> Block:
        """Hold all tables, answers and raw outputs as files to save from the page."""

        def of(part: StudyPart) -> list[Block]:
            answers = {"checks": part.checks}
            for at, one in enumerate(part.comparisons):
                if one.answer is not None:
                    answers[f"comparison{at + 1 if at else ''}"] = one.answer
            there = [*files(part, answers)]
            links = {file.name: address(file.content) for file in there if file.name}
            rows = [(file.name or "-", file.what, file.size) for file in there]
            return [table([], rows, "facts files", links)]

        return self._of_each(of)

    def measured(self) -> Block:
        """Tell how it was measured."""
        return self._of_each(lambda part: [fold(_MACHINE, measured(part), printed=True)])

    def _of_each(self, tell: Callable[[StudyPart], Sequence[Block]]) -> Block:
        """Write something for each part, below its name if there are several."""
        found: list[Block] = []
        for part in self.parts:
            found += [Heading(part.name, 4)] if len(self.parts) > 1 else []
            found += tell(part)
        return together(found)

    def remarks(self) -> Block:
        """List the notes of the readers, each kind once."""
        notes = self.notes
        if not len(notes):
            return paragraph("Nothing: every file was read to its end.")
        order = {"error": 0, "warning": 1, "info": 2}
        notes = notes.iloc[notes["severity"].map(order).argsort(kind="stable")]
        groups = notes.groupby(["severity", "message"], sort=False, dropna=False)
        rows = []
        for (severity, message), part in groups:
            files = list(dict.fromkeys(part["source"]))
            where = files[:1]
            if files[1:]:
                where.append(counted(len(files) - 1, "and {n} other file", "and {n} other files"))
            rows.append((str(severity), ", ".join(where), str(message)))
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
    """Open results, and compute everything that a report shows.

    Parameters
    ----------
    sources : path, list of paths, mapping of label to paths, or Results
        The folder of a campaign of ``fiotools measure``, a folder that holds several, whatever
        `fiotools.read` takes, or what it returned.
    between, baseline, by
        As in `fiotools.compare`. By default the question of the experiment, or the sides that
        labels, the path template, file names or columns of the runs tell apart; the baseline is
        the first.
    metric : str, optional
        The column to compare.
    **known
        Facts that the files do not hold, as in `fiotools.check`: ``ram``, ``link``, ``media``, ...

    Returns
    -------
    Study
        Its ``parts`` have the tables and the answers.

    Raises
    ------
    FileNotFoundError
        If a file does not exist.
    FiotoolsError
        If no file can be read, or nothing can be compared.

    Examples
    --------
    >>> one = study("data/page-cache/{cache}.txt", baseline="before")
    >>> one.parts[0].comparisons[0].answer["speedup"].round(2).tolist()
    [9.36]
    >>> one.headline
    'after against before: 9.36 times as fast, one run each'
    """
    names = [by] if isinstance(by, str) else by
    wish = Choices(between, baseline, metric, tuple(naming.split(names)) if names else None)
    told = {name: value for name, value in known.items() if value not in (None, False)}
    if told.keys() & {"sides", "copies"}:
        told |= {"between": between, "baseline": baseline}
    parts = [
        StudyPart(**vars(one), comparisons=comparisons(one, wish), told=told)
        for one in gather(sources)
    ]
    return Study(parts)


def _about(part: StudyPart) -> str:
    """Say in one line what was read."""
    one = part.campaign
    if one is None:
        notes = len(part.results.notes)
        found = [_read(part), *([counted(notes, "{n} note", "{n} notes")] if notes else [])]
        return ", ".join([f"{found[0]} in {_files(part)}", *found[1:]])
    places, day = ", ".join(one.asked.places), one.session["started_at"][:10]
    return f"{_read(part)} on {places}; {day}, {one.asked.effort} campaign"


def _read(part: StudyPart) -> str:
    """Count the runs, and name their tools."""
    runs = part.results.runs
    return f"{_runs(runs)} of {' and '.join(dict.fromkeys(runs['tool']))}"


def _files(part: StudyPart) -> str:
    return counted(part.results.files, "{n} file", "{n} files")


def _runs(runs: pd.DataFrame) -> str:
    return counted(len(runs), "{n} run", "{n} runs")


def _found(part: StudyPart) -> list[Block]:
    """Say what was found: of each comparison the line over all cells, and then each cell."""
    asked = part.comparisons
    if not asked:
        return [paragraph("There is nothing to compare: the files hold no totals of I/O.")]
    found = [
        _verdict(one, own, several=len(asked) > 1)
        for one, own in zip(asked, part.found, strict=True)
    ]
    how = [f"{said[0].upper()}{said[1:]}." for said in part.said]
    baselines = dict.fromkeys(str(one.baseline) for one in asked if one.answer is not None)
    if baselines:
        are = "baseline is" if len(baselines) == 1 else "baselines are"
        how.append(f"The {are} {' and '.join(baselines)}. {_HOW}")
    return [*found, *(paragraph(text, "how") for text in how)]


def _caveats(doubts: list[Doubt]) -> Block:
    """Fold caveats; the line counts them, and names the gravest."""
    if not doubts:
        return NOTHING
    grave = doubts[0]
    sides = dict.fromkeys(one.side for one in doubts if grave.lead and one.lead == grave.lead)
    said = named(", ".join(sides) or grave.side, grave.lead or grave.said)
    line = counted(len(doubts), "{n} caveat", "{n} caveats")
    every = [(one.side, one.said) for one in doubts]
    return fold(named(line, said), listing(every, "doubts"), printed=True)


def _verdict(one: Comparison, found: list[Finding], *, several: bool) -> Block:
    """Write the verdict of one comparison: over all cells, and of each."""
    lead = [paragraph(f"{one.title[0].upper()}{one.title[1:]}", "asked")] if several else []
    lead += [paragraph(f"{one.said}.")] if one.said else []
    if one.answer is None:
        best = top(one)
        swept = [] if best is None else of_sweep(best)
        said = listing([(own.head, own.rest) for own in swept])
        return together([*lead, said, paragraph(f"No comparison: {one.problem}.")])
    over_all = [own for own in found if len(own.cells) > 1]
    whole, answer = [across(own) for own in over_all], one.answer
    if any(own.count == 1 for own in over_all):
        answer = answer[~answer["direction"].eq("total")]  # it is said already
    each = sentences(answer)
    after = _below(one, each)
    if len(each) > 1 and any(UNKNOWN in said.parts for said in each):
        each = [
            replace(said, parts=tuple(part for part in said.parts if part != UNKNOWN))
            for said in each
        ]
    if whole and len(answer) > _FEW:
        return together([*lead, verdicts(whole), fold(_EACH, verdicts(each), *after, printed=True)])
    return together([*lead, verdicts([*whole, *each]), *after])


def _below(one: Comparison, said: list[Sentence]) -> list[Block]:
    """Say below the sentences what holds for several of them."""
    after = []
    if len(said) > 1 and any(UNKNOWN in own.parts for own in said):
        after.append("The spread between runs is unknown where a side has one run.")
    if "direction" in one.by and {"source", "run"} <= set(one.frame):
        ways = one.frame.groupby(["source", "run"])["direction"].nunique()
        if ways.gt(1).any():
            after.append("Read, write and total of one run are one observation, not three.")
    return [paragraph(text, "how") for text in after]


def _weighed(part: StudyPart) -> Block:
    counts = part.checks["verdict"].value_counts()
    said = ", ".join(f"{counts.get(verdict, 0)} {verdict}" for verdict in GRAVEST)
    frame = weighed(part.checks, part.side)
    shares = zip(frame.pop("some"), frame.pop("every"), strict=True)
    shown = [f"{some} of {every}" for some, every in shares]
    frame.insert(len(frame.columns) - 2, "runs", shown)
    grave = frame[frame["verdict"].isin(GRAVEST[:2])].reset_index(drop=True)
    rest = frame[frame["verdict"].isin(GRAVEST[2:])].reset_index(drop=True)
    runs = _runs(part.results.runs)
    blocks = [paragraph(f"{runs}, answers: {said}.")]
    blocks += [of_frame(grave)] if len(grave) else []
    blocks += [fold("the unknown and the ok", of_frame(rest))]
    return together(blocks)


def _explained(part: StudyPart) -> Iterator[Block]:
    """Answer in a line for each cell, with the parts behind a fold."""
    for one in part.comparisons:
        if one.answer is None or one.metric not in METRICS:
            continue
        by = [name for name in one.by if name != "direction"]
        sides: dict[str, Any] = {"between": one.between, "baseline": one.baseline, "by": by}
        facts = {name: part.told[name] for name in ("ram", "link", "media") if name in part.told}
        try:
            answer = explain(part.results, one.metric, **sides, **facts)
        except SchemaError:  # sides that are made of several tables
            continue
        rows = answer.to_dict("records")
        yield listing(explained.headline(cell) for cell in explained.cells(rows))
        if {*answer["verdict"]} != {NOTHING_TO_EXPLAIN}:
            yield fold(_PARTS, of_frame(answer), printed=True)


def _settings(part: StudyPart) -> list[Block]:
    settings = part.results.settings
    if not len(settings):
        return [paragraph("The files hold no options.")]
    found: list[Block] = []
    side = next((one for one in part.comparisons if one.between in settings), None)
    if side is not None:
        # some files may hold no options, or have no side
        own = settings.dropna(subset=[side.between])
        levels = {*own[side.between]}
        if side.baseline in levels and len(levels) > 1:
            differ = settings_diff(own, between=str(side.between), baseline=side.baseline)
            said = "All sides had the same options, except for names of files and folders."
            found.append(of_frame(differ) if len(differ) else paragraph(said))
    alike = settings.drop_duplicates(["option", "text"])
    rows = [
        (option, ", ".join(dict.fromkeys(map(given, own["text"].fillna("")))))
        for option, own in alike.groupby("option", sort=False)
    ]
    found.append(fold(f"all {len(rows)} options", table([], rows), printed=True))
    return found
