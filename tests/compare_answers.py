"""Whether two versions of trickcast give the same answers.

    PYTHON tests/compare_answers.py write FILE         # once by the Python of either version
    python tests/compare_answers.py compare FILE FILE  # exit status 1 where answers differ

The first writes what the trickcast of that Python answers to seeded questions: shipped models,
opening systems, deals, libraries, simulations, files and the command line. Of arrays it keeps a
digest of the bytes, and eight weighted means by which a difference in the last digit of a float
is told from a real one. Names that changed between versions stand in ``_NEWER``. The version before
the rooms were moved is commit 94eb42a.

Solving and simulating are the most of it: five minutes of one core.
"""

import argparse
import hashlib
import inspect
import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

ROUNDING = 1e-5
"""How far two answers may be apart, in the unit of the answer, and still be alike."""
_NEWER = {
    "embedding": "pairs",
    "openings": "bidding",
    "exact": "solve",
    "only": "contracts",
    "--exact": "--solve",
    "--exact-below": "--solve-below",
    "simulate_making": "contract_chance",
}
"""Rooms, arguments, options and functions: the older name, and the newer."""
_WEIGHTS = 8
_UNSTEADY = {"seconds", "speed", "elapsed", "size", "sha256", "path", "file", "training_seconds"}
"""Keys whose values are not answers."""
_HAND, _PARTNER = "AQ864.K75.A3.KJ4", "K7.A862.KQ52.873"
_DEAL = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"

Answer = dict[str, Any]


# --- what is asked ------------------------------------------------------------------------------


def ask_models() -> Iterator[tuple[str, Any]]:
    """Probabilities and tricks of whole deals, by every shipped model."""
    import trickcast as tc

    deals = tc.random_deals(500, seed=38)
    yield "models/names", sorted(model.name for model in tc.models())
    for model in tc.models():
        estimate = tc.Estimator(model.name, threads=1)(deals)
        yield f"models/{model.name}/probabilities", estimate.probabilities
        yield f"models/{model.name}/tricks", estimate.tricks
        yield f"models/{model.name}/accuracy", model.accuracy


def ask_pairs() -> Iterator[tuple[str, Any]]:
    """Two hands, hand vectors and near hands."""
    import trickcast as tc

    owners = tc.random_deals(500, seed=38).owners
    norths, souths = owners == 0, owners == 2
    for name in ("accurate", "hand2vec"):
        estimate = tc.PairEstimator(name, threads=1)(norths, souths)
        yield f"pairs/{name}", estimate.probabilities
        yield f"pairs/{name}/by partner", estimate.by_partner.probabilities
    embedding = tc.HandEmbedding(threads=1)
    yield "pairs/vectors", embedding.encode(norths)
    yield "pairs/nearest", [str(hand) for hand, _ in embedding.nearest(_HAND, k=5)]


def ask_openings() -> Iterator[tuple[str, Any]]:
    """Opening bids of a thousand hands, by every system."""
    import trickcast as tc

    owners = tc.random_deals(1000, seed=38).owners
    hands = owners == np.arange(1000)[:, None] % 4
    yield "openings/names", sorted(tc.openings.names())
    for name in sorted(tc.openings.names()):
        system = tc.openings.load(name)
        yield f"openings/{name}/calls", list(system.calls)
        yield f"openings/{name}/bids", system.bid(hands)
        yield f"openings/{name}/probabilities", system.probabilities(hands)
        yield f"openings/{name}/sure", np.asarray(system.sure(hands))
        yield f"openings/{name}/why", str(system.explain(_HAND))


def ask_evaluators() -> Iterator[tuple[str, Any]]:
    """What a thousand hands are worth by every method."""
    import trickcast as tc

    hands = tc.random_deals(1000, seed=38).owners == 0
    for name in sorted(tc.evaluators.names()):
        for trump in (None, "S"):
            yield f"evaluators/{name}/{trump}", tc.evaluators.evaluate(name, hands, trump)


def ask_deals() -> Iterator[tuple[str, Any]]:
    """Deals at random, plain and constrained, and exact tables of some."""
    import trickcast as tc
    from trickcast.dealing import constrained_deals

    yield "deals/random", tc.random_deals(5000, seed=38).owners
    yield "deals/later", tc.random_deals(100, seed=38, start=10**12).owners
    for number, asked in enumerate(
        (
            {"south": "hcp 15-17, balanced"},
            {"south": _HAND, "north": "hcp 6-9, spades 3-4"},
            {"condition": "hcp(north) + hcp(south) >= 26 && shape(north, any 5431)"},
        )
    ):
        yield f"deals/constrained {number}", constrained_deals(200, 38, **asked).owners
    yield "deals/solved", tc.solve(tc.random_deals(12, seed=38), workers=1).tricks


