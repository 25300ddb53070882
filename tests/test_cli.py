import gzip
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

import trickcast as tc
from trickcast.cards import Deal, whole_percent
from trickcast.cli import app
from trickcast.formats import write_stream
from trickcast.library import Library
from trickcast.plugins import offered
from trickcast.solver import solver_version

BOARD = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
COMMANDS = (
    "estimate solve convert deal play generate library train evaluate bench models hand pair "
    "nearest par open simulate compare leads reproduce explain site serve doctor report session "
    "played auction bid"
)
LIBRARY = ("info", "verify", "split", "add", "fetch")
COMMAND = [sys.executable, "-m", "trickcast"]


@pytest.mark.solver
def test_estimate_shows_the_diagram_and_both_tables(run) -> None:
    status, out, err = run("estimate", BOARD, "--exact")
    assert (status, err) == (0, "")
    for line in str(Deal(BOARD)).splitlines():
        assert line in out
    rows = [line.split() for line in out.splitlines() if line.split()[:1] == ["N"]]
    # five cells of expected tricks and a chance, then the exact table's own row
    north = rows[-1]
    estimate = tc.estimate(BOARD)
    assert north[1:11:2] == [f"{estimate.expected['SHDCN'.index(s), 0]:.1f}" for s in "NSHDC"]
    likeliest = [float(estimate.probabilities["SHDCN".index(s), 0].max()) for s in "NSHDC"]
    assert north[2:11:2] == [whole_percent(share) for share in likeliest]
    assert north[11] == "N"
    assert [int(cell.rstrip("*")) for cell in north[12:]] == [8, 7, 10, 6, 9]
    for cell, strain in zip(north[12:], "NSHDC", strict=True):
        assert cell.endswith("*") == (int(cell.rstrip("*")) != estimate.tricks[strain, "N"])


@pytest.mark.solver
def test_estimate_as_json(run) -> None:
    status, out, err = run("estimate", BOARD, "--exact", "--json")
    assert (status, err) == (0, "")
    content = json.loads(out)
    assert content["deal"] == BOARD
    assert content["exact"][content["strains"].index("H")] == [10, 3, 10, 3]
    assert np.shape(content["probabilities"]) == (5, 4, 14)
    expected = tc.estimate(BOARD)
    np.testing.assert_allclose(content["expected"], expected.expected, atol=1e-3)
    assert content["tricks"] == expected.tricks.tolist()


def test_deals_from_file_and_standard_input(run, tmp_path: Path) -> None:
    deals = tc.random_deals(3, seed=4)
    tc.write(deals, tmp_path / "deals.pbn")
    status, out, err = run("estimate", tmp_path / "deals.pbn", "--json")
    assert status == 0 and err == ""
    assert [json.loads(line)["deal"] for line in out.splitlines()] == [d.pbn for d in deals]
    text = (tmp_path / "deals.pbn").read_bytes()
    piped = subprocess.run([*COMMAND, "estimate", "-", "--json"], input=text, capture_output=True)
    assert (piped.returncode, piped.stderr.decode(), piped.stdout.decode()) == (0, "", out)


@pytest.mark.solver
def test_solve(run) -> None:
    status, out, _ = run("solve", BOARD)
    assert status == 0
    rows = [line.split() for line in out.splitlines()]
    assert ["N", "8", "7", "10", "6", "9"] in rows and ["W", "3", "6", "3", "7", "4"] in rows
    assert json.loads(run("solve", BOARD, "--json")[1])["exact"][0] == [7, 6, 7, 6]


@pytest.mark.solver
def test_convert_round_trip(run, tmp_path: Path) -> None:
    deals = tc.random_deals(5, seed=4)
    solved = deals.with_tricks(tc.solve(deals))  # a table, as its array
    tc.write(solved, tmp_path / "a.zrd")
    names = ["a.zrd", "b.pbn", "c.txt", "d.csv", "e.parquet", "f.zrd"]
    for source, target in pairwise(names):
        options = ["--to", "gib"] if target == "c.txt" else []
        assert run("convert", tmp_path / source, tmp_path / target, *options)[:2] == (0, "")
    assert (tmp_path / "f.zrd").read_bytes() == (tmp_path / "a.zrd").read_bytes()


def test_a_folder_is_no_file_of_deals(run, tmp_path: Path) -> None:
    told = "a folder (expected a file; for a library: trickcast.library.Library)"
    for command in ("estimate", "evaluate"):
        assert run(command, tmp_path) == (2, "", f"trickcast: {tmp_path}: {told}\n")
    with pytest.raises(IsADirectoryError, match=re.escape(told)):
        tc.read(tmp_path)


@pytest.mark.solver
def test_convert_says_what_it_leaves_out(run, tmp_path: Path) -> None:
    (tmp_path / "a.pbn").write_text(f'[Board "7"]\n[Dealer "S"]\n[Deal "{BOARD}"]\n')
    status, _, err = run("convert", tmp_path / "a.pbn", tmp_path / "a.zrd", "--solve")
    assert status == 0
    assert err.startswith("note: ") and "number" in err and "dealer" in err


