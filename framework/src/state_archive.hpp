// SPDX-License-Identifier: BSD-3-Clause
// The state of a run as bytes: one list of members serves writing and reading.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "ancora/framework/error.hpp"

namespace ancora {

/// Appends what it is called with; in the machine's own byte order.
class StateWriter {
public:
    static constexpr bool kReads = false;

    template <class T>
    requires std::is_trivially_copyable_v<T>
    void operator()(const T& x) { append(&x, sizeof x); }
    template <class T>
    void operator()(const std::vector<T>& x) {
        (*this)(x.size());
        append(x.data(), x.size() * sizeof(T));
    }
    void operator()(const std::string& x) {
        (*this)(x.size());
        append(x.data(), x.size());
    }
    void operator()(const Eigen::VectorXd& x) { array(x.data(), x.size()); }
    /// Of a length that the model decides.
    void array(const double* x, Eigen::Index count) {
        (*this)(count);
        append(x, static_cast<std::size_t>(count) * sizeof(double));
    }

    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    void append(const void* from, std::size_t size) {
        const std::size_t end = bytes_.size();
        bytes_.resize(end + size);
        if (size > 0) std::memcpy(bytes_.data() + end, from, size);
    }

    std::vector<std::byte> bytes_;
};

/// Reads what StateWriter wrote.
/// @throws Error (file) if the bytes end early or a length differs
class StateReader {
public:
    static constexpr bool kReads = true;

    explicit StateReader(std::span<const std::byte> bytes) : rest_(bytes) {}

    template <class T>
    requires std::is_trivially_copyable_v<T>
    void operator()(T& x) { take(&x, sizeof x); }
    template <class T>
    void operator()(std::vector<T>& x) {
        x.resize(length(sizeof(T)));
        take(x.data(), x.size() * sizeof(T));
    }
    void operator()(std::string& x) {
        x.resize(length(1));
        take(x.data(), x.size());
    }
    void operator()(Eigen::VectorXd& x) { array(x.data(), x.size()); }
    void array(double* x, Eigen::Index count) {
        Eigen::Index written = 0;
        (*this)(written);
        if (written != count) refuse();
        take(x, static_cast<std::size_t>(count) * sizeof(double));
    }
    bool at_end() const { return rest_.empty(); }

    [[noreturn]] static void refuse() {
        throw Error(ErrorKind::file,
                    "the saved state is damaged: it ends early, or its lengths do not fit");
    }

private:
    std::size_t length(std::size_t size) {
        std::size_t count = 0;
        (*this)(count);
        if (count > rest_.size() / size) refuse();
        return count;
    }
    void take(void* to, std::size_t size) {
        if (size > rest_.size()) refuse();
        if (size > 0) std::memcpy(to, rest_.data(), size);
        rest_ = rest_.subspan(size);
    }

    std::span<const std::byte> rest_;
};

}  // namespace ancora
