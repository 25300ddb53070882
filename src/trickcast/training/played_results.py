"""Train the model of results at the table, from PBN files alone.

Every table in a file is a lesson: the cards, the contract and the tricks taken, with the lead and
the auction if recorded. ``accurate`` reads the cards. What is trained is an ensemble of
small networks on top of its last inner layer. Each member has not seen one fifth of the deals, so
its figures on that fifth are those of new deals, and together the members have seen all.
"""

import hashlib
import json
import math
import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from ..cards import BOOK, Board, Seat, Skipped, Strain, parse_card, parse_contract
from ..cards.auction import contract_of
from ..estimator import Estimator
from ..formats import iter_deals
from ..formats.score_table import SCORE_TABLE, count_from_1, outcome, read_cell, score_rows
from ..played.files import PLAYED_FORMAT, inputs_text
from ..played.measures import measure
from ..played.network_inputs import SIZES, UNKNOWN_LEAD, Tables, encode, part
from .errors import TrainingError
from .exports import Graph, write_model
from .request import Answer, Request, can_export
from .settings import MORE_THAN_0, SEED, SHARE, at_least, check_settings, setting

FOLDS = 5
_COUNTS = 14
_SMOOTHING = {0: 0.7, 1: 0.125, 2: 0.025}
"""Initial spread around double-dummy results, before learning: tricks off, share each way."""
_FLOOR = 1e-4
_WARM_UP = 100  # steps
_WIDEST = 5.0
"""Inputs beyond this many standard deviations are clipped."""
Report = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedConfig:
    """All settings of the training, apart from its data."""

    members: int = setting(10, "networks of the ensemble", at_least(FOLDS))
    width: int = setting(192, "numbers of a hidden layer", at_least(1))
    epochs: int = setting(14, "rounds through all results", at_least(1))
    batch: int = setting(512, "results in a step", at_least(1))
    learning_rate: float = setting(1e-3, "AdamW's learning rate", MORE_THAN_0)
    weight_decay: float = setting(0.05, "AdamW's weight decay", at_least(0))
    dropout: float = setting(0.2, "share of hidden numbers dropped", SHARE)
    input_dropout: float = setting(0.05, "share of inputs dropped", SHARE)
    unknown: float = setting(0.5, "share of lessons without the lead; without the auction", SHARE)
    club: float = setting(0.2, "weight of a club's result; of n tables √n times it", at_least(0))
    squared: float = setting(0.3, "weight of the squared error of the tricks", at_least(0))
    seed: int = setting(1, "decides first weights and the order of lessons", SEED)

    def __post_init__(self) -> None:
        check_settings(self)


class Results(NamedTuple):
    """Results at n tables."""

    tables: Tables
    tricks: NDArray[np.int64]
    """(n,) declarer's tricks."""
    times: NDArray[np.int64]
    """(n,) tables of the same deal with this result."""

    @property
    def needed(self) -> NDArray[np.int64]:
        """(n,) tricks that make the contract."""
        return self.tables.contracts[:, 0] + BOOK

    @property
    def folds(self) -> NDArray[np.int64]:
        """(n,) the fifth that each deal belongs to, by a hash of its cards."""
        return np.array(
            [hashlib.sha256(owners.tobytes()).digest()[0] % FOLDS for owners in self.tables.owners]
        )


def read_results(folder: str | os.PathLike[str], report: Report = lambda line: None) -> Results:
    """Read the results of all PBN files in a folder.

    The record of a table counts by its contract, declarer and result, as do the rows of a
    ``ScoreTable``. Files in a folder named ``club`` are of club players. Tables without a result,
    and boards passed out, are left out. ``report`` receives a line for each file: its
    name, the number of its results, and the number of entries (deals, rows) that could not be read.

    Raises TrainingError if there are no results, FormatError for a file that is not PBN.
    """
    paths = sorted(path for path in Path(folder).rglob("*.pbn*") if path.is_file())
    rows = []
    for path in paths:
        skipped, unread = list[Skipped](), list[str]()
        of_file = list(_rows(path, skipped, unread))
        left_out = len(skipped) + len(unread)
        report({"file": os.fspath(path), "results": len(of_file), "skipped": left_out})
        rows += of_file
    if not rows:
        raise TrainingError(
            f"{os.fspath(folder)}: no results to learn from (expected .pbn files with contracts, "
            "declarers and results)"
        )
    owners, contracts, club, leads, auctions, tricks, count = zip(*rows, strict=True)
    tables = Tables(
        np.frombuffer(b"".join(owners), dtype=np.uint8).reshape(-1, 52),
        np.array(contracts, dtype=np.int64),
        np.array(club),
        np.array(leads, dtype=np.int64),
        auctions,
    )
    return Results(tables, np.array(tricks), np.array(count))


