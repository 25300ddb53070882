"""Judge the site's external links by the output of Sphinx's linkcheck.

    python docs/links.py build/links/output.json

Exits with status 1 if a link is broken. If no host could be reached, there is no network: the hosts
that were not checked are listed, which is not an error. A single host that is not found is one.
"""

import json
import sys
from pathlib import Path
from urllib.parse import urlsplit

_NO_HOST = ("NameResolutionError", "NewConnectionError", "ConnectTimeoutError", "ProxyError")


def main() -> None:
    """Print the verdict."""
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    links = [link for link in map(json.loads, lines) if urlsplit(link["uri"]).netloc]
    broken = [link for link in links if link["status"] in ("broken", "timeout")]
    unasked = [
        link
        for link in broken
        if link["status"] == "timeout" or any(name in link["info"] for name in _NO_HOST)
    ]
    if links and len(unasked) == len(links):
        hosts = sorted({urlsplit(link["uri"]).netloc for link in links})
        print(f"{len(links)} links not followed, no host can be reached from here:", *hosts)
        return
    for link in broken:
        print(f"{link['filename']}:{link['lineno']}: {link['uri']}: {link['info']}")
    print(f"{len(links)} links out of the site, {len(broken)} of them broken")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
