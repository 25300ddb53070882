"""Parse text to lark's tree, and trees to nodes: shared by both forms of the language.

Errors point at the position, and say what was expected there.
"""

import re
from functools import cache
from importlib import resources
from typing import Any, Literal

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedToken, VisitError
from lark.lexer import PatternRE, TerminalDef
from lark.visitors import Transformer_NonRecursive

from ...cards.text import CURLY_QUOTES
from .conditions import (
    Arithmetic,
    Choice,
    Converted,
    DealCount,
    HandCount,
    Node,
    Number,
    Unit,
)
from .hand_counts import count_words, known_counts, nearest, unknown
from .mistakes import QUOTED, ConstraintError, Place, clip, pointed
from .named_hands import hands_by_name, spellings
from .shapes import Shapes, all_shapes, any_order, exactly, parse_pattern

Start = Literal["script", "hand", "strategy"]
Branch = Any
"""A lark Tree, its Meta, or a Token; the grammar decides which, and no type can express it."""
COMPARISONS = {"=": "==", "≤": "<=", "≥": ">=", "≠": "!="}
"""Signs that nodes spell differently."""
_MAX_LENGTH = 100_000
_LONGEST_NUMBER = 15
_MOST = 2.0**53
"""Whole numbers up to this limit are exact in either type."""
_LOOKALIKES = str.maketrans("\u212a\u017f\u0131\u0130", "Ksii")
"""Characters that lower-case to k, s and i but are other letters."""

_WORDS = {
    "NUMBER": "a number",
    "NAME": "a count such as hcp",
    "COUNT": "a count such as hcp",
    "SEAT": "north, east, south or west",
    "CARD": "a card such as SA",
    "CARDS": "cards such as SAK2",
    "PATTERN": "a shape such as 4333 or 5xx2",
    "EXACT": "lengths such as 5=3=3=2",
    "RANGE": "a range such as 15-17",
    "ATLEAST": "5+",
    "CALL": "a bid such as 1NT",
    "SYSTEM": "a system such as acol",
    "KIND": "major, minor or suit",
    "IF": "if",
    "ELSE": "else",
    "BY": "by",
    "PASS": "pass",
    "TO_PLAY": "a contract such as 4S",
    "COMPARE": "a comparison such as >=",
    "ADD": "+ or -",
    "MULTIPLY": "*, / or %",
    "EQUAL": "=",
    "EQUALS": "=",
    "COMMA": "a comma",
    "LPAR": "(",
    "RPAR": ")",
    "QMARK": "?",
    "COLON": ":",
    "AND": "and",
    "OR": "or",
    "NOT": "not",
    "ANY": "any",
    "IN": "in",
    "OF": "of",
    "SHAPE": "shape",
    "HASCARD": "hascard",
    "BALANCED": "balanced",
    "LONGEST": "longest",
    "SIGNED": "a number",
    "CONDITION": "condition",
    "PREDEAL": "predeal",
    "STRING": "a text in quotes",
    "CONTRACT": "a contract such as x4S",
    "$END": "the end",
}
"""Names of the grammar's terminals in messages; terminals not listed here are not mentioned."""

_SHORT_WORDS = (*known_counts(), "balanced", "semibalanced", "unbalanced", "shape",
                "longest", "any", "not")  # fmt: skip
SEATS = ("north", "east", "south", "west")
_KEYWORDS = {
    "SHAPE": "shape", "HASCARD": "hascard", "BALANCED": "balanced", "CONDITION": "condition",
    "PREDEAL": "predeal", "AND": "and", "OR": "or", "ANY": "any", "IN": "in", "OF": "of",
}  # fmt: skip

RESERVED = (
    "action", "altcount", "and", "condition", "generate", "hascard", "not", "or", "pointcount",
    "predeal", "produce", "shape", "vulnerable",
)  # fmt: skip
"""Words of Dealer's language that cannot be the name of an expression."""


