"""The training of two-hand estimation: distributions from solved and taught deals, means from rows.

Three sources, any of which may be missing. Solved deals: cross-entropy, one layout each. Deals that
a whole-deal network labelled (``distill.teach``): the same, cheap and many. Rows of mean tricks:
the squared error of the expectation, which weighs more the more layouts a mean is made of.
"""

from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor, nn

from ..checkpoints import TrainingError, beside, record_of
from ..deals.data import Labelled
from ..fields import at_least, setting
from ..pair_network import PairNetwork, PairNetworkConfig, expected_tricks
from ..schedule import ScheduleConfig, Scheduled
from ..trainer import Lessons
from ..weights import write_weights
from .data import PairRows, take_pairs, take_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class PairConfig(ScheduleConfig):
    """Everything that decides a training besides its data. Raises ValueError for a bad value."""

    network: PairNetworkConfig = field(default_factory=PairNetworkConfig)
    solved: int = setting(64, "solved deals in a step, two pairs each", at_least(0))
    taught: int = setting(192, "taught deals in a step, two pairs each", at_least(0))
    rows: int = setting(192, "rows of mean tricks in a step", at_least(0))
    row_weight: float = setting(
        5.0, "weight of a row's squared error over a cross-entropy", at_least(0)
    )

    def __post_init__(self) -> None:
        super(PairConfig, self).__post_init__()
        if self.solved + self.taught + self.rows == 0:
            raise ValueError("solved, taught and rows are 0 (expected something to learn from)")


@dataclass(frozen=True, slots=True)
class Sources:
    """What there is to learn from."""

    solved: Labelled | None = None
    taught: Labelled | None = None
    rows: PairRows | None = None

    def check(self, config: PairConfig) -> None:
        """Raise TrainingError when a source is missing of which the steps take some."""
        for name in ("solved", "taught", "rows"):
            if getattr(config, name) and getattr(self, name) is None:
                raise TrainingError(
                    f"{name} is {getattr(config, name)} and there are none (expected {name}=0)"
                )

    @property
    def _parts(self) -> tuple[Labelled | PairRows | None, ...]:
        return self.solved, self.taught, self.rows

    @property
    def sha256(self) -> str:
        """Checksums of all."""
        return " ".join("-" if part is None else part.sha256 for part in self._parts)

    def __len__(self) -> int:
        return sum(len(part) for part in self._parts if part is not None)


class PairTask(Scheduled[PairConfig, PairNetwork]):
    """A training on pairs of hands from up to three sources.

    ``start`` are weights to begin with. The validation rows are measured and nothing else. Raises
    TrainingError for a missing source.
    """

    def __init__(
        self,
        config: PairConfig,
        sources: Sources,
        validation: PairRows,
        start: dict[str, Tensor] | None = None,
    ):
        sources.check(config)
        network = PairNetwork(config.network, seed=config.seed)
        if start is not None:
            network.load_state_dict(start)
        lessons = Lessons(len(sources), sources.sha256, validation.sha256)
        super().__init__(config, network, lessons)
        self.sources, self.validation = sources, validation

    def loss(self, step: int) -> Tensor:
        """Return the mean loss of a step."""
        return step_loss(self.network, self.config, self.sources, step)

    def figures(self) -> dict[str, float]:
        """Return the error of the averaged network on the validation rows."""
        return {"mse": mean_squared_error(self.averaged, self.validation)}

    def save_beside(self, checkpoint: Path) -> None:
        """Write the averaged weights in 16 bits."""
        record = record_of(self.config, self.progress)
        write_weights(beside(checkpoint, ".npz"), self.averaged, record)


def step_loss(network: nn.Module, config: PairConfig, sources: Sources, step: int) -> Tensor:
    """Return the mean loss of a step, over all its pairs."""
    hands, targets, tricks = [], [], []
    for data, deals in ((sources.solved, config.solved), (sources.taught, config.taught)):
        if data is not None and deals:
            batch = take_pairs(data, step, deals, config.seed)
            hands.append(batch.hands)
            targets.append(batch.targets)
    if sources.rows is not None and config.rows:
        rows = take_rows(sources.rows, step, config.rows, config.seed)
        hands.append(rows[0])
        tricks.append(rows[1])
    with torch.autocast("cpu", torch.bfloat16):
        logits = network(torch.cat(hands))
    total, pairs = torch.zeros(()), len(logits)
    if targets:
        target = torch.cat(targets)
        logs = logits[: len(target)].log_softmax(-1)
        total = total - (target * logs).sum(-1).mean((1, 2)).sum()
        logits = logits[len(target) :]
    if tricks:
        off = expected_tricks(logits) - tricks[0]
        total = total + config.row_weight * off.square().mean((1, 2)).sum()
    return total / pairs


@torch.inference_mode()
def mean_squared_error(network: nn.Module, rows: PairRows, *, chunk: int = 2048) -> float:
    """Return the mean squared error of expected tricks, all strains, the first hand declaring."""
    total = 0.0
    for start in range(0, len(rows), chunk):
        part = slice(start, start + chunk)
        with torch.autocast("cpu", torch.bfloat16):
            logits = network(rows.hands[part])
        off = expected_tricks(logits[:, :, 0]) - rows.tricks[part, :, 0]
        total += float(off.square().double().mean(1).sum())
    return total / len(rows)
