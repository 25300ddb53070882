"""Positions: dealing, solving and keeping them; against a search of our own and whole deals."""

import importlib
from functools import cache

import numpy as np
import pytest

from trickcast.cards import DealError, Seat, Strain
from trickcast.cards.positions import GONE, cards_a_hand, packed
from trickcast.dealing import random_deals, random_positions
from trickcast.library import (
    LibraryError,
    count_positions,
    generate_positions,
    read_positions,
    verify_positions,
)
from trickcast.solver import solve_batches, solve_position_batches


def tables(owners):
    return np.concatenate(list(solve_position_batches(owners)))


def most_tricks(owners, strain: Strain, declarer: Seat) -> int:
    """The declarer's side's tricks by plain minimax over every play."""
    hands = tuple(frozenset(np.flatnonzero(owners == seat).tolist()) for seat in Seat)

    def beats(card: int, best: int) -> bool:
        if card // 13 == best // 13:
            return card < best
        return strain != Strain.NOTRUMP and card // 13 == strain

    @cache
    def side_of_north(hands, leader: int, played: tuple[int, ...]) -> int:
        if len(played) == 4:
            best = played[0]
            for card in played[1:]:
                best = card if beats(card, best) else best
            winner = (leader + played.index(best)) % 4
            return (winner % 2 == 0) + side_of_north(hands, winner, ())
        turn = (leader + len(played)) % 4
        hand = hands[turn]
        if not hand:
            return 0
        same = {card for card in hand if played and card // 13 == played[0] // 13}
        results = [
            side_of_north(
                (*hands[:turn], hand - {card}, *hands[turn + 1 :]), leader, (*played, card)
            )
            for card in (same or hand)
        ]
        return max(results) if turn % 2 == 0 else min(results)

    cards = len(hands[0])
    north = side_of_north(hands, (declarer + 1) % 4, ())
    return north if declarer % 2 == 0 else cards - north


@pytest.mark.solver
@pytest.mark.parametrize("cards", [2, 3])
def test_small_positions_agree_with_a_search_of_every_play(cards):
    owners = random_positions(6, cards, seed=5)
    found = tables(owners)
    for row, table in zip(owners, found, strict=True):
        ours = [[most_tricks(row, strain, seat) for seat in Seat] for strain in Strain]
        assert table.tolist() == ours


@pytest.mark.solver
def test_moving_cards_up_changes_no_result():
    owners = random_positions(40, 6, seed=8)
    assert not np.array_equal(packed(owners), owners)
    np.testing.assert_array_equal(tables(packed(owners)), tables(owners))


@pytest.mark.solver
def test_whole_deals_are_positions_of_thirteen():
    owners = random_deals(4, seed=3).owners
    np.testing.assert_array_equal(tables(owners), np.concatenate(list(solve_batches(owners))))


def test_a_position_depends_on_its_number_and_all_cards_are_alike():
    many = random_positions(20_000, 10, seed=4)
    np.testing.assert_array_equal(random_positions(50, 10, 4, start=7_000), many[7_000:7_050])
    assert set(cards_a_hand(many).tolist()) == {10}
    for seat, share in ((0, 10 / 52), (3, 10 / 52), (GONE, 12 / 52)):
        rates = (many == seat).mean(axis=0)
        assert np.abs(rates - share).max() < 5 * (share * (1 - share) / len(many)) ** 0.5


@pytest.mark.solver
def test_generation_goes_on_and_keeps_what_is_there(tmp_path):
    assert generate_positions(tmp_path, 60, 5, seed=1) == 60
    first = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert generate_positions(tmp_path, 60, 5, seed=1) == 0
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == first
    generate_positions(tmp_path, 30, 4, seed=1, start=60)
    owners, tricks = read_positions(tmp_path)
    assert cards_a_hand(owners).tolist() == [4] * 30 + [5] * 60
    np.testing.assert_array_equal(owners[30:], packed(random_positions(60, 5, 1)))
    np.testing.assert_array_equal(tricks, tables(owners))


@pytest.mark.solver
def test_a_set_that_grows_holds_each_position_once(tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.import_module("trickcast.library.solved_positions"), "SHARD", 8)
    assert generate_positions(tmp_path, 3, 3, seed=1, start=2) == 3
    assert generate_positions(tmp_path, 4, 3, seed=1, start=3) == 2
    assert generate_positions(tmp_path, 10, 3, seed=1) == 5, "before and behind what is there"
    assert generate_positions(tmp_path, 9, 3, seed=1) == 0
    assert (
        generate_positions(tmp_path, 1, 4, seed=1)
        == generate_positions(tmp_path, 1, 3, seed=2)
        == 1
    )
    assert count_positions(tmp_path) == {3: 11, 4: 1}
    owners, tricks = read_positions(tmp_path)
    np.testing.assert_array_equal(owners[:10], packed(random_positions(10, 3, 1)))
    np.testing.assert_array_equal(tricks, tables(owners))


@pytest.mark.solver
def test_numbers_of_numpy_are_numbers_and_wrong_ones_are_refused(tmp_path):
    numbers = (np.uint8(3), np.int64(3), np.int64(1))
    generate_positions(tmp_path / "numpy", *numbers, start=np.uint8(254))
    generate_positions(tmp_path / "plain", 3, 3, 1, start=254)
    names = [[path.name for path in (tmp_path / one).iterdir()] for one in ("numpy", "plain")]
    assert names[0] == names[1]
    for wrong, complaint in (
        ({"start": 2**64 - 2}, r"positions is 3 and start is 18446744073709551614 .*2\*\*64"),
        ({"workers": 0}, "workers is 0"),
        ({"workers": 0, "cluster": "local"}, "workers is 0"),
    ):
        with pytest.raises(ValueError, match=complaint):
            generate_positions(tmp_path / "new", 3, 3, 1, **wrong)
    assert not (tmp_path / "new").exists()


@pytest.mark.solver
def test_what_a_killed_run_left_unfinished_is_removed(tmp_path):
    (tmp_path / ".0123456789abcdef.tmp").write_bytes(b"half")
    generate_positions(tmp_path, 3, 3, seed=1)
    assert [path.suffix for path in tmp_path.iterdir()] == [".npz"]


def rewritten(path, **changed):
    """Write a file of positions again, some of its arrays changed."""
    with np.load(path) as arrays:
        kept = dict(arrays)
    changed = {name: change(kept[name]) for name, change in changed.items()}
    np.savez_compressed(path, **kept | changed)


def off_by_one(tricks):
    tricks[1, 2, 3] = (tricks[1, 2, 3] + 1) % 3
    return tricks


@pytest.mark.solver
@pytest.mark.parametrize(
    ("harm", "complaint"),
    [
        (lambda path: rewritten(path, tricks=off_by_one), "position 1 solves differently"),
        (
            lambda path: rewritten(path, owners=np.flipud),
            "does not hold the positions of its name",
        ),
        (lambda path: path.write_bytes(path.read_bytes()[:-90]), "or damaged"),
        (lambda path: path.with_name("copy.npz").write_bytes(path.read_bytes()), "more than once"),
    ],
)
def test_verify_finds_harm_to_positions(tmp_path, run, harm, complaint):
    generate_positions(tmp_path, 6, 3, seed=1)
    generate_positions(tmp_path, 5, 4, seed=1)
    file = tmp_path / "cards-03-seed-1-000000000-000000006.npz"
    assert verify_positions(tmp_path, sample=11).problems == ()
    status, out, _ = run("library", "verify", tmp_path)
    assert status == 0
    assert "2 files with 11 positions are sound; 11 positions solved again agree" in out
    harm(file)
    (found, *_) = verify_positions(tmp_path, sample=11).problems
    assert complaint in found
    status, _, err = run("library", "verify", tmp_path)
    assert status == 2
    assert complaint in " ".join(err.split())


@pytest.mark.parametrize("cards", [1, 13])
def test_impossible_sizes_are_refused(tmp_path, cards):
    with pytest.raises(ValueError, match=rf"cards is {cards} \(expected 2 to 12"):
        generate_positions(tmp_path / "new", 10, cards, seed=1)
    assert not (tmp_path / "new").exists()


def test_what_is_no_position_is_refused_by_its_row():
    owners = random_positions(9, 4, seed=2)
    owners[5, np.flatnonzero(owners[5] == Seat.EAST)[0]] = GONE
    with pytest.raises(DealError, match="position 5 of 9: North 4, East 3, South 4, West 4 cards"):
        tables(owners)
    owners[:, 4:] = GONE
    owners[:, :4] = [0, 1, 2, 3]
    with pytest.raises(ValueError, match="position 0 of 9: one card a hand"):
        tables(owners)
    owners[:] = 4
    with pytest.raises(DealError, match="position 0 of 9"):
        tables(owners)


@pytest.mark.solver
@pytest.mark.parametrize("damage", ["cut", "empty", "lies"])
def test_damaged_files_are_named(tmp_path, damage):
    generate_positions(tmp_path, 8, 3, seed=1)
    (path,) = tmp_path.iterdir()
    data = path.read_bytes()
    if damage == "lies":
        owners, tricks = read_positions(tmp_path)
        np.savez(path, owners=owners, tricks=tricks + 2)
    else:
        path.write_bytes(data[: len(data) // 2] if damage == "cut" else b"")
    with pytest.raises(LibraryError, match=rf"{path.name}: .* Delete the file, and trickcast"):
        read_positions(tmp_path)
    with pytest.raises(LibraryError, match="no solved positions"):
        read_positions(tmp_path / "nothing")
