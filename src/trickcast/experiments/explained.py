"""Why rows of ours at scale ``standard`` fall short of the published, and what was tried."""

ALLOWED = 1.5
"""Percent exact by which ours may be lower before the report says why."""

_OWN_DEALS = (
    "The paper's network knows its own training deals better than others. Ours learn from random "
    "views of the deals and estimate those of training no better than others: compare its row for "
    "test deals."
)
_PLATEAU = (
    "Rprop stands still: its step sizes shrink to nothing while the error hardly falls. The paper "
    "went on for over 100,000 epochs. Tried in 2,000 to 10,000 epochs: batches of 8,192 to 32,768 "
    "examples, kept for 160 epochs to for ever; smallest steps of 1e-6 to 1e-3; five starts; "
    "larger first weights; a first step of 0.01, the best of these, not yet tried to the end."
)
_STILL_LEARNING = (
    "Its error was still falling when its 30,000 epochs were over; the paper went on for over "
    "100,000. With one output the same network is better than published (row m09-TII-01)."
)
_CUT_SHORT = (
    "Its validation error was still falling when its epochs were over; more were not tried."
)
_UNSETTLED = (
    "Its first phase ended after 12 epochs, before the error had settled as the paper asks, and "
    "what a frozen encoder has not learnt then it never learns. With 156 neurons the error comes "
    "near zero. A longer first phase was not tried."
)
_BOTTLENECK = (
    "No better after 6,000 epochs than after 2,500: perhaps caught at its four neurons, where the "
    "same network in spades gets through. Other starts were not tried."
)
_ALL_LEADERS = (
    "The paper gains by a second training with leaders exchanged. Here one network, trained with "
    "every leader, serves both rows, and reaches the figure of the row for West's leads. More "
    "epochs were not tried."
)
_FEW_DEALS = (
    "Few test deals have so few tricks (n), which gives ours a standard error of 2.6 to 2.8 points."
)
_STRICT_TEACHER = (
    "The paper counts as right what its expert also accepts, our teacher has one bid for a hand. "
    "Counting what it would bid with every edge up to a point elsewhere, ours reach 95.0 (52-60-7) "
    "and 93.0 (52-60-12). Tried: more hands; 200,000 give 97.0 and 96.5 strictly."
)
_OTHER_HANDS = (
    "Measured on 1,000 other hands than the paper's 213, which we do not have; a share of 213 has "
    "a standard error of 3.2 points. Tried: four settings of the training."
)

EXPLAINED: dict[str, str] = {
    **dict.fromkeys(("m04-T1-03", "m04-T1-04", "m09-TV-01", "m09-TX-01"), _PLATEAU),
    **dict.fromkeys(("m04-T1-11", "m04-T1-12", "m09-TV-07", "m09-TX-05"), _BOTTLENECK),
    **dict.fromkeys(("m04-T1-15", "m04-S4.2-01"), _OWN_DEALS),
    **dict.fromkeys([f"m09-SVI-E-0{n}" for n in (1, 2, 3, 4)], _OWN_DEALS),
    "m09-TII-02": _STILL_LEARNING,
    **dict.fromkeys(("m09-TV-03", "m09-TV-09", "m09-TX-02", "m09-TX-06"), _ALL_LEADERS),
    **dict.fromkeys(("m09-TVI-01", "m09-TVI-02"), _FEW_DEALS),
    **dict.fromkeys(("m09-TX-24", "m09-TX-28", "m09-TX-33", "m09-TX-34"), _CUT_SHORT),
    **dict.fromkeys(("m18-T1-02", "m18-T2-02"), _UNSETTLED),
    **dict.fromkeys(("y96-T4-05", "y96-S5.3-01"), _STRICT_TEACHER),
    "b23-T9-03": _OTHER_HANDS,
}
"""Id of a published row to the reason."""


def why_lower(row: dict[str, str]) -> str:
    """Return why a row of the report is lower than published; "" where it is not."""
    published, ours = row["exact"], row["ours_exact"]
    if not (published and ours) or float(ours) >= float(published) - ALLOWED:
        return ""
    return EXPLAINED.get(row["id"], "not explained yet")