@cache
def _parser(start: Start) -> Lark:
    grammar = resources.files(__package__).joinpath("grammar.lark").read_text("utf-8")
    return Lark(
        grammar,
        start=start,
        parser="lalr",
        propagate_positions=True,
        cache=False,
        edit_terminals=_filled_in,
    )


def _filled_in(terminal: TerminalDef) -> None:
    """Give two terminals their words: what can be counted, and named hands."""
    if terminal.name == "COUNT":
        words = sorted(count_words(), key=len, reverse=True)
        terminal.pattern = PatternRE(rf"(?:{'|'.join(words)})(?!\w)", flags=("i",))
    elif terminal.name == "DESCRIBED":
        phrases = sorted(hands_by_name(), key=len, reverse=True)
        spelled = "|".join(map(spellings, phrases))
        before, behind = r"(?:opens?\s+)?(?:(?:an?|the)\s+)?", r"(?!\w|\s+(?:in|of|over)\b)"
        terminal.pattern = PatternRE(rf"{before}(?:{spelled}){behind}", flags=("i",))


def parse(text: str, start: Start, source: str) -> Tree[Token]:
    """Return the tree of ``text``; ``source`` names it in errors.

    Raises ConstraintError for text that is not in the language.
    """
    if len(text) > _MAX_LENGTH:
        raise ConstraintError(
            f"{source}: {len(text):,} characters (expected at most {_MAX_LENGTH:,})"
        )
    if not text.strip():
        raise ConstraintError(f"{source}: the text is empty (expected such as {_EXAMPLE[start]!r})")
    try:
        return _parser(start).parse(text.translate(_LOOKALIKES))
    except UnexpectedCharacters as error:
        place, names = error.pos_in_stream or 0, set(error.allowed or ())
        word = re.match(r"\w+|.", text[place:], re.DOTALL)
        assert word is not None  # there is a character
        message = f"{clip(word[0])!r} is unexpected here ({_expected(names)})"
        if text[place] in CURLY_QUOTES:
            message = f"{text[place]} is a curly quotation mark (expected straight ones, or none)"
        if text.startswith("/*", place):
            message = "the comment is never closed (expected */)"
        raise pointed(text, place, place + word.end(), message, source) from None
    except UnexpectedToken as error:
        raise _unexpected(error, text, start, source) from None


_EXAMPLE = {
    "script": "hcp(north) >= 15 and spades(south) == 5",
    "hand": "hcp 15-17, balanced",
    "strategy": "3N if hcp(north) >= 16 else 2N",
}


def _unexpected(error: UnexpectedToken, text: str, start: Start, source: str) -> ConstraintError:
    token = error.token
    names = set(error.accepts or error.expected)
    ended = token.type == "$END"
    begin, end = (len(text.rstrip()),) * 2 if ended else (token.start_pos or 0, token.end_pos or 0)
    before = re.search(r"([a-z_]\w*)\s*$", text[:begin], re.IGNORECASE)
    if start == "hand" and before is not None and is_misspelt(before[1]):
        message = unknown(before[1], _SHORT_WORDS, "known here")
        return pointed(text, before.start(1), before.end(1), message, source)
    value = clip(str(token))
    if start == "hand" and before is not None and before[1].lower() in SEATS:
        return pointed(text, before.start(1), before.end(1), no_hand(before[1]), source)
    if start == "hand" and before is not None and names == {"IN"}:
        message = (
            f"of {before[1]}? (expected such as 3 spades, 2 of AKQ in spades, or SA for a card)"
        )
        return pointed(text, before.start(1), before.end(1), message, source)
    if ended:
        message = f"the text ends ({_expected(names)})"
    elif start == "script" and token.type in ("RANGE", "ATLEAST", "ATMOST"):
        message = f"{value} is of the short form (here: hcp(north) >= 15 and hcp(north) <= 17)"
    elif value == "=" and before is not None and is_reserved(before[1]):
        return pointed(text, before.start(1), before.end(1), no_name(before[1]), source)
    elif value == "=" and "COMPARE" in names:
        message = "= is unexpected here (did you mean ==?)"
    elif token.type == "COMPARE" and "COMPARE" not in names and "AND" in names:
        message = f"{value} compares a second time (expected 'and' between two comparisons)"
    elif start == "hand" and (token.type == "SEAT" or (value == "(" and "LPAR" not in names)):
        message = f"{value} is of Dealer's language (here, for one seat: hcp 15-17, spades 5+)"
    else:
        message = f"{value} is unexpected here ({_near(value, names) or _expected(names)})"
    return pointed(text, begin, max(end, begin + 1), message, source)


