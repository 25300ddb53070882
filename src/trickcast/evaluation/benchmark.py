"""Named test sets for any program: the questions, the true answers, and how answers score."""

import csv
import gzip
import hashlib
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..cards import UNKNOWN, Deal, DealSet, Seat, Strain, shorten
from ..cards.text import parse_contract
from .figures import Evaluation
from .tally import Tally, evaluate_rows

Task = Literal["deals", "pairs", "table"]
"""What a program may see: all four hands; the two hands of the declaring side; or the four hands
and the contract, if the tricks are those of players."""
_DIGITS = 12


@dataclass(frozen=True, kw_only=True)
class TestSet:
    """Results that programs are asked to predict."""

    name: str
    version: int
    digest: str
    """The first twelve digits of the SHA-256 of owners and results."""
    task: Task
    about: str
    """A description for people."""
    place: str
    """The library that has it; "" if its file must be supplied."""
    source: str
    """Where the deals come from."""

    @property
    def declarers(self) -> tuple[Seat, ...]:
        """The declarers in question: North and South if two hands are known."""
        return (Seat.NORTH, Seat.SOUTH) if self.task == "pairs" else tuple(Seat)

    def __str__(self) -> str:
        return f"{self.name}/{self.version}/{self.digest}"


@dataclass(frozen=True)
class Truth:
    """The questions of a test set, and the true answer to each."""

    owners: NDArray[np.uint8]
    """(n, 52) the deals."""
    deal: NDArray[np.intp]
    """(questions,) the number of the deal."""
    cell: NDArray[np.intp]
    """(questions,) 4 × strain + declarer."""
    tricks: NDArray[np.uint8]
    """(results,)"""
    contract: tuple[str, ...] = ()
    """For each question at the table; empty for other sets."""
    asked: NDArray[np.intp] | None = None
    """(results,) the question that a result belongs to; None if each has one."""
    times: NDArray[np.int64] | None = None
    """(results,) number of tables with it."""

    def key(self, question: int) -> tuple[int, str, str]:
        """Return the deal, the strain or contract, and the declarer of a question."""
        strain, seat = divmod(int(self.cell[question]), 4)
        what = self.contract[question] if self.contract else Strain(strain).letter
        return int(self.deal[question]), what, Seat(seat).letter

    def keys(self) -> Iterator[tuple[int, str, str]]:
        """Yield the keys of all questions."""
        return map(self.key, range(len(self.deal)))

    @property
    def digest(self) -> str:
        """The first digits of the SHA-256 of owners and results."""
        whole = hashlib.sha256()
        for array in (self.owners, self.deal, self.cell, self.asked, self.tricks, self.times):
            if array is not None:  # the same bytes on every machine
                kind = "u1" if array.dtype == np.uint8 else "<i8"
                whole.update(np.ascontiguousarray(array, dtype=kind).tobytes())
        whole.update(" ".join(self.contract).encode())
        return whole.hexdigest()[:_DIGITS]


@dataclass(frozen=True)
class Answers:
    """Answers of a program to the questions of a test set."""

    probabilities: NDArray[np.float32] | None
    """(questions, 14), None if there are only tricks."""
    tricks: NDArray[np.uint8]
    """(questions,), 255 for a question without answer."""


SETS = {
    one.name: one
    for one in (
        TestSet(
            name="library-test",
            version=1,
            digest="e945eb93e48b",
            task="deals",
            about="20,480 random deals, solved by DDS 2.9",
            place="data/library",
            source="the test part of the library in trickcast's repository",
        ),
        TestSet(
            name="library-test-pairs",
            version=1,
            digest="e23b89a6a3a6",
            task="pairs",
            about="20,480 random deals, solved by DDS 2.9; North and South known",
            place="data/library",
            source="the test part of the library in trickcast's repository",
        ),
        TestSet(
            name="gib-10000",
            version=1,
            digest="52b232dc5abd",
            task="deals",
            about="10,000 deals of Ginsberg's GIB library",
            place="",
            source="data/try10000.txt of the repository garyleung142857/pytorch-bridge",
        ),
        TestSet(
            name="gib-10000-pairs",
            version=1,
            digest="976fefd75187",
            task="pairs",
            about="10,000 deals of Ginsberg's GIB library; North and South known",
            place="",
            source="data/try10000.txt of the repository garyleung142857/pytorch-bridge",
        ),
        TestSet(
            name="okbridge",
            version=1,
            digest="03cd27aaab5e",
            task="table",
            about="167,385 results of 1,637 deals at club tables",
            place="",
            source="OKbridge's records in the repository ContractBridge/pbn-files, as CSV",
        ),
    )
}
"""Every test set by name."""


def find_set(text: str) -> TestSet:
    """Return a test set by name, version and digest.

    Args:
        text: ``name/version/digest``.

    Returns:
        The TestSet.

    Raises:
        ValueError: The name is unknown, or the set has another version or digest.

    Example:
        >>> text = str(SETS["okbridge"])
        >>> find_set(text) == SETS["okbridge"]
        True
    """
    name = text.partition("/")[0].strip()
    if name not in SETS:
        raise ValueError(f"no test set {shorten(name)} (expected one of: {', '.join(SETS)})")
    if text.strip() != str(SETS[name]):
        raise ValueError(f"made for {shorten(text)} (expected {SETS[name]})")
    return SETS[name]


