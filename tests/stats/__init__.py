"""Tests of the statistics, a module for each, but for these:

| bnjit.stats | tested in |
| --- | --- |
| bootstrap | tests/test_strength.py: replicates against rows that are repeated by hand |
| requests | test_planner.py, test_cache.py and readers/test_contract.py, which ask by them |
| sorting | test_triangles.py and readers/test_contract.py, which need rows sorted by cell |
| tuning | nothing to test: constants, which the other modules are tested with |

`readers/test_contract.py` asks every reader for the same things and compares the answers with plain NumPy
(`readers/by_numpy.py`). `rows.py` and `forms.py` have small tables, in memory and in every form that comes in chunks.
"""