def is_reserved(word: str) -> bool:
    """Return whether a word is one of Dealer's own, in lower or upper case."""
    return word.lower() in RESERVED


def no_name(word: str) -> str:
    """Return the message that a word cannot be defined."""
    return f"{clip(word)} is a word of the language (expected another name)"


def no_hand(seat: str) -> str:
    """Return the message that the name of a seat is no part of one hand's description."""
    return f"{seat} is a seat (expected what one hand holds; in a theme, ; comes between seats)"


def is_misspelt(word: str) -> bool:
    """Return whether a word is almost one that the short form knows."""
    close = nearest(word, _SHORT_WORDS)
    return bool(close) and word.lower() not in (close[0], *SEATS)


def _near(value: str, names: set[str]) -> str:
    """Return the expected word that is closest to ``value``."""
    words = [_KEYWORDS[name] for name in names if name in _KEYWORDS]
    words += SEATS if "SEAT" in names else ()
    words += known_counts() if names & {"NAME", "COUNT"} else ()
    close = nearest(value, words, cutoff=0.7)
    return f"did you mean {close[0]}?" if close and close[0] != value.lower() else ""


def _expected(names: set[str]) -> str:
    if "BALANCED" in names:
        return "expected such as hcp 15-17, spades 5+, balanced"
    if "HASCARD" in names:
        return "expected such as hcp(north) >= 15"
    words = [word for name, word in _WORDS.items() if name in names]
    if "CARDS" in names and "CARD" in names:
        words.remove(_WORDS["CARDS"])
    return f"expected {', '.join(dict.fromkeys(words)) or 'nothing more'}"


def is_free_name(word: str) -> bool:
    """Return whether a word can name a sentence: it has no other meaning in the short form.

    Case is ignored.
    """
    if not re.fullmatch(r"[a-z_]\w*", word, re.IGNORECASE | re.ASCII) or len(word) > QUOTED:
        return False
    try:
        tree = parse(word, "hand", "")
    except ConstraintError:  # a word of the grammar
        return False
    alone = tree.children[0]
    return getattr(alone, "data", "") in ("named", "described")


