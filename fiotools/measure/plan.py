"""The plan of a campaign: plain values, written down before it begins.

The runs are interleaved, forwards and backwards, so a drift affects all places equally.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

EFFORTS = ("quick", "normal", "thorough")
ENDS = ("rounds", "settled")


def interleaved(
    places: Sequence[str], workloads: Sequence[str], rounds: int
) -> Iterator[tuple[int, str, str]]:
    """Yield (round, workload, place), in the order of the runs.

    The places take turns at each workload of a round. The order of the places is reversed from
    round to round (A B, B A, A B, ...), and the order of the workloads too; neighbouring workloads
    begin with another place.

    Examples
    --------
    >>> [place for _, _, place in interleaved(["a", "b"], ["read"], 3)]
    ['a', 'b', 'b', 'a', 'a', 'b']
    >>> [(workload, place) for round, workload, place in interleaved("ab", ["x", "y"], 1)]
    [('x', 'a'), ('x', 'b'), ('y', 'b'), ('y', 'a')]
    """
    numbered = list(enumerate(workloads))
    for number in range(1, rounds + 1):
        for at, workload in numbered if number % 2 else reversed(numbered):
            for place in places if (number + at) % 2 else reversed(places):
                yield number, workload, place


@dataclass(frozen=True)
class PlannedRun:
    """A planned run."""

    order: int  # from 1, over the whole campaign
    place: str
    workload: str
    round: int  # from 1
    file: str  # the name of its raw output


@dataclass(frozen=True)
class CampaignPlan:
    """Everything that decides which runs there are, and their order."""

    experiment: str
    effort: str  # quick, normal or thorough
    places: Mapping[str, str]  # name and path, in order
    workloads: tuple[str, ...]
    fields: tuple[str, ...]  # the labels in a workload's name, separated by ``_``
    suffix: str  # of the raw outputs
    rounds: int
    size_bytes: int  # of a test file (0: the experiment has none)
    seconds: int  # duration of a run if the tool runs for a time (else 0)
    jobs: int  # jobs at once if the tool has several (else 0)
    buffered: bool  # whether the page cache is used though the experiment would bypass it
    limit_s: float | None  # no further runs begin after this time
    # "rounds": when all rounds are done; "settled": or when every comparison has a verdict
    until: str = "rounds"
    job: str = ""  # the text of a person's own job

    @property
    def template(self) -> str:
        """The path template that reads the results, beside the manifest."""
        fields = "_".join(f"{{{name}}}" for name in ("place", *self.fields))
        return f"{fields}_{{round:d}}{self.suffix}"

    @property
    def turns(self) -> tuple[str, str]:
        """The order of the places in letters, there and back."""
        letters = "ABCD"[: len(self.places)]
        more = "..." if len(self.places) > len(letters) else ""
        return f"{letters}{more}", f"{more}{letters[::-1]}"

    def runs(self) -> Iterator[PlannedRun]:
        """Yield the runs in their order."""
        width = len(str(self.rounds))
        every = interleaved(list(self.places), self.workloads, self.rounds)
        for order, (number, workload, place) in enumerate(every, 1):
            file = f"{place}_{workload}_{number:0{width}d}{self.suffix}"
            yield PlannedRun(order, place, workload, number, file)


def plan_from(facts: Mapping[str, Any]) -> CampaignPlan:
    """Build a plan from its values, as JSON returned them; raise if they are not a plan's."""
    facts = {"until": "rounds", "job": "", **facts}  # earlier campaigns do not say
    values = {name: facts[name] for name in CampaignPlan.__dataclass_fields__}
    values["workloads"], values["fields"] = tuple(values["workloads"]), tuple(values["fields"])
    plan = CampaignPlan(**values)
    counts: tuple[Any, ...] = (plan.rounds, plan.size_bytes, plan.seconds, plan.jobs)
    if not all(isinstance(count, int) and count >= 0 for count in counts):
        raise ValueError("a count is not a whole number")
    names: tuple[Any, ...] = (*plan.places, *plan.workloads, plan.suffix)
    if any(not isinstance(name, str) or "/" in name or "\\" in name for name in names):
        raise ValueError("a name would leave the folder")
    return plan
