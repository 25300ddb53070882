"""Pavlicek's and Ginsberg's solved deals: .zrd, GIB text, GIB binary."""

import hashlib
import io
import json

import numpy as np
import pytest
from hypothesis import given

import format_samples as sample
from format_samples import Pipe, deal_sets, read_bytes, write_bytes
from trickcast import formats
from trickcast.cards import DealError, DealSet
from trickcast.formats import gib, zrd
from trickcast.formats.format import FormatError, FormatWarning

ALL = {
    "zrd": (zrd.FORMAT, sample.zrd()),
    "gib": (gib.TEXT, sample.gib()),
    "gib-binary": (gib.BINARY, sample.gib_binary()),
}
FORMATS = pytest.mark.parametrize(("form", "data"), ALL.values(), ids=ALL)


def solve(deals: DealSet) -> np.ndarray:
    """Tables straight from DDS, which has the strains S H D C N in front, then N E S W."""
    dds = pytest.importorskip("endplay.dds")
    types = pytest.importorskip("endplay.types")
    tables = [dds.calc_dd_table(types.Deal(deal.pbn)).to_list() for deal in deals]
    return np.array(tables, dtype=np.uint8).reshape(-1, 5, 4)


def within(deals: DealSet, strain: int) -> list[int]:
    """Percent within two, one and no tricks of 13/40 of North-South's points, South declaring."""
    points = np.array([4, 3, 2, 1] + [0] * 9)
    ours = ((deals.owners % 2 == 0) * np.tile(points, 4)).sum(axis=1)
    error = np.abs(np.rint(13 / 40 * ours) - deals.tricks[:, strain, 2])
    return [round(100 * (error <= limit).mean()) for limit in (2, 1, 0)]


@FORMATS
def test_a_sample_made_by_hand_is_read_and_written_to_the_byte(form, data):
    assert form.sniff(data)
    assert read_bytes(form, data) == sample.truth()
    assert write_bytes(form, sample.truth()) == data


def test_the_sample_is_honest():
    assert (solve(sample.truth()[:2]) == sample.truth().tricks[:2]).all()


@FORMATS
def test_chunks_keep_the_order(form, data):
    sets = list(form.read(io.BytesIO(data * 3), "sample", 2))
    assert [len(part) for part in sets] == [2, 2, 2, 2, 1]
    assert DealSet.concatenate(sets) == DealSet.concatenate([sample.truth()] * 3)


@FORMATS
def test_a_pipe_is_read_and_written(form, data):
    assert DealSet.concatenate(form.read(Pipe(data), "pipe", 2)) == sample.truth()
    pipe = Pipe()
    form.write(pipe, [sample.truth()[:1], sample.truth()[1:]])
    assert pipe.data == data


@given(deals=deal_sets())
def test_round_trip_of_solved_deals(deals):
    for form, _ in ALL.values():
        assert read_bytes(form, write_bytes(form, deals)) == deals
    assert (zrd.decode(zrd.encode(deals.owners, deals.tricks))[1] == deals.tricks).all()


@given(deals=deal_sets(unknown=True))
def test_round_trip_of_unknown_results(deals):
    data = write_bytes(gib.TEXT, deals)
    assert read_bytes(gib.TEXT, data) == deals
    assert write_bytes(gib.TEXT, read_bytes(gib.TEXT, data)) == data


@pytest.mark.parametrize("name", ["zrd", "gib-binary"])
def test_records_hold_solved_deals_only(name):
    form, _ = ALL[name]
    tricks = np.array(sample.truth().tricks)
    tricks[1, 4, 2] = 255
    with pytest.raises(FormatError, match=r"deal 5: the result of N by S is not known.*solve them"):
        write_bytes(form, sample.truth(), sample.truth().with_tricks(tricks))
    with pytest.raises(FormatError, match="deal 1: .*solve them first"):
        write_bytes(form, sample.truth().with_tricks(None))


def test_encode_refuses_what_is_no_deal():
    deals = sample.truth()
    with pytest.raises(DealError, match="deal 0 of 3: .* holds"):
        zrd.encode(np.zeros((3, 52), np.uint8), deals.tricks)
    with pytest.raises(DealError, match=r"tricks of shape \(3, 4, 5\)"):
        zrd.encode(deals.owners, deals.tricks.transpose(0, 2, 1))
    with pytest.raises(DealError, match="int64 owners"):
        zrd.encode(deals.owners.astype(np.int64), deals.tricks)
    with pytest.raises(FormatError, match="deal 8: the result of S by N is 14"):
        zrd.encode(deals.owners, np.full_like(deals.tricks, 14), first=7)


# --- files as they should not be ---------------------------------------------------------------


