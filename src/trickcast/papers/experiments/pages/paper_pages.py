"""The report: reproduction.csv, one line per published row, and a Markdown page for each paper."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from statistics import mean, stdev

from ...._files import atomic_writer
from ..all_papers import PAPERS, SCALES
from ..finished_figures import Store
from ..markdown import markdown_table
from ..paper import Paper, Show
from ..rows import BEYOND, AgreementRow, AnyRow, Line, Row
from ..scales import Scale
from .claims import table_of_claims
from .results import FIGURES, MISSING, NOT_RUN, Result, read_results

_TEXTS = Path(__file__).parent
_MADE_BY = "made by: "
_COUNTS = ("measured", "comparisons", "trainings", "reached", "beyond", "lower",
           "… with the reason", "as printed", "near")  # fmt: skip


def write_report(
    store: Store, scale: str, folder: Path, made_by: Mapping[str, str] | None = None
) -> list[Path]:
    """Write the report into ``folder`` and return the paths of its files.

    These are reproduction.csv, reproduction/index.md, and reproduction/PAPER.md for every paper
    with at least one measured figure. They are made from the lines in the folder's
    reproduction.jsonl. Lines of earlier runs are stored there with the name of their scale; lines
    of this run replace or follow them. ``made_by`` holds the command, library and test file of this
    run.
    """
    known = Store(folder, "reproduction")
    known.add(_lines_of_run(store, scale, known))
    if made_by is not None:
        name = _MADE_BY + made_by["command"]
        known.add([{"finding": name, **made_by, "remark": "", "scale": scale}])
    results = read_results(known)
    rows = [result.columns() for result in results.values()]
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    papers = [paper for paper in PAPERS.values() if _ran(paper.rows(), results, known)]
    files = {
        folder / "reproduction.csv": stream.getvalue(),
        folder / "reproduction" / "index.md": _index(papers, results, known),
    }
    for paper in papers:
        page = _page(paper, results, known)
        files[folder / "reproduction" / f"{paper.name}.md"] = page
    (folder / "reproduction").mkdir(exist_ok=True)
    for path, content in files.items():
        with atomic_writer(path) as output:
            output.write(content.encode())
    return list(files)


def table_of_rows(rows: Iterable[AnyRow], folder: Path) -> str:
    """Return the report's view of these rows as a table for a terminal."""
    known = Store(folder, "reproduction")
    results = read_results(known)
    cells = []
    for row in rows:
        line, result = known.get(row.id), results.get(row.id)
        if result is not None and result.ran:
            cells.append([row.id, _name(row, result.printed),
                          _three_printed(result) or result.printed["exact"], _ours(result),
                          _judged(result), _as_printed(result)])  # fmt: skip
        elif result is None and (line is not None or known.as_printed(row.id)):
            printed = known.as_printed(row.id)
            network = (line or printed[0]).get("network", "").replace("|", "·")
            ours = "" if line is None else _mean([line]) or "on its page"
            cells.append([row.id, network, "", ours, "", _over_seeds(printed)])
    head = ["row", "network", "published", "ours", "verdict", "as printed"]
    return markdown_table(head, cells)


def _lines_of_run(store: Store, scale: str, known: Store) -> Iterable[Line]:
    """Yield a run's lines as the report stores them, the papers' own protocol kept separate."""
    kept = {line["scale"] for line in known.lines() if "finding" in line and "network" in line}
    declared = {row.id: row for paper in PAPERS.values() for row in paper.rows()}
    for line in store.lines():
        own = line | {"scale": line.get("scale", scale)}
        if own["scale"] not in SCALES or not SCALES[own["scale"]].published:
            yield own
        elif SCALES[own["scale"]].by_authors:
            if "row" in own:
                yield {"authors": own.pop("row"), **own}
        elif "row" in own and isinstance(row := declared.get(own["row"]), Row | AgreementRow):
            of_paper = _is_of_paper(own, row, SCALES[own["scale"]])
            if of_paper:
                yield {"printed": own.pop("row"), **own}
            else:
                yield _over_options(own, known.get(own["row"]))
        elif (
            own.get("as_printed")  # its section keeps it separate
            or not {"finding", "network"} <= own.keys()
            or kept <= {own["scale"]}
        ):
            yield own  # findings of another scale's networks stay out


