"""The command that writes the page as static files."""

from pathlib import Path
from typing import Annotated

import click

from .command import Argument, Option
from .inputs import CommandError


def site(
    folder: Annotated[
        Path, Argument(metavar="FOLDER", help="New folder, or folder of an older site.")
    ],
    address: Annotated[
        str | None,
        Option(metavar="URL", help="Address of the site, for what others show of a link to it."),
    ] = None,
) -> None:
    """Write the page as static files for any web host.

    Example: trickcast site tricks
    """
    from ..web import SiteError, write_site

    try:
        written = write_site(folder, address)
    except SiteError as error:
        raise CommandError(str(error)) from None
    megabytes = sum((folder / name).stat().st_size for name in written) / 1e6
    click.echo(f"{folder}: {len(written)} files, {megabytes:.0f} MB; put them on any web host,")
    click.echo(f"or serve them here: python -m http.server --bind 127.0.0.1 --directory {folder}")
