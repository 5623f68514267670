"""What is compared follows from a campaign's experiment, from labels, or from the files' places."""

import shutil

import pytest

import fiotools as ft
from fiotools.reports.questions import Choices, comparisons
from fiotools.reports.study import study
from fiotools.reports.subjects import gather
from tests.conftest import ROOT

DATA = ROOT / "data"
HYPERFINE = ROOT / "tests/fixtures/hyperfine"
LIBAIO = ROOT / "tests/fixtures/fio/fio-3.33--libaio.json"


def asked(sources, **wish):
    (source,) = gather(sources)
    return comparisons(source, Choices(**wish))


def test_a_campaign_is_asked_what_its_experiment_is_about():
    warm, place = asked(DATA / "own-disk" / "page-cache")
    assert (warm.between, warm.baseline, warm.by) == ("cache", "cold", ("place",))
    assert (place.between, place.baseline, place.by) == ("place", "root", ())
    assert set(place.frame["cache"]) == {"cold"}
    assert place.title == "each place against root, cold only"
    assert warm.answer["place"].tolist() == place.levels == ["root", "tmpfs", "loop-ext4"]
    # of a time, above 1 is faster
    faster = warm.answer.set_index("place").loc["root"]
    times = warm.frame.groupby(["place", "cache"])["real_s"].median()["root"]
    assert (faster["speedup"] > 1) == (times["warm"] < times["cold"])


def test_a_folder_of_campaigns_is_several_parts_and_says_what_is_damaged(tmp_path):
    for name in ("page-cache", "small-files"):
        shutil.copytree(DATA / "own-disk" / name, tmp_path / name)
    (tmp_path / "page-cache" / "manifest.jsonl").write_text("{\n")
    (part,) = gather(tmp_path)
    assert part.name == "small-files"
    assert "page-cache/manifest.jsonl:1: not a line of a manifest" in part.lacking[0]
    (tmp_path / "small-files" / "manifest.jsonl").write_text("{\n")
    with pytest.raises(ft.MeasureError, match="not a line of a manifest"):
        gather(tmp_path)


def test_sides_come_from_templates_labels_folders_and_names(tmp_path):
    volumes = str(DATA / "dda-vhdx/xml/{volume}.xml")
    (one,) = asked(volumes, baseline="vhdx")
    assert (one.between, one.baseline, one.by) == ("volume", "vhdx", ("direction",))
    one, other = (DATA / "dda-vhdx/xml" / f"{name}.xml" for name in ("nvme", "vhdx"))
    assert asked({"a": one, "b": other})[0].levels == ["a", "b"]
    assert asked([one, other])[0].levels == ["nvme", "vhdx"]
    assert "twice" in asked({"a": LIBAIO, "b": LIBAIO})[0].problem
    assert set(asked(DATA / "dda-vhdx/xml")[0].levels) == {"mirror", "nvme", "vhdx"}
    for side in ("new", "old"):
        for run in ("1", "2"):
            (tmp_path / side).mkdir(exist_ok=True)
            shutil.copy(LIBAIO, tmp_path / side / f"{run}.json")
    (by_folder,) = asked(tmp_path)
    assert by_folder.levels == ["new", "old"]
    assert by_folder.answer["n"].tolist() == [2, 2]
    for old, new in (("old", "new"), ("old/*.json", "new/*.json")):
        (named,) = asked([tmp_path / old, tmp_path / new])
        assert (named.baseline, named.levels) == ("old", ["old", "new"])
        assert named.answer["n"].tolist() == [2, 2]


def test_each_of_several_labels_is_a_question():
    template = str(DATA / "wsl-vhdx/{drive}_{mount}_{operation}.txt")
    drive, mount = asked(template)
    assert (drive.between, drive.baseline, mount.between, mount.baseline) == (
        *("drive", "c"),
        *("mount", "drvfs"),
    )
    (one,) = asked(template, between="mount")
    # the direction says the same as the operation
    assert one.by == mount.by == ("drive", "direction")
    assert one.metric == "bw_bytes_per_s"


def test_a_folder_is_asked_what_the_words_of_its_file_names_say():
    """No drive is compared with another through another file system."""
    drive, mount = asked(DATA / "wsl-vhdx")
    assert (drive.levels, mount.levels) == (["c", "f"], ["drvfs", "ext4-vhdx", "git-bash"])
    named = asked(str(DATA / "wsl-vhdx/{drive}_{mount}_{operation}.txt"))
    for own, other in zip((drive, mount), named, strict=True):
        assert own.answer["ratio"].tolist() == other.answer["ratio"].tolist()


