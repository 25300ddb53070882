"""CSV, Parquet, JPS, pgx, DDS lists and BridgeHand2Vec."""

import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import format_samples as sample
from format_samples import Pipe, deal_sets, read_bytes, write_bytes
from trickcast.cards import TRICK_COLUMNS, Board, DealSet, Seat, Vulnerability
from trickcast.formats import (
    csv_parquet,
    ddslist,
    hand2vec,
    iter_deals,
    jps,
    pgx,
    read,
    write_stream,
)
from trickcast.formats.csv_parquet import CSV, PARQUET
from trickcast.formats.format import FormatError, FormatWarning

WRITABLE = pytest.mark.parametrize("form", [CSV, PARQUET], ids=["csv", "parquet"])


@pytest.fixture(scope="module")
def samples(tmp_path_factory) -> dict[str, tuple[object, bytes]]:
    folder = tmp_path_factory.mktemp("samples")
    return {
        "csv": (CSV, sample.csv()),
        "parquet": (PARQUET, sample.parquet()),
        "jps": (jps.FORMAT, sample.jps(folder)),
        "pgx": (pgx.FORMAT, sample.pgx()),
        "dds-list": (ddslist.FORMAT, sample.dds_list()),
    }


NAMES = pytest.mark.parametrize("name", ["csv", "parquet", "jps", "pgx", "dds-list"])


@NAMES
def test_a_sample_made_by_hand_is_read(samples, name, tmp_path):
    form, data = samples[name]
    assert form.name == name
    assert form.sniff(data[:4096])
    deals = read_bytes(form, data)
    assert np.array_equal(deals.owners, sample.truth().owners)
    assert np.array_equal(deals.tricks, sample.truth().tricks)
    path = tmp_path / "sample # 1"  # a file of its own, with a name that a URI must quote
    path.write_bytes(data)
    with path.open("rb") as stream:
        assert DealSet.concatenate(form.read(stream, "sample", 100)) == deals
    assert path.read_bytes() == data


@NAMES
def test_chunks_and_pipes(samples, name):
    form, data = samples[name]
    sets = list(form.read(io.BufferedReader(Pipe(data)), "pipe", 2))
    assert [len(part) for part in sets] == [2, 1]
    assert DealSet.concatenate(sets) == read_bytes(form, data)


@NAMES
def test_empty_files_and_rubbish_are_named(samples, name):
    form, _ = samples[name]
    for rubbish in (b"", b"\0" * 100, bytes(range(256)) * 40, b'[Event ""]\n' * 9):
        assert not form.sniff(rubbish)
        with pytest.raises(FormatError, match="^sample: "):
            read_bytes(form, rubbish)
    for other, (_, data) in samples.items():
        assert other == name or not form.sniff(data)


@NAMES
def test_a_file_cut_short_is_an_error(samples, name):
    form, data = samples[name]
    with pytest.raises(FormatError, match="^sample: "):
        read_bytes(form, data[: len(data) * 2 // 3])


# --- CSV and Parquet --------------------------------------------------------------------------


@given(deals=deal_sets(unknown=True))
def test_round_trips(deals):
    for form in (CSV, PARQUET):
        assert read_bytes(form, write_bytes(form, deals[:1], deals[1:])) == deals


@WRITABLE
def test_what_is_written(form):
    assert write_bytes(CSV, sample.truth()) == sample.csv()
    pipe = Pipe()
    form.write(pipe, [sample.truth()])
    assert read_bytes(form, pipe.data) == sample.truth()
    assert len(read_bytes(form, write_bytes(form))) == 0


def test_parquet_cells_are_small_integers_with_nulls():
    import pyarrow.parquet as pq

    tricks = np.array(sample.truth().tricks)
    tricks[1, 0, 0] = 255
    data = write_bytes(PARQUET, sample.truth().with_tricks(tricks))
    written = pq.read_table(io.BytesIO(data))
    assert written.schema.names == ["deal", *TRICK_COLUMNS]
    assert written["S_N"].to_pylist() == [7, None, 5]
    assert str(written.schema.field("N_W").type) == "uint8"


def test_csv_in_other_hands():
    truth, lines = sample.truth(), sample.csv().decode().splitlines()
    swapped = [",".join(reversed(line.split(","))) for line in lines]
    for text in (
        "\r\n".join(lines),
        "\ufeff\n" + "\n\n".join(lines).replace(",", ";"),
        "\n".join(lines).replace(",", "\t"),
        "\n".join(swapped),
        "\n".join(",".join(f'"{field}"' for field in line.split(",")) for line in lines),
        "\n".join([lines[0], *(line.replace(",6", ", 6.0") for line in lines[1:])]),
        "\n".join([lines[0], *(line.lower() for line in lines[1:])]),
    ):
        assert read_bytes(CSV, text.encode()) == truth
    from_west = [f"W:{' '.join((deal.split() * 2)[3:7])}" for deal in sample.DEALS]
    assert read_bytes(CSV, "\n".join(["deal", *from_west]).encode()) == truth.with_tricks(None)
    with pytest.warns(FormatWarning, match="line 1: columns left out: 'comment'"):
        data = b"deal,comment\nN:" + sample.DEALS[0].encode() + b",nice\n"
        assert read_bytes(CSV, data) == truth[:1].with_tricks(None)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("QJ3", "QJQ", "line 3: .*HQ appears twice"),
        (",5,7", ",5,14", "line 3: S_E is '14' .expected 0 to 13"),
        (",5,7", ",5,7.5", "line 3: S_E is '7.5'"),
        (",5,7", ",5", "line 3: 20 fields .expected 21"),
        ("N:6543", '"N:6543', "line 3: .*expected comma-separated"),
        ("N:6543", "\0N:6543", "line 3: "),
    ],
)
def test_csv_errors_name_the_line(old, new, message):
    lines = sample.csv().decode().splitlines(keepends=True)
    lines[2] = lines[2].replace(old, new, 1)
    for chunk in (1, 100):
        with pytest.raises(FormatError, match=f"^sample: {message}"):
            read_bytes(CSV, "".join(lines).encode(), chunk)


