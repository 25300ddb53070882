"""The command that lists the models."""

import json

import click

from ..estimator import DEFAULT_MODEL
from ..questions.models import ModelsQuestion
from .deals import AsJson
from .evaluating import PARTS


def models(question: ModelsQuestion, as_json: AsJson = False) -> None:
    """Show each model."""
    for info in question.ask():
        if as_json:
            click.echo(json.dumps(question.answer(info)))
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
