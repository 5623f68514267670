"""Command lines as people type them: their programs and arguments.

Several readers look at the same line, and thousands of files may hold it: results are cached.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import lru_cache

# words before a program
_WRAPPERS = {
    *("time", "gtime", "command", "builtin", "exec", "sudo", "doas", "env", "nohup", "nice"),
    *("ionice", "chrt", "taskset", "numactl", "timeout", "stdbuf", "setsid", "busybox", "toybox"),
    *("do", "then", "else", "elif", "if", "while", "until", "{", "(", "!"),
}
# options of wrappers that take the next word
_VALUED = {"-u", "-g", "-f", "-o", "--format", "--output", "-C", "-N", "-m"}
_NUMBER = re.compile(r"[0-9][0-9.,-]*[smhd]?")
_QUIET = {
    *("cd", "pushd", "popd", "ls", "ll", "dir", "rm", "mkdir", "rmdir", "cp", "mv", "ln", "touch"),
    *("echo", "printf", "sync", "free", "lsblk", "df", "du", "mount", "umount", "export", "unset"),
    *("set", "kill", "pkill", "killall", "sleep", "uname", "date", "vim", "vi", "nano", "chmod"),
    *("chown", "which", "type", "man", "clear", "history", "fdisk", "parted", "mkfs", "swapon"),
    *("swapoff", "mkswap", "sysctl", "apt", "apt-get", "yum", "dnf", "brew", "pip", "git", "true"),
}
_TOOLS = {"dd", "fio", "diskspd"}
# what people type in a session, beside those: with operands that no prose has, it is a command
_TYPED = {
    *("cat", "tar", "head", "tail", "grep", "bash", "sh", "ssh", "docker", "podman", "kubectl"),
    *("nerdctl", "wsl", "adb", "exit", "hyperfine", "smartctl", "nvme", "hdparm", "blkdiscard"),
    *("zpool", "zfs", "mdadm", "cryptsetup", "truncate", "fallocate", "Measure-Command"),
}
_OWN = re.compile(r"(?:\.{1,2}|~)[/\\]\w")  # a program of one's own
_OPERAND = re.compile(r"--?\w|.*[./=~$'{<>*]")
# an option of several letters without its value, and a value
_OPTION, _VALUE = re.compile(r"--?[a-z]\w+"), re.compile(r"\w+")
# words of sentences that begin with "time"
_PROSE = {
    *("to", "of", "is", "was", "are", "were", "be", "it", "its", "the", "a", "an", "and", "or"),
    *("we", "you", "this", "that", "on", "at", "by", "from", "as", "with", "without", "per"),
    *("taken", "took", "takes", "elapsed", "spent", "used", "needed", "required", "results"),
    *("output", "command", "seconds", "secs", "sec", "ms", "minutes", "between", "says", "shows"),
}
# quoted text and substitutions stay whole; a bare & is not part of 2>&1 or &>
_PIECE = re.compile(
    r"(?P<kept>[^'\"\\`\#|;&\n]+|'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|`[^`]*`|(?<=\S)\#)"
    r"|(?P<operator>\|\||&&|\|&?|;;?|(?<![<>])&(?![>])|\n)|(?P<comment>\#[^\n]*)",
    re.S,
)
_LOOP = re.compile(r"[;&|({\s](?:for|while|until|repeat|seq|xargs)\s")
_TIMED = re.compile(
    r"(?:^|[\s;&|({\"'`])(?:\S{0,200}/|\\)?(?:g?time)(?:\s+-\S+)*\s|\bMeasure-Command\b"
)
_LEADING_TIME = re.compile(r"^\s*(?:\S*/)?time\s+(?:-p\s+)?")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*")
_QUOTING = re.compile(r"[\"'\\]")
_WORD = re.compile(r"[^ \t\r\n]+")
_KEPT = 1024  # answers


@lru_cache(_KEPT)
def words(command: str) -> tuple[str, ...]:
    """Split a command line into words, as far as a shell would.

    Examples
    --------
    >>> words("time dd if='my file' of=/dev/null 2>&1")
    ('time', 'dd', 'if=my file', 'of=/dev/null', '2>&1')
    """
    if not _QUOTING.search(command):
        return tuple(_WORD.findall(command))
    try:
        return tuple(shlex.split(command))
    except ValueError:  # an unbalanced quote: prose, or a line cut off
        return tuple(command.split())


@lru_cache(_KEPT)
def simple(command: str) -> tuple[tuple[str, str], ...]:
    """Split a command line into simple commands, each with the operator before it.

    Examples
    --------
    >>> simple("sync; time dd if=a of=b 2>&1 | tail -1  # the last line")
    (('', 'sync'), (';', 'time dd if=a of=b 2>&1'), ('|', 'tail -1'))
    """
    found: list[tuple[str, str]] = []
    operator, start = "", 0
    for piece in _PIECE.finditer(command):
        if piece["kept"] is not None:
            continue
        found.append((operator, command[start : piece.start()].strip()))
        operator, start = (piece["operator"] or ";").strip() or ";", piece.end()
    found.append((operator, command[start:].strip()))
    return tuple([one for one in found if one[1]])


def uncommented(command: str) -> str:
    """Drop a comment at the end of a command line.

    Examples
    --------
    >>> uncommented("dd if=a of=b#1  # bs=1M is faster")
    'dd if=a of=b#1'
    """
    for piece in _PIECE.finditer(command) if "#" in command else ():
        if piece["comment"] is not None:
            return command[: piece.start()].rstrip()
    return command


@lru_cache(_KEPT)
def programs(command: str) -> tuple[str, ...]:
    """Name the programs of a command line, without path, wrappers and assignments.

    Examples
    --------
    >>> programs("sudo time dd if=a of=b && sync; cat x | wc -c")
    ('dd', 'sync', 'cat', 'wc')
    >>> programs("nice -n 10 timeout 60s dd of=x; for i in 1 2; do fio a.fio; done")
    ('dd', 'for', 'fio', 'done')
    """
    return tuple([name for name, *_ in _called(command)])


def _called(command: str) -> Iterator[tuple[str, ...]]:
    """Yield each program of a command line: its name, the word that calls it, its arguments."""
    for _, part in simple(command):
        listed, skip = words(part), False
        for at, word in enumerate(listed):
            bare = _base(word.lstrip("({!\\"))
            if skip or not bare or bare in _WRAPPERS or word.startswith("-"):
                skip = word in _VALUED
            elif not (_ASSIGNMENT.fullmatch(word) or _NUMBER.fullmatch(word)):
                yield (bare, *listed[at:])
                break


def _base(word: str) -> str:
    return word.replace("\\", "/").rpartition("/")[2]


@lru_cache(_KEPT)
def commands(command: str, program: str, depth: int = 2) -> tuple[tuple[str, ...], ...]:
    """List the simple commands of one program in a command line: the words behind its name.

    Examples
    --------
    >>> commands("time dd if=a of=b; bash -c 'dd if=b of=/dev/null' | tail", "dd")
    (('if=a', 'of=b'), ('if=b', 'of=/dev/null'))
    >>> commands("ssh host dd of=x; echo dd", "dd")
    (('of=x',),)
    """
    found: list[tuple[str, ...]] = []
    for _, part in simple(command):
        listed = words(part)
        for at, word in enumerate(listed):
            if program not in word:
                continue
            if " " in word and depth:
                found += commands(word, program, depth - 1)
            elif _base(word.lstrip("({")).removesuffix(".exe") == program and (
                any(map(_ASSIGNMENT.fullmatch, listed[at + 1 :])) or program in programs(part)
            ):
                found.append(listed[at + 1 :])
                break
    return tuple(found)


def is_measured(command: str, *, whole: bool = False) -> bool:
    """Return whether a command line certainly runs a tool whose reports are read.

    With ``whole``, the tool has nothing but operands and options.

    Examples
    --------
    >>> is_measured("docker run alpine dd if=/dev/zero of=x"), is_measured("dd is slow")
    (True, False)
    >>> is_measured("dd if=a of=b is slow"), is_measured("dd if=a of=b is slow", whole=True)
    (True, False)
    >>> is_measured("fio -rw read -bs 64k", whole=True), is_measured("fio -h is long", whole=True)
    (True, False)
    """
    command = command.rstrip("\\ ") if whole else command  # it goes on below
    return any(
        named and all(map(_OPERAND.match, _unvalued(named) if whole else named[:1]))
        for tool in (*_TOOLS, "hyperfine")
        for named in commands(command, tool)
    )


def _unvalued(named: tuple[str, ...]) -> Iterator[str]:
    """Yield the words of a command without the values that stand behind an option's name."""
    for above, word in zip(("", *named), named, strict=False):
        if not (_OPTION.fullmatch(above) and _VALUE.fullmatch(word)):
            yield word


