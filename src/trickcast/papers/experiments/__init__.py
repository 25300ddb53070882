"""The papers, repeated: every network and table, ours beside the published.

A folder of ``papers`` for each declares its networks and tables as data; ``runner.reproduce``
trains and measures what is missing, and ``report.write_report`` puts it beside the published
figures. Needs torch.
"""
