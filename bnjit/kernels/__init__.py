"""Every compiled function, and nothing else.

Arrays come in, arrays go out; names and checks live with the callers. Imports only numpy, math and _jit.
Kernels never raise: a singular model scores -inf, anything else is a status that the caller reads.
"""
