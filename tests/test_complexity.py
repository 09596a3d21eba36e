"""The paper's expressions, against sums written out and against what searches estimate."""

import itertools
import math
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnjit
from bnjit import ArgumentError, complexity, datasets

n, l = 1000, 3  # noqa: E741 - the paper's symbols


def discrete_cost(D):
    counting, marginals = n * (1 + D), l ** (1 + D)
    return counting + marginals


def regression_cost(D, G, estimator="qr"):
    """Steps of Section 3.1 for every configuration, among which the rows are spread in some way."""
    cells = l**D
    rows = [n // cells + (cell < n % cells) for cell in range(cells)]
    assert sum(rows) == n
    total = 0.0
    for m in rows:
        if {"qr": -1, "1p": 1, "2p": 2}[estimator] >= G:
            total += m * (1 + G) ** 2 / 2 + m * (1 + G) + 3 * m
            continue
        decomposition, projection, substitution = m * (1 + G) ** 2, m * (1 + G), (1 + G) ** 2
        fitted, variance = m * (1 + G), 3 * m
        total += decomposition + projection + substitution + fitted + variance
    return total


def climb(dag, estimator="qr"):
    """Add the parents of each node one by one, discrete ones first; list what every pass estimates."""
    kinds = nx.get_node_attributes(dag, "kind")
    for node in dag:
        waiting = sorted(dag.pred[node], key=lambda parent: kinds[parent] != "discrete")
        have = []
        while True:
            for other in dag:
                if other == node or (kinds[node] == "discrete" and kinds[other] == "continuous"):
                    continue
                kinds_of_parents = [kinds[p] for p in have] + [kinds[other]]
                D = kinds_of_parents.count("discrete")
                G = kinds_of_parents.count("continuous")
                yield D + G, discrete_cost(D) if kinds[node] == "discrete" else regression_cost(D, G, estimator)
            if not waiting:
                break
            have.append(waiting.pop(0))


@st.composite
def networks(draw):
    N = draw(st.integers(1, 6))
    flags = draw(st.lists(st.booleans(), min_size=N, max_size=N))
    flags.sort(reverse=True)
    arcs = [arc for arc in itertools.combinations(range(N), 2) if draw(st.booleans())]
    return bnjit.graph.make_dag(range(N), flags, arcs)


@given(networks(), st.sampled_from(["qr", "1p", "2p"]))
def test_costs_are_sums_over_what_a_climb_estimates(dag, estimator):
    estimated = list(climb(dag, estimator))
    assert complexity.search(dag, n, levels=l, estimator=estimator) == pytest.approx(sum(cost for _, cost in estimated))
    counted = complexity.local_distributions(dag)
    assert counted.loc[0].tolist() == [len(dag)] * 2
    for j in range(1, len(counted)):
        assert counted.loc[j, "distributions"] == sum(size == j for size, _ in estimated)
        assert counted.loc[j, "nodes"] == len(dag) - sum(d < j - 1 for _, d in dag.in_degree())  # right side of Eq. 8
    assert counted["distributions"].loc[1:].sum() == len(estimated)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6).map(lambda d: [min(x, i) for i, x in enumerate(d)]))
def test_whole_network_forms_by_hand(degrees):
    """Leading sums by their closed forms and simplified expressions, term by term as printed."""
    N, arcs = len(degrees), sum(degrees)
    c = arcs / N
    exact_discrete = n * (c + 1) * (N - 1) * N
    exact_discrete += n * (N - 1) * sum((d + 1) * (d + 2) / 2 for d in degrees)
    exact_discrete += (N - 1) * sum(l**2 * (l ** (d + 1) - 1) / (l - 1) for d in degrees)
    for form in ("exact", "leading"):
        assert complexity.search(degrees, n, "discrete", levels=l, form=form) == pytest.approx(exact_discrete)
    leading = (n + 1) * (N - 1) * sum((2 * d**3 + 15 * d**2 + 37 * d + 24) / 6 for d in degrees)
    assert complexity.search(degrees, n, "gaussian", form="leading") == pytest.approx(leading)
    simple = n * c * N**2 + n * N * sum(d**2 / 2 for d in degrees)
    simple += N * l**2 * sum((l ** (d + 1) - 1) / (l - 1) for d in degrees)
    assert complexity.search(degrees, n, "discrete", levels=l, form="approximate") == pytest.approx(simple)
    cubic = n * N * sum(d**3 / 3 for d in degrees)
    assert complexity.search(degrees, n, "gaussian", form="approximate") == pytest.approx(cubic)
    b = max(degrees)
    limits = {"max_parents": b, "arcs_per_node": c}
    assert complexity.limit("discrete", N, n, levels=l, **limits) >= simple * (1 - 1e-12)
    assert complexity.limit("gaussian", N, n, **limits) >= cubic * (1 - 1e-12)


