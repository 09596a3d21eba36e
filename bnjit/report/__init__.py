"""Any table comes in; a Report on what stands in the way of learning from it goes out, and the table with remedies.

`values` brings a batch of a column into one of a few forms, `column` and `summary` sum batches up, `batches` reads them
wherever they are, `findings` applies the rules, and `remedies` prepares the table. May import what `bnjit.api` imports.
"""

from bnjit.report.checking import check
from bnjit.report.report import Report

__all__ = ["Report", "check"]
