"""The public functions, as users call them."""

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.search.tuning import CHECKED_SCORES
from tests.golden.tables import TABLES
from tests.reference import naive


def test_score_is_the_sum_of_local_scores():
    table = TABLES["cgaussian"]()
    arcs = [("A", "X"), ("X", "Y"), ("B", "Y")]
    by_node = bnjit.score(arcs, table, by_node=True)
    assert isinstance(by_node, pd.Series)
    assert by_node.index.tolist() == list(table.columns)
    assert by_node.name == "bic"
    total = bnjit.score(arcs, table)
    assert isinstance(total, float)
    assert total == pytest.approx(by_node.sum(), rel=1e-14)


def test_order_of_columns_and_rows_does_not_matter():
    table = TABLES["cgaussian"]()
    arcs = [("A", "X"), ("X", "Y"), ("B", "Y"), ("C", "D")]
    expected = bnjit.score(arcs, table, by_node=True)
    shuffled = table.sample(frac=1.0, random_state=1)[list(table.columns)[::-1]]
    ours = bnjit.score(arcs, shuffled, by_node=True)
    assert ours.index.tolist() == list(table.columns)[::-1]
    for node in expected.index:
        assert ours[node] == pytest.approx(expected[node], rel=1e-12)


def test_predictive_split_by_seed():
    table = TABLES["cgaussian"]()
    arcs = [("A", "X")]
    first = bnjit.score(arcs, table, score="pred", seed=1)
    assert first == bnjit.score(arcs, table, score="pred", seed=1)
    assert first != bnjit.score(arcs, table, score="pred", seed=2)
    assert bnjit.score(arcs, table, score="pred") == bnjit.score(arcs, table, score="pred", seed=None)
    assert first < 0.5 * bnjit.score(arcs, table, score=bnjit.HeldOut(0.1), seed=1)


def test_test_data_may_have_other_levels_and_columns():
    train = {"a": ["x", "y", "x", "y"], "b": [1.0, 2.0, 1.5, 2.5]}
    test = {"more": [1, 2], "b": [1.2, 2.2], "a": ["z", "y"]}
    value = bnjit.score("[a][b]", train, score=bnjit.HeldOut(test), by_node=True)
    # Three levels in all, one never seen in training: (0 + 1/3) / 5 for z, (2 + 1/3) / 5 for y.
    assert value["a"] == pytest.approx(np.log(1 / 15) + np.log(7 / 15), rel=1e-12)
    assert bnjit.score([("a", "b")], train, score=bnjit.HeldOut(test)) == -np.inf


def test_impossible_models_score_minus_infinity():
    table = {"a": ["x", "x", "x", "y"], "b": [1.0, 2.0, 4.0, 3.0]}
    for estimator in ("stats", "qr", "1p", "2p"):
        with pytest.warns(bnjit.BnjitWarning, match="because of `b`: `a` = 'y' is there in 1 row, and .* needs 2"):
            by_node = bnjit.score([("a", "b")], table, by_node=True, estimator=estimator)
        assert by_node["b"] == -np.inf
        assert np.isfinite(by_node["a"])


@pytest.mark.filterwarnings("ignore::bnjit.BnjitWarning")
def test_more_configurations_than_can_be_numbered():
    rng = np.random.default_rng(0)
    columns = {f"D{i}": pd.Categorical(rng.integers(0, 100, 500).astype(str)) for i in range(11)}
    table = pd.DataFrame({**columns, "X": rng.normal(size=500)})
    by_node = bnjit.score([*((c, "X") for c in columns), *((f"D{i}", "D10") for i in range(10))], table, by_node=True)
    assert by_node["X"] == by_node["D10"] == -np.inf
    assert np.isfinite(by_node["D0"])


def test_number_of_threads_is_an_argument():
    table = TABLES["gaussian"]()
    assert bnjit.score([("A", "B")], table, n_threads=1) == bnjit.score([("A", "B")], table, n_threads=3)


