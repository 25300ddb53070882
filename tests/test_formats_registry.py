"""Reading and writing through the registry: recognised, streamed, whole or not at all."""

import errno
import io
import os
import stat
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import trickcast as tc
from trickcast._files import atomic_writer
from trickcast.cards import Board, Deal, DealSet, Seat, Tag
from trickcast.dealing import random_deals
from trickcast.formats import (
    FORMATS,
    FormatError,
    FormatWarning,
    find_format,
    format_of,
    format_to_write,
    iter_deals,
    read,
    write,
    write_stream,
)
from trickcast.formats.board_text import numbered

DEALS = random_deals(40, seed=3)
TRICKS = np.random.default_rng(3).integers(0, 14, (40, 5, 4)).astype(np.uint8)
SOLVED = DEALS.with_tricks(TRICKS)
WRITABLE = [name for name, form in FORMATS.items() if form.write is not None]


def as_written(deals: DealSet, name: str) -> DealSet:
    """The deals as a format holds them: as boards, where it holds boards."""
    return next(numbered([deals])) if FORMATS[name].boards else deals


def test_formats_that_must_be_there() -> None:
    assert set(FORMATS) == {
        "pbn", "lin", "gib", "gib-binary", "text", "zrd", "csv", "parquet", "jps", "pgx",
        "dds-list", "hand2vec", "rbn", "links", "ben", "diagram", "json", "bri", "dup",
    }  # fmt: skip
    assert set(FORMATS) - set(WRITABLE) == {
        "jps", "pgx", "dds-list", "hand2vec", "rbn", "links", "ben", "diagram",
    }  # fmt: skip
    assert tc.read is read and tc.write is write


def test_whatever_is_deals_is_written(tmp_path: Path) -> None:
    for deals in (DEALS[0], DEALS[0].pbn, [DEALS[0]], DEALS.owners[:1]):
        write(deals, tmp_path / "x.pbn")
        assert read(tmp_path / "x.pbn") == as_written(DEALS[:1], "pbn")


@pytest.mark.parametrize("name", WRITABLE)
def test_every_writable_format_by_suffix_and_by_content(name: str, tmp_path: Path) -> None:
    form = FORMATS[name]
    deals = as_written(SOLVED if form.tricks else DEALS, name)
    path = tmp_path / f"x{form.suffixes[0].upper()}"
    write(deals, path, name)
    assert read(path) == deals and format_of(path) is form
    assert read(str(path), name.upper()) == deals
    nameless = path.rename(tmp_path / "nameless")
    if name == "gib-binary":  # nothing tells it from other bytes
        assert read(nameless, name) == deals
    else:
        assert read(nameless) == deals and format_of(nameless) is form


def test_what_is_no_file_of_bytes_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.pbn"
    tc.write(tc.random_deals(1, seed=1), path)
    with path.open() as file, pytest.raises(TypeError, match="open as text .expected its path"):
        tc.read(file)
    with pytest.raises(TypeError, match="int is not a file .expected a path or a stream of bytes"):
        tc.read(5)


@pytest.mark.parametrize("name", WRITABLE)
def test_streams_that_cannot_seek(name: str) -> None:
    deals = as_written(SOLVED if FORMATS[name].tricks else DEALS, name)
    out = io.BytesIO()
    write_stream((deals[i : i + 7] for i in range(0, 40, 7)), out, name)
    out_end, in_end = os.pipe()
    with os.fdopen(out_end, "rb", buffering=0) as pipe:
        feeder = threading.Thread(target=_feed, args=(in_end, out.getvalue()))
        feeder.start()
        parts = list(iter_deals(pipe, name, chunk=16))
        feeder.join()
    if name == "text":  # answers what has come
        assert max(map(len, parts)) <= 16
    else:
        assert [len(part) for part in parts] == [16, 16, 8]
    assert DealSet.concatenate(parts) == deals


def _feed(descriptor: int, data: bytes) -> None:
    with os.fdopen(descriptor, "wb") as pipe:
        for i in range(0, len(data), 1000):  # as a slow program would
            pipe.write(data[i : i + 1000])
            pipe.flush()


