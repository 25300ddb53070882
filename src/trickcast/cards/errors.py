"""The error for text or arrays that are not a hand or a deal."""


class DealError(ValueError):
    """Report a hand, deal, card, seat or strain that is not valid.

    The message says what is wrong and where, and quotes the text. For an entry of a batch it gives
    the index.

    Example:
        >>> tc.Hand("AK.QJ.T9.8")
        Traceback (most recent call last):
            ...
        trickcast.cards.errors.DealError: hand 'AK.QJ.T9.8': 7 cards (expected 13)
    """


def cut(text: str, limit: int = 80) -> str:
    """Return text of somebody's for a message, without its middle where it is longer."""
    return text if len(text) <= limit else f"{text[: limit // 2]}…{text[-limit // 4 :]}"


def one_line(error: Exception, limit: int = 300) -> str:
    """Return what somebody's error says, in one line of characters that can be printed."""
    text = cut(" ".join(str(error).split()), limit)
    return "".join(c if c.isprintable() else shorten(c)[1:-1] for c in text) or type(error).__name__


def shorten(value: object, limit: int = 80) -> str:
    """Quote somebody's value for a message, cut in the middle: every message does it by this."""
    if isinstance(value, str):
        return repr(cut(value, limit))
    try:
        return cut(repr(value), limit)
    except ValueError:  # Python writes no whole number of more than 4,300 digits
        return f"a huge {type(value).__name__}"


def counted(count: int, noun: str) -> str:
    """Return ``1 deal``, ``2 deals``: a number and what there is of it."""
    return f"{count:,} {noun}" + "s" * (count != 1)
