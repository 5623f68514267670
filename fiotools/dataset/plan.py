"""The plan of a conversion, as it is written down before anything is read.

It has a piece for each part: the rows that the manifest is to have of its files, and of each file
whether it is to be read and where it stood in the part before. A last file says that all pieces are
there: without it there is no plan.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from fiotools.column import DType
from fiotools.dataset import arrow
from fiotools.dataset.columns import MANIFEST, arrow_schema
from fiotools.dataset.names import PLAN, PLANNED, leftover, part_name, uncommitted
from fiotools.dataset.store import Store
from fiotools.errors import DatasetError
from fiotools.scale import needed

if TYPE_CHECKING:
    import polars as pl

PENDING = "_todo"  # whether the file is to be read
BEFORE = "_before"  # its row in the part's record until now
_WHOLE = f"{PLAN}/{PLANNED}"


@dataclass(frozen=True)
class Plan:
    """What is to be done.

    Attributes
    ----------
    call : str
        What was asked for: another call does not go on with it.
    parts : list of (number, generation, files)
        ``files``: how many are to be read.
    """

    call: str
    parts: list[tuple[int, int, int]]

    @classmethod
    def read(cls, store: Store) -> Plan | None:
        """Read the plan that was not finished, if there is one.

        Raises
        ------
        DatasetError
            If something else has its name.
        """
        try:
            told = orjson.loads(store.read(_WHOLE))
            return cls(str(told["call"]), [(int(n), int(g), int(f)) for n, g, f in told["parts"]])
        except FileNotFoundError:
            return None
        except (orjson.JSONDecodeError, KeyError, TypeError, ValueError):
            raise DatasetError(
                f"{store.place(_WHOLE)}: not what fiotools wrote; move it elsewhere"
            ) from None

    def write(self, store: Store) -> None:
        """Write that the plan is whole; from here on it is done as it is."""
        content = orjson.dumps({"call": self.call, "parts": self.parts})
        store.write(_WHOLE, lambda file: file.write(content))


def piece_name(number: int, generation: int) -> str:
    """Name the piece of a part."""
    return f"{PLAN}/{part_name(number, generation)}"


def write_piece(store: Store, name: str, rows: pl.DataFrame, labels: Mapping[str, DType]) -> None:
    """Write the piece of a part."""
    pa = needed("pyarrow", "a dataset")
    schema = arrow_schema(MANIFEST, labels)
    schema = schema.append(pa.field(PENDING, pa.bool_())).append(pa.field(BEFORE, pa.int64()))
    arrow.write(store, name, arrow.of_polars(rows, schema))


def read_piece(content: bytes) -> pl.DataFrame:
    """Read the piece of a part from the bytes of its file."""
    import polars as pl

    return pl.read_parquet(io.BytesIO(content))


def dropped(store: Store, plan: Plan | None) -> None:
    """Remove a plan that is done, or is not wanted any more; and pieces that never made one."""
    names = store.names(PLAN)
    planned = {number: generation for number, generation, _ in plan.parts} if plan else {}
    arrow.refuse_others(store, [f"{PLAN}/{name}" for name in uncommitted(names, planned)])
    store.remove([_WHOLE])  # first: pieces without it are none
    store.remove(f"{PLAN}/{name}" for name in leftover(names, {}))
    store.leave(PLAN)
