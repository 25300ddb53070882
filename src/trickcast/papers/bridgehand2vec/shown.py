"""BridgeHand2Vec 2023 as an experiment: its tables and studies in the report."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..experiments.markdown import fields_table, markdown_table
from ..experiments.rows import Line
from ..published import published_results
from . import studies as study
from .studies import FIGURES, PRINTED, WITHIN

NAME = "bridgehand2vec"


def show(table: str, lines: Sequence[Line]) -> str:
    """Return the finished lines of a table, or of the studies beyond the tables, as Markdown."""
    if table in ("Table 3", "Table 4"):
        return _show_accuracy(lines)
    return "\n".join(_SHOWN[line["finding"].removeprefix(f"{NAME}: ")](line) for line in lines)


def _show_accuracy(lines: Sequence[Line]) -> str:
    printed = published_results()
    head = ("contracts", "published", "one pass", "all orders", "accurate", "results")
    rows = []
    for line in lines:
        row = printed[line["row"]]
        ours = ([line[name] for name in FIGURES], *line["better"].values())
        texts = [[row[name] for name in FIGURES]]
        texts += [[f"{share:.2f}" for share in shares] for shares in ours]
        rows.append([row["contracts"], *map(" \\| ".join, texts), f"{line['n']:,}"])
    words = (
        "\nOurs are the shipped networks. Figures of the authors' own weights, and of ten networks "
        "of ours trained as the paper says, are below. Both tables are for the mean of ten "
        "layouts, not for one deal.\n"
    )
    return markdown_table(head, rows) + words


def _show_errors(line: Line) -> str:
    rows = [[row["model"], f"{row['mse']:.4f}"] for row in line["rows"]]
    rows.append(["the labels' own noise, as accurate states it", f"{line['floor']:.4f}"])
    return f"Mean squared error on {line['n']:,} pairs:\n\n" + markdown_table(("", "MSE"), rows)


def _show_table_1(line: Line) -> str:
    strains = zip(("S", "H", "D", "C", "NT"), line["expected"], strict=True)
    means = ", ".join(f"{strain} {tricks:.1f}" for strain, tricks in strains)
    return (
        f"The solver gives {line['equal']} of the 20 printed results. From North's and South's "
        f"hands alone, `accurate` expects these tricks by North: {means}.\n"
    )


def _show_table_2(line: Line) -> str:
    head = ("", "by", "S", "H", "D", "C", "NT")
    rows = [
        ["published, mean of ten layouts", by, *tricks]
        for by, tricks in PRINTED["table_2"]["tricks"].items()
    ]
    rows += [
        [row["model"], row["by"], *(f"{tricks:.1f}" for tricks in row["tricks"])]
        for row in line["rows"]
    ]
    return markdown_table(head, rows)


def _show_table_5(line: Line) -> str:
    head = ("", *(f"v{i}" for i in range(len(line["mean"]))))
    rows = [
        [f"{name}, {whose}", *(f"{value:.4f}" for value in values)]
        for name, printed in PRINTED["table_5"].items()
        for whose, values in (("published", printed), ("ours", line[name]))
    ]
    return markdown_table(head, rows)


def _show_table_8(line: Line) -> str:
    of_calls = PRINTED["table_8"]
    calls = [*of_calls, *(call for call in line["calls"] if call not in of_calls)]
    printed = [of_calls.get(call, (0, 0)) for call in calls]
    rows = [
        ["train, published", *(train for train, _ in printed)],
        [f"the {line['hands']:,} labelled hands", *(line["calls"].get(call, 0) for call in calls)],
        ["test, published", *(test for _, test in printed)],
    ]
    return markdown_table(("", *calls), rows)


def _show_rotation(line: Line) -> str:
    printed = PRINTED["rotation"]
    rows = [
        ["published, before rotation", *printed["before"]],
        ["published, with rotation", *printed["after"]],
    ]
    rows += [[row["model"], f"{row['hearts']:.4f}", f"{row['spades']:.4f}"] for row in line["rows"]]
    words = (
        f"{' and '.join(printed['hands'])}, by the shipped models (alike by construction if all "
        "orders of the suits are averaged, and in `accurate`):\n\n"
    )
    return words + markdown_table(("", "hearts", "spades"), rows)


def _show_views(line: Line) -> str:
    lessons = (
        f"{line['pairs']:,} of the authors' rows"
        if "pairs" in line
        else f"{line['labelled']:,} pairs that `accurate` labelled, which treats all suits alike"
    )
    words = (
        f"Gain from rotating the suits on {lessons}: {line['runs']} networks whose pairs have "
        f"their suits rotated at random, and {line['runs']} with the suits as dealt, "
        f"{line['steps']:,} steps each. The error is on {line['n']:,} other pairs. *Unlike* is "
        "the mean difference, in tricks, between the estimates of a pair and of the same pair with "
        "its suits rotated. Hearts and spades are those of the printed pair. Each is one pass, "
        "without a mean over orders. After ± comes the deviation, or in the last row the 95 % "
        "interval of the difference:\n\n"
    )
    rows = [
        [
            row["suits"],
            f"{row['mse']:.4f} ± {row['mse_std']:.4f}",
            f"{row['unlike']:.4f} ± {row['unlike_std']:.4f}",
            f"{row['hearts']:.2f}",
            f"{row['spades']:.2f}",
            f"{row['apart']:.2f} ± {row['apart_std']:.2f}",
        ]
        for row in line["rows"]
    ]
    if line["gone"]:
        bought = {name: f"{less:+.4f} ± {errors:.4f}"
                  for name, (less, errors) in line["gone"].items()}  # fmt: skip
        rows.append(["less by rotation", bought["mse"], bought["unlike"], "", "", bought["apart"]])
    head = ("suits", "MSE", "unlike", "hearts", "spades", "these apart")
    return words + markdown_table(head, rows)


def _show_models(line: Line) -> str:
    """Return the spread of our networks beside the printed one of ten, and how they compare."""
    printed, short = study.printed_shares(), line["short"]
    rows = []
    for row in line["rows"]:
        figure = row["figure"]
        theirs = printed.get(figure, ("", ""))
        compared = "{:+.3f} ± {:.3f}".format(*short[figure]) if figure in short else ""
        rows.append([figure, *theirs, f"{row['value']:.4f}", f"{row['std']:.4f}", compared])
    head = ("figure", "published", "deviation", "ours", "deviation", "ours are short by")
    return (
        f"The spread over {line['models']} networks with different first weights, and that over "
        f"the paper's ten. Ours were trained like those of Figure 4 (one pass, {line['n']:,} "
        "pairs). After ± comes the 95 % interval of the difference, by Student's t, from the "
        "spread of the networks:\n\n"
        + markdown_table(head, rows)
        + (_verdict_on_models(line) if short and line["optimizer"] == "adam" else "")
    )


def _verdict_on_models(line: Line) -> str:
    """Return how many of the figures our networks reach by the paper's own protocol."""
    short = line["short"]
    lower = sum(points > errors for points, errors in short.values())
    higher = sum(points < -errors for points, errors in short.values())
    exactly = ", ".join(
        f"{-points:+.1f} ({figure.removesuffix(f', {WITHIN[-1]}')})"
        for figure, (points, _) in short.items()
        if figure.endswith(WITHIN[-1])
    )
    verb = "fall short of" if lower else "reach"
    return (
        f"\nThese ten {verb} the paper's figures. Of {len(short)} figures, {lower} are lower by "
        f"more than this interval, and {higher} higher. (The interval covers the spread of "
        f"networks, not the test pairs.) The exact figures differ by {exactly}. These ten saw "
        f"a twentieth of the examples that the authors' program shows its networks, counting "
        f"repeats: {line['steps']:,} steps of Adam with batches of 2,048, on "
        f"{line['labelled']:,} pairs that `accurate` labelled in place of a solver. The authors' "
        "program (`train.py`; the paper does not say) makes 200 passes with batches of 10,000. Its "
        "rate for Adam is 0.005, times 0.999 after each pass. Tables 3 and 4 above are of the "
        "shipped network, which was trained longer and by SOAP.\n"
    )


