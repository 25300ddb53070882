"""Model and weight files made to mislead: each is an error of one kind, and nothing is run."""

import pickle
import re
import warnings
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper

import trickcast as tc
from trickcast.estimator import files
from trickcast.estimator.external import keeps_data_elsewhere
from trickcast.library import read_positions
from trickcast.papers.opening_networks import open_networks
from trickcast.training.errors import TrainingError
from trickcast.training.suit_networks import SuitNetwork, read_weights
from trickcast.training.trainer import read_checkpoint
from trickcast.training.whole_deals import SupervisedConfig


def answering(answer: np.ndarray, path: Path, **changed: str) -> Path:
    """Write a whole-deal model that answers every deal with the same (5, 4, 14) numbers."""
    shape = helper.make_node("Shape", ["owners"], ["shape"], start=0, end=1)
    inner = numpy_helper.from_array(np.array(answer.shape, dtype=np.int64), "inner")
    joined = helper.make_node("Concat", ["shape", "inner"], ["whole"], axis=0)
    values = numpy_helper.from_array(answer, "values")
    spread = helper.make_node("Expand", ["values", "whole"], ["probabilities"])
    graph = helper.make_graph(
        [shape, joined, spread],
        "constant",
        [helper.make_tensor_value_info("owners", TensorProto.UINT8, ["n", 52])],
        [helper.make_tensor_value_info("probabilities", values.data_type, None)],
        [inner, values],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    metadata = {
        **files.load_session("fast")[1].metadata,
        "name": "made up",
        **changed,
    }
    helper.set_model_props(model, metadata)
    path.write_bytes(model.SerializeToString())
    return path


EVEN = np.full((5, 4, 14), 1 / 14, dtype=np.float32)


def no_operator(data: bytes) -> bytes:
    """Change an operator's name to what is no text."""
    return data.replace(b"Gather", b"\xc7ather", 1)


def far_index(data: bytes) -> bytes:
    """Have a model look up the 99,999th card."""
    model = onnx.load_model_from_string(data)
    for stored in model.graph.initializer:
        array = numpy_helper.to_array(stored).copy()
        if array.shape == (4, 1, 4) and array.dtype == np.int32:
            array[0] = 99_999
            stored.CopyFrom(numpy_helper.from_array(array, stored.name))
            break
    return bytes(model.SerializeToString())


@pytest.mark.parametrize("damage", [no_operator, far_index])
def test_only_the_error_tells_of_a_damaged_model(damage, tmp_path, capfd):
    path = tmp_path / "damaged.onnx"
    path.write_bytes(damage(files.locate("fast")[0].read_bytes()))
    with pytest.raises(tc.ModelError, match=r"damaged\.onnx: (not a model|the model does not)"):
        tc.Estimator(path)(tc.random_deals(3, seed=1))
    assert capfd.readouterr() == ("", "")


def test_the_model_of_these_tests_can_answer(tmp_path: Path) -> None:
    estimate = tc.Estimator(answering(EVEN, tmp_path / "even.onnx"))(tc.random_deals(3, seed=1))
    assert estimate.expected == pytest.approx(6.5, abs=1e-5)


def lie(place: tuple[int, ...], value: float) -> np.ndarray:
    answer = EVEN.copy()
    answer[place] = value
    return answer


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (lie((2, 1, 3), np.nan), "not all finite"),
        (lie((2, 1, 3), np.inf), "not all finite"),
        (lie((0, 0), -1 / 14), "not probabilities"),
        (14 * EVEN, "sums off 1 by 13"),
        (np.zeros_like(EVEN), "sums off 1 by 1"),
        (EVEN[:4], r"shape \(\d, 4, 4, 14\), not \(\d, 5, 4, 14\)"),
        (EVEN.astype(np.float64), "not all finite float32"),
    ],
)
def test_answers_that_are_no_probabilities_are_refused(
    tmp_path: Path, answer: np.ndarray, complaint: str
) -> None:
    path = answering(answer, tmp_path / "liar.onnx")
    for ask in (
        lambda model: model(tc.random_deals(3, seed=1)),
        lambda model: model.probabilities(tc.random_deals(3, seed=1), ["S", "H", "D", "C", "N"]),
    ):
        with pytest.raises(tc.ModelError, match=rf"liar\.onnx: .*{complaint}"):
            ask(tc.Estimator(path))


DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize("scores", ["null", "5", "[1, 2]", '{"a": 5}', '{"a": {"S": "x"}}', DEEP])
def test_scores_of_other_types_are_damaged_metadata(tmp_path: Path, scores: str) -> None:
    with pytest.raises(tc.ModelError, match="damaged metadata") as caught:
        tc.Estimator(answering(EVEN, tmp_path / "odd.onnx", scores=scores))
    assert len(str(caught.value)) < 600


