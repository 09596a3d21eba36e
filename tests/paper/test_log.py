"""The file of measurements: whole lines, whoever adds them."""

from bnjit.paper.log import COLUMNS, Log, key_of


def _row(**values):
    return {**dict.fromkeys(COLUMNS), "experiment": "mehra", "n": 10, **values}


def test_two_processes_add_to_one_file(tmp_path):
    path = tmp_path / "measurements.csv"
    first, second = Log(path), Log(path)
    for run in range(3):
        first.add(_row(run=run, estimator="QR", differences='[["missing", "a", "b"]]'))
        second.add(_row(run=run, estimator="2P"))
    both = Log(path)
    assert len(both.rows) == 6
    assert both.rows.keys() == first.rows.keys() | second.rows.keys()
    assert path.read_text().count("experiment") == 1


def test_a_line_that_was_cut_off_spoils_no_other(tmp_path):
    path = tmp_path / "measurements.csv"
    Log(path).add(_row(run=0, differences='[["missing", "a", "b"]]'))
    whole = path.read_bytes()
    path.write_bytes(whole + whole.splitlines(keepends=True)[-1][:-40])  # ends inside a quoted text
    again = Log(path)
    again.add(_row(run=1))
    assert [row["run"] for row in Log(path).rows.values()] == ["0", "1"]
    path.write_bytes(b"experi")  # not even the header
    assert Log(path).rows == {}


def test_what_is_learned_does_not_depend_on_the_machine():
    one, other = (_row(experiment="accuracy", machine=m, threads=t) for m, t in (("a", 1), ("b", 2)))
    assert key_of(one) == key_of(other)
    timed = [key_of(_row(machine=m, threads=1)) for m in "ab"]
    assert timed[0] != timed[1]


def test_accuracy_of_other_files_counts_whatever_code_made_it(tmp_path):
    other = Log(tmp_path / "other.csv")
    common = {"seed": 1, "source": "rows", "data": "MEHRA", "machine": "a"}
    other.add(_row(experiment="accuracy", code="old", shd=3, **common))
    other.add(_row(code="old", **common))
    log = Log(tmp_path / "own.csv", [tmp_path / "other.csv"], "new")
    (found,) = log.untimed("MEHRA", {"seed": 1, "code": "new", "source": "rows"})
    assert (log.rows[found]["code"], log.rows[found]["shd"]) == ("old", "3")
    assert key_of(_row(code="new", **common)) not in log.rows  # a time counts for the code that took it
    assert not Log(tmp_path / "own.csv").rows