def _over_options(line: Line, before: Line | None) -> Line:
    """Return a line trained with options as the mean over its seeds so far."""
    if any(name not in line for name in FIGURES):
        return line
    same = before is not None and all(
        each(before) == each(line) for each in (_training, lambda one: one.get("scale"))
    )
    of_seeds = dict(before.get("of_seeds", {})) if same and before is not None else {}
    of_seeds[str(line["seed"])] = [line[name] for name in FIGURES]
    if len(of_seeds) == 1:
        return line | {"of_seeds": of_seeds}
    means = [round(mean(figures), 4) for figures in zip(*of_seeds.values(), strict=True)]
    seeds = ", ".join(sorted(of_seeds, key=int))
    note = "; ".join(filter(None, [line.get("note", ""), f"mean of seeds {seeds}"]))
    return line | dict(zip(FIGURES, means, strict=True)) | {"of_seeds": of_seeds, "note": note}


def _training(line: Line) -> str:
    """Return the network of a line, whatever its seed."""
    return re.sub(r"seed \d+", "seed", str(line.get("network")))


def _is_of_paper(line: Line, row: Row | AgreementRow, scale: Scale) -> bool:
    """Return whether a line is of the paper's own training, without options that change it.

    If the library has fewer deals than the paper, at least the scale's minimum is required.
    """
    planned = replace(scale.plan(row.net), seed=line["seed"])
    deals = int(line.get("deals", planned.deals))
    known = planned.key, replace(planned, deals=deals).key
    return line["network"] in known and deals >= min(planned.deals, scale.fewest)


def _ran(rows: Iterable[AnyRow], results: Mapping[str, Result], known: Store) -> bool:
    """Return whether any of the rows is measured."""
    return any(
        row.id in known
        or known.as_printed(row.id)
        or known.by_authors(row.id)
        or (row.id in results and results[row.id].ran)
        for row in rows
    )


_MENU = "```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"
"""The menu of the site, with the pages of the papers."""


def _index(papers: Sequence[Paper], results: Mapping[str, Result], known: Store) -> str:
    """Return the index of the paper pages, with what they have in common."""
    verdicts = []
    for paper in papers:
        counted = _counts(_results_of(paper, results))
        near, printed = counted.pop("near"), counted.pop("as printed")
        title = f"[{paper.title}]({paper.name}.md)" + "*" * bool(paper.caution)
        verdicts.append([title, *counted.values(), f"{near} of {printed}" if printed else ""])
    parts = [
        "# The papers, reproduced\n",
        markdown_table(["paper", *_COUNTS[:-2], "near as printed"], verdicts),
        "".join(f"\\* {paper.caution}\n" for paper in papers if paper.caution),
        _nearness(list(results.values())).strip() + "\n",
        _two_tests(results.values()),
        _made_of(known),
        "## How to read the tables\n",
        (_TEXTS / "reading.md").read_text("utf-8"),
        "## What was chosen for all papers\n",
        (_TEXTS / "choices.md").read_text("utf-8"),
        _MENU,
    ]
    return "\n".join(part for part in parts if part)


def _made_of(known: Store) -> str:
    """Return which commands made the figures, at which scale, on which deals."""
    parts = []
    for run in known.findings(_MADE_BY):
        files = ", ".join(f"{name} {run[name]}" for name in ("library", "test") if run.get(name))
        parts.append(
            f"- `{run['command']}`: scale {run['scale']}, {files}. {run['remark']}".strip()
        )
    lines = [line for line in known.lines() if {"row", "printed", "authors"} & line.keys()]
    for scale in sorted({line["scale"] for line in lines}):
        of_scale = [line for line in lines if line["scale"] == scale]
        deals = {line[key] for line in of_scale for key in ("training", "test") if key in line}
        on = f", on {'; '.join(sorted(deals))}" if deals else ""
        trial = "; a trial of the program: its figures mean nothing" if scale == "smoke" else ""
        parts.append(f"- {len(of_scale)} figures of scale {scale}{on}{trial}.")
    seconds = {
        (line["network"], line.get("seed"), line["scale"]): line["seconds"]
        for line in known.lines()
        if line.get("seconds") and "network" in line
    }
    if seconds:
        hours = sum(seconds.values()) / 3600
        parts.append(
            f"- {len(seconds)} trainings took {hours:.1f} hours of a core. The trainings in "
            "`other_settings.csv` did not record their time."
        )
    return "Made by:\n\n" + "\n".join(parts) + "\n"


