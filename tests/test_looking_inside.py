"""What the measures of neurons find in weights that are made to show it, and the neurons."""

import importlib
import json
import struct
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from trickcast import ModelError
from trickcast.cards import Strain
from trickcast.cli import main
from trickcast.library import Library
from trickcast.papers import WEIGHTS, neurons
from trickcast.papers.codings import find_coding
from trickcast.papers.neurons.first_layer import read_arrays
from trickcast.papers.published import read_table

LIBRARY = Path(__file__).parents[1] / "data/library"
SHIPPED = "(52x4)-(26x4)-26-13-1"


def layer(*rows, effects=None) -> neurons.Opened:
    weights = np.array(rows, dtype=float).reshape(len(rows), 1, 52)
    strengths = np.ones(len(rows)) if effects is None else np.array(effects)
    return neurons.Opened("made up", weights, (("card",),) * len(rows), strengths)


def cards(**weights) -> np.ndarray:
    """A row of small weights but for some cards: ``cards(DA=24.2)``."""
    row = np.full(52, 0.1)
    for card, weight in weights.items():
        row[13 * "SHDC".index(card[0]) + "AKQJT98765432".index(card[1])] = weight
    return row


def test_an_ace_that_stands_out():
    """As in the paper: AS to neuron 9 weighs 24.19, the next largest weight 6.47."""
    (neuron,) = neurons.neurons(layer(cards(SA=24.19, HK=-6.47)))
    assert neuron.ace == "SA" and neuron.ace_ratio == pytest.approx(24.19 / 6.47)
    assert "ace" in neuron.shows


def test_honours_and_grading_of_a_suit():
    pips = {f"D{rank}": 0.1 * (10 - int(rank)) for rank in "98765432"}  # low cards weigh more
    honours = cards(DA=3, DK=-5, DQ=5, DJ=4, DT=3, **pips)
    graded = np.concatenate([np.full(13, 0.1), np.arange(13, 0, -1), np.full(26, 0.1)])
    flat = np.concatenate([np.full(39, 0.1), np.ones(13)]) + np.linspace(0, 0.01, 52)
    first, second, third = neurons.neurons(layer(honours, graded, flat))
    assert first.suit == "D"
    assert first.shows == ("suit", "honours")
    assert second.suit == "H"
    assert second.gradient == pytest.approx(1)
    assert second.shows == ("suit", "honours", "graded")
    assert third.shows == ("suit",)  # its rank gradient runs the other way


def test_useless_neurons_and_shares():
    row = cards(SA=9)
    one = neurons.neurons(layer(row, row, row, effects=[1.0, 1.0, 0.05]))
    other = neurons.neurons(layer(cards(SA=1, SK=1), cards(SA=1, SK=1), effects=[1, 1]))
    assert one[2].shows == ("useless",)
    found = neurons.shares([one, other])
    assert found["useless"] == {"neurons": 1 / 5, "networks": 1 / 2}
    assert found["ace"] == {"neurons": 2 / 5, "networks": 1 / 2}


def test_table_vii_in_its_own_scale():
    printed = [row for row in read_table("weights_52_1.csv") if row["contracts"] == "notrump"]
    by_rank = {row["rank"]: row for row in printed}
    row = [float(by_rank[rank][suit]) for suit in ("spades", "hearts", "diamonds", "clubs")
           for rank in "AKQJT98765432"]  # fmt: skip
    found = neurons.table_vii(layer(5 - 2 * np.array(row)), "notrump")  # any linear scale will do
    assert found["correlation"] == pytest.approx(-1)
    np.testing.assert_allclose(found["ours"], found["published"], atol=1e-3)
    with pytest.raises(ValueError, match="no group 'hearts'"):
        neurons.table_vii(layer(row), "hearts")


def test_the_shipped_network_by_card():
    suit, notrump = neurons.open_model(SHIPPED)
    assert suit.weights.shape == (104, 1, 52)
    assert [part[0] for part in suit.parts[::26]] == ["N", "E", "S", "W"]
    assert suit.name.endswith("suit")
    squares = np.square(suit.weights).reshape(104, 4, 13).sum(axis=2)
    of_suits = (squares / squares.sum(axis=1, keepdims=True) * suit.effects[:, None]).sum(axis=0)
    assert of_suits.argmax() == 0  # section VII: trump inputs dominate
    assert (notrump.effects > 0).all()
    with pytest.raises(neurons.OpenedError, match="accurate: the first layer does not see cards"):
        neurons.open_model("accurate")
    with pytest.raises(ModelError, match="no model 'nothing'"):
        neurons.open_model("nothing")


