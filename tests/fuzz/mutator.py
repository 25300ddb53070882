"""Changed inputs, made from the corpus by a seeded generator of our own: no library has a part.

What is packed (gzip, the members of a zip) is changed inside and packed again, with right
checksums; numbers, words and lines are changed as such, and bytes as bytes.
"""

import gzip
import io
import json
import random
import re
import warnings
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from trickcast.dealing import random_deals
from trickcast.formats import write_stream

CORPUS = Path(__file__).with_name("corpus")
_LARGEST = 1 << 16
_NUMBERS = [b"0", b"-1", b"1", b"7", b"13", b"14", b"52", b"53", b"255", b"256", b"65536",
            b"2147483648", b"4294967296", b"18446744073709551616", b"1e999", b"-1e999", b"nan",
            b"inf", b"0.5", b"1e-320", b"13.0000000001", b"9" * 400, b"9" * 5000, b"0x10", b"1_0",
            "²".encode(), "٣".encode(), b"+1", b"00"]  # fmt: skip
_TOKENS = [b"\0", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\r", b"\n\n", b"\r\n", b"\t", b'"', b"'",
           b"{", b"}", b"[", b"]", b"(", b")", b"|", b";", b",", b"=", b"\\", b"%", b"#", b"$1",
           b"../", b"/dev/zero", b"null", b"true", b"NaN", b"\\u0000", b"\xed\xa0\x80", b"[" * 900,
           b"(" * 300, b"not " * 200, b" " * 3000, b"N:", b"...", b"AKQJT98765432", "♠".encode(),
           "\u202e".encode(), b"x" * 3000, b"?", b"any ", b"#[Event", b"md|", b"%7C"]  # fmt: skip
_JSON: list[Any] = [None, True, 0, -1, 5, 1e308, 10**30, "", "x" * 3000, [], {}, [[[[]]]], [1], "²",
                    "../x", {"a": 1}, "9" * 5000, 0.5]  # fmt: skip


def corpus_of(target: str) -> list[bytes]:
    """Return the inputs of a target, in the order of their names; without any what is written."""
    folder = CORPUS / target
    if folder.is_dir():
        return [path.read_bytes() for path in sorted(folder.iterdir())]
    written = io.BytesIO()
    write_stream([random_deals(3, seed=1)], written, target.removeprefix("format-"))
    return [written.getvalue()]


def mutated(chance: random.Random, corpus: Sequence[bytes]) -> bytes:
    """Return one input, made of one of the corpus by one to six changes."""
    data = chance.choice(corpus)
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4, 6))):
        data = _changed(chance, data, corpus)
    return data[:_LARGEST]


