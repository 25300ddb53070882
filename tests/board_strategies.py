"""Boards made up by hypothesis, with all that a PBN or LIN file can say."""

import random

import numpy as np
from hypothesis import strategies as st

from trickcast.cards import UNKNOWN, Board, DealSet, Seat, Strain, Tag, Vulnerability, card_text
from trickcast.cards.auction import BIDS, CALLS, contract_of, is_over, legal_calls, strain_of
from trickcast.dealing import random_deals
from trickcast.formats.board_text import tricks_of, winner_of_texts


def auction(rng: random.Random, over: bool = True) -> tuple[str, ...]:
    """A lawful auction, by chance; only begun when not ``over``."""
    calls: list[str] = []
    while not is_over(calls):
        legal = [CALLS[i] for i in legal_calls(calls).nonzero()[0]]
        low = [call for call in legal if call in BIDS][: rng.choice([1, 7])]
        calls.append(rng.choice(["PASS", "PASS", *(c for c in legal if c[0] == "X"), *low]))
    return tuple(calls) if over else tuple(calls[: rng.randrange(len(calls))])


def play_of(
    rng: random.Random, owners: bytes, strain: Strain, leader: Seat, count: int
) -> tuple[str, ...]:
    """So many cards, each of the seat whose turn it is, though it need not follow suit."""
    hands = [[card for card in range(52) if owners[card] == seat] for seat in range(4)]
    play = list[str]()
    while len(play) < count:
        trick = [card_text(hands[(leader + i) % 4].pop(rng.randrange(13 - len(play) // 4)))
                 for i in range(4)]  # fmt: skip
        play += trick
        leader = Seat((leader + winner_of_texts(trick, strain)) % 4)
    return tuple(play[:count])


def texts(**options: int) -> st.SearchStrategy[str]:
    """Text of one line, as a note or a player's name holds it."""
    return st.text(st.characters(exclude_categories=("Cc", "Cs")), **options)


COMMENTS = st.one_of(
    st.text("ab \"'[]%;=*-", max_size=12).map(lambda text: (("; " + text).rstrip(),)),
    st.text("ab \"'[]%;=*-", max_size=12).map(lambda text: ("{" + text + "}",)),
    st.just(("{two", "", '[Event "no tag"]', "lines }")),
    st.just(("% an escape",)),
)
ODD_TAGS = st.builds(
    Tag,
    st.sampled_from(["", "Event", "Site", "West", "Scoring", "Room", "Odd_1", "Score", "BCFlags"]),
    texts(max_size=12).filter(lambda text: text != "#"),
    st.one_of(st.just(()), COMMENTS),
).map(lambda tag: tag if tag.name else Tag("", "", tag.lines or ("% nothing",)))
TABLE_TAGS = st.just(Tag("ScoreTable", r"Rank\2R;Contract", ('1 "3NT {x"', "; why", "2 Pass")))


@st.composite
def played_boards(draw: st.DrawFn) -> tuple[Board, int]:
    """A board with auction and play, and the seed of its deal."""
    rng = random.Random(draw(st.integers(0, 1 << 32)))
    seed = draw(st.integers(0, 1 << 32))
    owners = random_deals(1, seed).owners[0].tobytes()
    dealer = draw(st.sampled_from(Seat))
    calls = auction(rng, over=draw(st.booleans()))
    contract, declarer = contract_of(dealer, calls)
    count = draw(st.sampled_from([0, 1, 3, 4, 17, 47, 52]))
    strain = strain_of(contract)
    play: tuple[str, ...] = ()
    if strain is not None and declarer is not None:
        play = play_of(rng, owners, strain, declarer.lho, count)
    result = None
    if strain is not None and declarer is not None:
        result = tricks_of(play, declarer, strain, owners)
        result = draw(st.one_of(st.just(result), st.integers(0, 13)))
    notes = texts(max_size=9).map(str.strip)
    explained = (
        draw(st.dictionaries(st.integers(0, len(calls) - 1), notes, max_size=3)) if calls else {}
    )
    board = Board(
        number=draw(st.one_of(st.none(), st.integers(1, 99))),
        dealer=dealer,
        vulnerability=draw(st.one_of(st.none(), st.sampled_from(Vulnerability))),
        contract=contract,
        declarer=declarer,
        result=result,
        auction=calls,
        explanations=tuple(sorted(explained.items())),
        play=play,
    )
    return board, seed


@st.composite
def deal_sets(draw: st.DrawFn, boards: st.SearchStrategy[tuple[Board, int]]) -> DealSet:
    """Some boards with deals and, here and there, tricks."""
    made = draw(st.lists(boards, min_size=1, max_size=3))
    owners = np.concatenate([random_deals(1, seed).owners for _, seed in made])
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    tricks = rng.integers(0, 14, (len(made), 5, 4)).astype(np.uint8)
    tricks[rng.random(tricks.shape) < draw(st.sampled_from([0, 0.3, 1]))] = UNKNOWN
    return DealSet(owners, tricks, [board for board, _ in made])
