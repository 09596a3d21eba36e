"""Measurements, made here or saved by earlier calls, come in; the figures and tables of the paper's Section 5 go out.

One module for each figure or table. May import everything but the command line.
"""

from bnjit.paper.reproduction import Reproduction, reproduce

__all__ = ["Reproduction", "reproduce"]
