"""Tests of the kernels, a module for each, but for these, which are tested where they are used:

| kernels | tested in |
| --- | --- |
| graph | tests/search/test_state.py and test_greedy.py: ancestors and moves against plain loops and their own Python |
| order, toggles | tests/search/test_grow_shrink.py: trees and toggled scores against their own Python |
| waiting | tests/test_threads.py: a team that waits for jobs, and for their end |
| tuning | nothing to test: constants, which the other modules are tested with |

Kernels are compared with plain loops or NumPy, compiled and as the Python that they were compiled from (versions.py).
"""
