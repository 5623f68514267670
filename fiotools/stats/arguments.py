"""Arguments that many statistics take, checked in one place."""

from __future__ import annotations

from numbers import Real
from typing import Any

from fiotools.errors import SchemaError


def check_confidence(confidence: Any) -> None:
    """Refuse what is no confidence.

    Examples
    --------
    >>> check_confidence(0.95)
    """
    if not _is_share(confidence):
        raise SchemaError(f"confidence is {confidence!r}: it lies between 0 and 1 (0.95)")


def check_tolerance(tolerance: Any) -> None:
    """Refuse what is no tolerance."""
    if not _is_share(tolerance):
        raise SchemaError(f"tolerance is {tolerance!r}: it is a share, above 0 and below 1 (0.01)")


def is_number(value: Any) -> bool:
    """Say whether an argument can be compared with numbers at all."""
    return isinstance(value, Real)


def _is_share(value: Any) -> bool:
    return is_number(value) and 0 < float(value) < 1