@pytest.mark.parametrize("form", complexity.FORMS)
@given(dag=networks())
def test_linear_in_the_sample_size(form, dag):
    one, two, three = (complexity.search(dag, size, levels=l, form=form) for size in (n, 2 * n, 3 * n))
    assert three - two == pytest.approx(two - one)


def test_conditional_gaussian_networks_have_the_others_as_limits():
    dag = nx.DiGraph([("a", "b"), ("a", "c"), ("b", "c")])
    for kind, value in (("discrete", "discrete"), ("gaussian", "continuous")):
        nx.set_node_attributes(dag, value, "kind")
        for form in ("exact", "leading"):
            mixed = complexity.search(dag, n, "cgaussian", levels=l, form=form)
            assert mixed == complexity.search(dag, n, kind, levels=l, form=form)
        mixed = complexity.search(dag, n, "cgaussian", levels=l, form="approximate")
        # The paper has n for GBNs and n + l^0 for CLGBNs without discrete nodes.
        assert mixed == pytest.approx(complexity.search(dag, n, kind, levels=l, form="approximate"), rel=1.1 / n)


def fan(D, G):
    """One continuous node with D discrete and G continuous parents."""
    names = [*(f"d{i}" for i in range(D)), *(f"g{i}" for i in range(G)), "x"]
    return bnjit.graph.make_dag(names, [True] * D + [False] * (G + 1), [(name, "x") for name in names[:-1]])


def test_simplified_forms_are_right_in_the_limit():
    complete = range(400)
    for kind in ("discrete", "gaussian"):
        simple, leading, exact = (
            complexity.search(complete, n, kind, levels=1, form=f) for f in ("approximate", "leading", "exact")
        )
        assert simple == pytest.approx(leading, rel=0.03)
        assert leading == pytest.approx(exact, rel=0.03)
    for G in (100, 400):  # Section 3.2.2: 2 d^3 + 15 d^2 + ... becomes 2 d^3
        leading = complexity.search(fan(3, G), n, levels=2, form="leading")
        simple = complexity.search(fan(3, G), n, levels=2, form="approximate")
        assert simple == pytest.approx(leading, rel=8 / G)


def test_paper_charges_discrete_candidates_too_little():
    """Printed: G passes over N - M discrete candidates at n + l^D each; they are regressions on up to G parents."""
    D, G = 100, 100
    N, M = D + G + 1, G + 1
    leading = complexity.search(fan(D, G), n, levels=1, form="leading")
    corrected = complexity.search(fan(D, G), n, levels=1, form="approximate")
    printed = complexity.search(fan(D, G), n, levels=1, form="printed")
    assert printed == pytest.approx(corrected - (n + 1) * (N - M) * (G**3 / 3 - G), rel=1e-12)
    assert corrected == pytest.approx(leading, rel=0.1)
    assert printed < 0.6 * leading


