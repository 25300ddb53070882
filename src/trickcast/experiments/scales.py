"""How big an experiment is made: ``smoke``, ``standard`` and ``full``."""

from dataclasses import dataclass, replace

from ..encodings import find_coding
from .spec import CONTRACTS, Net


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
    examples: dict[str, int]
    """Examples in a full batch, where they are drawn, by family of codings."""
    redraw: int = 160
    """Epochs of Rprop after which an example has made way for another."""
    portions: int = 16
    """Parts in which this is done, one after the other."""
    epochs: dict[str, int]
    """Epochs of Rprop at most, by family of codings, by the name of a network where that has
    others, or by its name and what it is trained on."""
    patience: int
    evaluate_every: int = 100
    tuning_examples: int = 393_216
    """Examples of an epoch of the 2018 trainings, where they are drawn; the paper had 800,000."""
    pretraining_epochs: int = 100
    """Epochs of their first phase at most."""
    tuning_epochs: int = 200
    """Epochs of their second phase, and of the comparator, at most."""
    bidding_epochs: int = 5_000
    """Epochs of the 1996 networks; those of the paper."""
    fresh_hands: int = 20_000
    """Hands that opening bids are measured on besides the 200 of the paper."""

    def epochs_of(self, net: Net) -> int:
        """Return how many epochs of Rprop a network is trained at most."""
        names = f"{net.network} {net.contracts}", net.network, net.family
        return next(self.epochs[name] for name in names if name in self.epochs)

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
            examples={"26x4": 600, "52x4": 600, "52": 600},
            redraw=4,
            portions=2,
            epochs={"26x4": 4, "52x4": 4, "52": 4},
            patience=4,
            evaluate_every=2,
            tuning_examples=600,
            pretraining_epochs=1,
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
            tests=10_000,
            examples={"26x4": 32_768, "52x4": 98_304, "52": 65_536},
            epochs={
                **{"26x4": 30_000, "52x4": 8_000, "52": 6_000},
                # the paper's best two
                **{"(52x4)-(26x4)-26-13-1": 12_000, "(52x4)-(13x4)-13-1": 12_000},
                "(52x4)-(13x4)-13-1 notrump": 20_000,
            },
            patience=1_000,
            pretraining_epochs=12,
            tuning_epochs=48,
        ),
        Scale(
            name="full",
            published=True,
            fewest=100_000,
            most=400_000,
            validation=20_000,
            tests=100_000,
            examples={},
            redraw=1_000_000,
            portions=1,
            epochs={"26x4": 100_000, "52x4": 20_000, "52": 1_000},
            patience=5_000,
        ),
    )
}
"""The scales by name: a minute in all; two and a half hours of two cores; the papers' sizes."""
