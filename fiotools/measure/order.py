"""The order of the runs: interleaved, there and back, so that a drift meets all places alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def interleaved(
    places: Sequence[str], workloads: Sequence[str], rounds: int
) -> Iterator[tuple[int, str, str]]:
    """Give (round, workload, place), in the order to run them.

    In a round, at each workload, the places take turns. From round to round the order of places is
    reversed (A B, B A, A B, ...), and that of the workloads too; at neighbouring workloads another
    place is first.

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
