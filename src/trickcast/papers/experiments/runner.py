"""Runner of experiments: trains what is missing, measures, saves, and resumes after a kill."""

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Thread

from ..._pieces import over_pieces
from ..._progress import Advance
from ..published import published_results
from .all_papers import PAPERS
from .finished_figures import Store, agree
from .measured_rows import measure_agreement, measure_raw, measure_row
from .rows import AgreementRow, AnyRow, FunctionRow, Line, Material, PublishedRow, RawRow, Row
from .run_deals import Deals, ExperimentError, require_deals
from .scales import Scale
from .spec import Net

NetRow = Row | AgreementRow
_OPTIONS = {
    "labelled": "--labelled",
    "pairs": "--pairs",
    "training_pairs": "--pairs-training",
    "authors": "--authors-weights",
    "layouts": "--layouts",
}
"""The command's options that fill the fields of Material."""


def need_deals(rows: Iterable[AnyRow]) -> bool:
    """Return whether any of the rows is measured on solved deals."""
    return any(isinstance(row, Row | AgreementRow | RawRow) for row in rows)


def has_rprop(rows: Iterable[AnyRow]) -> bool:
    """Return whether any of the rows has a network that is trained by Rprop."""
    return any(isinstance(row, Row | AgreementRow) and row.net.by_rprop for row in rows)


def has_pretraining(rows: Iterable[AnyRow]) -> bool:
    """Return whether any of the rows has a network that is trained as in 2018."""
    return any(isinstance(row, Row) and row.net.pretraining is not None for row in rows)


def in_two_phases(rows: Iterable[AnyRow]) -> tuple[AnyRow, ...]:
    """Return the rows whose networks are trained as in 2018.

    Raises ExperimentError if there are none.
    """
    found = tuple(row for row in rows if has_pretraining([row]))
    if not found:
        raise ExperimentError(
            "none of these rows has a network trained in two phases (expected rows of "
            "mandziuk2018; others have no scale authors)"
        )
    return found


def waiting(rows: Iterable[AnyRow], material: Material) -> list[AnyRow]:
    """Return the rows that cannot be measured because other people's files are missing."""
    return [
        row
        for row in rows
        if isinstance(row, FunctionRow) and row.needs and getattr(material, row.needs) is None
    ]


def of_torch(rows: Iterable[AnyRow]) -> list[AnyRow]:
    """Return the rows that need torch: those with a network to train."""
    return [
        row
        for row in rows
        if isinstance(row, Row | AgreementRow) or (isinstance(row, FunctionRow) and row.torch)
    ]


def options_of(rows: Iterable[AnyRow]) -> str:
    """Return the options for the files that these rows need: "--labelled, --pairs"."""
    needed = {row.needs for row in rows if isinstance(row, FunctionRow)}
    return ", ".join(option for name, option in _OPTIONS.items() if name in needed)


def planned(rows: Iterable[AnyRow], scale: Scale, seed: int = 1) -> dict[Net, list[NetRow]]:
    """Return the networks to train at a scale, each with the rows measured on it."""
    nets: dict[Net, list[NetRow]] = {}
    for row in rows:
        if isinstance(row, Row | AgreementRow):
            nets.setdefault(replace(scale.plan(row.net), seed=seed), []).append(row)
    return nets


def reproduce(
    rows: Iterable[AnyRow],
    scale: Scale,
    deals: Deals | None,
    folder: Path,
    *,
    material: Material | None = None,
    workers: int = 1,
    seed: int = 1,
    cluster: str | None = None,
    finished: Callable[[Store, str], None] = lambda store, name: None,
) -> Store:
    """Train and measure what is missing of ``rows``; return all finished lines.

    Networks and figures are kept in ``folder`` and reused. ``deals`` may be None if
    ``need_deals(rows)`` is false. Rows that need other people's files which ``material`` lacks are
    left out. ``workers`` networks are trained at a time, each on one core. On a Ray
    ``cluster`` (``"local"``, ``"auto"``, ``"ray://HOST:PORT"``), as many are trained as it has room
    for; each then gets ``workers`` cores and their memory. ``seed`` is that of first
    weights. Every seed but the first has a store of its own, for networks only. ``finished`` is
    called after each network with its name. Raises ExperimentError if the deals are too few or not
    those of before, or if no row can be measured; TrainingError if a training fails; ClusterError
    if the cluster does. Finished work stays.
    """
    wanted, files = list(rows), material or Material()
    left_out = waiting(wanted, files)
    of_people = [row.id for row in wanted if isinstance(row, PublishedRow)]
    if of_people and len(of_people) == len(wanted):
        raise ExperimentError(
            f"the figures of {', '.join(of_people)} are of people: nothing is measured (expected "
            "rows of networks or points)"
        )
    if left_out and len(left_out) + len(of_people) == len(wanted):
        raise ExperimentError(
            f"these rows are measured on files that are not given (expected {options_of(left_out)})"
        )
    store = Store(folder, scale.name if seed == 1 else f"{scale.name}-seed-{seed}")
    if need_deals(wanted):
        if deals is None:
            raise ExperimentError("these rows need solved deals (expected a library)")
        _measure_on_deals(wanted, scale, deals, folder, store, workers, seed, cluster, finished)
    for row in wanted if seed == 1 else ():
        if isinstance(row, FunctionRow) and row not in left_out and row.id not in store:
            name = "row" if row.id in published_results() else "finding"
            store.add([{name: row.id, **row.measure(scale, files)}])
            finished(store, row.id)
    return store


