"""How the files of the package import each other: all imports, wherever they stand."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
Graph = dict[str, set[str]]

NEED_TORCH = ("training", "papers")
"""The rooms that may load torch, whichever of their modules is imported."""


def files(folder: Path) -> dict[str, Path]:
    """Return the file of each module under a folder of packages."""
    return {
        ".".join((path.parent if path.stem == "__init__" else path.with_suffix(""))
                 .relative_to(folder).parts): path
        for path in folder.rglob("*.py")
    }  # fmt: skip


def imports(folder: Path) -> Graph:
    """Return which modules each module imports: in functions and for type checkers too.

    Modules from elsewhere are named by their package alone.
    """
    modules = files(folder)
    ours = {name.partition(".")[0] for name in modules}
    graph: Graph = {}
    for name, path in modules.items():
        package = name if path.stem == "__init__" else name.rpartition(".")[0]
        imported = set(_imported(ast.parse(path.read_text("utf-8")), package, set(modules)))
        graph[name] = {
            module if module.partition(".")[0] in ours else module.partition(".")[0]
            for module in imported - {name}
        }
    return graph


def _imported(tree: ast.Module, package: str, modules: set[str]) -> Iterator[str]:
    """Yield the modules that a file imports; of ``from package import name`` also a submodule."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*(above if node.level else []), *filter(None, [node.module])])
            submodules = {f"{base}.{alias.name}" for alias in node.names} & modules
            yield from submodules
            if len(submodules) < len(node.names):
                yield base


def circles(graph: Graph) -> set[frozenset[str]]:
    """Return the greatest sets of modules of which each reaches every other."""
    reached = {module: reach(graph, module) for module in graph}
    return {
        frozenset(other for other in reached[module] if module in reached.get(other, ()))
        for module in graph
        if module in reached[module]
    }


def reach(graph: Graph, start: str) -> set[str]:
    """Return every module that one module imports, or what it imports does, and so on."""
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        new = graph.get(waiting.pop(), set()) - seen
        seen |= new
        waiting += new
    return seen


def shortest(graph: Graph, start: str, goal: str) -> list[str]:
    """Return a shortest way by imports from one module to another, both ends included."""
    ways = [[start]]
    seen: set[str] = set()
    for way in ways:
        for module in sorted(graph.get(way[-1], set()) - seen):
            if module == goal:
                return [*way, goal]
            seen.add(module)
            ways.append([*way, module])
    raise ValueError(f"{start} does not reach {goal}")


def loaded(graph: Graph) -> Graph:
    """Add what Python loads besides: the packages that a module imported stands in."""
    packages = {
        module: {module.rsplit(".", n)[0] for n in range(1, module.count(".") + 1)}
        for module in {*graph, *(module for modules in graph.values() for module in modules)}
    }
    return {
        module: modules.union(*(packages[other] for other in modules)) - {module}
        for module, modules in graph.items()
    }


def test_no_files_import_each_other_in_a_circle() -> None:
    graph = imports(SOURCE)
    found = circles(graph)
    shown = [
        " -> ".join(shortest({m: graph[m] & circle for m in circle}, min(circle), min(circle)))
        for circle in found
    ]
    assert not shown, "\n".join(shown)


def test_torch_is_loaded_by_its_rooms_and_one_command_alone() -> None:
    """As the import rule in pyproject.toml, and what that does not see: packages on the way."""
    graph = loaded(imports(SOURCE))
    rule = tomllib.loads((SOURCE.parent / "pyproject.toml").read_text("utf-8"))
    contracts = rule["tool"]["importlinter"]["contracts"]
    (contract,) = (each for each in contracts if "torch" in each.get("forbidden_modules", ()))
    named = {line.partition(" -> ")[0] for line in contract["ignore_imports"]}
    commands = {module.removeprefix("trickcast.cli.") for module in named}
    assert commands == {"train"}
    assert not contract.get("allow_indirect_imports", False)
    rooms = {module.split(".")[1] for module in graph if "." in module} - {"__main__"}
    sources = {module.removeprefix("trickcast.") for module in contract["source_modules"]}
    assert sources == rooms - set(NEED_TORCH)
    apart = {name: modules for name, modules in graph.items() if name not in named}
    ways = [
        shortest(apart, module, "torch")
        for module in sorted(apart)
        if not module.startswith(tuple(f"trickcast.{room}" for room in NEED_TORCH))
        and "torch" in reach(apart, module)
    ]
    shown = [" -> ".join(way) for way in sorted(ways, key=len)[:3]]
    assert not ways, "\n".join(shown)


def test_nothing_outside_the_papers_needs_them() -> None:
    """They are a plug-in: without their folder, all that is not theirs still works."""
    graph, papers = imports(SOURCE), "trickcast.papers"
    ways = [
        " -> ".join(shortest(graph, module, reached))
        for module in graph
        if not module.startswith(papers)
        for reached in reach(graph, module)
        if reached.startswith(papers)
    ]
    assert not ways, "\n".join(ways[:3])


def test_modules_and_functions_are_as_short_as_said() -> None:
    """As CONTRIBUTING has it: no module of 800 lines, no function of 60."""
    modules, functions = set[str](), set[str]()
    for module, path in files(SOURCE).items():
        text = path.read_text("utf-8")
        if len(text.splitlines()) > 800:
            modules.add(module)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                inside = node.body[ast.get_docstring(node) is not None :]
                if inside and (node.end_lineno or 0) - inside[0].lineno >= 59:
                    functions.add(f"{module}.{node.name}")
    assert (modules, functions) == (set(), set())


def test_a_circle_is_found_wherever_its_imports_stand(tmp_path: Path) -> None:
    package = tmp_path / "bridge"
    package.mkdir()
    (package / "__init__.py").write_text("", "utf-8")
    (package / "deal.py").write_text("def deal():\n    from . import hand\n", "utf-8")
    (package / "hand.py").write_text("if TYPE_CHECKING:\n    from bridge import card\n", "utf-8")
    (package / "card.py").write_text("from .deal import deal\nimport torch.nn\n", "utf-8")
    graph = imports(tmp_path)
    assert circles(graph) == {frozenset({"bridge.deal", "bridge.hand", "bridge.card"})}
    assert shortest(graph, "bridge.deal", "torch")[-2:] == ["bridge.card", "torch"]
    assert "bridge" in loaded(graph)["bridge.deal"]
