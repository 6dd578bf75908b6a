"""The command ``fovea``: the same program, from beside this file."""

from __future__ import annotations

import os
import sys


def main() -> None:
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fovea")
    os.execv(program, ["fovea", *sys.argv[1:]])


if __name__ == "__main__":
    main()
