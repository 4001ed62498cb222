// SPDX-License-Identifier: BSD-3-Clause
// Letters, words and numbers of a formula's text, and what is said about them.
#pragma once

#include <charconv>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "ancora/sdk/formula/error.hpp"
#include "ancora/sdk/formula/nearest_name.hpp"

namespace ancora::detail {

/// A place in a text and the steps that a reader by recursive descent takes from there; what it
/// does not find is a FormulaError.
class FormulaScanner {
public:
    static constexpr std::size_t kMaxLength = 4096;
    static constexpr int kMaxDepth = 64;

    /// How messages call what is read.
    struct Kind {
        std::string_view name;      ///< "formula"
        bool notes_others = false;  ///< says of what is no ASCII character that it is none
    };

    static constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
    static constexpr bool is_letter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }
    static constexpr bool is_word(char c) { return is_letter(c) || is_digit(c); }

protected:
    FormulaScanner(std::string_view text, Kind kind) : text_(text), kind_(kind) {}
    ~FormulaScanner() = default;

    bool at_end() const { return at_ >= text_.size(); }
    char peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    void skip_space() {
        constexpr std::string_view kSpace = " \t\r\n";
        while (!at_end() && kSpace.find(peek()) != std::string_view::npos) ++at_;
    }
    /// Goes to what comes next and returns where that is.
    std::size_t next() {
        skip_space();
        return at_;
    }
    bool accept(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    bool number_begins() const { return is_digit(peek()) || (peek() == '.' && is_digit(peek(1))); }

    std::string_view read_word() {
        const std::size_t begin = at_;
        while (is_word(peek())) ++at_;
        return text_.substr(begin, at_ - begin);
    }

    double read_number() {
        double value = 0.0;
        const auto [stop, error] =
            std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (error == std::errc::result_out_of_range)
            fail(at_, "found a number that is too large or too small for double precision");
        if (error != std::errc()) fail_found("a number");
        at_ = static_cast<std::size_t>(stop - text_.data());
        return value;
    }

    /// Reads what closes the bracket at `bracket`.
    void close(std::size_t bracket, char closing = ')') {
        skip_space();
        if (!accept(closing))
            fail_found(std::string("\"") + closing + "\" to close \"" + text_[bracket] +
                       "\" at position " + std::to_string(bracket + 1));
    }

    /// Calls `read_one` for each of the arguments in brackets that begin here.
    template <class Read>
    void read_arguments(const Read& read_one) {
        const std::size_t bracket = at_++;
        skip_space();
        if (peek() != ')') {
            do read_one();
            while (skip_space(), accept(','));
        }
        close(bracket);
    }

    /// @param wanted -1: two or more
    static void check_arguments(std::string_view function,
                                int wanted,
                                std::size_t count,
                                std::size_t begin) {
        if (wanted < 0 ? count >= 2 : count == static_cast<std::size_t>(wanted)) return;
        fail(begin,
             "found " + std::to_string(count) + (count == 1 ? " argument" : " arguments") +
                 " of \"" + std::string(function) + "\", expected " +
                 (wanted < 0 ? "two or more" : std::to_string(wanted)));
    }

    /// @param not_counted  characters that may stand beyond the limit
    void check_length(std::size_t not_counted = 0) const {
        if (const std::size_t length = text_.size() - not_counted; length > kMaxLength)
            fail(kMaxLength,
                 "the " + std::string(kind_.name) + " has " + std::to_string(length) +
                     " characters, expected at most " + std::to_string(kMaxLength));
    }

    /// `; did you mean "sin"?`, or nothing.
    static std::string suggestion(std::string_view name, std::span<const std::string> known) {
        const std::string near = nearest_of(name, known, 1);
        return near.empty() ? "" : "; did you mean \"" + near + "\"?";
    }

    /// What stands at the current place, in quotes.
    std::string found() const {
        if (at_end()) return "the end of the " + std::string(kind_.name);
        const auto is_high = [](char c, unsigned char mask, unsigned char bits) {
            return (static_cast<unsigned char>(c) & mask) == bits;
        };
        std::size_t last = at_ + 1;
        if (is_word(peek()))
            while (last < text_.size() && is_word(text_[last])) ++last;
        else  // the rest of a character of several bytes
            while (last < text_.size() && is_high(text_[last], 0xc0, 0x80)) ++last;
        std::string out = "\"";
        out.append(text_.substr(at_, last - at_)).append("\"");
        if (kind_.notes_others && is_high(peek(), 0x80, 0x80)) out += " (no ASCII character)";
        return out;
    }
    [[noreturn]] void fail_found(const std::string& expected) const {
        fail(at_, "found " + found() + ", expected " + expected);
    }
    /// `at` counts from 0.
    [[noreturn]] static void fail(std::size_t at, const std::string& message) {
        throw FormulaError(at + 1, message);
    }

    /// Counts how deep the rules are nested while it lives.
    class Level {
    public:
        explicit Level(FormulaScanner& scanner) : depth_(scanner.depth_) {
            if (++depth_ > kMaxDepth)
                fail(scanner.at_,
                     "the " + std::string(scanner.kind_.name) +
                         " is nested too deep, expected at most " + std::to_string(kMaxDepth) +
                         " levels");
        }
        ~Level() { --depth_; }
        Level(const Level&) = delete;
        Level& operator=(const Level&) = delete;

    private:
        int& depth_;
    };

    std::string_view text_;
    std::size_t at_ = 0;

private:
    Kind kind_;
    int depth_ = 0;
};

}  // namespace ancora::detail
