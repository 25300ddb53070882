"""Answers files: the results of a program on a test set, as CSV or Parquet, for ``bench``.

Each row is an answer. Column ``set`` names the test set with its version and digest (``bench``
without a file shows them), ``deal`` the deal by its number in the set, from 0, or by its PBN text.
``strain`` (S H D C N) and ``declarer`` (N E S W) say which result; for results at the table,
``contract`` (4SX) replaces the strain. The answer is ``tricks``, 0 to 13, or the chances ``p0`` to
``p13``, or both: without ``tricks`` the likeliest count is used. Other columns are ignored. So a
``TrickEstimate`` read by pandas or polars is an answers file, except for ``set``, and so is a
``PairEstimate`` whose ``pair`` is renamed ``deal``.
"""

import csv
import os
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cards import UNKNOWN, Deal, Seat, Strain, shorten
from .benchmark import Answers, TestSet, Truth, find_set, plain_contract

_TEXTS = ("set", "deal", "strain", "declarer", "contract")
_CHANCES = [f"p{count}" for count in range(14)]
_PARQUET = b"PAR1"
_WHOLE = 0.001
"""How far from 1 the chances may sum to, since they may be rounded."""


class AnswersError(ValueError):
    """An answers file that cannot be scored; the message says where, and what was expected."""


class _Table(NamedTuple):
    """The columns of a file, each as texts or numbers, and the file's name."""

    path: str
    columns: dict[str, Sequence[Any]]
    lines: Sequence[int]
    """The line at which each row ends in a text file; empty for Parquet."""

    def place(self, row: int) -> str:
        """Return the position of a row, for messages."""
        return f"{self.path}, " + (f"line {self.lines[row]}" if self.lines else f"row {row + 1}")


def open_answers(path: str | os.PathLike[str]) -> tuple[TestSet, _Table]:
    """Open a file of answers, and find the test set that it names.

    Args:
        path: CSV or Parquet file.

    Returns:
        The TestSet, and the table of answers.

    Raises:
        AnswersError: The file names no known test set, or another version of it; or two of its
            columns have the same name.
        OSError: The file cannot be read.
        ModuleNotFoundError: The file is Parquet, and pyarrow is not installed.
    """
    file = Path(path)
    with file.open("rb") as stream:
        parquet = stream.read(4) == _PARQUET
    columns, lines = (_parquet(file), ()) if parquet else _csv(file)
    table = _Table(os.fspath(path), columns, lines)
    missing = [name for name in ("set", "deal", "declarer") if name not in table.columns]
    if missing:
        raise AnswersError(f"{table.path}: no column {', '.join(missing)} (expected set, deal, "
                           "strain, declarer, and tricks or p0 to p13)")  # fmt: skip
    named = {str(name) for name in table.columns["set"]}
    if not named:
        raise AnswersError(f"{table.path}: contains no answers")
    if len(named) != 1:
        raise AnswersError(
            f"{table.path}: column set has {len(named)} values (expected the same in every row)"
        )
    try:
        return find_set(*named), table
    except ValueError as error:
        raise AnswersError(f"{table.path}: {error}") from None


def read_answers(table: _Table, asked: TestSet, truth: Truth) -> Answers:
    """Read the answer to each question.

    Either all suits or notrump may be left out, but nothing at the table. Results left out are not
    scored.

    Args:
        table: The table of answers.
        asked: The TestSet.
        truth: Its questions.

    Returns:
        The Answers.

    Raises:
        AnswersError: An answer has no question, a question has two answers, an answer is neither a
            number of tricks nor chances, or some answers in suits, in notrump or at the table are
            missing.
    """
    rows = _questions(table, asked, truth)
    chances = [name in table.columns for name in _CHANCES]
    if any(chances) and not all(chances):
        absent = _CHANCES[chances.index(False)]
        raise AnswersError(f"{table.path}: no column {absent} (expected p0 to p13, or none)")
    if not any(chances) and "tricks" not in table.columns:
        raise AnswersError(f"{table.path}: no answers (expected the column tricks, or p0 to p13)")
    probabilities = None
    tricks = np.full(len(truth.deal), UNKNOWN, dtype=np.uint8)
    if all(chances):
        probabilities = np.full((len(truth.deal), 14), 1 / 14, dtype=np.float32)
        said = np.column_stack([_numbers(table, name) for name in _CHANCES])
        bad = ~((said >= 0).all(1) & (np.abs(said.sum(1) - 1) <= _WHOLE + 1e-9))  # float64's error
        if bad.any():
            row = int(np.argmax(bad))
            raise AnswersError(
                f"{table.place(row)}: the chances add up to {said[row].sum():.4f} (expected 1 "
                f"within {_WHOLE}, none below 0; write four decimals or more)"
            )
        probabilities[rows] = said
        tricks[rows] = probabilities[rows].argmax(1)
    if "tricks" in table.columns:
        counts = _numbers(table, "tricks")
        bad = ~((counts >= 0) & (counts <= 13) & (counts == np.floor(counts)))
        if bad.any():
            row = int(np.argmax(bad))
            raise AnswersError(
                f"{table.place(row)}: tricks is {table.columns['tricks'][row]} (expected 0 to 13)"
            )
        tricks[rows] = counts
    _refuse_holes(table.path, asked, truth, tricks != UNKNOWN)
    return Answers(probabilities, tricks)


