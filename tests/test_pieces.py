"""The seam between what is done and where, without a cluster: tests/cluster has those with one."""

import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from trickcast._pieces import ClusterError, over_pieces, slowest

pytest.importorskip("ray")


def double(piece: int, advance: Any) -> int:
    advance(1)
    return 2 * piece


def test_here_pieces_are_done_in_order() -> None:
    counted: list[int] = []
    with over_pieces(double, [3, 1, 2], advance=lambda n, note="": counted.append(n)) as done:
        assert list(done) == [(3, 6), (1, 2), (2, 4)]
    assert counted == [1, 1, 1]


def test_nothing_but_a_cluster_loads_ray(tmp_path: Path) -> None:
    program = (
        "import sys\nimport trickcast as tc\nfrom trickcast.library import Library, generate\n"
        "generate(sys.argv[1], 1, seed=3); tc.solve(Library(sys.argv[1]).deals('train'))\n"
        "tc.simulate(south='KJ95.J65.K3.J654', samples=20, solve=20, contracts=[('1N', 'S')])\n"
        "import trickcast.cli.evaluating, trickcast.cli.simulations, trickcast.papers.reproduce\n"
        "assert not {'ray', 'fsspec', 's3fs'} & set(sys.modules), 'loaded'\n"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True, timeout=60)


def refusal(cluster: str) -> str:
    with pytest.raises(ClusterError) as caught, over_pieces(double, [1], cluster=cluster):
        pass
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    "cluster", ["", "nowhere", "http://there:1", "ray://", "ray://there", "ray://a:b"]
)
def test_what_is_no_cluster_is_told(cluster: str) -> None:
    assert "expected" in refusal(cluster)


def test_where_nothing_answers_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # nobody listens
        address = f"127.0.0.1:{held.getsockname()[1]}"
        assert f"{address}: nothing answers there" in refusal(f"ray://{address}")
        monkeypatch.setenv("RAY_ADDRESS", address)
        assert "nothing answers there" in refusal("auto")


def test_without_ray_the_line_to_install_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with (
        pytest.raises(ModuleNotFoundError, match=r"pip install 'trickcast\[cluster\]'"),
        over_pieces(double, [1], cluster="auto"),
    ):
        pass


def test_the_machine_that_lags_is_named() -> None:
    assert slowest({"a": (100, 10.0)}) == ""
    assert slowest({"a": (100, 10.0), "b": (90, 10.0)}) == ""
    speeds = {"a": (100, 10.0), "b": (300, 30.0), "c": (20, 10.0), "d": (0, 0.0)}
    assert slowest(speeds) == "slow: c, 2.0 a second per core, not 10.0"
