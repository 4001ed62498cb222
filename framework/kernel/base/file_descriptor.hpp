// SPDX-License-Identifier: BSD-3-Clause
// Owns a file descriptor.
#pragma once

#include <utility>

#include <unistd.h>

namespace ancora {

class FileDescriptor {
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int number) : number_(number) {}
    ~FileDescriptor() {
        if (number_ >= 0) ::close(number_);
    }
    FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }

    int number() const { return number_; }
    /// False after a call that failed.
    explicit operator bool() const { return number_ >= 0; }

private:
    int number_ = -1;
};

}  // namespace ancora
