"""Every compiled function, and nothing else.

Arrays come in, arrays go out; names and checks live with the callers. Imports only numpy, math, _jit and _simd.
Kernels never raise: a singular model scores -inf, anything else is a status that the caller reads. What all
regressions have in common is in `rules`, and sizes that were found by measuring are in `tuning`.
"""
