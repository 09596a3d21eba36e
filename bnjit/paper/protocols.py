"""The protocols of Table 1: which score hill climbing maximises, with what rule for sparse configurations, and how."""

from typing import Any, NamedTuple

from bnjit.options import SCORES, HillClimbing, Score


class Protocol(NamedTuple):
    """A column of Table 1.

    Attributes
    ----------
    label : str
        Its heading.
    score : str
        Name of the score; "pred" has test rows, which every split draws anew.
    options : dict
        Arguments of the score.
    exchange : bool
        Whether parents are exchanged where no single arc improves the score.
    from_truth : bool
        Whether the search starts at the true network, not at the empty one.
    without_knowledge : bool
        Whether it is also measured without background knowledge.
    seconds : float
        For each million rows, roughly: what the progress bar assumes until there are measurements.
    """

    label: str
    score: str
    options: dict[str, Any]
    exchange: bool = False
    from_truth: bool = False
    without_knowledge: bool = False
    seconds: float = 20.0

    def make_score(self) -> Score:
        """Score object, made only when it is measured."""
        return SCORES[self.score](**self.options)

    def make_algorithm(self) -> HillClimbing:
        """Algorithm object."""
        return HillClimbing(exchange=self.exchange)


PROTOCOLS = {
    "reject": Protocol("BIC, reject", "bic", {"sparse": "reject"}, without_knowledge=True),
    "pool": Protocol("BIC, pool", "bic", {"sparse": "pool"}, without_knowledge=True),
    "exchange": Protocol("BIC, pool, exchanges", "bic", {"sparse": "pool"}, exchange=True, seconds=55.0),
    "local": Protocol(
        "BIC, local penalties, exchanges", "bic", {"penalty": "local"}, exchange=True, without_knowledge=True,
        seconds=55.0,
    ),
    "pred": Protocol("PRED, plug-in, reject", "pred", {"sparse": "reject"}, without_knowledge=True, seconds=25.0),
    "pred-pool": Protocol("PRED, plug-in, pool, exchanges", "pred", {"sparse": "pool"}, exchange=True, seconds=70.0),
    "bayes": Protocol("PRED, integrated, exchanges", "pred", {"density": "bayes"}, exchange=True, seconds=70.0),
    "marginal": Protocol("marginal likelihood, exchanges", "marginal", {}, exchange=True, seconds=55.0),
    "reject-truth": Protocol("BIC, reject, from the truth", "bic", {"sparse": "reject"}, from_truth=True),
    "local-truth": Protocol(
        "BIC, local penalties, exchanges, from the truth", "bic", {"penalty": "local"}, exchange=True,
        from_truth=True, seconds=35.0,
    ),
}  # fmt: skip
