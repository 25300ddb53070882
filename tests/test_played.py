"""What players take at the table: shapes, symmetry, errors, the shipped model, norms."""

import pickle

import numpy as np
import pytest

import trickcast as tc
from trickcast.bidding import read_auction
from trickcast.cards import DealError, Seat, parse_card
from trickcast.estimator import ModelError
from trickcast.played import PlayedEstimator, expected_at_par, given_away, norms
from trickcast.played.files import WEIGHTS, load_played_model
from trickcast.played.measures import calibration, measure
from trickcast.played.network_inputs import SIZES, Tables, encode, part
from trickcast.scoring import Par
from trickcast.solver import values_of_cards

CONTRACTS = ["3N", "4S", "4HX", "2D", "6C", "1NXX", "5DX", "7N"]
BY = ["N", "E", "S", "W", "N", "E", "S", "W"]
DEALS = tc.random_deals(8, seed=39)


@pytest.fixture(scope="module")
def estimator():
    return PlayedEstimator(threads=1)


def leads_of(deals, by):
    """The highest card of each leader."""
    return [int(np.flatnonzero(owners == Seat.parse(seat).lho)[0])
            for owners, seat in zip(deals.owners, by, strict=True)]  # fmt: skip


def test_one_deal_has_no_leading_axis_and_many_keep_it(board):
    one = tc.estimate_played(board, "4H", by="N")
    assert one.probabilities.shape == (14,)
    assert isinstance(one.expected, float) and isinstance(one.making(), float)
    many = tc.estimate_played(DEALS, CONTRACTS, by=BY)
    assert many.probabilities.shape == (8, 14)
    assert many.expected.shape == many.making().shape == many.at_least(9).shape == (8,)
    assert many.probabilities.sum(axis=1) == pytest.approx(np.ones(8), abs=1e-5)
    assert tc.estimate_played([board], "4H", by="N").probabilities.shape == (1, 14)
    assert tc.estimate_played(DEALS[:0], "4H", by="N").probabilities.shape == (0, 14)
    assert tc.estimate_played(board, CONTRACTS, by="N").expected.shape == (8,)


@pytest.mark.solver
def test_a_par_is_expected_as_either_partner_plays_its_contracts(board):
    turned = tc.Deal("E" + board.pbn[1:])  # the same cards, all seats one further
    deals = tc.DealSet.from_deals([board, turned, board])
    pars = [tc.par(board, "N", "ns"), tc.par(turned, "E", "ew"), Par(0, ())]
    sides = [tc.Vulnerability.NS, tc.Vulnerability.EW, tc.Vulnerability.NONE]
    ours, theirs, passed_out = expected_at_par(deals, pars, sides)
    played = [tc.estimate_played(board, "4H", by=seat).score("ns") for seat in "NS"]
    assert ours == pytest.approx((np.mean(played),), abs=0.01)
    assert theirs == pytest.approx((-ours[0],), abs=0.01)
    assert passed_out == ()


def test_a_batch_answers_as_each_deal_alone(estimator):
    leads = leads_of(DEALS, BY)
    many = estimator(DEALS, CONTRACTS, BY, leads=leads, players="club")
    for number, deal in enumerate(DEALS):
        alone = estimator(deal, CONTRACTS[number], BY[number], leads=leads[number], players="club")
        assert alone.probabilities == pytest.approx(many[number].probabilities, abs=1e-5)


def test_one_deal_with_many_contracts_is_the_deal_repeated(estimator):
    once = estimator(DEALS[2], CONTRACTS, "E")
    repeated = estimator([DEALS[2]] * 8, CONTRACTS, ["E"] * 8)
    assert once.probabilities == pytest.approx(repeated.probabilities, abs=1e-5)


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_turning_the_table_turns_nothing(estimator, turns):
    turned = ((DEALS.owners + turns) % 4).astype(np.uint8)
    seats = [Seat((Seat.parse(seat) + turns) % 4) for seat in BY]
    leads = leads_of(DEALS, BY)
    before = estimator(DEALS, CONTRACTS, BY, leads=leads).probabilities
    assert estimator(turned, CONTRACTS, seats, leads=leads).probabilities == pytest.approx(
        before, abs=1e-5
    )


def test_renaming_side_suits_changes_nothing(estimator):
    """Declarer and dummy hold 4, 9, 6 and 7 cards of the suits: no two could change places."""
    deal = tc.Deal("N:A2.KQ983.T94.AKT Q94.AT7.QJ87.732 KJ.J654.K32.J654 T87653.2.A65.Q98")
    renamed = deal.owners.reshape(4, 13)[[2, 1, 3, 0]].reshape(52)  # D for S, C for D, S for C
    one = estimator(deal, "4H", "N", leads="DQ", auctions="1C 1H 2D 2N P 4H P P P")
    other = estimator(renamed, "4H", "N", leads="SQ", auctions="1D 1H 2S 2N P 4H P P P")
    assert other.probabilities == pytest.approx(one.probabilities, abs=1e-5)
    assert other.expected != pytest.approx(estimator(renamed, "4H", "N").expected, abs=1e-5)


