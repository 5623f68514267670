"""Command lines as people type them: which program runs, and with what."""

from __future__ import annotations

import re
import shlex

# words before a program that do not change which program it is
_WRAPPERS = {"time", "command", "sudo", "doas", "env", "nice", "ionice", "exec", "nohup", "stdbuf"}
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*")
_FACTORS = {
    "": 1,
    "c": 1,
    "w": 2,
    "b": 512,
    "k": 1024,
    "kb": 1000,
    "m": 1024**2,
    "mb": 1000**2,
    "g": 1024**3,
    "gb": 1000**3,
    "t": 1024**4,
    "tb": 1000**4,
}


def words(command: str) -> list[str]:
    """Split a command line into words, as far as a shell would.

    Examples
    --------
    >>> words("time dd if='my file' of=/dev/null 2>&1")
    ['time', 'dd', 'if=my file', 'of=/dev/null', '2>&1']
    """
    try:
        return shlex.split(command)
    except ValueError:  # an unbalanced quote: prose, or a line cut off
        return command.split()


def programs(command: str) -> list[str]:
    """Name the programs of a command line, without path, wrappers and assignments.

    Examples
    --------
    >>> programs("sudo time dd if=a of=b && sync; cat x | wc -c")
    ['dd', 'sync', 'cat', 'wc']
    """
    found = []
    for part in re.split(r"\|\|?|&&|;", command):
        for word in words(part):
            bare = re.split(r"[\\/]", word.lstrip("({!"))[-1]
            if not bare or bare in _WRAPPERS or word.startswith("-") or _ASSIGNMENT.fullmatch(word):
                continue
            found.append(bare)
            break
    return found


def is_timed(command: str) -> bool:
    """Say whether a command line times what it runs."""
    return bool(re.search(r"(?:^|[;&|(]\s*|\s)(?:\S*/)?time(?:\s+-\w+)*\s", command))


def untimed(command: str) -> str:
    """Drop a leading ``time``.

    Examples
    --------
    >>> untimed("time -p cat data.raw > /dev/null")
    'cat data.raw > /dev/null'
    """
    return re.sub(r"^\s*(?:\S*/)?time\s+(?:-p\s+)?", "", command).strip()


def operands(command: str, program: str) -> dict[str, str]:
    """Collect the ``name=value`` operands of one program in a command line.

    Examples
    --------
    >>> operands("time dd if=/dev/zero of=x bs=1M && sync", "dd")
    {'if': '/dev/zero', 'of': 'x', 'bs': '1M'}
    """
    for part in re.split(r"\|\|?|&&|;", command):
        if program not in programs(part):
            continue
        listed = words(part)
        at = next(i for i, w in enumerate(listed) if re.split(r"[\\/]", w)[-1] == program)
        given = (word.partition("=") for word in listed[at + 1 :] if re.match("[a-z]+=", word))
        return {name: value for name, _, value in given}
    return {}


def dd_number(text: str) -> int | None:
    """Read a number as dd does: ``1M``, ``1MB``, ``1024x1024``.

    Examples
    --------
    >>> dd_number("1024M"), dd_number("1024x1024"), dd_number("$size")
    (1073741824, 1048576, None)
    """
    product = 1
    for part in text.split("x"):
        match = re.fullmatch(r"(\d+)([a-zA-Z]*)", part)
        suffix = match[2].lower().removesuffix("ib") if match else None
        if match and match[2][1:] == "iB":
            suffix = match[2][0].lower()
        if not match or suffix not in _FACTORS:
            return None
        product *= int(match[1]) * _FACTORS[suffix]
    return product
