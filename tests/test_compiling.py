"""Compiling ahead: everything that later calls need is there."""

import os
import subprocess
import sys

import pytest

import bnjit
from bnjit.cli import main


def test_second_time_there_is_nothing_to_compile(capsys):
    bnjit.compile(progress=False)
    assert bnjit.compile(progress=False) == 0
    assert main(["compile"]) == 0
    assert "0 kernels compiled" in capsys.readouterr().out
    assert main(["compile", "--quiet"]) == 0
    assert capsys.readouterr().out == ""


def test_arguments():
    with pytest.raises(bnjit.ArgumentError, match="everything=1 must be True or False"):
        bnjit.compile(1)


@pytest.mark.slow
def test_learning_after_compiling_compiles_nothing(tmp_path):
    """In an empty cache, as in an image: what `compile --all` makes is all that any score and algorithm asks for."""
    code = """
import os, bnjit
from bnjit import datasets
from bnjit._kernel_cache import watch_compiling
bnjit.compile(everything=True)
seen = []
watch_compiling(seen.append)
for kind in ("gaussian", "discrete", "cgaussian"):
    frame = datasets.random_network(kind, 14, seed=9).sample(30_000, seed=2)
    for score in ("bic", "aic", "pred", "cv", "marginal", bnjit.BIC(sparse="pool")):
        bnjit.learn(frame, score, max_parents=4)
    for algorithm in ("hc", "tabu", bnjit.HillClimbing(restarts=2, exchange=True)):
        bnjit.learn(frame, algorithm=algorithm).fit().sample(100, seed=1)
print(len(seen))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True,
        env={**os.environ, "BNJIT_CACHE": str(tmp_path)},
    )  # fmt: skip
    assert done.stdout.strip() == "0"
