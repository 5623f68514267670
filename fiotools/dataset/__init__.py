"""Many files as one dataset: Parquet files of the tidy tables, converted once.

A dataset is a folder, here or in an object store::

    _fiotools.json                      version of its columns, tables, labels
    _manifest/part-000001-001.parquet   the record of a part: a row for each of its files
    io/part-000001-001.parquet          its rows of `io`, and so on for each table
    io/part-000000-001.parquet          part 0: the columns, without rows
    _unfinished.json  _lock             during a conversion

A folder for each table, and in it all files have the same columns: ``io/*.parquet`` is all that
polars, DuckDB, Spark and Dask need to be told. There are no folders such as ``format=fio_json``
below: some of these programs make a column of such a name and some do not, their types differ, and
it would cut the parts into small files. A query for part of the data still reads part of it: a
table is a folder of its own, and a part holds neighbours among the sources, so that the smallest
and largest value of ``source`` and of the labels, which Parquet keeps, rule out most of the others.

A part counts when its record is there, which is written last; `names` says how a part is replaced.
Other files in these folders are left alone, and a link among them is not followed. What is named as
a part is and was never committed goes only if fiotools wrote it; else nothing is done.
"""
