"""The page, as static files for any web host; ``serve`` is the server, with the same page."""

from .._public import public_names
from .site import SiteError, write_site

__all__ = ["SiteError", "write_site"]

__dir__ = public_names(__name__)