def test_what_is_told_besides_matters(estimator, board):
    plain = estimator(board, "4H", "N").expected
    lead = estimator(board, "4H", "N", leads="SQ").expected
    auction = estimator(board, "4H", "N", auctions="1H 2D 4H P P P").expected
    for same in ("1H 2D 4H AP", "1h, 2d, 4h, all pass"):
        assert estimator(board, "4H", "N", auctions=same).expected == auction
    club = estimator(board, "4H", "N", players="club").expected
    assert len({plain, lead, auction, club}) == 4
    assert estimator(board, "4H", "N", leads=None, auctions="").expected == plain
    some = estimator([board, board], "4H", "N", leads=["SQ", None]).expected
    assert some == pytest.approx([lead, plain], abs=1e-5)


def test_chances_of_other_levels_and_scores(board):
    estimate = tc.estimate_played(board, "4H", by="N")
    levels = [estimate.making(f"{level}H") for level in range(1, 8)]
    assert levels == sorted(levels, reverse=True)
    assert levels[3] == estimate.making() == estimate.at_least(10)
    by_hand = sum(
        chance * points
        for chance, points in zip(
            estimate.probabilities,
            [-500, -450, -400, -350, -300, -250, -200, -150, -100, -50, 420, 450, 480, 510],
            strict=True,
        )
    )
    assert estimate.score() == pytest.approx(by_hand, abs=0.01)
    assert estimate.score("ns") > estimate.score("ew") == estimate.score()
    both = tc.estimate_played(DEALS, CONTRACTS, by=BY)
    assert both.score("both")[3] == pytest.approx(both[3].score("both"))
    sides = ["none", "ns", "ew", "both"] * 2
    each = [both[deal].score(side) for deal, side in enumerate(sides)]
    assert both.score(sides) == pytest.approx(each)
    with pytest.raises(ValueError, match="vulnerable are 2, deals 8 .expected one, or one a deal"):
        both.score(["none", "ns"])
    with pytest.raises(DealError, match="3S is not in hearts"):
        estimate.making("3S")


def test_an_auction_is_its_calls(board):
    calls = "1H P 4H P P P"
    text = tc.estimate_played(board, "4H", by="N", auctions=calls)
    read = tc.estimate_played(board, "4H", by="N", auctions=read_auction(calls, "N", "ns"))
    listed = tc.estimate_played(board, "4H", by="N", auctions=[calls.split()])
    assert (read.probabilities == text.probabilities).all()
    assert (listed.probabilities == text.probabilities).all()


def test_equal_estimates_are_equal(board):
    one, same = (tc.estimate_played(board, "4H", by="N") for _ in range(2))
    assert one == same == pickle.loads(pickle.dumps(one)) and len({one, same}) == 1
    assert (
        one != tc.estimate_played(board, "4HX", by="N") != tc.estimate_played(board, "3N", by="N")
    )


def test_results_print(board):
    assert str(tc.estimate_played(board, "4HX", by="N")).startswith("4HX by North: ")
    many = tc.estimate_played(DEALS, "3N", by="S")
    assert len(str(many).split("\n\n")) == 8 and repr(many) == "<PlayedEstimate of 8 deals>"


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("8N", "N"), {}, "'8N' is not a contract"),
        (("4H", "Q"), {}, "'Q' is not a seat"),
        (("PASS", "N"), {}, "passed out: there are no tricks"),
        (("4H", "N"), {"leads": "SX"}, "'SX' is not a card"),
        (("4H", "N"), {"leads": "SA"}, "East leads, but North holds SA"),
        (("4H", "N"), {"auctions": "1H P 3H P P P"}, "the auction ends in 3H, not in 4H"),
        (("4H", "N"), {"auctions": "1H P 4H"}, "has not ended"),
        (("4H", "N"), {"auctions": "1H P 4Z P P P"}, "'4Z' is not a call"),
        (("4H", "N"), {"auctions": "4S P 4H P P P"}, "call 3, 4H: it is not higher than 4S"),
        (("4H", "N"), {"auctions": "P P P P"}, "the auction ends in PASS, not in 4H"),
        (("4H", "S"), {"auctions": read_auction("1H P 4H AP", "N")}, "North declares, not South"),
        (("4H", "N"), {"auctions": read_auction("1H P 4H", "N")}, "has not ended"),
        (("4H", "N"), {"auctions": "1H P 4H P P P".split()}, "calls stands in a list of its own"),
        (("4H", "N"), {"auctions": [4]}, "'4' is not an auction"),
        (("4H", "N"), {"auctions": [tc.Bidder().read("1H AP")]}, "<Reading of 1H P P P>' is not"),
    ],
)  # fmt: skip
def test_errors_are_one_line(board, arguments, options, message):
    contract, by = arguments
    with pytest.raises(DealError, match=message) as error:
        tc.estimate_played(board, contract, by, **options)
    assert "\n" not in str(error.value)


