"""Files made to hurt: bounded in what they unpack to, linear in time, answered by a FormatError."""

import gzip
import importlib.util
import io
import sqlite3
import sys
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trickcast.cards import DealSet
from trickcast.formats import FORMATS, FormatError, FormatWarning, Limits, hand2vec, iter_deals

DEAL = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
TAG = f'[Deal "{DEAL}"]\n'
MD = "md|3SKJ95HJ65DK3CJ654,ST87632H4DA65CQ98,SAHKQ9832DT94CAKT,|"


def load_benchmark():
    path = Path(__file__).parents[1] / "benchmarks" / "hostile.py"
    spec = importlib.util.spec_from_file_location("hostile", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PATTERNS = load_benchmark().PATTERNS


def of(data: str | bytes, form: str, **options) -> DealSet:
    data = data.encode() if isinstance(data, str) else data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        return DealSet.concatenate(iter_deals(io.BytesIO(data), form, "x", **options))


def steps_of(data: bytes, form: str) -> int:
    """How many Python functions are called and lines begun: time without a clock."""
    count = 0

    def tick(*_: object):
        nonlocal count
        count += 1
        return tick

    sys.settrace(tick)
    try:
        of(data, form, skipped=[])
    except FormatError:
        pass
    finally:
        sys.settrace(None)
    return count


@pytest.mark.slow
@pytest.mark.parametrize("pattern", PATTERNS)
def test_steps_grow_no_faster_than_the_file(pattern: str) -> None:
    form, make = PATTERNS[pattern]
    small, large = make(1000), make(8000)
    steps_of(small, form)  # what is loaded late shall not be counted
    assert steps_of(large, form) < 12 * steps_of(small, form) + 1000


@pytest.mark.slow
@pytest.mark.parametrize("pattern", PATTERNS)
def test_memory_is_a_multiple_of_the_file(pattern: str) -> None:
    form, make = PATTERNS[pattern]
    data = make(8_000)
    tracemalloc.start()
    try:
        of(data, form, skipped=[])
    except FormatError as error:
        assert len(str(error)) < 700
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    a_chunk = 100_000_000  # of 65,536 deals, with their texts, which a small file may hold
    assert peak < a_chunk + 100 * len(data)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (f'{TAG}[Auction "N"]\nAP\n[Note "1:a{" " * 250_000}b"]\n', "pbn"),
        (f'{TAG}[Auction "N"]\n{"AP " * 80_000}\n', "pbn"),
        (f"{MD}mb|{'X' * 45}|", "lin"),
        (f"{MD}mb|{'RDBL' * 30}?q|", "lin"),
        (f"{MD}ah|{' ' * 250_000}x|", "lin"),
        (f"{MD}ah|Board{' ' * 250_000}x|", "lin"),
    ],
)
def test_what_held_a_reader_up(text: str, form: str) -> None:
    assert len(of(text, form)) == 1


def test_a_deal_without_its_end_holds_nobody_up() -> None:
    skipped: list[str] = []
    text = f'{TAG}\n[Deal "N:A.{" " * 250_000}\n'
    assert len(of(text, "pbn", skipped=skipped)) == 1
    assert len(skipped) == 1


