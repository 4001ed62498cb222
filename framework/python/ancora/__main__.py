# SPDX-License-Identifier: BSD-3-Clause
"""``python3 -m ancora optimise STUDY.toml``."""

import sys

from ._optimise import main

if __name__ == "__main__":
    if sys.argv[1:2] != ["optimise"]:
        sys.exit("usage: python3 -m ancora optimise STUDY.toml [OPTION]...")
    sys.exit(main(sys.argv[2:]))
