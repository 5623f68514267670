"""A campaign that stops when its comparisons have a verdict."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import fiotools as ft
from fiotools.errors import MeasureError
from fiotools.measure import session
from fiotools.measure.experiments import EXPERIMENTS
from fiotools.measure.plan import plan_from
from fiotools.measure.session import is_settled
from tests.measure.campaigns import SMALL, measure, unix


def measured(ratio, n=6, spread=0.02):
    rng = np.random.default_rng(1)
    sides = {"fast": ratio, "slow": 1.0}
    return pd.DataFrame(
        [
            {"place": place, "workload": workload, "direction": "read", "iops": value}
            for place, level in sides.items()
            for workload in ("random-read", "random-write")
            for value in 1000 * level * np.exp(rng.normal(0, spread, n))
        ]
    )


def of_random_io(frame):
    asked = SimpleNamespace(places={"slow": "/s", "fast": "/f"})
    results = SimpleNamespace(io=frame)
    return SimpleNamespace(asked=asked, experiment=EXPERIMENTS["random-io"], results=results)


@pytest.mark.parametrize(("ratio", "spread", "expected"), [(2, 0.02, True), (1.06, 0.1, False)])
def test_a_campaign_is_settled_if_every_comparison_has_a_verdict(ratio, spread, expected):
    assert is_settled(of_random_io(measured(ratio, spread=spread))) is expected


def test_it_takes_the_interval_for_any_number_of_looks():
    frame = measured(1.12, n=3, spread=0.01)
    asked = {"between": "place", "baseline": "slow", "by": ["workload", "direction"]}
    once = ft.compare(frame, "iops", **asked)["verdict"]
    assert once.eq("faster").any()
    assert not is_settled(of_random_io(frame))


@unix
def test_a_campaign_ends_when_every_comparison_has_a_verdict(tmp_path, monkeypatch):
    looked = []
    monkeypatch.setattr(session, "is_settled", lambda found: bool(looked.append(found) or looked))
    for name in "ab":
        (tmp_path / name).mkdir()
    places = [word for name in "ab" for word in ("--dir", tmp_path / name)]
    out = tmp_path / "out"
    done = measure(*SMALL, *places, "-o", out, "--until", "settled", "--rounds", "5")
    assert done.returncode == 0, done.stderr
    found = ft.measure.campaign(out)
    assert "every comparison has a verdict after 3 rounds" in done.stdout
    assert "looks" in done.stdout
    assert found.status == "settled"
    assert found.plan.groupby("round")["done"].all().tolist() == [True] * 3 + [False] * 2
    assert len(looked) == 1
    again = measure("--resume", out)
    assert again.returncode == 0, again.stderr
    assert ft.measure.campaign(out).plan["done"].sum() == 4 * 4


@unix
def test_the_verdicts_of_real_runs_are_asked_for(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
    places = [word for name in "ab" for word in ("--dir", tmp_path / name)]
    done = measure(*SMALL, *places, "-o", tmp_path / "out", "--until", "settled", "--rounds", "4")
    assert done.returncode == 0, done.stderr
    found = ft.measure.campaign(tmp_path / "out")
    assert found.status in ("settled", "complete")
    assert found.plan["done"].sum() >= 12


def test_one_place_has_no_comparison(tmp_path):
    with pytest.raises(MeasureError, match="until='settled' needs two places"):
        ft.measure.run("throughput", [str(tmp_path)], until="settled", dry=True)


def test_plans_of_old_campaigns_run_all_rounds(tmp_path):
    (tmp_path / "a").mkdir()
    said = []
    ft.measure.run("throughput", [str(tmp_path / "a")], dry=True, say=said.append)
    assert "until every comparison" not in said[0]
    facts = {
        "experiment": "throughput", "effort": "quick", "places": {"a": "/a"},
        "workloads": ["read"], "fields": ["workload"], "suffix": ".txt", "rounds": 1,
        "size_bytes": 0, "seconds": 0, "jobs": 0, "buffered": False, "limit_s": None,
    }  # fmt: skip
    assert plan_from(facts).until == "rounds"
