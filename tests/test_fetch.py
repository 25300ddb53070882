"""Fetching solved deals, from servers on this machine that are laid out as the real host is."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pgx_host import Host, as_pgx
from trickcast.cards import DealSet
from trickcast.library import Library, LibraryError, append, fetch, verify

SOLVED = Path(__file__).parents[1] / "data" / "library"
pytestmark = pytest.mark.filterwarnings(
    # the server here drops connections; its threads' sockets are collected when they please
    "ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning",
    "ignore:unclosed <socket:ResourceWarning",
)
DEALS = 9_000
"""Of which a library has three shards, the last one short."""


@pytest.fixture(scope="module")
def solved() -> DealSet:
    library = Library(SOLVED)
    shards = [library.read(shard) for shard in library.shards[:3]]
    return DealSet.concatenate(shards)[:DEALS]


@pytest.fixture
def host(solved: DealSet) -> Iterator[Host]:
    with Host(as_pgx(solved)) as server:
        yield server


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def get(folder: Path, host: Host, deals: int = DEALS, sample: int = 4) -> int:
    return fetch.fetch_pgx(folder, deals, sample=sample, host=host.address)


@pytest.mark.solver
def test_the_deals_and_tables_are_those_of_the_file(
    tmp_path: Path, host: Host, solved: DealSet
) -> None:
    assert get(tmp_path, host) == DEALS
    library = Library(tmp_path)
    assert library.deals("train") == solved
    assert {shard.source for shard in library.shards} == {
        'sotetsuk/dds_dataset, dds_results_500K.npy, Apache-2.0, "one"'
    }
    assert verify(library, sample=1).problems == ()
    assert host.asked == 3, "the header, the cards, the tables"


@pytest.mark.solver
def test_ten_cut_connections_change_no_byte(tmp_path: Path, host: Host) -> None:
    get(tmp_path / "plain", host)
    host.faults = ["cut"] * 10
    get(tmp_path / "cut", host)
    assert not host.faults and files(tmp_path / "cut") == files(tmp_path / "plain")


@pytest.mark.solver
def test_a_run_that_was_cut_off_goes_on_and_a_larger_one_adds(
    tmp_path: Path, host: Host, monkeypatch
) -> None:
    get(tmp_path / "plain", host)
    monkeypatch.setattr(fetch, "_PART", 1)
    assert get(tmp_path / "grown", host, deals=5_000) == 5_000
    monkeypatch.setattr(fetch, "_TRIES", 1)
    host.faults = ["", "", "", "cut", "busy"]
    with pytest.raises(LibraryError, match="503.*rerun the command"):
        get(tmp_path / "grown", host)
    assert len(Library(tmp_path / "grown")) == 2 * 4_096, "the whole shards that came"
    killed = next((tmp_path / "grown").glob("pgx-*")) / ".0123456789abcdef.tmp"
    killed.write_bytes(b"half a shard")
    assert get(tmp_path / "grown", host) == DEALS - 2 * 4_096
    assert files(tmp_path / "grown") == files(tmp_path / "plain")
    asked = host.asked
    assert get(tmp_path / "grown", host) == 0 and host.asked == asked + 1


@pytest.mark.parametrize(
    ("faults", "words"),
    [
        (["page"], "a page \\(text/html\\), not the file"),
        (["", "page"], "a page"),
        (["gone"], "404"),
        (["whole"], "answer 200"),
        (["", "", "changed"], "changed while it was being read"),
    ],
)
def test_what_is_not_the_file_is_refused_and_nothing_is_kept(
    tmp_path: Path, host: Host, faults: list[str], words: str
) -> None:
    host.faults = faults
    with pytest.raises(LibraryError, match=words) as error:
        get(tmp_path / "library", host)
    assert len(str(error.value).splitlines()) == 1 and files(tmp_path) == {}


def changed(content: bytes, place: int, by: int) -> bytes:
    number = np.frombuffer(content[place : place + 4], "<i4") ^ by
    return content[:place] + number.astype("<i4").tobytes() + content[place + 4 :]


def test_wrong_bytes_are_refused(tmp_path: Path, host: Host, run) -> None:
    right = host.content
    cards, tables = 128 + 16 * 7_000, 128 + 16 * (DEALS + 7_000)
    for content, words in (
        (changed(right, cards, 3), "record 7000: "),
        (changed(right, tables, 1 << 20), "record 7000: "),
        (right[:-4], "expected 288128 bytes"),
        (b"NUMPY" + right, "expected a .npy array"),
    ):
        host.content = content
        options = ("--deals", DEALS, "--out", tmp_path / "x", "--host", host.address)
        status, out, err = run("library", "fetch", "pgx", *options)
        assert (status, out, len(err.splitlines())) == (2, "", 1) and words in err
    assert files(tmp_path) == {}


@pytest.mark.solver
def test_tables_that_are_not_those_of_the_cards_are_found(
    tmp_path: Path, host: Host, solved: DealSet
) -> None:
    other: NDArray[np.uint8] = 13 - solved.tricks_or_unknown
    host.content = as_pgx(solved.with_tricks(other))
    with pytest.raises(LibraryError, match="solves differently"):
        get(tmp_path, host, sample=2)
    assert files(tmp_path) == {}


@pytest.mark.solver
def test_another_file_another_use_and_a_full_disk(
    tmp_path: Path, host: Host, run, monkeypatch
) -> None:
    get(tmp_path / "x", host, deals=10, sample=0)
    before = files(tmp_path)
    host.etag = '"new"'
    with pytest.raises(LibraryError, match="use another folder"):
        get(tmp_path / "x", host, sample=0)
    host.etag = '"one"'
    with pytest.raises(LibraryError, match="asked for test"):
        fetch.fetch_pgx(tmp_path / "x", 20, use="test", host=host.address)
    assert files(tmp_path) == before

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    options = ("--deals", 9, "--out", tmp_path / "y", "--host", host.address)
    status, out, err = run("library", "fetch", "pgx", *options)
    assert (status, out) == (2, "")
    file = tmp_path / "y" / "pgx-500K" / "deals-000000000000.zrd"
    assert err == f"trickcast: {file}: No space left on device\n"
    assert files(tmp_path) == before


def test_deals_that_the_library_holds_for_another_use_are_not_trained_on(
    tmp_path: Path, host: Host, solved: DealSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "_PART", 1)
    append(tmp_path, solved[5_000:5_007], "ours", "test", solver="", source="")
    with pytest.raises(LibraryError, match="holds 7 deals of pgx already.*another folder"):
        get(tmp_path, host, sample=0)
    library = Library(tmp_path)
    assert (library.count("train"), library.count("test")) == (4_096, 7), "the part before them"
    assert verify(library, sample=0).problems == ()
    append(tmp_path, solved[8_000:8_001], "more", "test", solver="", source="")
    with pytest.raises(LibraryError, match="holds 8 deals"):
        get(tmp_path, host, sample=0)


def test_an_unknown_use_and_a_negative_sample_are_refused(tmp_path: Path, host: Host) -> None:
    use: Any = "Test"
    with pytest.raises(LibraryError, match="use is 'Test'"):
        fetch.fetch_pgx(tmp_path, 10, use=use, host=host.address)
    with pytest.raises(ValueError, match=r"sample is -1 \(expected 0 or more\)"):
        get(tmp_path, host, sample=-1)
    assert host.asked == 0


@pytest.mark.solver
def test_the_command_names_source_and_licence(tmp_path: Path, host: Host, run) -> None:
    options = ("--deals", 10, "--out", tmp_path / "x", "--host", host.address, "--sample", 1)
    status, out, err = run("library", "fetch", "pgx", *options)
    assert (status, err) == (0, "")
    assert "sotetsuk/dds_dataset" in out and "Apache-2.0" in out and "10 deals" in out
    told = json.loads(run("library", "info", tmp_path / "x", "--json")[1])
    assert told["deals"] == 10 and "Apache-2.0" in told["runs"][0]["source"]
    for host_name in ("nowhere", "file:///etc"):
        assert run("library", "fetch", "pgx", *options[:4], "--host", host_name)[0] == 2
    assert run("library", "fetch", "jps", *options)[0] == 2
    assert run("library", "fetch", "pgx", *options, "--deals", 10**9)[0] == 2
