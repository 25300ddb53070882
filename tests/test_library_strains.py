"""Deals solved in one strain each: their record, their library, what they are worth."""

import hashlib
import importlib
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import trickcast as tc
from trickcast.cards import UNKNOWN, Strain
from trickcast.library import Library, LibraryError, generate, shard_file, tables_worth, verify
from trickcast.library.labels import PRICE_OF_STRAIN, drawn_strains
from trickcast.library.shards import ONE_STRAIN, RECORDS, WHOLE

SMALL = 4


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module("trickcast.library.generate"), "SHARD", SMALL)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_record_is_the_same_one_in_another_process() -> None:
    assert all(pickle.loads(pickle.dumps(record)) is record for record in RECORDS.values())


@pytest.mark.solver
def test_each_deal_is_solved_in_the_strain_drawn_for_it(tmp_path: Path, small_shards: None) -> None:
    assert generate(tmp_path, 9, seed=3, strains="one") == 9
    library = Library(tmp_path)
    assert [shard.deals for shard in library.shards] == [4, 4, 1]
    deals = library.deals("train")
    whole = tc.solve(tc.random_deals(9, seed=3)).tricks
    drawn = np.arange(5)[None, :, None] == drawn_strains(9, 3)[:, None, None]
    assert (deals.owners == tc.random_deals(9, seed=3).owners).all()
    assert (deals.tricks_or_unknown == np.where(drawn, whole, UNKNOWN)).all()
    for shard in library.shards:
        data = (tmp_path / shard.file).read_bytes()
        assert shard.record == ONE_STRAIN.name and len(data) == 16 * shard.deals
    assert verify(library, sample=9).problems == ()


def test_strains_are_drawn_evenly_and_by_the_number_of_the_deal() -> None:
    strains = drawn_strains(50_000, 7)
    assert np.abs(np.bincount(strains, minlength=5) - 10_000).max() < 5 * (50_000 * 0.16) ** 0.5
    assert (drawn_strains(100, 7, start=4_321) == strains[4_321:4_421]).all()
    assert (drawn_strains(50_000, 8) == strains).mean() < 0.22
    assert drawn_strains(12, 717102).tolist() == [0, 4, 4, 1, 4, 4, 0, 1, 3, 2, 4, 0]


def test_the_record_is_as_documented() -> None:
    deal = tc.Deal("N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98")
    tricks = np.full((1, 5, 4), UNKNOWN, dtype=np.uint8)
    tricks[0, Strain.HEARTS] = [10, 3, 10, 2]
    deals = tc.DealSet(deal.owners[None], tricks)
    record = ONE_STRAIN.encode(deals)
    # the ace, king, queen and jack of spades: North, South, East, South
    assert (len(record), record[0], record[13:]) == (16, 0b10_01_10_00, bytes([1, 0x3A, 0x2A]))
    assert ONE_STRAIN.decode(record, "it") == deals


@pytest.mark.parametrize(
    ("place", "value", "complaint"),
    [(13, 5, "record 1: strain 5"), (15, 0xE0, "record 1: .*14"), (0, 0, "deal 1 of 2")],
)
def test_what_is_no_record_is_refused(place: int, value: int, complaint: str) -> None:
    tricks = np.full((2, 5, 4), UNKNOWN, dtype=np.uint8)
    tricks[:, 2] = 7
    data = bytearray(ONE_STRAIN.encode(tc.random_deals(2, seed=1).with_tricks(tricks)))
    with pytest.raises(ValueError, match="31 bytes"):
        ONE_STRAIN.decode(bytes(data[:-1]), "it")
    data[16 + place] = value
    with pytest.raises(ValueError, match=complaint):
        ONE_STRAIN.decode(bytes(data), "it")
    tricks[1, 3, 1] = 7
    with pytest.raises(ValueError, match="one strain by four declarers"):
        ONE_STRAIN.encode(tc.random_deals(2, seed=1).with_tricks(tricks))


