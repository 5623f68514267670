"""The library's messages say what to type in Python; here it becomes what to type in a shell."""

from __future__ import annotations

import re
from collections.abc import Callable

_NAME = r"([a-z_]+)"
_NAMES = r"[a-z_]+(?:, [a-z_]+)*"
# in this order: what the later ones would tear apart comes first
_RULES: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\.query\(\"([^\"]*)\"\)"), r'--where "\1"'),
    (re.compile(r"\.dropna\(subset='[a-z_]+'\)( \(and drop_nans\))?"), "--drop-missing"),
    (re.compile(r"combine\(io, to='(run|group)'\)"), r"--combine \1"),
    (re.compile(r"merge_bins\([^)]*\)"), "--merge"),
    (re.compile(r"steady=steady\(samples, round_s=1\)"), "--round 1s"),
    (re.compile(r"\bround_s=1\b"), "--round 1s"),
    (re.compile(r"\bround_s\b=?"), "--round "),
    (re.compile(rf"add '{_NAME}' to by="), r"--by \1"),
    (re.compile(r"name it in by= \(([^)]*)\)"), r"--by one of them (\1)"),
    (re.compile(r"name that in by="), "name it with --by"),
    (re.compile(rf"name ({_NAMES}) in by="), lambda names: f"--by {names[1].replace(', ', ',')}"),
    (re.compile(r"take it out of by="), "take it out of --by"),
    (re.compile(r"plot\.(\w+) draws"), r"fiotools plot \1 draws"),
    (re.compile(r"use compare\(\)"), "use fiotools compare"),
    (re.compile(r"fiotools\.formats\(\)"), "fiotools formats"),
    (re.compile(r"prefilled=True"), "--prefilled"),
    (re.compile(r"without format="), "without --reader"),
    (re.compile(r"\bformat="), "--reader "),
    (re.compile(r"\bversion="), "--tool-version "),
    (re.compile(r"name one, scope='([a-z]+)'"), r"name one, --scope \1"),
    # what is left is an argument of the same name: name='value', name=value, name=
    (re.compile(rf"(?<![\w\"'{{-]){_NAME}='([^']*)'"), r"--\1 \2"),
    (
        re.compile(
            r"(?<![\w\"'{-])(by|scope|between|baseline|sides|copies|pair|order|moved|ram|host_ram"
            r"|link|media|cache|devices|capacity|speedup_max|compression|metric|limit|y|hue)=(?=\W|$|\d)"
        ),
        r"--\1 ",
    ),
)
_OPTION = re.compile(r"--[a-z_]+")


def in_options(message: str) -> str:
    r"""Write a message in the options of the command line.

    Examples
    --------
    >>> in_options('''add 'direction' to by=, or keep one: .query("direction == 'total'")''')
    '--by direction, or keep one: --where "direction == \'total\'"'
    >>> in_options("make totals of them with combine(io, to='run'), or name scope=")
    'make totals of them with --combine run, or name --scope'
    """
    for pattern, words in _RULES:
        message = pattern.sub(words, message)
    message = _OPTION.sub(lambda option: option[0].replace("_", "-"), message)
    return re.sub(r" +(?=[,;:.)]|$)", "", re.sub(r" {2,}", " ", message))