def test_csv_needs_its_columns_once():
    with pytest.raises(FormatError, match="line 1: no column 'deal' among 'a, b'"):
        read_bytes(CSV, b"a,b\n1,2\n")
    with pytest.raises(FormatError, match="line 1: two columns 'S_N'"):
        read_bytes(CSV, b"deal,S_N,S_N\n")
    with pytest.raises(FormatError, match="line 1: two columns 'board'"):
        read_bytes(CSV, b"board,board,deal\n")


def test_columns_of_boards_as_pandas_writes_them():
    said = f"5.0,nan,NA,4H,N,9.0,N:{sample.DEALS[0]}"
    data = f"board,dealer,vulnerable,contract,declarer,result,deal\n{said}\n".encode()
    boards = read_bytes(CSV, data).boards  # without a warning
    assert boards == (Board(number=5, contract="4H", declarer=Seat.NORTH, result=9),)
    with pytest.warns(FormatWarning, match="line 2: board is left out: '5.5' is not a number"):
        read_bytes(CSV, data.replace(b"5.0", b"5.5"))


def test_parquet_keeps_what_is_said_of_boards(tmp_path):
    pandas = pytest.importorskip("pandas")
    path, deals = tmp_path / "x.parquet", sample.truth()
    boards = [Board(number=7, dealer="S", vulnerability="both", contract="4HX", declarer="N",
                    result=9), Board(), Board(number=8)]  # fmt: skip
    said = DealSet(deals.owners, deals.tricks, boards)
    write_stream([said[:1], said[1:]], path)
    assert read(path) == said and [len(part) for part in iter_deals(path, chunk=2)] == [2, 1]
    table = pandas.read_parquet(path)
    assert list(table.columns[:7]) == [*csv_parquet.COLUMNS, "deal"]
    table = table.astype({"dealer": "category", "board": "float64"})  # as others may have them
    table.to_parquet(tmp_path / "y.parquet")
    assert read(tmp_path / "y.parquet") == said
    table.assign(result=[[1]] * 3).to_parquet(tmp_path / "y.parquet")
    with pytest.raises(FormatError, match="column result is of the type .*expected text or num"):
        read(tmp_path / "y.parquet")


@WRITABLE
def test_boards_that_come_when_the_columns_are_written_are_told(tmp_path, form):
    deals = sample.truth()
    boards = [Board(), Board(number=5), Board(number=6)]
    with pytest.warns(FormatWarning) as told:
        write_stream([deals[:2], DealSet(deals.owners, None, boards)], tmp_path / f"x.{form.name}")
    title = {"csv": "CSV", "parquet": "Parquet"}[form.name]
    columns = ", ".join(csv_parquet.COLUMNS)
    assert [str(warning.message) for warning in told] == [
        f"{title} output: board 5: the columns {columns} are left out, because they are empty "
        "for the first deals",
        f"{title} output: 1 more like this: boards whose columns are left out",
    ]
    assert len(read(tmp_path / f"x.{form.name}")) == 5


