"""Mossakowski & Mańdziuk, "Learning Without Human Expertise".

"A Case Study of the Double Dummy Bridge Problem", IEEE Transactions on Neural Networks 20(2), 2009.
"""

from collections.abc import Iterable
from dataclasses import replace

from ...spec import AgreementRow, AnyRow, Lead, Net, Paper, PublishedRow, RawRow, Row
from ..mossakowski2004 import tables as mossakowski2004

_SMALL_26X4 = "(26x4)-(13x4)-(7x4)-13-1"
_LARGE_26X4 = "(26x4)-(13x4)-(13x4)-26-13-1"
_SMALL_52X4 = "(52x4)-(13x4)-13-1"
_BEST = "(52x4)-(26x4)-26-13-1"
_CODINGS = {"(26x4)": "26x4", "(52x4)": "52x4", "104": "104", "52": "52"}


def _net(network: str, contracts: str = "spades", coding: str = "", **other: object) -> Net:
    chosen = coding or _CODINGS[network.split("-")[0]]
    base = Net(network=network, coding=chosen, contracts=contracts, head=_head(network))
    return replace(base, **other)  # type: ignore[arg-type]


def _head(network: str) -> str:
    return "fourteen" if network.endswith("-14") else "equal"


def _row(net: Net, contracts: str = "", lead: Lead | None = None, note: str = "") -> Row:
    return Row(
        id="", net=net, contracts=contracts or net.contracts, lead=lead or net.lead, note=note
    )


def _numbered(prefix: str, rows: Iterable[Row]) -> tuple[AnyRow, ...]:
    return tuple(replace(row, id=f"{prefix}-{i:02}") for i, row in enumerate(rows, start=1))


_TABLE_I = [_row(_net(name)) for name in (_SMALL_26X4, "52-25-1", "104-30-4-1", _BEST)]
_TABLE_II = [
    *(_row(_net(name)) for name in (_LARGE_26X4, "(26x4)-(13x4)-(13x4)-26-14", "52-25-1")),
    _row(_net("52-25-1", head="proportional"), note="ranges by the deal counts of Table VI"),
    *(_row(_net(name)) for name in ("52-25-14", "104-30-4-1", "104-30-14")),
    *(_row(_net(name)) for name in (_BEST, "(52x4)-(26x4)-26-14")),
]
_TABLE_III = [
    _row(_net(name))
    for name in (_SMALL_26X4, _LARGE_26X4, "52-25-1", "52-26-13-6-1", "104-30-4-1",
                 "(52x4)-(8x4)-8-1", _SMALL_52X4, _BEST)
]  # fmt: skip

_MARKED = _net("52-25-1", "all_suits", "52-marked")
_MIXED = _net("52-25-1", "notrump+all_suits", "52-marked")
_OF_SUIT = {
    suit: _net("52-25-1", suit, "52-ignored") for suit in ("spades", "hearts", "diamonds", "clubs")
}
"""Networks for one trump suit that is left in its place, so that they can be tested on others."""
_PAIRS_NOTRUMP = _net("52-25-1", "notrump")
_TABLE_IV = [
    _row(mossakowski2004.PLAIN_52),
    _row(_net("52-25-1", "notrump", "52-partners")),
    _row(_PAIRS_NOTRUMP),
    _row(_MARKED),
    _row(_MARKED, "notrump"),
    _row(_MIXED),
    _row(_MIXED, "all_suits"),
    _row(_MIXED, "notrump"),
    *(_row(_OF_SUIT["spades"], suit) for suit in _OF_SUIT),
    *(_row(_OF_SUIT[suit]) for suit in ("hearts", "diamonds", "clubs")),
]

_ROTATED_52 = _net(
    "52-25-1", coding="52-seats", lead="both"
)  # its input values are not stated; with NS 1, WE -1 turning the deal would change nothing
_NOTRUMP_26X4 = mossakowski2004.DEEP_26X4
_NOTRUMP_104 = mossakowski2004.PLAIN_104
_TABLE_V = [
    *(_row(_NOTRUMP_26X4), _row(_net(_SMALL_26X4)), _row(_net(_SMALL_26X4, lead="both"))),
    *(_row(_PAIRS_NOTRUMP), _row(_net("52-25-1"))),
    _row(_ROTATED_52, note="input values N 1.0, S 0.8, W -1.0, E -0.8"),
    *(_row(_NOTRUMP_104), _row(_net("104-30-4-1")), _row(_net("104-30-4-1", lead="both"))),
    *(
        _row(_net(name, contracts, lead=lead))
        for name in (_SMALL_52X4, _BEST)
        for contracts, lead in (("notrump", "W"), ("spades", "W"), ("spades", "both"))
    ),
]

