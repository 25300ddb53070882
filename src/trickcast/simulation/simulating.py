"""The four public simulations; each documents its own arguments in full.

Each deals layouts that fit, has the network estimate them and DDS solve some (``layouts.lay_out``),
and returns its own kind of result.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np

from ..bidding import AuctionLike
from ..cards import Hand, HandLike, Seat, Vulnerability, declarer_of
from ..dealing.constraints import MAX_TRIES, KnownDeal, KnownHand
from ..scoring import Contract
from .comparing import ChoiceLike, Comparison, read_choices
from .contracts import ContractsLike, Simulation, Tables, survey_of, tables_of
from .controls import MINIMUM_EXACT
from .layouts import Layouts, Work, lay_out, read_calls, watcher
from .leads import Leads, LeadSimulation, contract_of
from .making import ContractChance, Making
from .outcomes import gain, played, seats_of, strain_of
from .plan import Plan, SimulationError


def simulate(
    *,
    north: KnownHand = None,
    east: KnownHand = None,
    south: KnownHand = None,
    west: KnownHand = None,
    condition: KnownDeal = None,
    auction: AuctionLike | None = None,
    dealer: str | Seat = "N",
    vulnerable: str | Vulnerability = "none",
    side: str | None = None,
    samples: int | None = None,
    solve: int | None = None,
    seed: int = 0,
    model: str | os.PathLike[str] | None = None,
    precision: float | None = None,
    seconds: float | None = None,
    workers: int | None = None,
    max_tries: int = MAX_TRIES,
    progress: bool | Callable[[Simulation], object] = False,
    keep_on_interrupt: bool = False,
    cluster: str | None = None,
    contracts: ContractsLike | None = None,
) -> Simulation:
    """Simulate hidden hands: deal them many times, and find the tricks of every contract.

    The network estimates all layouts, and some are solved too. The solved ones correct the
    estimates and give the intervals; without them (``solve=0``) there are no intervals (NaN). If
    ``solve`` equals ``samples``, or if solving alone is as fast, no network is used. If all four
    hands are known, the deal is solved once.

    Tables stop by themselves unless you pass ``samples``, ``solve`` or ``seconds``: when all
    expected tricks are precise enough, and the chance of the side's best contract is within a third
    of that (± 5 %). No strain is solved further than it needs. ``progress`` receives estimates by
    the network, with wider intervals, before anything is solved.

    The same seed gives the same result, unless you pass ``seconds``, or ``precision`` together with
    ``contracts``, ``samples`` or ``solve``. Then the times of the first 20 solved layouts decide
    how many to estimate and solve, and ``samples`` and ``solve`` are upper limits. Tables that stop
    by themselves begin with 24.

    Args:
        north: What is known of the hand: a Hand or its text, a description such as ``"hcp 15-17,
            balanced"``, a function of (n, 52) bool hands, or a list of these. Default: nothing.
        east: As ``north``.
        south: As ``north``.
        west: As ``north``.
        condition: What is known of the whole deal: text in Dealer's language such as ``"hcp(north)
            + hcp(south) >= 25"``, a Script, a function of (n, 52) owners, or a list of these.
        auction: The calls so far, dealer first: ``"1N P 3N"``, a list of calls, or an Auction.
            Hidden hands then fit it as in championship play. Also takes a Reading of
            ``Bidder.read``.
        dealer: Seat of the dealer, or its letter or name. An Auction or a Reading has its own.
        vulnerable: Vulnerable sides: none, ns, ew or both. An Auction or a Reading has its own.
        side: Side that declares, ``"NS"`` or ``"EW"``, to find only its results. Default: both.
        samples: Layouts to estimate. Default: 2,000 for tables, and up to 100,000 for a
            ``precision`` below 0.15; with ``contracts`` or ``seconds`` the number that gives the
            best accuracy per second.
        solve: Layouts to solve as well, which correct the estimates and give intervals: 0, or 20 or
            more. Default: as many as a table needs; with ``contracts`` 200.
        seed: Seed, 0 to 2**64 - 1. The same seed gives the same layouts.
        model: Name or path of the network. Default: accurate for tables, or if ``solve`` is 0;
            otherwise fast.
        precision: Stop when all expected tricks are known to ± this. Default: 0.15 for tables, none
            with ``contracts``.
        seconds: Stop after this time, but not before 20 layouts. Default: no limit.
        workers: Number of solver threads. Default: all cores.
        max_tries: Most layouts to draw; a batch of them, 512 or more, is drawn in full.
        progress: Whether to show a bar; or a function that receives the result so far some times a
            second. A KeyboardInterrupt from it acts like Ctrl-C.
        keep_on_interrupt: Whether Ctrl-C ends the work and gives the result so far.
        cluster: Ray cluster to solve on: ``"local"``, ``"auto"`` or ``"ray://HOST:PORT"``. The
            result is the same. Default: this machine.
        contracts: Contracts and declarers, ``[("4S", "S"), ("3N", "N")]`` or ``["4S by S"]``, or
            Contracts that name their declarer, to solve and estimate only these; about 15 times
            faster for one. Default: tables.

    Returns:
        A Simulation: ``expected`` tricks and ``interval`` of every strain and declarer, ``making``,
        ``score`` and ``best_contracts``; values come with 95 % intervals.

    Raises:
        DealError: A hand, contract or seat is not valid.
        CallError: A call is not valid, or the laws forbid it.
        ConstraintError: A text cannot be read or contradicts itself, or too few layouts fit.
        SimulationError: A number is out of its range, or options contradict each other.
        ClusterError: The cluster fails.

    Example:
        >>> known = {"south": "KT752.A84.J63.92", "north": "balanced, hcp 15-17"}
        >>> result = tc.simulate(**known, contracts=[("2S", "S")], samples=200, solve=20)
        >>> result.solved, result.making("2S", by="S").mean > 0.5
        (20, True)
    """
    measure = tables_of(contracts, side)
    heard, sides = read_calls(auction, dealer, vulnerable)
    plan = Plan(samples=samples, solve=solve, precision=precision, seconds=seconds)
    known = {"north": north, "east": east, "south": south, "west": west, "condition": condition}
    told = watcher(progress, lambda layouts: Simulation(layouts, measure.cells))
    work = Work(seed, model, workers, max_tries, told, keep_on_interrupt, cluster, heard)
    survey = None
    if contracts is None and samples is None and solve is None and seconds is None:
        survey = survey_of(measure, precision, side, sides)
    return Simulation(lay_out(measure, known, plan, work, survey), measure.cells)


def contract_chance(
    *,
    contract: str | Contract,
    by: str | Seat | None = None,
    side: str = "NS",
    north: KnownHand = None,
    east: KnownHand = None,
    south: KnownHand = None,
    west: KnownHand = None,
    condition: KnownDeal = None,
    auction: AuctionLike | None = None,
    dealer: str | Seat = "N",
    vulnerable: str | Vulnerability = "none",
    samples: int | None = None,
    solve: int | None = None,
    seed: int = 0,
    model: str | os.PathLike[str] | None = None,
    precision: float | None = None,
    seconds: float | None = None,
    workers: int | None = None,
    max_tries: int = MAX_TRIES,
    progress: bool | Callable[[ContractChance], object] = False,
    keep_on_interrupt: bool = False,
    cluster: str | None = None,
) -> ContractChance:
    """Find how often one contract makes, two to five times faster than ``simulate``.

    Args:
        contract: The contract, such as ``"4H"``, ``"3NX"`` or a Contract.
        by: Declarer. Default: the better of ``side``, which takes a second search a layout.
        side: Side that declares where ``by`` does not say: ``"NS"`` or ``"EW"``.
        north: What is known of the hand: a Hand or its text, a description such as ``"hcp 15-17,
            balanced"``, a function of (n, 52) bool hands, or a list of these. Default: nothing.
        east: As ``north``.
        south: As ``north``.
        west: As ``north``.
        condition: What is known of the whole deal: text in Dealer's language such as ``"hcp(north)
            + hcp(south) >= 25"``, a Script, a function of (n, 52) owners, or a list of these.
        auction: The calls so far, dealer first: ``"1N P 3N"``, a list of calls, or an Auction.
            Hidden hands then fit it as in championship play. Also takes a Reading of
            ``Bidder.read``.
        dealer: Seat of the dealer, or its letter or name. An Auction or a Reading has its own.
        vulnerable: Vulnerable sides: none, ns, ew or both. An Auction or a Reading has its own.
        samples: Layouts to estimate. Default: the number that gives the best accuracy per
            second, from how well the network explains the solved ones.
        solve: Layouts to solve as well, which correct the estimates and give intervals: 0, or 20 or
            more. Default: 200.
        seed: Seed, 0 to 2**64 - 1. The same seed gives the same layouts.
        model: Name or path of the network. Default: fast, or accurate if ``solve`` is 0.
        precision: Stop when the chance is known to ± this; 0.03 is three percent. Default: no
            limit.
        seconds: Stop after this time, but not before 20 layouts. Default: no limit.
        workers: Number of solver threads. Default: all cores.
        max_tries: Most layouts to draw; a batch of them, 512 or more, is drawn in full.
        progress: Whether to show a bar; or a function that receives the result so far some times a
            second. A KeyboardInterrupt from it acts like Ctrl-C.
        keep_on_interrupt: Whether Ctrl-C ends the work and gives the result so far.
        cluster: Ray cluster to solve on: ``"local"``, ``"auto"`` or ``"ray://HOST:PORT"``. The
            result is the same. Default: this machine.

    Returns:
        A ContractChance: ``making()`` with its 95 % interval.

    Raises:
        DealError: A hand, contract or seat is not valid.
        CallError: A call is not valid, or the laws forbid it.
        ConstraintError: A text cannot be read or contradicts itself, or too few layouts fit.
        SimulationError: A number is out of its range, or options contradict each other.
        ClusterError: The cluster fails.

    Example:
        >>> known = {"south": "KT752.A84.J63.92", "north": "balanced, hcp 15-17"}
        >>> answer = tc.contract_chance(**known, contract="2S", by="S", samples=200, solve=20)
        >>> answer.making().low <= answer.making().mean <= answer.making().high
        True
    """
    bid = played(contract)
    declarer = declarer_of(bid, by)
    measure = Making(bid, seats_of(side) if declarer is None else (declarer,))
    heard, _ = read_calls(auction, dealer, vulnerable)
    plan = Plan(samples=samples, solve=solve, precision=precision, seconds=seconds)
    known = {"north": north, "east": east, "south": south, "west": west, "condition": condition}
    told = watcher(progress, lambda layouts: ContractChance(layouts, measure))
    work = Work(seed, model, workers, max_tries, told, keep_on_interrupt, cluster, heard)
    return ContractChance(lay_out(measure, known, plan, work), measure)


def compare(
    *choices: ChoiceLike,
    by: str | Seat | None = None,
    side: str = "NS",
    auction: AuctionLike | None = None,
    dealer: str | Seat = "N",
    vulnerable: str | Vulnerability = "none",
    north: KnownHand = None,
    east: KnownHand = None,
    south: KnownHand = None,
    west: KnownHand = None,
    condition: KnownDeal = None,
    samples: int | None = None,
    solve: int | None = None,
    seed: int = 0,
    model: str | os.PathLike[str] | None = None,
    precision: float | None = None,
    seconds: float | None = None,
    workers: int | None = None,
    max_tries: int = MAX_TRIES,
    progress: bool | Callable[[Comparison], object] = False,
    keep_on_interrupt: bool = False,
    cluster: str | None = None,
) -> Comparison:
    """Compare contracts or ways of bidding on the same layouts: points, IMPs, matchpoints.

    Each choice is compared with the first, layout by layout. Points are those of the side that
    declares the first contract.

    Args:
        choices: Two or more contracts of either side, such as ``"4S by S"`` or ``"PASS"``, or rules
            in Dealer's language: ``"3N if hcp(north) >= 16 else 2N"``.
        by: Declarer of contracts that name none. Default: the better of ``side``.
        side: Side that declares where ``by`` does not say: ``"NS"`` or ``"EW"``.
        auction: The calls so far, dealer first: ``"1N P 3N"``, a list of calls, or an Auction.
            Hidden hands then fit it as in championship play. Also takes a Reading of
            ``Bidder.read``.
        dealer: Seat of the dealer, or its letter or name. An Auction or a Reading has its own.
        vulnerable: Vulnerable sides: none, ns, ew or both. An Auction or a Reading has its own.
        north: What is known of the hand: a Hand or its text, a description such as ``"hcp 15-17,
            balanced"``, a function of (n, 52) bool hands, or a list of these. Default: nothing.
        east: As ``north``.
        south: As ``north``.
        west: As ``north``.
        condition: What is known of the whole deal: text in Dealer's language such as ``"hcp(north)
            + hcp(south) >= 25"``, a Script, a function of (n, 52) owners, or a list of these.
        samples: Layouts to estimate. Default: the number that gives the best accuracy per
            second, from how well the network explains the solved ones.
        solve: Layouts to solve as well, which correct the estimates and give intervals: 0, or 20 or
            more. Default: 200.
        seed: Seed, 0 to 2**64 - 1. The same seed gives the same layouts.
        model: Name or path of the network. Default: fast, or accurate if ``solve`` is 0.
        precision: Stop when the expected tricks of all solved results are known to ± this. Default:
            no limit.
        seconds: Stop after this time, but not before 20 layouts. Default: no limit.
        workers: Number of solver threads. Default: all cores.
        max_tries: Most layouts to draw; a batch of them, 512 or more, is drawn in full.
        progress: Whether to show a bar; or a function that receives the result so far some times a
            second. A KeyboardInterrupt from it acts like Ctrl-C.
        keep_on_interrupt: Whether Ctrl-C ends the work and gives the result so far.
        cluster: Ray cluster to solve on: ``"local"``, ``"auto"`` or ``"ray://HOST:PORT"``. The
            result is the same. Default: this machine.

    Returns:
        A Comparison: for each choice ``points``, and the gains over the first, with 95 % intervals.

    Raises:
        DealError: A hand, contract or seat is not valid.
        CallError: A call is not valid, or the laws forbid it.
        ConstraintError: A text cannot be read or contradicts itself, too few layouts fit, or a rule
            asks for tricks or divides by zero.
        SimulationError: A number is out of its range, there are fewer than two choices, a rule has
            no ``else``, or no contract is played.
        ClusterError: The cluster fails.

    Example:
        >>> known = {"south": "KT752.A84.J63.92", "north": "balanced, hcp 15-17"}
        >>> rule = "4S if spades(north) >= 4 else 2S"
        >>> result = tc.compare("2S", "4S", rule, by="S", **known, samples=200, solve=20)
        >>> result[rule].points.mean > result["4S by S"].points.mean
        True
    """
    read, whose, cells = read_choices(choices, by, side)
    heard, sides = read_calls(auction, dealer, vulnerable)
    plan = Plan(samples=samples, solve=solve, precision=precision, seconds=seconds)
    known = {"north": north, "east": east, "south": south, "west": west, "condition": condition}

    def compared(layouts: Layouts) -> Comparison:
        return Comparison(layouts, read, cells, whose, sides)

    told = watcher(progress, compared)
    work = Work(seed, model, workers, max_tries, told, keep_on_interrupt, cluster, heard)
    result = compared(lay_out(Tables(cells), known, plan, work))
    result.rows  # noqa: B018  # a division by zero in a rule is told here, not in print
    return result


def simulate_leads(
    *,
    leader: HandLike,
    contract: str | Contract | None = None,
    by: str | Seat | None = None,
    auction: AuctionLike | None = None,
    dealer: str | Seat = "N",
    vulnerable: str | Vulnerability = "none",
    scoring: str = "imps",
    north: KnownHand = None,
    east: KnownHand = None,
    south: KnownHand = None,
    west: KnownHand = None,
    condition: KnownDeal = None,
    samples: int | None = None,
    solve: int | None = None,
    seed: int = 0,
    model: str | os.PathLike[str] | None = None,
    precision: float | None = None,
    seconds: float | None = None,
    workers: int | None = None,
    max_tries: int = MAX_TRIES,
    progress: bool | Callable[[LeadSimulation], object] = False,
    keep_on_interrupt: bool = False,
    cluster: str | None = None,
) -> LeadSimulation:
    """Compare the opening leads from a hand against a contract.

    Leads are compared layout by layout.

    Args:
        leader: The whole hand of declarer's left-hand opponent.
        contract: The contract, such as ``"4H"``, ``"3NX"`` or a Contract. Default: as the auction
            says.
        by: Declarer. Default: as the auction says.
        auction: The whole auction, as text or a list of calls; hidden hands fit it as in
            championship play. Default: unknown.
        dealer: Seat of the dealer, or its letter or name. An Auction or a Reading has its own.
        vulnerable: Vulnerable sides: none, ns, ew or both. An Auction or a Reading has its own.
        scoring: ``"imps"``, ``"total"`` (points) or ``"matchpoints"``.
        north: What is known of the hand: a Hand or its text, a description such as ``"hcp 15-17,
            balanced"``, a function of (n, 52) bool hands, or a list of these. Default: nothing.
        east: As ``north``.
        south: As ``north``.
        west: As ``north``.
        condition: What is known of the whole deal: text in Dealer's language such as ``"hcp(north)
            + hcp(south) >= 25"``, a Script, a function of (n, 52) owners, or a list of these.
        samples: Layouts to estimate. Default: the number that gives the best accuracy per
            second, from how well the network explains the solved ones.
        solve: Layouts to solve, 20 or more. Default: 200.
        seed: Seed, 0 to 2**64 - 1. The same seed gives the same layouts.
        model: Name or path of the network. Default: fast.
        precision: Stop when declarer's expected tricks after each lead are known to ± this.
            Default: no limit.
        seconds: Stop after this time, but not before 20 layouts. Default: no limit.
        workers: Number of solver threads. Default: all cores.
        max_tries: Most layouts to draw; a batch of them, 512 or more, is drawn in full.
        progress: Whether to show a bar; or a function that receives the result so far some times a
            second. A KeyboardInterrupt from it acts like Ctrl-C.
        keep_on_interrupt: Whether Ctrl-C ends the work and gives the result so far.
        cluster: Ray cluster to solve on: ``"local"``, ``"auto"`` or ``"ray://HOST:PORT"``. The
            result is the same. Default: this machine.

    Returns:
        A LeadSimulation: the leads, best first, with tricks, the chance to set the contract, and
        the score, each with a 95 % interval.

    Raises:
        DealError: A hand, contract or seat is not valid.
        CallError: A call is not valid, or the laws forbid it.
        ConstraintError: A text cannot be read or contradicts itself, or too few layouts fit.
        SimulationError: A number is out of its range, or options contradict each other.
        ClusterError: The cluster fails.

    Example:
        >>> known = {"south": "balanced, hcp 15-17", "north": "hcp 8-10"}
        >>> leads = tc.simulate_leads(
        ...     leader="KQT4.Q72.J853.94", contract="3N", by="S", **known, samples=40, solve=20
        ... )
        >>> len(leads), leads.solved
        (12, 20)
    """
    heard, sides = read_calls(auction, dealer, vulnerable)
    bid, declarer = contract_of(contract, by, heard)
    hand = Hand(leader)
    gain(np.zeros(1), scoring)
    known = {"north": north, "east": east, "south": south, "west": west, "condition": condition}
    leading = declarer.lho.name.lower()
    if known[leading] is not None:
        raise SimulationError(f"{leading} leads and is given twice (expected only leader)")
    known[leading] = hand
    if solve == 0:
        raise SimulationError(
            f"solve is 0 (leads are compared by solving: {MINIMUM_EXACT} or more)"
        )
    plan = Plan(samples=samples, solve=solve, precision=precision, seconds=seconds)

    def compared(layouts: Layouts) -> LeadSimulation:
        return LeadSimulation(layouts, bid, declarer, sides, scoring)

    told = watcher(progress, compared)
    work = Work(seed, model, workers, max_tries, told, keep_on_interrupt, cluster, heard)
    return compared(lay_out(Leads(strain_of(bid), declarer), known, plan, work))