def test_text_files_are_sniffed(tmp_path: Path) -> None:
    write(SOLVED, tmp_path / "gib.txt")
    assert format_of(tmp_path / "gib.txt").name == "gib"
    write(SOLVED, tmp_path / "pbn.txt", "pbn")
    assert read(tmp_path / "pbn.txt") == as_written(SOLVED, "pbn")
    (tmp_path / "notes.txt").write_text("buy milk\n")
    with pytest.raises(FormatError, match="notes.txt: unknown content") as told:
        read(tmp_path / "notes.txt")
    assert "names one: ben, gib, diagram, text, dds-list; --from text skips invalid lines)" in str(
        told.value
    )


@pytest.mark.parametrize("name", ["results.csv", "results.txt", "results"])
def test_travellers_are_named_as_such(tmp_path: Path, name: str) -> None:
    for header in (
        "board,ns,ew,contract,declarer,lead,result",
        '"Board No";"Score"',
        "number\tscore",
    ):
        (tmp_path / name).write_text(f"{header}\n1,1,4,4H,N,DQ,10\n", "utf-8-sig")
        with pytest.raises(
            FormatError, match=f"{name}: travellers without cards .*session and rep"
        ):
            read(tmp_path / name)


def test_content_that_contradicts_the_suffix(tmp_path: Path) -> None:
    path = tmp_path / "x.pbn"
    write(SOLVED, path, "gib")
    with pytest.raises(FormatError) as raised:
        read(path)
    assert str(raised.value) == (
        f"{path}: looks like GIB library, text, not Portable Bridge Notation as .pbn says "
        '(to read it as such, pass format="gib" or --from gib)'
    )
    assert read(path, "gib") == SOLVED


def test_empty_files(tmp_path: Path) -> None:
    for name in ("x.pbn", "x.txt", "x.zrd", "x", "x.parquet"):
        path = tmp_path / name
        path.touch()
        for read_it in (read, format_of, lambda p: read(p, "pbn")):
            with pytest.raises(FormatError, match=f"{name}: the file is empty"):
                read_it(path)
    with pytest.raises(FormatError, match="standard input: the file is empty"):
        next(iter_deals(io.BytesIO()))


def test_binary_rubbish(tmp_path: Path) -> None:
    rubbish = np.random.default_rng(0).bytes(100_000)
    for suffix in ("", *sorted({s for form in FORMATS.values() for s in form.suffixes})):
        path = tmp_path / f"rubbish{suffix}"
        path.write_bytes(rubbish)
        with pytest.raises(FormatError) as raised:
            read(path)
        assert str(raised.value).startswith(f"{path}: ") and len(str(raised.value)) < 500
        found = [form for form in FORMATS.values() if suffix in form.suffixes]
        if found and all(form.text for form in found):
            expected = " or ".join(form.title for form in found)
            assert str(raised.value) == f"{path}: not a text file (expected {expected})"