def ask_libraries() -> Iterator[tuple[str, Any]]:
    """The bytes of generated shards."""
    with tempfile.TemporaryDirectory() as folder:
        for start, deals in ((0, 20), (4090, 10)):
            asked = [f"--deals={deals}", "--seed=38", f"--start={start}", f"--out={folder}"]
            _run("generate", *asked, "--workers=1")
        for path in sorted(Path(folder).rglob("*.zrd")):
            yield f"library/{path.relative_to(folder)}", path.read_bytes()


def ask_simulations() -> Iterator[tuple[str, Any]]:
    """Contracts and leads over hidden hands."""
    import trickcast as tc

    asked = {"south": _HAND, "north": "hcp 6-9, spades 3-4"}
    work: dict[str, Any] = {"samples": 300, "seed": 38, "workers": 1}
    both = _called(tc.simulate, **asked, **work, exact=40)
    for name in ("expected", "deviation"):
        if hasattr(both, name):
            found = getattr(both, name)
            yield f"simulations/contracts/{name}", np.asarray(getattr(found, "array", found))
    yield "simulations/contracts/making", list(both.making("4S", by="S"))
    one = _called(tc.simulate, **asked, **work, exact=0, only=[("4S", "S"), ("3N", "N")])
    yield "simulations/two contracts", [list(one.making(c, by=b)) for c, b in (("4S", "S"),)]
    making = getattr(tc, "simulate_making", None) or tc.contract_chance
    chance = _called(making, contract="4S", by="S", **asked, **work, exact=40)
    yield "simulations/making", str(chance).splitlines()[0]
    leads = _called(
        tc.simulate_leads, leader="Q63.T9.KJ984.Q32", contract="3N", by="S", **work, exact=40
    )
    yield "simulations/leads", str(leads)


def ask_files() -> Iterator[tuple[str, Any]]:
    """What is read from files, ours and those beside the checkout."""
    import trickcast as tc

    root = Path(__file__).parents[1]
    shared = root.parent / "shared/data"
    files = [*(root / "examples").glob("*.pbn"), *(root / "docs/notebooks").glob("*.pbn")]
    if shared.is_dir():
        for folder in ("boards", "dds", "gib", "played"):
            files += [path for path in (shared / folder).rglob("*") if path.is_file()]
    for path in sorted(files, key=str):
        try:
            read = tc.read(path)
        except ValueError as error:
            yield f"files/{path.name}", type(error).__name__
            continue
        yield f"files/{path.name}/owners", read.owners
        if read.tricks is not None:
            yield f"files/{path.name}/tricks", read.tricks


_COMMANDS: dict[str, tuple[str, ...]] = {
    "estimate": ("estimate", _DEAL, "--json"),
    "estimate, surely": ("estimate", _DEAL, "--exact-below", "0.9", "--json"),
    "solve": ("solve", _DEAL, "--json"),
    "par": ("par", _DEAL, "--json"),
    "hand": ("hand", _HAND, "--json"),
    "pair": ("pair", _HAND, _PARTNER, "--json"),
    "open": ("open", _HAND, "--json"),
    "open, rules": ("open", _HAND, "--system", "standard-american", "--nearest", "0", "--json"),
    "nearest": ("nearest", _HAND, "--json"),
    "deal": ("deal", "--south", "hcp 15-17, balanced", "-n", "3", "--seed", "38", "--json"),
    "play": ("play", _DEAL, "4H", "SQ", "S5", "--by", "N", "--json"),
    "models": ("models", "--json"),
    "explain": ("explain", "(52x4)-(26x4)-26-13-1", "--json"),
    "simulate": ("simulate", "--south", _HAND, "--north", "hcp 6-9", "--samples", "200",
                 "--exact", "20", "--seed", "38", "--workers", "1", "--json"),
    "leads": ("leads", "Q63.T9.KJ984.Q32", "3N", "--by", "S", "--samples", "200", "--exact", "20",
              "--seed", "38", "--workers", "1", "--json"),
    "compare": ("compare", "3N", "4S", "--by", "S", "--south", _HAND, "--samples", "200",
                "--exact", "20", "--seed", "38", "--workers", "1", "--json"),
}  # fmt: skip


def ask_commands() -> Iterator[tuple[str, Any]]:
    """The JSON of the commands that answer questions."""
    for name, words in _COMMANDS.items():
        lines = [json.loads(line) for line in _run(*words).splitlines() if line.strip()]
        if name == "models":
            lines.sort(key=lambda line: str(line["name"]))
        yield f"commands/{name}", [_steady(line) for line in lines]


