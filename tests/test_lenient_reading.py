"""What is no deal is passed over and told where that is asked for; the other deals stand."""

import gzip
import io
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import format_samples as sample
import trickcast as tc
from trickcast.cards import UNKNOWN, Deal, DealSet, Seat, Skipped
from trickcast.dealing import random_deals
from trickcast.formats import FORMATS, FormatError, FormatWarning, iter_deals, read, write_stream
from trickcast.formats.board_text import numbered

DEAL = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
MD = "md|3SKJ95HJ65DK3CJ654,ST87632H4DA65CQ98,SAHKQ9832DT94CAKT,|"
TAG = f'[Deal "{DEAL}"]\n'


def of(data: str | bytes, form: str | None = None, **options) -> DealSet:
    data = data.encode() if isinstance(data, str) else data
    return DealSet.concatenate(iter_deals(io.BytesIO(data), form, "x", **options))


def leniently(data: str | bytes, form: str) -> tuple[DealSet, list[str], list[str]]:
    """The deals, what was skipped, and what was told besides."""
    skipped: list[Skipped] = []
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        deals = of(data, form, skipped=skipped)
    return deals, [str(entry) for entry in skipped], [str(note.message) for note in told]


@pytest.fixture
def minimal(shared: Path) -> Path:
    return shared / "data" / "boards" / "minimal"


# --- what was skipped ----------------------------------------------------------------------------


def test_an_empty_deal_among_others(minimal: Path) -> None:
    path = minimal / "emptydeal.pbn"
    with pytest.raises(FormatError, match="line 5: deal '': no first seat"):
        tc.read(path)
    deals = tc.read(path, on_error="skip")
    assert [deal.pbn for deal in deals] == [DEAL]
    assert len(deals.skipped) == 1
    assert deals.skipped[0].place == f"{path}: line 5"
    assert deals.skipped[0].reason.startswith("deal '': no first seat")


def test_on_error_has_two_values(minimal: Path) -> None:
    with pytest.raises(ValueError, match="on_error is 'ignore' .expected 'raise' or 'skip'"):
        tc.read(minimal / "ap.pbn", on_error="ignore")
    assert tc.read(minimal / "ap.pbn").skipped == ()


def test_a_set_is_what_it_was_whatever_was_skipped() -> None:
    plain, other = random_deals(3, seed=1), random_deals(3, seed=1)
    other.skipped = (Skipped("x: line 1", "no deal"),)
    assert plain == other and hash(plain) == hash(other) and repr(plain) == repr(other)
    assert other.with_tricks(np.full((3, 5, 4), 7)).skipped == other.skipped
    assert other[:2].skipped == ()
    assert DealSet.concatenate([other, plain, other]).skipped == other.skipped * 2
    assert str(other.skipped[0]) == "x: line 1: no deal"


def test_hands_shown_as_a_line() -> None:
    deals, skipped, _ = leniently(f'{TAG}\n[Deal "N:A.KQ9832.T94.AKT - - -"]\n\n{TAG}', "pbn")
    assert len(deals) == 2
    assert len(skipped) == 1 and "line 3" in skipped[0] and "hand is missing" in skipped[0]


def test_a_value_of_the_board_before_the_first(minimal: Path) -> None:
    path = minimal / "hash.pbn"
    with pytest.raises(FormatError, match="Scoring is '#'"):
        tc.read(path)
    with pytest.warns(FormatWarning, match="line 2: Scoring is '#', .* which has none: left out"):
        deals = tc.read(path, on_error="skip")
    assert len(deals) == 1 and deals.skipped == ()
    assert deals.boards is not None and deals.boards[0].tag("Scoring") is None


def test_bars_too_many_in_lin() -> None:
    text = f"{MD}ah|Board 4|sv|o||sk||mb|1H|mb|p|mb|p|mb|p|pg||\n"
    with pytest.raises(FormatError, match="'' is not a LIN code"):
        of(text, "lin")
    deals, skipped, told = leniently(text, "lin")
    assert skipped == [] and "'' is not a LIN code" in told[0]
    assert deals.boards is not None
    assert (deals.boards[0].number, deals.boards[0].contract) == (4, "1H")


def test_no_deal_of_lin_is_lost_behind_a_bar_too_many() -> None:
    text = f"nt|a | b|pg||{MD}ah|Board 1|nt|a|b|c|pg||pn|A,B,C,D|{MD}ah|Board 2|x|{MD}"
    deals, skipped, _ = leniently(text, "lin")
    assert len(deals) == 3 and skipped == []