class Reader(Transformer_NonRecursive[Token, Any]):
    """Reads one text; subclasses have a method for each rule of the grammar, which makes nodes.

    A method gets the results of the rule's parts. A ValueError that it raises becomes a
    ConstraintError that points at them.
    """

    def __init__(self, text: str, start: Start, source: str):
        super().__init__(visit_tokens=False)
        self.text = text
        self.source = source
        self.tree: Branch = parse(text, start, source)

    def read(self, branch: Branch) -> Any:
        """Return the result for a branch."""
        try:
            return self.transform(branch)
        except VisitError as error:
            cause = error.orig_exc
            if isinstance(cause, ConstraintError) or not isinstance(cause, ValueError):
                raise cause from None
            raise self.error(error.obj, str(cause)) from None

    def error(self, branch: Branch, message: str) -> ConstraintError:
        """Return the error that points at a branch."""
        return self.place(branch).error(message)

    def place(self, branch: Branch) -> Place:
        """Return where a branch begins and ends in the text."""
        meta: Any = getattr(branch, "meta", branch)
        return Place(self.text, meta.start_pos or 0, meta.end_pos or 0, self.source)

    def line(self, branch: Branch) -> int:
        """Return the line in which a branch begins, counted from 1."""
        return self.text.count("\n", 0, self.place(branch).start) + 1

    def written(self, branch: Branch) -> str:
        """Return a branch as it was written, on one line."""
        place = self.place(branch)
        return " ".join(self.text[place.start : place.end].split())

    def number_of(self, token: Token, digits: str | None = None) -> int | float:
        """Read a number, as an int if possible; ``digits`` is the numeric part of the token."""
        digits = str(token) if digits is None else digits
        if len(digits) > _LONGEST_NUMBER:
            message = f"{clip(digits)} is too long (expected at most {_LONGEST_NUMBER} characters)"
            raise self.error(token, message)
        value = float(digits)
        return int(value) if value == int(value) else value

    def inorder(self, parts: list[Token]) -> Shapes:
        """Read ``5xx2``."""
        return exactly(parse_pattern(str(parts[0])))

    def anyorder(self, parts: list[Token]) -> Shapes:
        """Read ``any 5332``."""
        return any_order(parse_pattern(str(parts[-1])))

    def shapes(self, parts: list[Any]) -> Shapes:
        """Read ``any 4333 + any 4432 - 5xxx``."""
        shapes, sign = ~all_shapes(), "+"
        for part in parts:
            if isinstance(part, Token):
                sign = str(part)
            else:
                shapes = shapes & ~part if sign == "-" else shapes | part
                sign = "+"
        return shapes

    dealt_shapes = shapes

    def joined(self, meta: Branch, parts: list[Any]) -> Node:
        """Return numbers joined by the signs between them, from left to right.

        Raises ValueError for results that may not fit in 64 bits.
        """
        result: Node = parts[0]
        for operator, operand in zip(map(str, parts[1::2]), parts[2::2], strict=True):
            left, right = aligned(result, operand) if operator in "+-" else (result, operand)
            size = _largest_result(operator, left, right)
            if size > _MOST:
                raise ValueError(f"the result may exceed {_MOST:,.0f} (expected smaller numbers)")
            place = self.place(meta) if operator in "/%" else None
            result = Arithmetic(operator, left, right, place, unit_of(left, right), size)
        return result


def unit_of(*parts: Node) -> Unit:
    """Return the unit of a number computed from these."""
    units = [getattr(part, "unit", "") for part in parts]
    return "hundredths" if "hundredths" in units else "decimal" if "decimal" in units else ""


def aligned(left: Node, right: Node) -> tuple[Node, Node]:
    """Return two numbers in the same unit: a decimal next to hundredths is multiplied."""
    units = unit_of(left), unit_of(right)
    if units == ("hundredths", "decimal"):
        return left, _times_hundred(right)
    if units == ("decimal", "hundredths"):
        return _times_hundred(left), right
    return left, right


def _times_hundred(node: Node) -> Node:
    if isinstance(node, Number):
        return Number(round(100 * node.value, 6))
    return Arithmetic("*", node, Number(100), largest=100 * largest(node))


def largest(node: Node) -> float:
    """Return the upper limit of a number; conditions count as 0 or 1."""
    match node:
        case Number(value):
            return abs(value)
        case Arithmetic(largest=size) | Choice(largest=size):
            return size
        case HandCount(count):
            return max(map(abs, count.bounds))
        case DealCount(limits=limits) | Converted(limits=limits):
            return max(map(abs, limits))
    return 1.0


def _largest_result(operator: str, left: Node, right: Node) -> float:
    first, second = largest(left), largest(right)
    if operator in "+-":
        return first + second
    if operator == "*":
        return first * second
    if operator == "/" and isinstance(right, Number) and right.value:
        return first / abs(right.value)
    return first  # by fractions that depend on cards results are not whole, and may be large