@FORMATS
def test_an_empty_file_is_named(form, data):
    with pytest.raises(FormatError, match="sample: .*empty"):
        read_bytes(form, b"")
    assert not form.sniff(b"")


@FORMATS
def test_other_files_are_not_taken_for_it(form, data):
    others = [bytes(range(256)) * 8, b"\0" * 512, b'[Event ""]\n' * 60, b"N:AKQJ.T98 " * 40]
    assert not any(form.sniff(other) for other in others)
    assert not any(form.sniff(other) for f, other in ALL.values() if f is not form)


@pytest.mark.parametrize(("name", "record"), [("zrd", 23), ("gib-binary", 26)])
def test_a_cut_record_is_an_error_after_the_deals_before_it(name, record):
    form, data = ALL[name]
    reading = form.read(io.BytesIO(data[:-1]), "sample", 100)
    assert next(reading) == sample.truth()[:2]
    place = rf"sample: byte {2 * record} \(record 2\): only {record - 1} bytes left"
    with pytest.raises(FormatError, match=place):
        next(reading)


def test_zrd_errors_name_byte_and_record():
    data = sample.zrd()
    with pytest.raises(FormatError, match=r"sample: byte 23 \(record 1\): .* cards \(expected 13"):
        read_bytes(zrd.FORMAT, data[:23] + b"\xff" + data[24:])
    bad_result = data[:44] + b"\xe0" + data[45:]
    for chunk in (1, 3):  # the place counts from the beginning of the file, not of the chunk
        with pytest.raises(FormatError, match=r"sample: byte 44 \(record 1\): 14 tricks"):
            read_bytes(zrd.FORMAT, bad_result, chunk)
    with pytest.raises(FormatError, match=r"shard: byte 253 \(record 11\): only 1 byte left"):
        zrd.decode(data[:24], "shard", first=10)


def test_gib_binary_errors_name_byte_and_record():
    data = sample.gib_binary()
    with pytest.raises(FormatError, match=r"sample: byte 26 \(record 1\): .* cards \(expected 13"):
        read_bytes(gib.BINARY, data[:26] + b"\0\0" + data[28:])
    with pytest.raises(FormatError, match=r"record 1\): the word 0x.* is not a suit"):
        read_bytes(gib.BINARY, data[:29] + b"\xff" + data[30:])
    with pytest.raises(FormatError, match=r"record 2\): 15 tricks"):
        read_bytes(gib.BINARY, data[:-1] + b"\xff", 1)


def test_gib_binary_in_the_other_byte_order_is_read_with_a_warning():
    data = sample.gib_binary(">")
    assert gib.BINARY.sniff(data)
    with pytest.warns(FormatWarning, match="sample: read as big endian"):
        assert read_bytes(gib.BINARY, data, 2) == sample.truth()


# --- GIB text as found in the wild -----------------------------------------------------------


def test_gib_lines_may_differ_where_their_meaning_does_not():
    lines = sample.gib().decode().splitlines()
    for text in (
        "\r\n".join(lines),  # Windows, and no last line ending
        "\n\n" + "\n \n".join(lines) + "\n\n",
        "\ufeff" + "\n".join(f"{line}  " for line in lines),
        "\n".join(lines).lower(),
        "\n".join(lines).replace("T", "10").replace(" ", "   "),
    ):
        assert read_bytes(gib.TEXT, text.encode()) == sample.truth()
    assert gib.TEXT.sniff(b"\n" + sample.gib().lower())
    assert gib.TEXT.sniff(sample.gib().replace(b"\n", b"\r\n"))


def test_gib_results_may_be_missing():
    first, second, third = sample.gib().splitlines()
    for end in (b"", b":", b"  ", b":" + b" " * 20, b":" + b"-" * 20):
        text = first + b"\n" + second[:67] + end + b"\n" + third
        tricks = np.array(sample.truth().tricks)
        tricks[1] = 255
        assert read_bytes(gib.TEXT, text) == sample.truth().with_tricks(tricks)
        assert read_bytes(gib.TEXT, second[:67] + end).tricks is None
    one = read_bytes(gib.TEXT, second[:68] + b"-" + second[69:])  # notrump, South on lead
    assert np.argwhere(one.tricks == 255).tolist() == [[0, 4, 1]]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b":6", b":G", r"line 2, column 69: 'G' is not a result"),
        (b":6", b":E", r"line 2, column 69: 'E' is not a result"),
        (b":6", b":\xc3\xa9", r"line 2, column 69: 'é' is not a result"),
        (b":6", b":", r"line 2, column 69: 19 results"),
        (b":6", b"6", r"line 2: .*South's hand .*C6 appears twice"),
        (b"QJ3", b"QJQ", r"line 2: .* HQ appears twice"),
        (b"QJ3", b"QJ2", r"line 2: .* H2 is held by"),
        (b"QJ3", b"QJ", r"line 2: .*12 cards"),
        (b" 6543", b"", r"line 2: .*1 hand \(expected 4"),
        (b"QJ3", b"QX3", r"line 2: .*'X' at position 7 stands for any small card"),
        (b"QJ3", b"Q\xff3", r"line 2, column 24: byte 0xff \(expected text"),
        (b"QJ3", b"Q" * 70000, r"line 2: longer than"),
    ],
)
def test_gib_errors_name_the_line(old, new, message):
    first, second, third = sample.gib().splitlines(keepends=True)
    assert second.count(old) == 1
    data = first + second.replace(old, new) + third
    for chunk in (1, 1000):
        with pytest.raises(FormatError, match=f"^sample: {message}"):
            read_bytes(gib.TEXT, data, chunk)


