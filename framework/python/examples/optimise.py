#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A throw that hits a target after it has bounced, by SciPy with derivatives through the impact; and the same
run as a function of PyTorch and of JAX, which chain these derivatives with their own.

    python3 optimise.py
"""

import numpy as np

import ancora

TARGET = np.array([2.0, 0.4])  # m, where the ball is to be after a second
OF = ["ball.x", "ball.z"]
BY = ["body.ball.velocity[0]", "body.ball.velocity[2]"]


def throw(velocity):
    model = ancora.Model("throw", gravity=[0, 0, -9.81])
    model.body("ball", "particle", mass=0.1, position=[0, 0, 0.5], velocity=[velocity[0], 0, velocity[1]])
    model.constraint("floor", "contact", a="ball", b="ground", radius=0.0, plane={"normal": [0, 0, 1]},
                     restitution=0.7)
    model.integrator("emm", step=0.01, end=1.0)
    return model


def end_and_jacobian(velocity):
    """Where the ball is at the end (2,), and the derivatives of that by its first velocity (2, 2)."""
    found = throw(np.asarray(velocity, dtype=float)).gradient(OF, BY)
    return found.values, found.derivatives


def torch_function():
    """end(velocity) for tensors, or None without PyTorch."""
    try:
        import torch
    except ImportError:
        return None

    class End(torch.autograd.Function):
        @staticmethod
        def forward(ctx, velocity):
            end, jacobian = end_and_jacobian(velocity.detach().numpy())
            ctx.save_for_backward(torch.from_numpy(jacobian))
            return torch.from_numpy(end)

        @staticmethod
        def backward(ctx, from_end):
            (jacobian,) = ctx.saved_tensors
            return jacobian.T @ from_end

    return End.apply


def jax_function():
    """end(velocity) for arrays of JAX, under jit too, or None without JAX."""
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)
    place, matrix = (jax.ShapeDtypeStruct(shape, jnp.float64) for shape in ((2,), (2, 2)))

    @jax.custom_vjp
    def end(velocity):
        return forward(velocity)[0]

    def forward(velocity):
        return jax.pure_callback(lambda v: end_and_jacobian(np.asarray(v)), (place, matrix), velocity)

    def backward(jacobian, from_end):
        return (jacobian.T @ from_end,)

    end.defvjp(forward, backward)
    return end


def main():
    from scipy.optimize import minimize

    def miss(velocity):
        end, jacobian = end_and_jacobian(velocity)
        off = end - TARGET
        return off @ off, 2.0 * off @ jacobian

    found = minimize(miss, x0=[1.0, 2.0], jac=True, method="BFGS", options={"gtol": 1e-9})
    print(f"thrown at {found.x[0]:.6f}, {found.x[1]:.6f} m/s it ends {np.sqrt(found.fun):.1e} m beside the target "
          f"({found.nfev} evaluations)")
    start = np.array([1.0, 2.0])
    print("gradient of the squared miss at the start:", miss(start)[1])
    if (end := torch_function()) is not None:
        import torch
        velocity = torch.tensor(start, requires_grad=True)
        (end(velocity) - torch.tensor(TARGET)).square().sum().backward()
        print("the same by PyTorch:", velocity.grad.numpy())
    if (end := jax_function()) is not None:
        import jax
        slope = jax.grad(lambda velocity: ((end(velocity) - TARGET) ** 2).sum())
        print("the same by JAX:", np.asarray(slope(start)))
    return found.x, np.sqrt(found.fun)


if __name__ == "__main__":
    main()
