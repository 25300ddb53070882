"""The server: the command line's answers over HTTP, and the page. Needs the extra ``web``."""
