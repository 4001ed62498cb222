# SPDX-License-Identifier: BSD-3-Clause
"""The C interface, ancora/ancora.h, declared for ctypes; errors as exceptions.

ctypes on the C interface rather than a compiled extension: a C interface has one binary form for all
versions of Python and NumPy, so that one package serves every interpreter, and none needs a compiler.
A call costs about a microsecond more, of which a step of the smallest model takes two.
"""

import contextlib
import ctypes
import os
import pathlib
import re
import signal
import threading
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_double, c_int, c_int32, c_int64,
                    c_size_t, c_void_p)

_NAME = "libancora_framework.so"
_SOVERSION = ".0.3"
C_INTERFACE = 2


class AncoraError(Exception):
    """A call of the kernel failed; `status` is also the exit status that the command would have."""

    status = 1


class UsageError(AncoraError, ValueError):
    """A call that makes no sense."""

    status = 2


class ModelError(AncoraError, ValueError):
    """The model: key, type, range, unknown name."""

    status = 3


class PluginError(AncoraError, RuntimeError):
    """A plugin was not found, refused, or failed."""

    status = 4


class NumericalError(AncoraError, ArithmeticError):
    """No convergence, contradictory constraints, or not enough memory."""

    status = 5


class FileError(AncoraError, OSError):
    """A file that cannot be read or written."""

    status = 6

    def __init__(self, message):  # OSError would take the text apart
        Exception.__init__(self, message)
        self._message = message

    def __str__(self):
        return self._message


_ERRORS = {kind.status: kind for kind in (UsageError, ModelError, PluginError, NumericalError, FileError)}
BUFFER = 7
STOPPED = 8


class Info(Structure):
    _fields_ = [("size", c_size_t), ("time", c_double), ("step_size", c_double), ("end_time", c_double),
                ("num_steps", c_int64), ("steps_done", c_int64), ("num_coordinates", c_size_t),
                ("is_adaptive", c_int32), ("is_done", c_int32), ("begin_time", c_double)]


class Ledger(Structure):
    _fields_ = [("size", c_size_t), ("kinetic", c_double), ("potential", c_double), ("total", c_double),
                ("work_external", c_double), ("work_nonideal", c_double), ("work_projection", c_double),
                ("balance", c_double), ("momentum", c_double * 3), ("momentum_balance", c_double * 3),
                ("angular_momentum", c_double * 3), ("angular_momentum_balance", c_double * 3),
                ("constraint_position", c_double), ("constraint_velocity", c_double),
                ("constraint_strain", c_double)]


class Statistics(Structure):
    _fields_ = [("size", c_size_t), ("steps", c_int64), ("substeps", c_int64), ("iterations", c_int64),
                ("factorisations", c_int64), ("evaluations", c_int64), ("step_seconds", c_double),
                ("energy_max_abs", c_double), ("energy_max_rel", c_double),
                ("momentum_max_abs", c_double), ("momentum_max_rel", c_double),
                ("angular_momentum_max_abs", c_double), ("angular_momentum_max_rel", c_double)]


class Equilibrium(Structure):
    _fields_ = [("size", c_size_t), ("stability", c_int32), ("degrees_of_freedom", c_int32),
                ("num_unstable", c_int32), ("num_neutral", c_int32), ("is_counted", c_int32),
                ("num_left", c_int32), ("descent_steps", c_int64), ("newton_steps", c_int64),
                ("residual", c_double), ("moved", c_double),
                ("acceleration", c_double), ("lasts", c_int32),
                ("spin", c_double * 3)]


class Modes(Structure):
    _fields_ = [("size", c_size_t), ("count", c_size_t), ("degrees_of_freedom", c_int32),
                ("is_complete", c_int32), ("is_spinning", c_int32), ("spin", c_double * 3)]


class Mode(Structure):
    _fields_ = [("size", c_size_t), ("eigenvalue", c_double * 2), ("frequency", c_double),
                ("damping", c_double)]


class Placement(Structure):
    _fields_ = [("size", c_size_t), ("is_reached", c_int32), ("iterations", c_int32), ("num_free", c_int32),
                ("num_at_limits", c_int32), ("distance", c_double), ("angle", c_double)]