def _rows(path: Path, skipped: list[Skipped], unread: list[str]) -> Iterator[tuple[Any, ...]]:
    """Yield each table of a file as a row of ``Results``; ``unread`` collects bad rows."""
    club = "club" in path.parts
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # lenient reading is expected here
        for deals in iter_deals(path, skipped=skipped):
            if deals.boards is None:  # only cards
                continue
            for owners, board in zip(deals.owners, deals.boards, strict=True):
                contract = _contract(board.contract, board.declarer)
                if contract is not None and board.result is not None:
                    lead, calls = _lead(owners, contract[3], board), _calls(board)
                    yield owners.tobytes(), contract, club, lead, calls, board.result, 1
                for table, tricks, count in _score_table(board, unread):
                    yield owners.tobytes(), table, club, UNKNOWN_LEAD, (), tricks, count


def _contract(text: str | None, declarer: Seat | None) -> tuple[int, int, int, int] | None:
    if text is None or declarer is None:
        return None
    level, strain, doubling = parse_contract(text)
    return None if strain is None else (level, int(strain), doubling, int(declarer))


def _lead(owners: NDArray[np.uint8], declarer: int, board: Board) -> int:
    """Return the card led, if the leader holds it: records contain mistakes."""
    if not board.play:
        return UNKNOWN_LEAD
    card = parse_card(board.play[0])
    return card if owners[card] == (declarer + 1) % 4 else UNKNOWN_LEAD


def _calls(board: Board) -> tuple[str, ...]:
    """Return the auction, if it leads to the contract that was played."""
    reached = contract_of(board.dealer or Seat.NORTH, board.auction)
    return board.auction if reached == (board.contract, board.declarer) else ()


def _score_table(
    board: Board, unread: list[str]
) -> Iterator[tuple[tuple[int, int, int, int], int, int]]:
    """Yield contract, tricks and count for each row of a board's score table."""
    for tag in board.tags:
        for cells, wrong in score_rows(tag) if tag.name == SCORE_TABLE else ():
            played = outcome(cells, wrong)
            contract = _contract(played.contract, played.declarer)
            count = read_cell(cells, "multiplicity", count_from_1, wrong)
            if wrong and played.contract != "PASS":
                unread.append("; ".join(wrong))
            elif contract is not None and played.tricks is not None:
                yield contract, played.tricks, count or 1


def inputs_of(tables: Tables, base: Estimator) -> NDArray[np.float32]:
    """Return the network's input rows for n tables, (n, sum of SIZES) float32."""
    n = len(tables)
    _, first, place = np.unique(tables.owners, axis=0, return_index=True, return_inverse=True)
    place = place.ravel()
    chances = np.empty((n, len(Seat), _COUNTS), np.float32)
    inner = np.empty((n, SIZES["inner"]), np.float32)
    for strain in np.unique(tables.contracts[:, 1]):
        rows = np.flatnonzero(tables.contracts[:, 1] == strain)
        deals, of_deal = np.unique(place[rows], return_inverse=True)  # shared by a deal's tables
        of_strain = base.with_inner_layer(tables.owners[first[deals]], Strain(int(strain)))
        chances[rows], inner[rows] = (numbers[of_deal] for numbers in of_strain)
    return encode(tables, chances, inner)