def _changed(chance: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    if chance.random() < 0.8:
        if data[:2] == b"PK":
            return _in_zip(chance, data, corpus)
        if data[:2] == b"\x1f\x8b":
            return _in_gzip(chance, data, corpus)
    if data[:1] in b"{[" and chance.random() < 0.5:
        return _in_json(chance, data)
    return chance.choice(_CHANGES)(chance, data, corpus)


def _place(chance: random.Random, data: bytes) -> tuple[int, int]:
    """Return the ends of a piece, short mostly."""
    start = chance.randint(0, len(data))
    return start, min(len(data), start + chance.choice((0, 1, 1, 2, 4, 8, 30, len(data))))


def _flip(chance: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    if not data:
        return b"\0"
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def _set(chance: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    at = chance.randint(0, len(data))
    put = bytes(chance.choice((0, 1, 127, 128, 255, chance.randrange(256))) for _ in range(
        chance.choice((1, 1, 2, 4, 8))))  # fmt: skip
    return data[:at] + put + data[at + len(put) :]


def _remove(chance: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    start, end = _place(chance, data)
    return data[:start] + data[end:]


def _repeat(chance: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    start, end = _place(chance, data)
    times = chance.choice((2, 2, 3, 10, 100))
    return (data[:start] + data[start:end] * times + data[end:])[:_LARGEST]


def _move(chance: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    start, end = _place(chance, data)
    rest = data[:start] + data[end:]
    at = chance.randint(0, len(rest))
    return rest[:at] + data[start:end] + rest[at:]


def _splice(chance: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    other = chance.choice(corpus)
    start, end = _place(chance, other)
    first, last = _place(chance, data)
    return data[:first] + other[start:end] + data[last:]


def _join(chance: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    other = chance.choice(corpus)
    return data[: chance.randint(0, len(data))] + other[chance.randint(0, len(other)) :]


def _insert(chance: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    start, end = _place(chance, data)
    end = chance.choice((start, end))
    return data[:start] + chance.choice(_TOKENS) + data[end:]


def _number(chance: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    numbers = [*re.finditer(rb"\d+", data)]
    if not numbers:
        return _insert(chance, data, corpus)
    chosen = chance.choice(numbers)
    return data[: chosen.start()] + chance.choice(_NUMBERS) + data[chosen.end() :]


def _word(chance: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    words = [*re.finditer(rb"[A-Za-z_]+", data)]
    others = re.findall(rb"[A-Za-z_]+", chance.choice(corpus))
    if not words or not others:
        return _insert(chance, data, corpus)
    chosen = chance.choice(words)
    return data[: chosen.start()] + chance.choice(others) + data[chosen.end() :]


def _lines(chance: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    lines = data.splitlines(keepends=True)
    lines += chance.choice(corpus).splitlines(keepends=True)[: chance.randint(0, 3)]
    kept = chance.sample(lines, chance.randint(0, len(lines)))
    return b"".join(kept if chance.random() < 0.5 else [line for line in lines if line in kept])


def _cut(chance: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    return data[: chance.randint(0, len(data))]


_CHANGES: list[Callable[[random.Random, bytes, Sequence[bytes]], bytes]] = [
    _flip, _flip, _set, _set, _remove, _repeat, _move, _splice, _splice, _join, _insert, _insert,
    _number, _number, _word, _word, _lines, _cut,
]  # fmt: skip


def _in_json(chance: random.Random, data: bytes) -> bytes:
    """Change one value of the first JSON text, or its key."""
    head, newline, rest = data.partition(b"\n")
    for text, tail in ((data, b""), (head, newline + rest)):
        try:
            whole = json.loads(text)
        except (ValueError, RecursionError):
            continue
        places: list[tuple[Any, Any]] = []
        todo = [whole]
        while todo:
            node = todo.pop()
            pairs = node.items() if isinstance(node, dict) else enumerate(node)
            for key, value in pairs:
                places.append((node, key))
                if isinstance(value, dict | list):
                    todo.append(value)
                elif isinstance(value, str) and value[:1] in ("{", "["):
                    inner = chance.choice((value[:-1], "null", "5", "[" * 900, "{}", "[1]"))
                    if chance.random() < 0.05:
                        node[key] = inner
                        return json.dumps(whole).encode() + tail
        if not places:
            return json.dumps(chance.choice(_JSON)).encode() + tail
        node, key = chance.choice(places)
        if isinstance(node, dict) and chance.random() < 0.3:
            value = node.pop(key)
            if chance.random() < 0.5:
                node[f"{key}x"] = value
        else:
            node[key] = chance.choice(_JSON)
        return json.dumps(whole).encode() + tail
    return data + b"]"


def _in_gzip(chance: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    try:
        inner = zlib.decompressobj(wbits=31).decompress(data, _LARGEST)
    except zlib.error:
        return _flip(chance, data, corpus)
    return gzip.compress(_changed(chance, inner, [inner]), mtime=0)


def _in_zip(chance: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """Change, leave out, rename, double or add a member."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as members:
            contents = [(name, members.read(name)) for name in members.namelist()]
    except Exception:
        return _flip(chance, data, corpus)
    if not contents:
        return data
    at = chance.randrange(len(contents))
    name, content = contents[at]
    match chance.randrange(8):
        case 0:
            del contents[at]
        case 1:
            contents[at] = (chance.choice(contents)[0], content)
        case 2:
            contents[at] = (name, chance.choice(contents)[1])
        case 3:
            contents.append((name[: chance.randint(0, len(name))] + chance.choice("_1x/"), content))
        case _:
            contents[at] = (name, chance.choice(_CHANGES)(chance, content, [content]))
    packed = io.BytesIO()
    way = chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA))
    way = chance.choice((zipfile.ZIP_STORED, way))
    with warnings.catch_warnings(), zipfile.ZipFile(packed, "w", way) as members:
        warnings.simplefilter("ignore")  # of names that stand twice
        for name, content in contents:
            members.writestr(zipfile.ZipInfo(name or "x"), content)
    return packed.getvalue()