def _measure_on_deals(
    wanted: list[AnyRow],
    scale: Scale,
    deals: Deals,
    folder: Path,
    store: Store,
    workers: int,
    seed: int,
    cluster: str | None,
    finished: Callable[[Store, str], None],
) -> None:
    """Train and measure what is missing of the rows of double-dummy results."""
    nets = planned(wanted, scale, seed)
    for net in nets:
        require_deals(net, scale, deals.training)  # found now, not after other trainings
    _refuse_other_networks(nets, store)
    agree(folder, scale, deals)
    if seed == 1:
        store.add(_without_training(wanted, deals, store))
    missing = {
        net: [row for row in of_net if row.id not in store]
        for net, of_net in sorted(nets.items(), key=lambda item: not _published(item[1]))
        if any(row.id not in store for row in of_net)
    }
    for net, lines in _all_lines(missing, scale, deals, folder / scale.name, workers, cluster):
        store.add(lines)
        finished(store, net.key)


def _refuse_other_networks(nets: Mapping[Net, list[NetRow]], store: Store) -> None:
    """Raise ExperimentError if a row was measured on another network than this run's."""
    for net, rows in nets.items():
        for row in rows:
            line = store.get(row.id) or {"network": net.key}
            if line["network"] != net.key:
                raise ExperimentError(
                    f"{store.path}: {row.id} was measured of {line['network']}, and this run has "
                    f"{net.key} (expected the same options, or another folder)"
                )


def _published(rows: Iterable[NetRow]) -> bool:
    """Return whether any of the rows has a published figure."""
    return any(row.id in published_results() for row in rows)


def _without_training(rows: list[AnyRow], deals: Deals, store: Store) -> Iterator[Line]:
    """Yield the missing lines that need only the deals."""
    for row in rows:
        if isinstance(row, RawRow) and row.id not in store:
            yield measure_raw(row, deals)
    for paper in PAPERS.values():
        for finding in paper.of_deals:
            for name, measure in finding.measures.items():
                if name not in store:
                    yield {"finding": name, **measure(deals)}


def _all_lines(
    missing: dict[Net, list[NetRow]],
    scale: Scale,
    deals: Deals,
    folder: Path,
    workers: int,
    cluster: str | None,
) -> Iterator[tuple[Net, list[Line]]]:
    """Yield each network's lines as soon as they are ready."""
    if cluster is not None or workers == 1:
        work = partial(_lines, scale, deals, folder if cluster is None else folder.absolute())
        with over_pieces(work, missing.items(), cluster=cluster, cores=workers) as done:
            yield from ((net, lines) for (net, _), lines in done)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_end_with_parent) as pool:
        futures = {
            pool.submit(lines_of_net, net, rows, scale, deals, folder): net
            for net, rows in missing.items()
        }
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _lines(
    scale: Scale, deals: Deals, folder: Path, piece: tuple[Net, list[NetRow]], advance: Advance
) -> list[Line]:
    """Return the lines of a network as a piece of work."""
    lines = lines_of_net(*piece, scale, deals, folder)
    advance(1)
    return lines


def _end_with_parent() -> None:
    """Make a worker stop if the run is killed, so it does not train beside the next run."""
    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    Thread(target=wait, daemon=True).start()


def lines_of_net(
    net: Net, rows: list[NetRow], scale: Scale, deals: Deals, folder: Path
) -> list[Line]:
    """Train a network to its end, then measure everything asked of it."""
    import torch  # rows without networks are measured even if it is missing

    from .trained import train_net

    folder.mkdir(parents=True, exist_ok=True)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # networks this small are hardly faster on two
    try:
        trained = train_net(net, scale, deals, folder)
        lines = [
            measure_row(row, trained, deals)
            if isinstance(row, Row)
            else measure_agreement(row, trained, deals)
            for row in rows
        ]
        if net.seed == 1:  # findings are recorded for one network only
            for paper in PAPERS.values():
                for finding in paper.of_networks:
                    lines += finding.measure(trained, scale, deals)
        return lines
    finally:
        torch.set_num_threads(threads)