def _show_authors(line: Line) -> str:
    """Return the figures of the authors' own weights, beside their printed means and deviations."""
    rows = [
        [name, printed, deviation, f"{line['figures'][name]:.3f}", f"{line['short'][name]:+.1f}"]
        for name, (printed, deviation) in study.printed_shares().items()
    ]
    head = ("figure", "published", "deviation", "the authors' weights", "short by, deviations")
    far = [name for name, deviations in line["short"].items() if deviations > 2]
    short = f" More than two deviations short: {' and '.join(far)}." if far else ""
    return (
        "**The authors' own weights reach what the paper prints.** The authors published them "
        f"(`model.pth`). Here they are tested on {line['n']:,} of the authors' validation rows. "
        "This is one network against the mean of ten; its mean squared error is "
        f"{line['mse']:.4f}."
        f"{short}\n\n" + markdown_table(head, rows)
    )


def _show_known(line: Line) -> str:
    head = ("", *(row["value"] for row in line["rows"]))
    told = ["multiple correlation", *(f"{row['correlation']:.3f}" for row in line["rows"])]
    return "What a linear regression on the vector says about a hand:\n\n" + markdown_table(
        head, [told]
    )


def _show_game(line: Line) -> str:
    steps = list(line["curves"]["cards"])
    curves = [
        [kind, *(f"{mean:.0f} ± {std:.0f}" for mean, std in line["curves"][kind].values())]
        for kind in ("cards", "vectors")
    ]
    if line["lead"]:
        leads = [f"{lead:+.0f} ± {errors:.0f}" for lead, errors in line["lead"].values()]
        curves.append(["vectors less cards", *leads])
    bids, head = line["bids"], ["hand"]
    for kind in ("cards", "vectors"):
        head += [f"{kind}, published", *(f"ours, step {step}" for step in bids[kind])]
    rows = [
        [hand, cards, *(calls[i] for calls in bids["cards"].values()),
         vectors, *(calls[i] for calls in bids["vectors"].values())]
        for i, (hand, cards, vectors) in enumerate(PRINTED["table_11"]["bids"])
    ]  # fmt: skip
    return (
        f"Mean reward up to a step, {line['models']} agents each (Figure 8). The agents bid both "
        f"hands of {line['pairs']:,} pairs in every order of the suits. DDS solved ten layouts of "
        "each pair. After ± comes the deviation over the agents, or the 95 % interval of the "
        "difference:\n\n"
        + markdown_table(("sees", *(f"step {step}" for step in steps)), curves)
        + "\nTheir likeliest calls:\n\n"
        + markdown_table(head, rows)
    )


