"""The error for text or arrays that are not a hand or a deal."""


class DealError(ValueError):
    """A hand, deal, card, seat or strain that is not one.

    The message says what is wrong, at which card or seat, and quotes the text; a bad item of a
    batch is named by its index.
    """


def shorten(text: str, limit: int = 80) -> str:
    """Quote ``text`` for a message, cut in the middle when longer than ``limit`` characters."""
    if len(text) > limit:
        text = f"{text[: limit // 2]}…{text[-limit // 4 :]}"
    return repr(text)
