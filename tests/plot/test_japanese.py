"""Japanese: no word stays English by accident, no letter is missing, nothing is cut off."""

import re

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from matplotlib.text import Text

import fiotools as ft
from fiotools.errors import SchemaError
from fiotools.plot import letters, words
from fiotools.stats.check.outcomes import outcomes
from fiotools.stats.explain import causes
from fiotools.vocabulary import COLUMNS
from tests.conftest import ROOT, needs_letters
from tests.latin import left_over
from tests.plot import kinds
from tests.plot.kinds import KINDS, said


@pytest.fixture(autouse=True)
def english_again():
    with mpl.rc_context():
        yield
    words.use("en")
    letters._installed.cache_clear()


@pytest.fixture
def japanese():
    ft.plot.style(lang="ja")


RUNS = kinds.runs(["円盤", "dev1"], 5, [1.0, 1.02])
ONE = RUNS[RUNS["round"] == 0]
BINS = kinds.histograms(RUNS)
ALONE = kinds.PARTS.assign(baseline=None, ratio=float("nan"), log_ratio=float("nan"))
DRAWN = {
    **{f"{kind}, runs": lambda draw=draw: draw(RUNS) for kind, draw in KINDS.items()},
    **{f"{kind}, one run": lambda draw=draw: draw(ONE) for kind, draw in KINDS.items()},
    "speedup": lambda: ft.plot.ratios(ft.speedup(RUNS, "iops", between="device")),
    "percentiles of bins": lambda: ft.plot.percentiles(
        ft.percentiles(BINS, by="device"), hue="device"
    ),
    "parts of one side": lambda: ft.plot.parts(ALONE),
    "a limit": lambda: ft.plot.repeats(ONE, "iops", y="device", ceilings={"SATA": 2e4}),
}
# these show sentences of `check`, and what the rows of a map add up to
ENGLISH = ("credibility", "threads")
OF_THE_DATA = {"device", "new", "old"}


@needs_letters
@pytest.mark.parametrize("drawn", DRAWN)
def test_words_are_japanese_and_nothing_is_cut_off(japanese, drawn):
    ax = DRAWN[drawn]()
    ft.plot.title(ax, "題名")
    figure = kinds.figure_of(ax)
    assert not kinds.faults(figure)  # a missing letter is a warning, which is an error here
    texts = [text.get_text() for text in figure.findobj(Text) if text.get_visible()]
    if not drawn.startswith(ENGLISH):
        assert {word for text in texts for word in left_over(text)} <= OF_THE_DATA


def test_every_word_is_said_and_has_the_places_of_its_translation():
    folder = ROOT / "fiotools" / "plot"
    code = "".join(file.read_text() for file in sorted(folder.glob("*.py")))
    others = {words.wording(one, short=short) for one in COLUMNS for short in (False, True)}
    others |= {one["name"] for one in causes.causes().values() if "name" in one}
    others |= {finding.partition(".")[0] for finding in outcomes()}
    others |= {"read", "write", "mixed", "total", "copy", "trim"}
    for text, own in words.tables("ja")["words"].items():
        assert {*re.findall(r"\{(\w+)\}", text)} == {*re.findall(r"\{(\w+)\}", own)}, text
        said = repr(text)[1:-1] in code
        assert said or text in others or "{n}" in text, f"nobody says {text!r} any more"


@needs_letters
def test_style_switches_back_and_frames_stay_english(japanese):
    one = ONE[:1].assign(n=1)
    assert said(KINDS["repeats"](one)) == "IOPS 実行 1 回"
    assert ft.compare(ONE, "iops", between="device")["verdict"].item() == "one run"
    ft.plot.style()
    ax = KINDS["repeats"](one.assign(device="a"))
    assert said(ax) == "I/Os per second one run"
    assert ax.xaxis.label.get_family() == ["DejaVu Sans", "sans-serif"]


