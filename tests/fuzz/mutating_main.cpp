// SPDX-License-Identifier: BSD-3-Clause
// In place of libFuzzer where the compiler has none: changes seeds at random and calls the target.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

// What sizes, counts and brackets in files go wrong with.
constexpr std::array<std::string_view, 30> kWords = {
    "0",
    "-1",
    "1e999",
    "-1e-999",
    "nan",
    "inf",
    "2147483647",
    "-2147483648",
    "65536",
    "4294967295",
    "4294967296",
    "1e308",
    "0.5",
    "null",
    "true",
    "\"\"",
    "[",
    "]",
    "{",
    "}",
    "[[",
    "(",
    "\n",
    ",",
    "#",
    "9223372036854775807",
    "18446744073709551615",
    "\x1b[2J",
    "${",
    "\xff",
};

class Mutator {
public:
    Mutator(std::vector<std::string> seeds, std::uint64_t seed, std::size_t most)
        : seeds_(std::move(seeds)), random_(seed), most_(most) {}

    std::string next();

private:
    std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
    template <class List>
    const auto& pick(const List& list) {
        return list[below(list.size())];
    }

    /// A piece of a text: often one number or word, else any.
    std::pair<std::size_t, std::size_t> piece(const std::string& text) {
        const std::size_t at = below(text.size() + 1);
        const auto is_word = [&](std::size_t i) {
            return std::string_view(" \n\t,:;=()[]{}<>\"'").find(text[i]) == std::string_view::npos;
        };
        if (at < text.size() && below(3) > 0) {
            std::size_t begin = at, end = at;
            while (begin > 0 && is_word(begin - 1)) --begin;
            while (end < text.size() && is_word(end)) ++end;
            return {begin, end - begin};
        }
        return {at, std::min(text.size() - at, std::size_t{1} << below(8))};
    }

    void change(std::string& text) {
        const auto [at, size] = piece(text);
        switch (below(9)) {
            case 0:
                if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
                break;
            case 1:
                if (at < text.size()) text[at] = static_cast<char>(below(256));
                break;
            case 2:
                text.erase(at, size);
                break;
            case 3:
                text.insert(at, text.substr(at, size));
                break;
            case 4:
            case 5:
                text.replace(at, size, pick(kWords));
                break;
            case 6:
                text.insert(at, pick(kWords));
                break;
            case 7: {
                const std::string& other = pick(seeds_);
                const auto [from, length] = piece(other);
                text.replace(at, size, other.substr(from, length));
                break;
            }
            default: {
                // many times the same: depth and counts
                const std::string once = text.substr(at, std::min<std::size_t>(size, 64));
                for (std::size_t k = below(200); k > 0 && text.size() < most_; --k)
                    text.insert(at, once);
            }
        }
    }

    std::vector<std::string> seeds_;
    std::mt19937_64 random_;
    std::size_t most_;
};

std::string Mutator::next() {
    std::string text = pick(seeds_);
    for (std::size_t k = 1 + below(6); k > 0; --k) change(text);
    if (text.size() > most_) text.resize(most_);
    return text;
}

std::uint64_t number(std::string_view text) {
    std::uint64_t out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc() || end != text.data() + text.size()) {
        std::fprintf(stderr, "\"%.*s\" is no number\n", static_cast<int>(text.size()), text.data());
        std::exit(2);
    }
    return out;
}

const std::string* current = nullptr;

/// Keeps the input that an exception came out of.
[[noreturn]] void keep_and_abort() {
    std::ofstream("crash-input", std::ios::binary) << *current;
    std::fprintf(stderr, "the input is in crash-input\n");
    std::abort();
}

void call(const std::string& input) {
    current = &input;
    try {
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "not caught: %s\n", error.what());
        keep_and_abort();
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::uint64_t runs = 1000, seed = 1, most = 4096;
    std::vector<std::string> seeds;
    const auto add = [&](const fs::path& file) {
        std::ifstream in(file, std::ios::binary);
        seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    };
    for (const std::string_view argument : std::vector<std::string_view>(argv + 1, argv + argc)) {
        if (argument.starts_with("-runs="))
            runs = number(argument.substr(6));
        else if (argument.starts_with("-seed="))
            seed = number(argument.substr(6));
        else if (argument.starts_with("-max_len="))
            most = number(argument.substr(9));
        else if (fs::is_directory(argument))
            for (const auto& entry : fs::directory_iterator(argument)) add(entry.path());
        else
            add(argument);
    }
    std::ranges::sort(seeds);  // a folder has no order
    if (seeds.empty()) seeds.emplace_back();
    for (const std::string& one : seeds) call(one);
    Mutator mutator(seeds, seed, most);
    for (std::uint64_t k = 0; k < runs; ++k) call(mutator.next());
    std::printf("%llu inputs\n", static_cast<unsigned long long>(seeds.size() + runs));
    return 0;
}
