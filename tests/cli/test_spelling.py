"""Everything that messages name exists: arguments in Python, options and verbs in a shell."""

import ast
import re
from functools import cache
from itertools import pairwise

import pytest

import fiotools
from fiotools import errors
from fiotools.cli.app import app
from fiotools.cli.verbs import VERBS
from fiotools.notebooks.template import questions
from fiotools.plot import KINDS
from tests.conftest import ROOT

# the command line itself; and what is told to who gives frames of one function to another, which a
# shell cannot do, or is no message at all
APART = ("cli",)
# a program of its own, options of other tools, and commands for another machine's shell
OF_SHELLS = ("layout.py", "notebooks.py", "machine.py", "shell.py", "experiments.py", "command.py")
OF_PAGES = "fiotools {version} made it"  # a page tells its readers how it was made
OF_PYTHON = re.compile(
    r"(fairness\(io|summarize\(frame, metric), by=|^, by=|is drawn, by=|steady=(?: |$)|settings= has|rows="
    r"|\{arg\[.*?\]| title=|, sweep=|err=|jobs=|columns: quantity=|<html lang=|^\.dropna|\btables=|^between=|, baseline="
)


def options():
    group = app()
    plots = group.get_command(None, "plot")
    built = [group.get_command(None, verb) for verb in VERBS]
    built += [plots.get_command(None, kind) for kind in KINDS]
    notebooks = group.get_command(None, "notebook")
    built += [notebooks.get_command(None, one) for one in questions()]
    return {name for one in built for parameter in one.params for name in parameter.opts}


OPTIONS = options()
BY_ARGUMENT = {value: key for key, value in errors._OPTIONS.items()}
ARGUMENTS = {
    BY_ARGUMENT.get(option[2:], option[2:].replace("-", "_"))
    for option in OPTIONS
    if option.startswith("--")
} - {"of"}  # dd has an argument of this name


@cache
def sources():
    paths = [
        path
        for path in sorted((ROOT / "fiotools").rglob("*.py"))
        if path.relative_to(ROOT / "fiotools").parts[0] not in APART
    ]
    return [(path, ast.parse(path.read_text(encoding="utf-8"))) for path in paths]


@cache
def texts():
    """Give the literals of modules, without docstrings and the choices of `typed`."""
    found = []
    for path, tree in sources():
        left_out = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
                left_out.add(node.body[0].value if isinstance(node.body[0], ast.Expr) else None)
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "typed":
                left_out.update(part for given in node.args for part in ast.walk(given))
        for node in ast.walk(tree):
            is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
            if is_text and node not in left_out:
                found.append((path, node.lineno, node.value))
    return found


def calls(tree, name):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == name:
            yield node


def written(sign, pattern, apart=()):
    """Find what messages have in their own words."""
    return [
        f"{path.name}:{line}: {text}"
        for path, line, text in texts()
        if sign in text
        and path.name not in apart
        and not text.startswith(OF_PAGES)
        and re.search(pattern, OF_PYTHON.sub("", text))
    ]


def test_messages_name_arguments_by_hints():
    assert written("=", rf"(?<![\w-])({'|'.join(ARGUMENTS)})=(?!=)") == []
    assert written(".", r"\.(query|dropna|combine)\(") == []


def test_messages_name_options_by_hints():
    options = sorted(option for option in OPTIONS if option.startswith("--"))
    pattern = rf"(?<![\w-])({'|'.join(options)})(?![\w=-])"
    assert written("--", pattern, OF_SHELLS) == []


def test_messages_do_not_build_arguments():
    # f"{name}={value!r}"
    found = []
    for path, tree in sources():
        for node in ast.walk(tree):
            parts = node.values if isinstance(node, ast.JoinedStr) else []
            for sign, value in pairwise(parts):
                is_sign = isinstance(sign, ast.Constant) and sign.value == "="
                if is_sign and getattr(value, "conversion", -1) == ord("r"):
                    found.append(path.name)
    assert {*found} <= {"published.py"}  # of a file's columns


def test_named_arguments_exist():
    named = []
    for _, tree in sources():
        for call in calls(tree, "argument"):
            if isinstance(call.args[0], ast.Constant):
                with errors.in_shell():
                    named.append(errors.argument(call.args[0].value))
        for call in calls(tree, "typed"):
            shell = ast.unparse(call.args[1])
            named += re.findall(r"--[a-z-]+", shell)
            assert {*re.findall(r"\bfiotools ([a-z]+)", shell)} <= {*VERBS}
    assert len(named) > 50
    assert {*named} <= OPTIONS | {"--debug", "--lang"}  # of style(), which no verb calls with it


@pytest.mark.parametrize(
    ("name", "value", "python", "shell"),
    [
        ("host_ram", 0, "host_ram=0", "--host-ram 0"),
        ("format", "dd", "format='dd'", "--reader dd"),
        ("link", "a b", "link='a b'", "--link 'a b'"),
        ("prefilled", True, "prefilled=True", "--prefilled"),
        ("limit", (20, 10), "limit=(20, 10)", "--limit 20,10"),
    ],
)
def test_an_argument_is_an_option(name, value, python, shell):
    assert errors.argument(name, value) == python
    with errors.in_shell():
        assert errors.argument(name, value) == shell


def test_text_of_a_file_is_not_taken_for_an_argument(inside, tmp_path):
    file = tmp_path / "cache=1 version=3.txt"
    file.write_text("by=link= and format=x\n")
    said = inside("read", file).stderr
    assert "cache=1 version=3.txt" in said
    assert "it begins 'by=link= and format=x'" in said
    assert said.rstrip().splitlines()[0].endswith("--reader overrides")
    # once the command is done, Python is meant again
    with pytest.raises(fiotools.FileError, match="format= overrides"):
        fiotools.read(file)
