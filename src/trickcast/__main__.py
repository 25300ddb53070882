"""``python -m trickcast``."""

from .cli import main

if __name__ == "__main__":
    main()