@pytest.mark.solver
def test_deals_of_one_strain_and_their_worth(run, tmp_path: Path) -> None:
    folder = tmp_path / "labels"
    generate = ("generate", "--deals", 3, "--seed", 5, "--out", folder)
    assert run(*generate, "--strains", "one", "--workers", 10**20)[0] == 0
    status, out, _ = run("library", "info", folder, "--json")
    facts = json.loads(out)
    assert (status, facts["deals"], facts["runs"][0]["strains"]) == (0, 3, "one")
    assert facts["tables_worth"] == facts["runs"][0]["tables_worth"] < 1
    assert "worth 1 whole tables" in run("library", "info", folder)[1]
    assert "solved in one of their strains" in run(*generate)[2]
    assert "expected all or one" in run(*generate, "--strains", "two")[2]
    assert "leave out --cards" in run(*generate, "--strains", "one", "--cards", 5)[2]
    ends = tmp_path / "endings"
    assert run("generate", "--cards", 3, "--deals", 4, "--seed", 1, "--out", ends)[0] == 0
    assert json.loads(run("library", "info", ends, "--json")[1])["by_cards"] == {"3": 4}
    assert "4 of 3 cards" in run("library", "info", ends)[1]


def test_a_group_names_its_commands(run) -> None:
    said = "trickcast: a command is missing (expected one of info, verify, split, add, fetch)\n"
    assert run("library") == (2, "", said)


@pytest.mark.slow
@pytest.mark.solver
def test_generate_and_library(run, tmp_path: Path) -> None:
    folder = tmp_path / "library"
    status, out, err = run("generate", "--deals", 3, "--seed", 5, "--out", folder)
    assert (status, err) == (0, "") and "3 of them newly solved" in out
    assert (Library(folder).deals("train").owners == tc.random_deals(3, seed=5).owners).all()
    assert not [p for p in folder.rglob("*") if p.suffix not in (".zrd", ".json", "")]
    status, out, _ = run("library", "info", folder)
    assert status == 0 and "3 solved deals" in out and "train" in out
    status, out, _ = run("library", "verify", folder, "--sample", 2)
    assert status == 0 and "2 deals solved again agree" in out
    status, out, _ = run("library", "split", folder, "--use", "train", "--out", tmp_path / "t.zrd")
    assert status == 0 and tc.read(tmp_path / "t.zrd") == Library(folder).deals("train")
    status, _, err = run("library", "split", folder, "--use", "train", "--out", tmp_path / "t.zrd")
    assert status == 2 and "exists already (--force replaces it)" in err
    status, out, _ = run("library", "split", folder)
    assert out.split()[:2] == ["train", "3"]
    status, _, err = run(
        *("library", "add", folder, tmp_path / "t.zrd"),
        *("--name", "more", "--source", "a test", "--use", "test"),
    )
    assert status == 2 and "3 deals occur twice" in err
    assert run("generate", "--deals", 3, "--seed", 6, "--out", tmp_path / "other")[0] == 0
    run(
        *("library", "split", tmp_path / "other", "--use", "train"),
        *("--out", tmp_path / "t.zrd", "--force"),
    )
    status, out, _ = run(
        *("library", "add", folder, tmp_path / "t.zrd"),
        *("--name", "more", "--source", "a test", "--use", "test"),
    )
    assert status == 0 and Library(folder).count("test") == 3
    odd = tmp_path / "odd.csv"
    tc.write(_solved(2, 8), odd)
    odd.write_text(odd.read_text() + "no deal" + "," * 20 + "\n")
    asked = ("library", "add", folder, odd, "--name", "odd", "--source", "a test", "--use", "test")
    assert run(*asked, "--strict")[0] == 2 and Library(folder).count("test") == 3
    status, out, err = run(*asked)
    assert status == 3 and "2 deals added" in out and err.startswith("skipped: ")
    assert Library(folder).count("test") == 5
    status, out, _ = run("evaluate", folder, "--json")
    assert status == 0 and json.loads(out)["suits"]["results"] == 80


def _solved(number: int, seed: int) -> tc.DealSet:
    deals = tc.random_deals(number, seed=seed)
    return deals.with_tricks(tc.solve(deals).tricks)


