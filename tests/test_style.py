"""Texts keep to the words of docs/style.md: pages, notebooks, docstrings, comments, messages."""

import ast
import io
import json
import re
import tokenize

import pytest

from tests.conftest import ROOT

PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
# made from docstrings; and the list of the words itself
NOT_TEXT = {"formats.md", "columns.md", "style.md"}
# "no longer", "no larger than" are fine
_NOUN = r"(?!longer\b|one\b|more\b|less\b|way\b|\w+er (?:than|in)\b)\w"

# what not to write, and what to write instead
RULES = {
    rf"(?<![Tt]here )\b(?:is|are|was|were) no {_NOUN}": "is not a ..., does not ...",
    r"(?:^|[.!?] )Of (?:an?|the|these|those|this|that|each|several|all|two|what|\w+'s)\b[^.]*?,": (
        "begin with the subject"
    ),
    r"(?:^|[.!?] )Of [\w.]+ (?:nothing|less|more|only)\b": "begin with the subject",
    r"\b(?:figures?|numbers?|it|they) (?:is|are) worth\b": "how far to trust the numbers",
    r"\b[Ll]ess is better\b": "lower is better",
    r"\bin the kind (?:that )?(?:it|they) (?:was|were) given\b": "returns the same frame type",
    r"\basked (?:alike|for the same)\b": "used the same options",
    r"\b[Ii]t is (?:never|not) guessed\b": "is never inferred",
    r"\bone floor (?:below|above)\b": "on the host",
    r"\b(?:and )?/ must take turns\b": "put an operator between terms",
    r"\bthe same call (?:then )?goes on\b": "rerun to resume",
    r"\bgoes on with it\b": "resumes",
    r"\b(?:nothing|everything) is settled\b|\bsettles? (?:nothing|that)\b": "remains undecided",
    r"\bnobody (?:knows|can say|can tell)\b": "is unknown",
    r"\b[Ww]hoever\b": "name who: you, the reader, the caller",
    r"(?:^|[.!?] )Who (?!is\b|are\b|was\b|did\b|has\b)[^.?]*\.": "If you ...",
    r"(?:^|[.!?] )What (?!is\b|are\b|was\b|does\b|did\b|if\b|to\b)[^.?;:]* (?:is|are|has|stays?)\b[^?]*?\.": (
        "name the thing instead of describing it"
    ),
    r", be it\b": "such as",
    r"\bto be had\b": "is available",
    r"\bhang(?:s)? on (?:how|what|whether|the)\b": "depends on",
    r"\bthe side (?:that )?the others are divided by\b": "the baseline",
    r"\b(?:and|or) nothing else\b": "only",
}
FIGURE = r"\bfigures?\b"
# where a figure may be matplotlib's, or the name of a folder or command
WITH_FIGURES = {
    *("fiotools/plot", "fiotools/articles", "fiotools/reports", "fiotools/cli"),
    *("notebooks", "tests", "tools"),
}
ROOMS = sorted(
    {
        *PAGES,
        "benchmarks",
        "docs",
        "figures",
        "notebooks",
        "tests",
        "tools",
        "fiotools",
        *(f"fiotools/{file.parent.name}" for file in (ROOT / "fiotools").glob("*/__init__.py")),
    }
)


def plain(text):
    """Take code and links out of Markdown, and split it into paragraphs, items and cells."""
    text = re.sub(r"^(`{3,}).*?^\1`*$|^---\n.*?^---$", "\n\n", text, flags=re.M | re.S)
    text = re.sub(r"`+[^`]*`+|<[^>]*>", "x", re.sub(r"\]\([^)]*\)", "]", text))
    parts = re.split(r"\n\s*\n|\n\s*(?:[-*]|\d+\.|#+)\s|\s\|\s|\n\|", text)
    return [" ".join(re.sub(r"[*\[\]#|]", "", part).split()) for part in parts]


def of_python(source):
    """Give the docstrings, comments and messages of a module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield from plain(node.value.replace(">>>", "\n\n"))
    comment = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            comment.append(token.string.lstrip("# "))
        elif token.type not in (tokenize.NL, tokenize.NEWLINE):
            yield from plain(" ".join(comment)) if comment else ()
            comment = []


def texts(room):
    """Give the texts of a room, each with its file."""
    path = ROOT / room
    if path.is_file():
        yield from ((path, part) for part in plain(path.read_text(encoding="utf-8")))
        return
    deep = room != "fiotools"
    for file in sorted(path.rglob("*") if deep else path.glob("*.py")):
        if file.suffix == ".md" and file.name not in NOT_TEXT and room != "tests":
            found = plain(file.read_text(encoding="utf-8"))
        elif file.suffix == ".ipynb":
            cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
            found = [
                p
                for c in cells
                if c["cell_type"] == "markdown"
                for p in plain("".join(c["source"]))
            ]
        elif file.suffix == ".py" and room == "tests":
            names = re.findall(r"^def test_(\w+)", file.read_text(encoding="utf-8"), re.M)
            found = [name.replace("_", " ") for name in names]
        elif file.suffix == ".py":
            found = of_python(file.read_text(encoding="utf-8"))
        else:
            continue
        yield from ((file, part) for part in found)


def findings(text, room):
    """Give what a text should not say, and the advice."""
    rules = RULES if room in WITH_FIGURES else {**RULES, FIGURE: "number, value or plot"}
    return [(m[0], advice) for rule, advice in rules.items() for m in re.finditer(rule, text)]


@pytest.mark.parametrize("room", ROOMS)
def test_words_are_those_of_the_style_page(room):
    found = [
        f"{file.relative_to(ROOT)}: {said!r}: {advice}"
        for file, text in texts(room)
        for said, advice in findings(text, room)
    ]
    assert not found, "docs/style.md:\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("Of a latency less is better, and the verdict knows it.", True),
        ("`foo` is no name of a column.", True),
        ("What the figures are worth is said below.", True),
        ("It is never guessed what pairs.", True),
        ("Who measures until the verdict is pleasing finds a difference.", True),
        ("The ratio is no larger than 1, and it is no longer shown.", False),
        ("What is read? Who is it for? Of 20 runs, 3 failed.", False),
        ("See `figures/` and `is no name`.", False),
    ],
)
def test_what_the_page_forbids_is_found(text, is_found):
    assert bool(findings(" ".join(plain(text)), "docs")) is is_found
