"""Which measurements are made, and in which order."""

from bnjit.paper import progress
from bnjit.paper.plan import ESTIMATORS, PAPER_ROWS, SCALES, Measurement, plan, seed_of, shuffled


def test_the_papers_own_protocol():
    paper = SCALES["paper"]
    assert paper.sizes == (1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000, 50_000_000)
    jobs = plan(["fig2"], paper, True)
    assert len(jobs) == 6 * 5 * 5 * len(ESTIMATORS)
    tables = plan(["fig3"], paper, True)
    assert {job.data: job.n for job in tables} == {data: PAPER_ROWS[data] for data in ("GAS", "SUSY")}
    assert {job.parents for job in tables} == {5}


def test_measurements_are_shared(tiny):
    everything = plan(["fig1", "fig2", "table1", "fig3", "table2", "complexity"], tiny, True)
    assert len(everything) == len(set(everything))
    assert set(plan(["table2"], tiny, True)) < set(plan(["fig3"], tiny, True)) < set(everything)
    assert plan(["fig1"], tiny, True) == []
    assert {job.knowledge for job in plan(["table1"], tiny, True)} == {True, False}
    assert {job.knowledge for job in plan(["table1", "fig2"], tiny, False)} == {False}


def test_order_is_random_and_reproducible(tiny):
    jobs = plan(["fig2", "fig3"], tiny, True)
    first, again, other = shuffled(jobs, 1), shuffled(jobs[::-1], 1), shuffled(jobs, 2)
    assert first == again
    assert first != other
    assert sorted(map(repr, (job for _, group in first for job in group))) == sorted(map(repr, jobs))
    assert all(len({job[:4] for job in group}) == 1 for _, group in first)
    assert len({tuple(job.estimator for job in group) for _, group in first}) > 1


def test_no_two_samples_share_a_seed(tiny):
    jobs = plan(["fig2"], tiny, True)
    assert len({seed_of(1, job) for job in jobs}) == len({job[:4] for job in jobs})
    runs = [Measurement("mehra", "MEHRA", 10, 0, run, "PRED", True) for run in range(3)]
    assert len({seed_of(1, job, run=True) for job in runs}) == 3
    assert len({seed_of(1, job) for job in runs}) == 1


def test_remaining_time_goes_by_cost():
    small, large = (Measurement("mehra", "MEHRA", n, 0, 0, "QR", True) for n in (100_000, 1_000_000))
    left = progress.Remaining()
    left.expect([small, large])
    left.done(small, 2 * progress.cost(small))  # twice as slow as guessed
    assert abs(left.seconds() - 2 * progress.cost(large)) < 1e-9
    assert progress.cost(large) > 5 * progress.cost(small)