TABLE = {"x": [1.0, 2.0, 4.0, 3.0, 5.0, 2.5], "y": [2.0, 1.0, 3.5, 3.0, 6.0, 2.0]}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"restarts": 5}, "restarts belongs to an algorithm: algorithm=bnjit.HillClimbing(restarts=5)"),
        ({"perturb": 5}, "perturb belongs to an algorithm: algorithm=bnjit.HillClimbing(perturb=5)"),
        ({"exchange": True}, "exchange belongs to an algorithm: algorithm=bnjit.HillClimbing(exchange=True)"),
        ({"tabu": 5}, "tabu belongs to an algorithm: algorithm=bnjit.Tabu(length=5)"),
        ({"length": 5}, "length belongs to an algorithm: algorithm=bnjit.Tabu(length=5)"),
        ({"max_tabu": 5}, "max_tabu belongs to an algorithm: algorithm=bnjit.Tabu(patience=5)"),
        ({"folds": 5}, "folds belongs to a score: score=bnjit.CrossValidation(folds=5)"),
        ({"one_se": True}, "one_se belongs to a score: score=bnjit.CrossValidation(one_se=True)"),
        ({"test_fraction": 0.1}, "test_fraction belongs to a score: score=bnjit.HeldOut(test=0.1)"),
        ({"test_data": TABLE}, "test_data belongs to a score: score=bnjit.HeldOut(test=<dict>)"),
        ({"sparse": "pool"}, "sparse belongs to a score: score=bnjit.BIC(sparse='pool')"),
        ({"gamma": 1.0}, "gamma belongs to a score: score=bnjit.EBIC(gamma=1.0)"),
        ({"iss": 2}, "iss belongs to a score: score=bnjit.BDe(imaginary_rows=2)"),
        ({"method": "qr"}, "method is called estimator here: estimator='qr'"),
    ],
)
def test_misplaced_arguments_say_where_they_belong(arguments, message):
    for call in (bnjit.learn, bnjit.arc_strength):
        with pytest.raises(bnjit.ArgumentError) as error:
            call(TABLE, **arguments)
        assert str(error.value) == message


def test_misplaced_arguments_keep_what_was_chosen():
    for arguments, message in (
        ({"algorithm": "boss", "restarts": 5}, "algorithm=bnjit.Boss(restarts=5)"),
        ({"algorithm": bnjit.Tabu(length=3), "restarts": 5}, "algorithm=bnjit.Tabu(length=3, restarts=5)"),
        ({"algorithm": "ges", "restarts": 5}, "algorithm=bnjit.HillClimbing(restarts=5)"),
        ({"score": bnjit.EBIC(gamma=1.0), "sparse": "pool"}, "score=bnjit.EBIC(gamma=1.0, sparse='pool')"),
        ({"score": "bge", "sparse": "pool"}, "score=bnjit.LogLik(sparse='pool')"),
    ):
        with pytest.raises(bnjit.ArgumentError) as error:
            bnjit.learn(TABLE, **arguments)
        assert str(error.value).endswith(message)


def test_score_takes_no_algorithm():
    with pytest.raises(bnjit.ArgumentError, match=r"^restarts belongs to an algorithm, and bnjit\.score has none"):
        bnjit.score([], TABLE, restarts=5)
    with pytest.raises(bnjit.ArgumentError, match=r"folds belongs to a score: score=bnjit\.CrossValidation\(folds=5\)"):
        bnjit.score([], TABLE, folds=5)


@pytest.mark.parametrize("name", ["learn", "score", "arc_strength"])
def test_arguments_that_there_are_not(name):
    arguments = ([], TABLE) if name == "score" else (TABLE,)
    with pytest.raises(TypeError, match=rf"bnjit\.{name} has no argument 'scores'; help\(bnjit\.{name}\) lists"):
        getattr(bnjit, name)(*arguments, scores="bic")


def test_learn_has_few_parameters():
    parameters = inspect.signature(bnjit.learn).parameters
    assert len(parameters) <= 22
    assert [*parameters][:3] == ["data", "score", "algorithm"]
    undocumented = [name for name in parameters if name not in bnjit.learn.__doc__]
    assert undocumented == []
    for option in (*bnjit.options.SCORES.values(), *bnjit.options.ALGORITHMS.values()):
        assert f"bnjit.{option.__name__}(" in bnjit.learn.__doc__


