"""The training of BridgeHand2Vec's network, from files to a file."""

from ...training.checkpoints import TrainingError
from ...training.pair_network import PairNetwork
from ...training.pairs.data import join_rows, teach_rows
from ...training.pairs.models import held_out, leg, rows
from ...training.request import Answer, Report, Request
from ...training.weights import read_weights
from .export_hand2vec import export_hand2vec
from .hand2vec import Hand2VecConfig, Hand2VecTask

HAND2VEC = Hand2VecConfig(
    steps=30_000,
    batch=2_048,
    taught=400_000,
    learning_rate=1e-2,
    optimizer="soap",
    evaluate_every=5_000,
)
_TAUGHT_SEED = 1_000_003


def train_hand2vec_model(request: Request, config: Hand2VecConfig, report: Report) -> Answer:
    """Train one leg of ``hand2vec``; export ``pairs/hand2vec.onnx`` at the end of the schedule.

    The ``weights`` of a request are those of the pair network that labels. Raises TrainingError
    where there is nothing to learn from, and what the training raises.
    """
    parts = [] if request.pairs is None else [rows(request.pairs)]
    if request.weights is not None:
        if not config.taught:
            raise ValueError("taught is 0 (expected 1 or more with --weights, which label rows)")
        teacher = read_weights(request.weights, PairNetwork)[0]
        parts.append(teach_rows(teacher, config.taught, _TAUGHT_SEED))
    if not parts:
        raise TrainingError(
            "nothing to learn from (expected --pairs, BridgeHand2Vec's rows, or --weights, those "
            "of a pair network)"
        )
    task = Hand2VecTask(config, join_rows(parts), held_out(request))
    return leg(request, task, "hand2vec", export_hand2vec, report)
