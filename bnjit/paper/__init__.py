"""Measurements come in, made here or kept from before; the figures and tables of the paper's Section 5 go out.

One module for each figure or table. May import everything but the command line.
"""

from bnjit.paper.reproduction import Reproduction, reproduce

__all__ = ["Reproduction", "reproduce"]
