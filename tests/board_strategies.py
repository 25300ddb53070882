"""Boards made up by hypothesis, with all that a PBN or LIN file can say."""

import random

import numpy as np
from hypothesis import strategies as st

from trickcast.cards import UNKNOWN, Board, DealSet, Seat, Tag, Vulnerability, card_text
from trickcast.cards.auction import contract_of, is_over, strain_of
from trickcast.dealing import random_deals
from trickcast.formats.boards import tricks_of

BIDS = [f"{level}{strain}" for level in range(1, 8) for strain in "CDHSN"]


def auction(rng: random.Random, over: bool = True) -> tuple[str, ...]:
    """A lawful auction, by chance; only begun when not ``over``."""
    calls: list[str] = []
    highest = -1
    while not is_over(calls):
        last = next((call for call in reversed(calls) if call != "PASS"), "PASS")
        doubling = {"PASS": [], "XX": [], "X": ["XX"]}.get(last, ["X"])
        higher = BIDS[highest + 1 : highest + 8]
        call = rng.choice(["PASS", "PASS", *doubling, *higher[: rng.choice([1, 7])]])
        if call in BIDS:
            highest = BIDS.index(call)
        calls.append(call)
    return tuple(calls) if over else tuple(calls[: rng.randrange(len(calls))])


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
    cards = rng.sample(range(52), draw(st.sampled_from([0, 1, 3, 4, 17, 47, 52])))
    strain = strain_of(contract)
    play = tuple(map(card_text, cards)) if strain is not None else ()
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