ForceCallback = CFUNCTYPE(c_int, c_size_t, c_double, c_void_p, c_void_p, c_void_p, c_void_p)
ConstraintCallback = CFUNCTYPE(c_int, c_size_t, c_double, c_void_p, c_void_p, c_void_p)
WarningCallback = CFUNCTYPE(None, c_char_p, c_void_p)
StepCallback = CFUNCTYPE(c_int, c_void_p, c_void_p)

_DOUBLES = POINTER(c_double)
_SIZE = POINTER(c_size_t)
_TEXT = [c_char_p, c_size_t, _SIZE]
_ARRAY = [c_void_p, c_size_t, _SIZE]

# Arguments of every function that returns a status.
_SIGNATURES = {
    "session_new": [POINTER(c_void_p)],
    "session_message": [c_void_p, *_TEXT],
    "session_on_warning": [c_void_p, WarningCallback, c_void_p],
    "session_add_plugin_folder": [c_void_p, c_char_p],
    "session_allow_unchecked_folders": [c_void_p, c_int],
    "session_add_force": [c_void_p, c_char_p, ForceCallback, c_void_p],
    "session_add_constraint": [c_void_p, c_char_p, c_size_t, c_int, ConstraintCallback, c_void_p],
    "write_report": [c_void_p, c_char_p, c_char_p],
    "model_load": [c_void_p, c_char_p, POINTER(c_void_p)],
    "model_parse": [c_void_p, c_char_p, c_size_t, c_char_p, POINTER(c_void_p)],
    "model_set": [c_void_p, c_char_p],
    "model_text": [c_void_p, *_TEXT],
    "gradient": [c_void_p, POINTER(c_char_p), c_size_t, POINTER(c_char_p), c_size_t, c_int32],
    "gradient_values": [c_void_p, c_int32, *_ARRAY],
    "gradient_key": [c_void_p, c_size_t, *_TEXT],
    "gradient_remark": [c_void_p, c_size_t, c_size_t, *_TEXT],
    "fit": [c_void_p, c_void_p, c_size_t, POINTER(c_char_p), c_size_t, c_void_p, POINTER(c_char_p), c_size_t,
            c_int32],
    "fit_values": [c_void_p, c_int32, *_ARRAY],
    "fit_remark": [c_void_p, POINTER(c_int32), *_TEXT],
    "batch_new": [c_void_p, c_size_t, POINTER(c_char_p), c_size_t, c_void_p, POINTER(c_char_p), c_size_t,
                  POINTER(c_char_p), c_size_t, c_int32, POINTER(c_void_p)],
    "batch_step": [c_void_p, c_void_p, c_int64, c_void_p],
    "batch_columns": [c_void_p, c_void_p],
    "batch_reset": [c_void_p, c_void_p],
    "batch_status": [c_void_p, c_void_p],
    "batch_failure": [c_void_p, c_size_t, *_TEXT],
    "simulation_new": [c_void_p, POINTER(c_void_p)],
    "simulation_info": [c_void_p, POINTER(Info)],
    "simulation_name": [c_void_p, *_TEXT],
    "step": [c_void_p],
    "set_threads": [c_void_p, c_int32],
    "run": [c_void_p, c_double, StepCallback, c_void_p],
    "record": [c_void_p, c_char_p],
    "record_finish": [c_void_p],
    "state_view": [c_void_p, POINTER(c_void_p), POINTER(c_void_p), _SIZE],
    "set_state": [c_void_p, c_void_p, c_void_p, c_size_t],
    "set_state_at": [c_void_p, c_double, c_void_p, c_void_p, c_size_t],
    "save": [c_void_p, *_ARRAY],
    "restore": [c_void_p, c_char_p, c_size_t],
    "reset": [c_void_p],
    "changed": [c_void_p, c_void_p, POINTER(c_void_p)],
    "num_bodies": [c_void_p, _SIZE],
    "body_name": [c_void_p, c_size_t, *_TEXT],
    "body_range": [c_void_p, c_size_t, _SIZE, _SIZE],
    "apply_force": [c_void_p, c_char_p, c_void_p],
    "apply_torque": [c_void_p, c_char_p, c_void_p],
    "num_inputs": [c_void_p, _SIZE],
    "input_name": [c_void_p, c_size_t, *_TEXT],
    "input_unit": [c_void_p, c_size_t, *_TEXT],
    "set_input": [c_void_p, c_char_p, c_double],
    "release_input": [c_void_p, c_char_p],
    "num_columns": [c_void_p, _SIZE],
    "column_name": [c_void_p, c_size_t, *_TEXT],
    "column_unit": [c_void_p, c_size_t, *_TEXT],
    "sample": [c_void_p, *_ARRAY],
    "value": [c_void_p, c_char_p, _DOUBLES],
    "find_value": [c_void_p, c_char_p, POINTER(c_int32)],
    "values": [c_void_p, c_void_p, c_size_t, c_void_p],
    "point": [c_void_p, c_char_p, c_void_p, c_void_p],
    "pose": [c_void_p, c_char_p, c_void_p, c_void_p, c_void_p, c_void_p],
    "reaction": [c_void_p, c_char_p, *_ARRAY],
    "ledger_now": [c_void_p, POINTER(Ledger)],
    "statistics_now": [c_void_p, POINTER(Statistics)],
    "vector": [c_void_p, c_int32, *_ARRAY],
    "matrix": [c_void_p, c_int32, c_void_p, c_size_t, _SIZE, _SIZE],
    "point_jacobian": [c_void_p, c_char_p, *_ARRAY],
    "find_equilibrium": [c_void_p, c_int, POINTER(Equilibrium)],
    "unstable_part": [c_void_p, *_TEXT],
    "find_modes": [c_void_p, c_size_t, POINTER(Modes)],
    "mode_values": [c_void_p, c_size_t, POINTER(Mode)],
    "mode_shape": [c_void_p, c_size_t, *_ARRAY],
    "mode_energies": [c_void_p, c_size_t, *_ARRAY],
    "joint_space": [c_void_p, POINTER(c_char_p), c_size_t, POINTER(c_char_p), c_size_t],
    "joint_matrix": [c_void_p, c_int32, c_void_p, c_size_t, _SIZE, _SIZE],
    "joint_names": [c_void_p, *_TEXT],
    "joint_remarks": [c_void_p, *_TEXT],
    "inverse_kinematics": [c_void_p, POINTER(c_char_p), POINTER(c_size_t), c_size_t, c_void_p,
                           POINTER(Placement)],
    "linearize": [c_void_p, POINTER(c_char_p), c_size_t, POINTER(c_char_p), c_size_t],
    "linear_matrix": [c_void_p, c_int32, c_void_p, c_size_t, _SIZE, _SIZE],
}


