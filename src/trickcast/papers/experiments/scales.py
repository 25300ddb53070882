"""The size of an experiment: ``smoke``, ``standard``, ``full``, and ``authors`` of 2018."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from ..codings import find_coding
from ..networks import NetworkName
from .spec import BATCH, CONTRACTS, LEADERS, Net, Pretraining

SCALES_FILE = Path(__file__).with_name("scales.toml")


@dataclass(frozen=True)
class Schedule:
    """How long a network is trained by Rprop, and on how many examples at a time."""

    examples: int
    """Examples in a full batch if they are drawn; 0 if all results are used."""
    epochs: int
    """Most epochs."""
    portions: int = 16
    """Parts in which the examples are drawn, and replaced one after the other."""
    held: int = 10
    """Epochs after which a new portion replaces the oldest."""
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
    suits permuted), so that a few deals do the work of several times as many.
    """
    fewest: int
    """Training deals required at least; with ``published``, each network states its own number."""
    most: int
    """Training deals used at most, even if the paper has more."""
    deals: int = 0
    """Training deals of every network, in place of the paper's; 0 for those."""
    validation: int
    """Validation deals used at most."""
    tests: int
    """Test deals used at most."""
    by_authors: bool = False
    """Whether to train the networks of 2018 as their authors' program does, and no others.
    """
    schedules: dict[str, Schedule]
    """The trainings by Rprop: by family of codings, by a network's name if it has its own, or by
    its name and what it is trained on."""
    patience: int
    evaluate_every: int = 100
    tuning_examples: int = 393_216
    """Examples of an epoch of the 2018 trainings if they are drawn; the paper had 800,000."""
    pretraining_epochs: dict[str, int]
    """Most epochs of their first phase: for "any", and for a network with a frozen encoder."""
    tuning_epochs: int = 200
    """Most epochs of their second phase, and of the comparator."""
    bidding_epochs: int = 5_000
    """Epochs of the 1996 networks; those of the paper."""
    fresh_hands: int = 20_000
    """Hands that opening bids are measured on, beside the paper's 200."""
    epochs: int = 0
    """Epochs of every training by Rprop, in place of the schedules'; 0 for the schedules'."""
    first_weights: float = 1.0
    """First weights of networks trained by Rprop are uniform on ± this / √inputs."""
    flat_weights: bool = False
    """Whether they are uniform on ± ``first_weights`` instead, whatever the inputs."""
    steps_back: bool = False
    """Whether Rprop takes back a step that went too far, as when it was published."""
    batch: int = BATCH
    """Examples between two changes of the weights in the 2018 trainings."""

    def with_settings(
        self, schedules: Mapping[str, Schedule], pretraining_epochs: Mapping[str, int]
    ) -> Self:
        """Return the scale with additional settings for some networks.

        Raises ValueError if one of them has settings already.
        """
        for ours, theirs in (
            (self.schedules, schedules),
            (self.pretraining_epochs, pretraining_epochs),
        ):
            for name in ours.keys() & theirs.keys():
                raise ValueError(f"scale {self.name}: {name} has settings from two papers")
        return replace(
            self,
            schedules={**self.schedules, **schedules},
            pretraining_epochs={**self.pretraining_epochs, **pretraining_epochs},
        )

    def schedule_of(self, net: Net) -> Schedule:
        """Return how a network is trained by Rprop."""
        names = f"{net.network} {net.contracts}", net.network, net.family
        schedule = next(self.schedules[name] for name in names if name in self.schedules)
        return replace(schedule, epochs=net.epochs) if net.epochs else schedule

    def pretraining_of(self, net: Net) -> int:
        """Return the most epochs that the first phase of a 2018 network takes."""
        frozen = net.pretraining is not None and net.pretraining.frozen
        long = frozen and net.network in self.pretraining_epochs
        return self.pretraining_epochs[net.network if long else "any"]

    def plan(self, net: Net) -> Net:
        """Return the network to train in place of a network at this scale.

        As published, an encoder for each hand also has a decoder for each hand, and is trained
        until it compresses as well, or as badly, as printed. If examples are drawn from all views,
        networks that differ only in leader, number of deals or the suit turned into spades are one
        and the same.
        """
        if net.by_rprop:
            net = replace(
                net,
                epochs=self.epochs,
                first_weights=self.first_weights,
                flat_weights=self.flat_weights,
                steps_back=self.steps_back,
            )
        if net.pretraining is not None:
            net = replace(
                net, batch=self.batch, pretraining=self._pretraining(net.pretraining, net)
            )
        if self.published:
            net = replace(net, deals=self.deals or min(net.deals, self.most))
            return self._by_authors(net, net.pretraining) if self.by_authors else net
        suits = net.contracts in CONTRACTS and net.contracts != "notrump"
        merged = suits and find_coding(net.coding).trumps == "exchanged"
        contracts = "all_suits" if merged and "+" not in net.contracts else net.contracts
        return replace(net, lead="any", deals=0, contracts=contracts)

    def _by_authors(self, net: Net, how: Pretraining | None) -> Net:
        """Return a network of 2018 as its authors train it: by quarters of all examples."""
        if how is None:
            return net
        examples = net.deals * len(CONTRACTS[net.contracts]) * len(LEADERS[net.lead])
        how = replace(how, by_authors=True, until=0.0, decoder="joined")
        return replace(net, batch=-(-examples // 4), pretraining=how)

    def _pretraining(self, how: Pretraining, net: Net) -> Pretraining:
        if not self.published:
            return replace(how, until=0.0)
        dedicated = how.encoders and NetworkName(net.network).joins[0][0].blocks > 1
        return replace(how, decoder="dedicated") if dedicated else how


def read_schedules(tables: Mapping[str, Mapping[str, Any]]) -> dict[str, Schedule]:
    """Return schedules by name, from tables of their fields."""
    return {name: Schedule(**fields) for name, fields in tables.items()}


def read_scales(path: Path) -> dict[str, Scale]:
    """Return the scales of a TOML file: a table each, of the fields of ``Scale``."""
    tables = tomllib.loads(path.read_text("utf-8"))
    return {
        name: Scale(name=name, **fields | {"schedules": read_schedules(fields["schedules"])})
        for name, fields in tables.items()
    }
