// SPDX-License-Identifier: BSD-3-Clause
// Applied forces and their sums.
#include "host_loads.hpp"

#include <algorithm>
#include <cmath>

namespace ancora {

void HostLoads::set(const std::string& text, const std::array<double, 3>& force) {
    std::string attachment = text;  // "box@[1,0,0]" is "box@[1, 0, 0]"
    std::erase_if(attachment, [](char c) {
        return c == ' ' || c == '\t';
    });
    const auto found = std::ranges::find_if(loads_, [&](const std::unique_ptr<Load>& load) {
        return load->at.text == attachment;
    });
    const bool is_zero = force == std::array<double, 3>{};
    if (found != loads_.end()) {
        if (is_zero)
            loads_.erase(found);
        else
            (*found)->force = force;
        return;
    }
    auto load = std::make_unique<Load>(
        attach(model_, attachment, {"apply_force", {}, {}, {}}, false), model_, meter_);
    if (is_zero) return;
    load->at.text = attachment;
    load->force = force;
    loads_.push_back(std::move(load));
    q1_.resize(static_cast<std::size_t>(model_.num_coordinates));
}

void HostLoads::evaluate_step(const double* q0, const double* dq, double t0, double h, double* F) {
    if (loads_.empty()) return;
    for (std::size_t i = 0; i < q1_.size(); ++i) q1_[i] = q0[i] + dq[i];
    for (const std::unique_ptr<Load>& load : loads_) {
        std::array<double, 3> u0{};
        load->map.evaluate(q0, nullptr, t0, u0.data(), nullptr);
        if (load->map.is_linear()) {
            load->map.increment(dq, load->du.data());
        } else {
            load->map.evaluate(q1_.data(), nullptr, t0 + h, load->du.data(), nullptr);
            for (std::size_t c = 0; c < 3; ++c) load->du[c] -= u0[c];
        }
        load->map.scatter(load->force.data(), F);
    }
}

void HostLoads::evaluate(const double* q, const double* v, double t, double* F) {
    for (const std::unique_ptr<Load>& load : loads_) {
        std::array<double, 3> u{};
        load->map.evaluate(q, v, t, u.data(), load->du.data());
        load->map.scatter(load->force.data(), F);
    }
}

double HostLoads::work() const {
    double work = 0.0;
    for (const std::unique_ptr<Load>& load : loads_)
        for (std::size_t c = 0; c < 3; ++c) work += load->force[c] * load->du[c];
    return work;
}

void HostLoads::add_to(double* F) const {
    for (const std::unique_ptr<Load>& load : loads_) load->map.scatter(load->force.data(), F);
}

}  // namespace ancora
