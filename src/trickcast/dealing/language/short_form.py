"""Read the short form: ``hcp 15-17, balanced``, every clause about one seat's hand."""

import re
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import numpy as np
from lark import Token, v_args

from ...cards import RANKS, Seat, Suit
from ...cards.hand import HCP
from .conditions import (
    AllOf,
    AnyOf,
    Clause,
    Comparison,
    HandCount,
    HasCards,
    InShapes,
    Node,
    Not,
    Number,
    leaves,
)
from .hand_counts import (
    HUNDREDTHS,
    Count,
    find_count,
    hcp,
    honours,
    known_counts,
    length,
    parse_card_text,
    parse_suit,
    unknown,
)
from .mistakes import clip, pointed
from .named_hands import hands_by_name
from .parsing import COMPARISONS, SEATS, Branch, Reader, aligned, is_misspelt, no_hand
from .shapes import any_order, balanced, exactly, parse_pattern

Meaning = Callable[[str, str | None], Node]
"""What words mean in a system, or in the default one if it is None; raises ValueError
for words that the system does not have."""


def _no_meaning(words: str, system: str | None) -> Node:
    raise ValueError(
        f"{clip(words)} does not belong in a rule (expected such as hcp 12-14, spades 5+)"
    )


def read_hand(
    text: str,
    seat: Seat,
    *,
    source: str | None = None,
    names: Mapping[str, Node] | None = None,
    opening: Meaning = _no_meaning,
    described: Meaning = _no_meaning,
) -> tuple[Clause, ...]:
    """Read the short form for one seat.

    ``source`` names the text in errors, by default the seat. ``names`` are user-defined words,
    in lower case. ``opening`` and ``described`` give the meaning of an opening bid (``1H``) and of
    a named hand. Raises ConstraintError with line, column and a caret.
    """
    reader = _HandReader(text, seat, source or seat.name.lower(), names or {})
    reader.opening, reader.hand_called = opening, described
    return reader.clauses()