def test_csv_in_latin_1():
    data = f"deal,club\nN:{sample.DEALS[0]},Caf\xe9\n".encode("latin-1")
    with (
        pytest.warns(FormatWarning, match="columns left out: 'club'"),
        pytest.warns(FormatWarning, match="line 2: byte 0xe9 is not UTF-8"),
    ):
        assert read_bytes(CSV, data) == sample.truth()[:1].with_tricks(None)


def test_parquet_of_other_makers():
    import pyarrow as pa
    import pyarrow.parquet as pq

    def data(**columns) -> bytes:
        file = io.BytesIO()
        pq.write_table(pa.table(columns), file)
        return file.getvalue()

    deals = [f"N:{deal}" for deal in sample.DEALS]
    tricks = np.full((3, 5, 4), 255, np.uint8)
    tricks[:2, 3, 1] = (7, 8)
    floats = read_bytes(PARQUET, data(C_E=[7.0, 8.0, None], deal=deals))
    assert floats == sample.truth().with_tricks(tricks)
    for columns, message in (
        ({"deal": deals, "C_E": [7, 14, 1]}, "row 1: C_E is 14"),
        ({"deal": deals, "C_E": [7, -1, 1]}, "row 1: C_E is -1"),
        ({"deal": deals, "C_E": [7, 255, 1]}, "row 1: C_E is 255"),
        ({"deal": deals, "C_E": [7, 6.5, 1]}, "row 1: C_E is 6.5"),
        ({"deal": deals, "C_E": [True, False, None]}, "column C_E is of the type 'bool' .expected"),
        ({"deal": [{"deal": deal} for deal in deals]}, "column deal is of the type 'struct<"),
        ({"deal": [deals[0], None]}, "row 1: no deal"),
        ({"deal": [deals[0], deals[0][:-1]]}, "row 1: .*12 cards"),
        ({"S_N": [1]}, "no column 'deal'"),
    ):
        with pytest.raises(FormatError, match=f"^sample: .*{message}"):
            read_bytes(PARQUET, data(**columns), 1 if "row" in message else 100)


@WRITABLE
def test_without_pyarrow(form, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    if form is CSV:
        assert read_bytes(form, write_bytes(form, sample.truth())) == sample.truth()
        return
    for use in (lambda: read_bytes(form, b"PAR1"), lambda: write_bytes(form, sample.truth())):
        with pytest.raises(FormatError, match=r'pip install "trickcast\[data\]"'):
            use()


def test_an_operating_systems_error_stays_one():
    assert CSV.write is not None
    with Path("/dev/full").open("wb", buffering=0) as full, pytest.raises(OSError, match="space"):
        CSV.write(full, [sample.truth()])


# --- JPS --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("{", "Expecting"),
        ("[1]", "no text under 'pbn'"),
        ('{"pbn": 3}', "no text under 'pbn'"),
        ('{"pbn": "N:x", "ddt": []}', "expected a PBN Deal tag"),
        ('{"pbn": "[Deal \\"N:x\\"]", "ddt": [1, 2]}', r"'ddt' is '\[1, 2\]'"),
        (json.dumps({"pbn": '[Deal "N:x"]', "ddt": [14] * 20}), "expected 20 counts"),
        (json.dumps({"pbn": '[Deal "N:x"]', "ddt": [7] * 20}), "1 hand"),
        (None, "expected a JSON text"),
    ],
)
def test_jps_errors_name_the_record(tmp_path, record, message):
    good = json.dumps({"pbn": f'[Deal "N:{sample.DEALS[0]}"]', "ddt": [7] * 20})
    data = sample.jps(tmp_path, [good, good, record])
    with pytest.raises(FormatError, match=rf"^sample: record 2 \(number 2\): .*{message}"):
        read_bytes(jps.FORMAT, data, 2)


def test_jps_without_its_table(tmp_path):
    data = sample.jps(tmp_path).replace(b"records", b"recordz")
    with pytest.raises(FormatError, match=r"sample: no such table: records \(expected an SQLite"):
        read_bytes(jps.FORMAT, data)