def test_models(run) -> None:
    status, out, _ = run("models")
    assert status == 0 and all(info.name in out for info in tc.models())
    status, out, _ = run("models", "--json")
    assert [json.loads(line)["name"] for line in out.splitlines()] == [m.name for m in tc.models()]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["estimate"], ["DEALS"]),
        (["estimate", ""], ["empty argument"]),
        (["estimate", "nowhere.pbn"], ["nowhere.pbn"]),
        (["estimate", BOARD[:-1]], ["West", "12 cards"]),
        (["estimate", BOARD.replace("A.KQ", "4.KQ")], ["S4", "North", "East"]),
        (["estimate", BOARD, "--model", "best"], ["best", "(52x4)"]),
        (["estimate", BOARD, "--model", ""], ["model"]),
        (["estimate", BOARD, "--exact", "--workers", "0"], ["--workers"]),
        (["estimate", "."], ["."]),
        (["solve", "N: north ♠A ♠K ♠Q ♠J"], ["stands before the first ♠"]),
        (["solve", "N:"], ["neither a file nor a deal"]),
        (["solve", "7NT"], ["neither a file nor a deal"]),
        (["solve", "N:-.-.-.- A.K.Q.J"], ["1 hand (expected 4)"]),
        (["solve", "x" * 100_000], ["x"]),
        (["solve", BOARD, "--from", "pbm"], ["pbm"]),
        (["solve", BOARD, "--from", "lin"], ["--from needs a file", "N:A.KQ"]),
        (["solve", "nowhere.lin", "--from", "lin"], ["neither a file nor a deal"]),
        (["convert", "-", "-"], ["--to"]),
        (
            ["convert", BOARD, "x.foo"],
            ["x.foo: unknown", "the format named by --to: pbn"],
        ),
        (["convert", "nowhere.pbn", "a.zrd"], ["nowhere.pbn"]),
        (["generate", "--deals", "0", "--seed", "1", "--out", "x"], ["--deals"]),
        (["generate", "--deals", "1", "--seed", "-1", "--out", "x"], ["--seed"]),
        (["generate", "--deals", "1", "--seed", "1", "--out", "x", "--use", "play"], ["play"]),
        (["library", "info", "nowhere"], ["nowhere"]),
        (["evaluate", "nowhere.zrd"], ["nowhere.zrd"]),
        (["evaluate", BOARD], ["no known tricks", "--solve"]),
        (["generate", "--deals", "1", "--seed", str(2**64), "--out", "x"], ["--seed"]),
        (["generate", "--deals", "1", "--seed", "1", "--out", ""], ["--out is empty"]),
        (["generate", "--deals", str(2**64 - 1), "--seed", "1", "--out", "x"], ["--deals"]),
        (["generate", "--deals", "9" * 30, "--seed", "1", "--out", "x"], ["--deals"]),
        (["library", "add", "", "x.pbn", "--name", "x", "--source", "x"], ["LIBRARY", "empty"]),
        (["library", "info", " "], ["LIBRARY is empty"]),
        (["library", "fetch", "pgx", "--deals", "1", "--out", ""], ["--out is empty"]),
        (["site", ""], ["FOLDER is empty"]),
        (["convert", BOARD, "", "--to", "pbn"], ["OUT is empty"]),
        (["convert", BOARD], ["Missing argument 'OUT'"]),
        (["convert"], ["Missing argument 'IN...'"]),
        (["session", ""], ["FILE is empty"]),
        (
            ["deal", "--boards", "9" * 20],
            ["--boards is 99", "(expected at most the 4,000,000 tries)"],
        ),
        (["estimate", BOARD, "--solve-below", "nan"], ["--solve-below is nan", "a finite number"]),
        (["simulate", "--seconds", "inf"], ["--seconds is inf (expected a finite number)"]),
        (["par", BOARD, "--vulnerable", ""], ["vulnerability"]),
        (["hand", ""], ["empty argument"]),
        (["hand", "xx"], ["'xx' is neither a file nor a hand: 1 suit (expected four"]),
        (["hand", "AQxxx.Kxx.Axx.KJx"], ["KJx' is neither a file nor a hand: 14 cards"]),
        (["open", "AKQ2.QJT987.32.2", "--system", "mine"], ["mine", "polish-club"]),
        (["open", "AKQ2.QJT987.32.22"], ["C2", "twice"]),
        (["hand", "AKQ2.QJT987.32"], ["3 suits"]),
        (["hand", "nowhere.txt"], ["'nowhere.txt': no such file (expected a hand, or a file of"]),
        (["hand", "N:AKQ2.QJT987.32.2"], ["nor a hand: 'N:' is a seat (expected the hand alone)"]),
        (["pair", "AKQ2.QJT987.32.2"], ["AKQ2", "no partner", "a second hand"]),
        (["open", "nowhere.txt"], ["no such file"]),
        (["nearest", "nowhere.txt"], ["no such file"]),
        (["deal", "--south", "hcp 20+", "--south", "spades 6"], ["--south is given 2 times"]),
        (["simulate", "--contract", "4S", "--contract", "3N"], ["--contract is given 2 times"]),
        (["estimat", BOARD], ["estimat"]),
        (["--nothing"], ["--nothing"]),
    ],
)
def test_a_mistake_ends_with_status_2_and_says_why(
    run, args: list[str], words: list[str], tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = run(*args)
    assert (status, out) == (2, "")
    assert 1 <= len(err.splitlines()) <= 3 and "Traceback" not in err and len(err) < 1000, err
    assert all(word in err for word in words), err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.torch
@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["train", "52-1", "--set", "epoch=1", "--library", "nowhere"], ["epoch", "epochs"]),
        (["train", "--set", "step=1", "--library", "nowhere"], ["step", "steps"]),
        (["train", "5-5-1", "--library", "nowhere"], ["5-5-1", "208"]),
        (["train", "52-1", "--set", "coding=52", "--library", "nowhere"], ["nowhere"]),
        (["train", "acurate"], ["acurate", "accurate, "]),
        (["train", "pairs", "--endings", "x"], ["pairs takes no --endings (only accurate"]),
        (["train", "--set", "steps"], ["steps", "NAME=VALUE"]),
    ],
)
def test_a_mistake_in_a_training_ends_as_any_other(
    run, args: list[str], words: list[str], tmp_path: Path, monkeypatch
) -> None:
    test_a_mistake_ends_with_status_2_and_says_why(run, args, words, tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.pbn", b""),
        ("rubbish.pbn", bytes(range(256)) * 40),
        ("rubbish.zrd", bytes(range(256)) * 40),
        ("rubbish.unknown", bytes(range(256)) * 40),
        ("cut.zrd", bytes(22)),
        ("text.zrd", b"hello world\n" * 9),
        ("double.pbn", f'[Deal "{BOARD.replace("A.KQ", "4.KQ")}"]\n'.encode()),
        ("cut.pbn", f'[Deal "{BOARD[:30]}'.encode()),
        ("short.txt", b"T5.K4.652.A98542 K6.QJT976.QT7.Q6 432.A.AKJ93.JT73 AQJ9\n"),
    ],
)
def test_a_bad_file_ends_with_status_2_and_its_name(
    run, tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    for command in (["estimate"], ["solve"]):
        status, out, err = run(*command, tmp_path / name)
        assert status == 2 and out == ""
        assert name in err and len(err.splitlines()) <= 3 and len(err) < 1000, err
    target = tmp_path / "target.zrd"
    assert run("convert", tmp_path / name, target, "--solve")[0] == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == [name], "something half written"


def test_a_line_of_100_megabytes(run, tmp_path: Path) -> None:
    path = tmp_path / "long.pbn"
    with path.open("wb") as stream:
        stream.write(b'[Deal "N:')
        for _ in range(100):
            stream.write(b"A" * 1_000_000)
    start = time.monotonic()
    status, out, err = run("estimate", path)
    assert status == 2 and out == "" and "long.pbn" in err and len(err) < 1000
    assert time.monotonic() - start < 60, "a hostile file must not hold anybody up"


@pytest.mark.solver
def test_a_library_may_be_the_working_folder(run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("generate", "--deals", 1, "--seed", 1, "--out", ".")[0] == 0
    assert run("library", "info", ".")[1].startswith("1 solved deals in .")


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize(
    ("arguments", "closed", "status", "words"),
    [
        (["hand", "-"], "<&-", 2, "standard input: "),
        (["hand", BOARD[2:18]], ">&-", 0, ""),
        (["hand", BOARD[2:18]], "2>&-", 0, "HCP"),
        (["hand", "x"], "<&- >&- 2>&-", 2, ""),
        (["--version"], ">&-", 0, ""),
    ],
)
def test_a_stream_that_is_closed_is_an_empty_one(
    arguments: list[str], closed: str, status: int, words: str
) -> None:
    command = ["sh", "-c", f'exec "$@" {closed}', "sh", *COMMAND, *arguments]
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert ended.returncode == status and words in ended.stdout
    assert "Traceback" not in ended.stdout and bool(ended.stdout) == bool(words), ended.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
@pytest.mark.solver
def test_files_may_have_names_in_no_utf_8(tmp_path: Path) -> None:
    name, page = "caf\udce9.txt", "caf\udce9.html"
    (tmp_path / name).write_text(f"{BOARD}\nrubbish\n")

    def run(*arguments: str) -> tuple[int, str]:
        ended = subprocess.run([*COMMAND, *arguments], capture_output=True, cwd=tmp_path)
        return ended.returncode, (ended.stdout + ended.stderr).decode()

    status, told = run("report", name, "-o", page)
    assert status == 3 and r"caf\udce9.html: 1 board" in told
    assert r"skipped: caf\udce9.txt: line 2: " in told
    assert r"<title>caf\udce9</title>" in (tmp_path / page).read_text("utf-8")
    status, told = run("convert", name, "caf\udce9.zrd")
    assert status == 2 and told.startswith(r"trickcast: caf\udce9.zrd: deal 1: ")
    status, told = run("library", "info", "caf\udce9")
    assert status == 2 and told.startswith(r"trickcast: caf\udce9")


@pytest.mark.solver
def test_a_full_disk_is_an_error() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    with full.open("wb") as stdout:
        ended = subprocess.run([*COMMAND, "solve", BOARD], stdout=stdout, stderr=subprocess.PIPE)
    assert ended.returncode == 2
    assert b"No space left" in ended.stderr and len(ended.stderr.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("form", ["--json", "--model=(52x4)-(26x4)-26-13-1"])
def test_a_reader_that_goes_away_is_no_error(tmp_path: Path, form: str) -> None:
    tc.write(tc.random_deals(3000, seed=1), tmp_path / "many.csv")
    command = [*COMMAND, "estimate", form, str(tmp_path / "many.csv")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline().startswith((b'{"deal"', b"Deal 1"))
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 0


@pytest.mark.solver
def test_interrupt_ends_a_command_within_a_second(tmp_path: Path) -> None:
    command = [*COMMAND, "generate", "--deals", "4096", "--seed", "1", "--out", str(tmp_path / "l")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until = time.monotonic() + 30
    while not (tmp_path / "l").exists() and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(1.5)  # DDS has a batch in hand
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    try:
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert time.monotonic() - start < 2, "DDS had more than that in hand"
    assert err == b"interrupted\n"
    assert [p for p in (tmp_path / "l").rglob("*") if p.is_file()] == []


def test_every_help_fits_a_terminal_and_has_an_example_that_is_understood(
    run,
) -> None:
    status, out, _ = run("--help")
    assert status == 0 and run() == (0, out, "")
    for words in (*([name] for name in COMMANDS.split()), *(["library", n] for n in LIBRARY)):
        assert f"\n  {words[0]} " in out
        status, text, _ = run(*words, "--help")
        assert status == 0 and max(map(len, text.splitlines())) <= 80
        if words == ["library"]:
            continue
        example = shlex.split(text.partition("Example: ")[2])
        assert example[: len(words) + 1] == ["trickcast", *words]
        group = app.build(example[1:])
        command: Any = group.commands[words[0]]
        for name in words[1:]:
            command = command.commands[name]
        assert command.make_context(words[-1], example[len(words) + 1 :]).params, "it is parsed"


def every_command(group: Any, *names: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield all commands that do something, by their words."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from every_command(command, *names, name)
        else:
            yield (*names, name), command


def test_every_help_shows_the_choices_and_what_is_said_of_each_option(run) -> None:
    for words, command in every_command(app.build([])):
        assert len(command.short_help) <= 80 and command.short_help.endswith("."), words
        status, text, _ = run(*words, "--help")
        assert status == 0 and "\n  Example: trickcast " in text, words
        numbers = re.findall(r"\d[\d,]*", text.partition("Example: ")[0])
        assert all(int(number.replace(",", "")) <= 1_000_000 for number in numbers), words
        for parameter in command.params:
            where = f"{' '.join(words)} {parameter.name}"
            told = getattr(parameter, "help", None) or parameter.metavar
            assert parameter.metavar != "TEXT" and told, where
            assert parameter.param_type_name == "argument" or told.endswith("."), where
            choices = re.search(r"\b(none, ns, ew|N, E, S or W|true or false)\b", told)
            assert choices is None, f"{where}: shown as choices, not told"


def test_the_help_says_that_a_busy_server_refuses(run) -> None:
    assert "same time; more are refused" in " ".join(run("serve", "--help")[1].split())


def test_the_help_lists_the_commands_in_groups(run) -> None:
    headings = re.findall(r"^([A-Z].*):$", run("--help")[1], re.MULTILINE)
    assert headings[1:] == [*app._COMMANDS, "Papers and plug-ins"]
    assert "Did you mean one of: 'estimate'" in run("estimat")[2]
    assert "neither a library, a file nor a deal" in run("evaluate", "nowhere")[2]


@pytest.mark.solver
def test_the_versions_of_all_that_answers_depend_on(run) -> None:
    status, out, _ = run("--version")
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
    assert status == 0 and out.startswith(f"trickcast {project['project']['version']}\n")
    assert f"onnxruntime {onnxruntime.__version__}" in out and solver_version() in out
    assert all(f"{info.name} {info.sha256[:8]}" in out for info in tc.models())


@pytest.mark.solver
def test_the_doctor_says_what_works_and_what_does_not(run, monkeypatch) -> None:
    status, out, err = run("doctor", "--json")
    facts = json.loads(out)
    assert (status, err, facts["problems"]) == (0, "", [])
    assert facts["estimated"] > 0 and facts["solved"] > 0 and facts["cores"] >= 1
    assert facts["extras"]["data"] == []
    monkeypatch.setattr("trickcast.estimator.files._WEIGHTS", Path(__file__).parent)
    status, out, err = run("doctor")
    assert status == 2 and "list of model files is missing" in err


def test_the_doctor_finds_a_wrong_answer(run, monkeypatch) -> None:
    monkeypatch.setattr("trickcast.cli.doctor.solve", lambda deal: tc.TrickTable([[0] * 4] * 5))
    status, out, err = run("doctor")
    assert status == 2 and "20 of 20 results are wrong" in err and "works (" in out


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("trickcast estima", ["plain,estimate"]),
        ("trickcast estimate --mo", ["plain,--model"]),
        ("trickcast library ver", ["plain,verify"]),
        ("trickcast solve deals", ["file,deals"]),
    ],
)
def test_a_shell_completes_commands_options_and_files(
    run, monkeypatch, line: str, completed: list[str]
) -> None:
    monkeypatch.setenv("_TRICKCAST_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    status, out, _ = run()
    assert (status, out.splitlines()) == (0, completed)


def test_a_shell_is_told_how_to_complete(run) -> None:
    status, out, _ = run("--completion", "zsh")
    assert status == 0 and out.startswith("#compdef trickcast")
    assert run("--completion", "cmd")[0] == 2


SHEETS: dict[str, list[object]] = {
    "estimate": [BOARD, "--exact"],
    "solve": [BOARD],
    "play": [BOARD, "4H", "--by", "N"],
    "par": [BOARD],
    "hand": ["AKQ2.QJT987.32.2"],
    "open": ["AKQ2.QJT987.32.2"],
    "pair": ["AKQ2.QJT987.32.2", ".A65.AK765.KQJT9"],
    "nearest": ["AKQ2.QJT987.32.2"],
    "models": [],
    "evaluate": ["SOLVED"],
    "bench": [],
    "explain": ["(52x4)-(26x4)-26-13-1"],
    "deal": ["--to", "diagram", "--solve"],
    "simulate": ["--south", "AKQ2.QJT987.32.2", "--north", "hcp 6-9", "--contracts", "4H,3N",
                 "--by", "S", "--samples", 100, "--solve", 20],
    "compare": ["4H", "3N", "--by", "S", "--south", "AKQ2.QJT987.32.2", "--samples", 100,
                "--solve", 20],
    "leads": ["A.KQ9832.T94.AKT", "3N", "--by", "S", "--samples", 100, "--solve", 20,
              "--scoring", "matchpoints"],
}  # fmt: skip


SOLVING = {"estimate", "solve", "play", "par", "deal", "simulate", "compare", "leads"}


@pytest.mark.parametrize(
    "command",
    [pytest.param(name, marks=[pytest.mark.solver] * (name in SOLVING)) for name in SHEETS],
)
def test_no_line_of_an_answer_is_wider_than_a_terminal(
    run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    solved = tmp_path / "solved.zrd"
    deals = tc.random_deals(30, seed=5)
    tc.write(deals.with_tricks(tc.estimate(deals).tricks), solved)
    arguments = [solved if word == "SOLVED" else word for word in SHEETS[command]]
    status, out, err = run(command, *arguments)
    assert status == 0, err
    assert max(map(len, out.splitlines())) <= 80
    for line in err.splitlines():
        assert len(line) <= 80, line


def test_importing_is_light() -> None:
    program = (
        "import sys, trickcast\n"
        "heavy = {'torch', 'endplay', 'endplay._dds', 'onnxruntime', 'pyarrow', 'rich', 'click'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ended.stdout == "[]\n", ended.stderr


def test_a_deal_is_estimated_without_what_that_does_not_need() -> None:
    program = (
        "import sys\n"
        f"sys.argv = ['trickcast', 'estimate', {BOARD!r}]\n"
        "from trickcast.cli.app import run\n"
        "assert run() == 0\n"
        "heavy = {'torch', 'endplay._dds', 'rich', 'scipy', 'trickcast.formats', "
        "'trickcast.solver', 'trickcast.library', 'trickcast.simulation'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ended.stdout.endswith("\n[]\n"), ended.stderr


def test_every_command_is_listed_with_the_module_that_has_it() -> None:
    listed = [n for part in app._COMMANDS.values() for names in part.values() for n in names]
    assert sorted([*listed, *offered("COMMANDS")]) == sorted(COMMANDS.split())
    modules = {name: names for part in app._COMMANDS.values() for name, names in part.items()}
    for module, names in modules.items():
        room = import_module(f"trickcast.cli.{module}")
        assert all(callable(getattr(room, name)) for name in names)


def test_the_front_door() -> None:
    assert len(tc.__all__) <= 45 and {*tc.__all__} <= {*dir(tc)}
    contract = (
        "Deal Hand DealSet read write random_deals solve estimate models Estimator PairEstimator "
        "HandEmbedding evaluators openings simulate simulate_leads DealError FormatError "
        "ModelError TrickTable TrickEstimate"
    )
    assert {*contract.split()} <= {*tc.__all__}
    rooms = (
        "bidding cards dealing estimator formats pairs pars played scoring simulation solver"
    ).split()
    others = ("evaluators", "openings", "session", "__version__")
    for name in tc.__all__:
        named = [getattr(import_module(f"trickcast.{room}"), name, None) for room in rooms]
        assert getattr(tc, name) in named or name in others
    assert "work_points" in tc.evaluators.names()
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = tc.nothing


@pytest.mark.solver
def test_text_comes_out_whatever_the_locale() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ended = subprocess.run([*COMMAND, "solve", BOARD], capture_output=True, env=environment)
    assert ended.returncode == 0, ended.stderr.decode()
    assert "♠ T87632" in ended.stdout.decode()


@pytest.mark.solver
@pytest.mark.parametrize(("kind", "coloured"), [("xterm", True), ("dumb", False)])
def test_tables_are_coloured_on_terminals_that_can(kind: str, coloured: bool) -> None:
    environment = {**os.environ, "NO_COLOR": "", "TERM": kind}
    reader, terminal = os.openpty()
    subprocess.run([*COMMAND, "solve", BOARD], stdout=terminal, env=environment, check=True)
    os.close(terminal)
    assert (b"\x1b[" in os.read(reader, 4096)) == coloured
    os.close(reader)


@pytest.mark.solver
def test_hands_and_deals_as_lines_of_text(run, tmp_path: Path) -> None:
    (tmp_path / "hands.txt").write_text("AKQ2.QJT987.32.2\n\nA.KQ9832.T94.AKT\n")
    status, out, _ = run("hand", tmp_path / "hands.txt", "--json")
    assert status == 0
    assert [json.loads(line)["values"]["work_points"] for line in out.splitlines()] == [12, 16]
    table = run("hand", tmp_path / "hands.txt")[1]
    assert table.count("point count") > 2 and " \n" not in table
    (tmp_path / "hands.txt").write_text("A10xxx.Kxx.Ax.KJx\nAQxxx.Kxx.Axx.KJx\nAxxx.x.xxxx.xxxx\n")
    status, out, err = run("hand", tmp_path / "hands.txt", "--json")
    told = [json.loads(line) for line in out.splitlines()]
    assert [answer.get("hand") for answer in told] == ["AT432.K32.A2.KJ2", "A432.2.5432.5432", None]
    place = f"{tmp_path / 'hands.txt'}: line"
    assert (status, err) == (
        3,
        f"note: {place} 1: each x is taken as the lowest card: AT432.K32.A2.KJ2\n"
        f"skipped: {place} 2: hand 'AQxxx.Kxx.Axx.KJx': 14 cards (expected 13)\n",
    )
    (tmp_path / "deals.txt").write_text(f"{BOARD}\n{BOARD.lower()}\n")
    status, out, _ = run("solve", tmp_path / "deals.txt", "--json")
    assert status == 0 and [json.loads(line)["deal"] for line in out.splitlines()] == [BOARD] * 2


@pytest.mark.solver
def test_par_takes_dealer_and_vulnerability_from_the_board(run, tmp_path: Path) -> None:
    told = json.loads(run("par", BOARD, "--vulnerable", "both", "--json")[1])
    assert (told["ns"], told["contracts"]) == (620, ["4H NS ="])
    text = f'[Dealer "S"]\n[Vulnerable "All"]\n[Deal "{BOARD}"]\n'
    (tmp_path / "board.pbn").write_text(text)
    content = json.loads(run("par", tmp_path / "board.pbn", "--json")[1])
    assert (content["dealer"], content["vulnerable"], content["ns"]) == ("S", "both", 620)
    for command in ("solve", "estimate --model fast", "play 4H --by N --position"):
        name, *options = command.split()
        (tmp_path / "piped.json").write_text(
            run(name, tmp_path / "board.pbn", *options, "--json")[1]
        )
        assert json.loads(run("par", tmp_path / "piped.json", "--json")[1]) == content, command
    told, expected = run("par", BOARD)[1].splitlines()[-2:]
    assert told.endswith("NS +420: 4♥ by N or S")
    (points,) = json.loads(run("par", BOARD, "--json")[1])["expected"]
    assert expected == f"expected at the table: NS {points:+.0f} in 4♥ by N or S"


def test_a_par_of_many_contracts_stays_in_eighty_columns(run, tmp_path: Path) -> None:
    board = tc.DealSet.from_deals([tc.Deal(BOARD)])
    tricks = np.full((1, 5, 4), 6, np.uint8)
    tricks[:, 2:4, 1::2] = 10  # 4C and 4D by East and West
    tc.write(board.with_tricks(tricks), tmp_path / "x.csv")
    out = run("par", tmp_path / "x.csv")[1]
    assert max(map(len, out.splitlines())) <= 80
    told, _, expected = " ".join(out.split()).partition(" expected at the table: NS ")
    assert told.endswith("3♣ by E or W, +1; 3♦ by E or W, +1; 4♣ by E or W; 4♦ by E or W")
    assert re.fullmatch(r"([+-]\d+ in \d[♣♦] by E or W(; )?)+", expected)


@pytest.fixture
def board_7(tmp_path: Path) -> Path:
    """A file that gives the number of a board alone: South deals, both are vulnerable."""
    path = tmp_path / "b7.csv"
    path.write_text(f'deal,board\n"{BOARD}",7\n')
    return path


@pytest.mark.solver
def test_dealer_and_vulnerability_are_those_of_the_number_everywhere(
    run, board_7: Path, tmp_path: Path
) -> None:
    out = json.loads(run("par", board_7, "--json")[1])
    assert (out["dealer"], out["vulnerable"], out["ns"]) == ("S", "both", 620)
    asked = run("par", board_7, "--json", "--vulnerable", "none", "--dealer", "E")[1]
    assert (json.loads(asked)["dealer"], json.loads(asked)["ns"]) == ("E", 420)
    assert '[OptimumScore "NS 620"]' in run("convert", board_7, "-", "--to", "pbn", "--solve")[1]
    assert run("report", board_7, "-o", tmp_path / "r.html")[0] == 0
    page = (tmp_path / "r.html").read_text()
    assert "South deals, vulnerable: both" in page and "+620" in page
    alone = json.loads(run("par", BOARD, "--json")[1])
    assert (alone["dealer"], alone["vulnerable"]) == ("N", "none")


@pytest.mark.parametrize(
    ("asked", "wrong"),
    [
        (["report", BOARD, "-o"], "r.pdf"),
        (["nearest", "AKQ2.QJT987.32.2", "--map"], "m.pdf"),
        (["explain", "fast", "--svg"], "e.png"),
        (["explain", "fast", "--png"], "e.svg"),
        (["simulate", "--contract", "4S", "--by", "S", "--picture"], "x.png"),
    ],
)
def test_a_file_of_another_name_than_its_kind_is_refused_before_the_work(
    run, tmp_path: Path, monkeypatch, asked: list[str], wrong: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (wrong, "-"):
        status, out, err = run(*asked, name)
        assert (status, out) == (2, "") and f"{name!r} (expected a name in ." in err, err
    assert not list(tmp_path.iterdir())


@pytest.mark.solver
def test_names_of_files_are_known_in_capitals_and_pipes_have_any(run, tmp_path: Path) -> None:
    assert run("report", BOARD, "-o", tmp_path / "R.HTML")[0] == 0
    assert run("report", BOARD, "-o", "/dev/null")[0] == 0


def test_deals_are_written_to_standard_output_by_its_sign(run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    deal = ["deal", "--seed", 1]
    assert run(*deal, "--out", "-", "--to", "text") == run(*deal, "--to", "text")
    assert run(*deal, "--out", "-") == run(*deal)
    assert not list(tmp_path.iterdir())


def test_open(run) -> None:
    status, out, _ = run("open", "Q8632.KJ5.A97.QJ", "--system", "standard-american")
    assert status == 0 and out.startswith("Q8632.KJ5.A97.QJ: 1S (standard-american)")
    told = json.loads(run("open", "Q8632.KJ5.A97.QJ", "--system", "acol", "--json")[1])
    assert told["call"] in told["probabilities"] and told["system"] == "acol"


@pytest.mark.parametrize(
    ("asked", "last"),
    [
        (["estimate"], "skipped: 2 more (--json lists all)"),
        (["estimate", "--json"], "skipped: 2 more"),
        (["report", "-o", os.devnull, "--hands", "N"], "skipped: 2 more"),
    ],
)
def test_many_skipped_places_are_cut_and_json_is_named_where_there_is_any(
    run, tmp_path: Path, asked: list[str], last: str
) -> None:
    path = tmp_path / "x.pbn"
    path.write_text('[Deal ""]\n\n' * 22 + f'[Deal "{BOARD}"]\n')
    status, _, err = run(asked[0], path, *asked[1:])
    *listed, rest = err.splitlines()
    assert status == 3 and rest == last
    assert [line.split(": ")[2] for line in listed if line.startswith("skipped: ")] == [
        f"line {line}" for line in range(1, 41, 2)
    ]


@pytest.mark.solver
def test_what_is_no_deal_is_skipped_and_told(run, tmp_path: Path) -> None:
    path = tmp_path / "x.pbn"
    bad = '[Deal ""]\n\n'
    path.write_text(f'[Deal "{BOARD}"]\n\n{bad * 4}[Deal "{BOARD}"]\n')
    status, out, err = run("solve", path)
    assert status == 3 and out.count("♠") and len(err.splitlines()) == 4
    assert err.splitlines()[0].startswith(f"skipped: {path}: line 3: deal '': no first seat")
    status, out, _ = run("solve", path, "--json")
    *deals, last = map(json.loads, out.splitlines())
    assert status == 3 and [deal["deal"] for deal in deals] == [BOARD, BOARD]
    assert [entry["place"] for entry in last["skipped"]] == [
        f"{path}: line {line}" for line in (3, 5, 7, 9)
    ]
    for command in (["estimate"], ["solve"], ["par"], ["evaluate"]):
        status, out, err = run(*command, path, "--strict")
        assert status == 2 and f"{path}: line 3" in err
    assert run("convert", path, tmp_path / "y.zrd", "--solve")[0] == 3
    assert len(tc.read(tmp_path / "y.zrd")) == 2
    assert run("convert", path, tmp_path / "z.txt", "--strict")[0] == 2
    assert not (tmp_path / "z.txt").exists()
    before = path.read_bytes()
    status, _, err = run("convert", path, tmp_path / "." / "x.pbn")
    assert status == 2 and f"{path}: line 3" in err, "who converts a file onto itself loses nothing"
    assert path.read_bytes() == before
    status, out, _ = run("convert", path, tmp_path / "z.txt", "--json")
    assert status == 3 and len(json.loads(out)["skipped"]) == 4
    assert run("solve", tmp_path / "y.zrd")[0] == 0, "what was skipped before is forgotten"
    path.write_text(bad)
    assert run("solve", path)[0] == 2


@pytest.mark.solver
def test_an_address_is_a_deal(run) -> None:
    hands = "n=sahkq9832dt94cakt&e=sq4hat7dqj872c732&s=skj95hj65dk3cj654"
    page = "https://www.bridgebase.com/tools/handviewer.html"
    status, out, _ = run("solve", f"{page}?{hands}&b=5", "--json")
    assert status == 0 and json.loads(out)["deal"] == BOARD and json.loads(out)["board"] == 5
    assert run("solve", f"{page}?myhand=M-1-1")[0] == 2


def test_every_byte_of_a_conversion_arrives_through_a_raw_standard_output(tmp_path: Path) -> None:
    tc.write(tc.random_deals(20_000, seed=1), tmp_path / "x.csv")
    command = [*COMMAND, "convert", str(tmp_path / "x.csv"), "-", "--to", "csv"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, env=environment, bufsize=0) as process:
        assert process.stdout is not None
        parts = [process.stdout.read(1)]
        for _ in range(20):  # a stopped writer is told that it wrote a part
            time.sleep(0.01)
            process.send_signal(signal.SIGSTOP)
            process.send_signal(signal.SIGCONT)
            parts.append(os.read(process.stdout.fileno(), 50_000))
        parts.append(process.stdout.read())
        assert process.wait(timeout=60) == 0
    assert b"".join(parts) == (tmp_path / "x.csv").read_bytes()


def test_a_raw_stream_that_takes_parts_gets_all() -> None:
    class Reluctant(io.RawIOBase):
        def __init__(self) -> None:
            self.data = b""

        def writable(self) -> bool:
            return True

        def write(self, data) -> int:
            self.data += bytes(data[:1000])
            return min(len(data), 1000)

    for form in ("csv", "zrd", "parquet", "pbn"):
        deals = tc.random_deals(500, seed=1).with_tricks(np.full((500, 5, 4), 7))
        whole, raw = io.BytesIO(), Reluctant()
        write_stream([deals], whole, form)
        write_stream([deals], raw, form)
        assert raw.data == whole.getvalue()
    full = type("Full", (Reluctant,), {"write": lambda self, data: None})
    with pytest.raises(BlockingIOError):
        write_stream([deals], full(), "csv")


def test_a_file_of_hands_is_read_as_one_of_deals_is(run, tmp_path: Path) -> None:
    path, lines = tmp_path / "hands.txt", "AKQ2.QJT987.32.2\nA.KQ9832.T94.AKT\n"
    for content in (
        lines.encode("utf-8-sig"),
        lines.encode("utf-16"),
        lines.replace("\n", "\r").encode(),
        gzip.compress(lines.encode()),
    ):
        path.write_bytes(content)
        status, out, err = run("hand", path, "--json")
        assert (status, err) == (0, "")
        assert [json.loads(line)["hand"] for line in out.splitlines()] == lines.split()
        piped = subprocess.run([*COMMAND, "hand", "-", "--json"], input=content, stdout=-1)
        assert (piped.returncode, piped.stdout.decode()) == (0, out)
    path.write_bytes(b"\xff\xfe")
    status, _, err = run("hand", path)
    assert status == 2 and "hands.txt: line 1, column 1: byte 0xff (expected text)" in err


def test_what_is_no_hand_is_skipped_and_told(run, tmp_path: Path) -> None:
    path, hands = tmp_path / "hands.txt", ["AKQ2.QJT987.32.2", "A.KQ9832.T94.AKT"]
    path.write_text(f"{hands[0]}\n\nAKQ\nA.K\n2\n{hands[1]}\n")
    for command in (["hand"], ["open"]):
        status, out, err = run(*command, path)
        assert status == 3 and len(err.splitlines()) == 3
        assert err.startswith(f"skipped: {path}: line 3: hand 'AKQ': 1 suit")
        status, out, _ = run(*command, path, "--json")
        *told, last = map(json.loads, out.splitlines())
        assert status == 3 and [answer["hand"] for answer in told] == hands
        assert [entry["place"] for entry in last["skipped"]] == [
            f"{path}: line {line}" for line in (3, 4, 5)
        ]
    status, out, _ = run("open", path, "--csv")
    assert status == 3 and [line.partition(",")[0] for line in out.splitlines()] == ["hand", *hands]
    path.write_text("\nAKQ\n")
    status, out, err = run("hand", path)
    assert (status, out) == (2, "") and f"{path}: line 2: hand 'AKQ'" in err


def test_a_file_with_nothing_in_it_is_refused(run, tmp_path: Path) -> None:
    for name, content in (("empty.pbn", ""), ("blank.txt", "\n \n")):
        path = tmp_path / name
        path.write_text(content)
        for arguments in (["hand"], ["open"], ["open", "--csv"], ["nearest"]):
            status, out, err = run(*arguments, path)
            assert (status, out, err) == (2, "", f"trickcast: {path}: contains no hands\n")
    path, page = tmp_path / "only.csv", tmp_path / "page.html"
    path.write_text("deal\n")
    for command in ("estimate", "solve", "par", "evaluate", "report"):
        status, out, err = run(command, path, *(["-o", page] if command == "report" else []))
        assert (status, out, err) == (2, "", f"trickcast: {path}: contains no deals\n")
    assert not page.exists()
