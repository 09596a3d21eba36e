"""Tests of the readers: `test_contract.py` holds them all to one contract, the others look at what is special."""
