"""What the measures of neurons find in weights that are made to show it, and the pictures."""

import importlib
import json
import struct
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch comes with the extra 'train'")

from pathlib import Path  # noqa: E402

from trickcast.cli import main  # noqa: E402
from trickcast.experiments import (  # noqa: E402
    SCALES,
    ExperimentError,
    gather,
    inside,
    opened,
    pictures,
    planned,
    rows_of,
)
from trickcast.experiments.trained import train_net  # noqa: E402
from trickcast.library import Library  # noqa: E402

LIBRARY = Path(__file__).parents[1] / "data/library"
SHIPPED = "(52x4)-(26x4)-26-13-1"


def layer(*rows, effects=None) -> opened.Opened:
    weights = np.array(rows, dtype=float).reshape(len(rows), 1, 52)
    strengths = np.ones(len(rows)) if effects is None else np.array(effects)
    return opened.Opened("made up", weights, (("card",),) * len(rows), strengths)


def cards(**weights) -> np.ndarray:
    """A row of small weights but for some cards: ``cards(DA=24.2)``."""
    row = np.full(52, 0.1)
    for card, weight in weights.items():
        row[13 * "SHDC".index(card[0]) + "AKQJT98765432".index(card[1])] = weight
    return row


def test_an_ace_that_stands_out():
    """As in the paper: AS to neuron 9 weighs 24.19, the next largest weight 6.47."""
    (neuron,) = inside.neurons(layer(cards(SA=24.19, HK=-6.47)))
    assert (neuron.ace, neuron.ace_ratio) == ("SA", pytest.approx(24.19 / 6.47))
    assert "ace" in neuron.shows


def test_honours_and_grading_of_a_suit():
    pips = {f"D{rank}": 0.1 * (10 - int(rank)) for rank in "98765432"}  # low cards weigh more
    honours = cards(DA=3, DK=-5, DQ=5, DJ=4, DT=3, **pips)
    graded = np.concatenate([np.full(13, 0.1), np.arange(13, 0, -1), np.full(26, 0.1)])
    flat = np.concatenate([np.full(39, 0.1), np.ones(13)]) + np.linspace(0, 0.01, 52)
    first, second, third = inside.neurons(layer(honours, graded, flat))
    assert first.suit == "D"
    assert first.shows == ("suit", "honours")
    assert second.suit == "H"
    assert second.gradient == pytest.approx(1)
    assert second.shows == ("suit", "honours", "graded")
    assert third.shows == ("suit",)  # its rank gradient runs the other way


def test_useless_neurons_and_shares():
    row = cards(SA=9)
    one = inside.neurons(layer(row, row, row, effects=[1.0, 1.0, 0.05]))
    other = inside.neurons(layer(cards(SA=1, SK=1), cards(SA=1, SK=1), effects=[1, 1]))
    assert one[2].shows == ("useless",)
    found = inside.shares([one, other])
    assert found["useless"] == {"neurons": 1 / 5, "networks": 1 / 2}
    assert found["ace"] == {"neurons": 2 / 5, "networks": 1 / 2}


def test_table_vii_in_its_own_scale():
    from trickcast.experiments.reference import read_table

    printed = [row for row in read_table("weights_52_1.csv") if row["contracts"] == "notrump"]
    by_rank = {row["rank"]: row for row in printed}
    row = [float(by_rank[rank][suit]) for suit in ("spades", "hearts", "diamonds", "clubs")
           for rank in "AKQJT98765432"]  # fmt: skip
    found = inside.table_vii(layer(5 - 2 * np.array(row)), "notrump")  # any linear scale will do
    assert found["correlation"] == pytest.approx(-1)
    np.testing.assert_allclose(found["ours"], found["published"], atol=1e-3)
    with pytest.raises(ValueError, match="no group 'hearts'"):
        inside.table_vii(layer(row), "hearts")