# --- pgx --------------------------------------------------------------------------------------


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def test_pgx_in_other_layouts():
    numbers = sample.pgx_numbers()
    for array in (numbers.astype(">i4"), np.asfortranarray(numbers), numbers.astype(np.int64)):
        assert read_bytes(pgx.FORMAT, npy(array), 2) == sample.truth()
    assert len(read_bytes(pgx.FORMAT, npy(numbers[:, :0]))) == 0


@pytest.mark.parametrize(
    ("place", "number", "message"),
    [
        ((0, 1, 2), 0, r"record 1: .* cards \(expected 13"),
        ((0, 1, 2), -1, "record 1: -1 for diamonds"),
        ((0, 1, 2), 1 << 26, "record 1: 67108864 for diamonds"),
        ((1, 2, 3), 0x70E77, "record 2: 0x70e77 for declarer West"),
        ((1, 2, 3), -1, "record 2: -0x1 for declarer West"),
        ((1, 0, 0), 1 << 20, "record 0: 0x100000 for declarer North"),
    ],
)
def test_pgx_errors_name_the_record(place, number, message):
    numbers = sample.pgx_numbers()
    numbers[place] = number
    for chunk in (1, 100):
        with pytest.raises(FormatError, match=f"^sample: {message}"):
            read_bytes(pgx.FORMAT, npy(numbers), chunk)


def test_pgx_takes_no_other_array():
    numbers = sample.pgx_numbers()
    others = (numbers[0], numbers[:1], numbers.transpose(0, 2, 1), numbers.astype(float))
    for other in others:
        with pytest.raises(FormatError, match=r"array of shape .*\(expected int32 of shape \(2, n"):
            read_bytes(pgx.FORMAT, npy(other))
    pickled = io.BytesIO()
    np.save(pickled, np.array([[[{}] * 4], [[{}] * 4]]), allow_pickle=True)
    with pytest.raises(FormatError, match="array of Python objects"):
        read_bytes(pgx.FORMAT, pickled.getvalue())
    with pytest.raises(FormatError, match="223 bytes of an array of 224"):
        read_bytes(pgx.FORMAT, sample.pgx()[:-1])
    with pytest.raises(FormatError, match=r"version 3.0"):
        read_bytes(pgx.FORMAT, sample.pgx().replace(b"NUMPY\x01", b"NUMPY\x03"))


# --- DDS lists --------------------------------------------------------------------------------


def test_dds_list_boards():
    deals = read_bytes(ddslist.FORMAT, sample.dds_list())
    vulnerable = (Vulnerability.NONE, Vulnerability.BOTH, Vulnerability.NS)
    plays = ((), ("SA",), ("SA", "S5"))
    assert deals.boards == tuple(
        Board(number=i + 1, dealer=Seat(i), vulnerability=vulnerable[i], play=plays[i])
        for i in range(3)
    )


def test_dds_list_without_a_table():
    lines = sample.dds_list().splitlines(keepends=True)
    lines = [line for i, line in enumerate(lines) if not (line.startswith(b"TABLE") and i < 9)]
    tricks = np.array(sample.truth().tricks)
    tricks[0] = 255
    assert np.array_equal(read_bytes(ddslist.FORMAT, b"".join(lines)).tricks, tricks)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("NUMBER 3", "NUMBER 4", "line 22: the file ends after 3 deals .expected 4"),
        ("NUMBER 3", "NUMBER x", "line 1: .*expected NUMBER"),
        ("NUMBER 3", "NUMBER 3\nTABLE 1", "line 2: TABLE before the first deal"),
        ("PBN 1 1 4 2", "PBN 1 4 4 2", "line 9: .*expected PBN, codes"),
        ("QJ3", "QJQ", "line 9: .*HQ appears twice"),
        ("TABLE 5 7", "TABLE 5 14", "line 11: '14' tricks"),
        ("TABLE 5 7", "TABLE 5", "line 11: 19 results"),
        ("TABLE 5 7", "TALBE 5 7", "line 11: .*expected a line with PBN, FUT, TABLE"),
        ('PLAY 1 "SA"', 'PLAY 2 "SA"', "line 14: .*expected PLAY, the number of cards"),
        ('PLAY 1 "SA"', 'PLAY 1 "SX"', "line 14: 'SX' is not a card"),
    ],
)
def test_dds_list_errors_name_the_line(old, new, message):
    text = sample.dds_list().decode()
    assert old in text
    for chunk in (1, 100):
        with pytest.raises(FormatError, match=f"^sample: {message}"):
            read_bytes(ddslist.FORMAT, text.replace(old, new, 1).encode(), chunk)


