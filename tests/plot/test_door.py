"""What someone meets who calls a plot by a wrong name or with a wrong argument."""

import pytest

import fiotools as ft
from fiotools.errors import SchemaError
from fiotools.plot import look
from fiotools.plot.kind import KINDS
from tests.plot import kinds

WRONG = {
    "x and y": (lambda d: ft.plot.sweep(d, x="iodepth", y="iops"), "not y; did you mean metric="),
    "between": (lambda d: ft.plot.cdf(d, between="device"), "not between; did you mean hue="),
    "rows between": (lambda d: ft.plot.timings(d, between="device"), "did you mean y="),
    "colour": (lambda d: ft.plot.repeats(d, "iops", color="device"), "did you mean hue="),
    "metric": (lambda d: ft.plot.series(d, metric="iops"), "did you mean quantity="),
    "latency": (lambda d: ft.plot.load(d, metric="lat_mean"), "did you mean latency="),
    "slip": (lambda d: ft.plot.repeats(d, "iops", titel="x"), "did you mean 'title'?"),
    "nothing like it": (lambda d: ft.plot.repeats(d, "iops", zzz=1), r"not zzz$"),
    "by place": (
        lambda d: ft.plot.sweep(d, "iodepth", "iops"),
        r"sweep takes frame, metric in this order, .* \(x=, hue=, .*not 3 values",
    ),
    "twice": (lambda d: ft.plot.repeats(d, "iops", metric="iops"), "not metric twice"),
    "no data": (lambda d: ft.plot.repeats(metric="iops"), "before them the data"),
    "Axes of values": (lambda d: ft.plot.spec("repeats", d, "iops", ax=1), "not ax$"),
}


@pytest.mark.parametrize(("call", "told"), WRONG.values(), ids=WRONG)
def test_a_wrong_argument_is_told_in_one_line_with_those_there_are(call, told):
    with pytest.raises(SchemaError, match=told) as error:
        call(kinds.runs(["a", "b"], 2))
    assert "\n" not in str(error.value)
    assert "title" in str(error.value)
    assert error.value.__cause__ is None


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_every_kind_takes_a_title(kind, monkeypatch):
    name = kind.partition("-")[0]
    made = KINDS[name].spec
    monkeypatch.setattr(
        KINDS[name], "spec", lambda *given, **named: made(*given, **named, title="A")
    )
    figure = kinds.figure_of(kinds.KINDS[kind](kinds.runs(["a", "b", "c"], 2)))
    assert figure.get_suptitle() == "A"


def test_a_title_is_that_of_the_function():
    frame = kinds.runs(["a", "b"], 2)
    own = ft.plot.repeats(frame, "iops", y="device", title="Two disks")
    other = ft.plot.repeats(frame, "iops", y="device")
    ft.plot.title(other, "Two disks")
    sizes = [look.figure_of(ax).get_size_inches().tolist() for ax in (own, other)]
    assert sizes[0] == sizes[1]
    assert look.figure_of(own).get_suptitle() == "Two disks"
