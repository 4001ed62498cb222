# SPDX-License-Identifier: BSD-3-Clause
"""Results of runs: columns over time."""

from __future__ import annotations

import csv
import json
import os
from typing import Any, Dict, List, Mapping, Optional, Sequence

import numpy as np


class History:
    """Columns of a run over time.

    ``history["bar.x"]`` is an array (rows,); ``history.array`` (rows, columns); ``history.t`` (rows,) s.
    """

    def __init__(self, columns: Sequence[str], array: np.ndarray, units: Optional[Mapping[str, str]] = None):
        self.columns: List[str] = list(columns)
        self.array = array
        self.units: Dict[str, str] = dict(units or {})
        self._index = {name: i for i, name in enumerate(self.columns)}

    def __getitem__(self, column: str) -> np.ndarray:
        try:
            return self.array[:, self._index[column]]
        except KeyError:
            import difflib
            near = difflib.get_close_matches(column, self.columns, 1)
            raise KeyError(f"there is no column {column!r}" + (f"; did you mean {near[0]!r}?" if near else "")
                           ) from None

    def __contains__(self, column: str) -> bool:
        return column in self._index

    def __len__(self) -> int:
        return len(self.array)

    @property
    def t(self) -> np.ndarray:
        """Time [s]: (rows,)."""
        return self["t"]

    def to_pandas(self):
        """A pandas frame with t as its index; needs pandas."""
        import pandas
        frame = pandas.DataFrame(np.asarray(self.array), columns=self.columns)
        return frame.set_index("t") if "t" in self else frame

    def to_polars(self):
        """A polars frame; needs polars."""
        import polars
        return polars.DataFrame({name: self[name] for name in self.columns})

    def __repr__(self):
        return f"<History: {len(self)} rows of {len(self.columns)} columns>"


def _column(texts: Sequence[str]) -> np.ndarray:
    """Numbers (cases,) where all entries are some, with NaN where a case has none; else texts."""
    try:
        return np.array([float(x) if x else np.nan for x in texts])
    except ValueError:
        return np.array(texts, dtype=object)


class Cases(Mapping[str, np.ndarray]):
    """The table of a study that `ancora sweep` has written: its folder, or `cases.csv`.

    ``cases["force.spring.stiffness"]`` is an array (cases,); a number that a failed case does not have is
    NaN, and ``cases["message"]`` says why.
    """

    def __init__(self, folder: "os.PathLike[str] | str"):
        path = os.fspath(folder)
        if os.path.isdir(path):
            path = os.path.join(path, "cases.csv")
        with open(path, newline="", encoding="utf-8") as file:
            rows = csv.reader(file)
            #: names of the columns, in order
            self.columns: List[str] = next(rows, [])
            entries = list(rows)
        if any(len(row) != len(self.columns) for row in entries):
            raise ValueError(f"{path}: a line has not as many cells as the first")
        self._values = {name: np.array([row[i] for row in entries], dtype=object)
                        if name in ("exit", "message") else _column([row[i] for row in entries])
                        for i, name in enumerate(self.columns)}
        #: how many there are
        self.count: int = len(entries)

    def __getitem__(self, column: str) -> np.ndarray:
        return self._values[column]

    def __iter__(self):
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def to_pandas(self):
        """A pandas frame with the number of the case as its index; needs pandas. Its ``to_parquet()``
        writes Parquet where pyarrow is installed."""
        import pandas
        return pandas.DataFrame(self._values).astype({"case": int}).set_index("case")

    def to_polars(self):
        """A polars frame; needs polars. Its ``write_parquet()`` writes Parquet."""
        import polars
        return polars.DataFrame(self._values)

    def __repr__(self):
        return f"<Cases: {self.count} of {len(self.columns)} columns>"


class Results:
    """A folder that `ancora run`, or a record, has written."""

    def __init__(self, folder: "os.PathLike[str] | str"):
        self.folder = os.fspath(folder)
        with open(os.path.join(self.folder, "summary.json"), encoding="utf-8") as file:
            #: summary.json
            self.summary: Dict[str, Any] = json.load(file)
        with open(os.path.join(self.folder, "history.csv"), newline="", encoding="utf-8") as file:
            names = next(csv.reader(file))
            rows = [[float(x) for x in row] for row in csv.reader(file)]
        #: history.csv
        self.history = History(names, np.array(rows).reshape(len(rows), len(names)))

    def report(self, file=None):
        """The page of `ancora report`; shown by itself in Jupyter."""
        from ._simulation import Report
        return Report.of(self.folder, file)

    def __repr__(self):
        return f"<Results {self.folder!r}: {len(self.history)} rows>"