QUESTIONS: tuple[Callable[[], Iterator[tuple[str, Any]]], ...] = (
    ask_models, ask_pairs, ask_openings, ask_evaluators, ask_deals, ask_libraries,
    ask_simulations, ask_files, ask_commands,
)  # fmt: skip


# --- names of either version --------------------------------------------------------------------


def _called(function: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """Call a function by whichever of a parameter's names it has."""
    known = inspect.signature(function).parameters
    return function(
        *args, **{n if n in known else _NEWER.get(n, n): value for n, value in named.items()}
    )


def _run(command: str, *words: str) -> str:
    """Run a command, its options by whichever names it has, and return what it prints."""
    program = [sys.executable, "-m", "trickcast", command]
    told = subprocess.run([*program, "--help"], capture_output=True, text=True, check=True).stdout
    known = set(told.replace("[", " ").split())
    given = [_NEWER[word] if word in _NEWER and word not in known else word for word in words]
    ended = subprocess.run([*program, *given], capture_output=True, text=True)
    if ended.returncode:
        raise SystemExit(f"{command} {' '.join(given)}: {ended.stderr}")
    return ended.stdout


def _steady(answer: Any) -> Any:
    """Return an answer without what is another every time."""
    if isinstance(answer, dict):
        return {key: _steady(value) for key, value in answer.items() if key not in _UNSTEADY}
    return [_steady(value) for value in answer] if isinstance(answer, list) else answer


# --- writing and comparing ----------------------------------------------------------------------


def kept(value: Any) -> Any:
    """Return what is kept of an answer."""
    if isinstance(value, bytes):
        return {"digest": hashlib.sha256(value).hexdigest()[:16], "bytes": len(value)}
    if not isinstance(value, np.ndarray):
        return json.loads(json.dumps(value, default=float))
    about: Answer = {"shape": list(value.shape), "dtype": str(value.dtype)}
    about["digest"] = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()[:16]
    if value.dtype.kind == "f":
        weights = np.random.default_rng(38).standard_normal((_WEIGHTS, value.size))
        numbers = value.ravel().astype(np.float64)
        about["means"] = (weights @ numbers / max(1, value.size) ** 0.5).tolist()
    return about


def differences(one: Any, other: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield each place where two answers differ, and how: ``rounding``, or something worse."""
    if isinstance(one, dict) and isinstance(other, dict):
        if one.get("digest") is not None and one.get("digest") == other.get("digest"):
            return
        for key in one.keys() | other.keys():
            if key == "digest" and "means" in one:
                continue  # the means say how far apart they are
            if key not in one or key not in other:
                yield f"{place}/{key}", "only in the second" if key in other else "gone"
            else:
                yield from differences(one[key], other[key], f"{place}/{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (ours, theirs) in enumerate(zip(one, other, strict=True)):
            yield from differences(ours, theirs, f"{place}/{number}")
    elif one != other and (one == one or other == other):  # NaN is like NaN
        numbers = all(isinstance(value, int | float) for value in (one, other))
        near = numbers and abs(one - other) <= ROUNDING * max(1.0, abs(one))
        yield place, "rounding" if near else f"{str(one)[:60]} | {str(other)[:60]}"


def write(path: Path) -> None:
    """Ask everything of the trickcast that is installed here, and write the answers."""
    answers: Answer = {}
    warnings.simplefilter("ignore")  # what readers say of files is another question
    for question in QUESTIONS:
        print(question.__name__, flush=True)
        answers |= {name: kept(value) for name, value in question()}
    path.write_text(json.dumps(answers, indent=1, sort_keys=True) + "\n", "utf-8")


def compare(before: Path, after: Path) -> int:
    """Print what differs, and return how many answers differ by more than rounding."""
    one, other = (json.loads(path.read_text("utf-8")) for path in (before, after))
    worse, rounded = list[str](), set[str]()
    for name in sorted(one.keys() | other.keys()):
        if name not in one or name not in other:
            print(f"{name}: {'only in the second' if name in other else 'gone'}")
            worse += [name] * (name in one)
            continue
        for place, how in differences(one[name], other[name]):
            if how == "rounding":
                rounded.add(name)
            else:
                print(f"{name}{place}: {how}")
                worse += [name] * (how != "only in the second")
    alike = len(one) - len(rounded) - len({*worse})
    print(f"{alike} answers alike, {len(rounded)} within rounding, {len({*worse})} differ")
    return len(worse)


def main() -> int:
    """Write or compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("write").add_argument("file", type=Path)
    two = commands.add_parser("compare")
    two.add_argument("before", type=Path)
    two.add_argument("after", type=Path)
    given = parser.parse_args()
    if given.command == "write":
        write(given.file)
        return 0
    return 1 if compare(given.before, given.after) else 0


if __name__ == "__main__":
    raise SystemExit(main())
