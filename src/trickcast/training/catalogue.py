"""Everything that can be trained, by name, and the function that trains it."""

from collections.abc import Callable, Mapping, Set
from contextlib import nullcontext
from types import MappingProxyType
from typing import Any, NamedTuple

from ..cards import shorten
from ..plugins import load, offered
from . import played_results as played
from . import two_hands as pairs
from . import whole_deals as deals
from .bidding import bidding_training as bidding
from .request import COMMON, FROM_FILES, Answer, Request
from .settings import changed, settings_of
from .trainer import Report, processor_threads


class Family(NamedTuple):
    """Networks that are trained in the same way."""

    options: set[str]
    """Fields of a request that apply here, in addition to the universal ones."""
    train: Callable[[Request, Any, Report], Answer | None]
    """Train a leg from a request and its settings, and export; None in torchrun's other ranks."""
    shown: Callable[[dict[str, Any]], str]
    """Format an evaluation as text."""
    threads: int | None = None
    """Default number of processor threads; None leaves it to torch."""
    common: Set[str] = frozenset(COMMON)
    """Fields of a request that always apply here."""


class Training(NamedTuple):
    """One training: its family and its settings."""

    family: Family
    settings: Any
    """A frozen dataclass of settings."""
    fixed: Mapping[str, Any] = MappingProxyType({})
    """Fields of the settings that are fixed by the name."""

    def configured(self, texts: Mapping[str, str]) -> Any:
        """Return the settings with some changes: ``{"steps": "10", "network.width": "64"}``.

        Raises ValueError for an unknown setting or an invalid value, naming it.
        """
        return changed(self.settings, texts, **self.fixed)


_DEALS = Family(
    {"deals", "device", "weights", "anew", "teacher", "taught", "endings"},
    deals.train_model,
    deals.shown,
)
_PAIRS = Family(
    {"deals", "weights", "taught", "pairs", "pairs_validation"},
    pairs.train_pairs_model,
    pairs.shown,
)
_PLAYED = Family(set(), played.train_model, played.shown, common=frozenset(FROM_FILES))
_BIDDING = Family(
    {"teacher", "minutes"}, bidding.train_model, bidding.shown, common=frozenset(FROM_FILES)
)

CATALOGUE: dict[str, Training] = {
    **{name: Training(_DEALS, config) for name, config in deals.PRESETS.items()},
    "pairs": Training(_PAIRS, pairs.PAIRS),
    "played": Training(_PLAYED, played.PlayedConfig()),
    "bidding": Training(_BIDDING, bidding.BIDDING),
    "bidding-taught": Training(_BIDDING, bidding.STUDENT),
}
"""Every training of the product; plug-ins may add more."""


def find_training(name: str) -> Training:
    """Return a training by its name.

    Args:
        name: Name in ``CATALOGUE``, or one from a plug-in.

    Returns:
        The Training.

    Raises:
        ValueError: The name is unknown; the message lists those that are known.

    Example:
        >>> find_training("fast").configured({"steps": "10"}).steps
        10
    """
    if name in CATALOGUE:
        return CATALOGUE[name]
    added = offered("TRAININGS")
    for place in dict.fromkeys(added.values()):
        training: Training | None = load(place)(name)
        if training is not None:
            return training
    known = ", ".join([*CATALOGUE, *added])
    raise ValueError(f"no training {shorten(name)} (expected one of {known})")


def train(
    request: Request,
    report: Report = lambda line: None,
    *,
    cluster: str | None = None,
    workers: int = 1,
) -> Answer | None:
    """Train a network as requested, and export the model at the end; repeat the call to continue.

    On a cluster all workers must see the same folders. If one dies, all continue from the last
    checkpoint.

    Args:
        request: What to train, on what, and with which settings.
        report: Function that receives a report of each evaluation.
        cluster: Ray cluster: ``"local"``, ``"auto"`` or ``"ray://HOST:PORT"``. Default: this
            machine.
        workers: Number of processes that train together on the cluster.

    Returns:
        An Answer: how far the training is, and the model. None in all but the first process of
        torchrun.

    Raises:
        ValueError: An option, a setting or the deals are not usable.
        TrainingError: The training cannot continue.
        OSError: A file cannot be read.
        ClusterError: The cluster fails.
    """
    training = find_training(request.name)
    family = training.family
    for option in request.given():
        if option not in family.options | family.common:
            names = [*CATALOGUE, *offered("TRAININGS")]
            takers = [
                name
                for name in names
                if option in (other := find_training(name).family).options | other.common
            ]
            said = "FOLDER" if option == "folder" else f"--{option.replace('_', '-')}"
            raise ValueError(f"{request.name} takes no {said} (only {', '.join(takers)})")
    if "folder" in family.common and request.folder is None:
        raise ValueError(f"{request.name} learns from files (expected {request.name} FOLDER)")
    config = training.configured(request.settings)
    if cluster is not None:
        if family is not _DEALS:
            raise ValueError(f"{request.name} cannot be trained on a cluster")
        from .cluster import train_on

        return train_on(train, request, report, cluster, workers)
    threads = request.threads or family.threads
    with processor_threads(threads) if threads else nullcontext():
        return family.train(request, config, report)


def listed(name: str) -> list[str]:
    """Return every setting of a training as a line: name, value, meaning.

    Args:
        name: Name of the training.

    Returns:
        A line for each setting.

    Raises:
        ValueError: The name is unknown.

    Example:
        >>> print(listed("fast")[0])
        steps=8000  steps of the whole schedule
    """
    settings = settings_of(find_training(name).settings)
    return [
        f"{key}={str(value).lower() if isinstance(value, bool) else value}  {meaning}"
        for key, (value, meaning) in settings.items()
    ]