def test_conditional_gaussian_network_worked_out_by_hand():
    """n = 100 rows, l = 3; a -> b discrete; x, y, z continuous: N = 5, M = 3."""
    arcs = [("a", "b"), ("a", "x"), ("a", "y"), ("b", "y"), ("x", "y"), ("x", "z"), ("y", "z")]
    dag = bnjit.graph.make_dag(list("abxyz"), [True, True, False, False, False], arcs)
    discrete = 100 * 0.5 * 2**2 + 100 * 2 * (0**2 + 1**2) / 2 + 2 * 3**2 * (1 + 4)  # Equation 7 for a and b
    assert discrete == 390
    first = (5 + 3 * 3) * ((100 * 1 + 3 * 1) + (100 * 2 + 3 * 4) + 0)  # D = 1, 2, 0
    assert first == 4410
    printed = (100 + 9) * (1 * 2 + 3 * 1 / 3) + (100 + 1) * (2 * 2 + 3 * 8 / 3)  # y: D = 2, G = 1; z: D = 0, G = 2
    assert printed == 1539
    corrected = (2 * (100 + 27) + 3 * (100 + 9)) * 1 / 3 + (2 * (100 + 3) + 3 * (100 + 1)) * 8 / 3
    assert complexity.search(dag, 100, levels=3, form="printed") == 6339 == discrete + first + printed
    assert complexity.search(dag, 100, levels=3, form="approximate") == pytest.approx(6351, rel=1e-12)
    assert discrete + first + corrected == pytest.approx(6351, rel=1e-12)


@given(dag=networks())
def test_printed_and_corrected_differ_only_for_conditional_gaussian_networks(dag):
    printed, corrected = (complexity.search(dag, n, levels=l, form=form) for form in ("printed", "approximate"))
    kinds = {kind for _, kind in dag.nodes(data="kind")}
    mixed = [x for x in dag if dag.nodes[x]["kind"] == "continuous" and len(kinds) == 2]
    extra = 0.0
    for x in mixed:
        discrete = [dag.nodes[p]["kind"] == "discrete" for p in dag.pred[x]]
        D, G = sum(discrete), len(discrete) - sum(discrete)
        N_discrete = len(dag) - len(mixed)
        extra += N_discrete * ((n + l ** (D + 1)) * G**3 / 3 - (n + l**D) * G)
    assert corrected - printed == pytest.approx(extra, abs=1e-6)


def test_dense_discrete_networks_by_hand():
    """N = 4, n = 10, l = 2: the bracket is 40 + 10 * 4^3 / 2 + 4 * 15 as printed, with 4^2 by Equation 7."""
    assert complexity.limit("discrete", 4, 10, form="printed") == 4**2 * (40 + 320 + 60)
    assert complexity.limit("discrete", 4, 10) == 4**2 * (40 + 80 + 60)
    second_term_of_equation_7 = 10 * 4 * sum(4**2 / 2 for _ in range(4))
    assert second_term_of_equation_7 == 4**2 * 80
    for kind in ("discrete", "gaussian"):
        sparse = [complexity.limit(kind, 9, 10, max_parents=2, form=form) for form in ("printed", "approximate")]
        assert sparse[0] == sparse[1]
    assert complexity.limit("gaussian", 9, 10, form="printed") == complexity.limit("gaussian", 9, 10)


def test_what_the_text_says_of_sparse_and_dense_networks():
    for kind in ("discrete", "gaussian"):  # quadratic in N where in-degrees are bounded
        costs = [complexity.limit(kind, N, n, max_parents=3, arcs_per_node=2) for N in (10, 20)]
        assert costs[1] == 4 * costs[0]
    assert complexity.limit("gaussian", 20, n) == 2**5 * complexity.limit("gaussian", 10, n)  # polynomial
    for N in (5, 50, 500):  # more than exponential
        assert complexity.limit("discrete", N + 1, 1, levels=l) > l * complexity.limit("discrete", N, 1, levels=l)
    # What n multiplies grows as N^4, so that the bracket has n N^2 / 2 where the paper prints n N^3 / 2.
    per_row = [
        complexity.search(range(N), 2, "discrete") - complexity.search(range(N), 1, "discrete") for N in (20, 40)
    ]
    assert 12 < per_row[1] / per_row[0] < 16.5
    dense = [
        complexity.limit("discrete", N, 2, levels=1) - complexity.limit("discrete", N, 1, levels=1) for N in (40, 80)
    ]
    assert dense[0] == 40**2 * (40 + 40**2 / 2)
    assert dense[1] / dense[0] == pytest.approx(2**4, rel=0.05)


