"""Questions of physics, asked of any `Results`, whatever tool printed it.

Written apart from `fiotools.input.consistency`, on the finished frames and with slack of its own: every
file without a warning must pass, and whatever a mutation did to a file, what fails here must have
been noted.
"""

import numpy as np

import fiotools as ft

ROW = ["source", "run", "entry", "direction"]


def contradictions(results):
    """Give (source, run, what) for every answer that is wrong."""
    asked = {
        "io": (amounts, blocks, latencies, printed, little),
        "threads": (*map(of_threads, (amounts, blocks, latencies)), parts),
        "percentiles": (percentiles,),
        "bins": (bins,),
        "timings": (timings,),
        "cpu": (shares,),
        "samples": (samples,),
        "thread_samples": (samples,),
    }
    found = []
    for table, questions in asked.items():
        for question in questions if len(results.tables[table]) else ():
            for bad, what in question(results):
                rows = zip(bad["source"], bad["run"], strict=True)
                found += [(source, run, what) for source, run in rows]
    return found


def read_all(paths, **more):
    """Read many files at once; nothing is said of runs that stand in two of them.

    Returns the results, and the failures.
    """
    try:
        results, failures = ft.read(paths, **more), []
    except ft.ReadErrors as error:
        results, failures = error.results, error.failures
    notes = results.notes
    alone = ~notes["message"].str.startswith("the same run as run ")
    return ft.Results({**results.tables, "notes": notes[alone]}, results.files), failures


def read_texts(folder, texts, **more):
    """Write texts (by name) to a folder of their own, and read them all at once."""
    for name, data in texts.items():
        (folder / name).write_bytes(data)
    results, failures = read_all([folder / name for name in texts], **more)
    for table in results.tables.values():
        table["source"] = table["source"].str.slice(len(folder.as_posix()) + 1)
    return results, {failure.path.rpartition("/")[2]: failure for failure in failures}


def each(results):
    """Give what every file held, by its name; the rows of a file stand together."""
    tables = {}
    for table, frame in results.tables.items():
        for source, rows in frame.groupby("source").indices.items():
            assert rows[-1] - rows[0] + 1 == len(rows)
            # a slice, of which nothing is copied
            tables.setdefault(source, {})[table] = frame.iloc[rows[0] : rows[-1] + 1]
    none = {table: frame.iloc[:0] for table, frame in results.tables.items()}
    return {source: ft.Results({**none, **some}, 1) for source, some in tables.items()}


def floats(frame, *names):
    return [frame[name].astype("float64") for name in names]


def of_threads(question):
    """Ask of threads what is asked of `io`."""
    return lambda results: question(ft.Results({**results.tables, "io": results.threads}, 1))


def amounts(results):
    """Amounts are rates times time, and nothing is negative or infinite."""
    io = results.io
    names = ["io_bytes", "total_ios", "runtime_s", "iops", "bw_bytes_per_s"]
    values = io[names].astype("float64")
    yield io[(values < 0).any(axis=1) | np.isinf(values).any(axis=1)], "negative or infinite"
    text = results.runs.set_index(["source", "run"])["format"] == "fio_normal"
    coarse = [text.get(key, False) for key in zip(io["source"], io["run"], strict=True)]
    share = np.where(coarse, 0.15, 0.04)
    for amount, rate, grain in (("io_bytes", "bw_bytes_per_s", 4096), ("total_ios", "iops", 1)):
        done, speed, seconds = floats(io, amount, rate, "runtime_s")
        off = (speed * seconds - done).abs()
        slack = share * done + 0.003 * speed + grain * (seconds + 2)
        yield io[(done > 0) & (off > slack)], f"{rate} x runtime_s is not {amount}"


def blocks(results):
    """No more bytes than I/Os of one block size, but for those in flight."""
    io = results.io
    size, ios, block, depth, jobs = floats(
        io, "io_bytes", "total_ios", "bs_bytes", "iodepth", "numjobs"
    )
    most = (ios + depth.fillna(1) * jobs.fillna(1)) * block * 1.04
    yield io[size > most], "more bytes than I/Os x block size"


