"""A dask.dataframe comes in; a Source that sends computation to its partitions goes out.

May import the modules of data that hold no backend: schema, column, levels, check, table, passes, source.
"""
