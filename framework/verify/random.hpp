// SPDX-License-Identifier: BSD-3-Clause
// Random numbers that are the same on every machine, so that a seed reproduces a failure.
#pragma once

#include <cmath>
#include <cstdint>

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace ancora::verify {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

/// The generator splitmix64 (G. L. Steele et al., OOPSLA 2014); the standard library's
/// distributions differ between implementations.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t bits() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    /// Uniform in [low, high).
    double uniform(double low = -1.0, double high = 1.0) {
        return low + (high - low) * 0x1p-53 * static_cast<double>(bits() >> 11);
    }
    Vec3 vector(double size = 1.0) {
        const double x = uniform(), y = uniform(), z = uniform();
        return size * Vec3(x, y, z);
    }
    Mat3 rotation() {
        Eigen::Vector4d p;
        do {
            for (double& x : p) x = uniform();
        } while (p.norm() < 0.1 || p.norm() > 1.0);
        p.normalize();
        return Eigen::Quaterniond(p(0), p(1), p(2), p(3)).toRotationMatrix();
    }

private:
    std::uint64_t state_;
};

}  // namespace ancora::verify
