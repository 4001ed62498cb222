// SPDX-License-Identifier: BSD-3-Clause
// A manifest from any bytes: read, generated, its values put into words and written again.
#include <cstdint>
#include <string_view>

#include "ancora/framework/error.hpp"
#include "ancora/framework/manifest.hpp"
#include "toml_writer.hpp"
#include "wording.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ancora;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const Manifest manifest = Manifest::parse(text, "fuzz.toml");
        for (const auto* const list : {&manifest.bodies, &manifest.constraints, &manifest.forces})
            for (const ObjectSpec& object : *list)
                for (const Table::Entry& entry : object.parameters.entries()) {
                    in_words(entry.value);
                    toml_value(entry.value);
                }
    } catch (const Error&) {
    }
    return 0;
}