def saying_tricks(tricks: np.ndarray, path: Path) -> Path:
    """Write a model whose file says tricks too, the same (5, 4) of every deal."""
    model = onnx.load(answering(EVEN, path))
    inner = numpy_helper.from_array(np.array(tricks.shape, dtype=np.int64), "inner_tricks")
    said = numpy_helper.from_array(tricks, "said")
    model.graph.initializer.extend([inner, said])
    joined = helper.make_node("Concat", ["shape", "inner_tricks"], ["whole_tricks"], axis=0)
    model.graph.node.extend(
        [joined, helper.make_node("Expand", ["said", "whole_tricks"], ["tricks"])]
    )
    model.graph.output.append(helper.make_tensor_value_info("tricks", said.data_type, None))
    onnx.save(model, path)
    return path


def test_the_tricks_that_a_file_says_count(tmp_path: Path) -> None:
    said = np.arange(20, dtype=np.uint8).reshape(5, 4) % 14
    model = tc.Estimator(saying_tricks(said, tmp_path / "says.onnx"))
    assert (model(tc.random_deals(3, seed=1)).tricks == said).all()


@pytest.mark.parametrize(
    "tricks",
    [np.full((5, 4), 14, np.uint8), np.zeros((5, 4), np.int64), np.zeros((4, 4), np.uint8)],
)
def test_tricks_that_cannot_be_are_refused(tmp_path: Path, tricks: np.ndarray) -> None:
    path = saying_tricks(tricks, tmp_path / "liar.onnx")
    with pytest.raises(tc.ModelError, match=r"liar\.onnx: the model's (tricks|answer)"):
        tc.Estimator(path)(tc.random_deals(3, seed=1))


def test_a_model_without_the_outputs_of_its_kind_is_refused(tmp_path: Path) -> None:
    path = answering(EVEN, tmp_path / "odd.onnx")
    model = onnx.load(path)
    model.graph.node[2].output[0] = model.graph.output[0].name = "something"
    path.write_bytes(model.SerializeToString())
    with pytest.raises(tc.ModelError, match="does not answer"):
        tc.Estimator(path)(tc.random_deals(1, seed=1))


@pytest.mark.parametrize("where", ["initializer", "attribute", "subgraph"])
def test_arrays_in_other_files_are_not_read(tmp_path: Path, where: str) -> None:
    path = answering(EVEN, tmp_path / "outside.onnx")
    (tmp_path / "numbers").write_bytes(EVEN.tobytes())
    model = onnx.load(path)
    assert not keeps_data_elsewhere(path.read_bytes())
    values = model.graph.initializer[1]
    if where == "attribute":
        values = helper.make_node("Constant", [], ["c"], value=values).attribute[0].t
        model.graph.node.append(helper.make_node("Constant", [], ["c"], value=values))
        values = model.graph.node[-1].attribute[0].t
    elif where == "subgraph":
        inside = helper.make_graph([], "inside", [], [], [values])
        model.graph.node.append(helper.make_node("If", ["x"], ["y"], then_branch=inside))
        values = model.graph.node[-1].attribute[0].g.initializer[0]
    values.ClearField("raw_data")
    values.data_location = TensorProto.EXTERNAL
    entry = values.external_data.add()
    entry.key, entry.value = "location", "numbers"
    path.write_bytes(model.SerializeToString())
    with pytest.raises(tc.ModelError, match="stores arrays in other files"):
        tc.Estimator(path)


@pytest.mark.parametrize(
    "data", [b"\x0a\xff\xff\xff\xff\x0f", b"\xff" * 20, b"\x3a\x7f" * 9, b"\x0b"]
)
def test_what_is_no_protocol_buffer_is_no_model(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "odd.onnx").write_bytes(data)
    with pytest.raises(tc.ModelError, match="not a model that can be run"):
        tc.Estimator(tmp_path / "odd.onnx")


class Trap:
    """What unpickling would run."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (warnings.warn, ("unpickled",))


def test_nothing_in_a_file_is_run(tmp_path: Path) -> None:
    """Every reader of arrays and of torch's files, given a pickle that warns when it is loaded."""
    with pytest.warns(UserWarning, match="unpickled"):
        pickle.loads(pickle.dumps(Trap()))
    traps = np.empty(1, dtype=object)
    traps[0] = Trap()
    arrays, saved = tmp_path / "a.npz", tmp_path / "a.pt"
    np.savez(arrays, owners=traps, tricks=traps, metadata=traps, about=traps)
    torch.save({"format": Trap()}, saved)
    bare = tmp_path / "bare.pickle"
    bare.write_bytes(pickle.dumps(Trap(), protocol=2))
    for read in (
        lambda: read_positions(tmp_path),
        lambda: open_networks(arrays.read_bytes(), "a"),
        lambda: read_weights(arrays, SuitNetwork),
        lambda: read_checkpoint(saved, SupervisedConfig()),
        lambda: read_checkpoint(bare, SupervisedConfig()),
        lambda: tc.Estimator(bare),
    ):
        with pytest.raises((ValueError, TrainingError), match=r"not a|no |damaged"):
            read()


def test_no_source_loads_a_pickle() -> None:
    """``pickle`` is named for its errors alone; arrays and torch's files are read without."""
    for path in Path(tc.__file__).parent.rglob("*.py"):
        source = path.read_text("utf-8")
        assert not re.search(r"pickle\.loads?\(|allow_pickle=True|weights_only=False", source), path
        for call in re.findall(r"torch\.load\(.*", source):
            assert "weights_only=True" in call, path
