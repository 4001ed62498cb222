// SPDX-License-Identifier: BSD-3-Clause
// The chains of the study in two loops by hand, without a framework around them: base vectors by
// the energy-momentum step, and rotations by the conserving midpoint rule, both with the same
// elimination along the chain.
//
//     c++ -std=c++20 -O3 -I/usr/include/eigen3 -o chains chains.cpp && ./chains BARS END REPEATS
//
// Writes a line for each method and step that is short enough for it: name, order, step, steps,
// iterations, median of the CPU time [s], largest relative change of energy, and where the points
// of the study are.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <stdexcept>
#include <vector>

#include "loops/base_vectors.hpp"
#include "loops/rotations.hpp"

namespace {

using namespace ancora::by_hand;

/// A metre of bars, straight down at first, turning as a whole about its upper end and about
/// itself; the first axis of a bar is its long one.
ChainStart hung(int bars) {
    const double length = 1.0 / bars;
    ChainStart start;
    start.count = bars;
    start.size = Vec(length, length / 3.0, length / 3.0);
    start.density = 1000.0;
    start.gravity = Vec(0.0, 0.0, -9.81);
    start.attitude << 0.0, 0.0, 1.0,  //
        0.0, 1.0, 0.0,                //
        -1.0, 0.0, 0.0;
    start.turn = Vec(2.0, 1.0, 3.0);
    return start;
}

template <class Chain>
void measure(const char* name, int bars, double h, double end, int repeats) {
    const ChainStart start = hung(bars);
    const long steps = std::lround(end / h);
    std::vector<double> times, q;
    double worst = 0.0;
    long iterations = 0;
    for (int k = 0; k < repeats; ++k) {
        Chain chain(start);
        const std::clock_t begin = std::clock();
        try {
            for (long i = 0; i < steps; ++i) chain.step(h);
        } catch (const std::runtime_error&) {
            return;  // too long a step
        }
        times.push_back(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
        worst = std::abs(chain.energy()) / chain.scale();
        iterations = chain.iterations();
        chain.positions(q);
    }
    std::ranges::sort(times);
    std::printf("%s,2,%.17g,%ld,%ld,%.9g,%.3g,",
                name,
                h,
                steps,
                iterations,
                times[times.size() / 2],
                worst);
    const int every = std::max(1, bars / 10);
    for (int i = every - 1; i < bars; i += every) {
        const double* const at = q.data() + 12 * i;
        for (int c = 0; c < 3; ++c) std::printf(",%.17g", at[c] + 0.5 * start.size.x() * at[3 + c]);
        for (int c = 0; c < 3; ++c) std::printf(",%.17g", at[c] + start.size.x() * at[9 + c]);
    }
    std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fputs("usage: chains BARS END REPEATS\n", stderr);
        return 2;
    }
    const int bars = std::atoi(argv[1]);
    const double end = std::atof(argv[2]);
    const int repeats = std::max(1, std::atoi(argv[3]));
    for (const double h : {0.02, 0.01, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5}) {
        measure<BaseVectorChain>("base vectors", bars, h, end, repeats);
        measure<RotationChain>("rotation midpoint", bars, h, end, repeats);
    }
    return 0;
}
