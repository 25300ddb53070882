"""What can be trained, by which settings, and the door to it."""

import re
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import format_samples
from trickcast.cli import main
from trickcast.dealing import random_deals
from trickcast.library import append, generate
from trickcast.papers.networks import layered_models as papers
from trickcast.training import Request, find_training, listed, train
from trickcast.training.catalogue import CATALOGUE
from trickcast.training.errors import TrainingError
from trickcast.training.request import can_export
from trickcast.training.settings import changed
from trickcast.training.suit_networks import PairNetwork, SuitNetwork, read_weights
from trickcast.training.trainer import Progress

NAMES = [*CATALOGUE, "52-25-1"]


@pytest.fixture
def cli(monkeypatch, capsys):
    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["trickcast", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0), *capsys.readouterr()

    return run


def test_a_network_of_a_paper_says_which_coding_it_needs(cli, tmp_path):
    library = f"--library={tmp_path}"
    status, out, err = cli("train", "52-25-1", library)
    assert (status, out) == (2, "") and err.count("\n") == 1
    assert "the coding 52x4 gives 208 (expected --set coding=… with one of 52, 52-" in err
    assert "(no coding gives 53)" in cli("train", "53-25-1", library)[2]
    known = re.search(r"\(expected one of (.*)\)", cli("train", "nope")[2])
    assert known is not None and "hand2vec" in known[1]
    assert all(find_training(name) for name in known[1].split(", "))


@pytest.fixture
def made(tmp_path):
    """Sixteen deals to train on, eight to validate on."""
    solved = random_deals(24, seed=3).with_tricks(np.full((24, 5, 4), 6, np.uint8))
    append(tmp_path / "made", solved[:16], "made", "train", solver="none", source="test")
    append(tmp_path / "made", solved[16:], "held", "validation", solver="none", source="test")
    return tmp_path / "made"


def refused(tmp_path, name, library, **asked):
    """Return why a training is refused, which has to be before it begins."""
    with pytest.raises((ValueError, TrainingError)) as told:
        train(Request(name=name, library=library, out=tmp_path / "out", **asked))
    assert not (tmp_path / "out").exists()
    return str(told.value)


@pytest.mark.parametrize(
    ("name", "use"),
    [
        *((name, use) for name in ("fast", "pairs", "52-5-1") for use in ("train", "validation")),
        ("hand2vec", "validation"),
    ],
)
def test_a_library_without_deals_for_a_use_is_told(tmp_path, name, use):
    library, other = tmp_path / "library", "validation" if use == "train" else "train"
    solved = random_deals(3, seed=3).with_tricks(np.full((3, 5, 4), 6, np.uint8))
    append(library, solved, "made", other, solver="none", source="test")
    rows = {"pairs": rows_of_pairs(tmp_path)} if name == "hand2vec" else {}
    settings = {
        "52-5-1": {"coding": "52"},
        "pairs": {"taught": "0", "rows": "0"},
    }.get(name, {})
    told = refused(tmp_path, name, library, settings=settings, **rows)
    assert told.startswith(f"{library}: no deals for {use} (expected some; trickcast generate")


def rows_of_pairs(tmp_path):
    """Write some pairs of hands in the form of BridgeHand2Vec, and return the file."""
    path = tmp_path / "rows.csv"
    path.write_bytes(format_samples.hand2vec())
    return path


@pytest.mark.solver
def test_what_an_export_needs_is_asked_for_before_anything_is_trained(made, tmp_path):
    """Validation deals of one strain cannot calibrate, and were refused hours later."""
    generate(made, 3, seed=5, use="validation", strains="one", workers=1)
    told = refused(tmp_path, "fast", made, validation=8)
    assert told.startswith(f"{made}, for validation: deal 8 of 11: the result of ")
    settings = {"taught": "0", "rows": "0", "solved": "8"}
    told = refused(tmp_path, "pairs", made, settings=settings, validation=8)
    assert told.startswith(f"{made}, for validation: deal 8 of 11: the result of ")
    rows = rows_of_pairs(tmp_path)
    told = refused(tmp_path, "hand2vec", tmp_path / "none", pairs=rows, pairs_validation=rows)
    assert told.startswith(f"{tmp_path / 'none'}: not a library of solved deals")


