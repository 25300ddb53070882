"""Our own tables, CSV and Parquet: one row per deal.

Column ``deal`` holds the PBN text, written from North. (CSV files from elsewhere may have the four
hands in columns ``N``, ``E``, ``S`` and ``W`` instead, or no header.) The columns ``S_N``, ``S_E``,
``S_S``, ``S_W``, ``H_N`` … ``N_W`` (strain S H D C N, declarer N E S W) hold declarer's tricks,
empty (null in Parquet) if unknown. A file of boards begins with the columns
``board``, ``dealer``, ``vulnerable``, ``contract``, ``declarer`` and ``result``. Readers find
columns by name, in any order.

Parquet needs pyarrow, installed by ``pip install "trickcast[data]"``.
"""

import csv
import re
import shutil
import tempfile
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, compress, islice
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..cards import TRICK_COLUMNS as TRICKS
from ..cards import (
    UNKNOWN,
    Board,
    DealSet,
    Seat,
    Suit,
    Vulnerability,
    shorten,
    write_deal_texts,
)
from .board_text import (
    SAYS_NOTHING,
    contract_text,
    parse_count,
    place_of,
    split_outcome,
    tricks_by_contract,
)
from .bulk import read_deal_texts, rechunked
from .format import Format, FormatError, FormatWarning, Notices, Reading, raised_by
from .streams import on_disk, read_lines

UNKNOWN_TEXTS = ("", "NA", "NaN", "nan")
"""Text of empty cells."""
TRICKS_OF_TEXT = {str(n): n for n in range(14)} | dict.fromkeys(UNKNOWN_TEXTS, UNKNOWN)
"""Text of a cell → tricks, UNKNOWN for empty cells."""
TRICKS_OF_TEXT |= {f"{n}.0": n for n in range(14)}  # pandas writes this if other cells are empty
BAD = 254
"""Stands for invalid tricks."""


def require_types(
    pa: Any, schema: Any, deal: int, tricks: list[str], boards: Collection[str], reading: Reading
) -> None:
    """Raise FormatError for a Parquet column whose type does not fit its name.

    ``deal`` is the index of the column with the deals, ``tricks`` the names of the columns with
    tricks, and ``boards`` those that describe boards.
    """
    text = (pa.types.is_string, pa.types.is_large_string)
    bytes_ = (pa.types.is_binary, pa.types.is_large_binary)
    numbers = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_null)
    for place, field in enumerate(schema):
        if place != deal and field.name not in (*tricks, *boards):
            continue
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        fitting = (*text, *bytes_) if place == deal else (*numbers, *text)
        if not any(fits(kind) for fits in fitting):
            expected = "PBN text" if place == deal else "numbers 0 to 13"
            expected = "text or numbers" if field.name in boards else expected
            type_name = shorten(str(kind), 60)
            reason = f"column {field.name} is of the type {type_name} (expected {expected})"
            raise reading.error("", reason)


def counts_of(pa: Any, column: Any) -> NDArray[np.float64]:
    """Return the tricks of a Parquet column as (n,) numbers, NaN if unknown.

    They may be out of range or fractional; text that is not a number of tricks is BAD.
    """
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        known = [TRICKS_OF_TEXT.get((text or "").strip(), BAD) for text in column.to_pylist()]
        return np.where(np.array(known) == UNKNOWN, np.nan, known)
    numbers = column.cast(pa.float64(), safe=False)
    return np.asarray(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)


def _number(text: str) -> int:
    return parse_count(_whole(text), 999_999_999)


def _result(text: str) -> int:
    return parse_count(_whole(text), 13)


def _whole(text: str) -> str:
    """Return a number without the ``.0`` that pandas writes if other cells are empty."""
    return text.removesuffix(".0")


