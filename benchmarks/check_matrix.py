"""How often `check` misses, and how often it accuses the innocent.

The cases are outputs with a known origin, so it is known whether their numbers are the device's
(``tests/fixtures/check_matrix``). A dishonest case is caught if `check` finds anything suspect or
impossible in it, else missed; an honest one is a false alarm then, else quiet. ``python -m
benchmarks.check_matrix`` writes that into CLAIMS.md.
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import fiotools as ft
from benchmarks import claims

OUTPUTS = Path(__file__).parents[1] / "tests" / "fixtures" / "check_matrix"
CASES = OUTPUTS / "cases.toml"
# these accuse many honest runs too, so they count only if a case says so
_ASIDE = ("dd_time", "depth")

Case = dict[str, Any]  # a table of cases.toml, described in its README


@dataclass(frozen=True)
class Outcome:
    """The result of a case.

    Attributes
    ----------
    name, kind : str
    is_honest : bool
        Whether the number is the device's.
    rule : str
        What in the output decides that it is not; empty if nothing does.
    accused : dict
        The checks that found something suspect or impossible, each with its reason.
    """

    name: str
    kind: str
    is_honest: bool
    rule: str
    accused: dict[str, str]

    @property
    def word(self) -> str:
        """Name it: quiet, false, caught or missed."""
        if self.is_honest:
            return "false" if self.accused else "quiet"
        return "caught" if self.accused else "missed"


def cases() -> list[Case]:
    """List the cases in their order, each with the values of its group."""
    groups = _table()["group"]
    return [{**group, **case} for group in groups for case in group["cases"]]


def places() -> dict[str, str]:
    """Return the commands that set a place up, by its name."""
    return dict(_table()["places"])


def _table() -> dict[str, Any]:
    return tomllib.loads(CASES.read_text(encoding="utf-8"))


def name(case: Case) -> str:
    """Name a case: by its name, or else by its file."""
    return str(case.get("name") or Path(case["file"]).stem.partition("--")[2])


def edited(raw: str, edits: dict[str, Any] | list[list[str]]) -> str:
    """Replace values by their place in the JSON, or old texts by new ones."""
    if isinstance(edits, dict):
        report = json.loads(raw)
        for path, value in edits.items():
            _set(report, path.split("/"), value)
        return json.dumps(report, indent=2)
    for old, new in edits:
        if old not in raw:
            raise ValueError(f"there is no {old!r} to edit")
        raw = raw.replace(old, new)
    return raw


def _set(report: Any, path: list[str], value: Any) -> None:
    """Replace a value; "* 3" multiplies the old one."""
    for key in path[:-1]:
        report = report[int(key) if isinstance(report, list) else key]
    old = report[path[-1]]
    if isinstance(value, str) and value.startswith("* "):
        value = type(old)(old * float(value[2:]))
    report[path[-1]] = value


def outcomes(told: Sequence[Case]) -> list[Outcome]:
    """Call `check` with many cases at once, but never with the same output twice."""
    rounds: dict[tuple[str, int], list[Case]] = defaultdict(list)
    uses: Counter[tuple[str, str]] = Counter()
    for case in told:
        given = json.dumps(case.get("check", {}))
        uses.update(own := {(given, file) for file in _sides(case).values()})
        rounds[given, max(uses[one] for one in own)].append(case)
    found = {}
    for (given, _), own in rounds.items():
        with TemporaryDirectory() as folder:
            for case in own:
                _write(case, Path(folder))
            seen = ft.check(ft.read(f"{folder}/{{case}}/{{side}}"), **json.loads(given))
        accused = seen[seen["verdict"].isin(["suspect", "impossible"])]
        for case in own:
            rows = accused[accused["case"] == name(case)]
            reasons = dict(zip(rows["check"], rows["why"], strict=True))
            aside = () if case["honest"] or case.get("is_short") else _ASIDE
            found[name(case)] = {one: why for one, why in reasons.items() if one not in aside}
    return [
        Outcome(name(case), case["kind"], case["honest"], case.get("rule", ""), found[name(case)])
        for case in told
    ]


def _sides(case: Case) -> dict[str, str]:
    return dict(case.get("sides") or {"only": case["file"]})


def _write(case: Case, folder: Path) -> None:
    """Write the outputs of a case, the last of which may be edited."""
    (folder / name(case)).mkdir()
    texts = {side: (OUTPUTS / file).read_bytes().decode() for side, file in _sides(case).items()}
    if "edits" in case:
        last = [*texts][-1]
        texts[last] = edited(texts[last], case["edits"])
    for side, text in texts.items():
        (folder / name(case) / side).write_bytes(text.encode())


def rates(found: Iterable[Outcome]) -> dict[str, tuple[int, int]]:
    """Count the errors: (how many, of how many)."""
    found = list(found)
    told = [one for one in found if not one.is_honest]
    honest = [one for one in found if one.is_honest]
    return {
        "honest cases accused": (_count(honest, "false"), len(honest)),
        "dishonest cases missed": (_count(told, "missed"), len(told)),
    }


def _count(found: Iterable[Outcome], word: str) -> int:
    return sum(one.word == word for one in found)


def report(found: list[Outcome]) -> Iterator[str]:
    """Write the section, line by line."""
    yield "Outputs of known origin: `tests/fixtures/check_matrix/cases.toml` says how each was"
    yield "made. Where one is missed, nothing in the output decides, unless it is named here.\n"
    yield "| | cases | of | share |"
    yield "|---|---|---|---|"
    for what, (wrong, every) in rates(found).items():
        yield f"| {what} | {wrong} | {every} | {100 * wrong / max(every, 1):.1f} % |"
    for is_honest, good, bad in ((True, "quiet", "false"), (False, "caught", "missed")):
        own = [one for one in found if one.is_honest is is_honest]
        yield f"\n| {'honest' if is_honest else 'dishonest'} | {good} | {bad} | by |"
        yield "|---|---|---|---|"
        counts = Counter((one.kind, one.word) for one in own)
        for kind in dict.fromkeys(one.kind for one in own):
            by = Counter(check for one in own if one.kind == kind for check in one.accused)
            names = ", ".join(f"`{check}` {n}" for check, n in by.most_common())
            yield f"| {kind} | {counts[kind, good]} | {counts[kind, bad]} | {names} |"
        for one in own:
            if one.word == bad and (one.accused or one.rule):
                said = "; ".join(f"`{check}`: {why}" for check, why in one.accused.items())
                yield f"\n* {one.name} ({one.kind}): {said or one.rule}"


if __name__ == "__main__":
    claims.write(
        "Accused, and missed", "python -m benchmarks.check_matrix", report(outcomes(cases()))
    )