_ESTIMATOR_NETWORKS = (
    ("1-1", "work-sum"),
    ("4-1", "work"),
    ("20-1", "work-lengths"),
    ("20-10-5-1", "work-lengths"),
    ("36-25-1", "points"),
    ("(52+36)-25-1", "52+points"),
    ("32-25-1", "distribution"),
    ("(52+32)-25-1", "52+distribution"),
    ("68-25-1", "methods"),
    ("(104+68)-50-10-1", "104+methods"),
    ("(52+102)-77-38-19-1", "52+methods-sums"),
    ("(52x4+84)-(13x4+21)-26-1", "52x4+methods-lengths"),
    ("4-1", "zar"),
    ("(52+4)-25-1", "52+zar"),
)
_TABLE_X = [
    *(_row(_NOTRUMP_26X4), _row(_net(_SMALL_26X4, lead="both"))),
    *(_row(_PAIRS_NOTRUMP), _row(_ROTATED_52)),
    *(_row(_NOTRUMP_104), _row(_net("104-30-4-1", lead="both"))),
    *(
        _row(_net(name, contracts, coding, lead=lead))
        for name, coding in ((_SMALL_52X4, ""), (_BEST, ""), *_ESTIMATOR_NETWORKS)
        for contracts, lead in (("notrump", "W"), ("spades", "both"))
    ),
]

_HUMANS = tuple(
    PublishedRow(id=f"m09-TXI-{number:02}", note="human players: as published")
    for number in range(1, 9)
)
_TABLE_XI = [
    *(_row(_net(_BEST, "notrump")), _row(_net(_BEST, lead="both"))),
    *(_row(_PAIRS_NOTRUMP), _row(_net("52-25-1"))),
]
_TRAINING = [
    *(_row(_net(_SMALL_52X4, "notrump")), _row(_net(_BEST, "notrump"))),
    *(_row(_net(_BEST)), _row(_net(_SMALL_52X4))),
]
_RAW = tuple(
    RawRow(id=f"m09-SIX-B-{number:02}", method=method, contracts=contracts)
    for number, (method, contracts) in enumerate(
        [
            (method, contracts)
            for method in ("work_points", "asset", "stayman")
            for contracts in ("notrump", "spades")
        ],
        start=1,
    )
)


def _extra(name: str, net: Net, note: str) -> Row:
    return replace(_row(net, note=note), id=f"m09-beyond-{name}")


_BEYOND = (
    _extra("wider-middle", _net("52-25-1", head="wider-middle"), "wider ranges for 5 to 9 tricks"),
    *(
        _extra(f"{name}-{contracts}", _net(name, contracts), "named in section VII-A only")
        for name in ("52-8-1", "52-52-1")
        for contracts in ("notrump", "spades")
    ),
    *(
        _extra(f"52-1-{contracts}", _net("52-1", contracts, coding), "the network of Table VII")
        for contracts, coding in (("notrump", "52"), ("spades", "52"), ("all_suits", "52-marked"))
    ),
    *(
        _extra(f"{coding}-all_suits", _net(name, "all_suits", coding), "trumps marked by halving")
        for name, coding in ((_BEST, "52x4-marked"), ("104-30-4-1", "104-marked"))
    ),
    _extra(
        "26x4-trump",
        _net("(26x4+1)-(13x4+1)-(7x4+1)-13-1", "all_suits", "26x4-trump"),
        "a trump input, which worked badly",
    ),
    _extra(
        "26x4-leader",
        _net("(26x4+4)-(13x4+4)-(7x4+4)-13-1", coding="26x4-leader", lead="both"),
        "four leader inputs in place of turning the deal",
    ),
)

PAPER = Paper(
    "mossakowski2009",
    "Mossakowski & Mańdziuk 2009, IEEE Transactions on Neural Networks",
    {
        "Table I": _numbered("m09-TI", _TABLE_I),
        "Table II": _numbered("m09-TII", _TABLE_II),
        "Table III": _numbered("m09-TIII", _TABLE_III),
        "Table IV": _numbered("m09-TIV", _TABLE_IV),
        "Table V": _numbered("m09-TV", _TABLE_V),
        "section VI-E": _numbered("m09-SVI-E", [replace(row, on="train") for row in _TRAINING]),
        "Table VI": _numbered(
            "m09-TVI",
            [replace(_row(_net("52-25-1")), tricks=tricks) for tricks in (*range(14), None)],
        ),
        "section VI-F": tuple(
            AgreementRow(
                id=f"m09-SVI-F-{number:02}",
                net=_net("52-25-1", contracts, coding, copies=4),
                contracts=contracts,
            )
            for number, (contracts, coding) in enumerate(
                (("notrump", "52"), ("all_suits", "52-marked")), start=1
            )
        ),
        "Table X": _numbered("m09-TX", _TABLE_X),
        "section IX-B": _RAW,
        "Table XI": (
            *_HUMANS,
            *(
                replace(row, id=f"m09-TXI-{number:02}")
                for number, row in enumerate(_TABLE_XI, start=9)
            ),
        ),
    },
    beyond=_BEYOND,
)