def test_errors_of_a_batch_name_the_deal():
    with pytest.raises(DealError, match="deal 3: '4Z' is not a contract"):
        tc.estimate_played(DEALS[:4], ["3N", "4H", "3N", "4Z"], by="N")
    with pytest.raises(DealError, match=r"2 contracts, 8 deals \(expected equally many"):
        tc.estimate_played(DEALS, ["3N", "4H"], by="N")
    with pytest.raises(DealError, match="deal 1: .* leads, but .* holds"):
        leads = leads_of(DEALS[:2], ["N", "S"])
        tc.estimate_played(DEALS[:2], "3N", by=["N", "N"], leads=leads)
    with pytest.raises(ValueError, match="players is 'robot'"):
        tc.estimate_played(DEALS, "3N", by="N", players="robot")


def test_pickles_by_name(estimator, board):
    again = pickle.loads(pickle.dumps(estimator))
    assert again(board, "4H", "N").expected == estimator(board, "4H", "N").expected


def test_the_shipped_file_answers_as_torch_did():
    session, info = load_played_model("played", threads=1)
    with np.load(WEIGHTS / "played.parity.npz") as parity:
        (answer,) = session.run(["probabilities"], {"tables": parity["tables"]})
        assert np.abs(answer - parity["probabilities"]).max() < 1e-3
    assert info.scores["nothing"]["expert"]["results"] > 30_000


def test_files_that_are_not_ours_are_refused(tmp_path):
    accurate = WEIGHTS.parent / "accurate.onnx"
    with pytest.raises(ModelError, match="its format is"):
        PlayedEstimator(accurate)
    (tmp_path / "played.onnx").write_bytes((WEIGHTS / "played.onnx").read_bytes()[:-100])
    with pytest.raises(ModelError, match="not a model that can be run"):
        PlayedEstimator(tmp_path / "played.onnx")


def test_rows_have_the_stated_parts():
    """Seats count from declarer, trumps come first; what is not known is zero."""
    deal = tc.Deal("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
    chances = np.zeros((1, 4, 14), dtype=np.float32)
    chances[0, :, 0], chances[0, 3] = 1, 0
    chances[0, 3, 13] = 1  # West
    inner = np.arange(256, dtype=np.float32)[None]
    contracts = np.array([[3, 3, 1, 3]])  # 3CX by West
    tables = Tables(deal.owners[None], contracts, np.array([False]), np.array([parse_card("SA")]))
    (row,) = encode(tables, chances, inner)
    assert len(row) == sum(SIZES.values())
    assert row[part("double dummy")][13] == 1 and row[part("double dummy")][14] == 13 - 9
    lengths = row[part("hands")][:16].reshape(4, 4) * 3
    assert lengths[0].tolist() == [13, 0, 0, 0]  # declarer's trumps
    assert lengths[2].sum() == 13 and lengths[2, 1] == 13  # dummy's hearts are the second suit
    assert row[part("inner")][:64].tolist() == list(range(192, 256))
    assert row[part("lead")][0] == 1 and not row[part("auction")].any()


def test_measures_know_right_from_wrong():
    order = np.random.default_rng(1)
    chances = order.dirichlet(np.ones(14), 20_000).astype(np.float32)
    tricks = (chances.cumsum(1) < order.random((20_000, 1))).sum(1).clip(max=13)
    needed, count = np.full(20_000, 9), np.ones(20_000, dtype=np.int64)
    good = measure(chances, tricks, needed, count)
    wrong = measure(chances[:, ::-1], tricks, needed, count)
    assert good["calibration"] < 0.02 < wrong["calibration"]
    assert good["brier"] < wrong["brier"] and good["log_loss"] < wrong["log_loss"]
    stated, made = np.array([0.15, 0.85]), np.array([False, True])
    assert calibration(stated, made, np.array([3, 1])) == pytest.approx(0.15)


@pytest.mark.solver
def test_a_play_gives_away_what_it_costs():
    """The leader gives one trick away, declarer gives it back."""
    owners = np.full(52, 255, dtype=np.uint8)
    held = {"N": "S2 H2", "E": "SA H3", "S": "SK HA", "W": "S3 H4"}
    for seat, hand in held.items():
        for card in hand.split():
            owners[parse_card(card)] = Seat.parse(seat)
    cards = [parse_card(card) for card in "H3 HA H4 H2 SK S3 S2 SA".split()]
    values = values_of_cards(owners, tc.cards.Strain.NOTRUMP, Seat.NORTH, cards)
    assert given_away(owners, values, cards, Seat.NORTH) == {"lead": 0, "defence": 0, "declarer": 0}


def test_norms_are_whole():
    for norm in norms().values():
        assert sum(norm.shares) == pytest.approx(1)
        assert norm.low < norm.mean < norm.high
        assert norm.at_most(0) == norm.shares[0] < norm.at_most(1) <= 1
    assert norms()["lead"].mean < norms()["defence"].mean < norms()["declarer"].mean
