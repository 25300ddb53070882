"""Named hands (``weak two in hearts``), and their definitions from ``hands.toml``."""

import re
import tomllib
from functools import cache
from importlib import resources

_ANY_SYSTEM = "hands"
_SUITS = {
    "clubs": "(?:clubs?|[♣♧])", "diamonds": "(?:diamonds?|[♦♢])",
    "hearts": "(?:hearts?|[♥♡])", "spades": "(?:spades?|[♠♤])",
}  # fmt: skip
_BIDS = {f"1{suit[0]}": rf"1\s?(?:{suit[0]}(?!\w)|{_SUITS[suit]})" for suit in _SUITS}
_WORDS = _SUITS | _BIDS | {"two": "(?:two|2)", "preempt": "pre-?empt", "2nt": "(?:2NT?|notrump)"}
_INVISIBLE = "[\ufe0e\ufe0f]?"


@cache
def _tables() -> dict[str, dict[str, str]]:
    text = resources.files(__package__).joinpath("hands.toml").read_text("utf-8")
    return tomllib.loads(text)


def hands_by_name() -> tuple[str, ...]:
    """Return the known names."""
    return tuple(_tables()[_ANY_SYSTEM])


def spellings(name: str) -> str:
    """Return a regular expression for the spellings of a name, with lower-case letters."""
    return r"\s+".join(_WORDS.get(word, word) + _INVISIBLE for word in name.split())


def named_hand(text: str, system: str) -> tuple[str, str]:
    """Return the name found in ``text``, and what it means to players of a system.

    Raises ValueError if the system has no such hand.
    """
    names = sorted(hands_by_name(), key=len, reverse=True)
    name = next(n for n in names if re.search(rf"{spellings(n)}$", text.strip(), re.IGNORECASE))
    meaning = _tables().get(system, {}).get(name, _tables()[_ANY_SYSTEM][name])
    if not meaning:
        raise ValueError(f"{system} has no {name} (expected another hand, or another system)")
    return name, meaning
