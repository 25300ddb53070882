"""Mossakowski & Mańdziuk, "Artificial Neural Networks for Solving Double Dummy Bridge Problems".

ICAISC 2004. All in notrump with West on lead.
"""

from ...spec import AnyRow, Net, Paper, RawRow, Row

_LINEAR = "linear"


def _net(network: str, coding: str, head: str = _LINEAR, deals: int = 100_000) -> Net:
    return Net(network=network, coding=coding, contracts="notrump", head=head, deals=deals)


DEEP_26X4 = _net("(26x4)-(13x4)-(7x4)-13-1", "26x4-2004", deals=10_000)
"""The network of Figure 1a, which the paper of 2009 reports again."""
PLAIN_52 = _net("52-25-1", "52-seats")
PLAIN_104 = _net("104-30-4-1", "104")

_TABLE_1 = (
    _net("(26x4)-(13x4)-1", "26x4-2004"),
    DEEP_26X4,
    _net("52-1", "52-seats"),
    PLAIN_52,
    _net("104-1", "104"),
    PLAIN_104,
    _net("104-14", "104", "fourteen"),
    _net("104-33-14", "104", "fourteen"),
)


def _train_and_test(prefix: str, nets: tuple[Net, ...], note: str = "") -> tuple[AnyRow, ...]:
    """Return two rows for each network, as the paper prints them: training set, testing set."""
    measured = [(net, on) for net in nets for on in ("train", "test")]
    return tuple(
        Row(
            id=f"{prefix}-{number:02}",
            net=net,
            contracts="notrump",
            lead="W",
            on="train" if on == "train" else "test",
            note=note,
        )
        for number, (net, on) in enumerate(measured, start=1)
    )


PAPER = Paper(
    "mossakowski2004",
    "Mossakowski & Mańdziuk 2004, ICAISC",
    {
        "Table 1": _train_and_test("m04-T1", _TABLE_1),
        "section 4.1": _train_and_test("m04-S4.1", (_net("(26x4)-1", "26x4-2004"),)),
        "section 4.2": _train_and_test(
            "m04-S4.2", (_net("104-33-14", "104", "fourteen-negative"),)
        ),
        "section 5.1": (
            RawRow(
                id="m04-S5.1-01",
                method="work_points",
                contracts="notrump",
                note="13/40 of the points, rounded to the nearest, half to even",
            ),
        ),
    },
    beyond=tuple(
        Row(
            id=f"m04-beyond-26x4-{low_high}",
            net=_net("(26x4)-(13x4)-(7x4)-13-1", f"26x4-{low_high}", deals=10_000),
            contracts="notrump",
            lead="W",
            note="other ends of the input range, said to make no real difference",
        )
        for low_high in ("0-1", "0.2-0.8")
    ),
)
