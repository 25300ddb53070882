"""One function a reader, language and kind of file of ours: from bytes to nothing.

Each takes bytes of anybody's, does with them what a user would, and lets only the errors through
that its documentation names: those it takes, and sees that they are answers (``check_answer``).
Whatever else is raised is a finding.
"""

import io
import json
import tempfile
import warnings
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import trickcast as tc
from trickcast import openings
from trickcast.bidding.labelled_hands import LabelledError, read_labelled
from trickcast.bidding.rules import RuleSystem
from trickcast.bidding.softrules import open_shading
from trickcast.cards import DealError, DealSet, PartialDeals, Seat, parse_card, parse_contract
from trickcast.cards.text import parse_position
from trickcast.dealing import ConstraintError, Constraints, NoDealsError, read_actions, read_script
from trickcast.dealing.language.calls import parse_call
from trickcast.dealing.language.conditions import Layouts, evaluate
from trickcast.dealing.language.rulefile import parse_rules, read_rules
from trickcast.dealing.language.short_form import read_hand
from trickcast.estimator.files import read_info
from trickcast.formats import FORMATS, FormatError, find_format, hand2vec, iter_deals, write_stream
from trickcast.library import Library, LibraryError, read_positions, verify
from trickcast.library.shards import RECORDS
from trickcast.papers.codings import find_coding
from trickcast.papers.experiments.finished_figures import Store, agreed_deals
from trickcast.papers.experiments.run_deals import ExperimentError
from trickcast.papers.experiments.scales import SCALES_FILE, Scale, read_scales
from trickcast.papers.experiments.trained import load as load_trained
from trickcast.papers.networks import NetworkName
from trickcast.papers.opening_networks import open_networks
from trickcast.scoring import score
from trickcast.training.catalogue import find_training
from trickcast.training.errors import TrainingError
from trickcast.training.lessons import taught_deals
from trickcast.training.settings import read_settings
from trickcast.training.suit_networks import PairNetwork, SuitNetwork, read_weights
from trickcast.training.trainer import read_checkpoint, read_journal

Target = Callable[[bytes], None]
TARGETS: dict[str, Target] = {}
"""Every target by its name, which is that of its folder in the corpus."""
KEEP_BOARDS = ("pbn", "lin", "json")
DEALS = tc.random_deals(40, seed=21)
HANDS = DEALS.owners == 0
_LONGEST, _LINES = 1_200, 4


def check_answer(error: Exception) -> None:
    """Assert that an error is an answer: a few lines that quote little, and are not empty."""
    lines = str(error).splitlines()
    assert 1 <= len(lines) <= _LINES, f"{len(lines)} lines: {str(error)[:300]!r}"
    assert max(map(len, lines)) <= _LONGEST, f"a long line: {str(error)[:300]!r}"


def target(name: str, *answers: type[Exception]) -> Callable[[Callable[[bytes], Any]], Target]:
    """Make a target of a function: these errors are answers, whatever else it raises is not."""

    def made(attack: Callable[[bytes], Any]) -> Target:
        def run(data: bytes) -> None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                try:
                    attack(data)
                except answers as error:
                    check_answer(error)

        TARGETS[name] = run
        return run

    return made


def one_in(many: int, data: bytes) -> bool:
    """Whether an input is one of the share that goes a longer way: by its bytes, not by chance."""
    return zlib.crc32(data) % many == 0


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "replace")


@cache
def folder() -> Path:
    """A folder of this process, for files that are read by their path."""
    kept.append(tempfile.TemporaryDirectory(prefix="fuzz-"))
    return Path(kept[0].name)


kept: list[tempfile.TemporaryDirectory[str]] = []


def file_of(data: bytes, name: str) -> Path:
    path = folder() / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


# --- files of deals -------------------------------------------------------------------------------


def read_deals(data: bytes, form: str | None, skipped: list[Any] | None) -> list[DealSet]:
    sets = list(iter_deals(io.BytesIO(data), form, "x", 7, skipped=skipped))
    check_deals(sets)
    return sets


def check_deals(sets: list[DealSet]) -> None:
    for deals in sets:
        assert deals.owners.dtype == np.uint8 and deals.owners.shape[1:] == (52,)
        held = np.sort(deals.owners, axis=1).reshape(-1, 4, 13)
        assert (held == np.arange(4)[:, None]).all(), "a hand that has not 13 cards"
        assert deals.tricks is None or ((deals.tricks <= 13) | (deals.tricks == 255)).all()


def what_happened(boards: Any) -> list[tuple[Any, ...]]:
    return [(b.auction, b.contract, b.declarer, b.play, b.result) for b in boards or ()]


