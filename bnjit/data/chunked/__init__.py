"""Parquet and Arrow files, or a function that makes record batches, come in; a Source that reads chunks goes out.

May import the modules of data that hold no backend: schema, column, levels, check, table, passes, source.
"""
