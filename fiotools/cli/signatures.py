"""The arguments of a function, read from the source of its module, which is not loaded.

The help of a verb is the docstring of a function, and its options are the arguments: `--help`, the
Tab key and a wrong option import nothing of what the verb does.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).resolve().parents[1]
_BLOCK = re.compile(r"\n(?=[A-Za-z_@])")  # statements of a module begin a line
_SECTION = re.compile(r"\n\n\w[\w ]*\n-{3,}\n")  # of a docstring
_ENTRY = re.compile(r"^(\w[\w, ]*?)(?: : (.*))?\n((?:^    .*\n?|^\n)+)", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=\.)\s+(?=[^a-z])")
_CHOICE = re.compile(r'(?<=[{ ])"([^"]+)"(?=[,}])')  # {"once", "any"}
_SEVERAL = ("Sequence", "Iterable", "list", "tuple")
_PLAIN = {"str": str, "int": int, "float": float, "bool": bool}


@dataclass(frozen=True)
class Argument:
    """An argument of a function, or a field of a class."""

    name: str
    help: str
    kinds: frozenset[type]  # what a value may be, in Python
    choices: tuple[str, ...]
    is_several: bool  # a sequence of values
    is_single: bool  # one value, perhaps beside a sequence
    is_named: bool  # a value for each name
    is_positional: bool
    is_required: bool
    default: Any


@dataclass(frozen=True)
class Signature:
    """The paragraphs above the parameters of a docstring, and the arguments."""

    help: tuple[str, ...]
    arguments: dict[str, Argument]


@cache
def signature(place: str) -> Signature:
    """Read a function or a class: ``stats.compare:compare``."""
    module, _, name = place.partition(":")
    starts = (f"def {name}(", f"class {name}:", f"class {name}(")
    block = next((one for one in _blocks(module) if one.startswith(starts)), None)
    if block is None:
        return signature(f"{_home(module, name)}:{name}")
    node = ast.parse(block).body[0]
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    above, _, rest = (ast.get_docstring(node) or "").partition("\n\nParameters\n----------\n")
    told = dict(_described(_SECTION.split(rest)[0]))
    return Signature(
        tuple(" ".join(one.split()) for one in _SECTION.split(above)[0].split("\n\n")),
        {
            argument.name: argument
            for argument in (
                _argument(module, *parts, *told.get(parts[0], ("", "")))
                for parts in (
                    _fields(node) if isinstance(node, ast.ClassDef) else _parameters(node.args)
                )
            )
        },
    )


@cache
def _blocks(module: str) -> list[str]:
    """Split the source of a module into its statements."""
    path = _PACKAGE.joinpath(*module.split("."))
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        with suppress(OSError):
            return _BLOCK.split(file.read_text(encoding="utf-8"))
    raise ModuleNotFoundError(f"fiotools.{module}")


def _described(parameters: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the type of each parameter and the first sentence about it."""
    for names, kind, text in _ENTRY.findall(f"{parameters}\n"):
        sentence = _SENTENCE.split(" ".join(text.split()))[0]
        yield from ((name, (kind, sentence)) for name in names.split(", "))


Parts = tuple[str, ast.expr | None, ast.expr | None, bool]


def _parameters(given: ast.arguments) -> Iterator[Parts]:
    """Yield name, annotation and default of each argument, and whether it has a place."""
    placed = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(placed) - len(given.defaults)) + [*given.defaults]
    for one, default in zip(placed, defaults, strict=True):
        yield one.arg, one.annotation, default, True
    for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        yield one.arg, one.annotation, default, False


def _fields(node: ast.ClassDef) -> Iterator[Parts]:
    for one in node.body:
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            yield one.target.id, one.annotation, one.value, False


def _argument(
    module: str,
    name: str,
    annotation: ast.expr | None,
    default: ast.expr | None,
    is_positional: bool,
    kind: str,
    help: str,
) -> Argument:
    found = [*_kinds(module, annotation)]
    containers = {container for container, _ in found}
    choices = [one for _, one in found if isinstance(one, str)]
    return Argument(
        name=name,
        help=help,
        kinds=frozenset(one for _, one in found if isinstance(one, type)),
        choices=tuple(choices or _CHOICE.findall(kind)),
        is_several="several" in containers,
        is_single="" in containers,
        is_named="named" in containers,
        is_positional=is_positional,
        is_required=default is None,
        default=None if default is None else _value(module, default),
    )


def _kinds(module: str, node: ast.expr | None, inside: str = "") -> Iterator[tuple[str, Any]]:
    """Yield what a value may be, a type or the text of a choice, and the container that it is in.

    A frame, a callable and other objects are nothing that can be typed.
    """
    match node:
        case ast.BinOp(left=left, right=right):
            yield from _kinds(module, left, inside)
            yield from _kinds(module, right, inside)
        case ast.Subscript(value=ast.Name(id="Literal"), slice=choices):
            listed = choices.elts if isinstance(choices, ast.Tuple) else [choices]
            yield from ((inside, ast.literal_eval(one)) for one in listed)
        case ast.Subscript(value=ast.Name(id="Mapping" | "dict"), slice=ast.Tuple(elts=[_, kind])):
            yield from _kinds(module, kind, "named")
        case ast.Subscript(value=ast.Name(id=container), slice=kind) if container in _SEVERAL:
            kinds = kind.elts[:1] if isinstance(kind, ast.Tuple) else [kind]
            yield from (one for part in kinds for one in _kinds(module, part, "several"))
        case ast.Constant(value=str(text)):
            yield from _kinds(module, ast.parse(text, mode="eval").body, inside)
        case ast.Constant(value=None):
            return
        case ast.Name(id=name) if name in _PLAIN:
            yield inside, _PLAIN[name]
        case ast.Name(id=name) if (alias := _named(module, name)) is not None:
            yield from _kinds(*alias, inside)
        case ast.Name(id="Any" | "object"):
            yield inside, str


def _value(module: str, node: ast.expr) -> Any:
    """Return a default; what is not written out there is not shown."""
    with suppress(ValueError):
        return ast.literal_eval(node)
    alias = _named(module, node.id) if isinstance(node, ast.Name) else None
    return None if alias is None else _value(*alias)


def _named(module: str, name: str) -> tuple[str, ast.expr] | None:
    """Return what a name of a module stands for, and the module in which that is written."""
    for block in _blocks(module):
        if block.startswith((f"{name} =", f"{name}: ")):
            match ast.parse(block).body[0]:
                case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                    return module, value
    home = _home(module, name)
    return None if home is None else _named(home, name)


def _home(module: str, name: str) -> str | None:
    """Return the module of ours from which a module has a name."""
    imported = re.compile(rf"\s*from fiotools\.(\S+) import [^#]*\b{name}\b")
    return next((one[1] for one in map(imported.match, _blocks(module)) if one), None)