_COLUMNS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "board": ("number", _number),
    "dealer": ("dealer", Seat.parse),
    "vulnerable": ("vulnerability", Vulnerability.parse),
    "contract": ("contract", contract_text),
    "declarer": ("declarer", Seat.parse),
    "result": ("result", _result),
}
COLUMNS = tuple(_COLUMNS)
"""The names of the columns, in the order in which they are written."""
FIELDS = tuple(field for field, _ in _COLUMNS.values())
"""The fields of Board in these columns."""


def cells_of(board: Board) -> list[str]:
    """Return the cells of a board; unknown ones are empty."""
    values = [getattr(board, field) for field in FIELDS]
    return ["" if value is None else str(value) for value in values]


def _warn_of_left_out(boards: Iterable[Board], first: int, notices: Notices) -> None:
    """Warn of boards with data in columns that are not written; the first is deal ``first``.

    The columns were left out because they were empty when the file began.
    """
    for i, board in enumerate(boards, start=first):
        if any(cells_of(board)):
            notices.add("boards whose columns are left out", place_of(board, i),
                        f"the columns {', '.join(COLUMNS)} are left out, because they are "
                        "empty for the first deals")  # fmt: skip


def boards_of(
    rows: Iterable[Sequence[str]], names: Sequence[str], where: str, lines: Sequence[int] = ()
) -> list[Board]:
    """Return the boards from rows of cells, in the columns ``names``.

    Unreadable cells are ignored. If a contract that includes declarer and result contradicts other
    columns, those count. A FormatWarning reports the first case of each kind, with its line if the
    ``lines`` of the rows are given, and the number of further cases.
    """
    boards, unread, differing = [], list[str](), list[str]()
    columns: dict[str, None] = {}  # with cells that cannot be read, in the order met
    for i, row in enumerate(rows):
        values: dict[str, Any] = {}
        told: dict[str, Any] = {}  # by the contract's cell
        line = f"line {lines[i]}: " if lines else ""
        for name, cell in zip(names, row, strict=True):
            field, parse = _COLUMNS[name]
            text = cell.strip()
            try:
                if name == "contract" and (outcome := split_outcome(text)) is not None:
                    text, by, result = outcome
                    if by:
                        told["declarer"] = Seat.parse(by)
                    if result:
                        told["result"] = _result(_by_contract(result, text))
                if name == "result":
                    text = _by_contract(text, values.get("contract"))
                if text not in UNKNOWN_TEXTS:
                    values[field] = parse(text)
            except ValueError as error:
                columns[name] = None
                unread.append(f"{line}{name} is left out: {error}")
        differing += [
            f"{line}the contract says {name} {value}, the column {values[name]}, which counts"
            for name, value in told.items()
            if values.setdefault(name, value) != value
        ]
        boards.append(Board(**values))
    also = f", also in {', '.join([*columns][1:])}" * (len(columns) > 1)
    for found, more in ((unread, "cell{} cannot be read" + also), (differing, "contradiction{}")):
        if found:
            others = len(found) - 1
            rest = f"; {others:,} more {more.format('s' * (others > 1))}" * (others > 0)
            warnings.warn(f"{where}: {found[0]}{rest}", FormatWarning, stacklevel=2)
    return boards


def _by_contract(text: str, contract: str | None) -> str:
    """Return a result relative to the contract (``=``, ``+1``) as tricks."""
    tricks = tricks_by_contract(text, contract or "")
    return text if tricks is None else str(tricks)