@pytest.mark.parametrize(
    "arguments", [{"discrete": ["x"]}, {"names": ["x", "y"]}, {"max_memory": "1GB"}, {"out_of_core": False}], ids=str
)
def test_statistics_are_not_read_again(arguments):
    statistics = bnjit.Statistics.collect(TABLE)
    for call in (
        lambda: bnjit.learn(statistics, **arguments),
        lambda: bnjit.score([], statistics, **arguments),
        lambda: bnjit.score([], statistics, bnjit.HeldOut(statistics), **arguments),
        lambda: bnjit.fit([], statistics, **arguments),
    ):
        with pytest.raises(
            bnjit.ArgumentError, match=rf"^{next(iter(arguments))} says how a table is read, and data is"
        ):
            call()
    assert bnjit.learn(statistics, discrete=[]).score == bnjit.learn(statistics).score


def test_test_rows_beside_statistics_are_read():
    train = {"g": [0, 1, 0, 1, 1, 0], **TABLE}
    statistics = bnjit.Statistics.collect(train, discrete=["g"])
    expected = bnjit.score([], train, bnjit.HeldOut(train), discrete=["g"])
    assert bnjit.score([], statistics, bnjit.HeldOut(train), discrete=["g"]) == pytest.approx(expected, rel=1e-12)


def test_estimators_that_do_not_apply():
    for score in ("bge", bnjit.BGe(imaginary_rows=2.0)):
        with pytest.raises(
            bnjit.ArgumentError, match="estimator='qr' is for scores that fit regressions, and bge does"
        ):
            bnjit.learn(TABLE, score, estimator="qr")
    with pytest.raises(bnjit.ArgumentError, match="estimator='2p' is for scores that fit regressions, and k2 does not"):
        bnjit.score([], {"a": ["x", "y", "x"]}, "k2", estimator="2p")


def test_rules_for_missing_values():
    assert bnjit.learn(TABLE, missing="error").score == bnjit.learn(TABLE, missing=bnjit.RejectMissing()).score
    for call in (
        lambda: bnjit.learn(TABLE, missing="guess"),
        lambda: bnjit.score([], TABLE, missing="guess"),
        lambda: bnjit.fit([], TABLE, missing="guess"),
        lambda: bnjit.arc_strength(TABLE, missing="guess"),
    ):
        with pytest.raises(
            bnjit.ArgumentError, match="missing='guess' is not known; the rules are error, drop, available, em"
        ):
            call()


def test_objects_and_names_learn_the_same():
    table = TABLES["cgaussian"]()
    named = bnjit.learn(table, "ebic", "tabu")
    for score, algorithm in ((bnjit.EBIC, bnjit.Tabu), (bnjit.EBIC(gamma=0.5), bnjit.Tabu(length=10, patience=10))):
        result = bnjit.learn(table, score, algorithm)
        assert result.score == named.score
        assert result.trace.drop(columns="seconds").equals(named.trace.drop(columns="seconds"))


def test_results_say_what_they_were_learned_with():
    table = TABLES["gaussian"]()
    assert bnjit.learn(table).arguments == {"score": "bic", "estimator": "stats", "algorithm": "hc"}
    result = bnjit.learn(table, bnjit.EBIC(gamma=1.0), bnjit.Tabu(length=3), estimator="qr")
    assert result.arguments == {
        "score": "bnjit.EBIC(gamma=1.0)", "estimator": "qr", "algorithm": "bnjit.Tabu(length=3)"
    }  # fmt: skip
    assert "score (bnjit.EBIC(gamma=1.0), qr)" in repr(result)
    assert pickle.loads(pickle.dumps(result.arguments)) == result.arguments


