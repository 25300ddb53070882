"""Mańdziuk & Suchan, "Solving the Double Dummy Bridge Problem with Shallow Autoencoders".

ICONIP 2018. Leads by North and South only, so North-South defend.
"""

from ...spec import AnyRow, Comparison, Net, Paper, Pretraining, Row

_CODING = "52x4-2018"
_DEALS = {"all_suits": 100_000, "notrump": 400_000}
_RATES = {"all_suits": 0.004, "notrump": 0.002}
_COMPRESSION_RATES = (1.1, 1.33, 1.5, 2.0, 2.5, 3.0)
"""Of the sweep over [1.1, 3.0]; the paper does not say which rates it tried."""


def _net(
    network: str,
    contracts: str,
    *,
    coding: str = _CODING,
    head: str = "fourteen",
    loss: str = "cross-entropy",
    frozen: bool = False,
    encoders: int = 1,
) -> Net:
    return Net(
        network=network,
        coding=coding,
        contracts=contracts,
        lead="NS",
        deals=_DEALS[contracts],
        head=head,
        pretraining=Pretraining(
            rate=_RATES[contracts], frozen=frozen, encoders=encoders, loss=loss
        ),
    )


def _row(name: str, net: Net, note: str = "") -> Row:
    return Row(id=name, net=net, contracts=net.contracts, lead="NS", note=note)


def _table(prefix: str, contracts: str) -> tuple[AnyRow, ...]:
    """Return the eight rows of a table: topology F or D, 104 or 156, encoder frozen or not."""
    names = ("208-104-52-13-14", "208-156-52-13-14",
             "(52x4)-(26x4)-52-13-14", "(52x4)-(39x4)-52-13-14")  # fmt: skip
    cases = [(name, frozen) for name in names for frozen in (False, True)]
    return tuple(
        _row(f"{prefix}-{number:02}", _net(name, contracts, frozen=frozen))
        for number, (name, frozen) in enumerate(cases, start=1)
    )


def _beyond() -> tuple[AnyRow, ...]:
    rows: list[AnyRow] = []
    for contracts in _DEALS:
        one = _net("(52x4)-(26x4)-52-13-1", contracts, head="equal-unit", loss="squared")
        rows.append(_row(f"m18-beyond-one-output-{contracts}", one, "one output on [0, 1]"))
        nine = _net("217-104-52-13-14", contracts, coding="52x4-2018+9")
        rows.append(_row(f"m18-beyond-nine-inputs-{contracts}", nine, "nine extra inputs"))
    rows += [
        _row(
            f"m18-beyond-compression-{rate}",
            _net(f"208-{round(208 / rate)}-52-13-14", "all_suits"),
            f"sweep: compression rate {rate}",
        )
        for rate in _COMPRESSION_RATES
        if rate not in (1.33, 2.0)  # rows of Table 1
    ]
    rows += [
        _row(
            f"m18-beyond-comparator-{contracts}",
            Net(
                network="(52x4)-(26x4)-26-13-1",
                coding=_CODING,
                contracts=contracts,
                lead="NS",
                deals=deals,
                head="fourteen",
                comparison=Comparison(),
            ),
            "the comparator planned in the paper: 20 reference deals for each number of tricks",
        )
        for contracts, deals in _DEALS.items()
    ]
    deep = _net("208-104-52-13-14", "all_suits", encoders=2)
    rows.append(_row("m18-beyond-deep", deep, "a deeper encoder, 208-104-52, which lost too much"))
    return tuple(rows)


PAPER = Paper(
    "mandziuk2018",
    "Mańdziuk & Suchan 2018, ICONIP",
    {"Table 1": _table("m18-T1", "all_suits"), "Table 2": _table("m18-T2", "notrump")},
    beyond=_beyond(),
)
