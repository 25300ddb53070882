"""The rules of opening systems by name, and the hands that open with a bid."""

from functools import cache
from pathlib import Path

from ...cards import Seat
from ...plugins import load as resolved
from ...plugins import offered
from .calls import parse_call
from .conditions import AllOf, AnyOf, Node, Not
from .mistakes import clip
from .rulefile import Rule, read_rules

RULE_FILES = {
    "sayc": "sayc.toml",
    "2/1": "two-over-one.toml",
    "acol": "acol.toml",
    "polish-club-rules": "polish-club.toml",
    "polish-club-book": "polish-club-book.toml",
}
"""The systems that ship, and the rule file of each."""
USUAL = "sayc"
"""The system assumed by descriptions of hands that name none."""
_SPELLINGS = {"two-over-one": "2/1", "2-over-1": "2/1", "polish": "polish-club"}


def rule_file(name: str) -> Path:
    """Return the rule file of a system that ships, to read or to copy and edit.

    Args:
        name: Name of the system, such as ``acol``.

    Returns:
        Path of the file.

    Raises:
        ValueError: The system is unknown, or has no rules.

    Example:
        >>> rule_file("acol").suffix
        '.toml'
    """
    if name in RULE_FILES:
        return Path(__file__).parent / "rulefiles" / RULE_FILES[name]
    added = offered("RULE_FILES")
    if name not in added:
        known = ", ".join((*RULE_FILES, *added))
        raise ValueError(f"{clip(name)!r} has no rule file (expected one of {known})")
    path: Path = resolved(added[name])
    return path


def system_of(text: str) -> str:
    """Return the name of the system that players call so: ``Polish Club`` is ``polish-club``.

    Raises ValueError for a system without known rules.
    """
    word = "-".join(text.lower().replace(".", " ").split())
    word = _SPELLINGS.get(word, word)
    if word != "polish-club" and word not in (*RULE_FILES, *offered("RULE_FILES")):
        known = "sayc, 2/1, acol or polish-club"
        raise ValueError(f"{clip(text)} is not a known system (expected {known})")
    return word


def opens(call: str, system: str, seat: Seat) -> Node:
    """Return the condition that a seat opens with a call under the rules of a system.

    ``system`` comes from ``system_of``. Raises ValueError for an invalid call, or one never made.
    """
    call = parse_call(call)
    made: list[Node] = []
    before: list[Node] = []
    for rule in _rules(system, seat):
        if rule.call != call:
            before.append(rule.condition)
        else:
            other = (Not(AnyOf(tuple(before))),) if before else ()
            made.append(AllOf((rule.condition, *other)))
    if not made:
        raise ValueError(f"{system} never opens {call} (expected another bid, or another system)")
    return made[0] if len(made) == 1 else AnyOf(tuple(made))


@cache
def _rules(system: str, seat: Seat) -> tuple[Rule, ...]:
    name = "polish-club-rules" if system == "polish-club" else system
    return read_rules(rule_file(name), seat).rules
