"""Answers as JSON: what the command line prints with ``--json`` and the server sends.

One function an answer, and a TypedDict that says what is in it.
"""