def test_without_letters_the_error_says_what_to_install(monkeypatch):
    letters._installed.cache_clear()
    monkeypatch.setattr(letters, "find_spec", lambda name: None)
    with pytest.raises(SchemaError, match=r"python -m pip install 'fiotools\[ja\]'"):
        ft.plot.style(lang="ja")
    ax = KINDS["repeats"](ONE[:1].assign(n=1, device="a"))
    assert said(ax) == "I/Os per second one run"


@needs_letters
def test_a_project_has_words_of_its_own(tmp_path, monkeypatch):
    words = '["a notebook"]\n"{n} times" = "{n} 倍"\n"dev1" = "ファイル"\n"the USB disk" = "円盤"\n'
    (tmp_path / "figures.ja.toml").write_text(words, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    ft.plot.style(lang="ja")
    ax = KINDS["repeats"](ONE)
    ax.set_title("the USB disk")  # by matplotlib's own hand
    ft.plot.title(ax, "2.5 times")
    ft.plot.save(ax, tmp_path / "figure.png")
    assert [name.get_text() for name in ax.get_yticklabels()] == ["円盤", "ファイル"]
    assert ax.get_title(loc="left") == "円盤"
    assert ax.get_figure().get_suptitle() == "2.5 倍"


# --- names in Japanese, without the language ------------------------------------------------------


@needs_letters
@pytest.mark.parametrize("kind", KINDS)
def test_names_take_their_letters_from_an_installed_font(kind):
    drawn = KINDS[kind](kinds.runs(["データベース", "速い円盤", "遅い円盤"], 2))
    assert not kinds.faults(kinds.figure_of(drawn))


@needs_letters
def test_names_take_their_letters_from_the_fonts_of_the_user(monkeypatch):
    letters.load_font("ja")
    monkeypatch.setattr(letters, "_installed", lambda code: "")
    with plt.rc_context({"font.family": "IPAexGothic"}):
        assert not kinds.faults(KINDS["repeats"](RUNS).figure)


@needs_letters
@pytest.mark.parametrize("kind", ["repeats-slowest", "percentiles", "heatmap"])
def test_a_font_of_the_user_need_not_have_the_letters_of_units(kind):
    letters.load_font("ja")
    with plt.rc_context({"font.family": "IPAexGothic"}):
        _, ax = plt.subplots(figsize=(6, 3))
        assert not kinds.faults(KINDS[kind](ONE, ax=ax).figure)


def test_names_without_a_font_keep_their_places(monkeypatch):
    monkeypatch.setattr(letters, "_installed", lambda code: "")
    with pytest.warns(UserWarning, match="missing from font"):
        assert not kinds.faults(KINDS["repeats"](ONE).figure)


# --- lines ----------------------------------------------------------------------------------------

LONG = (
    "単体の VHDX に対し、ミラーの IOPS は「0.71 倍」（読み取り、書き込みとも）で、"
    "パススルーした NVMe は 1.82 倍。レイテンシは 0.2 ～ 0.6 ms、スループットは 1.98 GB/s だった"
)


@needs_letters
@pytest.mark.parametrize("room", [8, 18, 40, 94])
def test_lines_are_broken_as_japanese_breaks_them(japanese, room):
    lines = letters.wrapped(LONG, room).split("\n")
    assert re.sub(r"\s", "", "".join(lines)) == re.sub(r"\s", "", LONG)
    for line in lines:
        assert line[0] not in "、。）」ーっゃゅょ～", lines
        assert line[-1] not in "（「", lines
        assert letters.width(line) <= room or len(line) <= 4, lines
    if room >= 18:
        assert all(number in "\n".join(lines) for number in ("0.6 ms", "1.98 GB/s", "1.82 倍"))


@needs_letters
@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_long_title_is_broken_into_even_lines(language):
    ft.plot.style(lang=language)
    figure = plt.figure(figsize=(7, 3))
    ft.plot.title(figure, LONG)
    wide = [letters.width(line) for line in figure.get_suptitle().splitlines()]
    assert len(wide) == 3
    assert min(wide) > 0.6 * max(wide)
    assert not kinds.faults(figure)