def test_a_deal_tag_cut_short_is_not_taken_for_the_deal_before() -> None:
    deals, skipped, _ = leniently(f'{TAG}\n[Deal "N:AKQ\n[Contract "1C"]\n\n{TAG}', "pbn")
    assert len(deals) == 2
    assert len(skipped) == 1 and skipped[0].startswith("x: line 3: '[Deal \"N:AKQ' is not")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (f'{TAG}\n[Board "2"]\n\n[Board "3"]\n{TAG}', "line 3: board '2' has no Deal tag"),
        (f'[Board "1"]\n\n[Board "2"]\n{TAG}\n{TAG}', "line 1: board '1' has no Deal tag"),
        (f"{TAG}\n{TAG}{{ open\n", "line 4: the comment that starts here is never closed"),
        (f'{TAG}\n{TAG}[Note "{"x" * 300_000}"]', "line 4: longer than 262,144 bytes"),
    ],
)
def test_boards_around_a_bad_one_stand(text: str, place: str) -> None:
    deals, skipped, _ = leniently(text, "pbn")
    assert len(deals) == 2 and len(skipped) == 1 and skipped[0].startswith(f"x: {place}")


def test_a_comment_without_end_is_left_out_whole() -> None:
    text = f'{TAG}\n{TAG}[Auction "N"]\n1NT AP {{ the brace\n\nforgotten\n'
    with pytest.raises(FormatError, match="line 5: the comment that starts here is never closed"):
        of(text, "pbn")
    deals, skipped, _ = leniently(text, "pbn")
    assert [entry.partition(" (")[0] for entry in skipped] == [
        "x: line 5: the comment that starts here is never closed"
    ]
    assert deals.boards is not None and deals.boards[1].contract == "1N"
    out = io.BytesIO()
    write_stream([deals], out, "pbn")
    assert of(out.getvalue(), "pbn") == deals


def test_a_file_without_any_deal_is_refused_all_the_same() -> None:
    for text, form in ((f'[Deal "{DEAL[:-1]}"]\n', "pbn"), ("md|3SA|", "lin"), ("N:A\n", "text")):
        with pytest.raises(FormatError, match="x: line 1: ") as strictly:
            of(text, form)
        with pytest.raises(FormatError) as leniently_too:
            of(text, form, skipped=[])
        assert str(leniently_too.value) == str(strictly.value)


def test_a_trouble_that_ends_the_reading_is_told_with_what_is_lost() -> None:
    deals, skipped, _ = leniently(f"{MD}{MD}{'x' * 300_000}", "lin")
    assert len(deals) == 1
    assert len(skipped) == 1 and skipped[0].endswith("; the rest is not read")


def rows_of_each_format(folder: Path) -> dict[str, tuple[bytes, Callable[[bytes], bytes]]]:
    """Three deals in each format that holds rows, and how to spoil the second."""
    good = sample.jps(folder)
    return {
        "zrd": (sample.zrd(), lambda data: data[:23] + bytes(23) + data[46:]),
        "gib": (sample.gib(), lambda data: data.replace(b"98.T96", b"98.T99")),
        "gib-binary": (sample.gib_binary(), lambda data: data[:26] + bytes(26) + data[52:]),
        "csv": (sample.csv(), lambda data: data.replace(b"6543.QJ3", b"6543.QJQ")),
        "pgx": (sample.pgx(), lambda data: data[:144] + bytes(16) + data[160:]),
        "dds-list": (sample.dds_list(), lambda data: data.replace(b"6543.QJ3", b"6543.QJQ")),
        "jps": (good, lambda data: data.replace(b"6543.QJ3", b"6543.QJQ")),
    }


def test_a_bad_row_among_good_ones(tmp_path: Path) -> None:
    truth = sample.truth()
    for name, (data, spoil) in rows_of_each_format(tmp_path).items():
        assert spoil(data) != data, name
        deals, skipped, _ = leniently(spoil(data), name)
        assert len(skipped) == 1, name
        assert np.array_equal(deals.owners, truth.owners[[0, 2]]), name
        assert np.array_equal(deals.tricks, truth.tricks[[0, 2]]), name
        with pytest.raises(FormatError):
            of(spoil(data), name)


@settings(max_examples=40, deadline=None)
@given(st.sets(st.integers(0, 39)), st.integers(1, 50))
def test_whichever_records_are_bad_the_others_are_read(bad: set[int], chunk: int) -> None:
    made = random_deals(40, seed=2).with_tricks(np.full((40, 5, 4), 7))
    out = io.BytesIO()
    write_stream([made], out, "zrd")
    data = bytearray(out.getvalue())
    for record in bad:
        data[23 * record : 23 * record + 13] = bytes(13)
    good = [i for i in range(40) if i not in bad]
    if not good:
        return
    skipped: list[Skipped] = []
    deals = of(bytes(data), "zrd", chunk=chunk, skipped=skipped)
    assert np.array_equal(deals.owners, made.owners[good])
    assert [entry.place for entry in skipped] == [
        f"x: byte {23 * record} (record {record})" for record in sorted(bad)
    ]


