"""The catalogues have every message of the code, and none that nobody says."""

import ast
import json
import re
import tomllib
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

import fiotools as ft
from fiotools import language
from fiotools.errors import SchemaError
from fiotools.language import Language, places, tables
from fiotools.plot import words
from fiotools.stats.check.outcomes import outcomes, read, why
from fiotools.vocabulary import COLUMNS
from tests.latin import left_over

ROOT = Path(__file__).resolve().parent.parent.parent
PARTS = ("phrases", "remedies")
OUTCOMES = ROOT / "fiotools/stats/check/outcomes.toml"
CATALOGUES = sorted(language.FOLDER.glob("*.toml"))
PROJECTS = sorted((ROOT / "notebooks").glob("figures.*.toml"))
each_language = pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
each_project = pytest.mark.parametrize("path", PROJECTS, ids=lambda path: path.name)
each_catalogue = pytest.mark.parametrize(
    "path", [*CATALOGUES, *PROJECTS], ids=lambda path: path.name
)


@each_catalogue
def test_what_is_inserted_is_the_same_in_both_languages(path):
    for table in tables(path).values():
        for message, translation in table.items():
            assert places(message) == places(translation), message
            assert translation.strip(), message


@cache
def constants(folder):
    """Give the texts in the code of a folder, without its docstrings."""
    found = []
    for file in sorted((ROOT / folder).rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        nodes = list(ast.walk(tree))
        docs = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
            if is_text and id(node) not in docs:
                found.append(node.value)
    return found


@cache
def said():
    """Give the first arguments of each `say` of the language in the code."""
    found = []
    for file in (ROOT / "fiotools").rglob("*.py"):
        nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
        imported = {
            one.name
            for node in nodes
            if isinstance(node, ast.ImportFrom) and node.module == "fiotools.language"
            for one in node.names
        }
        if "say" in imported:
            calls = [node for node in nodes if isinstance(node, ast.Call)]
            found += [node.args[0] for node in calls if getattr(node.func, "id", "") == "say"]
    return found


def test_no_message_is_built():
    built = [one for one in said() for node in ast.walk(one) if isinstance(node, ast.JoinedStr)]
    assert said()
    assert not [ast.unparse(one) for one in built]


@each_language
def test_messages_are_those_of_the_code(path):
    found = tables(path)
    known = {*found["messages"], *found["sentences"]}
    ends = [
        end
        for one in said()
        for end in ([one.body, one.orelse] if isinstance(one, ast.IfExp) else [one])
    ]
    asked = {end.value for end in ends if isinstance(end, ast.Constant)}
    assert len(asked) > 80
    assert not asked - known - found["names"].keys(), "not translated"
    shown = {text for room in ("language", "plot") for text in constants(f"fiotools/{room}")}
    shown = {text for text in shown if places(text) and ":d}" not in text}  # no path templates
    assert not shown - known - found["names"].keys(), "not translated"
    of_check = {*sentences_of_check()}
    unsaid = {text for text in known if places(text)} - asked - shown - of_check
    assert not unsaid - {*constants("fiotools")}, "nobody says this any more"
    known -= asked | {*constants("fiotools"), *sentences_of_check()}
    assert not known, "nobody says this any more"


def sentences_of_check():
    """Give what `check` can say: sentences, remedies, and parts of them."""
    for name, table in tomllib.loads(OUTCOMES.read_text(encoding="utf-8")).items():
        for told in table.values():
            if isinstance(told, dict) or (isinstance(told, str) and name not in PARTS):
                continue  # the arguments that are needed, and a basis, are not drawn
            texts = [told] if isinstance(told, str) else told[1:3]
            for part in " | ".join(texts).split(" | "):
                if part and not part.startswith("@"):
                    yield part


@each_language
def test_what_check_says_is_translated(path):
    assert {*sentences_of_check()} <= {*tables(path)["sentences"]}


@each_language
def test_columns_are_those_of_the_vocabulary(path):
    measured = [name for name, one in COLUMNS.items() if one.dtype in ("Int64", "float64")]
    there = {words.wording(name, short=short) for name in measured for short in (False, True)}
    assert set(tables(path)["columns"]) == there


@each_language
def test_checks_are_those_of_check(path):
    asked = {finding.partition(".")[0] for finding in outcomes()}
    assert set(tables(path)["checks"]) == asked


@each_language
def test_names_are_made_of_what_stands_in_the_code(path):
    """A name that nothing has any more has words that stand nowhere."""
    code = "\n".join(constants("fiotools"))
    for name in tables(path)["names"]:
        for piece in re.split(r"\{\w+\}", name):
            assert is_made_of(piece.strip(" ,:;()%"), code), f"{name!r}: {piece!r}"


def is_made_of(piece, code):
    """Say whether a piece of a sentence is one text of the code, or some of a word or more."""
    if piece in code:
        return True
    breaks = [at for at, letter in enumerate(piece) if letter in " :" and at > 4]
    return any(piece[:at] in code and is_made_of(piece[at:].lstrip(" :"), code) for at in breaks)


def cells():
    """Give the code of the notebooks that draw figures of the project, a tree for each cell."""
    for file in sorted((ROOT / "notebooks").glob("*.ipynb")):
        code = [
            cell for cell in json.loads(file.read_bytes())["cells"] if cell["cell_type"] == "code"
        ]
        sources = ["".join(cell["source"]) for cell in code]
        if any("../figures" in source for source in sources):
            yield from map(ast.parse, sources)


def texts_of(tree):
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return [node.value for node in nodes if isinstance(node.value, str)]


def together(path):
    return {message: own for table in tables(path).values() for message, own in table.items()}


_ROW = re.compile(r"^\| `(\d[\w-]+)` \|.*\| ([^|]+) \|$", re.M)
TITLES = dict(_ROW.findall((ROOT / "figures" / "README.md").read_text(encoding="utf-8")))


def test_titles_are_those_of_the_plots():
    """Titles are made of answers, so what was drawn is asked, and not the code."""
    assert len(TITLES) > 20
    for name, title in TITLES.items():
        drawn = (ROOT / "figures" / f"{name}.svg").read_text(encoding="utf-8")
        assert title in " ".join(re.findall("<!-- (.+) -->", drawn)), name


@each_project
def test_plots_and_their_words_agree(path):
    names = together(path)
    assert not [one for one in TITLES.values() if Language(names=names).called(one) == one]
    code = "\n".join(text for tree in cells() for text in texts_of(tree))
    for message, own in names.items():
        alone = Language(names={message: own})
        if all(alone.called(one) == one for one in TITLES.values()):  # a name, and no title
            for piece in re.split(r"\{\w+\}", message):
                assert is_made_of(piece.strip(" ,:"), code), message


EVIDENCE = {
    "nothing": {},
    "a guest on USB": {"ram": "8GB", "link": "usb3-5g", "media": "hdd"},
    "no host": {
        "ram": "1GB",
        "host_ram": "1GB",
        "link": "sata-3",
        "media": "nvme",
        "cache": "cold",
    },
}


@cache
def results():
    made = ft.read(ROOT / "tests/fixtures/credibility", errors="note")
    usb = ft.read(str(ROOT / "data/wsl-vhdx/f_{mount}_{operation}.txt"))
    volumes = ft.read(str(ROOT / "data/dda-vhdx/xml/{volume}.xml"))
    pages = ft.read(str(ROOT / "data/page-cache/{cache}.txt"))
    return made, usb, volumes, pages


@cache
def checks(code):
    """Check all sorts of results in a language, with what is known of them or not."""
    made, usb, volumes, pages = results()
    copies = {"between": "volume", "baseline": "vhdx", "copies": 8}
    cold = {"between": "cache", "sides": "cache"}
    with language.speaking(code):
        found = [ft.check(res, **known) for res in (made, usb) for known in EVIDENCE.values()]
        found += [
            ft.check(usb, between="mount", baseline="git-bash", sides=what)
            for what in ("layer", "device")
        ]
        found += [
            ft.check(volumes, **copies),
            ft.check(volumes, **copies, devices=1),
            ft.check(pages, moved="5GiB", link="sata-3", baseline="before", **cold),
            ft.check(pages, baseline="after", **cold),
        ]
    return found


@each_language
def test_every_reason_and_remedy_is_translated(path):
    seen = 0
    with language.speaking(path.stem):
        for answer in checks("en"):
            if len(answer):
                for note in ft.plot.spec("credibility", answer, reasons=1000).notes:
                    assert left_over(note) == [], note
            for finding, details in zip(answer["finding"], answer["details"], strict=True):
                values = read(details if isinstance(details, str) else None)
                text = why(finding, values, language.say)
                assert re.search("[ぁ-鿿]", text), text
                seen += 1
    assert seen > 1000


@each_language
def test_a_language_changes_no_frame(path):
    for own, english in zip(checks(path.stem), checks("en"), strict=True):
        pd.testing.assert_frame_equal(own, english)


def test_a_while_ends():
    with language.speaking("ja"):
        with language.speaking("en"):
            assert language.say("run") == "run"
        assert language.say("run") == "実行"
    assert language.say("run") == "run"


def test_what_was_inserted_into_a_name_is_a_name_too():
    spoken = Language(names={"read": "Lesen", "{what} of {n}, {n} times": "{n} x {what}"})
    assert spoken.called("read of 3, 3 times") == "3 x Lesen"
    assert spoken.called("read of 3, 4 times") == "read of 3, 4 times"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("x", "is not TOML"),
        ('"a" = "b"', "'a' stands outside a [table]"),
        ('[a]\n"b {n}" = "c {m}"', "the translation of 'b {n}' has {m}, which the message has not"),
        ("[a]\nb = 1", "the translation of 'b' is not a text"),
    ],
    ids=["no TOML", "no table", "another place", "a number"],
)
def test_a_broken_catalogue_says_where(tmp_path, words, why):
    (tmp_path / "figures.ja.toml").write_text(words, encoding="utf-8")
    with pytest.raises(SchemaError, match=r"^figures\.ja\.toml") as raised:
        tables(tmp_path / "figures.ja.toml")
    assert why in str(raised.value)
