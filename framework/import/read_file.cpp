// SPDX-License-Identifier: BSD-3-Clause
#include "read_file.hpp"

#include <cstdint>
#include <fstream>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"

namespace ancora::robot {
namespace {

constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 28;

}  // namespace

std::string read_file(const std::filesystem::path& file, std::string_view what) {
    const auto refuse = [&](const std::string& reason) {
        throw Error(ErrorKind::file,
                    fmt::format("cannot read {}: {}", what, reason),
                    {std::make_shared<const std::string>(file.string()), 0, 0});
    };
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (!std::filesystem::exists(status))
        refuse(error ? error.message()
                     : std::make_error_code(std::errc::no_such_file_or_directory).message());
    if (std::filesystem::is_directory(status)) refuse("this is a folder");
    // A device or a pipe may never end.
    if (!std::filesystem::is_regular_file(status)) refuse("this is no regular file");
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    if (error) refuse(error.message());
    if (size > kMostBytes)
        refuse(fmt::format("it has more than {} bytes, the most that is read", kMostBytes));
    std::ifstream in(file, std::ios::binary);
    if (!in) refuse(std::error_code(errno, std::generic_category()).message());
    std::string bytes(static_cast<std::size_t>(size), '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(in.gcount()));
    return bytes;
}

}  // namespace ancora::robot