@pytest.mark.parametrize("suffix", [".pbn", ".lin", ".txt", ".csv", ".zrd", ""])
def test_a_line_of_a_hundred_megabytes(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{suffix}"
    with path.open("wb") as file:
        file.truncate(100_000_000)  # zeros, without taking the room
        file.write(b"N:AKQ ")
    with pytest.raises(FormatError):
        read(path)
    for name in ("pbn", "lin"):
        with pytest.raises(FormatError, match="line 1"):
            read(path, name)


def test_what_the_operating_system_says(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        read(tmp_path)
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "missing.pbn")
    with pytest.raises(IsADirectoryError):
        write(DEALS, tmp_path, "pbn")
    with pytest.raises(FileNotFoundError) as raised:
        write(DEALS, tmp_path / "missing" / "x.pbn")
    assert raised.value.filename == str(tmp_path / "missing" / "x.pbn")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may do everything")
def test_no_permission(tmp_path: Path) -> None:
    path = tmp_path / "x.pbn"
    write(DEALS, path)
    path.chmod(0o400)
    with pytest.raises(PermissionError):
        write(DEALS, path)
    path.chmod(0)
    with pytest.raises(PermissionError):
        read(path)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("name", [name for name in WRITABLE if name != "parquet"])
def test_full_disk(name: str) -> None:
    deals = SOLVED if FORMATS[name].tricks else DEALS
    for some in (deals, deals[:1]):  # found while writing, or only at the end
        with pytest.raises(OSError) as raised:
            write(some, "/dev/full", name)
        assert raised.value.errno == errno.ENOSPC


def test_names_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="'bpn' is not a format .* did you mean pbn"):
        find_format("bpn")
    with pytest.raises(FormatError, match=r"x.xyz: unknown suffix \(expected one of"):
        format_to_write(tmp_path / "x.xyz")
    with pytest.raises(FormatError, match="can only be read"):
        format_to_write("x.npy")
    with pytest.raises(FormatError, match=r"\(pgx\) can only be read"):
        write(DEALS, tmp_path / "x", "pgx")
    with pytest.raises(FormatError, match="the output has no suffix: choose its format"):
        write_stream([DEALS], io.BytesIO())
    with pytest.raises(ValueError, match="chunk is 0"):
        next(iter_deals("x.pbn", chunk=0))
    assert list(tmp_path.iterdir()) == []


def test_formats_to_write_are_those_that_can_be_written(tmp_path: Path) -> None:
    names = ", ".join(WRITABLE)
    for form in ("foo", "npg"):
        with pytest.raises(FormatError) as raised:
            write(DEALS, tmp_path / "x", form)
        assert str(raised.value) == f"{form!r} is not a format (expected one of {names})"
    with pytest.raises(FormatError, match=r"did you mean pbn\?"):
        write(DEALS, tmp_path / "x", "bpn")


NOTHING = Tag("Site", "?")