class Linear(nn.Module):
    """A linear layer for each member."""

    def __init__(self, members: int, inputs: int, outputs: int, scale: float = 1.0):
        super().__init__()
        weight = torch.randn(members, inputs, outputs) * (scale / math.sqrt(inputs))
        self.weight = nn.Parameter(weight)
        self.bias = nn.Parameter(torch.zeros(members, 1, outputs))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map (members, n, inputs) → (members, n, outputs)."""
        return torch.baddbmm(self.bias, x, self.weight)


class Ensemble(nn.Module):
    """Small networks side by side, from input rows to the chances of 0 … 13 tricks."""

    mean: torch.Tensor
    deviation: torch.Tensor
    smoothing: torch.Tensor

    def __init__(self, config: PlayedConfig, mean: torch.Tensor, deviation: torch.Tensor):
        super().__init__()
        members, width = config.members, config.width
        self.enter = Linear(members, len(mean), width)
        self.middle = Linear(members, width, width)
        self.leave = Linear(members, width, _COUNTS, scale=0.1)
        self.input_dropout = nn.Dropout(config.input_dropout)
        self.dropout = nn.Dropout(config.dropout)
        self.register_buffer("mean", mean)
        self.register_buffer("deviation", deviation)
        self.register_buffer("smoothing", torch.from_numpy(_smoothing()))

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Map (members, n, inputs) rows → (members, n, 14) log-chances."""
        base = (rows[..., :_COUNTS] @ self.smoothing + _FLOOR).log()
        x = ((rows - self.mean) / self.deviation).clamp(-_WIDEST, _WIDEST)
        x = functional.gelu(self.enter(self.input_dropout(x)))
        x = x + functional.gelu(self.middle(self.dropout(x)))
        logs: torch.Tensor = (base + self.leave(self.dropout(x))).log_softmax(-1)
        return logs


def _smoothing() -> NDArray[np.float32]:
    """Return (14, 14) initial distributions of tricks at the table, by double-dummy result."""
    matrix = np.zeros((_COUNTS, _COUNTS), dtype=np.float32)
    for off, share in _SMOOTHING.items():
        for sign in {1, -1} if off else {1}:
            matrix += np.diag(np.full(_COUNTS - off, share, np.float32), sign * off)
    return matrix


def train_played(
    folder: str | os.PathLike[str],
    out: str | os.PathLike[str],
    config: PlayedConfig | None = None,
    report: Report = lambda line: None,
) -> Path:
    """Train on the PBN files of a folder; write and return ``out/played.onnx``.

    ``report`` receives a line of figures after every epoch. Next to the model are
    ``played.parity.npz`` and a checksum. The figures stated in the file come from members that
    had not seen the deals. Raises like ``read_results``; the same folder and ``config`` give the
    same model.
    """
    config = config or PlayedConfig()
    base = Estimator("accurate")
    results = read_results(folder, report)
    rows = inputs_of(results.tables, base)
    ensemble = fit(results, rows, config, report)
    path = Path(out) / "played.onnx"
    scores = {
        known: score(results, rows, ensemble, known)
        for known in ("nothing", "lead", "auction", "both")
    }
    export(ensemble, path, config, results, rows, scores, base.info.sha256)
    return path


def train_model(request: Request, config: PlayedConfig, report: Report) -> Answer:
    """Train on ``request.folder``. Raises like ``train_played``, and TrainingError without onnx."""
    assert request.folder is not None  # the catalogue has made sure
    if not can_export():
        raise TrainingError("played writes an ONNX file (pip install 'trickcast[train]')")
    counted = 0

    def counting(line: dict[str, Any]) -> None:
        nonlocal counted
        counted += line.get("results", 0)
        report(line)

    path = train_played(request.folder, request.out, config, counting)
    return Answer(request.name, None, f"{counted:,} results", path)


def shown(line: dict[str, Any]) -> str:
    """Return a line of a training as text."""
    if "file" in line:
        skipped = f", {line['skipped']:,} entries skipped" if line["skipped"] else ""
        return f"{line['file']}: {line['results']:,} results{skipped}"
    return f"epoch {line['epoch']} of {line['epochs']}: loss {line['loss']:.4f}"


