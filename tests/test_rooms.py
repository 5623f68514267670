"""The house has rooms, and arrows go down only: no module imports another in a circle."""

import pytest

from tools.generator import rooms


def cut(graph):
    """Give what stands in circles, with whom."""
    standing = rooms.circle(graph)
    return {name: sorted(graph[name] & {*standing}) for name in standing}


def test_rooms_import_in_no_circle():
    assert cut(rooms.graph()) == {}


def test_modules_import_in_no_circle():
    """At their top, inside functions, and for types."""
    known = rooms.modules()
    graph = {name: {*rooms.imports(file, known)} - {name} for name, file in known.items()}
    del graph[rooms.GROUND]  # it names what is public, and imports that when it is asked for
    assert cut({name: others - {rooms.GROUND} for name, others in graph.items()}) == {}


def test_a_circle_is_found():
    assert rooms.circle({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == ["b", "c"]


@pytest.mark.parametrize("name", [name for name in rooms.graph() if name != rooms.GROUND])
def test_a_room_says_what_it_is_for(name):
    assert len(rooms.idea(name)) > 20
