"""The questions, each declared once for both the command line and the server.

A question is a frozen dataclass. Its fields are the options of the command and the query keys of
the server, with the same checks. It computes the result and turns it into the answer: the
JSON that the command prints with ``--json`` and the server sends.
"""

from importlib import import_module

from .declared import Hooks, Question, QuestionError

__all__ = ["QUESTIONS", "Hooks", "Question", "QuestionError", "question_of"]

QUESTIONS = {
    "estimate": "deals.EstimateQuestion",
    "solve": "deals.SolveQuestion",
    "par": "par.ParQuestion",
    "convert": "converting.ConvertQuestion",
    "play": "play.PlayQuestion",
    "played": "played.PlayedQuestion",
    "auction": "auctions.AuctionQuestion",
    "bid": "auctions.BidQuestion",
    "session": "session.SessionQuestion",
    "deal": "dealing.DealQuestion",
    "simulate": "simulations.SimulateQuestion",
    "compare": "simulations.CompareQuestion",
    "leads": "leads.LeadsQuestion",
    "hand": "hands.HandQuestion",
    "pair": "hands.PairQuestion",
    "open": "hands.OpenQuestion",
    "nearest": "hands.NearestQuestion",
    "models": "models.ModelsQuestion",
}
"""The module of each question, which is loaded on first use."""


def question_of(name: str) -> type[Question]:
    """Return the class of a question.

    Args:
        name: Name of the question, one of ``QUESTIONS``.

    Returns:
        The class.

    Example:
        >>> question_of("estimate").__name__
        'EstimateQuestion'
    """
    module, _, kind = QUESTIONS[name].partition(".")
    question: type[Question] = getattr(import_module(f".{module}", __package__), kind)
    return question


def __dir__() -> list[str]:
    return __all__