DEAL = "deal"
_HANDS = tuple(seat.letter for seat in Seat)
_SUITS = tuple(f"{seat.word}'s {suit.name.lower()}" for seat in Seat for suit in Suit)
_SUIT_NAME = re.compile(
    r"(n|north|e|east|s|south|w|west)(?:'s)?[ _.:-]?"
    r"(s|spades?|h|hearts?|d|diamonds?|c|clubs?)", re.IGNORECASE,
)  # fmt: skip
"""The name of a column with a suit of a hand."""
_HAND = re.compile(r"(?:(?:10|[2-9TJQKA-])*\.){3}(?:10|[2-9TJQKA-])*", re.IGNORECASE)
_NO_RANK = re.compile(r"[.-]|1(?=0)")
_LOOKS = {
    "board": re.compile(r"[0-9]{1,9}"),
    "dealer": re.compile(r"[NESW]", re.IGNORECASE),
    "dealer/vulnerable": re.compile(r"[NESW]/(?:\w+|-)", re.IGNORECASE),
    "vulnerable": re.compile(r"none|both|all|love|[NE]-?[SW]|-", re.IGNORECASE),
}
"""Patterns of board data in files without a header."""
_DEAL_TEXT = re.compile(r"[NESW]:(?:\S+\s+){3}\S+$", re.IGNORECASE)
_OTHER_NAMES = {seat.name.lower(): seat.letter for seat in Seat} | {
    "pbn": DEAL, "number": "board", "board number": "board", "bd": "board", "vul": "vulnerable",
    "vulnerability": "vulnerable",
}  # fmt: skip
"""Column names used in files from elsewhere, in lower case."""

_BYTES_OF_ROW = 64
"""Least bytes of an unpacked Parquet row: the text of a deal has 69 characters."""
_TEXT = [str(n) for n in range(14)] + [""] * 242


@dataclass(frozen=True, slots=True)
class _Columns:
    """The positions of the deals and the tricks in a table."""

    deal: tuple[int, ...]
    """The index of the column with the deal, of four with the hands of N E S W, or of sixteen with
    their suits."""
    tricks: dict[int, int]
    """Index of each column with tricks → cell."""
    boards: dict[str, int]
    """Column name → index, for columns that describe boards."""

    def deal_text(self, row: Sequence[str]) -> str:
        """Return the deal of a row in PBN notation."""
        texts = [row[place].strip() for place in self.deal]
        if len(texts) == 16:
            texts = [".".join(texts[k : k + 4]) for k in range(0, 16, 4)]
        return texts[0] if len(texts) == 1 else f"N:{' '.join(text or '-' for text in texts)}"


def _places(names: Sequence[str], reading: Reading, where: str, hands: bool) -> _Columns:
    """Return which columns hold the deal, in four hands if ``hands`` allows it, and the tricks.

    Four columns of hands occur only in CSV. Raises FormatError if no column, or several, hold the
    deal, or if several hold the same cell or the same board data.
    """
    places: dict[str, int] = {}
    for place, name in enumerate(names):
        if name in (DEAL, *_HANDS, *_SUITS, *TRICKS, *COLUMNS):
            if name in places:
                raise reading.error(where, f"two columns {name!r} (expected one)")
            places[name] = place
    if DEAL in places:
        deal: tuple[str, ...] = (DEAL,)
    elif hands and set(_HANDS) <= places.keys():
        deal = _HANDS
    elif hands and set(_SUITS) <= places.keys():
        deal = _SUITS
    else:
        raise reading.error(
            where,
            f"no column {DEAL!r} among {shorten(', '.join(names))} "
            f"(expected {DEAL} and {TRICKS[0]}, {TRICKS[1]} … {TRICKS[-1]})",
        )
    boards = {name: places[name] for name in COLUMNS if name in places}
    ignored = [name for name in names if name not in (*deal, *TRICKS, *boards)]
    if ignored:
        said_of = ": ".join(filter(None, (reading.name, where)))
        warnings.warn(
            f"{said_of}: columns left out: {shorten(', '.join(ignored))}",
            FormatWarning,
            stacklevel=2,
        )
    tricks = {places[name]: i for i, name in enumerate(TRICKS) if name in places}
    return _Columns(tuple(places[name] for name in deal), tricks, boards)


# --- CSV ------------------------------------------------------------------------------------


