"""Figures in Japanese: nothing stays English by accident, no letter is missing, nothing is cut off."""

import re
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.text import Text

import fiotools as ft
from fiotools.errors import SchemaError
from fiotools.plot import letters, words
from fiotools.stats.check.outcomes import outcomes
from fiotools.stats.explain import causes
from fiotools.vocabulary import COLUMNS
from tests.conftest import needs_letters
from tests.latin import left_over
from tests.plot.kinds import said

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "fiotools" / "plot"


@pytest.fixture(autouse=True)
def english_again():
    with mpl.rc_context():
        yield
    words.use("en")
    letters._installed.cache_clear()


@pytest.fixture
def japanese():
    ft.plot.style(lang="ja")


IOPS = pd.DataFrame(
    {
        "fs": ["ext4"] * 4 + ["xfs"] * 4,
        "direction": ["read", "write"] * 4,
        "iodepth": [1, 1, 8, 8] * 2,
        "iops": [100.0, 90.0, 220.0, 200.0, 110.0, 95.0, 180.0, 170.0],
        "lat_mean_ns": [2e6, 2.1e6, 3e6, 3.1e6, 1e6, 1.1e6, 2e6, 2.1e6],
        "lat_stddev_ns": 1e5,
    }
)
READS = IOPS.query("direction == 'read'")
ONE = READS.query("iodepth == 1")
SIX = pd.DataFrame({"fs": ["ext4"] * 6 + ["xfs"] * 7, "iops": [float(n) for n in range(100, 113)]})
BINS = pd.DataFrame(
    {
        "fs": ["ext4"] * 2,
        "latency": "clat",
        "direction": "read",
        "time_s": [1.0, 2.0],
        "bin_lo_ns": [50e3, 100e3],
        "bin_hi_ns": [100e3, 250e3],
        "count": [9000, 1000],
    }
)
THREADS = pd.DataFrame(
    {
        "run": [1] * 2 + [2],
        "fs": ["ext4"] * 2 + ["xfs"],
        "thread": [0, 1, 0],
        "direction": "total",
        "iops": [18_841.0, 43_830.0, 100.0],
    }
)
LOG = pd.DataFrame(
    {
        "direction": "read",
        "quantity": "iops",
        "time_s": [float(second) for second in range(1, 13)],
        "value": [103.0, 102.0, 100.0, 99.0, 96.0, 101.0] * 2,
    }
)


def timings(values):
    return pd.DataFrame({"fs": ["ext4"], "real_s": values, "user_s": 1.0, "sys_s": 1.0})


def compared(frame, kind=ft.compare):
    return kind(frame, "iops", between="fs", baseline="ext4")


def credibility():
    res = ft.read(str(ROOT / "data/wsl-vhdx/f_ext4-vhdx_write.txt"))
    return ft.plot.credibility(ft.check(res, ram="7926928KiB", link="usb3-5g"))


_PARTS = {"fs": "xfs", "metric": "iops", "n": 1, "part": ["device", "completion"]}
EXPLAINED = pd.DataFrame(
    {
        **_PARTS,
        "baseline": "ext4",
        "n_baseline": 1,
        "seconds": [2e-4, 1e-4],
        "log_ratio": [0.7, 0.1],
        "ratio": [2.0, 1.1],
        "share_pct": [87.5, 12.5],
        "verdict": ["cause", "unknown"],
    }
)
ALONE = EXPLAINED.assign(log_ratio=float("nan"), ratio=float("nan"), baseline=None)

KINDS = {
    "single runs": lambda: ft.plot.repeats(
        ONE.assign(n=1), "iops", y="fs", hue="direction", ceilings={"SATA": 200.0}
    ),
    "one run": lambda: ft.plot.repeats(ONE[:1].assign(n=1), "iops", y="fs"),
    "to the slowest": lambda: ft.plot.repeats(
        IOPS[:2].assign(lat_max_ns=9e6), "lat_mean_ns", y="fs", hue="direction", to="lat_max_ns"
    ),
    "ratios, one run each": lambda: ft.plot.ratios(compared(ONE)),
    "ratios": lambda: ft.plot.ratios(compared(SIX)),
    "speedup": lambda: ft.plot.ratios(compared(SIX, ft.speedup)),
    "repeats": lambda: ft.plot.repeats(SIX, "iops", y="fs"),
    "sweep": lambda: ft.plot.sweep(READS, "iops", x="iodepth", hue="fs"),
    "sweep of two metrics": lambda: ft.plot.sweep(
        READS, ["iops", "lat_mean"], x="iodepth", hue="fs", limit=2.5e6
    )[0],
    "percentiles": lambda: ft.plot.percentiles(
        ft.percentiles(BINS.drop(columns="time_s"), by="fs"), hue="fs"
    ),
    "cdf": lambda: ft.plot.cdf(BINS.drop(columns="time_s"), hue="fs"),
    "heatmap": lambda: ft.plot.heatmap(BINS),
    "series": lambda: ft.plot.series(LOG, steady=ft.steady(LOG)),
    "parts": lambda: ft.plot.parts(EXPLAINED),
    "parts of one side": lambda: ft.plot.parts(ALONE),
    "timings": lambda: ft.plot.timings(timings([4.0]), y="fs"),
}
# what is a sentence of `fairness` or `check` stays English
SAID_IN_ENGLISH = {
    "fairness": lambda: ft.plot.fairness(THREADS, y="fs"),
    "credibility": credibility,
}


