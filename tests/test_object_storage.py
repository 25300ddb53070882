"""Libraries on object storage: a real S3 server on this machine, with its errors and slowness."""

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trickcast as tc
from faults import contents
from trickcast.library import (
    Library,
    LibraryError,
    append,
    generate,
    generate_positions,
    read_positions,
    verify,
)

pytest.importorskip("s3fs")
pytest.importorskip("moto.server")
from s3_server import Server, s3_server

GENERATE: Any = importlib.import_module("trickcast.library.generate")


@pytest.fixture(scope="module")
def s3() -> Iterator[Server]:
    with pytest.MonkeyPatch.context() as patch, s3_server() as server:
        for name, value in server.environment.items():
            patch.setenv(name, value)
        server.make_bucket("bridge")
        yield server


@pytest.fixture
def place(
    s3: Server, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """An address of its own for each test, small shards of no work, and a cache of its own."""

    def sevens(owners: np.ndarray, *, workers: int | None = None) -> Any:
        yield np.full((len(owners), 5, 4), 7, np.uint8)

    monkeypatch.setenv("TRICKCAST_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(GENERATE, "SHARD", 4)
    monkeypatch.setattr(GENERATE, "solve_batches", sevens)
    s3.asked.clear()
    yield f"s3://bridge/{request.node.name.partition('[')[0]}-{len(request.node.name)}"
    s3.trouble = lambda method, path: ""


def objects(place: str, folder: Path) -> dict[str, bytes]:
    """Return the bytes of every object, fetched into a folder."""
    import s3fs

    s3fs.S3FileSystem(use_listings_cache=False).get(
        place.removeprefix("s3://"), folder, recursive=True
    )
    return contents(folder)


def test_a_bucket_gets_the_bytes_of_a_folder(place: str, tmp_path: Path) -> None:
    for deals in (2, 9):
        assert generate(place, deals, seed=3) == deals - (2 if deals == 9 else 0)
    generate(tmp_path / "folder", 9, seed=3)
    assert objects(place, tmp_path / "fetched") == contents(tmp_path / "folder")
    library = Library(place)
    assert (library.deals("train").owners == tc.random_deals(9, seed=3).owners).all()
    assert str(library) == place and verify(library, sample=0).problems == ()


def test_endings_and_deals_from_elsewhere_lie_in_buckets_too(place: str, tmp_path: Path) -> None:
    assert generate_positions(f"{place}/endings", 5, 3, seed=1) == 5
    assert generate_positions(f"{place}/endings", 5, 3, seed=1) == 0
    generate_positions(tmp_path, 5, 3, seed=1)
    for ours, theirs in zip(
        read_positions(f"{place}/endings"), read_positions(tmp_path), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)
    solved = tc.random_deals(5, seed=8).with_tricks(np.full((5, 5, 4), 7, np.uint8))
    append(place, solved, "friend", "test", solver="", source="by post")
    assert Library(place).deals("test") == solved
    with pytest.raises(LibraryError, match="5 deals occur twice"):
        append(place, solved, "again", "train", solver="", source="")


def test_a_shard_is_fetched_once_and_verified_anew(place: str, s3: Server) -> None:
    generate(place, 8, seed=3)
    s3.asked.clear()
    for _ in range(3):
        Library(place).deals("train")
    fetched = [path for method, path in s3.asked if method == "GET" and path.endswith(".zrd")]
    assert len(fetched) == len(set(fetched)) == 2
    import s3fs

    path = f"{place.removeprefix('s3://')}/seed-3/deals-000000000000.zrd"
    s3fs.S3FileSystem().pipe_file(path, b"x" * 92)
    assert len(Library(place).deals("train")) == 8  # the copy has the digest
    assert "damaged" in " ".join(verify(Library(place), sample=0).problems)


def test_a_copy_that_was_damaged_is_fetched_again(place: str, tmp_path: Path) -> None:
    generate(place, 4, seed=3)
    Library(place).deals("train")
    (copy,) = (path for path in (tmp_path / "cache").rglob("*") if path.is_file())
    copy.write_bytes(b"nothing")
    assert len(Library(place).deals("train")) == 4


def test_a_cache_that_cannot_be_written_hinders_no_reading(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generate(place, 4, seed=3)
    (tmp_path / "cache").write_text("no folder")
    assert len(Library(place).deals("train")) == 4
    (tmp_path / "cache").unlink()
    monkeypatch.setenv("TRICKCAST_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "usual"))
    monkeypatch.chdir(tmp_path)
    assert len(Library(place).deals("train")) == 4
    assert [path.name for path in tmp_path.iterdir()] == ["usual"]


def test_a_server_that_is_slow_and_fails_now_and_then_changes_nothing(
    place: str, s3: Server, tmp_path: Path
) -> None:
    troubles = iter(
        "slow,,503 SlowDown,,,,,slow,,500 InternalError,,,,,,,break off,,,,,,".split(",") * 100
    )
    s3.trouble = lambda method, path: next(troubles)
    generate(place, 9, seed=3)
    s3.trouble = lambda method, path: ""
    generate(tmp_path / "folder", 9, seed=3)
    assert objects(place, tmp_path / "fetched") == contents(tmp_path / "folder")


@pytest.mark.parametrize("victim", ["deals-000000000004", "manifest.json"])
def test_storage_that_is_full_is_one_line_and_what_is_there_stays_whole(
    place: str, s3: Server, tmp_path: Path, victim: str
) -> None:
    generate(place, 4, seed=3)
    s3.trouble = lambda method, path: (
        "507 XMinioStorageFull" if method == "PUT" and victim in path else ""
    )
    with pytest.raises(LibraryError, match=rf"{victim}.*XMinioStorageFull") as caught:
        generate(place, 9, seed=3)
    assert "\n" not in str(caught.value)
    s3.trouble = lambda method, path: ""
    assert len(Library(place).deals("train")) == 4
    generate(place, 9, seed=3)
    generate(tmp_path / "folder", 9, seed=3)
    assert objects(place, tmp_path / "fetched") == contents(tmp_path / "folder")


def test_what_is_not_allowed_is_one_line(place: str, s3: Server) -> None:
    s3.trouble = lambda method, path: "403 AccessDenied"
    for use in (Library, lambda where: generate(where, 1, seed=3)):
        with pytest.raises(LibraryError) as caught:
            use(place)
        assert str(caught.value).startswith(place) and "\n" not in str(caught.value)


def test_a_bucket_that_is_not_there_is_one_line(place: str) -> None:
    with pytest.raises(LibraryError, match="not a library") as read:
        Library("s3://nowhere/library")
    with pytest.raises(LibraryError, match="s3://nowhere/library") as written:
        generate("s3://nowhere/library", 1, seed=3)
    assert "\n" not in f"{read.value}{written.value}"


def test_a_protocol_that_nobody_knows_is_one_line() -> None:
    with pytest.raises(LibraryError, match="s5://bucket/manifest.json: Protocol not known"):
        Library("s5://bucket")


def test_commands_take_addresses(place: str, run: Any) -> None:
    assert run("generate", "--deals", 5, "--seed", 3, "--use", "test", "--out", place)[0] == 0
    status, out, _ = run("library", "info", place)
    assert status == 0 and f"5 solved deals in {place}" in out
    assert "sound" in run("library", "verify", place, "--sample", 0)[1]
    status, out, _ = run("evaluate", place, "--model", "fast", "--json")
    assert status == 0 and '"deals": 5' in out


def test_a_training_takes_addresses(place: str, run: Any, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    for use, start in (("train", 0), ("validation", 5)):
        generate(f"{place}/library", 5, 3, start=start, use=use)
    generate_positions(f"{place}/endings", 4, 3, seed=1)
    status, out, _ = run("library", "verify", f"{place}/endings", "--sample", 4)
    assert status == 0 and "1 file with 4 positions is sound; 4 positions solved again agree" in out
    folders = ("--library", f"{place}/library", "--out", tmp_path, "--endings", f"{place}/endings")
    sizes = ("batch=4", "endings=4", "network.width=8", "network.heads=1", "steps=2")
    settings = [word for size in sizes for word in ("--set", size)]
    status, out, err = run("train", "accurate", *folders, "--minutes", 0, *settings)
    assert status == 0 and "step 0 of 2" in out, err
