"""Opening systems by name."""

import hashlib
import os
import warnings
from collections.abc import Iterable
from pathlib import Path

from ..cards import Hand, NoteWarning, shorten
from ..dealing.language.hand_counts import nearest
from ..dealing.language.mistakes import clip
from ..dealing.language.rulefile import read_rules
from ..dealing.language.systems import RULE_FILES, rule_file
from ..estimator.files import read_shipped
from ..plugins import load as resolved
from ..plugins import offered
from .rules import RuleSystem
from .softrules import open_shading
from .system import Explanation, OpeningSystem

USUAL_SYSTEMS = ("sayc", "2/1", "acol", "polish-club")
"""The systems that most players play; the opening of a hand depends on the system."""
WEIGHTS = Path(__file__).parent / "weights"
_SHADED = {"polish-club": "polish-club-rules"}


class RuleWarning(NoteWarning):
    """Something odd in a rule file that can still be used."""


def names() -> tuple[str, ...]:
    """Return the names of the systems that ship, and of those added by plug-ins.

    Returns:
        Names that ``load`` accepts.

    Example:
        >>> "polish-club" in names()
        True
    """
    return (*_SHADED, *RULE_FILES, *offered("RULE_FILES"), *offered("OPENINGS"))


def named(text: str) -> str | None:
    """Return the name of a system, which counts in any case; None if there is none."""
    return {name.lower(): name for name in names()}.get(text.lower())


def load(system: str | os.PathLike[str]) -> OpeningSystem:
    """Load an opening system: one that ships, or the rules in a file.

    Warns with a RuleWarning of a rule that can never fire.

    Args:
        system: Name of a system (see ``names()``), or path of a ``.toml`` file.

    Returns:
        An OpeningSystem: ``bid`` opens hands, ``explain`` says why.

    Raises:
        ValueError: There is no such system.
        RuleError: The rule file has a mistake; the message has file, line and what was expected.
        OSError: The file cannot be read.
        ModelError: A network is missing or damaged.

    Example:
        >>> system = tc.openings.load("standard-american")
        >>> system.bid(["AQ52.KJ3.K42.Q73", "KQT984.A5.72.943"])
        ['1S', '2S']
        >>> print(system.explain("AQ52.KJ3.K42.Q73").reason)
        rule 20, four good spades: opening, good_spades, spades 4
    """
    if not isinstance(system, str | os.PathLike):
        raise TypeError(f"system is {shorten(system)} (expected a name or a path)")
    if isinstance(system, str):
        system = named(system) or system
    if isinstance(system, str) and system in _SHADED:
        path = rule_file(_SHADED[system])
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        file = f"{system}.json"
        return open_shading(read_shipped(WEIGHTS, file), file, RuleSystem(read_rules(path)), sha256)
    if isinstance(system, str) and system in (*RULE_FILES, *offered("RULE_FILES")):
        return RuleSystem(read_rules(rule_file(system)))
    if isinstance(system, str) and system in offered("OPENINGS"):
        loaded: OpeningSystem = resolved(offered("OPENINGS")[system])(system)
        return loaded
    if not os.fspath(system).endswith(".toml"):
        close = nearest(os.fspath(system), names())
        hint = (
            f"did you mean {close[0]}?"
            if close
            else (f"expected one of {', '.join(names())}, or a .toml file")
        )
        raise ValueError(f"no opening system {clip(os.fspath(system))!r} ({hint})")
    rules = RuleSystem(read_rules(system))
    for rule in rules.unreachable:
        warnings.warn(
            f"{os.fspath(system)}, line {rule.line}: the rule for {rule.call} ({clip(rule.name)}) "
            "can never fire: earlier rules take all its hands, or its conditions exclude one "
            "another",
            RuleWarning,
            stacklevel=2,
        )
    return rules


def open_by(
    hand: str | Hand, systems: Iterable[str | os.PathLike[str]] = USUAL_SYSTEMS
) -> dict[str, Explanation]:
    """Return how each of some systems opens a hand, and why.

    Args:
        hand: A Hand or its text.
        systems: Names or rule files, as in ``load``. Default: the four that most people play.

    Returns:
        An Explanation by system.

    Raises:
        DealError: The hand is not valid.
        ValueError: There is no such system.
        RuleError: A rule file has a mistake; the message has file, line and what was expected.

    Example:
        >>> found = tc.openings.open_by("AK65.Q43.KJ54.32")
        >>> {system: opening.call for system, opening in found.items()}
        {'sayc': '1D', '2/1': '1D', 'acol': '1N', 'polish-club': '1C'}
    """
    return {os.fspath(system): load(system).explain(hand) for system in systems}
