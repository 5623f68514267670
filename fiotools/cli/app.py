"""One command, from its words to its exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from fiotools.cli import output
from fiotools.cli.options import Option, offered, shell
from fiotools.cli.signatures import Argument, line, signature
from fiotools.cli.verbs import DRAWN, MEANT, OPTIONS_MEANT, SECTIONS, VERBS, Verb, plugged
from fiotools.errors import FiotoolsError, in_shell, right_name, similar
from fiotools.plot import KINDS

_ABOUT = """Read the output of storage benchmarks, and tell how far to trust the numbers.

FILES are files, folders, globs, datasets, path templates whose names in braces become columns
('runs/{disk}_{round:d}.json'), NAME=FILES to name what they hold, or - for standard input."""
_EPILOG = """\b
Start with:
  fiotools read run.json
  fiotools check run.json --ram 16GB --link pcie4-x4
  fiotools compare old.json new.json
  fiotools plot sweep 'depth/{iodepth:d}_{round:d}.json' -o depth.svg
  fiotools formats           what can be read, and the commands that make it
  fiotools VERB --help       the options of a verb

\b
No file yet?
  fio --name=first --size=1g --rw=randread --bs=4k --direct=1 \\
      --output-format=json --output=run.json
  fiotools measure random-io --dir A --dir B -o mine

\b
Exit codes: 0 done; 1 a file was not read, or there is no answer; 2 the
command is wrong; 3 check --strict found a fault, or a rule cannot be judged;
4 a rule of gate is broken; 130 interrupted.
"""
_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
_COMPLETE = "_FIOTOOLS_COMPLETE"
_READING = ("format", "version", "quantity")  # arguments of `read` that all verbs take
# what nobody can type: other frames, and what a verb takes in its place
_PYTHON = (
    *("errors", "frames", "executor", "progress", "say", "destination", "sources", "files"),
    *("format", "version"),
)
# arguments that are typed in another way
_AS_TYPED = {
    "quantity": Argument("metric", help="The column to look at: iops, bw, lat."),
    "steady": Argument("steady", "bool", help="Draw the mean of each round, too."),
}
_OF_PYTHON = ("frame", "DataFrame")  # words of paragraphs that a shell does not need


class Command(click.Command):
    """A verb, a kind of plot, or the question of a notebook."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse an option that is given twice, and of which the last would count in silence."""
        if not ctx.resilient_parsing:
            *_, order = self.make_parser(ctx).parse_args(args=[*args])
            for one in order:
                is_once = isinstance(one, click.Option) and not (one.multiple or one.is_flag)
                if is_once and order.count(one) > 1:
                    raise click.UsageError(f"{one.opts[-1]} is given twice", ctx)
        return super().parse_args(ctx, args)


