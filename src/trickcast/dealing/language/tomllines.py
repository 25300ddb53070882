"""The line of each key in a TOML text, which ``tomllib`` does not give."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_HEADER = re.compile(r"\s*\[\[?([^\[\]]+)\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*("[^"]*"|'[^']*'|[\w-]+)\s*=""")
_OPEN, _CLOSE = "[{", "]}"


@dataclass
class Section:
    """A table of the file: its header's name, its line, and the lines of its keys."""

    name: str
    line: int
    keys: dict[str, int] = field(default_factory=dict)

    def line_of(self, key: str | None) -> int:
        """Return the line of a key, or of the header if there is no such key."""
        return self.line if key is None else self.keys.get(key, self.line)


def sections(text: str) -> list[Section]:
    """Return the tables of a valid TOML text in order; the first is everything before them."""
    tables = [Section("", 1)]
    for number, line in _outside_values(text):
        header, key = _HEADER.match(line), _KEY.match(line)
        if header:
            name = "".join(header[1].split()).replace('"', "").replace("'", "")
            tables.append(Section(name, number))
        elif key:
            tables[-1].keys.setdefault(key[1].strip("\"'"), number)
    return tables


def _outside_values(text: str) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines that do not begin inside an array or a multi-line string."""
    quote, depth = "", 0  # the delimiter of the current string; open brackets
    for number, line in enumerate(text.split("\n"), start=1):
        if not quote and not depth:
            yield number, line
        position = 0
        while position < len(line):
            triple, character = line[position : position + 3], line[position]
            if quote:
                if character == "\\" and quote[0] == '"':
                    position += 1  # the character after it is part of the string
                elif line.startswith(quote, position):
                    position += len(quote) - 1
                    quote = ""
            elif triple in ('"""', "'''"):
                quote = triple
                position += 2
            elif character in "\"'":
                quote = character
            elif character == "#":
                break
            else:
                depth += (character in _OPEN) - (character in _CLOSE)
            position += 1
