"""Styles of pairs: their names, what openings show of them, and what calls show then."""

import warnings
from dataclasses import replace
from itertools import dropwhile
from pathlib import Path

import numpy as np
import pytest

import trickcast as tc
from trickcast.cards import Board
from trickcast.cards.auction import CALL_NUMBER
from trickcast.cards.board import Tag
from trickcast.cards.styles import (
    STYLES,
    SYSTEMS,
    PairStyles,
    StyleError,
    _styles,
    read_style,
    style_over,
    style_text,
)
from trickcast.formats import FormatWarning

OPENS = CALL_NUMBER["1N"]
WEAK, STRONG = "KQ4.A95.K873.J94", "KQ4.AQ5.KJ73.J94"
HCP = np.tile(np.array([4, 3, 2, 1] + [0] * 9), 4)


def test_styles_are_read_by_name_and_side() -> None:
    assert not read_style(None).any() and not read_style("").any()
    assert read_style("weak-notrump").tolist() == [[0, 1, 0, 0, 0, 0]] * 2
    assert (read_style(" Weak  Notrump,") == read_style("weak-notrump")).all()
    both = read_style("ns precision, ew strong-notrump, ew five-card-majors")
    assert both.tolist() == [[0, 0, 0, 1, 1, 0], [1, 0, 0, 0, 1, 0]]
    for name in (*STYLES, *SYSTEMS, "ns acol", "ew precision, strong-notrump"):
        assert (read_style(style_text(read_style(name))) == read_style(name)).all()
    assert style_text(both) == "ew strong-notrump, ns strong-club, five-card-majors"


@pytest.mark.parametrize(
    ("style", "reason"),
    [
        ("canape", "style is 'canape' (expected strong-notrump, weak-notrump, "),
        ("north acol", "style is 'north acol' "),
        ("ns", "style is 'ns' "),
        ("acol, ns strong-notrump", "style is both strong-notrump and weak-notrump (expected one"),
    ],
)
def test_a_style_that_is_none_is_told_with_those_there_are(run, style: str, reason: str) -> None:
    with pytest.raises(StyleError) as caught:
        tc.explain_auction("1N", style=style)
    assert str(caught.value).startswith(reason)
    status, out, err = run("auction", "1N", "--style", style)
    assert (status, out) == (2, "") and len(err.splitlines()) == 1 and reason in err


def test_a_style_changes_what_is_bid_and_shown(run) -> None:
    bidder = tc.Bidder(threads=1)

    def chance(hand: str, style: str) -> float:
        return float(bidder.probabilities(hand, "", style=style)[OPENS])

    assert chance(WEAK, "weak-notrump") > 2 * chance(WEAK, "strong-notrump")
    assert chance(STRONG, "strong-notrump") > chance(STRONG, "weak-notrump") + 0.2
    assert chance(WEAK, "ns weak-notrump") != chance(WEAK, "ew weak-notrump")
    each = bidder.probabilities([WEAK] * 2, "", style=["ns weak-notrump", None])
    assert each[0, OPENS] == pytest.approx(chance(WEAK, "ns weak-notrump"), abs=1e-6)
    assert each[1, OPENS] == pytest.approx(chance(WEAK, ""), abs=1e-6)
    shown = tc.explain_auction("1N", style="weak-notrump")
    assert run("auction", "1N", "--style", "weak notrump")[1] == f"{shown}\n"
    deal = next(iter(tc.constrained_deals(1, north=WEAK, seed=1)))
    told = tc.bid_deals([deal] * 2, style=["strong-notrump", "weak-notrump"])
    assert [str(auction).split()[0] == "1N" for auction in told] == [False, True]


def test_styles_are_those_of_the_other_deals_of_a_pair() -> None:
    spades, club = CALL_NUMBER["1S"], CALL_NUMBER["1C"]
    assert _styles([]) == [0] * 6
    assert _styles([(OPENS, 16, 0), (OPENS, 15, 0)])[0] == 1
    assert _styles([(OPENS, 12, 0), (OPENS, 13, 0)])[1] == 1
    assert _styles([(club, 17, 2)] * 3)[3] == 1
    assert _styles([(club, 12, 4)] * 3)[2] == 1
    assert _styles([(spades, 12, 5)] * 4)[4] == 1
    assert _styles([(spades, 12, 4), *[(spades, 12, 5)] * 3])[5] == 1

    names = {"North": "a", "South": "b", "East": "c", "West": "d"}
    tags = tuple(Tag(name, player) for name, player in names.items())
    board = Board(number=1, auction=("1N", "PASS", "PASS", "PASS"), tags=tags)
    deals = tc.constrained_deals(3, north="hcp 12-13, balanced", seed=1)
    pairs = PairStyles((cards, board) for cards in deals.owners)
    for cards in deals.owners:
        assert pairs.of(cards, board).tolist() == [[0, 1, 0, 0, 0, 0], [0] * 6]
    assert not pairs.of(cards, replace(board, tags=())).any()
    few = PairStyles((cards, board) for cards in deals.owners[:2])
    assert not few.of(deals.owners[0], board).any() and few.of(cards, board).any()
    assert style_over("ns precision", pairs.of(cards, board)) == (
        "ns weak-notrump, ns strong-club, ns five-card-majors"
    )
    assert style_over("strong-notrump", pairs.of(cards, board)) == "strong-notrump"


@pytest.mark.slow
def test_notrumps_show_what_pairs_of_the_record_held(shared: Path) -> None:
    path = shared / "data" / "played" / "championships.pbn.gz"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        deals = next(tc.iter_deals(path, chunk=9_000, skipped=[]))
    assert deals.boards is not None
    pairs = PairStyles(zip(deals.owners, deals.boards, strict=True))
    for name, low, high in (("weak-notrump", 12, 14), ("strong-notrump", 15, 17)):
        held = np.array([
            (cards == seat) @ HCP
            for cards, board in zip(deals.owners, deals.boards, strict=True)
            if (seat := _opens_notrump(board)) is not None
            and pairs.of(cards, board)[seat % 2, STYLES.index(name)]
        ])  # fmt: skip
        drawn = (tc.deals_after("1N", style=name, n=1000).owners == 0) @ HCP
        assert low <= np.median(held) <= high and low <= np.median(drawn) <= high
        assert abs(held.mean() - drawn.mean()) < 0.75


def _opens_notrump(board: Board) -> int | None:
    """Return the seat that opens 1N."""
    passes = len(board.auction) - len(list(dropwhile("PASS".__eq__, board.auction)))
    if board.dealer is None or board.auction[passes : passes + 1] != ("1N",):
        return None
    return (board.dealer + passes) % 4
