"""What can be asked: one model a question, with the words and defaults of the command line."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from ...estimator import DEFAULT_MODEL

MOST_ESTIMATED = 1000
"""Deals or hands in a request."""
MOST_SOLVED = 40
"""Deals in a request that are solved: some seconds on one core."""
_LONGEST = 200  # characters of a deal or hand; the longest deal has 69

Text = Annotated[str, Field(max_length=_LONGEST)]
Name = Annotated[str, Field(max_length=60)]
Deals = Annotated[
    list[Text],
    Field(min_length=1, max_length=MOST_ESTIMATED, description="Deals, each 'N:' and four hands."),
]
SolvedDeals = Annotated[
    list[Text],
    Field(min_length=1, max_length=MOST_SOLVED, description="Deals, each 'N:' and four hands."),
]
Hands = Annotated[
    list[Text],
    Field(min_length=1, max_length=MOST_ESTIMATED, description="Hands, suits apart by dots."),
]
Vulnerable = Annotated[Name, Field(description="none, ns, ew or both.")]


class Question(BaseModel):
    """A question knows no other keys than its own."""

    model_config = ConfigDict(extra="forbid")


class EstimateQuestion(Question):
    """Deals to estimate."""

    deals: Deals
    model: Annotated[Name, Field(description="A model that ships: see models.")] = DEFAULT_MODEL
    exact: Annotated[bool, Field(description=f"Solve too (at most {MOST_SOLVED} deals).")] = False


class SolveQuestion(Question):
    """Deals to solve."""

    deals: SolvedDeals


class ParQuestion(Question):
    """Deals whose par is asked for."""

    deals: SolvedDeals
    vulnerable: Vulnerable = "none"
    dealer: Annotated[Name, Field(description="N, E, S or W.")] = "N"


class HandQuestion(Question):
    """Hands to count."""

    hands: Hands
    trump: Annotated[Name | None, Field(description="Count for a contract in this suit.")] = None


class PairQuestion(Question):
    """Hands and their partners, the opponents' cards unknown."""

    north: Hands
    south: Hands
    vulnerable: Vulnerable = "none"
    model: Literal["accurate", "hand2vec"] = "accurate"


class OpenQuestion(Question):
    """Hands to open."""

    hands: Annotated[list[Text], Field(min_length=1, max_length=100)]
    system: Annotated[Name, Field(description="polish-club, standard-american, …")] = "polish-club"
    nearest: Annotated[int, Field(ge=0, le=20, description="How many near hands to show.")] = 3


class NearestQuestion(Question):
    """Hands whose like are looked for among 200,000 random ones."""

    hands: Annotated[list[Text], Field(min_length=1, max_length=100)]
    k: Annotated[int, Field(ge=1, le=100, description="How many.")] = 5
    plus: Annotated[Text | None, Field(description="Go from each as from minus to this.")] = None
    minus: Annotated[Text | None, Field(description="See plus.")] = None


class ModelsQuestion(Question):
    """Nothing has to be said to list the models."""
