"""The verbs, and one command from its words to its exit code.

A verb is a line of `VERBS` and a function of its name in a module of `verbs`. Only the module of
the verb that was typed is loaded.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import typer
from typer.core import TyperCommand, TyperGroup

from fiotools.cli import output
from fiotools.cli.options import Command, spread
from fiotools.errors import FiotoolsError, in_shell, similar

# in the order of use, with the lines of `fiotools --help`
VERBS = {
    "formats": "formats that can be read, and the commands that make them",
    "describe": "the meaning of a column, its unit, its name in each tool",
    "read": "show what is in the files, or write it as parquet, csv, xlsx",
    "convert": "many files to a dataset; run it again for new files",
    "summarize": "median and mean of each group, with their intervals",
    "compare": "the ratio of two sides, its interval, and a verdict in words",
    "speedup": "the same as times faster: above 1 is better",
    "plan": "how many runs a comparison takes",
    "check": "can these numbers be true? ok, suspect, impossible, unknown",
    "plot": "draw a plot as svg, png or pdf",
    "export": "OpenMetrics for Prometheus and Grafana",
    "report": "one page: verdict, plots, credibility, how it was measured",
    "measure": "run the tools on your own places, and keep their output",
}

# verbs that share a module with another
_MODULES = {
    **dict.fromkeys(["convert", "export"], "read"),
    "formats": "describe",
    **dict.fromkeys(["plan", "speedup", "summarize"], "compare"),
}

FIRST = """\
fiotools reads the output of storage benchmarks (fio, DISKSPD, dd, time, ...)
and tells how far to trust the numbers. Start with files of such a tool:

  fiotools read run.json                                what is in it
  fiotools check run.json --ram 16GB --link pcie4-x4    can that be true?
  fiotools compare old.json new.json --metric iops      how much faster?
  fiotools plot throughput old.json new.json -o bw.svg  a plot of it

No file yet? With fio:

  fio --name=first --size=1g --rw=randread --bs=4k --direct=1 \\
      --output-format=json --output=run.json

  fiotools measure random-io --dir A --dir B -o mine    as in the articles
  fiotools report mine -o mine.html                     the results on a page

fiotools formats      formats that can be read, and the commands that make them
fiotools --help       all verbs
fiotools VERB --help  one verb, with examples
"""

_INTERRUPTED = 130  # typer's code for Ctrl-C
_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
_PLAIN: dict[str, Any] = {
    "rich_markup_mode": None,  # plain help: it is quick, and the same in a file
    "pretty_exceptions_enable": False,
}


def command_of(verb: str) -> Command:
    """Load a verb."""
    module = import_module(f"fiotools.cli.{_MODULES.get(verb, verb)}")
    command: Command = getattr(module, verb)
    return command


def _plain(parameters: Sequence[Any]) -> Sequence[Any]:
    """Let typer convert values in our way."""
    for one in parameters:
        vars(one).setdefault("get_runtime_param", partial(_Given, one.get_runtime_param))
        if one.param_type_name == "argument":  # "<list[str]>" is of no use
            vars(one)["display_type_rich"] = lambda ctx: None
    return parameters


class _Given:
    """Converts a value: a text, a choice, and a default stay as they are.

    typer asks pydantic for anything else, which takes longer to import than the rest of typer.
    """

    def __init__(self, checked: Callable[[], Any]) -> None:
        self._checked = checked

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Convert a value, or refuse it."""
        kind, several = param.type_descriptor.annotation, param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        if kind == list[str] and several:
            return list(value)
        choices = get_args(kind) if get_origin(kind) is Literal else ()
        if kind is str or value == param.default or value in choices:
            return value
        if choices:
            listed = ", ".join(map(repr, choices))
            raise typer.BadParameter(f"{value!r} is not one of {listed}{similar(value, choices)}")
        return self._checked().coerce(value, param=param, ctx=ctx)