def _read_csv(stream: BinaryIO, reading: Reading, chunk: int) -> Iterator[DealSet]:
    rows = _rows(stream, reading)
    line, header = next(rows, (1, []))
    if not header:
        raise reading.error("line 1", f"the file is empty (expected a header with {DEAL!r})")
    if unnamed := _without_header(header):
        rows = chain([(line, header)], rows)
        rows = ((line, _parted(row, unnamed)) for line, row in rows)
        Notices(reading.name).add(
            "no header", f"line {line}", f"no header: read as {shorten(', '.join(unnamed))}"
        )
    header = unnamed or _known_names([field.strip() for field in header])
    columns = _places(header, reading, f"line {line}", hands=True)
    while True:
        with reading.in_order():
            if not (batch := list(islice(rows, chunk))):
                return
            deals = _deals_of_rows(batch, header, columns, reading)
        yield deals


def _known_names(header: list[str]) -> list[str]:
    """Return our names for the columns; other files' names count if ours are absent."""
    suits = [_SUIT_NAME.fullmatch(name) for name in header]
    if len({(found[1][0].lower(), found[2][0].lower()) for found in suits if found}) == 16:
        return [
            f"{Seat.parse(found[1]).word}'s {Suit.parse(found[2][0]).name.lower()}"
            if found
            else name.lower()
            for name, found in zip(header, suits, strict=True)
        ]
    known = {DEAL, *_HANDS, *TRICKS, *COLUMNS}
    lower = dict(zip("nesw", "NESW", strict=True)) if {*"nesw"} <= {*header} else {}
    names = list[str]()
    for name in header:
        ours = lower.get(name) or _OTHER_NAMES.get(name.lower(), name.lower())
        foreign = name not in known and ours in known and ours not in (*header, *names)
        names.append(ours if foreign else name)
    return names


def _without_header(row: list[str]) -> list[str]:
    """Return column names for a file that begins with a deal; none if it does not.

    The deal is in one column, in the four hands or in the sixteen suits of N E S W. A number
    before it is the board's. After sixteen suits there may be number, dealer and vulnerability, the
    last two also as ``N/-``. Twenty results after the deal are in pgx's order (N E S W, for each
    C D H S NT).
    """
    cells = [cell.strip() for cell in row]
    for columns in ((DEAL,), _HANDS, _SUITS):
        starts = range(len(cells) - len(columns) + 1)
        first = next((i for i in starts if _is_deal(cells[i : i + len(columns)])), -1)
        if first >= 0:
            break
    else:
        return []
    end = first + len(columns)
    results = [f"{strain}_{seat}" for seat in "NESW" for strain in "CDHSN"]
    if len(cells) == end + 20 and all(cell in TRICKS_OF_TEXT for cell in cells[end:]):
        end, columns = len(cells), (*columns, *results)
    names = [f"column {place + 1}" for place in range(len(cells))]
    names[first:end] = columns
    for place in (*range(first), *range(end, len(cells) if columns == _SUITS else 0)):
        looks = (name for name, looks in _LOOKS.items() if looks.fullmatch(cells[place]))
        names[place] = next((name for name in looks if name not in names), names[place])
    return [part for name in names for part in name.split("/")]


def _is_deal(cells: list[str]) -> bool:
    """Return whether cells are a deal: in PBN notation, as four hands or as sixteen suits."""
    if len(cells) == 1:
        return _DEAL_TEXT.match(cells[0]) is not None
    hands = cells if len(cells) == 4 else [".".join(cells[k : k + 4]) for k in range(0, 16, 4)]
    return all(_HAND.fullmatch(hand) and len(_NO_RANK.sub("", hand)) == 13 for hand in hands)


def _parted(row: list[str], names: list[str]) -> list[str]:
    """Split the cell of dealer and vulnerability, ``N/-``, in two."""
    if len(row) != len(names) - 1:
        return row
    at = names.index("dealer") if "dealer" in names else 0
    dealer, _, vulnerable = row[at].partition("/")
    return [*row[:at], dealer, vulnerable, *row[at + 1 :]]


