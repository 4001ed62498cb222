// SPDX-License-Identifier: BSD-3-Clause
// Reads triangles; trusts no count and no index.
#include "surface_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gltf_file.hpp"
#include "little_endian.hpp"
#include "welder.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

// --- binary STL

constexpr std::size_t kStlHeader = 84;
constexpr std::size_t kStlFacet = 50;

TriangleMesh read_binary_stl(std::string_view bytes) {
    if (bytes.size() < kStlHeader)
        throw SurfaceError(
            fmt::format("is cut short: it has {} bytes, and an STL file begins with {}",
                        bytes.size(),
                        kStlHeader));
    const std::uint64_t count = little_endian(bytes, 80);
    const std::uint64_t wanted = kStlHeader + kStlFacet * count;
    if (wanted != bytes.size())
        throw SurfaceError(
            fmt::format("is damaged: it says that it holds {} triangles, which take "
                        "{} bytes, and has {}",
                        count,
                        wanted,
                        bytes.size()));
    if (count > kMostTriangles) throw SurfaceError(too_many(count));
    Welder welder;
    for (std::size_t facet = 0; facet < count; ++facet) {
        std::array<std::int32_t, 3> t{};
        for (std::size_t corner = 0; corner < 3; ++corner) {
            Point p{};
            for (std::size_t k = 0; k < 3; ++k) {
                // behind the normal
                const std::size_t at = kStlHeader + kStlFacet * facet + 12 + 12 * corner + 4 * k;
                p[k] = std::bit_cast<float>(little_endian(bytes, at));
                if (!std::isfinite(p[k]))
                    throw SurfaceError(fmt::format("corner {} of triangle {} of {} is not finite",
                                                   corner + 1,
                                                   facet + 1,
                                                   count));
            }
            t[corner] = welder.index(p);
        }
        welder.add(t);
    }
    return welder.take();
}

// --- text

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/// Words of a text, with their places.
class Words {
public:
    explicit Words(std::string_view text) : text_(text) {}

    /// The next word of this line; empty at its end. A backslash at the end of a line goes on in
    /// the next one.
    std::string_view next() {
        while (true) {
            while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
            if (at_ < text_.size() && text_[at_] == '\\' && ends_line(at_ + 1)) {
                ++at_;
                while (at_ < text_.size() && text_[at_] != '\n') ++at_;
                break_line();
                continue;
            }
            break;
        }
        word_ = at_;
        while (at_ < text_.size() && text_[at_] != '\n' && !is_blank(text_[at_])) ++at_;
        return text_.substr(word_, at_ - word_);
    }
    /// The next word of this line or of those that follow; empty at the end of the text.
    std::string_view next_of_text() {
        while (true) {
            const std::string_view word = next();
            if (!word.empty() || !next_line()) return word;
        }
    }
    /// Goes to the next line; false at the end of the text.
    bool next_line() {
        at_ = std::min(text_.find('\n', at_), text_.size());
        if (at_ == text_.size()) return false;
        break_line();
        return true;
    }
    int line() const { return line_; }
    int column() const { return static_cast<int>(word_ - begin_) + 1; }

    [[noreturn]] void refuse(const std::string& message) const {
        throw SurfaceError(message, line_, column());
    }
    /// "A" or "the end of the line".
    static std::string found(std::string_view word) {
        return word.empty() ? "the end of the line" : in_quotes(word);
    }
    float number(const char* what) {
        std::string_view word = next();
        const std::string_view written = word;
        if (word.starts_with('+')) word.remove_prefix(1);
        double x = 0.0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), x);
        if (error != std::errc() || end != word.data() + word.size()) {
            // what is too small for a double is zero
            if (error == std::errc::result_out_of_range && end == word.data() + word.size() &&
                word.find("e-") != std::string_view::npos)
                return 0.0F;
            refuse(fmt::format("{}: expected a number, got {}", what, found(written)));
        }
        const auto y = static_cast<float>(x);
        if (!std::isfinite(x) || !std::isfinite(y))
            refuse(fmt::format("{}: expected a finite number, got {}", what, found(written)));
        return y;
    }
    Point point(const char* what) {
        Point p{};
        for (float& x : p) x = number(what);
        return p;
    }

private:
    bool ends_line(std::size_t at) const {
        while (at < text_.size() && is_blank(text_[at])) ++at;
        return at < text_.size() && text_[at] == '\n';
    }
    void break_line() {
        ++at_;  // the line break
        ++line_;
        begin_ = word_ = at_;
    }

    std::string_view text_;
    std::size_t at_ = 0, word_ = 0, begin_ = 0;
    int line_ = 1;
};