@pytest.mark.solver
def test_growing_gives_the_bytes_of_one_run(tmp_path: Path, small_shards: None) -> None:
    for deals in (2, 6, 9):
        generate(tmp_path / "grown", deals, seed=3, strains="one")
    generate(tmp_path / "once", 9, seed=3, strains="one")
    assert contents(tmp_path / "grown") == contents(tmp_path / "once")
    # killed between the shard and the manifest
    generate(tmp_path / "killed", 4, seed=3, strains="one")
    file = shard_file(3, 4, ONE_STRAIN)
    (tmp_path / "killed" / file).write_bytes((tmp_path / "once" / file).read_bytes())
    assert generate(tmp_path / "killed", 9, seed=3, strains="one") == 1
    assert contents(tmp_path / "killed") == contents(tmp_path / "once")


@pytest.mark.solver
def test_a_seed_gives_the_same_bytes_for_ever(tmp_path: Path) -> None:
    generate(tmp_path, 3, seed=3)
    generate(tmp_path, 3, seed=4, strains="one")
    digests = {shard.file: shard.sha256 for shard in Library(tmp_path).shards}
    assert digests == {
        shard_file(3, 0): "88ecb72fa37c09c0f6e1b0115b888159ba4222b0a338ab7bc1fdc97a041e1021",
        shard_file(4, 0, ONE_STRAIN): (
            "18ff8ab9babde00de677192442407b7fa5e6005a98e4c2fcffb7db4bc87c6a75"
        ),
    }


@pytest.mark.solver
def test_a_deal_is_solved_in_all_strains_or_in_one(tmp_path: Path, small_shards: None) -> None:
    generate(tmp_path, 4, seed=3)
    with pytest.raises(LibraryError, match=r"solved in all of their strains \(asked for one"):
        generate(tmp_path, 6, seed=3, strains="one")
    generate(tmp_path, 3, seed=3, start=4, strains="one", use="test")
    with pytest.raises(LibraryError, match="for test, permanently"):
        generate(tmp_path, 3, seed=3, start=4, strains="one")
    with pytest.raises(LibraryError, match=r"solved in one of their strains \(asked for all"):
        generate(tmp_path, 5, seed=3, start=4, use="test")
    library = Library(tmp_path)
    assert [shard.record for shard in library.shards] == [WHOLE.name, ONE_STRAIN.name]
    assert verify(library, sample=7).problems == ()


@pytest.mark.solver
def test_verify_solves_again_what_is_known(tmp_path: Path, small_shards: None) -> None:
    generate(tmp_path, 6, seed=3, strains="one")
    file = tmp_path / shard_file(3, 0, ONE_STRAIN)
    sound = file.read_bytes()

    def problems(data: bytes) -> str:
        file.write_bytes(data)
        manifest = json.loads((tmp_path / "manifest.json").read_text())
        manifest["shards"][0]["sha256"] = hashlib.sha256(data).hexdigest()
        (tmp_path / "manifest.json").write_text(json.dumps(manifest))
        return " ".join(verify(Library(tmp_path), sample=6).problems)

    assert problems(sound) == ""
    wrong = bytearray(sound)
    wrong[16 + 14] ^= 1
    assert problems(bytes(wrong)) == f"{shard_file(3, 0, ONE_STRAIN)}: deal 1 solves differently"
    wrong = bytearray(sound)
    wrong[16 + 13] = (wrong[16 + 13] + 1) % 5
    assert "not in the strains that seed 3 draws" in problems(bytes(wrong))


@pytest.mark.solver
def test_worth_is_by_the_seconds_of_the_solver(tmp_path: Path, small_shards: None) -> None:
    generate(tmp_path, 2, seed=3)
    assert Library(tmp_path).tables_worth == 2
    generate(tmp_path, 5, seed=4, strains="one")
    prices = [PRICE_OF_STRAIN[Strain(strain)] for strain in drawn_strains(5, 4)]
    assert Library(tmp_path).tables_worth == pytest.approx(2 + sum(prices))
    assert tables_worth([]) == 0
