"""The command that lists the models."""

import json

import click

from ..answers.networks import model_answer
from ..estimator import DEFAULT_MODEL
from ..estimator import models as shipped_models
from .deals import AsJson
from .evaluating import PARTS


def models(as_json: AsJson = False) -> None:
    """List the models that ship: size, accuracy, speed.

    Example: trickcast models
    """
    for info in shipped_models():
        if as_json:
            click.echo(json.dumps(model_answer(info)))
            continue
        click.echo(f"{info}{' (the default)' if info.name == DEFAULT_MODEL else ''}")
        for deals, found in info.accuracy.items():
            for part in ("suits", "N"):
                shares = " | ".join(f"{share:.2f}" for share in found[part])
                click.echo(f"  {PARTS[part]:<10}{shares}  ({deals} deals)")
        if info.speed:
            click.echo(f"  {info.speed}")
    if not as_json:
        click.echo("Percent of results estimated within two tricks | within one | exactly.")
