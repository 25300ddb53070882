"""Codings and heads: how a deal becomes a network's input, and its outputs a number of tricks.

A coding turns one result to be estimated (a deal, a strain, a declarer) into a row of numbers. Most
first turn the deal so that the leader always sits in one place and the trumps are always spades.
One network, trained for one leader and one trump suit, then serves them all (Mossakowski and
Mańdziuk, "Learning without human expertise", IEEE Transactions on Neural Networks 20(2), 2009).
"""

from .card_codings import CardCoding, FourHands, LeaderLast, OneNumber, PairAndHand, RankAndSuit
from .coding import Coding, Inputs, Joined, check_coding
from .deal_views import LEADER, Views, exchange, random_views, turn
from .heads import (
    HEADS,
    HIGHEST,
    LOWEST,
    RANGE,
    FourteenOutputs,
    Head,
    OneOutput,
    find_head,
    output_of,
    tricks_of,
)
from .method_codings import EstimatorInputs
from .registry import CODINGS, find_coding
