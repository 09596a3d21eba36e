"""A scale of seconds, and no published data."""

import pytest

from bnjit.paper import plan

PROTOCOLS = ("reject", "pool", "exchange", "pred", "reject-truth")
TINY = plan.Scale(
    sizes=(500, 1_000), samples=2, runs=1, budgets={"fig2": 0.0, "fig3": 0.0},
    accuracy=((1_000, 2, PROTOCOLS), (1_500, 1, ("reject",))), splits=1, rows=600, table_runs=2,
    row_sizes=(500, 1_000), nodes=(4, 6), node_rows=500, regression_rows=1_000,
)  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def tiny(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BNJIT_DATA", str(tmp_path_factory.mktemp("nodata")))
        patch.setitem(plan.SCALES, "quick", TINY)
        patch.setattr(plan, "TABLES", ("GAS", "SUSY"))
        yield TINY