def test_most_local_distributions_have_few_parents():
    """Section 4.1: without isolated nodes all nodes learn 0 and 1 parents, non-roots learn 2."""
    dag = datasets.small_gaussian().dag
    counted = complexity.local_distributions(dag)
    roots = sum(d == 0 for _, d in dag.in_degree())
    assert counted["nodes"].tolist()[:3] == [len(dag), len(dag), len(dag) - roots]
    assert counted["nodes"].is_monotonic_decreasing


def test_tables_of_section_4():
    table = complexity.closed_form_table("gaussian", n)
    assert table["qr"].tolist() == ["O(6n)", "O(11n)", "O(18n)"]
    assert table["qr as printed"].tolist() == ["O(6n)", "O(9n)", "O(16n)"]
    assert table["closed form"].tolist() == ["O(4.5n)", "O(7n)", "O(10.5n)"]
    assert table["qr operations"].tolist() == [6 * n + 1, 11 * n + 4, 18 * n + 9]
    assert table["closed form operations"].tolist() == [4.5 * n, 7 * n, 10.5 * n]
    assert (table["ratio"] > 4 / 3).all()
    table = complexity.closed_form_table("cgaussian", n, discrete_parents=4, levels=l)
    assert table["qr"].tolist() == ["O(6n + l^D)", "O(11n + 4l^D)", "O(18n + 9l^D)"]
    assert table["qr as printed"].tolist() == table["qr"].tolist()
    assert table["qr operations"].tolist() == [6 * n + 81, 11 * n + 4 * 81, 18 * n + 9 * 81]
    assert table["closed form operations"].tolist() == [4.5 * n, 7 * n, 10.5 * n]
    for kind in ("discrete", "qr"):
        with pytest.raises(ArgumentError, match="gaussian, cgaussian"):
            complexity.closed_form_table(kind)


def test_closed_forms_do_not_depend_on_discrete_parents():
    costs = {
        complexity.local("cgaussian", n, discrete_parents=D, continuous_parents=2, estimator="2p") for D in range(99)
    }
    assert costs == {10.5 * n}
    assert complexity.local("cgaussian", n, continuous_parents=3) == complexity.local(
        "gaussian", n, continuous_parents=3
    )
    with_qr = [complexity.local("cgaussian", n, continuous_parents=3, estimator=e) for e in ("qr", "1p", "2p")]
    assert len(set(with_qr)) == 1


def test_model_comparisons():
    N, c, t0, r0, r1 = 4, 0.75, 5, 3, 2
    tuned = {"max_tabu": t0, "restarts": r0, "perturb": r1}
    naive = c * N**3 + t0 * N**2 + r0 * (r1 * N**2 + t0 * N**2)
    assert complexity.model_comparisons([0, 0, 1, 2], **tuned) == naive
    assert complexity.model_comparisons([0, 0, 1, 2], **tuned, cached=True) == naive / N
    assert complexity.model_comparisons([0, 0, 1, 2], cached=True) == c * N**2


def test_prediction():
    dag = fan(2, 3)
    assert complexity.prediction(dag, 10) == 10 * (2 + 3 + 1 + 3)
    assert complexity.prediction(dag, 10, form="approximate") == 10 * 5
    for form in ("exact", "approximate"):
        assert complexity.prediction([0, 1, 1, 2], 10, "discrete", form=form) == 40
    # Section 4.2: rows are cheaper to predict than to learn from.
    for kind in ("discrete", "gaussian"):
        learned = complexity.search([0, 1, 2], 1000, kind)
        assert complexity.search([0, 1, 2], 750, kind, n_test=250) < learned
    cost = complexity.local("cgaussian", 750, discrete_parents=1, continuous_parents=2, n_test=250)
    assert cost == complexity.local("cgaussian", 750, discrete_parents=1, continuous_parents=2) + 3 * 250


