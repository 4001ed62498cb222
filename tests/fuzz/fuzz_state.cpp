// SPDX-License-Identifier: BSD-3-Clause
// The state of a run, damaged, restored and gone on from. An input is a list of changes to a whole
// state, six bytes each: where, how, with what.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "ancora/framework/error.hpp"
#include "ancora/framework/simulation.hpp"
#include "sha256.hpp"

namespace {

using namespace ancora;

constexpr const char* kModel = R"(
[model]
gravity = [0.0, 0.0, -9.81]
[[body]]
name = "box"
type = "ancf_rigid_body"
size = [3.0, 2.0, 1.0]
density = 2700.0
angular_velocity = [0.3, 0.5, 0.8]
[[body]]
name = "rope"
type = "truss"
nodes = [[1.5, 0, 0], [2.0, 0, 0], [2.5, 0, 0]]
elements = [[0, 1], [1, 2]]
area = 1.0e-4
density = 2700.0
young = 70.0e6
breaking_strain = 0.5
velocity_from = "box"
[[body]]
name = "block"
type = "particle"
mass = 1.0
velocity = [1.0, 0.0, 0.0]
[[constraint]]
name = "hook"
type = "position"
a = "box@[1.5, 0.0, 0.0]"
b = "rope@0"
[[constraint]]
name = "floor"
type = "point_on_plane"
point = "block@[0, 0, 0]"
normal = [0.0, 0.0, 1.0]
[[force]]
name = "friction"
type = "coulomb_friction"
on = "floor"
mu_kinetic = 0.3
[integrator]
type = "emm"
step = 1.0e-3
end = 1.0
[integrator.emm]
max_iterations = 12
max_halvings = 2
)";  // a damaged step is given up soon

// Behind the first eight bytes stands the checksum of what follows, in 64 hexadecimal digits. It
// is made to fit, since damage would get no further.
void mend_checksum(std::vector<std::byte>& state) {
    constexpr std::size_t kAt = 8, kEnd = kAt + 64;
    if (state.size() < kEnd) return;
    const std::string digits =
        sha256_of_text({reinterpret_cast<const char*>(state.data()) + kEnd, state.size() - kEnd});
    std::memcpy(state.data() + kAt, digits.data(), digits.size());
}

struct Change {
    std::uint32_t where;
    std::uint8_t how, with;
};

void damage(const Change& change, std::vector<std::byte>& state) {
    if (state.empty()) return;
    // Any change of an input goes anywhere: the first bytes are names alone.
    const std::size_t at = std::size_t{change.where} * 2654435761U % state.size();
    const auto byte = static_cast<std::byte>(change.with);
    switch (change.how % 6) {
        case 0:
            state[at] = byte;
            break;
        case 1:
            state[at] ^= byte;
            break;
        case 2:
            state.resize(at);
            break;
        case 3:
            state.insert(state.begin() + static_cast<std::ptrdiff_t>(at), byte);
            break;
        case 4:
            state.erase(state.begin() + static_cast<std::ptrdiff_t>(at));
            break;
        default:
            // a whole number, where one may stand
            for (std::size_t k = at / 8 * 8; k < at / 8 * 8 + 8 && k < state.size(); ++k)
                state[k] = byte;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static PluginRegistry& registry = *[] {
        auto* const made = new PluginRegistry;  // plugins may outlive main()
        made->add_folder(ANCORA_TEST_PLUGIN_DIR);
        return made;
    }();
    static Simulation& simulation = *new Simulation(Manifest::parse(kModel, "fuzz.toml"), registry);
    static const std::vector<std::byte> whole = [] {
        for (int k = 0; k < 5; ++k) simulation.step();
        return simulation.save();
    }();
    std::vector<std::byte> state = whole;
    for (; size >= 6; data += 6, size -= 6) {
        Change change{};
        std::memcpy(&change.where, data, 4);
        change.how = data[4];
        change.with = data[5];
        damage(change, state);
    }
    mend_checksum(state);
    try {
        simulation.restore(state);
        simulation.step();
        simulation.save();
    } catch (const Error&) {
    }
    simulation.restore(whole);
    return 0;
}
