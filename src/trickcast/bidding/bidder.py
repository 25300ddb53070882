"""The network of calls, run by ONNX Runtime: how likely each call is, given hand and auction."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import HandsLike, Seat, Vulnerability, as_hands, shorten
from ..cards.auction import CALLS, CallError
from ..cards.auction_text import Auction, AuctionLike, read_auction
from ..cards.one_or_many import each_of
from ..cards.styles import read_style
from ..cards.turns import encode_calls, turns_of, with_sides
from ..estimator.files import (
    BROKEN,
    ModelError,
    ModelFile,
    check_pickled,
    check_shape,
    locate,
    open_session,
    pickled_name,
    run_model,
)
from ..model_format import BIDDING_MODEL_FORMAT
from .meanings import Meaning, MeaningsLike, agreed, read_meanings

DEFAULT_MODEL = "championship"
_WEIGHTS = Path(__file__).parent.parent / "weights" / "bidding"
_FORBIDDEN = -1e9
Floats = NDArray[np.float32]
_Turn = tuple[tuple[int, ...], int, int, str | None]


class BiddingModelInfo(ModelFile):
    """A model of calls: its file and the metadata in it."""

    @property
    def scores(self) -> dict[str, float]:
        """Log-loss per call and share of correct calls, on held-out data."""
        scores: dict[str, float] = json.loads(self.metadata["scores"])
        return scores


class Reading:
    """An auction read by a Bidder, ready for queries about any number of hands.

    Turns count from 0, the dealer's first; the last one follows all calls.
    """

    def __init__(
        self,
        bidder: Bidder,
        auction: Auction,
        contexts: Floats,
        meanings: Sequence[Meaning] = (),
    ):
        self.auction, self.meanings = auction, meanings
        self._bidder, self._contexts = bidder, contexts

    def __repr__(self) -> str:
        return f"<Reading of {self.auction}>"

    def first(self, turns: int) -> Reading:
        """Return the reading of only the first calls: no turn sees later ones."""
        contexts = self._contexts[: turns + 1]
        return Reading(self._bidder, self.auction.first(turns), contexts, self.meanings)

    def log_chances(self, turns: Sequence[int], hands: NDArray[np.bool_]) -> Floats:
        """Return (turns, m, 38) log-chances of calls for (m, 52) hands."""
        logs = self._bidder._chances(self._contexts[list(turns)][:, None], hands)
        for i, turn in enumerate(turns):
            if told := self.meanings_at(turn):
                logs[i] = agreed(logs[i], hands, told)
        return logs

    def meanings_at(self, turn: int) -> list[Meaning]:
        """Return the meanings that apply to the call of a turn."""
        return [each for each in self.meanings if each.belongs(self.auction, turn)]

    def log_likelihood(
        self, seat: Seat, hands: NDArray[np.bool_], first: int = 0
    ) -> NDArray[np.float64]:
        """Return (m,) the log-chance that a seat makes its calls with a hand.

        Counts all its calls, or those from turn ``first`` on.
        """
        logs: NDArray[np.float64] = self.call_logs(seat, hands, first).sum(axis=0, dtype=np.float64)
        return logs

    def call_logs(self, seat: Seat, hands: NDArray[np.bool_], first: int = 0) -> Floats:
        """Return (calls of the seat from turn ``first`` on, m) log-chances."""
        made = [each for each in zip(*self.turns(seat), strict=True) if each[0] >= first]
        if not made or not len(hands):
            return np.zeros((len(made), len(hands)), dtype=np.float32)
        chances = self.log_chances([turn for turn, _ in made], hands)
        return np.stack([chances[i, :, call] for i, (_, call) in enumerate(made)])

    def turns(self, seat: Seat) -> tuple[list[int], list[int]]:
        """Return the turns of a seat, and its calls in them."""
        first = (seat - self.auction.dealer) % 4
        turns = list(range(first, len(self.auction.calls), 4))
        return turns, [self.auction.calls[turn] for turn in turns]


class Bidder:
    """Load a model of bidding once: the chance of every call, given hand and auction.

    The chances are those of players in championships.

    Args:
        model: Name of a model that ships, or path of an ``.onnx`` file that ``trickcast train
            bidding`` exported.
        threads: Number of threads. Default: all cores.

    Raises:
        ModelError: The model is unknown, missing or damaged.
        ValueError: ``threads`` is below 1.

    Example:
        >>> bidder = tc.Bidder(threads=1)
        >>> chances = bidder.probabilities("KQ4.AQ5.K873.J94", "", dealers="N")
        >>> chances.shape, bidder.calls[chances.argmax()]
        ((38,), '1N')
    """

    calls = CALLS
    """The order of the chances: ``PASS X XX 1C 1D … 7N``."""
    info: BiddingModelInfo
    """The model's file and the metadata in it."""

    def __init__(
        self, model: str | os.PathLike[str] = DEFAULT_MODEL, *, threads: int | None = None
    ):
        path, expected = locate(model, _WEIGHTS, "model of calls")
        self._session, sha256 = open_session(path, expected, threads)
        metadata = dict(self._session.get_modelmeta().custom_metadata_map)
        if metadata.get("format") != BIDDING_MODEL_FORMAT:
            raise ModelError(
                f"{path}: its format is {shorten(metadata.get('format'))} (expected "
                f"{BIDDING_MODEL_FORMAT!r}; SHA-256 {sha256})"
            )
        self.info = BiddingModelInfo(path, sha256, metadata)
        try:
            _ = self.info.name, self.info.scores
            self._size = int(self._session.get_inputs()[1].shape[2])
            self._width = int(self._session.get_inputs()[0].shape[2])
        except BROKEN as error:
            reason = shorten(repr(error), 200)[1:-1]
            raise ModelError(f"{path}: damaged metadata: {reason} (SHA-256 {sha256})") from None
        self._threads = threads

    def __repr__(self) -> str:
        return f"<Bidder {self.info.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the model's name, or its path if it does not ship, and its checksum."""
        name = pickled_name(self.info, _WEIGHTS)
        return _same, (name, self.info.sha256, self._threads)

    def probabilities(
        self,
        hands: HandsLike,
        auctions: AuctionLike | Iterable[AuctionLike] = "",
        dealers: str | Seat | Iterable[str | Seat] = "N",
        vulnerable: str | Vulnerability | Iterable[str | Vulnerability] = "none",
        *,
        style: str | Iterable[str | None] | None = None,
    ) -> Floats:
        """Return the chances of the next call.

        Every argument may be one value for all hands, or a list of n.

        Args:
            hands: Hand of the seat that calls next. A Hand, its text, a list of these, or hands of
                shape (n, 52), bool.
            auctions: The calls so far, ``"1N P"``; ``""`` before the first.
            dealers: Dealer.
            vulnerable: Vulnerable sides: none, ns, ew or both.
            style: What is known of the players' methods: ``"weak-notrump"``, several with commas,
                or with the side before each, ``"ns precision, ew strong-notrump"``.

        Returns:
            Chances of the 38 calls in ``calls``, shape (n, 38), float32, 0 for illegal calls;
            (38,) for one hand.

        Raises:
            CallError: A call is invalid or illegal; the message names the place.
            DealError: A hand, dealer or vulnerability is not valid, or an auction is over.
            StyleError: A style cannot be read.
            ValueError: Counts differ.
        """
        held, single = as_hands(hands)
        n = len(held)
        asked = [
            each_of(auctions, n, "auctions", Auction),
            each_of(dealers, n, "dealers", Seat),
            each_of(vulnerable, n, "vulnerable", Vulnerability),
            each_of(style, n, "styles", NoneType),
        ]
        where = self._asked(asked, single)
        contexts = np.empty((n, self._size), dtype=np.float32)
        found = self._next_contexts(list(where))
        for rows, context in zip(where.values(), found, strict=True):
            contexts[rows] = context
        chances = np.zeros((n, len(CALLS)), dtype=np.float32)
        if n:
            np.exp(self._chances(contexts[None], held)[0], out=chances)
        return chances[0] if single else chances

    def _asked(self, asked: Sequence[Sequence[Any]], single: bool) -> dict[_Turn, list[int]]:
        """Return the distinct auctions, sides and so on, each with the indices of its hands."""
        where: dict[_Turn, list[int]] = defaultdict(list)
        for i, (auction, dealer, vulnerable, style) in enumerate(zip(*asked, strict=True)):
            try:
                read = read_auction(auction, dealer, vulnerable)
                if read.state.over:
                    made = len(read.calls)
                    raise CallError(f"the auction {read} is over, so there is no next call", made)
            except CallError as error:
                alike = single or all(other is auction for other in asked[0])
                raise error if alike else CallError(f"auction {i}: {error}", error.made) from None
            where[read.calls, read.next_caller.side, int(read.vulnerable), style].append(i)
        return where

    def read(
        self,
        auction: AuctionLike,
        dealer: str | Seat = "N",
        vulnerable: str | Vulnerability = "none",
        *,
        style: str | None = None,
        meanings: MeaningsLike = (),
    ) -> Reading:
        """Read an auction once, to ask about many hands.

        Args:
            auction: The calls so far, dealer first: ``"1N P 3N"``, a list of calls, or an Auction.
            dealer: Seat of the dealer.
            vulnerable: Vulnerable sides: none, ns, ew or both.
            style: As in ``probabilities``.
            meanings: What calls mean in your system; see ``read_meanings``.

        Returns:
            An AuctionReading.

        Raises:
            CallError: A call is invalid or illegal.
            DealError: The dealer or vulnerability is not valid.
            MeaningError: A meaning cannot be read.
            StyleError: The style cannot be read.
        """
        read = read_auction(auction, dealer, vulnerable)
        rows, allowed = encode_calls(read.calls)
        sides = (read.dealer + np.arange(len(rows))) % 2
        rows = with_sides(rows, sides, read.vulnerable, read_style(style))
        steps = -(-len(rows) // 4)
        turns = np.zeros((steps * 4, rows.shape[1]), dtype=np.uint8)
        turns[: len(rows)] = rows
        found = self._read(turns.reshape(steps, 4, -1)).reshape(steps * 4, -1)[: len(rows)]
        return Reading(self, read, _lawful(found, allowed), read_meanings(meanings))

    def _next_contexts(self, asked: Sequence[_Turn]) -> Floats:
        """Return the contexts of the turn after each of m auctions."""
        contexts = np.empty((len(asked), self._size), dtype=np.float32)
        by_steps: dict[int, list[int]] = defaultdict(list)
        for i, (calls, *_) in enumerate(asked):
            by_steps[len(calls) // 4 + 1].append(i)
        for steps, members in by_steps.items():
            turns = np.empty((steps, len(members), self._width), dtype=np.uint8)
            allowed = np.empty((len(members), len(CALLS)), dtype=np.bool_)
            for place, i in enumerate(members):
                calls, side, vulnerable, style = asked[i]
                rows, may = encode_calls(calls)
                own = turns_of(rows, len(calls))
                sides = np.full(steps, side)
                told = Vulnerability(vulnerable), read_style(style)
                turns[:, place] = with_sides(own, sides, *told)
                allowed[place] = may[-1]
            contexts[members] = _lawful(self._read(turns)[-1], allowed)
        return contexts

    def _read(self, turns: NDArray[np.uint8]) -> Floats:
        """Return the contexts of (steps, seats, width) turns."""
        no_context = np.zeros((1, 1, self._size), dtype=np.float32)
        no_hand = np.zeros((1, 52), dtype=np.bool_)
        return self._run("read", turns, no_context, no_hand, (*turns.shape[:2], self._size))

    def _chances(self, contexts: Floats, hands: NDArray[np.bool_]) -> Floats:
        """Return (a, m, 38) logarithms of chances: (a, 1 or m, k) contexts, (m, 52) hands."""
        no_turn = np.zeros((1, 1, self._width), dtype=np.uint8)  # the runtime crashes on zero turns
        shape = (len(contexts), len(hands), len(CALLS))
        return self._run("chances", no_turn, contexts, hands, shape)

    def _run(
        self,
        output: str,
        turns: NDArray[np.uint8],
        contexts: Floats,
        hands: NDArray[np.bool_],
        shape: tuple[int, ...],
    ) -> Floats:
        inputs: dict[str, NDArray[Any]] = {"turns": turns, "contexts": contexts, "hands": hands}
        (answer,) = run_model(self._session, self.info, [output], inputs)
        check_shape(answer, shape, self.info)
        return answer


@lru_cache(maxsize=4)
def loaded(model: str = DEFAULT_MODEL, threads: int | None = None) -> Bidder:
    """Return a Bidder that stays loaded for later use. Raises like ``Bidder``."""
    return Bidder(model, threads=threads)


def bidder_of(model: Any) -> Bidder:
    """Return ``model``, by default the one that ships. Raises TypeError if it is no Bidder."""
    if model is None:
        return loaded(threads=1)
    if not isinstance(model, Bidder):
        raise TypeError(f"model is {shorten(model)} (expected a Bidder, such as tc.Bidder())")
    return model


def _same(model: str, sha256: str, threads: int | None) -> Bidder:
    """Load a pickled Bidder. Raises ModelError if the file has changed since."""
    bidder = loaded(model, threads)
    check_pickled(bidder.info, sha256)
    return bidder


def _lawful(contexts: Floats, allowed: NDArray[np.bool_]) -> Floats:
    """Return contexts in which illegal calls have no chance: a context ends in calls."""
    contexts[..., -len(CALLS) :] += np.where(allowed, 0, _FORBIDDEN).astype(np.float32)
    return contexts
