"""The deals of a run, and the results in them that an experiment is trained and tested on."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...cards import DealSet, Seat, Strain
from ...formats import read
from ...library import Library
from ...training.solved_deals import deals_checksum, known_tricks
from ..codings import Coding, find_coding
from ..networks.examples import Examples, draw_views
from .scales import Scale
from .spec import CONTRACTS, LEADERS, Lead, Net

_TEST_NAMES = {"gib-10000": "GIB"}
"""Names of test files in lines, if not the file's own: stored lines use them."""


class ExperimentError(ValueError):
    """An experiment that cannot run as asked; the message says what is missing, and what works."""


@dataclass(frozen=True, eq=False)
class Deals:
    """All deals that a run trains and measures on: wholly solved, and none in two of the sets."""

    training: DealSet
    validation: DealSet
    test: DealSet
    test_name: str
    """Where the test deals come from."""
    own_test: DealSet | None = None
    """The library's own test deals, if ``test`` holds others."""

    def describe(self, trained_on: int) -> dict[str, Any]:
        """Return the ranges and checksums to store beside every figure."""
        used = self.training[:trained_on]
        return {
            "training": f"library, train, deals 0 to {len(used) - 1}",
            "training_sha256": deals_checksum(used),
            "test": f"{self.test_name}, deals 0 to {len(self.test) - 1}",
            "test_sha256": deals_checksum(self.test),
        }


def gather(
    library: Library, scale: Scale, test: Path | None = None, training_deals: int | None = None
) -> Deals:
    """Take the deals of a run from a library, by index; ``test`` is a file of deals from outside.

    Without ``test`` the library's own test deals are used. ``training_deals`` is the number that
    the run began with. Raises ExperimentError if the library is too small for the scale, if the run
    began with more deals than the scale takes, or if the test deals are empty or not solved;
    FormatError for a file of something else.
    """
    if training_deals is not None and training_deals > scale.most:
        raise ExperimentError(
            f"this run began with {training_deals:,} training deals and is asked to use "
            f"{scale.most:,} at most (expected as many as before in --training-deals, or another "
            "folder)"
        )
    most = training_deals or scale.most
    training = library.deals("train")[:most]
    if len(training) < min(scale.fewest, most) or len(training) < (training_deals or 0):
        raise ExperimentError(
            f"the library {library} has {len(training):,} training deals; scale "
            f"{scale.name} needs {training_deals or scale.fewest:,} (trickcast generate adds more)"
        )
    validation = library.deals("validation")[: scale.validation]
    own = library.deals("test")[: scale.tests]
    needed = {"validation": validation} | ({"test": own} if test is None else {})
    for name, deals in needed.items():
        if len(deals) == 0:
            raise ExperimentError(f"the library {library} has no {name} deals")
    if test is None:
        known_tricks(own)
        return Deals(training, validation, own, "library, test")
    return Deals(training, validation, _read_test(test, scale.tests), _test_name(test), own)


def _read_test(file: Path, most: int) -> DealSet:
    """Return the first deals of a file, which must be solved."""
    deals = read(file)[:most]
    if len(deals) == 0:
        raise ExperimentError(f"{file}: no deals to test on (expected solved deals)")
    try:
        known_tricks(deals)
    except ValueError as error:
        raise ExperimentError(f"{file}: {error}") from None
    return deals


def _test_name(file: Path) -> str:
    name = Path(file.name.removesuffix(".gz")).stem
    return _TEST_NAMES.get(name, name)


def results(contracts: str, lead: Lead) -> Iterator[tuple[Strain, Seat]]:
    """Yield (strain, declarer) for every strain and leader that the words stand for."""
    for strain in CONTRACTS[contracts]:
        for leader in LEADERS[lead]:
            yield strain, leader.rho


def all_results(deals: DealSet, contracts: str, lead: Lead, coding: Coding) -> Examples:
    """Return the inputs and tricks of every result that the words stand for.

    Results of one strain and leader stand together, in the order of the deals.
    """
    tricks, pairs = known_tricks(deals), list(results(contracts, lead))
    return Examples(
        np.concatenate([coding.encode(deals.owners, *pair) for pair in pairs]),
        np.concatenate([tricks[:, strain, declarer] for strain, declarer in pairs]),
    )


def training_batch(net: Net, scale: Scale, deals: DealSet, drawing: int) -> Examples:
    """Return the examples of a planned network's ``drawing``-th drawing.

    Trained as published, there is one drawing: all results of the deals.
    """
    coding = find_coding(net.coding)
    if scale.published:
        return all_results(deals[: net.deals], net.contracts, net.lead, coding)
    rng = np.random.default_rng([net.seed, drawing])
    examples = scale.tuning_examples
    if net.by_rprop:
        schedule = scale.schedule_of(net)
        examples = schedule.examples // schedule.portions
    return draw_views(deals, CONTRACTS[net.contracts], examples, coding, rng)


def require_deals(net: Net, scale: Scale, deals: DealSet) -> int:
    """Return how many training deals a planned network uses, or raise ExperimentError."""
    if not scale.published:
        return len(deals)
    if len(deals) < net.deals:
        raise ExperimentError(
            f"{net.network} ({net.contracts}) was trained on {net.deals:,} deals and the library "
            f"has {len(deals):,} for training: {net.deals - len(deals):,} too few "
            "(trickcast generate adds more; --table, --row and --network choose others; "
            "--training-deals makes do with fewer)"
        )
    return net.deals


def ns_tricks(tricks: NDArray[np.uint8], strain: Strain, leader: Seat) -> NDArray[np.uint8]:
    """Return the (n,) tricks of North and South with that leader, from (n, 5, 4) of declarers.

    The papers count NS tricks by leader, the rest of the package declarers' tricks.
    """
    declared = tricks[:, strain, leader.rho]
    return declared if leader.rho.side == Seat.NORTH.side else np.uint8(13) - declared