@lru_cache(_KEPT)
def is_command(command: str) -> bool:
    """Return whether a text is certainly a command line: a known program, and its operands.

    Examples
    --------
    >>> is_command("cd /mnt"), is_command("sync"), is_command("cache on /mnt/b")
    (True, True, False)
    """
    return is_measured(command) or any(
        _OWN.match(called) is not None
        or (
            name.removesuffix(".exe") in _QUIET | _TYPED
            and (not given or any(map(_OPERAND.match, (given[0], given[-1]))))
        )
        for name, called, *given in _called(command)
    )


def is_concurrent(command: str) -> bool:
    """Return whether parts of a command line run at the same time, or perhaps not at all."""
    return any(operator in ("|", "|&", "&", "||") for operator, _ in simple(command))


def is_loop(command: str) -> bool:
    """Return whether a command line runs something more than once."""
    return bool(_LOOP.search(f" {command}"))


@lru_cache(_KEPT)
def can_print(command: str, tool: str) -> bool:
    """Return whether a command line can have printed a tool's report.

    Unknown programs (scripts, ``ssh``, ``cat``) can; other tools and ``cd`` cannot.

    Examples
    --------
    >>> can_print("./bench.sh", "dd"), can_print("cd /mnt", "dd"), can_print("fio a.fio", "dd")
    (True, False, False)
    """
    if commands(command, tool):
        return True
    named = {name.removesuffix(".exe") for name in programs(command)}
    return tool in named or bool(named - _QUIET - _TOOLS)


def is_timed(command: str) -> bool:
    """Return whether a command line times what it runs."""
    return bool(_TIMED.search(command))


def may_be_timed(line: str) -> bool:
    """Return whether a line that begins with ``time`` may be a command, and not a sentence.

    Examples
    --------
    >>> may_be_timed("time make -j8"), may_be_timed("time to run the test")
    (True, False)
    """
    listed = words(line)
    is_sentence = listed[-1][-1:] in ".:,;!?" and len(listed[-1].strip(".")) > 0
    return is_timed(line) and not is_sentence and _PROSE.isdisjoint(map(str.lower, listed))


def untimed(command: str) -> str:
    """Drop a leading ``time``.

    Examples
    --------
    >>> untimed("time -p cat data.raw > /dev/null")
    'cat data.raw > /dev/null'
    """
    return _LEADING_TIME.sub("", command).strip()
