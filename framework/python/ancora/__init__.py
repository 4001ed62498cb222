# SPDX-License-Identifier: BSD-3-Clause
"""Ancora: multibody dynamics from plugins, with energy and momentum kept to round-off.

>>> import ancora
>>> sim = ancora.load("examples/tumbling_box/model.toml").simulate()
>>> history = sim.history(["box.wx", "energy.balance"])
>>> history["box.wx"][-1]                                    # doctest: +SKIP
"""

from ._batch import Batch
from ._gradient import Fit, Gradient
from ._laws import ConstraintLaw, ForceLaw
from ._library import (AncoraError, FileError, ModelError, NumericalError, PluginError, UsageError,
                       version)
from ._model import Model
from ._optimise import Limit, Optimum, Variable, minimise, optimise
from ._results import Cases, History, Results
from ._simulation import (Equilibrium, Inputs, JointSpace, LinearModel, Mode, Modes, Placement,
                          PointState, Pose, Report, Simulation)

#: A model file, see :meth:`Model.load`.
load = Model.load
#: A model's text, see :meth:`Model.parse`.
parse = Model.parse
__version__ = version()

__all__ = ["AncoraError", "Batch", "Cases", "ConstraintLaw", "Equilibrium", "FileError", "Fit", "ForceLaw",
           "Gradient", "History", "Inputs", "JointSpace", "Limit", "LinearModel", "Mode", "Model",
           "ModelError", "Modes", "NumericalError", "Optimum", "Placement", "PluginError", "PointState", "Pose",
           "Report", "Results", "Simulation", "UsageError", "Variable", "load", "minimise", "optimise", "parse", "version"]
