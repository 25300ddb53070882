"""The command that checks the installation: doctor; and the versions."""

import json
import platform
import re
from importlib.metadata import PackageNotFoundError, requires, version
from time import perf_counter
from typing import Annotated, Any

import click

from ..cards import Deal, TrickTable
from ..estimator import Estimator
from ..estimator.files import known_models
from ..solver import solve, solver_version, thread_count
from .command import Option
from .inputs import CommandError

_DEAL = Deal("N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98")
_TRICKS = TrickTable([[7, 6, 7, 6], [10, 3, 10, 3], [6, 7, 6, 7], [9, 3, 9, 4], [8, 3, 8, 3]])
_LIKELY = 10  # tricks in hearts by North, according to every model
_PACKAGES = ("numpy", "scipy", "onnxruntime")
_NAME, _EXTRA = re.compile(r"[\w.-]+"), re.compile(r"extra == ['\"]([\w-]+)['\"]")


def doctor(
    as_json: Annotated[bool, Option("--json", help="Print one line of JSON.")] = False,
) -> None:
    """Check the installation, with an estimate and a solved deal.

    The exit status is 2 if something does not work.

    Example: trickcast doctor
    """
    facts, problems = _facts(), list[str]()
    facts["extras"] = {extra: _missing(names) for extra, names in _extras().items()}
    for task, work in (("estimated", _estimate), ("solved", _solve)):
        start = perf_counter()
        try:
            problems += work()
            facts[task] = round(perf_counter() - start, 3)
        except Exception as error:  # anything can be wrong with an installation
            problems.append(f"{task}: {error or type(error).__name__}")
            facts[task] = None
    if as_json:
        click.echo(json.dumps(facts | {"problems": problems}))
    else:
        click.echo("\n".join(_text(facts)))
    if problems:
        raise CommandError("something does not work\n" + "\n".join(problems))


def versions(facts: dict[str, Any] | None = None) -> list[str]:
    """Return lines with the versions of trickcast, of its dependencies, and of its models."""
    facts = facts or _facts()
    packages = ", ".join(f"{name} {number}" for name, number in facts["packages"].items())
    return [
        f"trickcast {facts['trickcast']}",
        f"Python {facts['python']}, {facts['platform']}, {facts['cores']} cores",
        f"{packages}; {facts['solver'] or 'no solver'}",
        f"models: {', '.join(f'{name} {digest}' for name, digest in facts['models'].items())}",
    ]


def _facts() -> dict[str, Any]:
    return {
        "trickcast": package_version("trickcast"),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "cores": thread_count(None),
        "packages": {name: package_version(name) for name in _PACKAGES},
        "solver": _solver(),
        "models": {name: digest[:8] for name, (_, digest) in known_models().items()},
    }


def _text(facts: dict[str, Any]) -> list[str]:
    extras = []
    for extra, missing in facts["extras"].items():
        needs = f"needs {', '.join(missing)}: pip install 'trickcast[{extra}]'"
        extras.append(f"extra {extra:9} {needs if missing else 'installed'}")
    tasks = (("estimating", "estimated"), ("solving", "solved"))
    seconds = [
        f"{title:15} "
        + ("does not work" if facts[task] is None else f"works ({facts[task]:.2f} s)")
        for title, task in tasks
    ]
    return [*versions(facts), *extras, *seconds]


def package_version(package: str) -> str:
    """Return the version of an installed package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed)"


def _solver() -> str | None:
    try:
        return solver_version()
    except (ImportError, OSError):  # not there, or does not load
        return None


def _extras() -> dict[str, list[str]]:
    """Return the packages of each extra, from the metadata of the installation."""
    extras: dict[str, list[str]] = {}
    try:
        requirements = requires("trickcast") or []
    except PackageNotFoundError:
        requirements = []
    for requirement in requirements:
        package, marker = _NAME.findall(requirement)[0], requirement.partition(";")[2]
        for extra in _EXTRA.findall(marker):
            extras.setdefault(extra, []).append(package)
    return extras


def _missing(packages: list[str]) -> list[str]:
    return [package for package in packages if package_version(package) == "(not installed)"]


def _estimate() -> list[str]:
    """Estimate the deal with every model, and return which of them are wrong."""
    return [
        f"{model}: {tricks} tricks in hearts (expected {_LIKELY})"
        for model in known_models()
        if (tricks := Estimator(model, threads=1)(_DEAL).tricks["H", "N"]) != _LIKELY
    ]


def _solve() -> list[str]:
    wrong = int((solve(_DEAL).tricks != _TRICKS.tricks).sum())
    return [f"solved: {wrong} of 20 results are wrong"] if wrong else []