def test_a_file_of_one_endless_line_is_refused_early():
    stream = Pipe(b"A" * 300_000)
    with pytest.raises(FormatError, match="line 1: longer than"):
        list(gib.TEXT.read(io.BufferedReader(stream), "sample", 100))
    assert len(stream.data) > 200_000


# --- outside truth ---------------------------------------------------------------------------


def test_the_first_record_of_pavlicek():
    """His first deal has AS, KS, QS, JS with E, W, S, N: the codes 10 00 11 01, lowest first."""
    any_table = dict.fromkeys("SHDCN", (7, 7, 6, 6))
    data = sample.zrd([sample.PAVLICEK], [any_table])
    assert data[0] == 0b01_11_00_10
    deals = read_bytes(zrd.FORMAT, data)
    assert deals[0].pbn == f"N:{sample.PAVLICEK}"
    assert write_bytes(zrd.FORMAT, deals) == data


def test_all_solved_shards(shared):
    folder = shared / "data" / "solved"
    manifest = json.loads((folder / "manifest.json").read_text())
    sets = []
    for shard in manifest["shards"]:
        data = (folder / shard["file"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == shard["sha256"]
        sets.append(read_bytes(zrd.FORMAT, data, 1000))
        assert len(sets[-1]) == shard["deals"]
        assert write_bytes(zrd.FORMAT, sets[-1]) == data
    everything = DealSet.concatenate(sets)
    assert len(everything) == manifest["deals"]
    assert (solve(everything[:2]) == everything.tricks[:2]).all()


def test_all_of_the_gib_file(shared):
    data = (shared / "data" / "gib" / "gib-10000.txt").read_bytes()
    deals = read_bytes(gib.TEXT, data, 3000)
    assert len(deals) == 10_000
    assert write_bytes(gib.TEXT, deals) == data
    assert read_bytes(gib.BINARY, write_bytes(gib.BINARY, deals)) == deals
    assert read_bytes(zrd.FORMAT, write_bytes(zrd.FORMAT, deals)) == deals
    ten = read_bytes(gib.TEXT, (shared / "data" / "gib" / "sol10.txt").read_bytes())
    assert ten == deals[:10]
    assert (solve(deals[-2:]) == deals[-2:].tricks).all()
    assert within(deals, 4) == [86, 61, 22]  # printed in 2004 for all deals, West on lead
    assert np.abs(np.array(within(deals, 0)) - [75, 48, 16]).max() <= 1


# --- through the registry --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("zrd", "a.zrd"),
        ("zrd", "a"),
        ("gib", "a.txt"),
        ("gib", "a.gib"),
        ("gib_binary", "a.dat"),
        ("csv", "a.csv"),
        ("parquet", "a.parquet"),
        ("jps", "a.db"),
        ("pgx", "a.npy"),
        ("dds_list", "a.txt"),
    ],
)
def test_files_are_recognised(tmp_path, name, file):
    make = getattr(sample, name)
    data = make(tmp_path) if name == "jps" else make()
    path = tmp_path / file
    path.write_bytes(data)
    deals = formats.read(path)
    assert np.array_equal(deals.owners, sample.truth().owners)
    assert np.array_equal(deals.tricks, sample.truth().tricks)


def test_a_type_that_numpy_is_about_to_forget_is_refused_without_a_warning(tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, np.zeros((2, 3, 4), "S4"))
    path.write_bytes(path.read_bytes().replace(b"'|S4'", b"'|a4'"))  # pytest makes warnings errors
    with pytest.raises(FormatError, match=r"a\.npy: .*\|S4"):
        formats.read(path)


def test_pairs_of_hands_are_recognised(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(sample.hand2vec())
    with pytest.raises(FormatError, match=r"a\.csv: .*read_pairs"):
        formats.read(path)