def test_the_shipped_network_by_card():
    suit, notrump = opened.open_model(SHIPPED)
    assert suit.weights.shape == (104, 1, 52)
    assert [part[0] for part in suit.parts[::26]] == ["N", "E", "S", "W"]
    assert suit.name.endswith("suit")
    squares = np.square(suit.weights).reshape(104, 4, 13).sum(axis=2)
    of_suits = (squares / squares.sum(axis=1, keepdims=True) * suit.effects[:, None]).sum(axis=0)
    assert of_suits.argmax() == 0  # section VII: trump inputs dominate
    assert (notrump.effects > 0).all()


def test_pictures_are_well_formed_and_name_every_card():
    row = cards(SA=24.19, HK=-6.47)
    root = ElementTree.fromstring(pictures.weights_svg(layer(row, row)))
    circles = [element for element in root.iter() if element.tag.endswith("circle")]
    assert len(circles) == 2 * 52
    shown = {circle[0].text: circle for circle in circles}
    assert shown["SA +1.000"].get("fill") == "#222"
    assert shown["HK -0.267"].get("fill") == "#fff"


@pytest.fixture(scope="module")
def networks(tmp_path_factory) -> dict[str, Path]:
    """Networks of the smallest scale, by printed name or head."""
    folder, scale = tmp_path_factory.mktemp("networks"), SCALES["smoke"]
    deals = gather(Library(LIBRARY), scale)
    rows = rows_of("mossakowski2009", "VI-F") + rows_of("mossakowski2009", "I")
    rows += rows_of("mandziuk2018", "beyond")[-2:-1]
    found = {}
    for net in planned(rows, scale):
        train_net(net, scale, deals, folder)
        found[f"{net.network} {net.copies}"] = folder / f"{net.slug}.network"
    return found


def test_every_kind_of_first_layer(networks):
    four = opened.open_model(networks["52-25-1 4"])
    assert [one.weights.shape for one in four] == [(25, 1, 52)] * 4
    assert not np.array_equal(four[0].weights, four[1].weights)
    (plain,) = opened.open_model(networks["104-30-4-1 1"])
    assert plain.weights.shape == (30, 2, 52)
    assert plain.parts[0] == ("side", "hand")
    with pytest.raises(ExperimentError, match="does not see cards one by one"):
        opened.open_model(networks["(26x4)-(13x4)-(7x4)-13-1 1"])


def size_of(svg: Path) -> tuple[int, int]:
    _, _, width, height = ElementTree.parse(svg).getroot().attrib["viewBox"].split()
    return int(width), int(height)


def test_the_command(networks, monkeypatch, capsys, tmp_path):
    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["trickcast", "explain", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0), *capsys.readouterr()

    svg = tmp_path / "weights.svg"
    status, out, err = run(networks["52-25-1 4"], "--json", "--svg", svg)
    assert (status, err) == (0, "")
    content = json.loads(out)
    assert [len(network["neurons"]) for network in content["networks"]] == [25] * 4
    assert set(content["shares"]) == {"ace", "suit", "honours", "graded", "useless"}
    assert svg.is_file() and (tmp_path / "weights-4.svg").is_file()
    png = tmp_path / "weights.png"
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "cairosvg", None)
        status, out, err = run(networks["52-25-1 1"], "--png", png)
    assert (status, out) == (2, "") and len(err.splitlines()) == 1
    assert "pip install 'trickcast[plots]'" in err and not png.exists()
    try:
        importlib.import_module("cairosvg")
    except (ImportError, OSError):  # an extra; OSError where the Cairo library is missing
        pass
    else:
        status, out, err = run(networks["52-25-1 1"], "--png", png)
        assert (status, err) == (0, "") and png.read_bytes().startswith(b"\x89PNG")
        width, height = struct.unpack(">II", png.read_bytes()[16:24])
        assert (width, height) == tuple(2 * size for size in size_of(svg))
    status, out, err = run(networks["52-25-1 1"])
    assert status == 0 and "stands out" in out and "of networks" in out
    for wrong in ("nothing.network", "nothing", networks["(26x4)-(13x4)-(7x4)-13-1 1"]):
        status, out, err = run(wrong)
        assert status == 2 and out == "" and len(err.splitlines()) == 1
    status, out, err = run(svg)
    assert status == 2 and "weights.svg" in err