def _csv(file: Path) -> tuple[dict[str, Sequence[Any]], Sequence[int]]:
    """Return the columns, and the line at which each row ends."""
    rows, ends = list[list[str]](), list[int]()
    with file.open(encoding="utf-8-sig", newline="") as stream:
        try:
            header = stream.readline()
            if not header:
                raise AnswersError(f"{file}: the file is empty (expected answers)")
            reader = csv.reader(chain([header], stream), delimiter=max(",;\t", key=header.count))
            names = [name.strip() for name in next(reader, [])]
            for row in filter(None, reader):
                if len(row) != len(names):
                    raise AnswersError(
                        f"{file}, line {reader.line_num}: {len(row)} cells (expected {len(names)})"
                    )
                rows.append(row)
                ends.append(reader.line_num)
        except csv.Error as error:
            raise AnswersError(f"{file}, line {reader.line_num}: {error}") from None
        except UnicodeDecodeError:
            raise AnswersError(f"{file}: not text in UTF-8") from None
    _refuse_repeated(file, names)
    columns = zip(*rows, strict=True) if rows else ([] for _ in names)
    return dict(zip(names, columns, strict=True)), ends


def _refuse_repeated(file: Path, names: Sequence[str]) -> None:
    """Raise AnswersError if two columns of answers have the same name."""
    for name in (*_TEXTS, "tricks", *_CHANCES):
        if names.count(name) > 1:
            raise AnswersError(f"{file}: two columns {name} (expected one)")


def _parquet(file: Path) -> dict[str, Sequence[Any]]:
    try:
        from pyarrow import ArrowException, parquet
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            'answers in Parquet need pyarrow; install it with: pip install "trickcast[data]" (or '
            "write CSV)"
        ) from None
    try:
        table = parquet.ParquetFile(file).read()  # read_table fails for columns of one name
    except (ArrowException, OSError) as error:
        raise AnswersError(f"{file}: not a Parquet file that can be read ({error})") from None
    _refuse_repeated(file, table.column_names)
    return {
        name: column.to_pylist() if name in _TEXTS else column.to_numpy()
        for name, column in zip(table.column_names, table.columns, strict=True)
        if name in (*_TEXTS, "tricks", *_CHANCES)
    }


def _numbers(table: _Table, name: str) -> NDArray[np.float64]:
    try:
        return np.asarray(table.columns[name], dtype=np.float64)
    except ValueError:
        for row, cell in enumerate(table.columns[name]):
            try:
                float(cell)
            except ValueError:
                text = shorten(str(cell))
                raise AnswersError(f"{table.place(row)}: {name} is {text}, not a number") from None
        raise


def _questions(table: _Table, asked: TestSet, truth: Truth) -> NDArray[np.intp]:
    """Return which question each row answers."""
    subject = "contract" if asked.task == "table" else "strain"
    if subject not in table.columns:
        raise AnswersError(f"{table.path}: no column {subject}")
    keys = {key: number for number, key in enumerate(truth.keys())}
    deals = _deals(table, truth)
    subjects, declarers = table.columns[subject], table.columns["declarer"]
    parse = plain_contract if asked.task == "table" else _letter_of_strain
    read_subject = {text: _or_none(parse, text) for text in set(subjects)}
    read_declarer = {text: _or_none(_letter_of_seat, text) for text in set(declarers)}
    rows = np.empty(len(deals), dtype=np.intp)
    answered: set[int] = set()
    for row, (deal, what, by) in enumerate(zip(deals, subjects, declarers, strict=True)):
        number = keys.get((deal, read_subject[what], read_declarer[by]), -1)
        if number < 0 or number in answered:
            name = f"deal {deal}, {shorten(str(what))} by {shorten(str(by))}"
            why = "is answered twice" if number >= 0 else f"is not asked in {asked.name}"
            raise AnswersError(f"{table.place(row)}: {name} {why}")
        answered.add(number)
        rows[row] = number
    return rows


def _deals(table: _Table, truth: Truth) -> list[int]:
    """Return the deal number of each row in the set."""
    cells = table.columns["deal"]
    numbers = {str(number): number for number in range(len(truth.owners))}
    by_cards: dict[bytes, int] = {}
    known: dict[Any, int] = {}
    for row, cell in enumerate(cells):
        if cell in known:
            continue
        text = str(cell).strip()
        if (number := numbers.get(text.removesuffix(".0"))) is not None:
            known[cell] = number
            continue
        by_cards = by_cards or {owners.tobytes(): n for n, owners in enumerate(truth.owners)}
        owned = _or_none(lambda text: Deal(text).owner_bytes, text)
        if owned not in by_cards:
            raise AnswersError(
                f"{table.place(row)}: {shorten(text)} is not a deal of the set (expected its "
                "number, "
                f"0 to {len(truth.owners) - 1}, or its PBN text)"
            )
        known[cell] = by_cards[owned]
    return [known[cell] for cell in cells]


def _or_none(parse: Any, text: Any) -> Any:
    try:
        return parse(str(text).strip())
    except ValueError:
        return None


def _letter_of_strain(text: str) -> str:
    return Strain.parse(text).letter


def _letter_of_seat(text: str) -> str:
    return Seat.parse(text).letter


def _refuse_holes(path: str, asked: TestSet, truth: Truth, answered: NDArray[np.bool_]) -> None:
    """Raise AnswersError if some, but not all, answers in suits or in notrump are missing.

    At the table all must be answered, because others chose the contracts.
    """
    notrump = truth.cell // 4 == 4
    kinds = {"suits": ~notrump, "notrump": notrump}
    if asked.task == "table":
        kinds = {"all contracts": np.ones_like(notrump)}
    for name, of_kind in kinds.items():
        missing = of_kind & ~answered
        if missing.any() and (of_kind & answered).any():
            deal, what, by = truth.key(int(np.flatnonzero(missing)[0]))
            raise AnswersError(
                f"{path}: {int(missing.sum()):,} of {int(of_kind.sum()):,} answers in {name} are "
                f"missing, first deal {deal}, {what} by {by} (expected all, or none)"
            )
    if not answered.any():
        raise AnswersError(f"{path}: contains no answers")
