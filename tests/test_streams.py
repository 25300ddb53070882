"""No text from a file steers the terminal that it is shown on."""

import io
import subprocess
import sys

from trickcast.cli.standard_streams import SafeOutput

STEERING = "\x1b]0;title\x07\x1b[2J\x9b2K\u202eevil\x00\x7f\r"


def written(text: str, terminal: bool = False) -> str:
    class Raw(io.BytesIO):
        def isatty(self) -> bool:
            return terminal

    raw = Raw()
    output = SafeOutput(raw, "utf-8", "backslashreplace")
    print(text, end="", file=output, flush=True)
    return raw.getvalue().decode()


def test_what_steers_is_escaped_and_all_else_is_written_as_it_is() -> None:
    for terminal in (False, True):
        shown = written(STEERING, terminal)
        assert shown.isprintable() and "\\x1b[2J" in shown and "\\u202e" in shown
        plain = "♠ AKQ\tZoë\n\r\nnaïve 東"
        assert written(plain, terminal) == plain
    colour = "\x1b[1mbold\x1b[0m"
    assert written(colour, terminal=True) == colour and "\x1b" not in written(colour)


def test_our_own_bars_may_steer() -> None:
    raw = io.BytesIO()
    output = SafeOutput(raw, "utf-8")
    output.steering.write("\x1b[2K")
    output.steering.flush()
    assert raw.getvalue() == b"\x1b[2K"


def test_labels_of_a_script_and_errors_steer_nothing(tmp_path) -> None:
    script = tmp_path / "x.dl"
    script.write_text('produce 3\naction average "a\x07b" hcp(north)\n')
    deal = [sys.executable, "-m", "trickcast", "deal", "--script", str(script)]
    missing = [sys.executable, "-m", "trickcast", "estimate", "no\x07file.pbn"]
    for command in (deal, missing):
        ended = subprocess.run(command, capture_output=True, text=True)
        assert "\x07" not in ended.stdout + ended.stderr
        assert "\\x07" in ended.stdout + ended.stderr