def _deals_of_rows(
    batch: list[tuple[int, list[str]]], header: list[str], columns: _Columns, reading: Reading
) -> DealSet:
    """Turn rows with their line numbers into deals, refusing invalid ones."""
    whole = [(line, row) for line, row in batch if len(row) == len(header)]
    if len(whole) != len(batch):
        for line, row in batch:
            if len(row) != len(header):
                reason = f"{len(row)} fields (expected {len(header)}, as in the header)"
                reading.refuse(reading.error(f"line {line}", reason))
    texts = [columns.deal_text(row) for _, row in whole]
    owners, good = read_deal_texts(texts, lambda i: f"line {whole[i][0]}", reading)
    places = list(columns.tricks)
    counts = [TRICKS_OF_TEXT.get(row[place].strip(), BAD) for _, row in whole for place in places]
    cells = np.array(counts, dtype=np.uint8).reshape(len(whole), len(places))
    wrong = cells == BAD
    for i in np.flatnonzero(wrong.any(axis=1) & good):
        line, row = whole[i]
        place = places[int(np.argmax(wrong[i]))]
        reason = (
            f"{header[place]} is {shorten(row[place])} "
            "(expected 0 to 13, or nothing where not known)"
        )
        reading.refuse(reading.error(f"line {line}", reason))
        good[i] = False
    boards = None
    if columns.boards:
        rows = [whole[i] for i in np.flatnonzero(good)]
        said = [[row[k] for k in columns.boards.values()] for _, row in rows]
        lines = [line for line, _ in rows]
        boards = boards_of(said, list(columns.boards), reading.name, lines)
    return DealSet(owners[good], _tricks(cells[good], list(columns.tricks.values())), boards)


def _rows(stream: BinaryIO, reading: Reading) -> Iterator[tuple[int, list[str]]]:
    """Yield (number of its first line, fields) for each non-blank row, the header first.

    Refuses an invalid row. Raises FormatError for an invalid header.
    """
    lines = read_lines(stream, reading, latin_1=True)
    begin, header = next(((n, text) for n, text in lines if text.strip()), (1, ""))
    first = begin  # line of the row being read

    def texts() -> Iterator[str]:
        nonlocal first
        yield header
        for number, text in lines:
            first = first or number
            yield text

    rows = csv.reader(texts(), delimiter=max(",;\t", key=header.count), strict=True)
    while True:
        try:
            row = next(rows, None)
        except csv.Error as error:
            reason = f"{error} (expected comma-separated values)"
            trouble = reading.error(f"line {first}", reason)
            if first == begin:
                raise trouble from None
            reading.refuse(trouble)
        else:
            if row is None:
                return
            if any(field.strip() for field in row):
                yield first, row
        first = 0


def _tricks(found: NDArray[np.uint8], cells: list[int]) -> NDArray[np.uint8]:
    """Place (n, k) counts in the k cells of (n, 5, 4) tricks that are otherwise unknown."""
    tricks = np.full((len(found), 20), UNKNOWN, dtype=np.uint8)
    tricks[:, cells] = found
    return tricks.reshape(-1, 5, 4)


def _write_csv(stream: BinaryIO, sets: Iterable[DealSet]) -> None:
    """Write deals, with the board columns if the first set has data for them.

    If only a later set has, the omission is reported.
    """
    names: tuple[str, ...] | None = None
    notices = Notices("CSV output")
    written = 0
    for deals in sets:
        boards = deals.boards or (SAYS_NOTHING,) * len(deals)
        said = [",".join(cells_of(board)) for board in boards]
        if names is None:
            names = COLUMNS if any(cells.strip(",") for cells in said) else ()
            stream.write(",".join((*names, DEAL, *TRICKS)).encode() + b"\n")
        elif not names:
            _warn_of_left_out(boards, written, notices)
        written += len(deals)
        tricks = deals.tricks_or_unknown.reshape(-1, 20).tolist()
        lines = [  # no field ever needs quoting
            f"{cells + ',' if names else ''}{text},{','.join([_TEXT[count] for count in counts])}\n"
            for cells, text, counts in zip(
                said, write_deal_texts(deals.owners), tricks, strict=True
            )
        ]
        stream.write("".join(lines).encode("ascii"))
    if names is None:
        stream.write(",".join((DEAL, *TRICKS)).encode() + b"\n")
    notices.close()