@dataclass(frozen=True)
class _Rows:
    """How the rows of a line are shown: an introduction, and a head and a cell for each column."""

    words: str
    columns: tuple[tuple[str, str], ...]

    def __call__(self, line: Line) -> str:
        rows = [
            row | {"shape": study.printed_shape(row["ours"])} if "ours" in row else row
            for row in line["rows"]
        ]
        return self.words.format_map(line) + fields_table(rows, *self.columns)


_OURS = ("ours", "{ours}"), ("lengths, points", "{shape}"), ("distance", "{distance:.3f}")
_TABLE_6 = _Rows(
    f"Nearest to {PRINTED['table_6']['query']}, among 200,000 hands:\n\n",
    (
        ("published", "{published}"),
        ("distance", "{published_distance}"),
        ("in our vectors", "{our_distance_of_it:.3f}"),
        *_OURS,
    ),
)
_TABLE_7 = _Rows("", (("y", "{y}"), ("published", "{published}"), *_OURS))
_ZERO = _Rows("Nearest to the zero vector:\n\n", (("published", "{published}"), *_OURS))
_FIGURE_4 = _Rows(
    "Length of a hand's vector and mean squared error on {n:,} pairs. Each network took {steps:,} "
    "steps on {labelled:,} pairs that `accurate` labelled.\n\n",
    (("size", "{size}"), ("MSE", "{mse:.4f}"), ("deviation", "{std:.4f}"), ("networks", "{runs}")),
)
_SOURCES = _Rows(
    "Sources that a network of the paper learns from, compared after {steps:,} steps. The error is "
    "on {n:,} of the authors' training rows that it has not seen:\n\n",
    (("lessons", "{source}"), ("pairs", "{pairs:,}"), ("MSE", "{mse:.4f}")),
)
_SHOWN: dict[str, Callable[[Line], str]] = {
    "Table 1": _show_table_1,
    "Table 2": _show_table_2,
    "Table 5": _show_table_5,
    "Table 6": _TABLE_6,
    "Table 7": _TABLE_7,
    "Table 8": _show_table_8,
    "zero": _ZERO,
    "rotation": _show_rotation,
    "views": _show_views,
    "views of their rows": _show_views,
    "errors": _show_errors,
    "known": _show_known,
    "Figure 4": _FIGURE_4,
    "authors": _show_authors,
    "models": _show_models,
    "sources": _SOURCES,
    "Table 11": _show_game,
}
