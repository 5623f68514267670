"""Layers, and other devices: what cannot be faster, and what cannot be the same."""

from __future__ import annotations

from collections.abc import Iterator

from fiotools.stats.credibility.finding import Finding
from fiotools.stats.credibility.known import Known
from fiotools.stats.credibility.pairs import Pair
from fiotools.units import human

_SLACK = 1.1  # a quarter of storage set-ups varies by as much from run to run


def layers(pair: Pair, known: Known) -> Iterator[Finding]:
    """Ask whether the device has vanished from the measurement."""
    if known.sides == "layer":
        yield _layer(pair)
    elif known.sides == "device":
        yield _device(pair)


def _layer(pair: Pair) -> Finding:
    said = _said(pair)
    basis = "a layer adds work: it cannot make what lies below it faster"
    if pair.ratio <= _SLACK:
        return Finding("layers", pair.subject, "ok", said, basis, None, pair.ratio, _SLACK)
    return Finding(
        "layers",
        pair.subject,
        "suspect",
        f"{said}: faster through the layer than without it, so the layer answered from a cache, "
        "or stored less",
        basis,
        "empty the caches of guest and host, flush, use random data, and measure again",
        pair.ratio,
        _SLACK,
    )


def _device(pair: Pair) -> Finding:
    said = _said(pair)
    basis = "devices of other kinds differ in speed"
    if max(pair.ratio, 1 / pair.ratio) > _SLACK:
        return Finding("layers", pair.subject, "ok", said, basis, None, pair.ratio, _SLACK)
    return Finding(
        "layers",
        pair.subject,
        "suspect",
        f"{said}: other devices at one speed, so that what both share was measured (a cache, a "
        "link, a processor), and no device",
        basis,
        "empty the caches of guest and host, flush, use random data, and measure again",
        pair.ratio,
        _SLACK,
    )


def _said(pair: Pair) -> str:
    if not pair.row:
        return f"{pair.ratio:.3g} times as fast"
    rates = f"{human(pair.rate, pair.unit)} against {human(pair.rate_baseline, pair.unit)}"
    return f"{rates} is {pair.ratio:.3g} times as fast"
