"""The directive ``{shell}``: commands that are run, and shown with their output.

Each line is a command of its own, run without a shell, so that it is the same on every system; a
backslash at the end goes on with the next line. The cells of the page have all run before.

``:exit: 1`` says how the last command ends, where that is not with 0. ``:needs: fio`` names
programs without which nothing is run, and the page says so.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

WIDTH = "92"  # of the tables: fits on the page
SECONDS = 300
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


class Shell(SphinxDirective):
    """Run commands."""

    has_content = True
    option_spec: ClassVar = {"exit": directives.nonnegative_int, "needs": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Return the commands and their output."""
        typed = "\n".join(self.content)
        commands = typed.replace("\\\n", " ").splitlines()
        needed = self.options.get("needs", "").split()
        missing = [name for name in needed if not shutil.which(name, path=PATH)]
        if missing:
            printed = f"(not run when this page was built: no {' and no '.join(missing)})"
        else:
            printed = "\n".join(filter(None, self._print(commands)))
        prompts = ["$ ", *("> " if line.endswith("\\") else "$ " for line in self.content)]
        shown = "\n".join(map("".join, zip(prompts, self.content, strict=False)))
        parts = [_block("cell_input", shown, "console")]
        parts += [_block("cell_output", printed, "text")] if printed else []
        return [nodes.container("", *parts, classes=["cell", "shell"])]

    def _print(self, commands: list[str]) -> list[str]:
        ends = [0] * (len(commands) - 1) + [self.options.get("exit", 0)]
        printed = []
        for command, end in zip(commands, ends, strict=True):
            code, text = _run(shlex.split(command), self.config.examples_run_in)
            if code != end:
                raise self.error(f"{command}\nended with {code}, and not with {end}:\n{text}")
            printed.append(text)
        return printed


def _run(words: list[str], work: str) -> tuple[int, str]:
    """Run a command in the environment of Python; return its exit code and output."""
    program = shutil.which(words[0], path=PATH)
    if program is None:
        return 127, f"there is no {words[0]}"
    done = subprocess.run(
        [program, *words[1:]],
        cwd=work,
        env={**os.environ, "PATH": PATH, "COLUMNS": WIDTH, "PYTHONUTF8": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )
    return done.returncode, done.stdout.rstrip()


def _block(kind: str, text: str, language: str) -> nodes.container:
    return nodes.container("", nodes.literal_block(text, text, language=language), classes=[kind])


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("shell", Shell)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