@pytest.mark.parametrize(
    ("file", "n"), [("list1", 1), ("list10", 10), ("list100", 100), ("largest", 21)]
)
def test_all_dds_files(shared, file, n):
    data = (shared / "data" / "dds" / f"{file}.txt").read_bytes()
    deals = read_bytes(ddslist.FORMAT, data, 7)
    assert len(deals) == n
    assert (deals.tricks <= 13).all()
    for text, board in zip(data.split(b"PBN")[1:], deals.boards, strict=True):
        dealer, vulnerable = text.split()[:2]
        code = {"none": 0, "both": 1, "ns": 2, "ew": 3}[str(board.vulnerability)]
        assert (int(dealer), int(vulnerable)) == (board.dealer, code)
        assert text.split(b"PLAY ")[1].split()[0] == str(len(board.play)).encode()
    if file == "largest":  # the deal whose par is 3H doubled, one down
        assert deals[0]["N"].lengths == (2, 3, 4, 4)
        assert deals.tricks[0, 0].tolist() == [5, 8, 5, 8]


# --- BridgeHand2Vec ---------------------------------------------------------------------------


def write_pairs(folder: Path, data: bytes) -> Path:
    path = folder / "pairs.csv"
    path.write_bytes(data)
    return path


def test_pairs(tmp_path):
    pairs = hand2vec.read_pairs(write_pairs(tmp_path, sample.hand2vec()))
    truth = sample.truth()
    assert len(pairs) == 3
    assert np.array_equal(pairs.norths, truth.owners == 0)
    assert np.array_equal(pairs.souths, truth.owners == 2)
    assert pairs.tricks.dtype == np.float32
    assert pairs.tricks.shape == (3, 5, 2)  # columns 0-4 are N's C D H S NT, 5-9 S's
    expected = [[3, 8], [2, 7], [1, 6], [0, 5], [4, 9]]
    assert np.allclose(pairs.tricks - np.arange(3)[:, None, None] / 10, expected)


def test_pairs_are_no_deals():
    assert hand2vec.FORMAT.sniff(sample.hand2vec())
    assert not hand2vec.FORMAT.sniff(sample.csv())
    assert not CSV.sniff(sample.hand2vec())
    with pytest.raises(FormatError, match=r"^sample: .*two hands, not deals; .*read_pairs"):
        read_bytes(hand2vec.FORMAT, sample.hand2vec())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b";NC", b";XC", "line 1: no column 'NC'"),
        (b"QJ3", b"QJQ", "line 3: North's hand .*HQ appears twice"),
        (b"8542.3", b"854.3", "line 3: South's hand .*12 cards"),
        (b"8542.3", b"854J.3", "line 3: the two hands hold the same card"),
        (b";0.1", b";x", "line 3: 'x' tricks"),
        (b";0.1", b";nan", "line 3: 'nan' tricks"),
        (b";0.1", b";13.1", "line 3: '13.1' tricks"),
        (b";0.1", b"", "line 3: 12 fields"),
    ],
)
def test_pair_errors_name_the_line(tmp_path, old, new, message):
    data = sample.hand2vec()
    assert old in data
    with pytest.raises(FormatError, match=f"pairs.csv: {message}"):
        hand2vec.read_pairs(write_pairs(tmp_path, data.replace(old, new, 1)))
    with pytest.raises(FormatError, match="line 1: no column"):
        hand2vec.read_pairs(write_pairs(tmp_path, b""))


@pytest.mark.parametrize("file", ["train", "validation"])
def test_all_bridgehand2vec_rows(shared, file):
    path = shared / "data" / "bridgehand2vec" / f"{file}-50000.csv"
    pairs = hand2vec.read_pairs(path)
    assert len(pairs) == 50_000
    fields = path.read_text().splitlines()[-1].split(";")
    assert pairs.tricks[-1].T[:, [3, 2, 1, 0, 4]].ravel().tolist() == [
        pytest.approx(float(field)) for field in fields[3:]
    ]
    # the more of a suit, the more tricks: strains would not fit their suits in another order
    lengths = (pairs.norths | pairs.souths).reshape(-1, 4, 13).sum(axis=2)
    ours = pairs.tricks[:, :4].mean(axis=2)
    correlation = np.corrcoef(np.c_[lengths, ours], rowvar=False)[:4, 4:]
    assert (correlation.argmax(axis=1) == range(4)).all()
    assert (correlation.argmax(axis=0) == range(4)).all()
