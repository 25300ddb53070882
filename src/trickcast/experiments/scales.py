"""How big an experiment is made: ``smoke``, ``standard`` and ``full``."""

from dataclasses import dataclass, replace

from ..encodings import find_coding
from .spec import CONTRACTS, Net


@dataclass(frozen=True)
class Schedule:
    """How long a network is trained by Rprop, and on how many examples at a time."""

    examples: int
    """Examples in a full batch, where they are drawn; 0 where all results are used."""
    epochs: int
    """Epochs at most."""
    portions: int = 16
    """Parts in which the examples are drawn, and replaced one after the other."""
    held: int = 10
    """Epochs after which the oldest portion makes way for a new one."""
    whole_from: float = 0.5
    """Share of the epochs after which all portions are used; before it, a quarter of them."""
    initial_update: float = 0.1
    """The first step of every weight; 0.1 in the papers."""
    second: int = 0
    """Epochs of a second leg, from the best state of the first, with steps that begin at 0.001."""


@dataclass(frozen=True, kw_only=True)
class Scale:
    """The sizes of every training and measurement of a run."""

    name: str
    published: bool
    """Whether training deals are used as in the papers: each once for every strain and leader.

    If not, examples are drawn anew again and again from random views of the deals (any leader,
    suits permuted), which makes a few deals go as far as several times as many.
    """
    fewest: int
    """Training deals that must be there; with ``published``, each network says it."""
    most: int
    """Training deals that are used at most."""
    validation: int
    """Validation deals used at most."""
    tests: int
    """Test deals used at most."""
    schedules: dict[str, Schedule]
    """The trainings by Rprop, by family of codings, by the name of a network where that has its
    own, or by its name and what it is trained on."""
    patience: int
    evaluate_every: int = 100
    tuning_examples: int = 393_216
    """Examples of an epoch of the 2018 trainings, where they are drawn; the paper had 800,000."""
    pretraining_epochs: dict[str, int]
    """Epochs of their first phase at most: of "any", and of a network whose encoder is frozen."""
    tuning_epochs: int = 200
    """Epochs of their second phase, and of the comparator, at most."""
    bidding_epochs: int = 5_000
    """Epochs of the 1996 networks; those of the paper."""
    fresh_hands: int = 20_000
    """Hands that opening bids are measured on besides the 200 of the paper."""

    def schedule_of(self, net: Net) -> Schedule:
        """Return how a network is trained by Rprop."""
        names = f"{net.network} {net.contracts}", net.network, net.family
        return next(self.schedules[name] for name in names if name in self.schedules)

    def pretraining_of(self, net: Net) -> int:
        """Return how many epochs the first phase of a 2018 network takes at most."""
        frozen = net.pretraining is not None and net.pretraining.frozen
        long = frozen and net.network in self.pretraining_epochs
        return self.pretraining_epochs[net.network if long else "any"]

    def plan(self, net: Net) -> Net:
        """Return what is trained for a network at this scale.

        Where examples are drawn from all views, networks that differ only in leader, number of
        deals or the suit that is turned into spades are one and the same.
        """
        if self.published:
            return net
        suits = net.contracts in CONTRACTS and net.contracts != "notrump"
        merged = suits and find_coding(net.coding).trumps == "exchanged"
        contracts = "all_suits" if merged and "+" not in net.contracts else net.contracts
        return replace(net, lead="any", deals=0, contracts=contracts)


def _published(epochs: int) -> Schedule:
    """Return the training of a paper: all results at once, for ever the same."""
    return Schedule(0, epochs, portions=1, held=epochs, whole_from=0)


SCALES = {
    scale.name: scale
    for scale in (
        Scale(
            name="smoke",
            published=False,
            fewest=200,
            most=300,
            validation=40,
            tests=200,
            schedules=dict.fromkeys(("26x4", "52x4", "52"), Schedule(600, 4, portions=2, held=2)),
            patience=4,
            evaluate_every=2,
            tuning_examples=600,
            pretraining_epochs={"any": 1},
            tuning_epochs=2,
            bidding_epochs=3,
            fresh_hands=500,
        ),
        Scale(
            name="standard",
            published=False,
            fewest=20_000,
            most=400_000,
            validation=4_096,
            tests=20_480,
            schedules={
                "26x4": Schedule(32_768, 30_000),
                "52x4": Schedule(98_304, 8_000),
                "52": Schedule(65_536, 6_000),
                # these stand still where examples change every ten epochs
                **dict.fromkeys(
                    (
                        "(26x4)-(13x4)-(7x4)-13-1 notrump",
                        "(26x4)-(13x4)-(13x4)-26-14",
                        "(26x4+1)-(13x4+1)-(7x4+1)-13-1",
                    ),
                    Schedule(
                        32_768, 16_000, portions=4, held=400, whole_from=0, initial_update=0.01
                    ),
                ),
                **dict.fromkeys(
                    ("104-30-4-1", "104-33-14"),
                    Schedule(65_536, 6_000, whole_from=0, initial_update=0.01),
                ),
                "32-25-1 all_suits": Schedule(65_536, 16_000, whole_from=0),
                "68-25-1 all_suits": Schedule(65_536, 16_000, whole_from=0),
                "(52x4+84)-(13x4+21)-26-1": Schedule(393_216, 8_000, portions=64, whole_from=0.75),
                # the best two of 2009
                "(52x4)-(26x4)-26-13-1": Schedule(98_304, 12_000),
                "(52x4)-(13x4)-13-1": Schedule(98_304, 12_000),
                "(52x4)-(13x4)-13-1 notrump": Schedule(393_216, 12_000, portions=64, second=4_000),
            },
            patience=1_000,
            pretraining_epochs={"any": 12, "208-104-52-13-14": 100},
            tuning_epochs=48,
        ),
        Scale(
            name="full",
            published=True,
            fewest=100_000,
            most=400_000,
            validation=20_000,
            tests=100_000,
            schedules={
                "26x4": _published(100_000),
                "52x4": _published(20_000),
                "52": _published(1_000),
            },
            patience=5_000,
            pretraining_epochs={"any": 100},
        ),
    )
}
"""The scales by name: a minute in all; four hours of two cores; the papers' sizes."""