def test_arguments_of_scores_reach_the_scores():
    discrete, gaussian = TABLES["discrete"](), TABLES["gaussian"]()
    arcs = [("A", "C"), ("B", "C")]
    bic, two = (bnjit.score(arcs, gaussian, score) for score in ("bic", bnjit.EBIC(gamma=1.0)))
    assert bnjit.score(arcs, gaussian, bnjit.EBIC(gamma=0.0)) == bic
    assert two == pytest.approx(bic - 4.0 * np.log(7) * 2, rel=1e-12)
    for score in (bnjit.BDe, bnjit.BDs):
        one, ten = (bnjit.score(arcs, discrete, score(imaginary_rows=rows)) for rows in (1.0, 10.0))
        assert one != ten
        naively = naive_marginal(discrete, arcs, score.name, 10.0)
        assert ten == pytest.approx(naively, rel=1e-10)
    prior = bnjit.BGe(imaginary_rows=1.0, degrees_of_freedom=9.0)
    assert bnjit.score(arcs, gaussian, prior) == bnjit.score(arcs, gaussian, "bge")
    assert bnjit.score(arcs, gaussian, bnjit.BGe(degrees_of_freedom=20.0)) != bnjit.score(arcs, gaussian, "bge")
    with pytest.raises(bnjit.ArgumentError, match="degrees_of_freedom=8 must be more than 8: there are 7 continuous"):
        bnjit.score(arcs, gaussian, bnjit.BGe(degrees_of_freedom=8.0))


def naive_marginal(frame, arcs, score, rows):
    table = {name: (frame[name].cat.codes.tolist(), len(frame[name].cat.categories)) for name in frame}
    return sum(naive.marginal(table, node, [a for a, b in arcs if b == node], score, rows) for node in table)


class Correlation:
    """A score of a user's own: log-likelihood of least squares, less 3 per parent."""

    name = "least squares"

    def __init__(self, frame):
        self.columns = frame.to_numpy(float)
        self.asked = 0

    def local_scores(self, node, parent_sets):
        self.asked += len(parent_sets)
        return (self._one(node, parents) for parents in parent_sets)

    def _one(self, node, parents):
        X = np.column_stack([np.ones(len(self.columns)), self.columns[:, list(parents)]])
        y = self.columns[:, node]
        rest = y - X @ np.linalg.lstsq(X, y, rcond=None)[0]
        return -0.5 * len(y) * np.log(rest @ rest / len(y)) - 3.0 * len(parents)


@pytest.mark.parametrize("algorithm", ["hc", "tabu", "boss"])
def test_a_score_of_ones_own(algorithm, tmp_path):
    frame = TABLES["gaussian"]()
    own = Correlation(frame)
    result = bnjit.learn(frame, own, algorithm, checkpoint=tmp_path / "own.npz")
    assert result.dag.number_of_edges() > 5
    assert result.arguments["score"] == "least squares"
    assert 0 < own.asked <= result.n_local_scores  # a checkpoint keeps what it was told
    assert result.score == pytest.approx(bnjit.score(result.dag, frame, own), rel=1e-12)
    by_node = bnjit.score(result.dag, frame, own, by_node=True)
    assert by_node.name == "least squares"
    own.asked = 0
    again = bnjit.learn(frame, own, algorithm, checkpoint=tmp_path / "own.npz")
    assert list(again.dag.edges) == list(result.dag.edges)
    assert own.asked <= 2 * CHECKED_SCORES  # which tell whether it is the same score


def test_what_a_score_of_ones_own_must_not_do():
    frame = TABLES["gaussian"]()

    class Wrong:
        def __init__(self, values):
            self.values = values

        def local_scores(self, node, parent_sets):
            return [self.values] * (len(parent_sets) + (self.values == 1.0))

    for value, message in (
        (1.0, "score='Wrong' gave 2 local scores for 1 parent sets; local_scores must give one number for each"),
        (np.nan, r"score='Wrong' gave no finite local score for node 0 with parents \(\)"),
        (np.inf, "-inf is for what is impossible"),
    ):
        with pytest.raises(bnjit.ArgumentError, match=message):
            bnjit.score([], frame, Wrong(value))
    with pytest.raises(bnjit.ArgumentError, match="estimator='qr' does not apply to a score of your own"):
        bnjit.learn(frame, Correlation(frame), estimator="qr")
    with pytest.raises(
        bnjit.ArgumentError, match="score='least squares' is a score of your own, which scores one table"
    ):
        bnjit.arc_strength(frame, 3, Correlation(frame))
    with pytest.raises(bnjit.ArgumentError, match="score=Correlation is a class; give an object of it"):
        bnjit.learn(frame, Correlation)
