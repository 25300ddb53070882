"""Sphinx configuration of the site: ``make docs``."""

from importlib.metadata import version as installed
from pathlib import Path
from types import ModuleType
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import trickcast as tc
from trickcast.cli.app import build

SUBJECTS = {
    "cards": "Deals and hands",
    "formats": "Files",
    "dealing": "Dealing",
    "solver": "Exact results",
    "scoring": "Scores",
    "pars": "Par",
    "estimator": "Estimates",
    "played": "At the table",
    "pairs": "Two hands",
    "bidding": "Bidding",
    "simulation": "Hidden hands",
    "evaluators": "Hand strength",
}
"""The rooms with public names, in the order of the reference."""

project = "trickcast"
author = copyright = "The trickcast developers"
version = release = installed("trickcast")
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
html_theme = "furo"
html_title = "trickcast"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}
exclude_patterns = ["static"]
source_suffix = {".md": "myst-nb"}
highlight_language = "text"
pygments_style = "friendly"

myst_heading_anchors = 4
myst_linkify_fuzzy_links = False

# notebooks run in every build, and a failing one fails the build
nb_execution_mode = "force"
nb_execution_timeout = 240
nb_execution_raise_on_error = True
nb_merge_streams = True

autodoc_member_order = "bysource"
napoleon_use_rtype = False
napoleon_custom_sections = ["Source"]
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
maximum_signature_line_length = 80

# the copy button takes only the commands of a block, neither prompts nor output
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"

linkcheck_timeout = 20
linkcheck_anchors = False


class Commands(SphinxDirective):
    """The help of every command, each in a section of its own."""

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        sections = []
        for name, command in build([]).commands.items():
            context = command.context_class(
                command, info_name=f"trickcast {name}", terminal_width=80
            )
            helped = context.get_help()
            section = nodes.section(ids=[name], names=[name])
            section += nodes.title(text=name)
            section += nodes.literal_block(helped, helped, language="text")
            sections.append(section)
        return list(sections)


class Names(SphinxDirective):
    """A table of the names of ``trickcast`` for each subject, with a description of each."""

    def run(self) -> list[nodes.Node]:
        """Return the tables."""
        subjects: dict[str, list[str]] = {room: [] for room in SUBJECTS}
        for name in tc.__all__:
            value = getattr(tc, name)
            doc = (getattr(value, "__doc__", None) or "").partition("\n")[0].replace("|", "\\|")
            if isinstance(value, ModuleType):
                room = value.__name__.partition(".")[2]
                link = f"[`{name}`]({room}.md)"
            elif hasattr(value, "__module__"):
                room = value.__module__.split(".")[1]
                link = f"{{py:obj}}`{name} <trickcast.{room}.{name}>`"
                if not (Path(__file__).parent / f"reference/{room}.md").exists():
                    link = f"[`{name}`](trickcast.md)"
            else:
                continue  # a string, such as the version
            subjects.setdefault(room, []).append(f"| {link} | {doc} |")
        lines: list[str] = []
        for room, rows in subjects.items():
            if rows:
                heading = SUBJECTS.get(room, room)
                lines += [f"**{heading}**", "", "| name | what it is |", "|---|---|", *rows, ""]
        return self.parse_text_to_nodes("\n".join(lines))


def of_another_room(
    app: Sphinx, what: str, name: str, member: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out what the page's room only uses: it is on the page of its own room."""
    folder, _, room = app.env.docname.partition("/")
    home = getattr(member, "__module__", None)
    if folder != "reference" or what != "module" or not isinstance(home, str):
        return None
    return True if not f"{home}.".startswith(f"trickcast.{room}.") else None


def setup(app: Sphinx) -> None:
    """Add our directives and settings."""
    app.add_directive("trickcast-commands", Commands)
    app.add_directive("trickcast-names", Names)
    app.connect("autodoc-skip-member", of_another_room)