@pytest.mark.parametrize(
    ("board", "words"),
    [
        (Board(tags=(Tag("", "", ("% a file",)),)), "comments"),
        (Board(contract="4S", tags=(Tag("Contract", "4S", ("{why}",)),)), "contract, comments"),
        (Board(tags=(NOTHING, Tag("Deal", "", ("; odd",)))), "comments"),
        (Board(tags=(Tag("", "", ("{of two", "lines}")),)), "comments"),
        (Board(tags=(NOTHING, Tag("Event", "Cup"))), "Event"),
        (Board(tags=(Tag("Event", "Cup", ("{of 1999}",)),)), "Event, comments"),
        (Board(tags=(Tag("Contract", "9S"),)), "Contract"),
        (Board(tags=(Tag("ScoreTable", "Rank", ("1", "2")),)), "ScoreTable"),
        (Board(auction=("1C",), explanations=((0, "strong"),), lin=(("an", "strong"),)),
         "auction, explanations of calls, LIN codes"),
        (Board(tags=tuple(Tag(seat, "A") for seat in ("North", "South", "North"))), "North, South"),
        (Board(tags=tuple(Tag(f"T{i}", "A") for i in range(21))),
         f"{', '.join(f'T{i}' for i in range(20))} and 1 more"),
        (Board(tags=(NOTHING,)), None),
    ],
)  # fmt: skip
def test_losses_are_said_in_words_for_people(
    board: Board, words: str | None, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    write(DealSet(DEALS.owners[:1], None, [board]), tmp_path / "x.gib")
    said = [str(warning.message).partition("what boards say ")[2] for warning in recwarn]
    assert said == ([] if words is None else [f"({words}) of 1 deal"])


def test_losses_are_said_once(tmp_path: Path) -> None:
    boards = [Board(number=i, dealer=Seat.NORTH) for i in range(40)]
    full = DealSet(DEALS.owners, TRICKS, boards)
    with pytest.warns(FormatWarning) as said:
        write(full, tmp_path / "x.lin")
    assert [str(w.message) for w in said] == [
        f"{tmp_path / 'x.lin'}: lin cannot store, and leaves out, the known tricks of 40 deals"
    ]
    with pytest.warns(FormatWarning) as said:
        write_stream([full[:30], full[30:]], tmp_path / "x.zrd")
    assert [str(w.message) for w in said] == [
        f"{tmp_path / 'x.zrd'}: zrd cannot store, and leaves out, "
        "what boards say (number, dealer) of 40 deals"
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write(full, tmp_path / "x.pbn")


# --- whole or not at all -----------------------------------------------------------------------


class Trouble(Exception):
    pass


@pytest.mark.parametrize("error", [Trouble, KeyboardInterrupt])
def test_nothing_half_written(error: type[BaseException], tmp_path: Path) -> None:
    def interrupted() -> Iterator[DealSet]:
        yield DEALS
        raise error

    path = tmp_path / "x.pbn"
    path.write_text("before")
    with pytest.raises(error):
        write_stream(interrupted(), path)
    assert path.read_text() == "before" and list(tmp_path.iterdir()) == [path]


def test_replacing_keeps_mode_and_link(tmp_path: Path) -> None:
    path, link = tmp_path / "x.pbn", tmp_path / "link.pbn"
    path.write_text("before")
    path.chmod(0o640)
    link.symlink_to(path.name)
    write(DEALS, link)
    assert link.is_symlink() and not path.is_symlink()
    assert read(path) == as_written(DEALS, "pbn") and stat.S_IMODE(path.stat().st_mode) == 0o640
    with atomic_writer(tmp_path / "new") as file:
        file.write(b"x")
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o666 & ~umask


def test_a_full_disk_is_told_with_the_files_name(tmp_path: Path, monkeypatch) -> None:
    resource = pytest.importorskip("resource")
    path = tmp_path / "x.zrd"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.raises(OSError, match="too large") as limited:
            write(SOLVED, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as caught:
        write(SOLVED, path)
    assert limited.value.filename == caught.value.filename == str(path)
    assert str(caught.value).endswith(f": {str(path)!r}") and not list(tmp_path.iterdir())


def test_errors_of_the_temporary_file_name_the_target_and_others_stay(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with pytest.raises(OSError, match="x'$") as taken, atomic_writer(path):
        path.mkdir()
    assert taken.value.filename == str(path)
    path.rmdir()
    with pytest.raises(FileNotFoundError, match="other") as other, atomic_writer(path):
        (tmp_path / "other").open()
    assert other.value.filename != str(path)
    with pytest.raises(OSError, match=r"^in words$"), atomic_writer(path):
        raise OSError("in words")
    assert not list(tmp_path.iterdir())


def test_pipes_are_written_to_directly(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    got: list[DealSet] = []
    reader = threading.Thread(target=lambda: got.append(read(path, "zrd")))
    reader.start()
    write(SOLVED, path, "zrd")
    reader.join()
    assert got == [SOLVED] and stat.S_ISFIFO(path.stat().st_mode)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no /dev/fd here")
def test_standard_output_by_its_path() -> None:
    out_end, in_end = os.pipe()  # the name of a pipe under /dev/fd links to no path at all
    write(SOLVED[:5], f"/dev/fd/{in_end}", "zrd")
    os.close(in_end)
    with os.fdopen(out_end, "rb") as pipe:
        assert DealSet.concatenate(iter_deals(pipe, "zrd")) == SOLVED[:5]


def test_real_files(shared: Path) -> None:
    known = {"boards": {"pbn", "lin"}, "dds": {"dds-list"}, "gib": {"gib"}, "solved": {"zrd"}}
    for folder, names in known.items():
        files = [
            p for p in (shared / "data" / folder).iterdir() if p.is_file() and p.suffix != ".json"
        ]
        assert {format_of(path).name for path in files} == names
    assert read(shared / "data" / "gib" / "sol10.txt")[0] == Deal(
        "W:T5.K4.652.A98542 K6.QJT976.QT7.Q6 432.A.AKJ93.JT73 AQJ987.8532.84.K"
    )