def add_reader(form: str) -> None:
    """Read strictly and leniently; what is read is written, and read again as what it was."""

    @target(f"format-{form}", FormatError)
    def attack(data: bytes) -> None:
        skipped: list[Any] = []
        try:
            read_deals(data, form, None)
        except FormatError as error:
            check_answer(error)
        sets = read_deals(data, form, skipped)
        for place in skipped:
            assert len(str(place)) <= _LONGEST
        if one_in(4, data):
            check_partial(data, form)
        if FORMATS[form].write is None or not sets or not one_in(4, data):
            return
        written = io.BytesIO()
        write_stream(sets, written, form)
        before = DealSet.concatenate(sets)
        after = DealSet.concatenate(read_deals(written.getvalue(), form, None))
        assert (before.owners == after.owners).all(), "written and read, other cards"
        if FORMATS[form].tricks:
            assert (before.tricks_or_unknown == after.tricks_or_unknown).all(), "other tricks"
        if form in KEEP_BOARDS:
            kept = what_happened(before.boards), what_happened(after.boards)
            assert not before.boards or kept[0] == kept[1], f"other boards: {kept}"


def check_partial(data: bytes, form: str) -> None:
    """Read boards with hidden hands too, write them where the format can, read them again."""
    sets = list(iter_deals(io.BytesIO(data), form, "x", 7, skipped=[], partial=True))
    check_deals([deals for deals in sets if not isinstance(deals, PartialDeals)])
    if sets and FORMATS[form].partial:
        written = io.BytesIO()
        write_stream(sets, written, form)
        written.seek(0)
        again = list(iter_deals(written, form, "x", skipped=[], partial=True))
        owners = [np.concatenate([deals.owners for deals in each]) for each in (sets, again)]
        assert (owners[0] == owners[1]).all(), "written and read, other hands"


for each in FORMATS:
    add_reader(each)


@target("format-unnamed", FormatError)
def read_unnamed(data: bytes) -> None:
    for name in ("x", "x.pbn", "x.gz", "x.txt"):
        try:
            sum(map(len, iter_deals(file_of(data, name), skipped=[])))
        except FormatError as error:
            check_answer(error)


@target("pairs-of-hands", FormatError)
def read_pairs(data: bytes) -> None:
    hand2vec.read_pairs(file_of(data, "pairs.csv"))


@target("labelled-hands", LabelledError)
def read_labelled_hands(data: bytes) -> None:
    read_labelled(file_of(data, "labelled.csv"))


# --- texts ----------------------------------------------------------------------------------------


READ_BY_NAME: list[Callable[[str], Any]] = [
    tc.Hand, tc.Deal, parse_position, parse_card, parse_contract, parse_call, NetworkName,
    find_format, tc.evaluators.get, find_coding, lambda text: score(text, 9, False),
]  # fmt: skip


@target("card-texts")
def read_card_texts(data: bytes) -> None:
    text = text_of(data)
    for read in READ_BY_NAME:
        try:
            read(text)
        except ValueError as error:
            check_answer(error)


@target("hands-in-words", ConstraintError, DealError)
def read_hands_in_words(data: bytes) -> None:
    clauses = read_hand(text_of(data), Seat.NORTH)
    if one_in(16, data):
        Constraints(north=text_of(data)).accepts(DEALS)
    else:
        for clause in clauses:
            evaluate(clause.node, Layouts(DEALS.owners))


def shown(owners: Any) -> Any:
    return np.full((len(owners), 5, 4), 7, np.uint8)


@target("dealer-scripts", ConstraintError, DealError, NoDealsError)
def read_scripts(data: bytes) -> None:
    text = text_of(data)
    script = read_script(text, parameters={1: "north"})
    for table in read_actions(text, "script").tables:
        table.of(DEALS.owners)
    if one_in(16, data):
        Constraints(condition=script, tricks=shown).accepts(DEALS)
    if one_in(64, data):
        Constraints(condition=script, tricks=shown).deals(1, seed=1, max_tries=1000)


@target("opening-rules", openings.RuleError)
def read_opening_rules(data: bytes) -> None:
    system = RuleSystem(parse_rules(text_of(data), "mine.toml"))
    assert set(system.bid(list(map(tc.Hand.from_cards, HANDS[:5])))) <= set(system.calls)
    read_rules(file_of(data, "mine.toml"))


@target("training-settings", ValueError)
def read_training_settings(data: bytes) -> None:
    name, *lines = text_of(data).splitlines() or [""]
    find_training(name).configured(read_settings(lines))


# --- files of networks ----------------------------------------------------------------------------


