"""The figures of many fio documents of the usual layout: from arrays to typed columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fiotools.arrays import Vector, vector
from fiotools.joining import Piece, Stretches
from fiotools.readers.fio.json_group import SYNC, Group
from fiotools.readers.fio.json_io import BW, IOPS
from fiotools.readers.fio.json_latency import COLUMNS as LATENCY
from fiotools.readers.fio.json_listed import DIRECTIONS, Jobs
from fiotools.readers.fio.json_rest import Rest, piece, words
from fiotools.readers.fio.json_shape import CPU, EXTREMES, JOB, KINDS, MEANS, REAL, WHOLE
from fiotools.schema import CONDITIONS, TABLES
from fiotools.tables import Block
from fiotools.vocabulary import COLUMNS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.readers.fio.json_histograms import Histograms
    from fiotools.readers.fio.json_matrix import Matrix
    from fiotools.readers.fio.json_shape import Curves, Fine, Shape

    Array = NDArray[Any]

_ELAPSED, _GROUP = JOB.index("elapsed"), JOB.index("groupid")
_WORDS = [*DIRECTIONS, "total"]


class Cut(NamedTuple):
    """A document in parts.

    Attributes
    ----------
    file : int
        Its number.
    rest : bytes
        What is left.
    texts : list of bytes
        What was cut out.
    bins : sequence of bool
        Whether there are any in each histogram that was taken out before.
    first : int
        The number of the first of these.
    clones : int
        How many entries the job has; of a document with one entry, which may be a part of another.
    """

    file: int
    rest: bytes
    texts: list[bytes]
    bins: Sequence[bool] = ()
    first: int = 0
    clones: int = 1


class Columns:
    """The documents of a batch.

    Parameters
    ----------
    wanted : collection of str, optional
        The tables to build; all by default.
    histograms : Histograms
        Those of all documents. They may be read later than the documents.

    Attributes
    ----------
    jobs : Jobs
    odd : list of int
        The numbers of the files that turned out to be unusual.
    """

    def __init__(self, wanted: Collection[str] | None, histograms: Histograms) -> None:
        self._wanted = frozenset(TABLES if wanted is None else wanted)
        self.jobs = Jobs()
        self.odd: list[int] = []
        self._arrays: dict[str, list[Array]] = defaultdict(list)
        self._versions: list[str] = []
        self._descriptions: list[str | None] = []
        self._rest = Rest(self._wanted)
        self._histograms = histograms
        self._entries = 0

    def add(self, shape: Shape, matrix: Matrix, documents: Sequence[Cut]) -> None:
        """Add documents of one shape."""
        texts = [document.texts for document in documents]
        group = Group(shape, matrix, texts, self.jobs, [cut.clones for cut in documents])
        curves = self._curves(shape, matrix, group) if "percentiles" in self._wanted else None
        bins = self._bins(shape, matrix, group, documents) if "bins" in self._wanted else None
        more = self._rest.read(shape, matrix)
        sound = group.sound & ~matrix.odd
        if bins is not None:
            sound &= ~bins.are_mixed
        files = [document.file for document in documents]
        self.odd += [file for file, is_sound in zip(files, sound, strict=True) if not is_sound]
        taken = np.flatnonzero(sound)
        if not len(taken):
            return
        number = np.array(files, dtype=np.int32)[taken]
        # the entries of all documents are numbered through
        entries = self._entries + np.arange(group.known.size).reshape(group.known.shape)
        entries -= (np.cumsum(~sound) * group.known.shape[1])[:, None]
        self._entries += len(taken) * group.known.shape[1]
        self._put_entries(shape, group, number, taken)
        at = np.flatnonzero(sound[group.document])
        self._put(
            row_entry=entries[group.document[at], group.entry[at]],
            direction=group.direction[at],
            whole=group.whole[at],
            real=group.real[at],
            extremes=group.extremes[at],
            means=group.means[at],
            measured=group.measured[at],
        )
        if curves is not None:
            document, at, value = (one[sound[curves[0]]] for one in curves)
            self._put(
                curve_entry=entries[document, shape.curves.entry[at]],
                curve_direction=shape.curves.direction[at],
                kind=shape.curves.kind[at],
                percentile=shape.curves.percentile[at],
                value=value.astype(np.float64),
            )
        if bins is not None:
            self._put_coarse(shape, bins, group.moved[..., :SYNC], entries, sound)
            self._put_fine(shape, bins, documents, entries, sound)
        self._rest.add(shape, more, taken, number, [texts[at] for at in taken.tolist()])

    def _curves(self, shape: Shape, matrix: Matrix, group: Group) -> tuple[Array, Array, Array]:
        """Read the percentiles of what was measured: their documents, places and values."""
        document, at = _measured(group, shape.curves)
        return document, at, matrix.whole(shape.curves.at[at, None], document)[:, 0]

    def _bins(self, shape: Shape, matrix: Matrix, group: Group, documents: Sequence[Cut]) -> _Held:
        """Find the bins that hold anything: the coarse ones of an entry that has no fine ones."""
        document, at = _measured(group, shape.fine)
        held = np.array([cut.bins for cut in documents], dtype=bool)[document, at]
        document, at = document[held], at[held]
        is_fine = np.zeros(group.known.shape, dtype=bool)
        is_fine[document, shape.fine.entry[at]] = True
        pct = matrix.real(shape.coarse.at)
        pct[is_fine[:, shape.coarse.entry]] = 0
        # those that have both have them entry by entry
        are_mixed = np.logical_and(is_fine.any(axis=1), (pct > 0).any(axis=1))
        return _Held(document, at, pct, are_mixed)

    def _put_coarse(
        self, shape: Shape, bins: _Held, moved: Array, entries: Array, sound: Array
    ) -> None:
        """Add coarse bins; they are of all directions of an entry together."""
        document, at = np.nonzero((bins.pct > 0) & sound[:, None])
        place = document, shape.coarse.entry[at]
        whole = np.where(moved.sum(axis=2) == 1, moved.argmax(axis=2), len(DIRECTIONS))
        self._put(
            bin_entry=entries[place],
            bin_direction=whole[place],
            low=shape.coarse.low[at],
            high=shape.coarse.high[at],
            pct=bins.pct[document, at],
        )

    def _put_fine(
        self,
        shape: Shape,
        bins: _Held,
        documents: Sequence[Cut],
        entries: Array,
        sound: Array,
    ) -> None:
        """Add histograms of fine bins."""
        kept = sound[bins.document]
        document, at = bins.document[kept], bins.at[kept]
        first = np.array([cut.first for cut in documents])
        self._put(
            fine_entry=entries[document, shape.fine.entry[at]],
            fine_direction=shape.fine.direction[at],
            fine_kind=shape.fine.kind[at],
            fine_number=first[document] + at,
        )

    def _put_entries(
        self, shape: Shape, group: Group, number: NDArray[np.int32], taken: Array
    ) -> None:
        entries = len(shape.descriptions)
        self._versions += [group.versions[at] or "" for at in taken.tolist()]
        self._descriptions += shape.descriptions * len(taken)
        job = group.job[taken]
        self._put(
            file=number,
            reported=group.reported[taken],
            elapsed=job[..., _ELAPSED].max(axis=1),
            entry_file=number.repeat(entries),
            number=np.tile(np.arange(1, entries + 1), len(taken)),
            known=group.known[taken].reshape(-1),
            is_group=group.is_group[taken].reshape(-1),
            job=job.reshape(-1, len(JOB)),
            cpu=group.cpu[taken].reshape(-1, len(CPU)),
        )

    def _put(self, **arrays: Array) -> None:
        for name, array in arrays.items():
            self._arrays[name].append(array)

    def _all(self, name: str) -> Array:
        found = self._arrays[name]
        if len(found) > 1:
            self._arrays[name] = found = [np.concatenate(found)]
        return found[0]

    def pieces(self) -> dict[str, list[Piece]]:
        """Give the rows of all documents."""
        if not self._entries:
            return {}
        self._keys = self._entry_keys()
        makers = {
            "runs": self._run_rows,
            "io": self._io_rows,
            "jobs": self._job_rows,
            "percentiles": self._percentile_rows,
            "bins": self._bin_rows,
        }
        found = {table: [rows()] for table, rows in makers.items() if table in self._wanted}
        if any(map(len, self._arrays["fine_number"])):
            found["bins"].append(self._fine_rows())
        files = self._all("entry_file")
        return found | self._rest.pieces(self.jobs, self._all("known"), files, self._keys)

    def _run_rows(self) -> Piece:
        columns = {
            "tool_version": words(self._versions),
            "reported_at": _moments(self._all("reported")),
            "duration_s": self._all("elapsed").astype(np.float64),
        }
        same = {"run": 1, "tool": "fio", "format": "fio_json", "status": "ok"}
        return piece(self._all("file"), columns, same)

    def _entry_keys(self) -> dict[str, Vector]:
        """Type the keys of all entries."""
        jobs, known = self.jobs, self._all("known")
        self._options = np.array(jobs.options)[known]
        names = np.array(jobs.name, dtype=np.int32)[known]
        return {
            "entry": Vector(self._all("number")),
            "group": Vector(self._all("job")[:, _GROUP]),
            "job": Vector(names, words=list(jobs.names)),
            "target": vector([one.target for one in jobs.listed], "str").take(self._options),
            "scope": Vector(self._all("is_group").astype(np.int32), words=["job", "group"]),
        }

    def _job_rows(self) -> Piece:
        job, cpu = _named(JOB, self._all("job")), _named(CPU, self._all("cpu"))
        columns: dict[str, Any] = {
            **self._keys,
            **{name: job[name] for name in ("error", "ctx", "majf", "minf")},
            **{f"{name}_pct": values for name, values in cpu.items()},
            "job_start": _moments(job["job_start"]),
            "job_runtime_s": _where(job["job_runtime"] != 0, job["job_runtime"] / 1000),
            "description": self._descriptions,
        }
        return piece(self._all("entry_file"), columns, {"run": 1})

    def _io_rows(self) -> Piece:
        entry, direction = self._all("row_entry"), self._all("direction")
        columns = self._keys_of(entry, direction)
        place = self._options[entry] * len(DIRECTIONS) + direction
        for name in CONDITIONS:
            values = [one.get(name) for listed in self.jobs.listed for one in listed.conditions]
            columns[name] = vector(values, COLUMNS[name].dtype).take(place)
        whole, rates = _named(WHOLE, self._all("whole")), _named(REAL, self._all("real"))
        columns |= _amounts(whole, rates, direction == SYNC)
        extremes, means = self._all("extremes"), self._all("means")
        for kind, measured, *figures in zip(
            KINDS,
            self._all("measured").T,
            *(_by_kind(one) for one in (extremes, means)),
            strict=True,
        ):
            found = _named(EXTREMES, figures[0]) | _named(MEANS, figures[1])
            for stat, name in LATENCY[kind].items():
                columns[name] = _where(measured, found[stat])
        return piece(self._all("entry_file")[entry], columns, {"run": 1})

    def _percentile_rows(self) -> Piece:
        entry = self._all("curve_entry")
        columns = self._keys_of(entry, self._all("curve_direction"))
        columns["latency"] = Vector(self._all("kind").astype(np.int32), words=list(KINDS))
        columns |= {"percentile": self._all("percentile"), "value_ns": self._all("value")}
        return piece(self._all("entry_file")[entry], columns, {"run": 1})

    def _bin_rows(self) -> Piece:
        entry = self._all("bin_entry")
        columns = self._keys_of(entry, self._all("bin_direction"))
        columns |= {"bin_lo_ns": self._all("low"), "bin_hi_ns": self._all("high")}
        columns["pct"] = self._all("pct")
        return piece(self._all("entry_file")[entry], columns, {"run": 1, "latency": "clat"})

    def _fine_rows(self) -> Piece:
        number = self._all("fine_number")
        order = np.argsort(number)  # as they were read
        entry, direction, kind = (
            self._all(f"fine_{name}")[order] for name in ("entry", "direction", "kind")
        )
        shared = self._keys_of(entry, direction)
        shared["latency"] = Vector(kind.astype(np.int32), words=list(KINDS))
        sizes, bins = self._histograms.taken(number[order])
        columns = {"bin_lo_ns": bins.low, "bin_hi_ns": bins.high, "count": bins.counts}
        block = Block(len(bins), columns, {"run": 1})
        stretches = Stretches(sizes, shared)
        return Piece(self._all("entry_file")[entry], block, stretches)

    def _keys_of(self, entry: Array, direction: Array) -> dict[str, Any]:
        """Give the keys of rows."""
        columns: dict[str, Any] = {name: keys.take(entry) for name, keys in self._keys.items()}
        columns["direction"] = Vector(direction.astype(np.int32), words=_WORDS)
        return columns


class _Held(NamedTuple):
    """The bins of documents that hold anything.

    Attributes
    ----------
    document, at : numpy.ndarray
        Of each histogram of fine bins its document, and its place there.
    pct : numpy.ndarray
        By document: coarse bins.
    are_mixed : numpy.ndarray
        Which documents have both.
    """

    document: Array
    at: Array
    pct: Array
    are_mixed: NDArray[np.bool_]


def _measured(group: Group, what: Curves | Fine) -> tuple[Array, Array]:
    """Find what is of a latency that was measured: the documents and places."""
    rows = np.full(group.moved.shape, -1)
    rows[group.moved] = np.arange(len(group.document))
    row = rows[:, what.entry, what.direction]
    document, at = np.nonzero((row >= 0) & group.measured[row, what.kind])
    return document, at


def _named(names: Iterable[str], figures: Array) -> dict[str, Array]:
    return dict(zip(names, figures.T, strict=True))


def _by_kind(figures: Array) -> Array:
    return figures.transpose(1, 0, 2)


def _moments(milliseconds: Array) -> Vector:
    missing = milliseconds == 0
    return Vector(milliseconds, missing if missing.any() else None)


def _amounts(
    whole: Mapping[str, Any], rates: Mapping[str, Any], syncs: NDArray[np.bool_]
) -> dict[str, Any]:
    """Give amounts and rates, in base units: `fio_json_io.amounts` for many rows at once.

    Syncs are counted, and move nothing.
    """
    runtime, total = whole["runtime"] / 1000, whole["total_ios"]
    ran = runtime != 0
    iops = rates["iops"]
    exact = np.divide(total, runtime, out=np.full(len(total), np.nan), where=ran & (total != 0))
    iops = np.where(np.abs(exact - iops) < 1e-5, exact, iops)
    sampled = {"bw_samples": whole["bw_samples"] != 0, "iops_samples": whole["iops_samples"] != 0}
    found: dict[str, Any] = {
        "total_ios": total,
        **{name: Vector(whole[name], syncs) for name in ("io_bytes", "short_ios", "drop_ios")},
        "runtime_s": _where(ran, runtime),
        "iops": _where(ran, iops),
        "bw_bytes_per_s": _where(ran, whole["bw_bytes"]),
    }
    for count, names, scale in (("bw_samples", BW, 1024.0), ("iops_samples", IOPS, 1.0)):
        for key, name in names.items():
            values = whole[key] if key in whole else rates[key]
            found[name] = _where(sampled[count], values * scale)
        found[count] = Vector(whole[count], ~sampled[count])
    share = rates["bw_agg"]
    found["bw_agg_pct"] = _where(sampled["bw_samples"] & (share != 0), share)
    return found


def _where(known: NDArray[np.bool_], values: NDArray[Any]) -> NDArray[np.float64]:
    return np.where(known, values, np.nan)
