"""Labels in lines."""

import pytest

from bnjit.plots.labels import wrap_label


def test_labels_break_between_words():
    assert wrap_label("short") == "short"
    assert wrap_label("a name that is much longer than others") == "a name that is much\nlonger than others"
    assert wrap_label("average_temperature_of_last_quarter") == "average_temperature_\nof_last_quarter"
    assert wrap_label("two\nlines") == "two\nlines"
    assert wrap_label("") == ""


@pytest.mark.parametrize("label", ["x" * 45, "word " * 40, "_" * 50, "a" * 21 + "_" + "b" * 70, "ab.c/d-e:" * 30])
def test_lines_are_short_and_few(label):
    lines = wrap_label(label).split("\n")
    assert len(lines) <= 3
    assert all(0 < len(line) <= 22 for line in lines)
    kept = "".join(lines).replace(" ", "")
    assert ("…" in kept) == (kept != label.replace(" ", ""))