@pytest.mark.parametrize(
    ("network", "score"),
    [("small_gaussian", "bic"), ("small_discrete", "bic"), ("small_discrete", "k2"), ("small_mixed", "bic")],
)
def test_against_the_local_scores_of_a_search(network, score):
    """Equation 6 is what hill climbing estimates for the network it ends with, but for two things.

    Score equivalence, where there is one, gives half of the first pass for nothing; and parents that come and go cost
    a pass each time, which the final in-degrees do not tell.
    """
    true = getattr(datasets, network)()
    result = bnjit.learn(true.sample(5000, seed=1), score=score)
    dag, N = result.dag, len(result.dag)
    assert dag.number_of_edges() > 5
    expression = int(complexity.local_distributions(dag)["distributions"].loc[1:].sum())
    saved = N * (N - 1) // 2 if score == "bic" and network != "small_mixed" else 0
    moves = result.trace["move"].value_counts()
    detours = 2 * moves.get("delete", 0) + 2 * moves.get("reverse", 0)  # a deletion undoes an addition
    assert expression - saved <= result.n_local_scores <= expression - saved + (N - 1) * detours
    assert result.n_local_scores == pytest.approx(expression, rel=0.5)  # the order of magnitude


def test_costs_beyond_floats_are_infinite():
    assert complexity.limit("discrete", 2000, n) == math.inf
    assert complexity.search(range(1100), n, "discrete") == math.inf
    for G in (0, 1):  # one or two continuous nodes
        for form in complexity.FORMS:
            assert complexity.search(fan(1100, G), n, form=form) == math.inf
    assert (
        complexity.local("discrete", np.int64(n), discrete_parents=np.int64(70), levels=np.int64(2)) == 2.0**71 + 71 * n
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: complexity.search([0, 1], n), "give kind"),
        (lambda: complexity.search([0, 1], 0, "gaussian"), "n=0"),
        (lambda: complexity.search([0, 1], None, "gaussian"), "n=None"),
        (lambda: complexity.search([0, 1], n, "discrete", levels=0), "levels=0"),
        (lambda: complexity.search([0, 1], n, "gaussian", estimator="stats"), "one of qr, 1p, 2p"),
        (lambda: complexity.search([0, 1], n, "gaussian", form="rough"), "one of exact, leading, approximate"),
        (lambda: complexity.search([0, 1], n, "gaussian", form="leading", estimator="1p"), "form='exact'"),
        (lambda: complexity.search([0, 1], n, "gaussian", form="leading", n_test=5), "form='exact'"),
        (lambda: complexity.search([0, 1], n, "gaussian", n_test=-1), "n_test=-1"),
        (lambda: complexity.local("other", n), "kind='other'"),
        (lambda: complexity.local("discrete", n, continuous_parents=1), "continuous_parents=1"),
        (lambda: complexity.local("gaussian", n, discrete_parents=1), "discrete_parents=1"),
        (lambda: complexity.local("gaussian", n, continuous_parents=-1), "continuous_parents=-1"),
        (lambda: complexity.local("gaussian", n, form="approximate"), "one of exact, leading"),
        (lambda: complexity.limit("cgaussian", 5, n), "no simple limits"),
        (lambda: complexity.limit("discrete", 5, n, form="exact"), "one of approximate, printed"),
        (lambda: complexity.limit("gaussian", 5, n, max_parents=-1), "max_parents=-1"),
        (lambda: complexity.limit("gaussian", 5, n, max_parents=2, arcs_per_node=3), "arcs_per_node=3"),
        (lambda: complexity.limit("gaussian", 5, n, arcs_per_node="many"), "arcs_per_node='many'"),
        (lambda: complexity.prediction([0, 1], 5), "give kind"),
        (lambda: complexity.prediction([0, 1], 5, "gaussian", form="leading"), "one of exact, approximate"),
        (lambda: complexity.model_comparisons([0, 1], restarts=-1), "restarts=-1"),
    ],
)
def test_wrong_arguments(call, message):
    with pytest.raises(ArgumentError, match=message):
        call()


def test_needs_no_compiler():
    code = (
        "import sys, bnjit; bnjit.complexity.search([0, 1], 10, 'gaussian'); "
        "heavy = {'numba', 'pandas', 'pyarrow'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
