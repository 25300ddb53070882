"""Text to lark's tree, with errors that point at the place and say what was expected."""

import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Literal

from .counts import is_count, known_counts, nearest, unknown
from .errors import QUOTED, ConstraintError, clip, pointed

if TYPE_CHECKING:
    from lark import Lark, Token, Tree
    from lark.exceptions import UnexpectedToken

Start = Literal["script", "hand"]
MAX_LENGTH = 100_000
_LOOKALIKES = str.maketrans("\u212a\u017f\u0131\u0130", "Ksii")
"""Letters that count as k, s and i where case does not matter, and are none."""

_WORDS = {
    "NUMBER": "a number",
    "NAME": "a count such as hcp",
    "SEAT": "north, east, south or west",
    "CARD": "a card such as SA",
    "CARDS": "cards such as SAK2",
    "PATTERN": "a shape such as 4333 or 5xx2",
    "EXACT": "lengths such as 5=3=3=2",
    "RANGE": "a range such as 15-17",
    "ATLEAST": "5+",
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
"""What to call a terminal of the grammar; those that are missing here go without saying."""

_SUITS = ("spades", "hearts", "diamonds", "clubs")
_SHORT_WORDS = (*known_counts(), *_SUITS, "balanced", "semibalanced", "unbalanced", "shape",
                "longest", "any", "not")  # fmt: skip
_SEATS = ("north", "east", "south", "west")
_KEYWORDS = {
    "SHAPE": "shape", "HASCARD": "hascard", "BALANCED": "balanced", "CONDITION": "condition",
    "PREDEAL": "predeal", "AND": "and", "OR": "or", "ANY": "any", "IN": "in", "OF": "of",
}  # fmt: skip

RESERVED = (
    "action", "altcount", "and", "condition", "generate", "hascard", "not", "or", "pointcount",
    "predeal", "produce", "shape", "vulnerable",
)  # fmt: skip
"""Words of Dealer's language that no expression can have as its name."""


@cache
def _parser() -> "Lark":
    from lark import Lark

    grammar = resources.files(__package__).joinpath("grammar.lark").read_text("utf-8")
    return Lark(
        grammar, start=["script", "hand"], parser="lalr", propagate_positions=True, cache=False
    )


def parse(text: str, start: Start, source: str) -> "Tree[Token]":
    """Return the tree of ``text``; ``source`` names it in errors.

    Raises ConstraintError where the text is not of the language.
    """
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    if len(text) > MAX_LENGTH:
        raise ConstraintError(
            f"{source}: {len(text):,} characters (expected at most {MAX_LENGTH:,})"
        )
    if not text.strip():
        raise ConstraintError(f"{source}: the text is empty (expected such as {_EXAMPLE[start]!r})")
    try:
        return _parser().parse(text.translate(_LOOKALIKES), start=start)
    except UnexpectedCharacters as error:
        place, names = error.pos_in_stream or 0, set(error.allowed or ())
        word = re.match(r"\w+|.", text[place:], re.DOTALL)
        assert word is not None  # there is a character
        message = f"{clip(word[0])!r} is unexpected here ({_expected(names)})"
        if text.startswith("/*", place):
            message = "the comment has no end (expected */)"
        raise pointed(text, place, place + word.end(), message, source) from None
    except UnexpectedToken as error:
        raise _unexpected(error, text, start, source) from None


_EXAMPLE = {"script": "hcp(north) >= 15 and spades(south) == 5", "hand": "hcp 15-17, balanced"}


def _unexpected(error: "UnexpectedToken", text: str, start: Start, source: str) -> ConstraintError:
    token = error.token
    names = set(error.accepts or error.expected)
    ended = token.type == "$END"
    begin, end = (len(text.rstrip()),) * 2 if ended else (token.start_pos or 0, token.end_pos or 0)
    before = re.search(r"([a-z_]\w*)\s*$", text[:begin], re.IGNORECASE)
    if start == "hand" and before is not None and _misspelt(before[1]):
        message = unknown(before[1], _SHORT_WORDS, "known here")
        return pointed(text, before.start(1), before.end(1), message, source)
    value = clip(str(token))
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
    elif start == "hand" and token.type in ("SEAT", "LPAR") and "LPAR" not in names:
        message = f"{value} is of Dealer's language (here, for one seat: hcp 15-17, spades 5+)"
    else:
        message = f"{value} is unexpected here ({_near(value, names) or _expected(names)})"
    return pointed(text, begin, max(end, begin + 1), message, source)


def is_reserved(word: str) -> bool:
    """Tell whether a word is one of Dealer's own, in lower or upper case."""
    return word.lower() in RESERVED


def no_name(word: str) -> str:
    """Say that a word cannot be defined."""
    return f"{clip(word)} is a word of the language (expected another name)"


def _misspelt(word: str) -> bool:
    """Tell whether a word of the short form is nearly one that it knows."""
    close = nearest(word, _SHORT_WORDS)
    return bool(close) and close[0] != word.lower()


def _near(value: str, names: set[str]) -> str:
    """Return which of the words that could stand here is nearly ``value``."""
    words = [_KEYWORDS[name] for name in names if name in _KEYWORDS]
    words += _SEATS if "SEAT" in names else ()
    words += known_counts() if "NAME" in names else ()
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
    """Tell whether a word can stand for a sentence: one that means nothing else in the short form.

    Lower and upper case are the same.
    """
    if not re.fullmatch(r"[a-z_]\w*", word, re.IGNORECASE | re.ASCII) or len(word) > QUOTED:
        return False
    try:
        tree = parse(word, "hand", "")
    except ConstraintError:  # a word of the grammar
        return False
    alone = tree.children[0]
    return getattr(alone, "data", "") == "named" and not is_count(word)
