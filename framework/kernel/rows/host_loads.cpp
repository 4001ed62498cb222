// SPDX-License-Identifier: BSD-3-Clause
// Applied forces and torques, and their sums.
#include "host_loads.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace ancora {

namespace {

constexpr std::array<const char*, 3> kAxisLocators = {"@[1, 0, 0]", "@[0, 1, 0]", "@[0, 0, 1]"};

}  // namespace

template <class Attach>
void HostLoads::set(const std::string& text,
                    bool is_torque,
                    const std::array<double, 3>& given,
                    const Attach& attach) {
    // One force on an attachment and one torque on a body at most: a new value replaces the old.
    const auto found = std::ranges::find_if(loads_, [&](const std::unique_ptr<Load>& load) {
        return load->is_torque == is_torque && load->text == text;
    });
    const bool is_zero = given == std::array<double, 3>{};
    if (found != loads_.end()) {
        if (is_zero)
            loads_.erase(found);
        else
            (*found)->given = given;
        return;
    }
    // Attached before it is dropped: a wrong name is an error with a zero force as well.
    auto load = std::make_unique<Load>(text, is_torque, attach(), model_, meter_);
    if (is_zero) return;
    load->given = given;
    loads_.push_back(std::move(load));
    q1_.resize(model_.num_coordinates);
}

void HostLoads::set(const std::string& text, const std::array<double, 3>& force) {
    std::string attachment = text;  // "box@[1,0,0]" is "box@[1, 0, 0]"
    std::erase_if(attachment, [](char c) {
        return c == ' ' || c == '\t';
    });
    set(attachment, false, force, [&] {
        return std::vector{attach(model_, attachment, {"apply_force", {}, {}, {}}, false)};
    });
}

void HostLoads::set_torque(const std::string& body, const std::array<double, 3>& torque) {
    const Asker asker{"apply_torque", {}, {}, {}};
    if (body == "ground") throw asker.error("\"ground\": what is fixed in space does not turn");
    if (body.find('@') != std::string::npos)
        throw asker.error('"' + body +
                          "\": a torque acts on a body as a whole; write its name alone, \"" +
                          body.substr(0, body.find('@')) + '"');
    set(body, true, torque, [&] {
        // The base vectors as directions: they turn with the body,
        // and their sum of moments is the torque.
        std::vector<Attachment> axes;
        for (const char* const locator : kAxisLocators)
            axes.push_back(attach(model_, body + locator, asker, true));
        return axes;
    });
}

std::string HostLoads::bodies_with_torque() const {
    std::string names;
    for (const std::unique_ptr<Load>& load : loads_)
        if (load->is_torque) names += (names.empty() ? "\"" : ", \"") + load->text + '"';
    return names;
}

/// (1), or the force itself.
void HostLoads::Load::evaluate_force(const double* u) {
    if (!is_torque) {
        std::ranges::copy(given, f.begin());
        return;
    }
    const Eigen::Map<const Eigen::Matrix3d> d(u);  // axes by columns
    const Eigen::Matrix3d D = d * d.transpose();
    // For three independent axes D > 0, and so is tr D 1 - D,
    // whose eigenvalues are sums of two of D.
    const Eigen::Matrix3d spread = D.trace() * Eigen::Matrix3d::Identity() - D;
    const Eigen::Vector3d T(given[0], given[1], given[2]);
    // a = (tr D 1 - D)^-1 T, f_i = a x d_i
    const Eigen::Vector3d a = spread.ldlt().solve(T);
    Eigen::Map<Eigen::Matrix3d> force(f.data());
    for (int i = 0; i < 3; ++i) force.col(i) = a.cross(Eigen::Vector3d(d.col(i)));
}

void HostLoads::evaluate_step(const double* q0, const double* dq, double t0, double h, double* F) {
    if (loads_.empty()) return;
    for (std::size_t i = 0; i < q1_.size(); ++i) q1_[i] = q0[i] + dq[i];
    for (const std::unique_ptr<Load>& load : loads_) {
        // u at the start, du over the step, then u at the middle, where the mean force acts.
        std::array<double, kMostScalars> u{};
        load->map.evaluate(q0, nullptr, t0, u.data(), nullptr);
        const auto count = static_cast<std::size_t>(load->map.num_scalars());
        if (load->map.is_linear()) {
            load->map.increment(dq, load->du.data());
        } else {
            load->map.evaluate(q1_.data(), nullptr, t0 + h, load->du.data(), nullptr);
            for (std::size_t c = 0; c < count; ++c) load->du[c] -= u[c];
        }
        // u = u_0 + du / 2: the axes of the middle are shorter than one, which D makes up for.
        for (std::size_t c = 0; c < count; ++c) u[c] += 0.5 * load->du[c];
        load->evaluate_force(u.data());
        load->map.scatter(load->f.data(), F);
    }
}

void HostLoads::evaluate(const double* q, const double* v, double t, double* F) {
    for (const std::unique_ptr<Load>& load : loads_) {
        std::array<double, kMostScalars> u{};
        // du are the rates: work() is then power.
        load->map.evaluate(q, v, t, u.data(), load->du.data());
        load->evaluate_force(u.data());
        load->map.scatter(load->f.data(), F);
    }
}

double HostLoads::work() const {
    double work = 0.0;
    // f . du, exactly the work that enters the balance
    for (const std::unique_ptr<Load>& load : loads_) {
        const auto count = static_cast<std::size_t>(load->map.num_scalars());
        for (std::size_t c = 0; c < count; ++c) work += load->f[c] * load->du[c];
    }
    return work;
}

void HostLoads::add_to(double* F) const {
    for (const std::unique_ptr<Load>& load : loads_) load->map.scatter(load->f.data(), F);
}

}  // namespace ancora