def _sniff_csv(head: bytes) -> bool:
    first = head.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
    text = first.decode("latin-1").replace("\r", "")
    delimiter = max(",;\t", key=text.count)
    if "\0" not in text and (delimiter in text or text[:1] == '"'):
        cells = [cell.strip(' "') for cell in text.split(delimiter)]
        if _without_header(cells):
            return True
    fields = [field.strip(b' \r"').decode("latin-1") for field in re.split(rb"[,;\t]", first)]
    names = set(_known_names(fields))
    return DEAL in names or set(_HANDS) <= names or set(_SUITS) <= names


# --- Parquet --------------------------------------------------------------------------------


def _pyarrow() -> Any:
    try:
        import pyarrow.compute
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise FormatError(
            'Parquet needs pyarrow; install it with: pip install "trickcast[data]"'
        ) from None
    return pyarrow


def _read_parquet(stream: BinaryIO, reading: Reading, chunk: int) -> Iterator[DealSet]:
    pa = _pyarrow()
    with on_disk(stream) as path, _damage(pa, reading):
        metadata = pa.parquet.read_metadata(path)
        _require_modest(metadata, reading, path.stat().st_size)
        schema = metadata.schema.to_arrow_schema()
        found = _places(schema.names, reading, "", hands=False)
        columns = [schema.names[place] for place in found.tricks]
        require_types(pa, schema, found.deal[0], columns, found.boards, reading)
        with pa.parquet.ParquetFile(path, read_dictionary=[DEAL]) as file:
            batches = file.iter_batches(batch_size=chunk, columns=[DEAL, *columns, *found.boards])
            yield from rechunked(_deals_of_batches(pa, batches, reading), chunk)


def _deals_of_batches(pa: Any, batches: Iterable[Any], reading: Reading) -> Iterator[DealSet]:
    first = 0
    for batch in batches:
        with reading.in_order():
            deals = _deals_of_batch(pa, batch, reading, first)
        yield deals
        first += len(batch)


def _require_modest(metadata: Any, reading: Reading, size: int) -> None:
    """Raise FormatError if a file announces more than its size can hold of real deals."""
    most = reading.limits.unpacked_from(size)
    groups = range(metadata.num_row_groups)
    unpacked = sum(metadata.row_group(i).total_byte_size for i in groups)
    for what, number, bytes_of_each in (
        ("rows", metadata.num_rows, _BYTES_OF_ROW),
        ("bytes unpacked", unpacked, 1),
    ):
        if number * bytes_of_each > most:
            reason = f"{number:,} {what} in {size:,} bytes ({raised_by('unpacked')})"
            raise reading.error("", reason)


def _deals_of_batch(pa: Any, batch: Any, reading: Reading, first: int) -> DealSet:
    column = batch.column(DEAL)
    if pa.types.is_dictionary(column.type):
        longest = pa.compute.max(pa.compute.binary_length(column.dictionary)).as_py() or 0
        if longest > reading.limits.cell:
            reason = f"a deal of {longest:,} bytes ({raised_by('cell')})"
            raise reading.error(f"row {first}", reason)
    texts = column.cast(pa.string()).to_pylist()
    rows = [i for i, text in enumerate(texts) if text is not None]
    for i in sorted(set(range(len(texts))) - set(rows)):
        reading.refuse(reading.error(f"row {first + i}", "no deal (expected PBN text)"))
    if len(rows) < len(texts):
        batch, texts = batch.take(pa.array(rows, pa.int64())), [texts[i] for i in rows]
    owners, good = read_deal_texts(texts, lambda i: f"row {first + rows[i]}", reading)
    known = [column for column in batch.schema.names if column in TRICKS]
    cells = np.full((len(batch), len(known)), UNKNOWN, dtype=np.uint8)
    for k, name in enumerate(known):
        counts = counts_of(pa, batch.column(name))
        fits = (counts >= 0) & (counts <= 13) & (counts == np.floor(counts))
        for row in np.flatnonzero(good & ~fits & ~np.isnan(counts)):
            cell = shorten(batch.column(name)[row].as_py())
            reason = f"{name} is {cell} (expected 0 to 13, or null where not known)"
            reading.refuse(reading.error(f"row {first + rows[row]}", reason))
            good[row] = False
        cells[fits, k] = counts[fits]
    boards = None
    if said := [column for column in batch.schema.names if column in COLUMNS]:
        texts_of = [batch.column(name).cast(pa.string()).to_pylist() for name in said]
        all_rows = zip(*texts_of, strict=True)
        kept = [[text or "" for text in row] for row in compress(all_rows, good)]
        boards = boards_of(kept, said, reading.name)
    tricks = _tricks(cells[good], [TRICKS.index(name) for name in known])
    return DealSet(owners[good], tricks, boards)


