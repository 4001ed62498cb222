# SPDX-License-Identifier: BSD-3-Clause
"""Forces and constraints whose laws are Python functions, for prototypes."""

from __future__ import annotations

import re
from ctypes import c_double
from typing import Any, Callable, Optional

import numpy as np

from ._library import ConstraintCallback, ForceCallback, UsageError


def _name_of(function) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    return re.sub(r"[^A-Za-z0-9_]", "_", name).lstrip("_") or "law"


def _copied(address: int, count: int) -> np.ndarray:
    # a copy: what stands there belongs to the kernel, and a function may keep its arguments
    return np.frombuffer((c_double * (3 * count)).from_address(address)).reshape(count, 3).copy()


def _written(address: int, values: np.ndarray) -> None:
    np.frombuffer((c_double * values.size).from_address(address))[:] = values.ravel()


class ForceLaw:
    """A type of forces: a Python function of time, positions and velocities of points.

    >>> def spring(t, r, v):
    ...     return -40.0 * r - 0.5 * v
    >>> model.force("push", ancora.ForceLaw(spring), at="bar@[0.5, 0, 0]")

    function : ``function(t, r, v)`` with t in s, r (k, 3) in m and v (k, 3) in m/s of the k points that
        `at` of an object names, inertial axes; returns the forces on them (k, 3) in N, for one point
        also (3,). Left out where a class of your own overrides :meth:`force`.

    An object of it has `at`, a point or a list of points, and `work`: the heading of the ledger under
    which its work is recorded, "external" (applied loads) or "nonideal" (drives, drag, friction).

    The function is called at every evaluation: at instants by integrators on accelerations, in the
    middle of steps with mean velocities by those on steps, and six times per point more where a step asks
    how the force answers. The same arguments must give the same force: no counters, no memory of calls,
    since many calls are of trials that are thrown away. It may call nothing of the simulation. A call
    costs five to ten microseconds, fifty times what a force in C++ costs: a plugin takes the law over
    when it has proved itself.
    """

    def __init__(self, function: Optional[Callable[[float, np.ndarray, np.ndarray], Any]] = None):
        if function is not None:
            self.force = function

    def force(self, t: float, r: np.ndarray, v: np.ndarray) -> Any:
        """Forces (k, 3) [N] at time `t` on points at `r` (k, 3) that move with `v` (k, 3)."""
        raise NotImplementedError("override force(t, r, v), or give ForceLaw a function")

    @property
    def name(self) -> str:
        return _name_of(self.force) if "force" in self.__dict__ else type(self).__name__

    def _register(self, session, type_name: str):
        failures = session.failures

        def call(count, time, position, velocity, force, _):
            try:
                values = np.asarray(self.force(time, _copied(position, count), _copied(velocity, count)),
                                    dtype=np.float64)
                if values.shape != (count, 3) and not (count == 1 and values.shape == (3,)):
                    raise UsageError(f"the force law {type_name!r} returned an array of shape {values.shape}; "
                                     f"its force has the shape {(count, 3)}")
                _written(force, values)
                return 0
            except BaseException as error:  # passes through C, and is raised behind it
                failures.append(error)
                return 1

        callback = ForceCallback(call)
        session.call("session_add_force", session.handle, type_name.encode(), callback, None)
        return callback


class ConstraintLaw:
    """A type of constraints: a Python function of time and positions of points that stays zero.

    >>> def on_sphere(t, r):
    ...     return r[0] @ r[0] - 1.0
    >>> model.constraint("bowl", ancora.ConstraintLaw(on_sphere), at="ball@0")

    function : ``function(t, r)`` with r (k, 3) in m of the k points that `at` names; returns phi, `rows`
        numbers. Left out where a class of your own overrides :meth:`phi`.
    rows : how many conditions phi has
    depends_on_time : whether phi changes with t where nothing moves

    Derivatives are differences, twelve calls per point and more for each evaluation: slow, a few hundred
    microseconds a step. Steps keep phi = 0 and the energy to rounding all the same; momenta are kept as
    well as the differences are good, about 1e-12 of them.
    """

    def __init__(self, function: Optional[Callable[[float, np.ndarray], Any]] = None, rows: int = 1,
                 depends_on_time: bool = False):
        if function is not None:
            self.phi = function
        self.rows = int(rows)
        self.depends_on_time = bool(depends_on_time)

    def phi(self, t: float, r: np.ndarray) -> Any:
        """phi (rows,) at time `t` with the points at `r` (k, 3)."""
        raise NotImplementedError("override phi(t, r), or give ConstraintLaw a function")

    @property
    def name(self) -> str:
        return _name_of(self.phi) if "phi" in self.__dict__ else type(self).__name__

    def _register(self, session, type_name: str):
        failures = session.failures
        rows = self.rows

        def call(count, time, position, phi, _):
            try:
                values = np.asarray(self.phi(time, _copied(position, count)), dtype=np.float64)
                if values.size != rows:
                    raise UsageError(f"the constraint law {type_name!r} returned {values.size} numbers; it has "
                                     f"{rows} rows")
                _written(phi, values)
                return 0
            except BaseException as error:
                failures.append(error)
                return 1

        callback = ConstraintCallback(call)
        if rows < 1:
            raise UsageError(f"the constraint law {type_name!r} has {rows} rows")
        session.call("session_add_constraint", session.handle, type_name.encode(), rows,
                     int(self.depends_on_time), callback, None)
        return callback