def _page(paper: Paper, results: Mapping[str, Result], known: Store) -> str:
    """Return the page of a paper, verdict first."""
    parts = [
        f"# {paper.title}\n",
        _verdict(_results_of(paper, results)),
        f"**Caution:** {paper.caution}\n" if paper.caution else "",
        "[How this was made, how to read the tables, what was chosen for all papers](index.md)\n",
    ]
    if paper.claims:
        parts += ["## What the paper concludes\n", table_of_claims(paper.claims, known)]
    for table, declared in paper.tables.items():
        if _ran(declared, results, known):
            parts.append(f"## {table}\n")
            parts.append(
                _table(declared, results)
                if paper.show is None
                else _shown(paper.show, table, declared, known)
            )
    parts += [_beyond(paper, known), _by_authors(paper, results, known)]
    if paper.pictures:
        parts += ["## Pictures\n", paper.pictures]
    if paper.fitted:
        parts += ["## What was fitted, or is ours alone\n", paper.fitted]
    if paper.later:
        parts += ["## What the paper leaves for later\n", paper.later]
    if paper.choices or paper.left_out:
        parts.append("## What the paper leaves open, and what is done here\n")
        parts.append(paper.choices + paper.left_out)
    parts += [finding.show(known) for finding in paper.of_deals]
    parts += [finding.show(known) for finding in paper.of_networks]
    return "\n".join(part for part in parts if part)


def _results_of(paper: Paper, results: Mapping[str, Result]) -> list[Result]:
    """Return the published rows of a paper, including those that it quotes."""
    ids = {row.id for row in paper.rows()} | set(paper.quoted)
    return [result for name, result in results.items() if name in ids]


def _counts(rows: Sequence[Result]) -> dict[str, int]:
    """Return how many rows there are, and how ours compare: a number for each of _COUNTS.

    Verdicts count distinct comparisons, because rows may share one.
    """
    compared = {row.comparison: row for row in rows if row.compared}
    verdicts = [row.verdict for row in compared.values()]
    networks = {row.first_line["network"] for row in rows if "epochs" in row.first_line}
    printed = [row for row in rows if row.apart is not None]
    numbers = [
        sum(row.ran for row in rows),
        len(compared),
        len(networks),
        *(verdicts.count(verdict) for verdict in ("reached", "beyond", "lower")),
        sum(bool(row.why_lower) for row in compared.values()),
        len(printed),
        sum(row.near for row in printed),
    ]
    return dict(zip(_COUNTS, numbers, strict=True))