def test_a_folder_of_several_experiments_is_taken_apart():
    depth, long, rounds = gather(DATA / "how-many-runs")
    assert (depth.name, long.name, rounds.name) == ("depth", "long", "rounds")
    (one,) = comparisons(depth, Choices())
    assert "there is only one side" in one.problem
    assert "between='iodepth'" in one.problem
    (one,) = comparisons(rounds, Choices())
    assert (one.levels, one.baseline) == (["ext4", "xfs"], "ext4")


def test_a_column_of_the_runs_may_hold_the_sides():
    results = ft.read([DATA / f"dda-vhdx/xml/{name}.xml" for name in ("nvme", "vhdx", "mirror")])
    results.runs["host"] = ["big", "big", "small"]
    (one,) = asked(results, between="host", by=("direction",))
    assert (one.levels, one.baseline) == (["big", "small"], "big")


def test_results_are_a_source_and_stay_as_they_are():
    results = ft.read(str(DATA / "dda-vhdx/xml/{volume}.xml"))
    before = {name: list(frame) for name, frame in results.tables.items()}
    (source,) = gather(results)
    assert not source.is_of_files
    (one,) = comparisons(source, Choices(baseline="vhdx"))
    (other,) = asked(str(DATA / "dda-vhdx/xml/{volume}.xml"), baseline="vhdx")
    assert one.answer["ratio"].tolist() == other.answer["ratio"].tolist()
    gather(ft.read(DATA / "wsl-vhdx"))
    assert before == {name: list(frame) for name, frame in results.tables.items()}
    with pytest.raises(ft.SchemaError, match="these results have no runs"):
        gather(ft.read(LIBAIO, tables=("io",)))


def test_the_first_that_was_named_is_the_baseline():
    named = {"vhdx": DATA / "dda-vhdx/xml/vhdx.xml", "nvme": DATA / "dda-vhdx/xml/nvme.xml"}
    assert asked(named)[0].baseline == "vhdx"
    assert asked([*reversed(named.values())])[0].baseline == "nvme"


def test_what_was_swept_is_compared_value_by_value():
    (one,) = asked(str(DATA / "wsl-filesystems/{place}_*_{round:d}.txt"))
    assert one.by == ("direction", "bs_bytes")
    assert len(one.answer) == 2 * 5 * 2


def test_the_commands_of_hyperfine_are_sides(tmp_path):
    (one,) = asked(HYPERFINE / "hyperfine-1.15.0--two_commands.json")
    # the words that differ name them
    assert one.levels == ["bs=4k count=20000", "bs=1M count=78"]
    assert one.answer["n"].tolist() == [6]
    # of two files the commands are cells
    for name in ("old", "new"):
        shutil.copy(HYPERFINE / "hyperfine-1.15.0--two_commands.json", tmp_path / f"{name}.json")
    (one,) = asked(tmp_path, baseline="old")
    assert (one.levels, one.by) == (["new", "old"], ("command",))
    assert one.answer["n"].tolist() == [6, 6]


def test_commands_that_differ_between_the_sides_make_none(tmp_path):
    for name in ("old", "new"):
        times = "".join(
            f"$ time cp {name}/{file} /tmp\n\nreal\t0m0.5{at}s\nuser\t0m0.1s\nsys\t0m0.1s\n\n"
            for at, file in enumerate("ab")
        )
        (tmp_path / f"{name}.txt").write_text(times)
    (one,) = asked(tmp_path)
    assert (one.by, one.answer["n"].tolist()) == ((), [2])


def test_sides_within_a_file(tmp_path):
    depth = study(DATA / "how-many-runs/depth", between="iodepth")
    assert "iodepth 128 is faster than 1" in str(depth.verdict())
    assert len(depth.credibility().html) > 100


def test_one_side_is_not_compared():
    (one,) = asked(LIBAIO)
    assert one.answer is None
    assert "one side" in one.problem
    assert one.summary["n"].tolist() == [1, 1]


def test_what_has_no_such_figure_is_not_said_to_be_missing():
    timed = ROOT / "tests/fixtures/hyperfine/hyperfine-1.15.0--failures_milliseconds.json"
    (one,) = asked([str(LIBAIO), str(timed)])
    assert "only fio-3.33--libaio has iops" in one.problem