bool is_word(std::string_view word, std::string_view lower) {
    if (word.size() != lower.size()) return false;
    for (std::size_t i = 0; i < word.size(); ++i) {
        const char c = word[i];
        if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != lower[i]) return false;
    }
    return true;
}

void expect(Words& words, std::initializer_list<std::string_view> wanted) {
    for (const std::string_view expected : wanted) {
        const std::string_view word = words.next_of_text();
        if (is_word(word, expected)) continue;
        words.refuse(word.empty()
                         ? fmt::format("ends where \"{}\" is expected", expected)
                         : fmt::format("expected \"{}\", got {}", expected, in_quotes(word)));
    }
}

/// solid NAME, then facets of three corners each, endsolid NAME; again for more solids.
TriangleMesh read_text_stl(std::string_view text) {
    Words words(text);
    Welder welder;
    std::size_t count = 0;
    while (true) {
        const std::string_view word = words.next_of_text();
        if (word.empty()) return welder.take();
        if (is_word(word, "solid") || is_word(word, "endsolid")) {
            words.next_line();  // the name
            continue;
        }
        if (!is_word(word, "facet"))
            words.refuse(
                fmt::format("expected \"facet\" or \"endsolid\", got {}", in_quotes(word)));
        if (++count > kMostTriangles) words.refuse(too_many(count));
        words.next_line();  // its normal, which follows from the corners
        expect(words, {"outer", "loop"});
        std::array<std::int32_t, 3> t{};
        for (std::int32_t& corner : t) {
            expect(words, {"vertex"});
            corner = welder.index(words.point("vertex"));
        }
        expect(words, {"endloop", "endfacet"});
        welder.add(t);
    }
}

TriangleMesh read_stl(std::string_view bytes) {
    // Binary files may begin with "solid" too; their size says what they are.
    const bool fits =
        bytes.size() >= kStlHeader &&
        bytes.size() == kStlHeader + kStlFacet * std::uint64_t{little_endian(bytes, 80)};
    std::size_t at = 0;
    while (at < bytes.size() && (is_blank(bytes[at]) || bytes[at] == '\n')) ++at;
    const bool is_text =
        is_word(bytes.substr(at, 5), "solid") && bytes.find('\0') == std::string_view::npos;
    return is_text && !fits ? read_text_stl(bytes) : read_binary_stl(bytes);
}

// --- OBJ

/// The point that a corner of a face names: "7", "7/1", "7//3", "-1" for the last one so far.
std::int32_t corner_of(std::string_view word, std::size_t num_points, const Words& words) {
    std::int64_t n = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), n);
    if (error != std::errc() || (end != word.data() + word.size() && *end != '/'))
        words.refuse(fmt::format("f: expected the number of a point, got {}", in_quotes(word)));
    const auto most = static_cast<std::int64_t>(num_points);
    const std::int64_t index = n > 0 ? n - 1 : most + n;
    if (n == 0 || index < 0 || index >= most)
        words.refuse(fmt::format("f: there is no point {}; up to here there are {}", n, most));
    return static_cast<std::int32_t>(index);
}

TriangleMesh read_obj(std::string_view text) {
    Words words(text);
    Welder welder;
    std::vector<std::int32_t> points;
    std::size_t count = 0;
    do {
        const std::string_view word = words.next();
        if (word == "v") {
            if (points.size() == 3 * kMostTriangles)
                words.refuse(fmt::format("has more than {} points", points.size()));
            points.push_back(welder.index(words.point("v")));
        } else if (word == "f") {
            std::array<std::int32_t, 3> t{};
            std::size_t corners = 0;
            for (std::string_view next = words.next(); !next.empty(); next = words.next()) {
                const std::int32_t n = corner_of(next, points.size(), words);
                t[1] = t[2];
                t[2] = points[n];
                if (++corners == 1) t[0] = t[2];
                if (corners < 3) continue;
                if (++count > kMostTriangles) words.refuse(too_many(count));
                welder.add(t);
            }
            if (corners < 3)
                words.refuse(
                    fmt::format("f: a face has three corners or more, this one {}", corners));
        }
    } while (words.next_line());
    return welder.take();
}

}  // namespace

TriangleMesh read_surface(std::string_view bytes,
                          SurfaceFormat format,
                          const ReadNeighbour& read_neighbour) {
    switch (format) {
        case SurfaceFormat::stl:
            return read_stl(bytes);
        case SurfaceFormat::obj:
            return read_obj(bytes);
        case SurfaceFormat::gltf:
            break;
    }
    return read_gltf(bytes, read_neighbour);
}

}  // namespace ancora
