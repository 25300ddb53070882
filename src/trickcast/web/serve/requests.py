"""What can be asked: one model a question, with the words and defaults of the command line."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...answers.simulations import without_effect
from ...estimator import DEFAULT_MODEL
from ...formats import FORMATS

MOST_ESTIMATED = 1000
"""Deals or hands in a request."""
MOST_SOLVED = 40
"""Deals in a request that are solved: some seconds on one core."""
MOST_SAMPLES, MOST_EXACT = 20_000, 2000
"""Layouts that are dealt, and those that are solved."""
_WRITTEN = tuple(format.name for format in FORMATS.values() if format.write is not None)
_LONGEST = 200  # characters of a deal or hand; the longest deal has 69

Text = Annotated[str, Field(max_length=_LONGEST)]
DealText = Annotated[Text, Field(json_schema_extra={"format": "deal"})]
HandText = Annotated[Text, Field(json_schema_extra={"format": "hand"})]
Name = Annotated[str, Field(max_length=60)]
Deals = Annotated[
    list[DealText],
    Field(min_length=1, max_length=MOST_ESTIMATED, description="Deals, each 'N:' and four hands."),
]
SolvedDeals = Annotated[
    list[DealText],
    Field(min_length=1, max_length=MOST_SOLVED, description="Deals, each 'N:' and four hands."),
]
Hands = Annotated[
    list[HandText],
    Field(min_length=1, max_length=MOST_ESTIMATED, description="Hands, suits apart by dots."),
]
FewHands = Annotated[list[HandText], Field(min_length=1, max_length=100)]
Vulnerable = Annotated[Name, Field(description="none, ns, ew or both.")]
Known = Annotated[
    Annotated[str, Field(max_length=2000)] | None,
    Field(description="The hand, or what is known of it: 'hcp 15-17, balanced'."),
]
Scoring = Literal["total", "imps", "matchpoints"]
Model = Annotated[Name, Field(description="A model that ships: see models.")]


class Question(BaseModel):
    """A question knows no other keys than its own."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class DealsQuestion(Question):
    """A question about deals, which may come as a file."""

    most: ClassVar[int] = MOST_ESTIMATED
    """Deals of a file."""
    deals: Deals
    format: Annotated[
        Name | None, Field(alias="from", description=f"Format of a file: {', '.join(FORMATS)}.")
    ] = None
    strict: Annotated[bool, Field(description="Refuse a file in which anything is no deal.")] = (
        False
    )


class EstimateQuestion(DealsQuestion):
    """Deals to estimate."""

    model: Model = DEFAULT_MODEL
    exact: Annotated[bool, Field(description=f"Solve too (at most {MOST_SOLVED} deals).")] = False


class SolveQuestion(DealsQuestion):
    """Deals to solve."""

    most = MOST_SOLVED
    deals: SolvedDeals


class ParQuestion(DealsQuestion):
    """Deals whose par is asked for."""

    most = MOST_SOLVED
    deals: SolvedDeals
    vulnerable: Annotated[
        Name | None,
        Field(description="none, ns, ew or both (else a file's, its board number's, or none)."),
    ] = None
    dealer: Annotated[
        Name | None,
        Field(description="N, E, S or W (else a file's, its board number's, or N)."),
    ] = None


class ConvertQuestion(DealsQuestion):
    """Deals to be written in another format."""

    to: Annotated[Literal[_WRITTEN], Field(description="Format of the answer.")]  # type: ignore[valid-type]
    solve: Annotated[
        bool, Field(description="Add the exact tricks (at most 40 deals; in PBN: and the par).")
    ] = False
    estimate: Annotated[bool, Field(description="Add estimated tricks where none are known.")] = (
        False
    )
    model: Model = DEFAULT_MODEL

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.solve and self.estimate:
            raise ValueError("solve and estimate do not go together")
        return self


