// SPDX-License-Identifier: BSD-3-Clause
// The state of a run as bytes: one list of members serves writing and reading.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "ancora/framework/error.hpp"

namespace ancora {

/// Appends what it is called with; in the machine's own byte order.
class ArchiveWriter {
public:
    static constexpr bool kReads = false;

    ArchiveWriter() = default;
    /// What `write` writes, in memory of just that size: it is called twice, first to count.
    template <class Write>
    static std::vector<std::byte> written_by(const Write& write) {
        ArchiveWriter writer;
        writer.counts_only_ = true;
        write(writer);
        writer.counts_only_ = false;
        writer.bytes_.reserve(writer.count_);
        write(writer);
        return writer.take();
    }

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

    /// Of a length that the model decides.
    template <class T>
    void fixed(const std::vector<T>& x) {
        (*this)(x);
    }
    /// Entries that are not plain numbers: `each` writes one.
    template <class T, class Each>
    void list(const std::vector<T>& x, Each each) {
        (*this)(x.size());
        for (const T& entry : x) each(entry);
    }
    /// What must hold for what was read.
    void require(bool, const char*) {}
    void require_finite(const Eigen::VectorXd&, const char*) {}
    void require_finite(std::span<const double>, const char*) {}

    /// Bytes as they are, without their number.
    void plain(std::string_view bytes) { append(bytes.data(), bytes.size()); }

    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    void append(const void* from, std::size_t size) {
        if (counts_only_) {
            count_ += size;
            return;
        }
        const std::size_t end = bytes_.size();
        bytes_.resize(end + size);
        if (size > 0) std::memcpy(bytes_.data() + end, from, size);
    }

    std::vector<std::byte> bytes_;
    std::size_t count_ = 0;
    bool counts_only_ = false;
};

/// Reads what ArchiveWriter wrote.
///
/// The bytes come from outside: a checksum tells damage, but nothing that is read may lead a
/// program astray. Whoever reads a number that counts or points somewhere calls require().
/// @throws Error (file) if the bytes end early, a length differs, or a value cannot be
class ArchiveReader {
public:
    static constexpr bool kReads = true;

    explicit ArchiveReader(std::span<const std::byte> bytes) : rest_(bytes) {}

    template <class T>
    requires std::is_trivially_copyable_v<T>
    void operator()(T& x) { take(&x, sizeof x); }
    void operator()(bool& x) {
        unsigned char byte = 0;
        take(&byte, 1);
        require(byte <= 1, "a flag");
        x = byte != 0;
    }
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
    template <class T>
    void fixed(std::vector<T>& x) {
        std::size_t count = 0;
        (*this)(count);
        if (count != x.size()) refuse();
        take(x.data(), count * sizeof(T));
    }
    template <class T, class Each>
    void list(std::vector<T>& x, Each each) {
        x.assign(length(1), T{});
        for (T& entry : x) each(entry);
    }
    void require(bool holds, const char* what) {
        if (!holds)
            throw Error(ErrorKind::file,
                        std::string("the saved state is damaged: ") + what + " cannot be");
    }
    void require_finite(std::span<const double> x, const char* what) {
        for (const double value : x) require(std::isfinite(value), what);
    }
    void require_finite(const Eigen::VectorXd& x, const char* what) {
        require(x.allFinite(), what);
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
