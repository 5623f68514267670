"""One command, from its words to its exit code."""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from fiotools.cli import options, output
from fiotools.cli.signatures import signature
from fiotools.cli.verbs import MEANT, OPTIONS_MEANT, SECTIONS, VERBS, Verb
from fiotools.errors import FiotoolsError, in_shell, similar

FIRST = """\
fiotools reads the output of storage benchmarks (fio, DISKSPD, dd, time, ...)
and tells how far to trust the numbers. Start with files of such a tool:

  fiotools read run.json                                what is in it
  fiotools check run.json --ram 16GB --link pcie4-x4    can that be true?
  fiotools compare old.json new.json --metric iops      how much faster?
  fiotools plot throughput old.json new.json -o bw.svg  a plot of it
  fiotools notebook two-sides old/ new/ -o my.ipynb     a notebook to go on from

No file yet? With fio:

  fio --name=first --size=1g --rw=randread --bs=4k --direct=1 \\
      --output-format=json --output=run.json

  fiotools measure random-io --dir A --dir B -o mine    as in the articles
  fiotools report mine -o mine.html                     the results on a page

fiotools formats      formats that can be read, and the commands that make them
fiotools --help       all verbs
fiotools VERB --help  one verb, with examples
"""
_EPILOG = """\b
fiotools VERB --help explains one, with examples.
Exit codes: 0 done; 1 a file was not read, or there is no answer; 2 the command
is wrong; 3 check --strict found a fault; 4 compare --fail-if; 130 interrupted.
"""
_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
_COMPLETE = "_FIOTOOLS_COMPLETE"


