# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the Python module share."""

import os
import pathlib
import sys

try:
    import numpy  # noqa: F401
except ImportError:
    print("skipped: there is no numpy; Debian's package is python3-numpy")
    sys.exit(77)

SOURCE = pathlib.Path(os.environ["ANCORA_TEST_SOURCE_DIR"])
COMMAND = os.environ["ANCORA_TEST_BIN"]
BUILD = pathlib.Path(os.environ["ANCORA_BUILD_DIR"])