class _HandReader(Reader):
    opening: Meaning
    hand_called: Meaning

    def __init__(self, text: str, seat: Seat, source: str, names: Mapping[str, Node]):
        super().__init__(text, "hand", source)
        self.seat = seat
        self.names = names
        self.words = dict[int, str]()
        """Words that are not in the grammar, by their start."""
        self.lacked = set[int]()
        """The ends of what follows a ``no``."""
        for branch in self.tree.iter_subtrees_topdown():
            self._refuse_ambiguous(branch)
            if branch.data == "denial" and branch.children[0].type == "NO":
                self.lacked.add(self.place(branch.children[1]).end)
            if branch.data == "named":
                self.words[branch.children[0].start_pos or 0] = str(branch.children[0])

    def clauses(self) -> tuple[Clause, ...]:
        """Return the conditions that must all hold, each as it was written."""
        waiting, found = [*reversed(self.tree.children)], list[Clause]()
        while waiting:
            part = waiting.pop()
            if getattr(part, "data", "") in ("together", "beside"):
                waiting += reversed(part.children)
            elif not isinstance(part, Token):
                found.append(Clause(self.source, self.written(part), self.read(part)))
        return tuple(found)

    def _refuse_ambiguous(self, branch: Branch) -> None:
        """Raise ConstraintError if words without a comma could belong to either of two clauses."""
        parts = [part for part in branch.children if not isinstance(part, Token)]
        beside = [part.data == "beside" for part in parts]
        if branch.data == "alternatives" and any(beside) and not all(beside):
            raise self.error(
                branch, f"which words belong together? (expected {self._both_ways(parts)})"
            )
        for part in parts[:-1] if branch.data == "beside" else ():
            if part.data == "denial" and part.children[0].type == "NOT":
                denied = clip(self.written(part))
                message = f"{denied}, or not all of it? (expected a comma or brackets after not)"
                raise self.error(branch, message)

    def _both_ways(self, parts: list[Branch]) -> str:
        """Return both readings of alternatives, each as it should be written."""
        apart = " or ".join(f"({self.written(part)})" for part in parts)
        words = [[self.written(word) for word in part.children if not isinstance(word, Token)]
                 if part.data == "beside" else [self.written(part)] for part in parts]  # fmt: skip
        before, after = words[0][:-1], words[-1][1:]
        choice = " or ".join([words[0][-1], *map(" ".join, words[1:-1]), words[-1][0]])
        return clip(apart) + "; or " + clip(", ".join([*before, f"({choice})", *after]))

    def hand(self, parts: list[Any]) -> Node:
        return AllOf(_nodes(parts))

    together = beside = hand

    def alternatives(self, parts: list[Any]) -> Node:
        """Return alternatives; if all are shapes, they become one set of shapes."""
        nodes = _nodes(parts)
        shapes = [node.shapes for node in nodes if isinstance(node, InShapes)]
        if len(shapes) < len(nodes):
            return AnyOf(nodes)
        return InShapes(reduce(np.logical_or, shapes), self.seat)

    def denial(self, parts: list[Any]) -> Node:
        return Not(parts[-1])

    @v_args(meta=True)
    def lacking(self, meta: Branch, parts: list[Any]) -> Node:
        """Read ``no aces``, ``without hearts``."""
        return self.compared(meta, "==", self.measure(parts[1:]), Number(0))

    def named(self, parts: list[Token]) -> Node:
        (token,) = parts
        word = token.lower()
        if word in self.names:
            return self.names[word]
        if word in SEATS:
            raise ValueError(no_hand(str(token)))
        longer = [name for name in hands_by_name() if name.startswith(f"{word} ")]
        if longer:
            raise ValueError(f"{clip(token)} what? (expected such as {longer[-1]})")
        if word in ("open", "opens"):
            raise ValueError(f"{token} what? (expected such as opens 1NT)")
        self._refuse_cards(token)
        words = [*self.names, *known_counts(), "balanced", "semibalanced", "unbalanced"]
        counted = _NUMBER_FOLLOWS.match(self.text, self.place(token).end)
        raise ValueError(unknown(str(token), words, "a count" if counted else "known here"))

    def _refuse_cards(self, token: Token) -> None:
        """Raise ValueError for ``void in spades`` and ``AK in spades``, which have other forms."""
        start, end = self.place(token).start, self.place(token).end
        if short := _SHORT_SUIT.match(self.text, start):
            suit = parse_suit(short[2] or "spades").name.lower()
            such = "" if short[2] else "such as "
            cards = _SHORT.index(short[1].lower())
            raise ValueError(f"{clip(short[0])} is not known here (expected {such}{suit} {cards})")
        in_suit = _IN_A_SUIT.match(self.text, end)
        ranks = token.upper().replace("10", "T")
        if set(ranks) <= set(RANKS) and (in_suit or (len(ranks) > 1 and token.isupper())):
            suit = parse_suit(in_suit[1] if in_suit else "spades").name.lower()
            such = "" if in_suit else "such as "
            form = f"{len(set(ranks))} of {clip(token.upper())} in {suit}"
            raise ValueError(f"{clip(token)} is not known here (expected {such}{form})")

    def alone(self, parts: list[Token]) -> Node:
        (token,) = parts
        end = self.place(token).end
        card = token.lower() in _RANKS
        such = (
            f"such as {token} 1, or SA for a card" if card else "a number or a range, such as 12-14"
        )
        message = f"{clip(token)} of how much? (expected {such})"
        raise pointed(self.text, end, end, message, self.source)

    @v_args(meta=True)
    def bound(self, meta: Branch, parts: list[Any]) -> Node:
        left, sign, right = parts
        compared = self.compared(meta, COMPARISONS.get(sign, str(sign)), left, right)
        if not leaves(compared):
            written = clip(self.written(meta))
            raise ValueError(f"{written} says nothing about the hand (expected hcp 12-14)")
        return compared

    def compared(self, place: Branch, operator: str, left: Node, right: Node) -> Comparison:
        """Return two numbers compared; refuse a whole number that could only mean points."""
        for counted, limit in ((left, right), (right, left)):
            if (
                isinstance(counted, HandCount)
                and counted.unit == "hundredths"
                and isinstance(limit, Number)
                and limit.unit != "decimal"
                and 0 < 100 * limit.value <= counted.count.bounds[1]
            ):
                raise self.error(
                    place,
                    f"{counted.count.name} is in hundredths, which {limit.value} is too small for "
                    f"(expected {limit.value}.0 for points, or {100 * limit.value})",
                )
        return Comparison(operator, *aligned(left, right))

    def number(self, parts: list[Token]) -> Number:
        return self.limit(parts[0])

    def limit(self, token: Token, digits: str | None = None) -> Number:
        """Read a number; ``digits`` is the numeric part of the token."""
        digits = str(token) if digits is None else digits
        return Number(self.number_of(token, digits), "decimal" if "." in digits else "")

    @v_args(meta=True)
    def total(self, meta: Branch, parts: list[Any]) -> Node:
        if isinstance(parts[0], Token):  # a number and its sign, as in "5+ hearts"
            token, *others = parts
            if token[-1] not in "+-":
                raise self.error(
                    token, f"{clip(token)} is not a number (expected one, or hcp 12-14)"
                )
            parts = [self.limit(token, token[:-1].strip()), token[-1], *others]
        result = self.joined(meta, parts)
        if not leaves(result):
            written = clip(self.written(meta))
            raise ValueError(f"{written} is not a number (expected one, or hcp 12-14)")
        return result

    times = led = led_times = led_right = total

    def suit(self, parts: list[Token]) -> Suit:
        return parse_suit(str(parts[0]))

    def longest(self, parts: list[Any]) -> Node:
        suit = parts[1]
        mine = HandCount(length(suit), self.seat)
        others = [HandCount(length(other), self.seat) for other in Suit if other != suit]
        return AllOf(tuple(Comparison(">=", mine, other) for other in others))

    def flat(self, parts: list[Token]) -> Node:
        word = parts[0].lower()
        shapes = balanced(semi=word.startswith("semi"))
        return InShapes(~shapes if word.startswith("un") else shapes, self.seat)

    def shapeset(self, parts: list[Any]) -> Node:
        return InShapes(parts[1], self.seat)

    def pattern(self, parts: list[Token]) -> Node:
        pattern = parse_pattern(str(parts[-1]))
        # "5332" alone is a pattern in any order; with an x or = the suits are meant in order
        ordered = len(parts) == 1 and None in pattern
        make = exactly if ordered else any_order
        return InShapes(make(pattern), self.seat)

    def exact(self, parts: list[Token]) -> Node:
        return InShapes(exactly(parse_pattern(str(parts[0]))), self.seat)

    def cards(self, parts: list[Token]) -> Node:
        """Read ``SAK``, or one card in words: ``the ace of spades``, ``heart queen``."""
        text = str(parts[0])
        if parts[0].type == "SPELT":
            first, last = (word for word in text.lower().split() if word not in ("the", "of"))
            suit, rank = (first, last) if last in _RANKS else (last, first)
            text = parse_suit(suit).letter + _RANKS.get(rank, rank)
        return HasCards(tuple(parse_card_text(text)), self.seat)

    def holdings(self, parts: list[Token]) -> Node:
        """Read ``AQxxx.Kxx.Ax.KJx``, or ``♠AQxxx`` alone; an x is a card below the ten."""
        text = re.sub("[\ufe0e\ufe0f]", "", str(parts[0])).upper().replace("10", "T")
        if "." not in text:
            return AllOf(self._holding(parse_suit(text[0]), text[1:]))
        held = text.split(".")
        cards = sum(map(len, held))
        if cards != 13:
            raise ValueError(f"{clip(text)}: {cards} cards (expected 13)")
        points = sum(HCP[RANKS.index(rank)] for rank in text if rank in "AKQJ")
        nodes = [node for suit in Suit for node in self._holding(suit, held[suit])]
        return AllOf((*nodes, Comparison("==", HandCount(hcp(), self.seat), Number(points))))

    def _holding(self, suit: Suit, ranks: str) -> tuple[Node, ...]:
        """Return the conditions for this holding of a suit; an x is any card below the ten."""
        known, small = ranks.replace("X", ""), ranks.count("X")
        top = honours("AKQJT", suit)
        has = (HasCards(tuple(parse_card_text(suit.letter + known)), self.seat),) if known else ()
        if small + sum(rank in "98765432" for rank in known) > 8:
            raise ValueError(f"{clip(ranks)}: there are eight cards below the ten")
        return (
            *has,
            Comparison("==", HandCount(length(suit), self.seat), Number(len(ranks))),
            Comparison("==", HandCount(top, self.seat), Number(sum(r in "AKQJT" for r in known))),
        )

    def span(self, parts: list[Any]) -> Node:
        """Read ``hcp 12-14``, ``5+ hearts``, ``5+ major``; a bare number means points."""
        token = next(part for part in parts if isinstance(part, Token))
        counted = next((part for part in parts if part is not token), None)
        if counted is None:
            return self._spanned(token, self._points(token))
        if isinstance(counted, HandCount):
            if parts[0] is token:
                self._refuse_no_suit(token, counted.count.name)
            else:
                self._refuse_points(token, counted.count)
            return self._spanned(token, counted)
        return self._in_a_suit(token, counted)

    def _refuse_no_suit(self, token: Token, counted: str) -> None:
        """Raise ConstraintError for ``15-17 hearts``, where a suit follows points."""
        if counted in _SUIT_NAMES and float(_amounts(token)[0]) > 13:
            much = clip(token)
            message = f"{much} {counted} are too many (expected a comma: {much}, {counted} 4+)"
            raise self.error(token, message)

    def _refuse_points(self, token: Token, counted: Count) -> None:
        """Raise ConstraintError for ``no aces 15-17``, where points follow another count."""
        first, most = float(_amounts(token)[0]), counted.bounds[1]
        cards = most < _POINTS_FROM or (most <= 13 and self.place(token).end in self.lacked)
        if cards and first >= _POINTS_FROM and first > most:
            much = clip(token)
            message = f"{counted.name} {much} are too many (expected a comma before {much})"
            raise self.error(token, message)

    def _points(self, token: Token) -> HandCount:
        """Return the count that a bare number means: points, unless a suit could have as many."""
        blanks = _BLANKS.match(self.text, self.place(token).end)
        assert blanks is not None  # it also matches an empty text
        word = self.words.get(blanks.end(), "")
        if word.lower() not in self.names and is_misspelt(word):
            end = blanks.end() + len(word)
            message = unknown(word, known_counts())
            raise pointed(self.text, blanks.end(), end, message, self.source)
        first = _amounts(token)[0]
        if len(first) == 4 and first.isdigit():
            other = _AND_A_SHAPE.match(self.text, self.place(token).end)
            both = f"{first} or {other[1]}, or shape {first} + {other[1]}" if other else ""
            message = f"{clip(token)} points? (expected {both or f'{first} for the shape'})"
            raise self.error(token, message)
        if float(_amounts(token)[-1]) < _POINTS_FROM:
            kind = _IN_KIND.match(self.text, self.place(token).end)
            if kind is not None:
                self._refuse_two_suits(token, _KINDS[kind[1].lower()])
            text = clip(token)
            another = _OR_A_NUMBER.match(self.text, self.place(token).end)
            text = f"{text}-{another[1]}" if another is not None else text
            message = f"{text} points or cards? (expected {text} hcp, or {text} spades)"
            raise self.error(token, message)
        return HandCount(hcp(), self.seat)

    def _in_a_suit(self, token: Token, suits: tuple[Suit, ...]) -> Node:
        """Return the condition that one of these suits has the length."""
        self._refuse_two_suits(token, suits)
        lengths = [HandCount(length(suit), self.seat) for suit in suits]
        return AnyOf(tuple(self._spanned(token, count) for count in lengths))

    def _refuse_two_suits(self, token: Token, suits: tuple[Suit, ...]) -> None:
        """Raise ConstraintError for ``5-5 majors``, which is two lengths or a range of one."""
        if not _TWO_LENGTHS.fullmatch(token) or len(suits) != 2:
            return
        first, second = _amounts(token)
        if int(first) + int(second) > 13:  # no hand is that long in both
            return
        one, other = (suit.name.lower() for suit in suits)
        both = f"{one} {first}+, {other} {second}+"
        if first != second:
            both = f"({both}) or ({one} {second}+, {other} {first}+)"
        length = first if first == second else f"{first}-{second}"
        single = f"{one} {length} or {other} {length}"
        if int(first) > int(second):
            raise self.error(token, f"{clip(token)} which way round? (expected {both})")
        message = f"{clip(token)} in both suits or in one? (expected {both}; or {single})"
        raise self.error(token, message)

    def long(self, parts: list[Any]) -> Node:
        """Read ``five-card major`` or ``5-card heart suit``: five or more cards."""
        token, word = parts[:2]
        suits = word if isinstance(word, tuple) else (parse_suit(str(word)),)
        cards = self.limit(token, _amounts(token)[0])
        lengths = [HandCount(length(suit), self.seat) for suit in suits]
        return AnyOf(tuple(Comparison(">=", count, cards) for count in lengths))

    def kind(self, parts: list[Token]) -> tuple[Suit, ...]:
        return _KINDS[parts[0].lower().rstrip("s")]

    def _spanned(self, token: Token, count: HandCount) -> Node:
        """Return the condition of a token on a count: ``12-14``, ``5+``, ``at most 3``."""
        text = str(token)
        ends = [self.limit(token, amount) for amount in _amounts(token)]
        most = count.count.bounds[1]
        if ends[0].value > most and count.count.name.startswith("of "):
            expected = f"expected {most:.0f} or fewer"
            raise self.error(token, f"{clip(text)} of {most:.0f} cards ({expected})")
        if token.type == "RANGE":
            if ends[0].value > ends[1].value:
                expected = f"expected {ends[1].value}-{ends[0].value}"
                raise self.error(token, f"{text} runs backwards ({expected})")
            signs = zip((">=", "<="), ends, strict=True)
            return AllOf(tuple(self.compared(token, sign, count, end) for sign, end in signs))
        return self.compared(token, _SIGNS.get(token.type, "=="), count, ends[0])

    def opened(self, parts: list[Token]) -> Node:
        call = next(part for part in parts if part.type in ("CALL", "OPENING"))
        return self.opening(re.sub(r"^an?\s+", "", call, flags=re.IGNORECASE), _system(parts))

    def described(self, parts: list[Token]) -> Node:
        words = str(parts[0])
        own = self.names.get(words.lower())
        return self.hand_called(words, _system(parts)) if own is None else own

    def measure(self, parts: list[Any]) -> HandCount:
        name, *of_suit = parts
        suit = of_suit[-1] if of_suit else None
        unit: Any = "hundredths" if name.lower() in HUNDREDTHS else ""
        return HandCount(find_count(str(name), suit), self.seat, unit)

    def honours(self, parts: list[Any]) -> HandCount:
        return HandCount(honours(str(parts[1]), parts[-1]), self.seat)


