// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "control".
#include "ancora/sdk/plugin.hpp"

#include "actuator.hpp"
#include "controllers.hpp"
#include "dc_motor.hpp"
#include "hydraulic_cylinder.hpp"
#include "sensor.hpp"

namespace {

using namespace ancora;
using namespace ancora::control;

constexpr TypeDescriptor kTypes[] = {
    type<Actuator>("actuator",
                   {.doc = "force or torque on a measure that any signal commands",
                    .equation = "T e' = command - e, |e| <= limit",
                    .source = "K. J. Astrom, R. M. Murray, Feedback Systems, Princeton University "
                              "Press, 2008, section 2.2",
                    .examples = {"on = \"j.angle\"\ncommand = \"2*sin(t) - j.angle\"",
                                 "on = \"j.angle\"\ncommand = 3.0\nlimit = 2.0\n"
                                 "time_constant = 0.1"}},
                   Actuator::kParameters),
    type<DcMotor>("dc_motor",
                  {.doc = "electric motor with a coil on a measure",
                   .equation = "L i' = V - R i - k n w, effort = k n i",
                   .source = "G. F. Franklin, J. D. Powell, A. Emami-Naeini, Feedback Control of "
                             "Dynamic Systems, 7th ed., Pearson, 2015, section 2.3",
                   .examples = {"on = \"j.angle\"\nvoltage = 12.0\nresistance = 1.5\n"
                                "inductance = 0.02\nconstant = 0.08",
                                "on = \"j.angle\"\nvoltage = \"12*sin(t)\"\nresistance = 1.5\n"
                                "constant = 0.08\nratio = 20.0"}},
                  DcMotor::kParameters),
    type<HydraulicCylinder>(
        "hydraulic_cylinder",
        {.doc = "double-acting cylinder with a valve on a distance or displacement",
         .equation = "V_a p_a' = beta (Q_a - A_a x'), V_b p_b' = beta (Q_b + A_b x'), force = A_a "
                     "p_a - A_b p_b",
         .source = "H. E. Merritt, Hydraulic Control Systems, Wiley, 1967, sections 3.2 and 6.2",
         .examples = {"on = \"k.displacement\"\nvalve = 0.2\npiston_area = 1e-3\nsupply = 1e6\n"
                      "conductance = 1e-7\nvolumes = [1e-2, 1e-2]\nbulk_modulus = 1e7"}},
        HydraulicCylinder::kParameters),
    type<Relay>("relay",
                {.doc = "switch with hysteresis, its changes found inside a step",
                 .equation = "on where input >= on_at, off where input <= off_at",
                 .source = "K. J. Astrom, R. M. Murray, Feedback Systems, Princeton University "
                           "Press, 2008, section 9.5",
                 .examples = {"input = \"sin(t)\"\non_at = 0.5\noff_at = -0.5"}},
                Relay::kParameters),
    type<SampledPid>(
        "sampled_pid",
        {.doc = "digital PID controller with limits",
         .equation = "u_k = kp e_k + I_k + kd D_k, I_(k+1) = I_k + ki T e_k",
         .source = "K. J. Astrom, B. Wittenmark, Computer-Controlled Systems, 3rd ed., "
                   "Prentice Hall, 1997, section 8.5",
         .examples = {"reference = 1.0\nmeasured = \"j.angle\"\nperiod = 0.01\n"
                      "kp = 2.0\nki = 0.5\nkd = 0.1\nlimits = [-3.0, 3.0]"}},
        SampledPid::kParameters),
    type<Sensor>("sensor",
                 {.doc = "a value as an instrument with a bandwidth shows it",
                  .equation = "T y' = r - y, or T^2 y'' + 2 zeta T y' = r - y",
                  .source = "K. J. Astrom, R. M. Murray, Feedback Systems, Princeton University "
                            "Press, 2008, section 6.3",
                  .examples = {"input = \"j.angle\"\nbandwidth = 10.0",
                               "input = \"sin(t)\"\nbandwidth = 10.0\norder = 2",
                               "input = \"j.angle_rate\""}},
                 Sensor::kParameters),
};

}  // namespace

ANCORA_PLUGIN("control", "0.1.0", kTypes)
