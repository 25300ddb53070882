"""What a checkpoint says of its training, and the files beside it."""

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch

from trickcast.papers.experiments.spec import Net, Pretraining
from trickcast.training.errors import TrainingError
from trickcast.training.suit_networks import PairNetworkConfig, SuitNetworkConfig
from trickcast.training.trainer import (
    Journal,
    Progress,
    beside,
    check_same,
    read_checkpoint,
    write_checkpoint,
)
from trickcast.training.two_hands import PairConfig
from trickcast.training.whole_deals import SupervisedConfig

FILE = Path("a.checkpoint")
CONFIG = SupervisedConfig(network=SuitNetworkConfig(width=32, heads=1))
OTHERWISE = r" \(expected the same settings, or another --out\)$"


def stored(config: Any = CONFIG, change: Callable[[dict[str, Any]], Any] = dict.copy) -> Any:
    """The settings of a file, changed."""
    settings = asdict(config)
    change(settings)
    return settings


def test_settings_that_came_later_than_the_file_are_at_their_defaults() -> None:
    check_same(FILE, stored(), CONFIG)
    older = stored(CONFIG, lambda settings: settings["network"].pop("layer_drop"))
    older.pop("ordered")
    check_same(FILE, older, CONFIG)
    with pytest.raises(TrainingError, match="its ordered is 0.0, not 1.0" + OTHERWISE):
        check_same(FILE, older, replace(CONFIG, ordered=1.0))
    dropped = replace(CONFIG, network=replace(CONFIG.network, layer_drop=0.1))
    with pytest.raises(TrainingError, match="its network.layer_drop is 0.0, not 0.1" + OTHERWISE):
        check_same(FILE, older, dropped)


def test_a_whole_part_that_came_later_is_at_its_default() -> None:
    older = stored(PairConfig(), lambda settings: settings.pop("network"))
    check_same(FILE, older, PairConfig())
    wide = PairConfig(network=PairNetworkConfig(width=384))
    with pytest.raises(TrainingError, match=r"its network.width is \d+, not 384" + OTHERWISE):
        check_same(FILE, older, wide)


def test_a_setting_without_a_default_is_told_to_be_missing() -> None:
    net = Net(network="52-25-1", coding="52", contracts="notrump")
    check_same(FILE, stored(net, lambda settings: settings.pop("batch")), net)
    with pytest.raises(TrainingError, match="its coding is missing, not '52'" + OTHERWISE):
        check_same(FILE, stored(net, lambda settings: settings.pop("coding")), net)


def test_parts_that_only_one_has_are_another_training() -> None:
    net = Net(network="52-25-1", coding="52", contracts="notrump")
    trained_before = replace(net, pretraining=Pretraining(rate=0.1))
    for before, now in ((net, trained_before), (trained_before, net)):
        with pytest.raises(TrainingError, match="its pretraining is .*, not "):
            check_same(FILE, stored(before), now)
        check_same(FILE, stored(now), now)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"width": 64}, r"its network.width is 64, not 32"),
        ({"wings": 2}, r"its network.wings is 2, and no setting here"),
        ({3: 2}, r"its network.3 is 2, and no setting here"),
    ],
)
def test_another_network_is_told_by_its_setting(change: dict[Any, Any], told: str) -> None:
    with pytest.raises(
        TrainingError, match=f"^a.checkpoint: of another training: {told}{OTHERWISE}"
    ):
        check_same(FILE, stored(change=lambda every: every["network"].update(change)), CONFIG)


def test_rubbish_for_a_part_is_told_in_a_line() -> None:
    with pytest.raises(TrainingError, match="its network is 'xx.*, not {'width") as told:
        check_same(FILE, stored() | {"network": "x" * 1000}, CONFIG)
    assert len(str(told.value)) < 300


def test_an_older_checkpoint_is_gone_on_from(tmp_path: Path) -> None:
    path = tmp_path / "a.checkpoint"
    write_checkpoint(path, CONFIG, Progress(step=7), {})
    content = torch.load(path, weights_only=True)
    del content["config"]["network"]["layer_drop"]
    torch.save(content, path)
    found = read_checkpoint(path, CONFIG)
    assert found is not None and found[0].step == 7


def test_two_versions_keep_files_of_their_own(tmp_path: Path) -> None:
    names = ("fast.v1", "fast.v2", "fast.checkpoint", "fast.v1.checkpoint", "h")
    files = [beside(tmp_path / name, ".npz").name for name in names]
    assert files == ["fast.v1.npz", "fast.v2.npz", "fast.npz", "fast.v1.npz", "h.npz"]
    for name in ("fast.v1", "fast.v2"):
        with Journal(tmp_path / name, 0) as journal:
            journal.write(1, {"step": 1})
    assert {path.name for path in tmp_path.glob("*.jsonl")} == {"fast.v1.jsonl", "fast.v2.jsonl"}