class Verb(TyperCommand):
    """One verb: its help has a section for each group of options."""

    def get_params(self, ctx: Any) -> Any:
        """List its parameters, which take a text as it is."""
        return _plain(super().get_params(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Show FILES, and not {FILES}: braces are for path templates."""
        pieces = super().collect_usage_pieces(ctx)
        return [piece.replace("{", "").replace("}", "") for piece in pieces]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """List arguments and options, each group under its heading."""
        sections: dict[str, list[Any]] = {}
        for one in self.get_params(ctx):
            heading = "Arguments" if one.param_type_name == "argument" else "Options"
            if record := one.get_help_record(ctx):
                heading = getattr(one, "rich_help_panel", None) or heading
                sections.setdefault(heading, []).append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)


class Verbs(TyperGroup):
    """The group of all verbs, each loaded on demand."""

    def get_params(self, ctx: Any) -> Any:
        """List the parameters before a verb, which take a text as it is."""
        return _plain(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:
        """List the verbs, in order."""
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Build a verb, or refuse an unknown one."""
        if cmd_name not in VERBS:
            if ctx.resilient_parsing:  # for the Tab key
                return None
            if Path(cmd_name).exists():
                told = f"{cmd_name} is not a verb: fiotools read {cmd_name} shows what is in it"
            else:
                hint = similar(cmd_name, VERBS) or ": fiotools --help lists them"
                told = f"there is no verb {cmd_name!r}{hint}"
            raise output.Trouble(told, 2)
        command = command_of(cmd_name)
        one = typer.Typer(add_completion=False, context_settings=_CONTEXT, **_PLAIN)
        one.command(cmd_name, cls=Verb, epilog=command.epilog, short_help=VERBS[cmd_name])(
            spread(command.run)
        )
        return typer.main.get_command(one)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the verbs in the help without loading them."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


_EPILOG = """\b
fiotools VERB --help explains one, with examples.
Exit codes: 0 done; 1 a file was not read, or there is no answer; 2 the command
is wrong; 3 check --strict found a fault; 4 compare --fail-if; 130 interrupted.
"""

app = typer.Typer(
    name="fiotools", cls=Verbs, subcommand_metavar="VERB ...", context_settings=_CONTEXT, **_PLAIN
)


def _version(wanted: bool) -> None:
    if wanted:
        from fiotools._version import __version__

        output.write(f"fiotools {__version__}\n")
        raise typer.Exit


@app.callback(invoke_without_command=True, epilog=_EPILOG)
def _root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Show the version, and exit."
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show a traceback if something fails; may come last.")
    ] = False,
) -> int:
    """Read the output of storage benchmarks, and tell how far to trust the numbers."""
    if context.invoked_subcommand is None:
        output.write(FIRST)
    return 0


def run(arguments: list[str]) -> int:
    """Run a command; an expected error becomes one line, any other is a bug of fiotools."""
    output.prepare()
    debug = "--debug" in arguments  # anywhere: people type it last
    if debug:
        arguments = [word for word in arguments if word != "--debug"]
    else:
        sys.excepthook = output.unexpected
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:2], "--help"]
    try:
        command = typer.main.get_command(app)  # app() itself would set an excepthook of its own
        with in_shell():
            code = command(args=arguments, prog_name="fiotools", standalone_mode=False)
    except (output.OutputClosedError, BrokenPipeError):
        return output.die_of("SIGPIPE")
    except (FiotoolsError, OSError, output.Trouble, typer.TyperException, typer.Abort) as error:
        if debug:
            raise
        return _said(error, next((word for word in arguments if word in VERBS), ""))
    code = code or 0
    return output.interrupted() if code == _INTERRUPTED else code


def _said(error: Exception, verb: str) -> int:
    """Print an error in one line, in the words of the command line."""
    if isinstance(error, typer.TyperException):
        help_ = f"fiotools {verb} --help".replace("  ", " ")
        hint = f"; {help_} shows how" if error.exit_code == 2 else ""
        output.say(f"{error.format_message().rstrip('.')}{hint}")
        return error.exit_code
    told = str(error)
    if isinstance(error, typer.Abort):
        told = "aborted"
    elif isinstance(error, OSError) and error.strerror:
        place = "" if error.filename is None else f"{error.filename}: "
        told = f"{place}{error.strerror}"
    if told:
        output.say(told)
    return error.code if isinstance(error, output.Trouble) else 1