class Command(click.Command):
    """A verb, or a kind of plot: its help has a section for each group of options."""

    def __init__(
        self,
        name: str,
        parameters: Iterable[click.Parameter],
        help: Sequence[str],
        examples: Sequence[str],
        run: Callable[..., int],
    ) -> None:
        lines = [f"  fiotools {example}" for example in examples]
        super().__init__(
            name,
            context_settings=_CONTEXT,
            params=[*parameters],
            help="\n\n".join(help),
            epilog="\n".join(["\b", "Examples:", *lines]),
            callback=run,
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse an option that is given twice, and of which the last would count in silence."""
        try:
            if not ctx.resilient_parsing:
                _, _, order = self.make_parser(ctx).parse_args(args=[*args])
                for one in order:
                    is_once = isinstance(one, click.Option) and not (one.multiple or one.is_flag)
                    if is_once and order.count(one) > 1:
                        raise click.UsageError(f"{one.opts[-1]} is given twice", ctx)
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx  # the parser does not say it
            raise

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List arguments and options, each group under its heading."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for one in self.get_params(ctx):
            if record := one.get_help_record(ctx):
                heading = getattr(one, "heading", "Options")
                sections.setdefault(heading, []).append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)


class Lines(click.Group, ABC):
    """A group of commands: only the one that is typed is made, and lines tell of the others."""

    @abstractmethod
    def lines(self) -> Mapping[str, Mapping[str, str]]:
        """Return the line of each command, by section."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the names of the commands, in order."""
        return [name for section in self.lines().values() for name in section]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, each in a line."""
        for heading, lines in self.lines().items():
            with formatter.section(heading):
                formatter.write_dl([*lines.items()])


class Verbs(Lines):
    """All verbs."""

    def lines(self) -> Mapping[str, Mapping[str, str]]:
        """Return the line of each verb."""
        return {
            heading: {name: verb.line for name, verb in verbs.items()}
            for heading, verbs in SECTIONS.items()
        }

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Make a verb, or answer an unknown one."""
        if cmd_name == "plot":
            return Kinds("plot", context_settings=_CONTEXT, help=_PLOT)
        if cmd_name == "notebook":
            return Questions("notebook", context_settings=_CONTEXT, help=_NOTEBOOK)
        if cmd_name in VERBS:
            return _command(cmd_name, VERBS[cmd_name])
        if ctx.resilient_parsing:  # for the Tab key
            return None
        raise output.Trouble(_unknown(cmd_name), 2)


class Kinds(Lines):
    """The kinds of plots."""

    def lines(self) -> Mapping[str, Mapping[str, str]]:
        """Return the line of each kind."""
        from fiotools.cli.plot import KINDS

        return {"Kinds": {name: kind.line for name, kind in KINDS.items()}}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Make a kind of plot, or refuse an unknown one."""
        from fiotools.cli import plot

        if cmd_name in plot.KINDS:
            return _command(cmd_name, plot.KINDS[cmd_name].verb(cmd_name))
        if ctx.resilient_parsing:
            return None
        hint = similar(cmd_name, plot.KINDS) or ": fiotools plot --help lists them"
        raise output.Trouble(f"there is no plot {cmd_name!r}{hint}", 2)


class Questions(Lines):
    """The questions that have a notebook."""

    def lines(self) -> Mapping[str, Mapping[str, str]]:
        """Return each question."""
        from fiotools.notebooks.questions import questions

        return {"Questions": questions()}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Make the notebook of a question, or refuse an unknown one with the list."""
        from fiotools.cli import notebook

        known = self.lines()["Questions"]
        if cmd_name in known:
            return _command(cmd_name, notebook.verb(cmd_name))
        if ctx.resilient_parsing:
            return None
        words = cmd_name.lower().replace("_", "-").split()
        meant = next((notebook.MEANT[word] for word in words if word in notebook.MEANT), None)
        hint = f"; did you mean {meant!r}?" if meant else similar(cmd_name, known)
        hint = hint or f"; there are: {', '.join(known)}"
        raise output.Trouble(f"there is no notebook {cmd_name!r}{hint}", 2)


_NOTEBOOK = (
    "Write a notebook of real calls on your files, executed, for you to edit: fiotools notebook"
    " QUESTION FILES -o FILE.ipynb. Each question has a help of its own."
)
_PLOT = "Draw a plot: fiotools plot KIND FILES -o FILE.svg. Each kind has a help of its own."
_SIDES = (
    "Each file is a side, named after its path. If a side has several runs, give a folder, a quoted"
    " glob or NAME=FILES for each side; or one path template, whose field names the sides."
)


def _command(name: str, verb: Verb) -> Command:
    """Make the command of a verb or of a kind of plot."""
    module, _, function = verb.run.partition(":")
    own, asks = signature(f"cli.{verb.run}"), signature(verb.asks) if verb.asks else None
    runs_several = "name" in own.arguments

    def run(**typed: Any) -> int:
        given = options.given_to(verb.run, typed)
        if runs_several:
            given["name"] = name
        code: int = getattr(import_module(f"fiotools.cli.{module}"), function)(**given)
        return code

    help = [*asks.help] if asks and runs_several else [*own.help]
    if runs_several and not asks:
        help = [verb.line, *help]
    known = {*own.arguments, *(asks.arguments if asks else ())} - {*verb.leaves}
    if runs_several and {"between", "baseline"} <= known:
        help.append(_SIDES)
    told = [options.shell(one, known) for one in help]
    return Command(name, options.of_verb(verb), told, verb.examples, run)


def _unknown(word: str) -> str:
    """Answer a verb that is not there with the one that does it."""
    from fiotools.cli.plot import KINDS

    name = word.lower().replace("_", "-")
    if Path(word).exists():
        return f"{word} is not a verb: fiotools read {word} shows what is in it"
    meant = MEANT.get(name) or (f"plot {name} FILES" if name in KINDS else None)
    if meant is not None:
        return f"there is no verb {word!r}: fiotools {meant}"
    hint = similar(word, [*VERBS, *KINDS]) or ": fiotools --help lists them"
    return f"there is no verb {word!r}{hint}"


def _version(ctx: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from fiotools._version import __version__

        output.write(f"fiotools {__version__}\n")
        ctx.exit()


def _install(ctx: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from fiotools.cli.completion import install

        output.say(install())
        ctx.exit()


def app() -> click.Group:
    """Make the program."""
    return Verbs(
        "fiotools",
        context_settings=_CONTEXT,
        help="Read the output of storage benchmarks, and tell how far to trust the numbers.",
        epilog=_EPILOG,
        subcommand_metavar="VERB ...",
        invoke_without_command=True,
        callback=_first,
        params=[
            click.Option(
                ["--version"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_version,
                help="Show the version, and exit.",
            ),
            click.Option(
                ["--install-completion"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_install,
                help="Let the Tab key complete commands in this shell (bash, zsh, fish), and exit.",
            ),
            click.Option(
                ["--debug"],
                is_flag=True,
                expose_value=False,
                help="Show a traceback if something fails; may come last.",
            ),
        ],
    )


@click.pass_context
def _first(ctx: click.Context) -> None:
    if ctx.invoked_subcommand is None:
        output.write(FIRST)


def run(arguments: list[str]) -> int:
    """Run a command; an expected error becomes one line, any other is a bug of fiotools."""
    output.prepare()
    debug = "--debug" in arguments  # anywhere: people type it last
    if debug:
        arguments = [word for word in arguments if word != "--debug"]
    else:
        sys.excepthook = output.unexpected
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    program = app()
    if asked := os.environ.get(_COMPLETE):
        from click.shell_completion import shell_complete

        return shell_complete(program, {}, "fiotools", _COMPLETE, asked)
    try:
        # not main(), which has answers of its own to Ctrl-C and a closed pipe
        with in_shell(), program.make_context("fiotools", [*arguments]) as ctx:
            return program.invoke(ctx) or 0
    except click.exceptions.Exit as end:
        return end.exit_code
    except (output.OutputClosedError, BrokenPipeError):
        return output.die_of("SIGPIPE")
    except (FiotoolsError, OSError, output.Trouble, click.ClickException) as error:
        if debug:
            raise
        return _said(error)


def _said(error: Exception) -> int:
    """Print an error in one line, in the words of the command line."""
    if isinstance(error, click.UsageError):
        command = "fiotools" if error.ctx is None else error.ctx.command_path
        told = error.format_message().rstrip(".")
        if isinstance(error, click.NoSuchOption):
            name, verb = error.option_name, command.removeprefix("fiotools ")
            told = f"{verb} does not take {name}{similar(name, error.possibilities or ())}"
            if meant := OPTIONS_MEANT.get((verb, name)):
                told = f"{name} is a verb of its own, fiotools {meant}"
        output.say(f"{told}; {command} --help shows how")
        return error.exit_code
    told = str(error)
    if isinstance(error, OSError) and error.strerror:
        place = "" if error.filename is None else f"{error.filename}: "
        told = f"{place}{error.strerror}"
    if told:
        output.say(told)
    return error.code if isinstance(error, output.Trouble) else 1
