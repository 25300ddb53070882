"""The page, as static files for any web host; ``serve`` is a server that includes the page."""

from .site import SiteError, write_site

__all__ = [
    "SiteError",
    "write_site",
]


def __dir__() -> list[str]:
    return __all__
