"""Tests of the scores. Every score is compared with plain loops and with R, so that some modules share their tests:

| bnjit.scores | tested in |
| --- | --- |
| cgaussian, gaussian | test_naive.py, test_reference.py and test_singular.py: loops, R's record, hostile numbers |
| discrete | test_naive.py, test_reference.py and test_discrete.py |
| estimators | test_naive.py, test_reference.py and test_singular.py, which take all estimators |
| folds, own, penalty, scorer, sparse | the module of the same name |
| node_score | nothing to test: the contract that the others keep |
| tables | tests/test_api.py and tests/test_options.py: what `learn` and `score` accept and refuse |
| tuning | nothing to test: constants, which the other modules are tested with |
"""
