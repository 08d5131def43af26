"""`python -m jitmdh …`."""

import sys

from jitmdh.cli import main

if __name__ == "__main__":
    sys.exit(main())