def shown(figure):
    figure.canvas.draw()  # a missing letter is a warning, which is an error here
    return [text for text in figure.findobj(Text) if text.get_text().strip() and text.get_visible()]


@needs_letters
@pytest.mark.parametrize("kind", [*KINDS, *SAID_IN_ENGLISH])
def test_words_are_japanese_and_nothing_is_cut_off(japanese, kind):
    ax = (KINDS | SAID_IN_ENGLISH)[kind]()
    ft.plot.title(ax, "題名")
    figure = ax.get_figure(root=True)
    texts = shown(figure)
    if kind in KINDS:
        assert {text.get_text(): one for text in texts if (one := left_over(text.get_text()))} == {}
    for text in (*ax.texts, ax.xaxis.label, ax.yaxis.label, *figure.texts):
        box = text.get_window_extent()
        if text.get_text() and text.get_visible():
            assert figure.bbox.x0 - 1 <= box.x0, text.get_text()
            assert box.x1 <= figure.bbox.x1 + 1, text.get_text()
    assert any(re.search("[ぁ-鿿]", text.get_text()) for text in texts)


def test_every_word_is_said_and_has_the_places_of_its_translation():
    code = "".join(file.read_text() for file in sorted(FOLDER.glob("*.py")))
    columns = {words.wording(one, short=short) for one in COLUMNS for short in (False, True)}
    others = {
        cause["name"]
        for cause in causes.causes().values()
        if isinstance(cause, dict) and "name" in cause
    }
    others |= {finding.partition(".")[0] for finding in outcomes()} | {
        "read",
        "write",
        "mixed",
        "total",
        "copy",
        "trim",
    }
    for text, own in words.tables("ja")["words"].items():
        assert {*re.findall(r"\{(\w+)\}", text)} == {*re.findall(r"\{(\w+)\}", own)}, text
        said = repr(text)[1:-1] in code
        assert said or text in columns | others or "{n}" in text, f"nobody says {text!r} any more"


@needs_letters
def test_style_switches_back(japanese):
    assert said(KINDS["one run"]()) == "IOPS（読み取り） 実行 1 回"
    ft.plot.style()
    ax = KINDS["one run"]()
    assert said(ax) == "I/Os per second (read) one run"
    assert ax.xaxis.label.get_family() == ["DejaVu Sans", "sans-serif"]


@needs_letters
def test_frames_stay_english(japanese):
    assert compared(ONE)["verdict"].item() == "one run"


def test_an_unknown_language_is_one_clear_line():
    with pytest.raises(SchemaError, match=r"^lang='xx' is not a language of plots: en, ja$"):
        ft.plot.style(lang="xx")


def test_without_letters_the_error_says_what_to_install(monkeypatch):
    letters._installed.cache_clear()
    monkeypatch.setattr(letters, "find_spec", lambda name: None)
    with pytest.raises(SchemaError, match=r"python -m pip install 'fiotools\[ja\]'"):
        ft.plot.style(lang="ja")
    assert said(KINDS["one run"]()) == "I/Os per second (read) one run"


@needs_letters
def test_a_project_has_words_of_its_own(tmp_path, monkeypatch):
    words = '["a notebook"]\n"{n} times" = "{n} 倍"\n"ext4" = "ファイル"\n"the USB disk" = "円盤"\n'
    (tmp_path / "figures.ja.toml").write_text(words, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    ft.plot.style(lang="ja")
    ax = ft.plot.repeats(ONE, "iops", y="fs")
    ax.set_title("the USB disk")  # by matplotlib's own hand
    ft.plot.title(ax, "2.5 times")
    ft.plot.save(ax, tmp_path / "figure.png")
    assert [name.get_text() for name in ax.get_yticklabels()] == ["ファイル", "xfs"]
    assert ax.get_title(loc="left") == "円盤"
    assert ax.get_figure().get_suptitle() == "2.5 倍"


# Lines of Japanese


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
def test_a_long_title_is_broken_into_even_lines(japanese):
    figure = plt.figure(figsize=(7, 3))
    ft.plot.title(figure, LONG)
    lines = figure.get_suptitle().splitlines()
    wide = [letters.width(line) for line in lines]
    assert len(lines) == 3
    assert min(wide) > 0.6 * max(wide)
    shown(figure)
    assert figure.texts[0].get_window_extent().x1 < figure.bbox.x1
