"""The server: the answers of the command line over HTTP, and the page. Needs the extra ``web``."""