@contextmanager
def _damage(pa: Any, reading: Reading) -> Iterator[None]:
    """Turn pyarrow's errors for an unreadable file into a FormatError."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if getattr(error, "errno", None) is not None:
            raise  # an error of the operating system: pyarrow's have no number
        reason = shorten(str(error).partition("\n")[0], 120)[1:-1]
        raise reading.error("", f"{reason} (expected a Parquet table)") from None


def _write_parquet(stream: BinaryIO, sets: Iterable[DealSet]) -> None:
    pa = _pyarrow()
    if not stream.seekable():  # pyarrow asks for the position, which a pipe does not have
        with tempfile.TemporaryFile() as file:
            _write_parquet(file, sets)
            file.seek(0)
            shutil.copyfileobj(file, stream, 1 << 20)
        return
    coming = iter(sets)
    begun = list(islice(coming, 1))
    says = any(any(cells_of(board)) for deals in begun for board in deals.boards or ())
    names = COLUMNS if says else ()
    kinds = {"board": pa.int64(), "result": pa.uint8()}
    of_boards = [(name, kinds.get(name, pa.string())) for name in names]
    tricks = [(column, pa.uint8()) for column in TRICKS]
    schema = pa.schema([*of_boards, (DEAL, pa.string()), *tricks])
    notices, written = Notices("Parquet output"), 0
    with pa.parquet.ParquetWriter(stream, schema, compression="zstd") as writer:
        for deals in chain(begun, coming):
            boards = deals.boards or (SAYS_NOTHING,) * len(deals)
            if not names:
                _warn_of_left_out(boards, written, notices)
            written += len(deals)
            columns = [_column(pa, boards, *column) for column in of_boards]
            columns.append(pa.array(write_deal_texts(deals.owners), pa.string()))
            cells = deals.tricks_or_unknown.reshape(-1, 20)
            columns += [pa.array(cell, mask=cell == UNKNOWN) for cell in cells.T.copy()]
            writer.write_batch(pa.record_batch(columns, schema=schema))
    notices.close()


def _column(pa: Any, boards: Sequence[Board], name: str, kind: Any) -> Any:
    """Return one column of the boards' data, null if empty."""
    field, _ = _COLUMNS[name]
    values = [getattr(board, field) for board in boards]
    if pa.types.is_string(kind):
        values = [None if value is None else str(value) for value in values]
    return pa.array(values, kind)


CSV = Format(
    name="csv",
    title="CSV, a row a deal",
    suffixes=(".csv",),
    sniff=_sniff_csv,
    reader=_read_csv,
    write=_write_csv,
    fields=FIELDS,
)
PARQUET = Format(
    name="parquet",
    title="Parquet, a row a deal",
    suffixes=(".parquet",),
    sniff=lambda head: head.startswith(b"PAR1"),
    reader=_read_parquet,
    text=False,
    write=_write_parquet,
    fields=FIELDS,
)
