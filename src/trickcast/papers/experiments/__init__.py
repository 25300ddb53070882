"""Repetition of the papers: every network and table, with ours beside the published.

Each paper has a folder in ``papers`` that declares its networks and tables as data.
``runner.reproduce`` trains and measures what is missing, and ``pages.write_report`` puts it beside
the published figures. Needs torch.
"""