def latencies(results):
    """min <= mean <= max."""
    io = results.io
    for kind in ("slat", "clat", "lat"):
        low, mean, high = floats(io, *(f"{kind}_{stat}_ns" for stat in ("min", "mean", "max")))
        yield io[low > mean * 1.04 + 2000], f"{kind}: min > mean"
        yield io[mean > high * 1.04 + 2000], f"{kind}: mean > max"
        yield io[(low < 0) | (mean < 0) | (high < 0)], f"{kind}: negative"


def percentiles(results):
    """They rise, within 0 and 100, and end at the greatest."""
    frame = results.percentiles
    keys = [*ROW, "target", "job", "latency"]
    yield frame[~frame["percentile"].between(0, 100)], "no percentile"
    frame = frame.sort_values("percentile", kind="stable")
    fall = frame.groupby(keys, dropna=False)["value_ns"].diff() < 0
    yield frame[fall], "percentiles fall"


def bins(results):
    """Every bin has a width, and together they hold every I/O once."""
    frame = results.bins
    yield frame[frame["bin_lo_ns"] >= frame["bin_hi_ns"]], "a bin without width"
    keys = [*ROW, "latency"]
    counted = frame[frame["count"].notna() & (frame["latency"] != "slat")]
    sums = counted.groupby(keys, as_index=False)["count"].sum()
    io = results.io.drop_duplicates(ROW)[[*ROW, "total_ios"]]
    both = sums.merge(io, on=ROW).dropna(subset="total_ios")
    held, ios = floats(both, "count", "total_ios")
    yield both[(ios > 0) & ((held - ios).abs() > 0.04 * ios + 2)], "bins do not hold every I/O"


def parts(results):
    """Threads add up to the run."""
    keys = ["source", "run", "direction"]
    for amount in ("io_bytes", "total_ios"):
        sums = [added(frame, keys, amount) for frame in (results.threads, results.io)]
        both = sums[0].merge(sums[1], on=keys)
        own, whole = floats(both, f"{amount}_x", f"{amount}_y")
        yield both[(own - whole).abs() > 1e-5 * whole], f"threads' {amount} are not the run's"


def printed(results):
    """The rows of a run add up to the total that the tool printed."""
    keys, extras = ["source", "run"], results.extras
    for amount in ("io_bytes", "total_ios"):
        whole = extras[(extras["path"] == f"total.{amount}") & extras["entry"].isna()]
        both = added(results.io, keys, amount).merge(whole, on=keys)
        own, told = floats(both, amount, "text")
        yield both[(own - told).abs() > 1e-5 * told], f"{amount} of io are not the total"


def added(frame, keys, amount):
    """Add up an amount that is known of all rows."""
    sums = frame.groupby(keys, observed=True)[amount].sum(min_count=1, skipna=False)
    return sums.reset_index().dropna()


def little(results):
    """Jobs and threads cannot keep more I/Os waiting than their depth."""
    io = results.io
    depth, jobs, iops, lat = floats(io, "iodepth", "clones", "iops", "lat_mean_ns")
    waiting = iops * lat * 1e-9
    yield io[waiting > depth * jobs * 1.2 + 1], "more I/Os waiting than the depth"


def timings(results):
    """Times are not negative."""
    frame = results.timings
    values = frame[["real_s", "user_s", "sys_s", "real_mean_s"]].astype("float64")
    yield frame[(values < 0).any(axis=1) | np.isinf(values).any(axis=1)], "a negative time"


def shares(results):
    """A processor is busy for a hundred percent at most."""
    frame = results.cpu
    usage, user, kernel = floats(frame, "usage_pct", "user_pct", "kernel_pct")
    yield frame[(usage < -1) | (usage > 102)], "usage is no share"
    yield frame[(user + kernel - usage).abs() > 2], "user + kernel is not usage"


def samples(results):
    """Samples have a time and a value, neither below zero."""
    frame = results.samples
    time, value = floats(frame, "time_s", "value")
    yield frame[(time < 0) | (value < 0) | np.isinf(value)], "a sample below zero"


def unnoted(results):
    """Give the contradictions of runs that no warning speaks of."""
    notes = results.notes[results.notes["severity"].isin(["warning", "error"])]
    warned = set(zip(notes["source"], notes["run"].fillna(-1), strict=True))
    return [
        found
        for found in contradictions(results)
        if (found[0], found[1]) not in warned and (found[0], -1) not in warned
    ]