def test_weights_of_another_network_are_told_in_a_line(made, tmp_path):
    """They were a traceback, or as many lines as there are layers."""
    weights = Path(__file__).parents[2] / "data/weights"
    for name, settings in (
        ("pairs", {"taught": "0", "rows": "0", "solved": "8", "network.width": "8"}),
        ("fast", {"network.width": "16", "batch": "8"}),
    ):
        path = weights / f"{name}.npz"
        told = refused(tmp_path, name, made, settings=settings, weights=path, anew=name == "fast")
        assert told.startswith(f"{path}: the weights of another network (")
        assert told.count("\n") == 0
    assert refused(tmp_path, "fast", made, anew=True).startswith("anew takes the weights of a file")


@pytest.mark.parametrize("device", ["nonsense", "cuda:99", "meta", "-1"])
def test_a_device_that_is_not_there_is_told(made, tmp_path, device):
    told = refused(tmp_path, "fast", made, device=device)
    assert told.startswith(f"device is '{device}' (expected cpu, or cuda where torch finds a GPU;")


def test_the_command_has_an_option_for_each_field_of_a_request(cli):
    _, help_of_command, _ = cli("train", "--help")
    options = set(re.findall(r"(?<!\S)--[a-z][a-z-]*", help_of_command)) - {"--help"}
    named = {f"--{f.name.replace('_', '-')}" for f in fields(Request) if "help" in f.metadata}
    assert options == named | {"--set", "--settings", "--cluster", "--workers"}


def test_where_a_cluster_makes_no_sense_it_is_refused(cli, tmp_path):
    for words, complaint in (
        (("pairs", "--cluster", "local"), "pairs cannot be trained on a cluster"),
        (("fast", "--workers", 2), "--workers needs --cluster"),
        (("fast", "--cluster", "nowhere"), "'nowhere' is not a cluster"),
    ):
        status, out, err = cli("train", *words, "--out", tmp_path)
        assert (status, out) == (2, "") and complaint in err and err.count("\n") == 1


@pytest.mark.parametrize("name", NAMES)
def test_every_training_lists_its_settings_and_takes_them_back(name):
    coding = {"coding": "52"} if name == "52-25-1" else {}
    texts = dict(line.partition("  ")[0].split("=", 1) for line in listed(name)) | coding
    assert "seed" in texts and "contracts" not in texts
    training = find_training(name)
    assert training.configured(texts) == training.configured(coding)


def test_settings_are_changed_by_text():
    accurate = find_training("accurate")
    config = accurate.configured(
        {"steps": "10", "network.width": "64", "compile": "true", "checkpoint_seconds": "0.5"}
    )
    assert (config.steps, config.network.width, config.compile) == (10, 64, True)
    assert config.checkpoint_seconds == 0.5
    assert config.network.after == accurate.configured({}).network.after
    for texts, word in [
        ({"stepz": "1"}, "no setting 'stepz'"),
        ({"network": "1"}, "no setting 'network'"),
        ({"steps": "many"}, "steps is 'many' .expected a whole number"),
        ({"network.width": "wide"}, "network.width is 'wide'"),
        ({"compile": "yes"}, "compile is 'yes'"),
        ({"steps": "0"}, "steps is 0"),
        ({"precision": "float" * 7}, "precision is 'floatfloat.*expected float32 or bfloat16"),
        ({"seed": "18446744073709551616"}, r"seed is 1844\d+ .expected 0 to 2\*\*64 - 1"),
    ]:
        with pytest.raises(ValueError, match=word):
            changed(accurate.settings, texts)
    number: Any = {"steps": 10}
    with pytest.raises(TypeError, match=r"steps is 10 .expected its text, such as '10'"):
        changed(accurate.settings, number)
    for name in NAMES:
        if name not in ("52-25-1", "played"):
            assert find_training(name).configured({"seed": str(2**64 - 1)}).step_seed(9, 0) < 2**64


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"deals": "10"}, "deals is '10' .expected a whole number"),
        ({"deals": 10.5}, "deals is 10.5 .expected a whole number"),
        ({"validation": 1.5}, "validation is 1.5 .expected a whole number"),
        ({"threads": 1.5}, "threads is 1.5 .expected a whole number"),
        ({"minutes": "10"}, "minutes is '10' .expected a number"),
    ],
)
def test_numbers_of_a_request_are_numbers(given, told):
    with pytest.raises(TypeError, match=told):
        Request(name="fast", **given)
    assert Request(minutes=10).minutes == 10 and Request(minutes=0.5).minutes == 0.5