def _verdict(rows: Sequence[Result]) -> str:
    """Return how many rows ours reach, and why others are lower or not as printed."""
    counted, verdicts = _counts(rows), [row.verdict for row in rows]
    sentences = [
        f"{_number(len(rows), 'row')}; {_number(counted['comparisons'], 'distinct comparison')}"
        + (f" on {_number(counted['trainings'], 'training')}" if counted["trainings"] else "")
        + f": {counted['reached']} reached, {counted['beyond']} beyond (the protocol differs), "
        f"{counted['lower']} lower"
    ]
    rest = {"no percentage": "without a percentage", "not ours": "not ours to measure",
            "missing": MISSING}  # fmt: skip
    sentences += [
        f"{_number(verdicts.count(name), 'row')} {words}"
        for name, words in rest.items()
        if name in verdicts
    ]
    whole = f"**Verdict:** {'; '.join(sentences)}.{_nearness(rows)}\n"
    lower = [(row, row.why_lower) for row in rows if row.verdict == "lower"]
    apart = [(row, row.reason_apart) for row in rows if row.apart is not None and not row.near]
    listed = [*_reasons("Lower", lower), *_reasons("As printed, not near", apart)]
    return whole + ("\n" + "".join(listed) if listed else "")


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def _nearness(rows: Sequence[Result]) -> str:
    """Return a sentence on how many rows as printed are near the published; "" if none was run."""
    counted = _counts(rows)
    if not counted["as printed"]:
        return ""
    printed = [row for row in rows if row.apart is not None]
    near = {row.comparison_as_printed: row.near for row in printed}
    close = sum(abs(row.apart or 0) <= 1 for row in printed)
    within_1 = [far for row in printed if (far := row.apart_in("within_1")) is not None]
    allowed = [row.id for row in printed if row.near and abs(row.apart or 0) > 1]
    named = f" (by the allowance alone: {', '.join(allowed)})" if allowed else ""
    return (
        f" Trained as printed, {close} of {_number(len(printed), 'row')} "
        f"({_percent(close, printed)}) are within a point of the printed exact figure. With an "
        f"allowance of two standard errors for deals and seeds, {counted['near']} are "
        f"({_percent(counted['near'], printed)}), or {sum(near.values())} of "
        f"{_number(len(near), 'distinct comparison')}{named}. In the share within one trick, "
        f"{sum(abs(far) > 1 for far in within_1)} of {len(within_1)} are more than a point off."
    )


def _percent(some: int, of: Sequence[Result]) -> str:
    return f"{100 * some / len(of):.0f} %"


def _reasons(title: str, rows: Iterable[tuple[Result, str]]) -> list[str]:
    """Return a list with the rows of each reason."""
    reasons: dict[str, list[str]] = {}
    for row, why in rows:
        reasons.setdefault(why or "No reason is known.", []).append(row.id)
    return [f"- {title}: {', '.join(names)}. {why}\n" for why, names in reasons.items()]


def _two_tests(results: Iterable[Result]) -> str:
    """Return how many more results the networks get exactly on deals from outside the library."""
    differences = [
        float(result.figure("exact")) - float(result.own_exact)
        for result in results
        if result.own_exact
    ]
    if not differences:
        return ""
    return (
        "Our exact figures on the deals of `--test`, less those on the library's own test deals: "
        f"{sum(differences) / len(differences):+.2f} points, the mean of {len(differences)} rows.\n"
    )


def _table(declared: Sequence[AnyRow], results: Mapping[str, Result]) -> str:
    head = ["row", "network", "inputs", "contracts", "lead", "published", "ours", "less",
            "verdict", "as printed", "near", "n", "library"]  # fmt: skip
    cells = []
    for row in declared:
        result = results[row.id]
        if not result.ran and result.remark == MISSING:
            continue
        printed = result.printed
        ours = _three(result.figure(name) for name in FIGURES)
        less = f"{result.difference:+.2f}" if result.compared else ""
        cells.append([row.id, _name(row, printed), printed["input_coding"],
                      printed["contracts"], printed["lead"],
                      _three_printed(result), ours or result.first_note, less,
                      _judged(result), _as_printed(result), _near(result),
                      result.field("n"), result.own_exact])  # fmt: skip
    return markdown_table(head, cells)


def _ours(result: Result) -> str:
    """Return our figures; for opening bids, which have no others, exact and its note."""
    three = _three(result.figure(name) for name in FIGURES)
    return three or "; ".join(filter(None, (result.figure("exact"), result.first_note)))


def _three_printed(result: Result) -> str:
    return _three(result.printed[name] for name in FIGURES)


def _judged(result: Result) -> str:
    """Return the verdict, naming the figures behind it unless exact is among them."""
    if not result.compared:
        return ""
    names = [name.replace("_", " ") for name in result.lower_in]
    return result.verdict + (f" ({', '.join(names)})" if names and "exact" not in names else "")