_NUMBER_FOLLOWS = re.compile(r"\s*(?:[<>=!≤≥≠]+\s*)?[0-9]")
_TWO_LENGTHS = re.compile(r"\w+\s*[-–—]\s*\w+")
_IN_KIND = re.compile(r"\s+(?:in\s+)?(?:(?:the|both)\s+)*(major|minor)s?\b", re.IGNORECASE)
_BLANKS = re.compile(r"\s*")
_OR_A_NUMBER = re.compile(r"\s+or\s+([0-9]{1,2})(?![\w.=+-])", re.IGNORECASE)
_AND_A_SHAPE = re.compile(r"\s*([0-9x]{4})(?!\w)", re.IGNORECASE)
_SHORT = ("void", "singleton", "doubleton", "tripleton")
_A_SUIT = r"((?:spade|heart|diamond|club)s?\b|[♠♥♦♣])"
_SHORT_SUIT = re.compile(
    rf"(?:an?\s+)?({'|'.join(_SHORT)})s?\b(?:\s+(?:(?:in|of)\s+)?{_A_SUIT})?", re.IGNORECASE
)
_IN_A_SUIT = re.compile(rf"\s+(?:(?:in|of)\s+)?{_A_SUIT}", re.IGNORECASE)
_RANKS = {"ace": "A", "king": "K", "queen": "Q", "jack": "J", "ten": "T"}
_POINTS_FROM = 10
"""A bare number from here on means points; a smaller one could mean cards."""
_SIGNS = {"ATLEAST": ">=", "ATMOST": "<=", "FEWER": "<", "MORE": ">"}
_SUIT_NAMES = tuple(suit.name.lower() for suit in Suit)
_KINDS = {
    "major": (Suit.SPADES, Suit.HEARTS),
    "minor": (Suit.DIAMONDS, Suit.CLUBS),
    "suit": tuple(Suit),
}
_IN_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
             "eleven", "twelve", "thirteen")  # fmt: skip
_AMOUNT = re.compile(rf"[0-9]+(?:\.[0-9]+)?|\b(?:{'|'.join(_IN_WORDS)})\b", re.IGNORECASE)


def _amounts(token: Token) -> list[str]:
    """Return the numbers in ``12-14``, ``at least five``, as digits."""
    found: list[str] = _AMOUNT.findall(token)
    return [n if n[0].isdigit() else str(_IN_WORDS.index(n.lower()) + 1) for n in found]


def _system(parts: list[Token]) -> str | None:
    """Return the named system, if there is one."""
    return next((str(part) for part in parts if part.type == "SYSTEM"), None)


def _nodes(parts: list[Any]) -> tuple[Node, ...]:
    return tuple(part for part in parts if not isinstance(part, Token))
