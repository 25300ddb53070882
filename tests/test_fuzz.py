"""Whatever the bytes are, every reader answers or refuses in words of ours: see ``fuzz``."""

import io
import os
import pickle
import random
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch")
from fuzz.mutator import CORPUS, corpus_of, mutated
from fuzz.run import attack_part, input_of, run_part, shares
from fuzz.targets import TARGETS, check_answer, target
from trickcast.formats import FORMATS

EXAMPLES = 40
OF_SLOW = {"format-parquet": 10, "dealer-scripts": 15, "hands-in-words": 15}


def test_every_target_has_a_corpus_and_every_format_a_target() -> None:
    assert {path.name for path in CORPUS.iterdir()} <= TARGETS.keys()
    assert all(corpus_of(name) for name in TARGETS)
    assert {f"format-{name}" for name in FORMATS} <= TARGETS.keys()


@pytest.mark.parametrize("name", TARGETS)
def test_cases_of_the_corpus_are_read_or_refused(name: str) -> None:
    for data in corpus_of(name):
        TARGETS[name](data)


@pytest.mark.parametrize("name", TARGETS)
def test_changed_cases_are_read_or_refused(name: str) -> None:
    corpus = corpus_of(name)

    @given(st.integers(0, 1 << 32), st.binary(max_size=30), st.integers(0, 9))
    @settings(max_examples=OF_SLOW.get(name, EXAMPLES), deadline=None, database=None)
    def attack(seed: int, rest: bytes, bare: int) -> None:
        data = mutated(random.Random(seed), corpus)
        TARGETS[name](rest if bare == 0 else data + rest if bare == 1 else data)

    attack()


def test_an_input_is_decided_by_its_number() -> None:
    corpus = corpus_of("format-pbn")
    once = [input_of(0, "format-pbn", number, corpus) for number in range(50)]
    assert once == [input_of(0, "format-pbn", number, corpus) for number in range(50)]
    assert len(set(once)) > 30 and sum(shares(1_000_000, "").values()) >= 1_000_000


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
@pytest.mark.parametrize(
    ("kind", "told"),
    [("raises", "ZeroDivisionError"), ("dies", "the process ended"), ("swells", "MemoryError")],
)
def test_the_run_tells_of_what_raises_dies_and_swells(
    kind: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    @target("trial")
    def attack(data: bytes) -> None:
        if kind == "raises":
            _ = 1 / 0
        elif kind == "dies":
            os._exit(3)
        else:
            _ = np.ones(1 << 30)

    monkeypatch.setattr("fuzz.run.corpus_of", lambda name: [b"abc"])
    try:
        found, _ = run_part("trial", 5, 7, seed=0)
    finally:
        del TARGETS["trial"]
    assert found and found[0][:2] == ("trial", 5) and told in found[0][2]
    assert attack_part.__module__ == "fuzz.run"


def test_long_errors_and_empty_ones_are_no_answers() -> None:
    check_answer(ValueError("line 1: no"))
    for message in ("", "x" * 5000, "x\n" * 9):
        with pytest.raises(AssertionError):
            check_answer(ValueError(message))


# --- nothing that is loaded is run ----------------------------------------------------------------

LOADS = ("weights", "checkpoint", "trained-network", "endings", "opening-networks", "taught-deals",
         "format-pgx", "soft-rules", "model", "pair-model", "manifest")  # fmt: skip


class Bomb:
    """What writes a file when it is unpickled."""

    def __init__(self, witness: Path):
        self.witness = witness

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (str(self.witness), "w")


@pytest.mark.parametrize("name", LOADS)
def test_no_pickle_is_ever_run(name: str, tmp_path: Path) -> None:
    import torch

    witness = tmp_path / "witness"
    bomb = Bomb(witness)
    saved, packed, array = io.BytesIO(), io.BytesIO(), io.BytesIO()
    torch.save({"format": "trickcast training 2", "state": bomb}, saved)
    objects = np.array([bomb], dtype=object)
    np.savez(packed, metadata=objects, owners=objects, about=objects, allow_pickle=True)
    np.save(array, objects, allow_pickle=True)
    for data in (pickle.dumps(bomb), saved.getvalue(), packed.getvalue(), array.getvalue()):
        TARGETS[name](data)
        TARGETS[name](b"{}\n" + data)
        assert not witness.exists()
    pickle.loads(pickle.dumps(bomb)).close()
    assert witness.exists()  # it would have been seen
