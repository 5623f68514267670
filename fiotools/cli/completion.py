"""The Tab key: a line for the shell that asks fiotools what fits."""

from __future__ import annotations

import os
from pathlib import Path

from fiotools.cli.output import Trouble

# the file that a shell reads at its start, and the line for it
_SHELLS = {
    "bash": ("~/.bashrc", 'eval "$(_FIOTOOLS_COMPLETE=bash_source fiotools)"'),
    "zsh": ("~/.zshrc", 'eval "$(_FIOTOOLS_COMPLETE=zsh_source fiotools)"'),
    "fish": (
        "~/.config/fish/completions/fiotools.fish",
        "_FIOTOOLS_COMPLETE=fish_source fiotools | source",
    ),
}


def install() -> str:
    """Add the line to the file of the shell that is in use, once; say so."""
    shell = Path(os.environ.get("SHELL", "")).name
    if shell not in _SHELLS:
        lines = "; ".join(f"{name}: {line}" for name, (_, line) in _SHELLS.items())
        raise Trouble(f"SHELL is {shell or 'not set'}: completion is for {lines}")
    name, line = _SHELLS[shell]
    file = Path(name).expanduser()
    there = file.read_text(encoding="utf-8") if file.exists() else ""
    if line not in there.splitlines():
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as end:
            end.write("" if there.endswith("\n") or not there else "\n")
            end.write(f"{line}\n")
    return f"{file} completes fiotools in a new {shell}"
