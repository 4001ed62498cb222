// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a lock, and what is read, written and read again. The hash over [abi] is made to fit
// first, since a lock whose hash does not fit is not read any further.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "ancora/framework/error.hpp"
#include "ancora/framework/lock.hpp"
#include "sha256.hpp"
#include "toml_reader.hpp"

namespace {

using namespace ancora;

/// The text with the hash that its own [abi] has; as it is if it has none.
std::string mended(std::string text) {
    constexpr std::string_view kKey = "abi_sha256 = \"";
    constexpr std::size_t kDigits = 64;
    const std::size_t key = text.find(kKey);
    if (key == std::string::npos || text.size() - key < kKey.size() + kDigits) return text;
    std::string all;
    try {
        const Table document = read_toml(text, std::make_shared<const std::string>("fuzz"));
        const Table::Entry* const abi = document.find("abi");
        const Table* const entries = abi != nullptr ? abi->value.as<Table>() : nullptr;
        if (entries == nullptr) return text;
        for (const Table::Entry& entry : entries->entries())
            if (const auto* const value = entry.value.as<std::string>())
                all += entry.key + "=" + *value + "\n";
    } catch (const Error&) {
        return text;
    }
    return text.replace(key + kKey.size(), kDigits, sha256_of_text(all));
}

bool is_same(const Lock& a, const Lock& b) {
    const auto same_abi = [](const Lock::AbiProperty& x, const Lock::AbiProperty& y) {
        return x.name == y.name && x.value == y.value;
    };
    const auto same_plugin = [](const LockedPlugin& x, const LockedPlugin& y) {
        return x.name == y.name && x.version == y.version && x.sha256 == y.sha256 &&
               x.types == y.types;
    };
    return a.kernel == b.kernel && a.sdk == b.sdk && a.abi_sha256 == b.abi_sha256 &&
           std::ranges::equal(a.abi, b.abi, same_abi) &&
           std::ranges::equal(a.plugins, b.plugins, same_plugin);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text = mended({reinterpret_cast<const char*>(data), size});
    Lock lock;
    try {
        lock = Lock::parse(text, "fuzz.lock.toml");
    } catch (const Error&) {
        return 0;
    }
    if (!is_same(Lock::parse(lock.text(), "again.lock.toml"), lock)) std::abort();

    // What a registry and a run ask of it, each of which may refuse.
    const auto ask = [](auto&& question) {
        try {
            question();
        } catch (const Error&) {
        }
    };
    ask([&] {
        lock.check_kernel();
    });
    for (const LockedPlugin& locked : lock.plugins) {
        Plugin plugin;
        plugin.name = locked.name;
        plugin.version = lock.kernel;
        ask([&] {
            lock.check(plugin);
        });
        for (const std::string& type : locked.types)
            if (type.starts_with("body ") && lock.find(TypeKind::body, type.substr(5)) == nullptr)
                std::abort();
    }
    return 0;
}