def test_paths_of_a_request_may_be_texts(tmp_path):
    named = {name: str(tmp_path / name) for name in ("out", "weights", "taught", "pairs")}
    request = Request(name="fast", library="there", teacher=("a", "b"), **named)
    paths = {name: Path(path) for name, path in named.items()}
    assert request == Request(name="fast", library="there", teacher=(Path("a"), Path("b")), **paths)
    assert request.out == tmp_path / "out" and isinstance(request.out, Path)


@pytest.mark.parametrize(
    ("name", "kind"), [("accurate", SuitNetwork), ("fast", SuitNetwork), ("pairs", PairNetwork)]
)
def test_the_committed_weights_are_read(name, kind):
    network, record = read_weights(Path(__file__).parents[2] / f"data/weights/{name}.npz", kind)
    assert network.config.width == record["config"]["network"]["width"]
    assert record["progress"]["step"] > 0
    if kind is SuitNetwork:  # a training can go on from these
        assert Progress(**record["progress"]).legs


@pytest.mark.parametrize(
    ("name", "option", "takers"),
    [
        ("accurate", {"pairs": Path("x")}, "pairs, hand2vec"),
        ("pairs", {"endings": Path("x")}, "accurate, accurate-large, teacher, fast"),
        ("hand2vec", {"taught": Path("x")}, "accurate, accurate-large, teacher, fast, pairs"),
        ("52-25-1", {"anew": True}, "accurate, accurate-large, teacher, fast"),
        ("(52x4)-(26x4)-26-13-1", {"pairs_validation": Path("x")}, "pairs, hand2vec"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused(name, option, takers):
    words = rf"takes no --{next(iter(option)).replace('_', '-')} \(only {takers}\)"
    with pytest.raises(ValueError, match=words) as told:
        train(Request(name=name, library=Path("nowhere"), **option))
    assert str(told.value).startswith(name)


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("--deals=-5", r"deals is -5 \(expected 1 or more\)"),
        ("--deals=0", r"deals is 0 \(expected 1 or more\)"),
        ("--validation=-1", r"validation is -1 \(expected 1 or more\)"),
        ("--threads=0", r"threads is 0 \(expected 1 or more\)"),
        ("--minutes=-1", r"minutes is -1.0 \(expected 0 or more\)"),
        ("--minutes=nan", r"minutes is nan \(expected 0 or more\)"),
        ("--minutes=inf", r"minutes is inf \(expected 0 or more, and finite\)"),
        ("--set=learning_rate=inf", r"learning_rate is inf \(expected more than 0, and finite\)"),
    ],
)
def test_a_number_out_of_its_range_is_refused(cli, option, told):
    status, _, err = cli("train", "fast", "--library=nowhere", option)
    assert status == 2 and re.fullmatch(f"trickcast: {told}\n", err)


def test_a_papers_networks_are_trained_in_several_runs(cli, tmp_path, monkeypatch):
    deals = random_deals(60, seed=3)
    points = (deals.owners.reshape(-1, 4, 13)[..., :4] % 2 == 0).sum((1, 2))
    tricks = (points % 14)[:, None, None].repeat(5, 1).repeat(4, 2).astype("uint8")
    solved, library = deals.with_tricks(tricks), tmp_path / "library"
    append(library, solved[:40], "made", "train", solver="none", source="test")
    append(library, solved[40:], "held", "validation", solver="none", source="test")
    given = ["52-5-1", f"--library={library}", f"--out={tmp_path / 'out'}", "--set=coding=52",
             "--set=examples=64", "--set=epochs=4", "--set=evaluate_every=2"]  # fmt: skip
    status, said, _ = cli("train", *given, "--minutes", "0")
    assert status == 0 and "52-5-1 (suit): step 0 of 4; rerun the command to continue" in said
    monkeypatch.setattr(papers, "can_export", lambda: False)  # a machine without onnx
    status, said, _ = cli("train", *given)
    monkeypatch.setattr(papers, "can_export", can_export)
    epochs = [line.split()[0] for line in said.splitlines() if "epoch" in line]
    assert status == 0 and epochs == ["suit", "suit", "notrump", "notrump"]
    assert "52-5-1 (notrump): finished at step 4, but not exported" in said
    status, said, _ = cli("train", *given)  # nothing is left to do but the export
    assert status == 0 and "epoch" not in said and "52-5-1.onnx: trained on 40 deals" in said
    status, _, err = cli("train", *given, "--set=seed=2")
    assert status == 2
    assert "52-5-1-suit.checkpoint: of another training: its seed is 1, not 2" in err