class Group(click.Group):
    """Commands, of which only the one that is typed is made; lines tell of the others."""

    def __init__(
        self,
        name: str,
        lines: Callable[[], Mapping[str, Mapping[str, str]]],
        make: Callable[[str], click.Command | None],
        unknown: Callable[[str], str],
        **more: Any,
    ) -> None:
        super().__init__(name, context_settings=_CONTEXT, **more)
        self._lines, self._make, self._unknown = lines, make, unknown

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the names of the commands, in order."""
        return [name for own in self._lines().values() for name in own]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, each with its line."""
        for heading, lines in self._lines().items():
            with formatter.section(heading):
                formatter.write_dl([*lines.items()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Make a command, or answer an unknown one."""
        command = self._make(cmd_name)
        if command or ctx.resilient_parsing:  # for the Tab key
            return command
        raise output.Trouble(self._unknown(cmd_name), 2)


def app() -> click.Group:
    """Make the program."""
    more: dict[str, Any] = {"is_flag": True, "expose_value": False}
    version = click.Option(
        ["--version"], help="Show the version, and exit.", is_eager=True, callback=_version, **more
    )
    debug = click.Option(["--debug"], help="Show a traceback if something fails.", **more)
    return Group(
        "fiotools",
        lambda: {
            heading: {name: verb.line or line(verb.asks) for name, verb in verbs.items()}
            for heading, verbs in (*SECTIONS.items(), ("Of other packages", plugged()))
            if verbs
        },
        _verb,
        _unknown,
        help=_ABOUT,
        epilog=_EPILOG,
        subcommand_metavar="VERB ...",
        invoke_without_command=True,
        callback=_first,
        params=[version, debug],
    )


@click.pass_context
def _first(ctx: click.Context) -> None:
    if ctx.invoked_subcommand is None:
        output.write(f"{ctx.get_help()}\n")


def _version(ctx: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from fiotools._version import __version__

        output.write(f"fiotools {__version__}\n")
        ctx.exit()


def _unknown(word: str) -> str:
    """Answer a verb that is not there with the one that does it."""
    if Path(word).exists():
        return f"{word} is not a verb: fiotools read {word} shows what is in it"
    name, kinds = word.lower().replace("_", "-"), KINDS
    if meant := MEANT.get(name) or (f"plot {name} FILES" if name in kinds else None):
        return f"there is no verb {word!r}: fiotools {meant}"
    hint = similar(word, [*VERBS, *kinds]) or ": fiotools --help lists them"
    return f"there is no verb {word!r}{hint}"


def _verb(name: str) -> click.Command | None:
    """Make the command of a verb, if there is one."""
    if name == "measure":
        from fiotools.measure.command import command

        return command
    if name == "plot":
        return _plots()
    if name == "notebook":
        return _notebooks()
    verb = VERBS.get(name) or plugged().get(name)
    if verb is None:
        return None
    own = signature(verb.asks).arguments if name != "read" else ()
    if name != "report":  # an answer for each metric
        kind = "str | Sequence[str]"
        own = tuple(replace(one, kind=kind) if one.name == "metric" else one for one in own)
    return _command(name, name, verb, own)


def _plots() -> click.Command:
    """Make the kinds of plots."""
    kinds = {kind: f".plot.{module}:{kind}" for kind, module in KINDS.items()}

    def make(kind: str) -> click.Command | None:
        if kind not in kinds:
            return None
        verb = VERBS["plot"]._replace(asks=kinds[kind])
        return _command("plot", kind, verb, signature(verb.asks).arguments)

    return Group(
        "plot",
        lambda: {"Kinds": {kind: line(place) for kind, place in kinds.items()}},
        make,
        lambda kind: (
            f"there is no plot {kind!r}{similar(kind, kinds)}; there are: {', '.join(kinds)}"
        ),
        help="Draw a plot: fiotools plot KIND FILES -o FILE.svg. Each kind has a help of its own.",
    )


def _notebooks() -> click.Command:
    """Make the questions that have a notebook."""
    from fiotools.notebooks.template import parameters, question_meant, questions

    verb = VERBS["notebook"]
    every = signature(verb.asks)

    def make(question: str) -> click.Command | None:
        if question not in questions():
            return None
        known = (*parameters(question), "output")
        return _command("notebook", question, verb, [o for o in every.arguments if o.name in known])

    return Group(
        "notebook",
        lambda: {"Questions": questions()},
        make,
        lambda word: f"there is no notebook {word!r}{question_meant(word)}",
        help=shell(every.help),
    )


def _command(verb_name: str, name: str, verb: Verb, own: Iterable[Argument]) -> click.Command:
    """Make a command of the arguments of a function, and of what the command line adds."""
    asked = (
        signature(DRAWN[name]).arguments
        if name in DRAWN and verb_name in ("plot", "report")
        else ()
    )
    left = ("quantity",) if name == "convert" else ()  # it is how files are read
    typed = [one for one in (*own, *asked) if _is_typed(one) and one.name not in left]
    known = {one.name: _AS_TYPED.get(one.name, one) for one in (*typed, *verb.more)}
    params: list[click.Parameter] = []
    if verb.files:
        offers = "names" if name == "describe" else "files"
        params.append(
            click.Argument(
                ["files"],
                nargs=-1,
                required=not verb.files.endswith("]..."),
                metavar=verb.files,
                shell_complete=lambda ctx, one, part: offered(offers, (), part),
            )
        )
    params += [Option(one, known, dest) for dest, one in known.items()]
    if verb.more and verb.files.startswith(("F", "[F", "[H")):
        reading = {one.name: one for one in signature(VERBS["read"].asks).arguments}
        params += [Option(reading[one], dest=f"reading__{one}") for one in _READING]

    def run(files: Sequence[str] = (), **given: Any) -> int:
        from fiotools.cli import answers

        answer = getattr(answers, verb_name, answers.question)
        code: int = answer(answers.Asked(name, verb, files, given))
        return code

    first, *others = signature(verb.asks).help.split("\n\n")
    told = [first, *(one for one in others if not any(word in one for word in _OF_PYTHON))]
    help = "\n\n".join(shell(one, known) for one in told)
    return Command(name, context_settings=_CONTEXT, params=params, help=help, callback=run)


def _is_typed(one: Argument) -> bool:
    """Whether an argument can be typed in a shell."""
    is_object = "Frame" in one.kind or (one.kind == "Any" and not one.help)
    return not (is_object or one.name in _PYTHON)


# --- running ------------------------------------------------------------------------------------


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
            told = _no_option(error, command.removeprefix("fiotools "))
        end = "" if told.endswith("?") else ";"
        output.say(f"{told}{end} {command} --help shows how")
        return error.exit_code
    told = str(error)
    if isinstance(error, OSError) and error.strerror:
        place = "" if error.filename is None else f"{error.filename}: "
        told = f"{place}{error.strerror}"
    if told:
        output.say(told)
    return error.code if isinstance(error, output.Trouble) else 1


def _no_option(error: click.NoSuchOption, verb: str) -> str:
    """Answer a wrong option with the right one."""
    name = error.option_name
    if meant := OPTIONS_MEANT.get((verb, name)):
        return f"{verb} does not take {name}: fiotools {meant}"
    params = error.ctx.command.params if error.ctx else ()
    known = [one.about.name for one in params if isinstance(one, Option)]
    with in_shell():
        hint = right_name(name.lstrip("-"), known)
    return f"{verb} does not take {name}{hint}"