def _as_printed(result: Result) -> str:
    """Return the figures by the papers' own protocol: mean and deviation over the seeds."""
    lines = result.as_printed
    if not lines:
        return NOT_RUN if result.ran and result.kept_apart else ""
    same = [line["same"][0] for line in lines if "same" in line]  # of agreeing networks
    shares = f"the same {mean(same):.2f}" if same else _mean(lines)
    spread = f"{stdev(same):.2f}" if len(same) > 1 else result.deviation
    return f"{shares}{f' ± {spread}' if spread else ''} ({len(lines)})"


def _over_seeds(lines: Sequence[Line]) -> str:
    """Return the figures of a row without published ones, as printed, and the number of seeds."""
    return f"{_mean(lines)} ({len(lines)})" if lines else ""


def _mean(lines: Sequence[Line]) -> str:
    """Return the figures of lines, mean over them; "" if there are none."""
    if not lines or any(name not in line for line in lines for name in FIGURES):
        return ""
    return _three(f"{mean(line[name] for line in lines):.2f}" for name in FIGURES)


def _near(result: Result) -> str:
    """Return whether a row as printed is near the published, or how far it is off."""
    if result.apart is None:
        return ""
    return "yes" if result.near else f"{result.apart:+.2f}"


def _name(row: AnyRow, printed: Mapping[str, str]) -> str:
    labels = row.labels if isinstance(row, Row) else ()
    return " ".join([printed["network"], *(f"({label})" for label in labels)])


def _three(shares: Iterable[str]) -> str:
    within_2, within_1, exact = shares
    return f"{within_2} / {within_1} / {exact}" if within_2 and within_1 and exact else ""


def _shown(show: Show, table: str, declared: Iterable[AnyRow], store: Store) -> str:
    """Return the measured part of a table, as its paper shows it; "" without any."""
    lines = [line for line in (store.get(row.id) for row in declared) if line is not None]
    return show(table, lines) if lines else ""


def _beyond(paper: Paper, store: Store) -> str:
    """Return the table of networks that the paper names without figures, if measured."""
    if paper.show is not None:
        shown = _shown(paper.show, BEYOND, paper.beyond, store)
        return f"## Beyond the tables\n\n{shown}" if shown else ""
    lines = []
    for row in paper.beyond:
        line, printed = store.get(row.id), store.as_printed(row.id)
        if line is not None or printed:
            known = line or printed[0]
            cells = [row.id, known["network"].replace("|", "·"), known["note"],
                     _mean([line] if line else []), _over_seeds(printed), str(known["n"]),
                     str(known["seconds"])]  # fmt: skip
            lines.append("| " + " | ".join(cells) + " |")
    if not lines:
        return ""
    head = ["| row | network | | ours | as printed | n | seconds |",
            "|---|---|---|---|---|---|---|"]  # fmt: skip
    return "## Named without figures\n\n" + "\n".join([*head, *lines]) + "\n"


def _by_authors(paper: Paper, results: Mapping[str, Result], known: Store) -> str:
    """Return the rows that were run by their authors' program; "" without any."""
    cells = []
    for row in paper.rows():
        published = _three_printed(results[row.id]) if row.id in results else ""
        for deals, of_deals in groupby(known.by_authors(row.id), lambda line: int(line["deals"])):
            lines = list(of_deals)
            errors = [line["compression_error"] for line in lines if "compression_error" in line]
            compression = f"{mean(errors):.2f}" if errors else ""
            steps = f"{mean(line['epochs'] for line in lines):,.0f}"
            name = lines[0]["network"].split(" | ")[0]
            cells.append([row.id, name, published, f"{deals:,}", _over_seeds(lines), compression,
                          steps])  # fmt: skip
    if not cells:
        return ""
    head = ["row", "network", "published", "deals", "by their program (seeds)",
            "compression, nats", "steps of the second phase"]  # fmt: skip
    about = (
        "In batches of a quarter of all examples, like the paper's own. Figures from fewer deals "
        "than the paper has are lower; their order says little where they are near a guess.\n\n"
    )
    return "## By the authors' program\n\n" + about + markdown_table(head, cells)
