# SPDX-License-Identifier: BSD-3-Clause
"""Many copies of a model that step side by side, with arrays in and out."""

from __future__ import annotations

import operator
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Mapping, Optional, Sequence, Union

import numpy as np

from ._gradient import _texts
from ._library import UsageError, library

if TYPE_CHECKING:
    from ._model import Model

RUNS, DONE, FAILED = range(3)


class Batch:
    """Copies of one model, each with the bytes of a single run.

    >>> model = ancora.load("examples/servo_drive/model.toml")
    >>> batch = model.batch(100, columns=["arm.angle"], parameters={"parameters.load": np.linspace(1, 2, 100)})
    >>> angles = batch.step(count=10)

    A copy that fails stays at its last step and says why, see :attr:`status`; the others go on.
    """

    def __init__(self, model: "Model", copies: int, inputs: Union[str, Sequence[str]],
                 columns: Union[str, Sequence[str]], parameters: Mapping[str, Sequence[float]], workers: int):
        self.num_copies = operator.index(copies)
        if self.num_copies < 1:
            raise UsageError(f"batch: there may be 1 and more copies, not {copies}")
        self.inputs, input_texts = _texts(inputs, "batch", "inputs")
        self.columns, column_texts = _texts(columns, "batch", "columns")
        keys, key_texts = _texts(list(parameters), "batch", "keys")
        values = np.empty((self.num_copies, len(keys)))
        for k, key in enumerate(keys):
            given = np.asarray(parameters[key], dtype=np.float64)
            if given.shape not in ((), (self.num_copies,)):
                raise UsageError(f"batch: {key} has the shape {given.shape}, for {self.num_copies} copies")
            values[:, k] = given
        self._session = model._session
        handle = c_void_p()
        self._handle = None
        self._session.call("batch_new", model._ready(), self.num_copies, key_texts, len(keys), _pointer(values),
                           input_texts, len(self.inputs), column_texts, len(self.columns),
                           operator.index(workers), byref(handle))
        self._handle = handle.value

    def __del__(self):
        self.close()

    def __enter__(self) -> "Batch":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __len__(self) -> int:
        return self.num_copies

    def close(self) -> None:
        """Gives the copies' memory back now."""
        if getattr(self, "_handle", None):
            library.ancora_batch_free(self._handle)
            self._handle = None

    def _call(self, name, *arguments):
        if self._handle is None:
            raise UsageError("the batch is closed")
        self._session.call(name, self._handle, *arguments)

    def step(self, inputs: Optional[Sequence] = None, count: int = 1,
             out: Optional[np.ndarray] = None) -> np.ndarray:
        """Takes steps of the grid in each copy, fewer where the end is reached.

        inputs : (copies, inputs) held from here on; (inputs,) for all alike; None: as they are
        count : how many steps
        out : (copies, columns) float64, contiguous, to be filled
        Returns (copies, columns) at the end.
        """
        given = None
        if inputs is not None:
            shape = (self.num_copies, len(self.inputs))
            given = np.asarray(inputs, dtype=np.float64)
            if given.shape not in (shape, shape[1:]):
                raise UsageError(f"step: inputs have the shape {given.shape}, not {shape} or {shape[1:]}")
            given = np.ascontiguousarray(np.broadcast_to(given, shape))
        out = self._room(out)
        self._call("batch_step", None if given is None else _pointer(given), operator.index(count), _pointer(out))
        return out

    def values(self, out: Optional[np.ndarray] = None) -> np.ndarray:
        """(copies, columns) now."""
        out = self._room(out)
        self._call("batch_columns", _pointer(out))
        return out

    def reset(self, which: Optional[Sequence[bool]] = None) -> None:
        """Back to the start: copies that are marked in (copies,), or all."""
        if which is None:
            self._call("batch_reset", None)
            return
        marks = np.ascontiguousarray(which, dtype=bool).astype(np.uint8)
        if marks.shape != (self.num_copies,):
            raise UsageError(f"reset: marks have the shape {marks.shape}, not ({self.num_copies},)")
        self._call("batch_reset", _pointer(marks))

    @property
    def status(self) -> np.ndarray:
        """(copies,): 0 where a copy runs, 1 where its end is reached, 2 where it has failed."""
        out = np.empty(self.num_copies, dtype=np.int32)
        self._call("batch_status", _pointer(out))
        return out

    def failure(self, copy: int) -> str:
        """Why a copy failed; empty if it did not."""
        if self._handle is None:
            raise UsageError("the batch is closed")
        return self._session.text("batch_failure", self._handle, operator.index(copy))

    def _room(self, out):
        shape = (self.num_copies, len(self.columns))
        if out is None:
            return np.empty(shape)
        if out.shape != shape or out.dtype != np.float64 or not out.flags.c_contiguous:
            raise UsageError(f"out is no contiguous array of float64 of the shape {shape}")
        return out


def _pointer(array):
    return array.ctypes.data_as(c_void_p)