def test_rows_are_skipped_in_the_order_of_the_file() -> None:
    bad = [DEAL[:-1] + ",1", "short", f"{DEAL},15", "\xff\1", DEAL[:-1] + ",1", "short"]
    text = "\n".join(["deal,S_N", f"{DEAL},7", *bad, f"{DEAL},7"]).encode("latin-1")
    skipped: list[Skipped] = []
    assert len(of(text, "csv", skipped=skipped)) == 2
    assert [int(entry.place.split()[2].rstrip(",")) for entry in skipped] == [3, 4, 5, 6, 7, 8]
    for first in range(len(bad)):
        rows = ["deal,S_N", *bad[first:]]
        with pytest.raises(FormatError, match="x: line 2[,:]"):
            of("\n".join(rows).encode("latin-1"), "csv")
    with pytest.raises(FormatError, match="x: line 3: deal .* 12 cards"):
        of(text + b'\n"not closed\n', "csv")


def test_quotes_of_one_row_cost_no_other() -> None:
    text = f'deal,S_N\n{DEAL},7\n"N:bad"x,7\n{DEAL},8\n"never\n\nclosed'
    deals, skipped, _ = leniently(text, "csv")
    assert deals.tricks_or_unknown[:, 0, 0].tolist() == [7, 8]
    assert [entry.partition(" (")[0] for entry in skipped] == [
        "x: line 3: ',' expected after '\"'", "x: line 5: unexpected end of data",
    ]  # fmt: skip
    with pytest.raises(FormatError, match="x: line 1: .*expected comma-separated"):
        of(f'"deal"x,S_N\n{DEAL},7\n', "csv", skipped=[])


def test_rows_of_parquet_are_skipped_in_the_order_of_the_file() -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    columns = {"deal": [DEAL, DEAL, DEAL[:-1], None, DEAL], "S_N": [7, 7, 7, 7, 14],
               "S_E": [7, 15, 7, 7, 7]}  # fmt: skip
    pq.write_table(pa.table(columns), out)
    skipped: list[Skipped] = []
    assert len(of(out.getvalue(), "parquet", skipped=skipped)) == 1
    assert [entry.place for entry in skipped] == [f"x: row {row}" for row in (1, 2, 3, 4)]
    with pytest.raises(FormatError, match="x: row 1: S_E is 15"):
        of(out.getvalue(), "parquet")


@pytest.mark.parametrize(
    ("cells", "bad"),
    [
        ([7.0, 7.5, None, float("nan"), 8.0], "7.5"),
        (["7", "x", "", None, "8.0"], "'x'"),
        ([7, 1 << 40, None, None, 8], "1099511627776"),
    ],
)
def test_a_bad_cell_of_parquet_costs_its_row(cells: list[object], bad: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.table({"deal": [DEAL] * 5, "S_N": cells}), out)
    deals, skipped, _ = leniently(out.getvalue(), "parquet")
    assert deals.tricks_or_unknown[:, 0, 0].tolist() == [7, UNKNOWN, UNKNOWN, 8]
    assert skipped == [f"x: row 1: S_N is {bad} (expected 0 to 13, or null where not known)"]


def test_what_waits_for_its_turn_has_a_limit_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRICKCAST_LIMIT_SKIPPED", "10")
    text = f"deal,S_N\n{DEAL},7\n" + "\xff\1\n" * 100
    with pytest.raises(FormatError, match="x: 10 places are not deals"):
        of(text.encode("latin-1"), "csv", skipped=[])
    with pytest.raises(FormatError, match="x: line 3, column 1"):
        of(text.encode("latin-1"), "csv")


# --- wrappings -----------------------------------------------------------------------------------


def test_lines_that_end_with_cr_alone(minimal: Path) -> None:
    deals = tc.read(minimal / "cr2.pbn")
    assert len(deals) == 2 and deals.boards is not None
    assert [board.number for board in deals.boards] == [1, 2]
    assert deals.boards[0].auction == ("1H", "PASS", "PASS", "PASS")
    assert len(tc.read(minimal / "cr.pbn")) == 2
    for data, form in ((sample.gib(), "gib"), (sample.csv(), "csv"), (sample.dds_list(), None)):
        assert np.array_equal(of(data.replace(b"\n", b"\r"), form).owners, sample.truth().owners)


