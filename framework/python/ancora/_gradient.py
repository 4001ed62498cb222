# SPDX-License-Identifier: BSD-3-Clause
"""What results depend on: derivatives by parameters, and parameters from measured motion."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_int32, c_size_t, c_void_p
from typing import Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._library import UsageError

_VALUES, _PARAMETERS, _DERIVATIVES, _ERRORS = range(4)
_FIT_PARAMETERS, _FIT_DEVIATIONS, _FIT_CORRELATION, _FIT_LEFT, _FIT_FITTED = range(5)


class Gradient(NamedTuple):
    """Derivatives of numbers of a run by parameters of its model."""

    of: List[str]  #: numbers of the run, as they were asked for
    by: List[str]  #: keys of the model, those of sensitive parameters in place of an object
    values: np.ndarray  #: (of,) of the model as it stands
    parameters: np.ndarray  #: (by,) likewise
    derivatives: np.ndarray  #: (of, by) SI; NaN where there is none
    errors: np.ndarray  #: (of, by) estimated
    remarks: Dict[Tuple[str, str], str]  #: by (of, by): why there is none, or what to know

    @property
    def relative(self) -> np.ndarray:
        """(of, by): p / J dJ/dp, the change in percent for one percent."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.derivatives * self.parameters / self.values[:, None]


class Fit(NamedTuple):
    """Parameters with which a model's motion is nearest to what was measured."""

    by: List[str]  #: keys of the model
    values: np.ndarray  #: (by,) SI
    deviations: np.ndarray  #: (by,) standard deviations; NaN where the data do not tell
    correlation: np.ndarray  #: (by, by) of the errors of the values
    left: Dict[str, float]  #: root mean square of what is left of each column
    fitted: Dict[str, np.ndarray]  #: (times,) the model's columns with these values
    has_converged: bool
    remark: str  #: empty, or what to know

    def parameters(self) -> Dict[str, float]:
        """As ``Model.simulate`` and ``model.update`` take them."""
        return dict(zip(self.by, self.values.tolist()))


def _texts(names: Union[str, Sequence[str]], call: str, what: str):
    names = [names] if isinstance(names, str) else list(names)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{call}: {what} are texts, not {name!r}")
    return names, (ctypes.c_char_p * len(names))(*(name.encode() for name in names))


def _filled(session, call, handle, which):
    count = c_size_t()
    session.call(call, handle, which, None, 0, byref(count))
    out = np.zeros(count.value)
    session.call(call, handle, which, out.ctypes.data_as(c_void_p), out.size, None)
    return out


def gradient(session, handle, of, by, workers: int) -> Gradient:
    of, of_texts = _texts(of, "gradient", "numbers of the run")
    by, by_texts = _texts(by, "gradient", "keys")
    session.call("gradient", handle, of_texts, len(of), by_texts, len(by), workers)
    parameters = _filled(session, "gradient_values", handle, _PARAMETERS)
    by = [session.text("gradient_key", handle, k) for k in range(parameters.size)]
    shape = (len(of), len(by))
    remarks = {}
    for i, one in enumerate(of):
        for k, key in enumerate(by):
            text = session.text("gradient_remark", handle, i, k)
            if text:
                remarks[one, key] = text

    def numbers(which):
        return _filled(session, "gradient_values", handle, which)

    return Gradient(of, by, numbers(_VALUES), parameters, numbers(_DERIVATIVES).reshape(shape),
                    numbers(_ERRORS).reshape(shape), remarks)


def fit(session, handle, time, columns: Mapping[str, Sequence[float]], by, workers: int) -> Fit:
    if isinstance(by, Mapping):
        by = [key if bounds is None else f"{key}={_bound(bounds[0])}:{_bound(bounds[1])}"
              for key, bounds in by.items()]
    by, by_texts = _texts(by, "fit", "keys")
    names, name_texts = _texts(list(columns), "fit", "columns")
    t = np.ascontiguousarray(time, dtype=np.float64)
    if t.ndim != 1:
        raise UsageError("fit: time is no array of numbers")
    measured = np.empty((t.size, len(names)))
    for c, name in enumerate(names):
        values = np.asarray(columns[name], dtype=np.float64)
        if values.shape != t.shape:
            raise UsageError(f"fit: {name} has the shape {values.shape}, time has {t.shape}")
        measured[:, c] = values
    session.call("fit", handle, t.ctypes.data_as(c_void_p), t.size, name_texts, len(names),
                 measured.ctypes.data_as(c_void_p), by_texts, len(by), workers)
    has_converged = c_int32()
    count = c_size_t()
    session.call("fit_remark", handle, byref(has_converged), None, 0, byref(count))
    buffer = ctypes.create_string_buffer(count.value + 1)
    session.call("fit_remark", handle, None, buffer, len(buffer), None)

    def numbers(which):
        return _filled(session, "fit_values", handle, which)

    fitted = numbers(_FIT_FITTED).reshape(measured.shape)
    return Fit([key.partition("=")[0] for key in by], numbers(_FIT_PARAMETERS), numbers(_FIT_DEVIATIONS),
               numbers(_FIT_CORRELATION).reshape(len(by), len(by)),
               dict(zip(names, numbers(_FIT_LEFT).tolist())),
               {name: fitted[:, c].copy() for c, name in enumerate(names)},
               bool(has_converged.value), buffer.value.decode())


def _bound(value: Optional[float]) -> str:
    return "" if value is None else repr(float(value))
