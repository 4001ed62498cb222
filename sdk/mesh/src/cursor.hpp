// SPDX-License-Identifier: BSD-3-Clause
// Reads words and numbers off the text of a mesh file and remembers where they stood.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "ancora/mesh/mesh.hpp"

namespace ancora::mesh {

/// A position in a text. `what` in its functions says what should stand there: "a node's x".
class Cursor {
public:
    /// `offset`: of the text in its file.
    explicit Cursor(std::string_view text, std::size_t offset = 0) : text_(text), base_(offset) {}

    /// Where the word that was read last begins in the file.
    std::size_t offset() const { return base_ + last_; }
    /// How many bytes are left. Every word takes two, so a count above half of it is a lie.
    std::size_t remaining() const { return text_.size() - at_; }

    /// Skips white space; true at the end of the text.
    bool at_end() {
        skip(false);
        return at_ == text_.size();
    }
    std::string_view word(std::string_view what) { return next(what, false); }
    /// The same, but on the line of the word before.
    std::string_view word_on_line(std::string_view what) { return next(what, true); }
    /// The next word, left where it is; empty at the end.
    std::string_view peek() {
        const std::size_t at = at_, last = last_;
        const std::string_view found = at_end() ? std::string_view() : word("");
        at_ = at;
        last_ = last;
        return found;
    }

    double number(std::string_view what) { return to_number(word(what), what); }
    double number_on_line(std::string_view what) { return to_number(word_on_line(what), what); }
    /// A whole number from `low` to `high`.
    std::int64_t whole(std::string_view what,
                       std::int64_t low,
                       std::int64_t high = std::numeric_limits<std::int64_t>::max()) {
        return to_whole(word(what), what, low, high);
    }
    std::int64_t whole_on_line(std::string_view what,
                               std::int64_t low,
                               std::int64_t high = std::numeric_limits<std::int64_t>::max()) {
        return to_whole(word_on_line(what), what, low, high);
    }
    /// How many of something follow, each of at least one word.
    std::size_t count(std::string_view what) {
        const std::int64_t n = whole(what, 0);
        if (static_cast<std::uint64_t>(n) > remaining() / 2 + 1)
            fail(std::string(what) + " is " + std::to_string(n) +
                 ", more than the rest of the file holds; it is cut short, or the number is wrong");
        return static_cast<std::size_t>(n);
    }

    /// The rest of the line.
    std::string_view line() {
        const std::size_t begin = at_;
        last_ = begin;
        at_ = std::min(text_.find('\n', at_), text_.size());
        std::string_view found = text_.substr(begin, at_ - begin);
        if (at_ < text_.size()) ++at_;
        if (found.ends_with('\r')) found.remove_suffix(1);
        return found;
    }
    /// True if nothing else stands on the line.
    bool at_line_end() {
        skip(true);
        return at_ == text_.size() || text_[at_] == '\n';
    }
    void end_line(std::string_view after) {
        if (at_line_end()) return;
        const std::string_view more = word("");
        fail("expected the end of the line after " + std::string(after) + ", found " + shown(more));
    }
    /// Skips to behind `mark`; false, and nothing skipped, if it does not come any more.
    bool skip_past(std::string_view mark) {
        const std::size_t found = text_.find(mark, at_);
        if (found == std::string_view::npos) return false;
        at_ = found + mark.size();
        return true;
    }

    // --- bytes of numbers

    /// Whether the highest byte stands where this machine has the lowest.
    void swap_bytes(bool are_swapped) { are_swapped_ = are_swapped; }
    template <class T>
    T raw(std::string_view what) {
        last_ = at_;
        if (remaining() < sizeof(T))
            fail("the file ends where " + std::string(what) + " should stand; it is cut short");
        std::array<char, sizeof(T)> bytes{};
        std::copy_n(text_.data() + at_, sizeof(T), bytes.data());
        if (are_swapped_) std::ranges::reverse(bytes);
        at_ += sizeof(T);
        return std::bit_cast<T>(bytes);
    }
    template <class T>
    std::int64_t raw_whole(std::string_view what,
                           std::int64_t low,
                           std::int64_t high = std::numeric_limits<std::int64_t>::max()) {
        return in_range(raw<T>(what), what, low, high);
    }
    double raw_number(std::string_view what) {
        const double x = raw<double>(what);
        if (!std::isfinite(x)) fail(std::string(what) + " is not a finite number");
        return x;
    }
    /// How many of something follow, each of at least four bytes.
    std::size_t raw_count(std::string_view what) {
        const std::int64_t n = raw_whole<std::int64_t>(what, 0);
        if (static_cast<std::uint64_t>(n) > remaining() / 4 + 1)
            fail(std::string(what) + " is " + std::to_string(n) +
                 ", more than the rest of the file holds; it is cut short, or the number is wrong");
        return static_cast<std::size_t>(n);
    }

    [[noreturn]] void fail(const std::string& message) const { throw MeshError(offset(), message); }

    /// A piece of the file in quotes, shortened and printable.
    static std::string shown(std::string_view text) {
        std::string out = "\"";
        for (const char c : text.substr(0, 40)) out += c >= ' ' && c <= '~' ? c : '?';
        return out + (text.size() > 40 ? "...\"" : "\"");
    }

private:
    static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

    void skip(bool on_line) {
        while (at_ < text_.size() && is_space(text_[at_]) && !(on_line && text_[at_] == '\n'))
            ++at_;
    }
    std::string_view next(std::string_view what, bool on_line) {
        skip(on_line);
        last_ = at_;
        if (at_ == text_.size())
            fail("the file ends where " + std::string(what) + " should stand; it is cut short");
        if (text_[at_] == '\n') fail("the line ends where " + std::string(what) + " should stand");
        while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
        return text_.substr(last_, at_ - last_);
    }
    double to_number(std::string_view word, std::string_view what) const {
        double x = 0.0;
        parse(word, what, "a number", x);
        if (!std::isfinite(x))
            fail(std::string(what) + " is " + shown(word) + ", not a finite number");
        return x;
    }
    std::int64_t to_whole(std::string_view word,
                          std::string_view what,
                          std::int64_t low,
                          std::int64_t high) const {
        std::int64_t n = 0;
        parse(word, what, "a whole number", n);
        return in_range(n, what, low, high);
    }
    std::int64_t in_range(std::int64_t n,
                          std::string_view what,
                          std::int64_t low,
                          std::int64_t high) const {
        if (n < low || n > high)
            fail(std::string(what) + " is " + std::to_string(n) + ", but must be " +
                 (n < low ? "at least " + std::to_string(low) : "at most " + std::to_string(high)));
        return n;
    }
    template <class T>
    void parse(std::string_view word, std::string_view what, const char* kind, T& out) const {
        const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
        const char* const end = digits.data() + digits.size();
        const auto [stop, error] = std::from_chars(digits.data(), end, out);
        if (error == std::errc::result_out_of_range && std::floating_point<T>) {
            out = 0.0;  // below the smallest number, or above the largest
            if (digits.find("e-") == std::string_view::npos &&
                digits.find("E-") == std::string_view::npos)
                out = std::numeric_limits<T>::infinity();
            return;
        }
        if (error != std::errc() || stop != end)
            fail("expected " + std::string(what) + ", " + kind + ", found " + shown(word));
    }

    std::string_view text_;
    std::size_t base_;
    std::size_t at_ = 0;
    std::size_t last_ = 0;
    bool are_swapped_ = false;
};

}  // namespace ancora::mesh