def _candidates():
    """Where the kernel's library may lie, the most particular first."""
    named = os.environ.get("ANCORA_LIBRARY")
    if named:
        yield named
        return
    here = pathlib.Path(__file__).resolve().parent
    # a wheel that brings its kernel along; an installed prefix, PREFIX/lib/ancora/python/ancora or
    # PREFIX/lib/python3/dist-packages/ancora; a build tree, which mirrors it
    yield here / "kernel" / "lib" / _NAME
    for name in (_NAME + _SOVERSION, _NAME):
        for folder in here.parents[:5]:
            yield folder / name
            for below in sorted(folder.glob("*-linux-gnu*")) if folder.name == "lib" else ():
                yield below / name
    yield _NAME + _SOVERSION
    yield _NAME


def _load():
    tried = []
    for candidate in _candidates():
        is_path = os.sep in str(candidate)
        if is_path and not os.path.exists(candidate):
            tried.append(str(candidate))
            continue
        try:
            library = ctypes.CDLL(str(candidate))
        except OSError as error:
            tried.append(f"{candidate} ({error})")
            continue
        if not hasattr(library, "ancora_c_interface"):
            raise ImportError(f"{candidate}: a kernel without a C interface; it is older than this module")
        if library.ancora_c_interface() < C_INTERFACE:
            raise ImportError(f"{candidate}: its C interface has number {library.ancora_c_interface()}, "
                              f"this module needs {C_INTERFACE}")
        return library
    raise ImportError(f"{_NAME} was not found; install Ancora, or name the file in ANCORA_LIBRARY. Tried:\n  "
                      + "\n  ".join(tried))


library = _load()
for _name, _arguments in _SIGNATURES.items():
    _function = getattr(library, "ancora_" + _name)
    _function.argtypes = _arguments
    _function.restype = c_int32
for _name in ("session_free", "model_free", "simulation_free"):
    _function = getattr(library, "ancora_" + _name)
    _function.argtypes = [c_void_p]
    _function.restype = None