class LayoutsQuestion(Question):
    """What is known of the cards, and how much is dealt, estimated and solved."""

    north: Known = None
    east: Known = None
    south: Known = None
    west: Known = None
    condition: Annotated[
        Annotated[str, Field(max_length=10_000)] | None,
        Field(description="What is known of the deal, as for Dealer."),
    ] = None
    samples: Annotated[
        Annotated[int, Field(ge=1, le=MOST_SAMPLES)] | None,
        Field(description="Layouts estimated (default: as many as pay)."),
    ] = None
    exact: Annotated[
        Annotated[int, Field(ge=0, le=MOST_EXACT)] | None,
        Field(description="Layouts solved: 0, or 20 or more (default: 200, or as needed)."),
    ] = None
    precision: Annotated[
        Annotated[float, Field(gt=0)] | None,
        Field(description="Stop when the expected tricks are known to ± this."),
    ] = None
    seconds: Annotated[
        Annotated[float, Field(gt=0)] | None, Field(description="Stop after this time.")
    ] = None
    seed: Annotated[int, Field(ge=0, lt=2**64, description="The same seed, the same layouts.")] = 0
    model: Annotated[
        Name | None,
        Field(description="A model that ships (default: fast; where exact is 0 accurate)."),
    ] = None
    vulnerable: Vulnerable = "none"


class SimulateQuestion(LayoutsQuestion):
    """What contracts make over all layouts that fit what is known."""

    contract: Annotated[
        Name | None, Field(description="Ask for this contract alone (with by); much faster.")
    ] = None
    contracts: Annotated[
        Text | None,
        Field(description="Several, such as 3N,4H,5C, and the lead that beats each."),
    ] = None
    by: Annotated[
        Name | None,
        Field(description="Declarer: N, E, S or W (of contracts default: the better of side)."),
    ] = None
    making: Annotated[bool, Field(description="Only how often it makes; faster still.")] = False
    scoring: Annotated[Scoring, Field(description="How contracts are ranked.")] = "total"
    side: Annotated[
        Literal["NS", "EW", "ns", "ew"], Field(description="Whose contracts are ranked.")
    ] = "NS"

    @model_validator(mode="after")
    def _together(self) -> Self:
        if self.contract is not None and self.contracts is not None:
            raise ValueError("contract and contracts do not go together")
        if self.contracts is None and (self.contract is None) != (self.by is None):
            raise ValueError("contract and by go together")
        if self.making and self.contract is None:
            raise ValueError("making needs contract and by")
        given = {name for name in self.model_fields_set if getattr(self, name) not in (None, False)}
        if vain := without_effect(given):
            raise ValueError("{} has no effect with {}".format(*vain))
        return self


class CompareQuestion(LayoutsQuestion):
    """Two contracts of one side, compared layout by layout: points, IMPs, matchpoints."""

    first: Annotated[Name, Field(description="A contract such as 4S, 3NX or PASS.")]
    second: Annotated[Name, Field(description="The contract to compare with.")]
    by: Annotated[Name, Field(description="Declarer of the first: N, E, S or W.")]
    other_by: Annotated[
        Name | None, Field(description="Declarer of the second (default: the same).")
    ] = None


class LeadsQuestion(LayoutsQuestion):
    """The opening leads from a hand against a contract."""

    leader: Annotated[HandText, Field(description="The leader's hand.")]
    contract: Annotated[Name, Field(description="Such as 4S or 3NX.")]
    by: Annotated[Name, Field(description="Declarer, whose left-hand opponent leads.")]
    scoring: Annotated[Scoring, Field(description="How leads are compared.")] = "imps"


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

    hands: FewHands
    system: Annotated[Name, Field(description="polish-club, standard-american, …")] = "polish-club"
    nearest: Annotated[int, Field(ge=0, le=20, description="How many near hands to show.")] = 3


class NearestQuestion(Question):
    """Hands whose like are looked for among 200,000 random ones."""

    hands: FewHands
    k: Annotated[int, Field(ge=1, le=100, description="How many.")] = 5
    plus: Annotated[HandText | None, Field(description="Go from each as from minus to it.")] = None
    minus: Annotated[HandText | None, Field(description="See plus.")] = None

    @model_validator(mode="after")
    def _together(self) -> Self:
        if (self.plus is None) != (self.minus is None):
            raise ValueError("plus and minus go together")
        return self


class ModelsQuestion(Question):
    """Nothing has to be said to list the models."""
