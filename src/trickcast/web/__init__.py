"""The page: as static files for any web host, where the networks run in the browser."""

from .site import SiteError, write_site

__all__ = ["SiteError", "write_site"]
