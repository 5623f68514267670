"""What a check can find: its verdict and its sentences, which stand in ``outcomes.toml``.

A finding has a stable id, ``check.outcome``, and the values of its sentences. A value may be a part
of a sentence itself, a phrase with values of its own. So the same finding can be written in
English, as frames have it, and in the language of a plot.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from fiotools.words import DIFFERS, filled

Values: TypeAlias = Mapping[str, Any]
Phrase: TypeAlias = dict[str, dict[str, Any]]
Say: TypeAlias = Callable[..., str]


class Outcome(NamedTuple):
    """What follows from what was found: sentences with places for values."""

    verdict: str
    why: str
    remedy: str = ""
    basis: str = ""
    needs: tuple[str, ...] = ()  # arguments of `check` without which it is unknown


@cache
def outcomes() -> dict[str, Outcome]:
    """Read all outcomes, by their ids."""
    found = {}
    for check, table in _tables().items():
        if check in ("phrases", "remedies"):
            continue
        needs, basis = table.get("needs", {}), table.get("basis", "")
        for name, told in table.items():
            if isinstance(told, list):
                verdict, why, remedy, own = (*told, "", "")[:4]
                given = tuple(needs.get(name, ()))
                found[f"{check}.{name}"] = Outcome(verdict, why, remedy, own or basis, given)
    return found


@cache
def _tables() -> dict[str, Any]:
    text = Path(__file__).with_name("outcomes.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def phrase(name: str, /, **values: Any) -> Phrase:
    """Make a part of a sentence."""
    return {name: values}


def why(finding: str, values: Values, say: Say = filled) -> str:
    """Say what was found."""
    return _sentence(outcomes()[finding].why, values, say)


def remedy(finding: str, values: Values, say: Say = filled) -> str:
    """Say what to do, or what to find out; nothing if there is nothing to do."""
    return _sentence(outcomes()[finding].remedy, values, say)


def basis(finding: str, values: Values) -> str:
    """Say where the limit comes from."""
    return _sentence(outcomes()[finding].basis, values, filled)


def kind(value: Any) -> Any:
    """Give the values of a finding without their numbers: findings of one kind differ in these."""
    if isinstance(value, dict):
        return tuple((name, kind(one)) for name, one in value.items())
    if isinstance(value, list):
        return tuple(map(kind, value))
    return value if isinstance(value, str) else None


def together(several: Sequence[Any]) -> Any:
    """Give the values of findings of one kind, with a sign for each number that differs."""
    first = several[0]
    if isinstance(first, dict):
        return {name: together([one[name] for one in several]) for name in first}
    if isinstance(first, list):
        return [together(parts) for parts in zip(*several, strict=True)]
    return first if all(one == first for one in several) else DIFFERS


def needs(finding: str, values: Values) -> list[str]:
    """Name the arguments of `check` without which a finding is unknown."""
    missing = [name for part in values.get("missing", ()) for name in part]
    return [*outcomes()[finding].needs, *missing]


def read(details: str | None) -> dict[str, Any]:
    """Read the values of a finding in a frame."""
    found: dict[str, Any] = json.loads(details) if details else {}
    return found


def _sentence(template: str, values: Values, say: Say) -> str:
    if not template:
        return ""
    there = {name: _part(value, say) for name, value in values.items()} if values else {}
    parts = []
    for part in template.split(" | "):
        text = _tables()["remedies"][part[1:]] if part.startswith("@") else part
        parts.append(say(text, **there))
    return say("; ").join(parts) if len(parts) > 1 else parts[0]


def _part(value: Any, say: Say) -> Any:
    if isinstance(value, dict):
        ((name, own),) = value.items()
        return _sentence(_tables()["phrases"][name], own, say)
    if isinstance(value, list):
        return [_part(one, say) for one in value]
    return say(value) if isinstance(value, str) and say is not filled else value