@cache
def rules() -> RuleSystem:
    head = 'name = "mine"\ntitle = "Mine"\nsource = "me"\n'
    rest = '\n[[rule]]\ncall = "PASS"\nname = "rest"\nwhy = "nothing else"\n'
    return RuleSystem(parse_rules(head + rest))


def check_system(system: openings.OpeningSystem) -> None:
    chances = system.probabilities(HANDS)
    assert np.isfinite(chances).all() and (chances >= 0).all()
    assert np.abs(chances.sum(axis=1) - 1).max() < 1e-2
    assert set(system.bid(list(map(tc.Hand.from_cards, HANDS[:3])))) <= {*system.calls, "UNKNOWN"}


@target("soft-rules", tc.ModelError)
def read_soft_rules(data: bytes) -> None:
    check_system(open_shading(data, "mine.json", rules(), "abc"))


@target("opening-networks", tc.ModelError)
def read_opening_networks(data: bytes) -> None:
    check_system(open_networks(data, "mine.npz"))


@target("model", tc.ModelError)
def read_model(data: bytes) -> None:
    estimates = tc.Estimator(file_of(data, "mine.onnx"), threads=1)(DEALS[:3])
    assert np.abs(estimates.probabilities.sum(axis=-1) - 1).max() < 1e-2


@target("model-of-others", tc.ModelError)
def read_peer(data: bytes) -> None:
    tc.estimator.PeerModel(file_of(data, "peer.onnx"), threads=1)(DEALS[:3])


@target("pair-model", tc.ModelError)
def read_pair_model(data: bytes) -> None:
    path = file_of(data, "pair.onnx")
    estimates = tc.PairEstimator(path, threads=1)(HANDS[:3], DEALS.owners[:3] == 2)
    assert np.abs(estimates.probabilities.sum(axis=-1) - 1).max() < 1e-2
    tc.HandEmbedding(path, threads=1).tricks(HANDS[:3], DEALS.owners[:3] == 2)


@target("model-metadata", tc.ModelError)
def read_metadata(data: bytes) -> None:
    try:
        metadata = json.loads(data)
    except (ValueError, RecursionError):
        return
    if isinstance(metadata, dict):
        texts = {str(key): str(value) for key, value in metadata.items()}
        info = read_info(Path("mine.onnx"), "abc", texts)
        assert isinstance(str(info.name), str) and isinstance(info.speed, str)


@target("weights", TrainingError)
def read_network_weights(data: bytes) -> None:
    for kind in (SuitNetwork, PairNetwork):
        try:
            read_weights(file_of(data, "mine.npz"), kind)  # type: ignore[type-var]
        except TrainingError as error:
            check_answer(error)


@target("checkpoint", TrainingError)
def read_training_checkpoint(data: bytes) -> None:
    saved = read_checkpoint(file_of(data, "mine.checkpoint"), find_training("fast").settings)
    assert saved is not None and saved[0].step >= 0


@target("trained-network", TrainingError)
def read_trained_network(data: bytes) -> None:
    load_trained(file_of(data, "mine.network"))


# --- folders --------------------------------------------------------------------------------------


@target("manifest", LibraryError)
def read_manifest(data: bytes) -> None:
    library = Library(file_of(data, "library/manifest.json").parent)
    assert library.count("test") + library.count("train") + library.count("validation")
    for problem in verify(library, sample=0).problems:
        assert len(problem) <= _LONGEST and "\n" not in problem


@target("shard", ValueError)
def read_shard(data: bytes) -> None:
    for record in RECORDS.values():
        try:
            deals = record.decode(data, "x")
        except ValueError as error:
            check_answer(error)
        else:
            assert record.encode(deals) == data


@target("endings", LibraryError)
def read_solved_positions(data: bytes) -> None:
    owners, tricks = read_positions(file_of(data, "endings/a.npz").parent)
    assert len(owners) == len(tricks)


@target("taught-deals", TrainingError)
def read_taught_deals(data: bytes) -> None:
    head, _, rest = data.partition(b"\n")
    file_of(rest, "taught/labels.npy")
    taught_deals(file_of(head, "taught/taught.json").parent)


@target("figures", ExperimentError, TrainingError)
def read_figures(data: bytes) -> None:
    Store(file_of(data, "figures/smoke.jsonl").parent, "smoke").lines()
    read_journal(folder() / "figures/smoke.jsonl")


@target("agreed-deals", ExperimentError)
def read_agreed(data: bytes) -> None:
    file_of(data, "figures/smoke.json")
    agreed_deals(folder() / "figures", smoke())


@cache
def smoke() -> Scale:
    return read_scales(SCALES_FILE)["smoke"]
