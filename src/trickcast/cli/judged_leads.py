"""A table of the leads made on the boards of a file, for the command leads."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

import click

from ..cards import DealSet, counted
from ..questions import Hooks
from ..questions.leads import JudgedLead, LeadsQuestion
from ..simulation.texts import INTERVALS, wrapped
from .answers import UNITS
from .deals import with_boards
from .inputs import CommandError

MOST = 36
"""Most leads to judge if no boards are chosen, a session's: each takes some seconds."""
_WIDEST = 11
"""Characters for the names of the best leads double dummy."""
_UNCALLED, _EVEN = "*", "="


def judge_leads(
    question: LeadsQuestion, chunks: Iterable[DealSet], hooks: Hooks, *, as_json: bool, whole: bool
) -> None:
    """Show a line for each lead as soon as it is judged, then their total cost.

    Of a ``whole`` file the first ``MOST`` are judged. Raises CommandError if there are none.
    """
    question.check_file()
    left_out, judged = Counter[str](), list[JudgedLead]()
    found = _judged(question, chunks, hooks, left_out)
    for lead in islice(found, MOST if whole else None):
        if as_json:
            click.echo(json.dumps(lead.answer()))
        else:
            if not judged:
                click.echo(_head(question))
            click.echo(_row(len(judged) + 1, lead))
        judged.append(lead)
    reasons = [f"{counted(boards, 'board')} {reason}" for reason, boards in left_out.items()]
    if not judged:
        raise CommandError(f"no lead to judge: {', '.join(reasons)}")
    if not as_json:
        click.echo("\n".join(_end(question, judged)))
    if whole and next(found, None) is not None:
        reasons.append(f"the first {MOST} leads are judged (--boards chooses others)")
    for reason in reasons:
        click.echo(f"note: {reason}", err=True)


def _judged(
    question: LeadsQuestion, chunks: Iterable[DealSet], hooks: Hooks, left_out: Counter[str]
) -> Iterator[JudgedLead]:
    for chunk in chunks:
        for deal, board in with_boards(chunk):
            found = question.judge(deal, board, hooks)
            if isinstance(found, str):
                left_out[found] += 1
            else:
                yield found


def _head(question: LeadsQuestion) -> str:
    lost = f"{UNITS[question.scoring]} lost"
    return (
        f"{'':23}{'double dummy':25}from the leader's hand\n"
        f"{'board  contract   lead':23}{'tricks lost  best':25}{'best':6}{'sets':>5}{'led':>5}"
        f"{lost:>16}"
    )


def _row(place: int, lead: JudgedLead) -> str:
    leads, made = lead.leads, lead.leads[lead.card]
    number = place if lead.board.number is None else lead.board.number
    mark = " " if lead.asked.auction else _UNCALLED
    contract = f"{leads.contract} by {leads.by}"
    first = f"{number:>5}{mark} {contract:10} {leads.by.lho} {lead.card}"
    given = lead.exact_cost or "-"
    seen = f"{given:>11}  {_best(lead):{_WIDEST}}"
    best, cost, even = lead.cost
    shares = f"{best.setting.mean:>5.0%}{made.setting.mean:>5.0%}"
    lost = "-  "
    if best is not made and cost.mean == cost.low == cost.high:
        lost = f"no difference {_EVEN}"
    elif best is not made:
        digits = 0 if lead.asked.scoring == "total" else 2
        lost = f"{cost.mean:.{digits}f}"
        if cost.low == cost.low:  # JSON's null: unknown
            lost += f" ±{(cost.high - cost.low) / 2:.{digits}f}"
        lost += f" {_EVEN if even else ' '}"
    name = best.cards[0] + "".join(card[1] for card in best.cards[1:])
    return f"{first:23}{seen:25}{name:6}{shares}{lost:>16}".rstrip()


def _best(lead: JudgedLead) -> str:
    """Return the leads that give nothing away: DQJ S7."""
    cards = lead.exact_best
    if len(cards) == len(lead.exact):
        return "any"
    suits = dict.fromkeys(card[0] for card in cards)
    named = [suit + "".join(card[1] for card in cards if card[0] == suit) for suit in suits]
    text = " ".join(named)
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"


def _end(question: LeadsQuestion, judged: list[JudgedLead]) -> list[str]:
    """Return the total cost of the leads, and the meaning of the columns."""
    tricks = sum(lead.exact_cost for lead in judged)
    worse = [lead.cost.cost.mean for lead in judged if not lead.cost.even]
    digits, unit = {"total": 0, "imps": 1}.get(question.scoring, 2), UNITS[question.scoring]
    own = "none was clearly worse than the best"
    if worse:
        were = "was" if len(worse) == 1 else "were"
        own = f"{len(worse)} {were} worse than the best, by {sum(worse):.{digits}f} {unit} in all"
    notes = [
        f"{counted(len(judged), 'lead')} gave {counted(tricks, 'trick')} away, double dummy; from "
        f"the leader's hand {own}",
        "double dummy: everybody sees all hands; tricks are those that the lead gave away",
        "from the leader's hand: over layouts that fit the auction; sets: how often the best lead "
        "sets the contract, led: the lead that was made",
        INTERVALS,
    ]
    if any(lead.cost.even and lead.cost.best is not lead.leads[lead.card] for lead in judged):
        notes.append(f"{_EVEN}: equal within the error")
    if any(not lead.asked.auction for lead in judged):
        notes.append(f"{_UNCALLED}: without an auction that fits, hidden hands may be any")
    return wrapped(notes)
