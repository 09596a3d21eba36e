"""Tests of the searches, a module for each, but for these:

| bnjit.search | tested in |
| --- | --- |
| tuning | nothing to test: constants, which the other modules are tested with |

`test_results.py` looks at what a search reports, and `by_loops.py` has the tables and the plain loops that searches are
compared with. The kernels of graphs and orders are compared with their own Python in `test_state.py`,
`test_grow_shrink.py` and `test_score_memo.py`.
"""