def truth_of_deals(asked: TestSet, deals: DealSet) -> Truth:
    """Return the questions of a test set of solved deals, with the true answers.

    Args:
        asked: The TestSet.
        deals: Its deals, solved.

    Returns:
        The Truth.

    Raises:
        ValueError: These are not the deals of the set.
    """
    seats = [int(seat) for seat in asked.declarers]
    cells = np.array([4 * strain + seat for strain in range(5) for seat in seats])
    tricks = deals.tricks_or_unknown.reshape(len(deals), 20)[:, cells]
    return _checked(
        asked,
        Truth(
            deals.owners,
            np.repeat(np.arange(len(deals)), len(cells)),
            np.tile(cells, len(deals)),
            tricks.ravel(),
        ),
    )


def read_table_truth(asked: TestSet, path: str | os.PathLike[str]) -> Truth:
    """Return the questions of a test set of results at the table, with the true answers.

    Args:
        asked: The TestSet.
        path: CSV file, possibly compressed with gzip, with the columns ``deal``, ``contract``,
            ``declarer``, ``tricks`` and ``tables``, the number of tables with that result.

    Returns:
        The Truth.

    Raises:
        ValueError: It is a different file, or has different results.
        OSError: The file cannot be read.
    """
    file = Path(path)
    packed = file.read_bytes()
    deals: dict[str, int] = {}
    questions: dict[tuple[int, int, str], int] = {}
    results: list[tuple[int, int, int]] = []
    try:
        text = (gzip.decompress(packed) if packed[:2] == b"\x1f\x8b" else packed).decode("utf-8")
        for row in csv.DictReader(text.splitlines(), restval=""):
            number = deals.setdefault(row["deal"], len(deals))
            contract = plain_contract(row["contract"])
            _, strain, _ = parse_contract(contract)
            if strain is None:
                continue  # passed out: nothing is played
            cell = 4 * int(strain) + int(Seat.parse(row["declarer"]))
            question = questions.setdefault((number, cell, contract), len(questions))
            results.append((question, int(row["tricks"]), int(row["tables"])))
        owners = b"".join(Deal(text).owner_bytes for text in deals)
    except (KeyError, ValueError, EOFError, zlib.error, csv.Error) as error:
        raise ValueError(f"{file}: not results at the table ({error})") from None
    if not questions:
        raise ValueError(f"{file}: contains no results at the table")
    of_deal, cells, contracts = zip(*questions, strict=True)
    asked_by, tricks, times = np.array(results).T
    truth = Truth(
        np.frombuffer(owners, dtype=np.uint8).reshape(-1, 52),
        np.array(of_deal),
        np.array(cells),
        tricks.astype(np.uint8),
        contracts,
        asked_by.astype(np.intp),
        times.astype(np.int64),
    )
    return _checked(asked, truth)


def plain_contract(text: str) -> str:
    """Return a contract in the spelling of test sets, ``4SX``. Raises DealError for other text.

    >>> from trickcast.evaluation.benchmark import plain_contract
    >>> plain_contract("3 ntx")
    '3NX'
    """
    level, strain, doubling = parse_contract(text)
    return "PASS" if strain is None else f"{level}{strain.letter}{'X' * doubling}"


def _checked(asked: TestSet, truth: Truth) -> Truth:
    if truth.digest != asked.digest:
        raise ValueError(
            f"the deals or results are not those of {asked.name}: their digest is {truth.digest} "
            f"(expected {asked.digest}; they are from {asked.source})"
        )
    return truth


def score_answers(truth: Truth, answers: Answers) -> Evaluation:
    """Score the answers of a program.

    Answers without chances count as certain, so only their hits and errors mean anything.

    Args:
        truth: The questions with the true answers.
        answers: The answers, as from ``read_answers``.

    Returns:
        An Evaluation, as from ``Tally``.
    """
    probabilities = answers.probabilities
    if probabilities is None:
        probabilities = np.eye(14, dtype=np.float32)[np.minimum(answers.tricks, 13)]
    answered = answers.tricks != UNKNOWN
    if truth.asked is not None:
        chosen = answered[truth.asked]
        of = truth.asked[chosen]
        assert truth.times is not None
        return evaluate_rows(
            probabilities[of], answers.tricks[of], truth.tricks[chosen],
            deals=truth.deal[of], strains=truth.cell[of] // 4, times=truth.times[chosen],
        )  # fmt: skip
    tally, n = Tally(), len(truth.owners)
    per_deal = len(truth.deal) // n
    cells = truth.cell[:per_deal]
    real = np.full((n, 20), UNKNOWN, dtype=np.uint8)
    named = np.zeros((n, 20), dtype=np.uint8)
    chances = np.full((n, 20, 14), 1 / 14, dtype=np.float32)
    real[:, cells] = np.where(answered, truth.tricks, UNKNOWN).reshape(n, per_deal)
    named[:, cells] = answers.tricks.reshape(n, per_deal)
    chances[:, cells] = probabilities.reshape(n, per_deal, 14)
    for start in range(0, n, 1024):  # as in evaluate: the last digit of sums depends on it
        some = slice(start, start + 1024)
        tally.add(
            chances[some].reshape(-1, 5, 4, 14), named[some].reshape(-1, 5, 4),
            real[some].reshape(-1, 5, 4), truth.owners[some],
        )  # fmt: skip
    return tally.evaluation()