def test_stored_arrays_are_those_that_onnx_reads():
    numpy_helper = pytest.importorskip("onnx.numpy_helper", reason="comes with the extra 'train'")
    import onnx

    path = WEIGHTS / f"{SHIPPED}.onnx"
    stored = {
        tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(path).graph.initializer
    }
    names = [name for name in stored if name.endswith(("_weight", "_bias"))]
    assert len(names) == 16
    arrays = read_arrays(path, names)
    assert all(np.array_equal(arrays[name], stored[name]) for name in names)
    with pytest.raises(LookupError, match="no arrays suit_9_weight"):
        read_arrays(path, ["suit_9_weight"])


def test_effects_are_the_spread_of_what_a_neuron_says_times_what_it_is_worth():
    """A neuron that sees one card: it says one thing where West holds it, another elsewhere."""
    weight = np.zeros((1, 1, 208))
    weight[0, 0, 3 * 52] = 2.0  # the ace of spades in the last hand
    layer = neurons.FirstLayer(weight, np.zeros((1, 1)), np.array([[[3.0], [4.0]]]))
    opened = neurons.open_layer("made up", layer, find_coding("52x4"), (Strain.NOTRUMP,))
    held, not_held = 1 / (1 + np.exp(-2.0)), 0.5
    spread = (held - not_held) * np.sqrt(1 / 4 * 3 / 4)  # a card is with each hand alike
    assert opened.effects == pytest.approx(5 * spread, rel=0.05)
    assert opened.weights[0, 3, 0] == 2


def test_pictures_are_well_formed_and_name_every_card():
    row = cards(SA=24.19, HK=-6.47)
    root = ElementTree.fromstring(neurons.weights_svg(layer(row, row)))
    circles = [element for element in root.iter() if element.tag.endswith("circle")]
    assert len(circles) == 2 * 52
    shown = {circle[0].text: circle for circle in circles}
    assert shown["SA +1.000"].get("fill") == "#222"
    assert shown["HK -0.267"].get("fill") == "#fff"


@pytest.fixture(scope="module")
def networks(tmp_path_factory) -> dict[str, Path]:
    """Networks of the smallest scale, by printed name and number of copies."""
    pytest.importorskip("torch", reason="torch comes with the extra 'train'")
    from trickcast.papers.experiments.all_papers import SCALES, rows_of
    from trickcast.papers.experiments.run_deals import gather
    from trickcast.papers.experiments.runner import planned
    from trickcast.papers.experiments.trained import train_net

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
    from trickcast.papers.experiments.trained_layers import open_file

    four = open_file(networks["52-25-1 4"])
    assert [layer.weights.shape for layer in four] == [(25, 1, 52)] * 4
    assert not np.array_equal(four[0].weights, four[1].weights)
    (plain,) = open_file(networks["104-30-4-1 1"])
    assert plain.weights.shape == (30, 2, 52)
    assert plain.parts[0] == ("side", "hand")
    with pytest.raises(neurons.OpenedError, match="does not see cards one by one"):
        open_file(networks["(26x4)-(13x4)-(7x4)-13-1 1"])


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
    first = svg.rename(tmp_path / "first.svg")
    status, out, err = run(networks["52-25-1 4"], "--svg", svg)
    told = f"trickcast: {tmp_path / 'weights-2.svg'} exists already (--force replaces it)\n"
    assert (status, out, err) == (2, "", told) and not svg.exists()
    first.rename(svg)
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
    assert status == 0 and "stands" in out and "…" not in out and "of networks" in out
    for wrong in ("nothing.network", "nothing", networks["(26x4)-(13x4)-(7x4)-13-1 1"]):
        status, out, err = run(wrong)
        assert status == 2 and out == "" and len(err.splitlines()) == 1
    status, out, err = run(svg)
    assert status == 2 and "weights.svg" in err