@pytest.mark.parametrize(
    ("data", "form", "limit"),
    [
        (gzip.compress((b";" + b" " * 200_000 + b"\n") * 200, mtime=0), "pbn", "UNPACKED"),
        (PATTERNS["Parquet: equal rows"][1](30_000), "parquet", "UNPACKED"),
        (PATTERNS["Parquet: a long cell"][1](100_000), "parquet", "CELL"),
        (PATTERNS["SQLite: computed cells"][1](1000), "jps", "CELL"),
        (f"{TAG}{{{'x' * 300_000}}}", "pbn", "LINE"),
        (f"{MD}nt|{'x' * 400_000}", "lin", "LINE"),
        (f"{DEAL}{' ' * 70_000}\n", "text", "ROW"),
        (TAG + "; x\n" * 70_000, "pbn", "BOARD"),
        (MD + "nt|x|" * 70_000, "lin", "BOARD"),
    ],
)
def test_limits_are_named_and_can_be_raised(
    data: str | bytes, form: str, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    variable = f"TRICKCAST_LIMIT_{limit}"
    with pytest.raises(FormatError, match=rf"^x.*a larger {variable} raises the limit"):
        of(data, form)
    monkeypatch.setenv(variable, "1000000000")
    try:
        assert len(of(data, form)) >= 1
    except FormatError as error:  # what comes after is no deal, or has another limit
        assert variable not in str(error)


def test_limits_are_whole_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRICKCAST_LIMIT_LINE", "many")
    with pytest.raises(FormatError, match="TRICKCAST_LIMIT_LINE is 'many'"):
        of(TAG, "pbn")
    assert Limits(line=5).line == 5


def test_more_bad_rows_than_a_file_of_deals_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRICKCAST_LIMIT_SKIPPED", "10")
    skipped = []
    with pytest.raises(FormatError, match="10 places are not deals .a larger TRICKCAST_LIMIT_SKI"):
        of("x\n" * 100, "text", skipped=skipped)
    assert len(skipped) == 11


@pytest.mark.parametrize("kind", ["VIEW", "VIRTUAL TABLE"])
def test_a_database_is_read_from_plain_tables_alone(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    connection = sqlite3.connect(path)
    if kind == "VIEW":
        connection.execute("CREATE VIEW records AS SELECT 1, '{}'")
    else:
        connection.execute("CREATE VIRTUAL TABLE records USING fts5(a, b)")
    connection.commit()
    connection.close()
    with pytest.raises(FormatError, match=f"records is a {kind.lower()} .expected a table"):
        of(path.read_bytes(), "jps")


# --- digits, headers and other exceptions ---------------------------------------------------------


@pytest.mark.parametrize("digits", ["9" * 5000, "²", "٣", "1e3", "-1", "+1", "1_0"])
def test_numbers_that_are_none(digits: str, tmp_path: Path) -> None:
    deals = of(f'[Board "{digits}"]\n[Result "{digits}"]\n{TAG}', "pbn")
    assert deals.boards is not None
    assert deals.boards[0].number is None and deals.boards[0].result is None
    deals = of(f"qx|o{digits}|{MD}ah|Board {digits}|mc|{digits}|", "lin")
    assert deals.boards is not None
    assert deals.boards[0].number is None and deals.boards[0].result is None
    with pytest.raises(FormatError, match="x: line 1: "):
        of(f"NUMBER {digits}\n", "dds-list")
    row = f'NUMBER 1\nPBN 0 0 0 0 "{DEAL}"\nTABLE {digits}' + " 7" * 19
    with pytest.raises(FormatError, match="x: line 3: .* tricks") as raised:
        of(row, "dds-list")
    assert len(str(raised.value)) < 300


def test_thirteen_tricks_and_a_little(tmp_path: Path) -> None:
    names = [f"{seat}{strain}" for seat in "NS" for strain in ("C", "D", "H", "S", "NT")]
    north, _, south, _ = DEAL[2:].split()
    for value in ("13.0000000001", "-0.0000000001", "nan", "inf", "1" * 5000):
        path = tmp_path / "x.csv"
        numbers = ";".join([value, *["7"] * 9])
        path.write_text(f";N;S;{';'.join(names)}\n0;{north};{south};{numbers}\n")
        with pytest.raises(FormatError, match="line 2: .*expected 0 to 13") as raised:
            hand2vec.read_pairs(path)
        assert len(str(raised.value)) < 400


@pytest.mark.parametrize(
    "header",
    [
        b"{'descr': '<i4', 'fortran_order': False, 'shape': (2, 1, 4)",
        b"{'descr': '<i4', 'fortran_order': False, 'shape': (2, " + b"9" * 4400 + b", 4)}",
        b"(" * 9000,
        b"{'descr': '<i4', 'fortran_order': False, 'shape': (2, -1, 4)}",
        b"\xff" * 50,
        b"f'{1/0}'",
        b"{'descr': [('a', 'O')], 'fortran_order': False, 'shape': (2, 1, 4)}",
    ],
)
def test_headers_of_numpy_files(header: bytes) -> None:
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    with pytest.raises(FormatError, match="^x: ") as raised:
        of(data, "pgx")
    assert len(str(raised.value)) < 500 and "\n" not in str(raised.value)


def test_whatever_a_library_raises_is_a_format_error() -> None:
    form = FORMATS["text"]
    for trouble in (RecursionError("deep"), NotImplementedError("later"), OSError("no number")):

        def reader(*_: object, trouble: Exception = trouble):
            yield DealSet(np.repeat(np.arange(4, dtype=np.uint8), 13)[None])
            raise trouble

        broken = type(form)(
            name="x", title="a format", suffixes=(".x",), sniff=form.sniff, reader=reader
        )
        with pytest.raises(FormatError, match=f"x: after 1 deal: {type(trouble).__name__}"):
            list(broken.read(io.BytesIO(), "x", 1))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(FORMATS)), st.data())
def test_made_up_bytes_are_read_or_refused(name: str, data: st.DataObject) -> None:
    form, make = PATTERNS[data.draw(st.sampled_from(sorted(PATTERNS)))]
    base = bytearray(make(300))
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(base)))
        base[at : at + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
    for chosen in (name, form):
        for skipped in (None, []):
            try:
                of(bytes(base), chosen, skipped=skipped)
            except FormatError as error:
                assert len(str(error)) < 700 and "\n" not in str(error)