library.ancora_version.restype = c_char_p


def version():
    """Version of the kernel, "0.3.0"."""
    return library.ancora_version().decode()


_PLACE = re.compile(r"^[^\n:]*:\d+:\d+: (?:error: )?", re.MULTILINE)


@contextlib.contextmanager
def deferred_interrupt():
    """Ctrl-C waits for the end of the block. A second one does not: what hangs can be left.

    An exception that a signal raises where the kernel calls a function in Python would be lost: ctypes
    prints it and goes on.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are handled by the main thread
        return
    before = signal.getsignal(signal.SIGINT)
    if not callable(before):
        yield
        return
    came = []

    def note(number, frame):
        came.append((number, frame))
        if len(came) > 1:
            before(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if len(came) == 1:
            before(*came[0])


class Session:
    """Plugins and the last message; shared by models and simulations, used by one thread at a time."""

    def __init__(self):
        handle = c_void_p()
        if library.ancora_session_new(byref(handle)) != 0:
            raise MemoryError("no session of Ancora could be made")
        self.handle = handle.value
        self._warning = None
        self._laws = {}  # by type name: the law, and what the kernel calls
        self.failures = []  # what laws in Python raised during the present call
        self.is_of_code = False  # the model's text is not the user's, and its lines say nothing
        self._lock = threading.RLock()
        self._inside = ""  # the call under way

    def __del__(self):
        if getattr(self, "handle", None):
            library.ancora_session_free(self.handle)
            self.handle = None

    def message(self):
        count = c_size_t()
        library.ancora_session_message(self.handle, None, 0, byref(count))
        buffer = ctypes.create_string_buffer(count.value + 1)
        library.ancora_session_message(self.handle, buffer, len(buffer), None)
        return self.plain(buffer.value.decode(errors="replace"))

    def plain(self, message):
        """A message without a place in a text that nobody has written."""
        return _PLACE.sub("", message) if self.is_of_code else message

    def call(self, name, *arguments):
        """Calls ancora_NAME; other statuses than OK and STOPPED become exceptions."""
        if not self._lock.acquire(blocking=False):
            raise UsageError(f"{name}: another thread is inside {self._inside or 'a call'} of this model or one "
                             "of its simulations, which one thread uses at a time; make a model of its own for "
                             "each thread, or let one wait for the other (threading.Lock)")
        outer = self._inside
        try:
            self._inside = name
            if self._laws and not outer:
                with deferred_interrupt():
                    return self._call(name, *arguments)
            return self._call(name, *arguments)
        finally:
            self._inside = outer
            self._lock.release()

    def _call(self, name, *arguments):
        self.failures.clear()
        status = getattr(library, "ancora_" + name)(*arguments)
        if status in (0, STOPPED):
            return status
        if self.failures:  # that is what went wrong, with its own traceback
            failure = self.failures[-1]
            self.failures.clear()
            if hasattr(failure, "add_note"):
                failure.add_note(self.message())
            raise failure
        raise _ERRORS.get(status, AncoraError)(self.message() or f"ancora_{name} failed with status {status}")

    @property
    def laws(self):
        """Laws in Python by the names of their types."""
        return {name: law for name, (law, _) in self._laws.items()}

    def text(self, name, *arguments):
        """A text that ancora_NAME writes to a buffer."""
        count = c_size_t()
        self.call(name, *arguments, None, 0, byref(count))
        buffer = ctypes.create_string_buffer(count.value + 1)
        self.call(name, *arguments, buffer, len(buffer), None)
        return buffer.value.decode()

    def count(self, name, *arguments):
        count = c_size_t()
        self.call(name, *arguments, byref(count))
        return count.value

    def type_of(self, law, name=None):
        """The name under which models use a law in Python; by its own if none is given."""
        for known, (other, _) in self._laws.items():
            if other is law and name in (None, known):
                return known
        if name is None:
            name = base = law.name
            count = 1
            while name in self._laws:
                count += 1
                name = f"{base}_{count}"
        self._laws[name] = (law, law._register(self, name))
        return name

    def on_warning(self, function):
        """Hands warnings to `function(text)`."""
        self._warning = WarningCallback(lambda message, _: function(self.plain(message.decode(errors="replace"))))
        self.call("session_on_warning", self.handle, self._warning, None)
