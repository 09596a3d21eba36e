"""A result and its table come in; one page that a colleague can open goes out.

`held_out` predicts rows that a fit has not seen, `advice` says what to try next, `sections` writes each part as HTML
and `page` puts them together. May import what `bnjit.result` imports, and the report on the columns of a table.
"""

from bnjit.review.page import make_review

__all__ = ["make_review"]
