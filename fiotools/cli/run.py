"""One command, from its words to its exit code."""

from __future__ import annotations

import sys

import typer

from fiotools.cli import stream
from fiotools.cli.app import VERBS, app
from fiotools.errors import FiotoolsError
from fiotools.hints import in_shell

_INTERRUPTED = 130  # what typer makes of Ctrl-C


def run(arguments: list[str]) -> int:
    """Run a command; what goes wrong on purpose becomes a line, the rest a fault of ours."""
    stream.prepare()
    debug = "--debug" in arguments  # wherever it stands: it is typed last
    if debug:
        arguments = [word for word in arguments if word != "--debug"]
    else:
        sys.excepthook = stream.unexpected
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:2], "--help"]
    try:
        command = typer.main.get_command(app)  # app() itself would set an excepthook of its own
        with in_shell():
            code = command(args=arguments, prog_name="fiotools", standalone_mode=False)
    except (stream.OutputClosedError, BrokenPipeError):
        return stream.closed()
    except (FiotoolsError, OSError, stream.Trouble, typer.TyperException, typer.Abort) as error:
        if debug:
            raise
        return _said(error, next((word for word in arguments if word in VERBS), ""))
    code = code or 0
    return stream.interrupted() if code == _INTERRUPTED else code


def _said(error: Exception, verb: str) -> int:
    """Say an error in one line, in the words of the command line."""
    if isinstance(error, typer.TyperException):
        help_ = f"fiotools {verb} --help".replace("  ", " ")
        hint = f"; {help_} shows how" if error.exit_code == 2 else ""
        stream.say(f"{error.format_message().rstrip('.')}{hint}")
        return error.exit_code
    if isinstance(error, stream.Trouble):
        if str(error):
            stream.say(str(error))
        return error.code
    if isinstance(error, typer.Abort):
        stream.say("aborted")
    elif isinstance(error, OSError) and error.strerror:
        place = "" if error.filename is None else f"{error.filename}: "
        stream.say(f"{place}{error.strerror}")
    else:
        stream.say(str(error))
    return 1
