"""The options with which layouts are dealt, estimated and solved: what simulations share."""

from typing import Annotated, Any

from .command import Option

Known = Annotated[
    str | None,
    Option(metavar="HAND", help="The hand, or what is known of it: 'hcp 15-17, balanced'."),
]
Condition = Annotated[
    str | None, Option(metavar="TEXT", help="What is known of the deal, as for Dealer.")
]
Samples = Annotated[int | None, Option(min=1, help="Layouts estimated (default: as many as pay).")]
Exact = Annotated[
    int | None,
    Option(min=0, help="Layouts solved: 0, or 20 or more (default: 200, or as needed)."),
]
Precision = Annotated[
    float | None, Option(help="Stop when the expected tricks are known to ± this.")
]
Seconds = Annotated[float | None, Option(help="Stop after this time.")]
Seed = Annotated[int, Option(min=0, max=2**64 - 1, help="The same seed, the same layouts.")]
Model = Annotated[
    str | None,
    Option(help="A shipped model or an .onnx file (default: fast; with --exact 0 accurate)."),
]
Workers = Annotated[int | None, Option(min=1, help="Threads (default: all cores).")]

_NAMES = (
    *("north", "east", "south", "west", "condition"),
    *("samples", "exact", "precision", "seconds", "seed", "model", "workers"),
)


def layout_options(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return what these options say, of all arguments of a command, as keywords of simulations."""
    asked = {name: arguments[name] for name in (*_NAMES, "cluster")}
    return asked | {"solve": asked.pop("exact")}