def test_timed_commands_are_compared_where_one_side_made_the_file():
    (one,) = asked(DATA / "page-cache")  # create.log is the only report of dd
    assert (one.metric, one.levels) == ("real_s", ["after", "before"])
    assert one.answer["flags"].tolist() == ["need;one-run"]


def test_a_flush_does_not_turn_small_blocks_into_large_ones():
    files = DATA / "how-many-runs/rounds/{workload}_{filesystem}_{round:d}.json"
    (one,) = asked(str(files), between="filesystem")
    assert one.metric == "iops"
    assert set(one.frame["direction"]) == {"read", "write"}


def test_many_files_without_a_name_are_not_sides(tmp_path):
    files = sorted((DATA / "wsl-filesystems").glob("*.txt"))
    for at, file in enumerate(files):
        shutil.copy(file, tmp_path / f"{at}.txt")
    (source,) = gather(tmp_path)
    assert "files belong to one side; they differ in direction, bs" in source.said[0]
    assert source.fields == ()


def test_reads_and_writes_of_one_place_are_one_side():
    (one,) = asked(DATA / "wsl-filesystems")
    assert set(one.levels) == {"ext4", "ext4-image", "tmpfs"}
    assert (one.by, set(one.answer["n"])) == (("direction", "bs_bytes"), {3})


def test_a_side_that_only_reads_is_a_side(tmp_path):
    for name, moves in {"nas": ("read", "write"), "nvme": ("read",), "usb": ("read",)}.items():
        texts = [(DATA / f"wsl-filesystems/ext4_{move}_4k_1.txt").read_text() for move in moves]
        # other times, or they would be one run
        (tmp_path / f"{name}.txt").write_text(
            "\n".join(texts).replace("copied, 0", f"copied, {len(name)}")
        )
    (one,) = asked(tmp_path)
    assert one.levels == ["nas", "nvme", "usb"]
    assert set(one.answer["direction"]) >= {"read"}


def test_words_of_the_file_names_together_name_the_sides(tmp_path):
    for file in (DATA / "wsl-filesystems").glob("*.txt"):
        place, *rest = file.name.split("_")
        place = {"ext4": "ext4_plain", "ext4-image": "ext4_image"}.get(place, f"{place}_plain")
        shutil.copy(file, tmp_path / "_".join([place, *rest]))
    (source,) = gather(tmp_path)
    assert "word 1 of the file names and word 2 of the file names" in source.said[0]
    (one,) = asked(tmp_path)
    assert set(one.levels) == {"ext4_plain", "ext4_image", "tmpfs_plain"}


def test_nothing_readable_is_an_error(tmp_path):
    (tmp_path / "a.txt").write_text("no benchmark\n")
    with pytest.raises(ft.SchemaError, match="no file that was found there can be read"):
        gather(tmp_path)
    with pytest.raises(FileNotFoundError):
        gather(tmp_path / "none")


def test_a_dataset_is_compared_as_its_files_are(tmp_path):
    files = str(DATA / "sweep/{side}/randread_qd1_jobs{numjobs}_{round:d}.json")
    ft.convert(files, tmp_path / "all")
    (one,), (other,) = asked(files), asked(tmp_path / "all")
    assert (other.between, other.baseline, other.by) == (one.between, one.baseline, one.by)
    assert other.answer["ratio"].tolist() == one.answer["ratio"].tolist()


def test_a_dataset_without_some_tables_is_refused(tmp_path):
    ft.convert(LIBAIO, tmp_path / "io", tables=["io"])
    with pytest.raises(
        ft.SchemaError, match=r"io: a report needs all tables, .* has no runs, jobs, "
    ):
        gather(tmp_path / "io")


def test_a_run_that_failed_was_read():
    found = study(ROOT / "tests/fixtures/time/gnu-time-1.9--failed.txt")
    assert (found.notes["severity"] == "error").sum() == 2
    assert found.unread.empty


@pytest.mark.parametrize("tool", ["credibility", "diskspd", "hyperfine"])
def test_a_folder_of_unlike_files_is_reported(tool):
    """Some have no totals, some no options, some are on no side."""
    found = study(ROOT / "tests/fixtures" / tool)
    for piece in (found.verdict, found.credibility, found.settings):
        assert piece().html
