// SPDX-License-Identifier: BSD-3-Clause
// A table of numbers over time from any bytes, as plugins read it, and what it is in between.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include <unistd.h>

#include "ancora/framework/error.hpp"
#include "ancora/sdk/helpers/time_function.hpp"
#include "bound_arguments.hpp"

namespace {

namespace fs = std::filesystem;
using namespace ancora;

struct File {
    File() {
        std::string name = (fs::temp_directory_path() / "ancora-fuzz-XXXXXX").string();
        const int number = ::mkstemp(name.data());
        if (number < 0) std::abort();
        ::close(number);
        path = name;
    }
    ~File() {
        std::error_code ignored;
        fs::remove(path, ignored);
    }
    fs::path path;
};

void evaluate(const BoundArguments& arguments, Interpolation interpolation) {
    TimeFunctionOptions options;
    options.interpolation = interpolation;
    options.outside = Outside::hold;
    try {
        const TimeFunction function(arguments, "table", options);
        std::array<double, 3> y{}, rate{}, second{};
        for (const double t : {-1.0, 0.0, 0.35, 1e9}) {
            function.evaluate(t, y, rate, second);
            function.mean(t, 0.1, y);
        }
    } catch (const Error&) {
    } catch (const std::domain_error&) {  // no finite value
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const File file;
    fs::remove(file.path);  // some file systems write one that is cut to the disk at once
    std::ofstream(file.path, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    static constexpr Parameter kSchema[] = {parameter::file("table", "rows")};
    static const Table values = [] {
        Table table;
        table.set("table", file.path.string());
        return table;
    }();
    const BoundArguments arguments("force \"f\"", "f", "load", values, {}, kSchema);
    for (const Interpolation kind :
         {Interpolation::linear, Interpolation::spline, Interpolation::monotone})
        evaluate(arguments, kind);
    return 0;
}
