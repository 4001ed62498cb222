// SPDX-License-Identifier: BSD-3-Clause
// Locks as an embedding program uses them.
#include "ancora/framework/lock.hpp"

#include <string>

#include <doctest/doctest.h>

#include "ancora/framework/version.hpp"
#include "framework/models.hpp"
#include "support/program.hpp"

using namespace ancora;
using ancora::testing::contains;

namespace {

Manifest thrown() {
    Manifest manifest;
    manifest.add_body("m", "test_mass").set("mass", 2.0);
    manifest.add_force("f", "test_drag").set("at", "m@0").set("c", 0.5);
    manifest.integrator.type = "emm";
    manifest.integrator.step = 0.01;
    manifest.integrator.end = 0.1;
    return manifest;
}

void add_folders(PluginRegistry& registry) {
    registry.add_folder(ANCORA_TEST_ZOO_DIR);
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
}

template <class Function>
std::string refusal(Function&& function) {
    try {
        function();
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::plugin);
        return error.message();
    }
    return "nothing was refused";
}

}  // namespace

TEST_SUITE("lock") {
    TEST_CASE("a model locked to itself is accepted, and knows that it is locked") {
        PluginRegistry registry;
        add_folders(registry);
        const Simulation first(thrown(), registry);
        CHECK_FALSE(first.is_locked());
        const Lock lock = Lock::of(first);
        CHECK(lock.kernel == version());
        CHECK(lock.sdk == ANCORA_SDK_VERSION);
        REQUIRE(lock.plugins.size() == 3);
        CHECK(lock.plugins[0].name == "emm");
        CHECK(lock.plugins[2].types == std::vector<std::string>{"body test_mass"});

        PluginRegistry other;
        add_folders(other);
        other.lock_to(Lock::parse(lock.text(), "m.lock.toml"));
        const Simulation second(thrown(), other);
        CHECK(second.is_locked());
        CHECK(Lock::of(second).text() == lock.text());
    }

    TEST_CASE("a lock without plugins is read as it was written") {
        PluginRegistry registry;
        add_folders(registry);
        Lock lock = Lock::of(Simulation(thrown(), registry));
        lock.plugins.clear();
        CHECK(Lock::parse(lock.text(), "m.lock.toml").text() == lock.text());
    }

    TEST_CASE("each entry of the ABI is named where it differs") {
        PluginRegistry registry;
        add_folders(registry);
        const Lock lock = Lock::of(Simulation(thrown(), registry));
        for (std::size_t i = 0; i < lock.abi.size(); ++i) {
            Lock other = lock;
            other.abi[i].value = "other";
            CHECK(contains(refusal([&] {
                               registry.lock_to(other);
                           }),
                           "\n  " + lock.abi[i].name + " is \"" + lock.abi[i].value +
                               "\", in the lock \"other\";"));
        }
        Lock other = lock;
        other.sdk = 999;
        CHECK(contains(refusal([&] {
                           other.check_kernel();
                       }),
                       "the lock has 999"));
    }

    TEST_CASE("a registry is not locked to less than it has in use") {
        PluginRegistry registry;
        add_folders(registry);
        const Simulation simulation(thrown(), registry);
        Lock lock = Lock::of(simulation);
        lock.plugins.pop_back();
        CHECK(contains(refusal([&] {
                           registry.lock_to(lock);
                       }),
                       "is not in the lock"));
        CHECK(registry.lock() == nullptr);
        CHECK(contains(refusal([&] {
                           lock.check(simulation);
                       }),
                       "plugin \"test_mass\" ("));
    }

    TEST_CASE("a locked registry opens no other plugin for a type") {
        PluginRegistry registry;
        add_folders(registry);
        registry.lock_to(Lock::of(Simulation(thrown(), registry)));
        CHECK(contains(refusal([&] {
                           registry.find_type(TypeKind::force, "test_load");
                       }),
                       "force type \"test_load\" is not in the lock"));
        CHECK(contains(refusal([&] {
                           registry.load("test_load");
                       }),
                       "is not in the lock"));
    }
}