def test_binary_files_may_hold_any_byte() -> None:
    made = random_deals(60, seed=3).with_tricks(np.full((60, 5, 4), 13))  # many bytes 0xdd
    for i in range(60):
        out = io.BytesIO()
        write_stream([made[i : i + 1]], out, "zrd")
        assert of(out.getvalue(), "zrd") == made[i : i + 1]


def test_utf_16(minimal: Path) -> None:
    with_mark = tc.read(minimal / "u16.pbn")
    assert with_mark == tc.read(minimal / "bom.pbn") and len(with_mark) == 2
    text = f'[West "Müller"]\n{TAG}'
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        deals = of(text.encode(encoding))
        assert deals.boards is not None and deals.boards[0].tag("West") == "Müller"
    with pytest.raises(FormatError, match="ends in the middle of a UTF-16 character"):
        of(text.encode("utf-16") + b"x")


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(["pbn", "lin", "gib", "zrd", "csv"]), st.integers(0, 1 << 30))
def test_gzip_by_suffix_and_by_content(tmp_path_factory, form: str, seed: int) -> None:
    made = random_deals(5, seed)
    if FORMATS[form].tricks:
        made = made.with_tricks(np.full((5, 5, 4), 6))
    if FORMATS[form].boards:
        made = next(numbered([made]))
    out = io.BytesIO()
    write_stream([made], out, form)
    packed = gzip.compress(out.getvalue()[:100]) + gzip.compress(out.getvalue()[100:]) + bytes(9)
    folder = tmp_path_factory.mktemp("gzip")
    for name in (f"x.{form}.gz", "nameless", f"x.{form}"):
        (folder / name).write_bytes(packed)
        assert read(folder / name) == made
    for cut in (packed[:12], packed[:-30]):
        with pytest.raises(FormatError):
            of(cut, form)


def test_what_is_called_gz_and_is_not(tmp_path: Path) -> None:
    (tmp_path / "x.pbn.gz").write_text(TAG)
    with pytest.raises(FormatError, match=r"x.pbn.gz: byte 0: not a gzip file"):
        read(tmp_path / "x.pbn.gz")
    (tmp_path / "y.pbn.gz").write_bytes(gzip.compress(b""))
    with pytest.raises(FormatError, match=r"y.pbn.gz: the file is empty"):
        read(tmp_path / "y.pbn.gz")


# --- other tables --------------------------------------------------------------------------------


def test_csv_with_a_column_for_each_hand() -> None:
    north, east, south, west = DEAL[2:].split()
    text = f"id;W;N;E;S;C_E\n1;{west};{north};{east};{south};3\n"
    assert FORMATS["csv"].sniff(text.encode()) and not FORMATS["hand2vec"].sniff(text.encode())
    with pytest.warns(FormatWarning, match="columns left out: 'id'"):
        deals = of(text)
    assert deals[0] == Deal(DEAL) and deals.tricks is not None
    assert deals.tricks[0, 3, Seat.EAST] == 3
    with pytest.raises(FormatError, match="line 2: .*SA is held by North and by East"):
        of(f"N,E,S,W\n{north},{east.replace('Q4', 'A4')},{south},{west}\n")


def test_deals_get_numbers_dealers_and_vulnerability_as_they_are_written() -> None:
    made = random_deals(17, seed=4)
    for form in ("pbn", "lin"):
        out = io.BytesIO()
        write_stream([made[:5], made[5:]], out, form)
        boards = of(out.getvalue(), form).boards
        assert boards is not None and [board.number for board in boards] == list(range(1, 18))
        assert [str(board.dealer) for board in boards[:5]] == ["N", "E", "S", "W", "N"]
        order = "none ns ew both ns ew both none ew both none ns both none ns ew none".split()
        assert [str(board.vulnerability) for board in boards] == order
    out = io.BytesIO()
    write_stream([of(f'[Dealer "S"]\n{TAG}\n{TAG}', "pbn")], out, "lin")
    boards = of(out.getvalue(), "lin").boards
    assert boards is not None and [board.number for board in boards] == [None, None]


def test_zeros_between_and_after_gzip_members_are_padding(tmp_path) -> None:
    packed = gzip.compress(
        b"N:A63.KQ987.A9732. KJ5.J2.QJ84.AK73 Q874.A64.K5.QT85 T92.T53.T6.J9642\n"
    )
    (tmp_path / "deals.txt.gz").write_bytes(packed + bytes(200_000) + packed + bytes(70_000))
    assert len(read(tmp_path / "deals.txt.gz")) == 2
