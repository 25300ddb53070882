"""The error for text or arrays that are not a hand or a deal, and what all notes have in common."""

import operator
from typing import Any


class DealError(ValueError):
    """Report a hand, deal, card, seat or strain that is not valid.

    The message says what is wrong and where, and quotes the text. In a batch it gives the index
    of the entry.

    Example:
        >>> tc.Hand("AK.QJ.T9.8")
        Traceback (most recent call last):
            ...
        trickcast.cards.errors.DealError: hand 'AK.QJ.T9.8': 7 cards (expected 13)
    """


class NoteWarning(UserWarning):
    """Tell users what they should know, and what changes nothing else.

    Commands print it as a note, and the server sends it among the ``notes`` of an answer.
    """


def cut(text: str, limit: int = 80) -> str:
    """Return a text for a message, without its middle if it is long.

    Args:
        text: Text from outside.
        limit: Longest length left uncut, in characters.

    Returns:
        The text, or its first half and last quarter.

    Example:
        >>> cut("♠" * 9, limit=8)
        '♠♠♠♠…♠♠'
    """
    return text if len(text) <= limit else f"{text[: limit // 2]}…{text[-limit // 4 :]}"


def one_line(error: Exception, limit: int = 300) -> str:
    """Return the text of an outside error as one line of printable characters."""
    text = cut(" ".join(str(error).split()), limit)
    return "".join(c if c.isprintable() else shorten(c)[1:-1] for c in text) or type(error).__name__


def shorten(value: object, limit: int = 80) -> str:
    """Return a value quoted for a message, without its middle if it is long.

    Args:
        value: Value from outside.
        limit: Longest length left uncut, in characters.

    Returns:
        The value's ``repr``, cut.

    Example:
        >>> shorten("♠" * 9, limit=8)
        "'♠♠♠♠…♠♠'"
    """
    if isinstance(value, str):
        return repr(cut(value, limit))
    try:
        return cut(repr(value), limit)
    except ValueError:  # Python refuses to print integers of more than 4,300 digits
        return f"a huge {type(value).__name__}"


def checked_whole(number: Any, name: str, least: int | None = None) -> int:
    """Return a whole number as an int.

    Args:
        number: Value from outside.
        name: Its name in messages.
        least: Smallest number allowed.

    Returns:
        The number.

    Raises:
        TypeError: It is not a whole number.
        ValueError: It is below ``least``.

    Example:
        >>> checked_whole(0, "workers", 1)
        Traceback (most recent call last):
            ...
        ValueError: workers is 0 (expected 1 or more)
    """
    try:
        whole = operator.index(number)
    except TypeError:
        raise TypeError(f"{name} is {shorten(number)} (expected a whole number)") from None
    if least is not None and whole < least:
        raise ValueError(f"{name} is {shorten(whole)} (expected {least} or more)")
    return whole


def checked_number(number: Any, name: str) -> float:
    """Return a number as a float.

    Args:
        number: Value from outside.
        name: Its name in messages.

    Returns:
        The number.

    Raises:
        TypeError: It is not a number, but text for example.

    Example:
        >>> checked_number("0.8", "share")
        Traceback (most recent call last):
            ...
        TypeError: share is '0.8' (expected a number)
    """
    try:
        if isinstance(number, str | bytes):  # float would read it
            raise TypeError
        return float(number)
    except TypeError:
        raise TypeError(f"{name} is {shorten(number)} (expected a number)") from None


def counted(count: int, noun: str) -> str:
    """Return a number and its noun, in the plural unless the number is one.

    Args:
        count: The number.
        noun: The noun in the singular.

    Returns:
        Text such as ``1 deal`` or ``2,000 deals``.

    Example:
        >>> counted(1, "deal"), counted(2000, "deal")
        ('1 deal', '2,000 deals')
    """
    return f"{count:,} {noun}" + "s" * (count != 1)
