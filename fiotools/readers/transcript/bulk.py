"""Many small sessions of the usual layout, read side by side.

The layout is that of ``time dd`` in bash, with plain operands (`transcript_sessions`). What stands
above the command, prompt and all, may be anything on which `transcript` finds that command and
nothing else: that is tried once, on a session of our own. What is not laid out so is read by
`transcript`, and so is a report that asks for a closer look.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fiotools.errors import FileError
from fiotools.readers.dd import lines as dd_lines
from fiotools.readers.dd import operands as dd_operands
from fiotools.readers.transcript import rows as transcript_rows
from fiotools.readers.transcript import sessions as transcript_sessions
from fiotools.readers.transcript.rows import Typed
from fiotools.tables import Tables

if TYPE_CHECKING:
    from fiotools.joining import Piece
    from fiotools.readers.transcript.sessions import Sessions

_FEW = 8  # files: so few are read one by one
_LARGEST = 2**16  # bytes: a larger file gains nothing by company
_TRIALS = 64  # what stands above the commands differs more often than is usual
_BEGIN = b"time "
_COMMAND = re.compile(r"time (?:sudo )?dd((?: [a-z]++=[A-Za-z0-9_./:,-]++)++)")
# what another reader, a mailer or a packer might see in an operand
_ODD = ("real", "Real", "elapsed", "system", "fio", "meminfo", "ustar", "=3D")
_FIGURES = re.compile(dd_lines.FIGURES)
_MACHINE = re.compile(rb"free|meminfo|lsblk")
_TRIED = "time dd if=/a of=/b bs=1M"
_REPORT = (
    "\n\r9000000 bytes (9.0 MB, 8.6 MiB) copied, 1 s, 9.0 MB/s\n1+0 records in\n1+0 records out\n"
    "1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.5 s, 2.1 MB/s\n"
    "\nreal\t0m0.501s\nuser\t0m0.001s\nsys\t0m0.002s\n"
)
_NAMED = dd_operands.SOURCES | dd_operands.SINKS  # the paths that tell a direction


class _Prompt(NamedTuple):
    """What stands above a command."""

    is_usual: bool = False
    host: str | None = None


class Bulk:
    """Takes sessions of the usual layout, as `fiotools.readers.base.Bulk` says."""

    def __init__(self, wanted: Collection[str] | None) -> None:
        self._wants = Tables("", wanted).wants
        self._numbers: list[int] = []
        self._texts: list[bytes] = []
        self._prompts: dict[bytes, _Prompt] = {}
        self._told: dict[tuple[tuple[str, ...], tuple[str, ...]], int] = {}

    def take(self, number: int, data: bytes) -> bool:
        """Take a file if it ends as such a session does."""
        if data[-2:] != b"s\n" or data.find(b"\nreal\t", -100) < 0 or len(data) > _LARGEST:
            return False
        self._numbers.append(number)
        self._texts.append(data)
        return True

    def finish(self) -> tuple[dict[str, list[Piece]], list[int]]:
        """Give the rows of the sessions, and the numbers of the files that are none."""
        if len(self._numbers) < _FEW:
            return {}, self._numbers
        sessions, typed = transcript_sessions.find(self._texts), Typed()
        sessions = sessions.take(np.array(self._usual(sessions, typed), dtype=np.intp))
        odd = set(range(len(self._texts))).difference(sessions.file.tolist())
        numbers = np.array(self._numbers, dtype=np.int32)[sessions.file]
        rows = {}
        if len(sessions):
            rows = transcript_rows.pieces(numbers, sessions, typed, self._wants)
        return rows, [self._numbers[file] for file in sorted(odd)]

    def _usual(self, sessions: Sessions, typed: Typed) -> list[int]:
        """Read the commands; list the sessions with one of the usual form below nothing else."""
        heads, lines = [], []
        for file, start in zip(sessions.file.tolist(), sessions.start.tolist(), strict=True):
            text = self._texts[file]
            at = text.find(_BEGIN, start)
            heads.append(text[:at])
            lines.append(text[at : text.find(b"\n", at)])
        together = b"\n".join(lines).decode("latin-1")
        odd = [part for part in _ODD if part in together]
        if "," in together:
            odd += _FIGURES.findall(together)
        prompts, usual = self._prompts, []
        for place, command in enumerate(together.split("\n") if lines else ()):
            match = _COMMAND.fullmatch(command)
            if not match or (odd and any(part in command for part in odd)):
                continue
            prompt = prompts.get(heads[place]) or self._prompt(heads[place])
            words = match[1].replace("=", " ").split(" ")
            names, values = tuple(words[1::2]), words[2::2]
            paths = _paths(names)
            if prompt.is_usual and paths is not None:
                usual.append(place)
                number = self._told_by(names, values, paths, typed)
                target = typed.places[number]
                typed.commands.append(command)
                typed.hosts.append(prompt.host)
                typed.told.append(number)
                typed.values.append(values)
                typed.targets.append(None if target is None else values[target])
        return usual

    def _told_by(
        self, names: tuple[str, ...], values: list[str], paths: tuple[int, ...], typed: Typed
    ) -> int:
        """Give the number of what operands tell: of paths only some tell anything."""
        told = values.copy()
        for at in paths:
            if told[at] not in _NAMED:
                told[at] = "/"
        key = names, tuple(told)
        number = self._told.get(key)
        if number is None:
            number = self._told[key] = len(typed.operands)
            operands = dd_operands.told(dict(zip(names, told, strict=True)))
            typed.operands.append(operands)
            typed.names.append(names)
            target = operands.target
            typed.places.append(names.index(target) if target in names else None)
        return number

    def _prompt(self, head: bytes) -> _Prompt:
        """Try what stands above a command, unless much else was tried."""
        if len(self._prompts) >= _TRIALS:
            return _Prompt()
        prompt = self._prompts[head] = _tried(head)
        return prompt


@lru_cache(maxsize=256)
def _paths(names: tuple[str, ...]) -> tuple[int, ...] | None:
    """Say which operands are paths; none of this if one is given twice."""
    if len(set(names)) < len(names):
        return None
    return tuple(names.index(name) for name in ("if", "of") if name in names)


@lru_cache(maxsize=_TRIALS)
def _tried(head: bytes) -> _Prompt:
    """Read a session of our own below what stands above a command."""
    from fiotools.sniff import Document, sniff

    if _MACHINE.search(head):
        return _Prompt()
    data, tables = head + (_TRIED + _REPORT).encode(), Tables("")
    try:
        document = Document("", data)
        reader = sniff(document)
        reader.read(document, tables)
    except FileError:
        return _Prompt()
    runs = [*tables.rows("runs", "tool", "command", "host")]
    host = runs[0][2] if runs else None
    paths = {path for (path,) in tables.rows("extras", "path")}
    is_usual = (
        reader.name == "transcript"
        and document.text.encode() == data
        and not (document.remarks or document.unread() or tables.finish().blocks.get("notes"))
        and runs == [(tool, _TRIED, host) for tool in ("dd", "dd", "time")]
        and paths == {"records_in", "records_out", "rate"}
    )
    return _Prompt(is_usual, host)