def fit(
    results: Results, rows: NDArray[np.float32], config: PlayedConfig, report: Report
) -> Ensemble:
    """Train an ensemble; member k sees all deals except those of fold k."""
    torch.manual_seed(config.seed)
    order = np.random.default_rng(config.seed)
    ensemble = Ensemble(config, *_spread(rows))
    optimizer = torch.optim.AdamW(
        ensemble.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay
    )
    weights = np.where(results.tables.club, config.club * np.sqrt(results.times), 1.0)
    lessons = _Lessons(results, rows, weights.astype(np.float32), config)
    steps = config.epochs * lessons.steps
    warm_up = min(_WARM_UP, steps // 10 + 1)
    average = [weight.detach().clone() for weight in ensemble.parameters()]
    step = 0
    for epoch in range(config.epochs):
        ensemble.train()
        losses = []
        for batch in lessons.epoch(order):
            rate = 0.5 * (1 + math.cos(math.pi * step / steps)) * min(1.0, (step + 1) / warm_up)
            for group in optimizer.param_groups:
                group["lr"] = config.learning_rate * rate
            loss = _loss(ensemble(batch.rows), batch, config.squared)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            step += 1
            with torch.no_grad():
                for mean, weight in zip(average, ensemble.parameters(), strict=True):
                    mean.lerp_(weight, 0.01 if 2 * step > steps else 1.0)
            losses.append(loss.item() / config.members)
        report({"epoch": epoch + 1, "epochs": config.epochs, "loss": float(np.mean(losses))})
    with torch.no_grad():
        for mean, weight in zip(average, ensemble.parameters(), strict=True):
            weight.copy_(mean.half().float())  # as the file stores them
    return ensemble.eval()


def _spread(rows: NDArray[np.float32]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the centres and scales of inputs; lead and auction, if unknown, stay zero."""
    mean, deviation = rows.mean(axis=0), rows.std(axis=0) + 1e-3
    for name in ("lead", "auction"):
        mean[part(name)], deviation[part(name)] = 0, 1
    return torch.from_numpy(mean), torch.from_numpy(deviation)


class _Batch(NamedTuple):
    """Lessons of a step, one row per member: (members, batch …)."""

    rows: torch.Tensor
    tricks: torch.Tensor
    needed: torch.Tensor
    weights: torch.Tensor


class _Lessons:
    """The results in a new order for every member and epoch."""

    def __init__(
        self,
        results: Results,
        rows: NDArray[np.float32],
        weights: NDArray[np.float32],
        config: PlayedConfig,
    ):
        self._rows, self._weights = torch.from_numpy(rows), torch.from_numpy(weights)
        self._tricks, self._needed = map(torch.from_numpy, (results.tricks, results.needed))
        folds = results.folds
        self._seen = [np.flatnonzero(folds != k % FOLDS) for k in range(config.members)]
        self._config = config
        self.steps = min(map(len, self._seen)) // config.batch

    def epoch(self, order: np.random.Generator) -> Iterator[_Batch]:
        """Yield the batches of an epoch."""
        size = self._config.batch
        if not self.steps:
            raise TrainingError(f"fewer than {size} results outside a fold (expected more)")
        orders = np.stack([order.permutation(seen)[: self.steps * size] for seen in self._seen])
        for start in range(0, self.steps * size, size):
            chosen = torch.from_numpy(orders[:, start : start + size])
            rows = self._rows[chosen]
            for name in ("lead", "auction"):
                unknown = order.random(chosen.shape) < self._config.unknown
                rows[..., part(name)] *= torch.from_numpy(~unknown)[..., None]
            yield _Batch(rows, self._tricks[chosen], self._needed[chosen], self._weights[chosen])


def _loss(logs: torch.Tensor, batch: _Batch, squared: float) -> torch.Tensor:
    """Return the log-loss of the tricks and of making, plus ``squared`` times their squared error.

    Lessons are weighted, members summed.
    """
    tricks = -logs.gather(2, batch.tricks[..., None])[..., 0]
    counts = torch.arange(_COUNTS)
    enough = counts >= batch.needed[..., None]
    made = batch.tricks >= batch.needed
    making = -logs.masked_fill(enough != made[..., None], -1e9).logsumexp(-1)
    error = logs.exp() @ counts.to(logs.dtype) - batch.tricks
    lost = tricks + making + squared * error**2
    return (lost * batch.weights).sum(1).div(batch.weights.sum(1)).sum()


def unseen(
    results: Results, rows: NDArray[np.float32], ensemble: Ensemble, known: str = "nothing"
) -> NDArray[np.float32]:
    """Return (n, 14) chances by the members that had not seen a deal.

    ``known`` is their input besides cards and contract: ``nothing``, the ``lead``, the
    ``auction``, or ``both``.
    """
    rows = rows.copy()
    for name in ("lead", "auction"):
        if known not in (name, "both"):
            rows[:, part(name)] = 0
    chances = np.empty((len(rows), _COUNTS), np.float32)
    folds, members = results.folds, ensemble.enter.weight.shape[0]
    for fold in range(FOLDS):
        of_fold = np.flatnonzero(folds == fold)
        mine = [k for k in range(members) if k % FOLDS == fold]
        for start in range(0, len(of_fold), 4096):
            some = of_fold[start : start + 4096]
            with torch.inference_mode():
                logs = ensemble(torch.from_numpy(rows[some]).expand(members, -1, -1))
            chances[some] = logs[mine].exp().mean(0).numpy()
    return chances


def score(
    results: Results, rows: NDArray[np.float32], ensemble: Ensemble, known: str
) -> dict[str, Any]:
    """Return the figures on unseen deals, by players."""
    chances, club = unseen(results, rows, ensemble, known), results.tables.club
    return {
        players: measure(
            chances[chosen],
            results.tricks[chosen],
            results.needed[chosen],
            results.times[chosen],
        )
        for players, chosen in (("expert", ~club), ("club", club))
        if chosen.any()
    }


def export(
    ensemble: Ensemble,
    path: Path,
    config: PlayedConfig,
    results: Results,
    rows: NDArray[np.float32],
    scores: dict[str, Any],
    base_sha256: str,
) -> None:
    """Write the ONNX file: ``tables`` (n, inputs) in, ``probabilities`` (n, 14) out.

    Its output ``members``, (members, n, 14), has those of each network. With it, figures can be
    measured from the file alone on deals that some networks have not seen.
    """
    metadata = {
        "format": PLAYED_FORMAT,
        "name": "played",
        "inputs": inputs_text(),
        "base": "accurate",
        "base_sha256": base_sha256,
        "training": json.dumps(asdict(config)),
        "training_results": str(len(results.tricks)),
        "training_sha256": _digest(results),
        "scores": json.dumps(scores),
    }
    sample = np.random.default_rng(config.seed).choice(len(rows), min(64, len(rows)), replace=False)
    inputs = _parity_rows(rows[sample], config.seed)
    with torch.inference_mode():
        every = torch.from_numpy(inputs).expand(config.members, -1, -1)
        expected = ensemble(every).exp().mean(0).numpy()
    write_model(path, _graph(ensemble), metadata, {"tables": inputs}, {"probabilities": expected})


def _parity_rows(rows: NDArray[np.float32], seed: int) -> NDArray[np.float32]:
    """Return rows of no real table: every input is drawn independently from those of the sample."""
    order = np.random.default_rng(seed)
    return np.stack([order.permutation(column) for column in rows.T], axis=1)


def _digest(results: Results) -> str:
    """Return a SHA-256 of the training data."""
    digest = hashlib.sha256()
    for numbers in (results.tables.owners, results.tables.contracts, results.tricks, results.times):
        digest.update(np.ascontiguousarray(numbers).tobytes())
    return digest.hexdigest()


def _graph(ensemble: Ensemble) -> Any:
    """Return the onnx model of an ensemble, with its large weights in 16 bits."""
    graph = Graph()

    def constant(values: Any, kind: Any = np.float32) -> str:
        return graph.constant(np.asarray(values, dtype=kind))

    def linear(x: str, layer: Linear) -> str:
        weight = graph.cast(constant(layer.weight.detach().numpy(), np.float16))
        return graph.op("Add", graph.op("MatMul", x, weight), constant(layer.bias.detach().numpy()))

    of_base = [constant(np.array([at]), np.int64) for at in (0, _COUNTS, 1)]
    chances = graph.op("Slice", "tables", of_base[0], of_base[1], of_base[2])
    smooth = graph.op("MatMul", chances, constant(ensemble.smoothing.numpy()))
    base = graph.op("Log", graph.op("Add", smooth, constant(_FLOOR)))
    centred = graph.op("Sub", "tables", constant(ensemble.mean.numpy()))
    x = graph.op("Div", centred, constant(ensemble.deviation.numpy()))
    x = graph.op("Clip", x, constant(-_WIDEST), constant(_WIDEST))
    x = graph.op("Gelu", linear(x, ensemble.enter))
    x = graph.op("Add", x, graph.op("Gelu", linear(x, ensemble.middle)))
    logits = graph.op("Add", base, linear(x, ensemble.leave))
    members = graph.op("Softmax", logits, name="members", axis=-1)
    first = constant(np.array([0]), np.int64)
    graph.op("ReduceMean", members, first, name="probabilities", keepdims=0)
    return graph.model(
        {"tables": (np.float32, ["n", sum(SIZES.values())])},
        {
            "probabilities": (np.float32, ["n", _COUNTS]),
            "members": (np.float32, ["members", "n", _COUNTS]),
        },
    )
