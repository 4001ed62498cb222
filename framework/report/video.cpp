// SPDX-License-Identifier: BSD-3-Clause
// Chooses the frames of a video, has them drawn, and writes its file.
#include "ancora/framework/video.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nettle/base64.h>
#include <nlohmann/json.hpp>

#include "ancora/framework/error.hpp"
#include "ancora/framework/version.hpp"
#include "file_writer.hpp"
#include "headless_page.hpp"
#include "page_text.hpp"
#include "page_tracks.hpp"
#include "png_mark.hpp"
#include "results.hpp"
#include "traps_off.hpp"
#include "video_container.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kNote = "Ancora video";
constexpr std::string_view kVideoKind = "a video of a run";

constexpr double kRate = 30.0;    // about as many pictures per second if nothing is said
constexpr double kSmooth = 24.0;  // pictures per second that look like motion
constexpr double kMostRate = 1000.0;
constexpr std::size_t kMostPictures = 100'000;
// What can be left out, as film.begin() knows it.
constexpr std::string_view kParts[] = {"grid", "joints", "points", "forces"};
constexpr int kLeastSide = 16, kMostSide = 8192;  // [px]
constexpr int kPageHeight = 720;  // letters and lines are as thick as in a picture of this height
constexpr std::size_t kPiece = std::size_t{1} << 23;  // bytes of the scene's text in one message
constexpr std::size_t kTogether = 8;                  // pictures that are asked for in one

[[noreturn]] void refuse(const std::string& why) {
    throw Error(ErrorKind::usage, why);
}

enum class VideoKind { mp4, webm, png };

VideoKind kind_of(const fs::path& file) {
    const std::string ending = file.extension().string();
    if (ending == ".mp4") return VideoKind::mp4;
    if (ending == ".webm") return VideoKind::webm;
    if (ending == ".png") return VideoKind::png;
    refuse(fmt::format("\"{}\": a video ends in .mp4 or .webm, a series of pictures in .png",
                       file.string()));
}

std::string mark_of(VideoKind kind) {
    const std::string note(kNote);
    return kind == VideoKind::mp4    ? mp4_end(note)
           : kind == VideoKind::webm ? webm_end(note)
                                     : png_end(note);
}

// --- which frames

/// 1, 2 or 5 times a power of ten, not above x.
double round_below(double x) {
    const double power = std::pow(10.0, std::floor(std::log10(x)));
    const double digit = x / power * (1.0 + 1e-9);
    return power * (digit >= 5.0 ? 5.0 : digit >= 2.0 ? 2.0 : 1.0);
}

/// The next of these numbers.
double next_round(double x) {
    return round_below(2.6 * x);
}

/// Which frames a video shows, as the page of the run plays it.
struct Choice {
    std::vector<std::size_t> frames;    ///< that are shown, once each, in ascending order
    std::vector<std::size_t> pictures;  ///< index into `frames` of each
    VideoSummary summary;
};

struct TimedFrame {
    std::size_t frame;
    double time;
};

/// The frames that have a row.
std::vector<TimedFrame> timed_frames(const Frames& frames, const std::vector<double>& times) {
    std::vector<TimedFrame> out;
    for (std::size_t f = 0; f < frames.count(); ++f)
        if (frames.row(f) < times.size() &&
            (out.empty() || times[frames.row(f)] >= out.back().time))
            out.push_back({f, times[frames.row(f)]});
    return out;
}

/// Real time if it can be followed; else faster, or as slow as there are frames for.
double fitting_speed(double length, double frames_per_second) {
    if (length >= 4.0 && length <= 40.0) return 1.0;
    const double wanted = round_below(length / 12.0);
    if (wanted >= 1.0 || !(length > 0.0) || !(frames_per_second > kSmooth))
        return std::max(1.0, wanted);
    const double slowest = round_below(kSmooth / frames_per_second);
    return std::max(wanted, slowest * frames_per_second < kSmooth ? next_round(slowest) : slowest);
}

/// Pictures per second near kRate of which each falls on a frame, if frames come at equal times.
double fitting_rate(double frames_per_second) {
    if (!(frames_per_second > 0.0)) return kRate;
    // Of the rates f/k the one next to kRate in proportion; frames that come more rarely are shown
    // once each.
    const double k = std::max(1.0, std::floor(frames_per_second / kRate));
    const double above = frames_per_second / k, below = frames_per_second / (k + 1.0);
    const bool is_above = above < kRate || above / kRate < kRate / below;
    return std::clamp(std::round(1e3 * (is_above ? above : below)) / 1e3, 1.0, kMostRate);
}

Choice choose(const std::vector<TimedFrame>& all, const VideoOptions& options) {
    const double first = all.front().time, last = all.back().time;
    const double from = options.from.value_or(first), to = options.to.value_or(last);
    if (!(from <= to)) refuse(fmt::format("a video from {} s to {} s runs backwards", from, to));
    const double slack = 1e-9 * (last - first);
    if (to < first - slack || from > last + slack)
        refuse(fmt::format("the run has frames from {} s to {} s, and none from {} s to {} s",
                           first,
                           last,
                           from,
                           to));
    const double begin = std::max(from, first), end = std::min(to, last);

    Choice out;
    const double length = end - begin;
    const auto in = std::ranges::count_if(all, [&](const TimedFrame& one) {
        return one.time >= begin - slack && one.time <= end + slack;
    });
    // Frames per second of the run.
    const double density =
        length > 0.0 ? static_cast<double>(std::max<std::ptrdiff_t>(in - 1, 0)) / length : 0.0;
    out.summary.speed = options.speed.value_or(fitting_speed(length, density));
    out.summary.rate = options.rate.value_or(fitting_rate(out.summary.speed * density));

    const double count = std::floor(length / out.summary.speed * out.summary.rate + 1e-6) + 1.0;
    if (!(count <= static_cast<double>(kMostPictures)))
        refuse(
            fmt::format("{:.0f} pictures are more than the {} of one video; show the run faster "
                        "(--speed), less of it (--from, --to) or fewer per second (--fps)",
                        count,
                        kMostPictures));
    out.summary.pictures = static_cast<std::size_t>(count);
    for (std::size_t k = 0; k < out.summary.pictures; ++k) {
        const double t = begin + static_cast<double>(k) * out.summary.speed / out.summary.rate;
        auto next = std::ranges::lower_bound(all, t, {}, &TimedFrame::time);
        if (next == all.end() || (next != all.begin() && t - (next - 1)->time < next->time - t))
            --next;
        if (!out.frames.empty() && out.frames.back() == next->frame)
            ++out.summary.repeated;
        else
            out.frames.push_back(next->frame);
        out.pictures.push_back(out.frames.size() - 1);
    }
    return out;
}

void check_options(const VideoOptions& options, VideoKind kind) {
    const auto is_positive = [](double x) {
        return std::isfinite(x) && x > 0.0;
    };
    if (options.speed && !is_positive(*options.speed))
        refuse(fmt::format("a speed of {} shows no motion", *options.speed));
    if (options.rate && (!is_positive(*options.rate) || *options.rate > kMostRate))
        refuse(fmt::format("{} pictures per second are none that is shown; from above 0 to {}",
                           *options.rate,
                           kMostRate));
    for (const int side : {options.width, options.height})
        if (side < kLeastSide || side > kMostSide)
            refuse(fmt::format("a picture of {} by {} pixels: each side has {} to {}",
                               options.width,
                               options.height,
                               kLeastSide,
                               kMostSide));
    if (kind != VideoKind::png && (options.width % 2 != 0 || options.height % 2 != 0))
        refuse(
            fmt::format("a video of {} by {} pixels: both must be even, since colours are coded "
                        "for two by two of them",
                        options.width,
                        options.height));
    for (const std::optional<double>& t : {options.from, options.to})
        if (t && !std::isfinite(*t)) refuse("a time at which a video begins or ends is a number");
    if (options.view && !(std::abs((*options.view)[1]) <= 1.5707963267948968))
        refuse("the elevation of the eye is from -90 to 90 degrees");
    if (options.view && !std::isfinite((*options.view)[0]))
        refuse("the azimuth of the eye is a number");
    for (const std::string& what : options.without)
        if (std::ranges::find(kParts, what) == std::end(kParts))
            refuse(fmt::format("\"{}\" is nothing that can be left out; there are {}",
                               what,
                               fmt::join(kParts, ", ")));
}

// --- drawing

std::string from_base64(const std::string& text) {
    base64_decode_ctx context;
    base64_decode_init(&context);
    std::string out(BASE64_DECODE_LENGTH(text.size()), '\0');
    std::size_t size = out.size();
    if (base64_decode_update(&context,
                             &size,
                             reinterpret_cast<std::uint8_t*>(out.data()),
                             text.size(),
                             text.data()) == 0 ||
        base64_decode_final(&context) == 0)
        throw Error(ErrorKind::file, "the browser that draws the pictures has sent no base64");
    out.resize(size);
    return out;
}

/// Pixels drawn per pixel of the page, so that letters and lines keep their share of the picture.
double ratio_of(int width, int height) {
    for (const double ratio : {8.0, 6.0, 4.0, 3.0, 2.0, 1.5})
        if (height >= ratio * kPageHeight && std::fmod(width, ratio) == 0.0 &&
            std::fmod(height, ratio) == 0.0)
            return ratio;
    return 1.0;
}

/// The page of the video, as a picture after the other.
class Film {
public:
    Film(const std::string& scene, const VideoOptions& options, std::size_t all)
        : options_(options),
          all_(all),
          ratio_(ratio_of(options.width, options.height)),
          page_(page_of("Ancora",
                        {{"format", kPageFormat},
                         {"generator", "Ancora " + std::string(version())},
                         {"film", true}}),
                {static_cast<int>(options.width / ratio_),
                 static_cast<int>(options.height / ratio_),
                 ratio_},
                [this] {
                    return is_ended();
                }) {
        for (std::size_t at = 0; at < scene.size(); at += kPiece)
            call("take", Json(scene.substr(at, kPiece)).dump());
        Json view = nullptr;
        if (options.view) view = *options.view;
        const auto names = call("begin",
                                Json{{"width", options.width},
                                     {"height", options.height},
                                     {"theme", options.is_dark ? "dark" : "light"},
                                     {"colour", options.colour.value_or("")},
                                     {"view", view},
                                     {"without", options.without}}
                                    .dump())
                               .get<std::vector<std::string>>();
        if (!options.colour || *options.colour == "none" ||
            std::ranges::find(names, *options.colour) != names.end())
            return;
        refuse(names.empty()
                   ? "nothing in this run has numbers that would colour it"
                   : fmt::format("nothing in this run is coloured by \"{}\"; there {} \"{}\"",
                                 *options.colour,
                                 names.size() == 1 ? "is" : "are",
                                 fmt::join(names, "\", \"")));
    }

    std::string png(std::size_t frame) {
        ++done_;
        return from_base64(call("png", std::to_string(frame)).get<std::string>());
    }

    CodedVideo record(VideoKind kind, double rate, std::span<const std::size_t> pictures) {
        const bool is_mp4 = kind == VideoKind::mp4;
        const std::string codec =
            call("record", fmt::format("'{}', {}", is_mp4 ? "mp4" : "webm", rate))
                .get<std::string>();
        if (codec.empty())
            throw Error(ErrorKind::file,
                        fmt::format("this Chromium cannot code videos for .{}; write {}",
                                    is_mp4 ? "mp4 (H.264)" : "webm (VP9, VP8)",
                                    is_mp4 ? "one that ends in .webm, or pictures, .png"
                                           : "pictures, .png"));
        CodedVideo out;
        out.width = options_.width;
        out.height = options_.height;
        out.rate = rate;
        out.is_vp8 = codec == "vp8";
        for (std::size_t at = 0; at < pictures.size(); at += kTogether) {
            const auto some = pictures.subspan(at, std::min(kTogether, pictures.size() - at));
            take(out, call("encode", fmt::format("[{}], {}", fmt::join(some, ","), at)));
            done_ += some.size();
        }
        take(out, call("end", ""));
        if (out.pictures.size() != pictures.size() || (is_mp4 && out.description.empty()))
            throw Error(ErrorKind::file,
                        fmt::format("the browser has coded {} pictures of {}",
                                    out.pictures.size(),
                                    pictures.size()));
        return out;
    }

private:
    bool is_ended() const { return options_.progress && !options_.progress(done_, all_); }

    Json call(const char* name, const std::string& arguments) {
        return page_.evaluate(fmt::format("report.film.{}({})", name, arguments));
    }

    static int number_of(const Json& colours, const char* key) {
        // The names of WebCodecs, by the numbers of ITU-T H.273.
        constexpr std::pair<std::string_view, int> kNumbers[] = {{"rgb", 0},
                                                                 {"bt709", 1},
                                                                 {"bt470bg", 5},
                                                                 {"smpte170m", 6},
                                                                 {"bt2020", 9},
                                                                 {"bt2020-ncl", 9},
                                                                 {"iec61966-2-1", 13},
                                                                 {"linear", 8}};
        const auto text = colours.find(key);
        if (text == colours.end() || !text->is_string()) return 2;
        for (const auto& [name, number] : kNumbers)
            if (text->get_ref<const std::string&>() == name) return number;
        return 2;
    }

    static void take(CodedVideo& to, const Json& chunks) {
        for (const Json& chunk : chunks) {
            if (chunk.value("number", -1L) != static_cast<long>(to.pictures.size()))
                throw Error(ErrorKind::file, "the browser has left out a picture of the video");
            to.pictures.push_back(
                {from_base64(chunk.value("data", "")), chunk.value("key", false)});
            if (chunk.contains("description"))
                to.description = from_base64(chunk.value("description", ""));
            if (chunk.contains("colours"))
                to.colours = {number_of(chunk["colours"], "primaries"),
                              number_of(chunk["colours"], "transfer"),
                              number_of(chunk["colours"], "matrix")};
        }
    }

    const VideoOptions& options_;
    std::size_t all_, done_ = 0;
    double ratio_;
    HeadlessPage page_;
};

// --- files

/// FILE_0001.png
fs::path numbered(const fs::path& file, std::size_t number) {
    fs::path out = file;
    out.replace_filename(
        fmt::format("{}_{:04}{}", file.stem().string(), number, file.extension().string()));
    return out;
}

void write_pictures(const fs::path& file, const Choice& choice, Film& film) {
    const std::string mark = mark_of(VideoKind::png);
    const std::size_t count = choice.pictures.size();
    std::string picture;
    for (std::size_t k = 0; k < count; ++k) {
        if (k == 0 || choice.pictures[k] != choice.pictures[k - 1])
            picture = with_png_end(film.png(choice.pictures[k]), mark);
        replace_file(
            count == 1 ? file : numbered(file, k + 1), picture, mark, kVideoKind, MarkAt::end);
    }
    // Of an earlier series that was longer.
    std::error_code error;
    for (std::size_t k = count > 1 ? count + 1 : 1;; ++k)
        if (const fs::path rest = numbered(file, k);
            !has_mark(rest, mark, MarkAt::end) || !fs::remove(rest, error))
            return;
}

}  // namespace

VideoSummary write_video(const fs::path& folder,
                         const fs::path& file,
                         const VideoOptions& options) {
    const TrapsOff traps_off;
    const VideoKind kind = kind_of(file);
    check_options(options, kind);
    require_results(folder);
    const std::optional<Frames> frames = Frames::open(folder);
    const std::vector<double> times = times_of(History(folder / "history.csv"));
    const std::vector<TimedFrame> all =
        frames ? timed_frames(*frames, times) : std::vector<TimedFrame>{};
    if (all.empty())
        throw Error(ErrorKind::file,
                    fmt::format("\"{}\" has no frames; run the model without `frames = 0` in "
                                "[output]",
                                folder.string()));
    const Choice choice = choose(all, options);

    if (std::error_code error;
        file.has_parent_path() && !fs::is_directory(file.parent_path(), error))
        throw Error(
            ErrorKind::file,
            fmt::format("there is no folder \"{}\" for the video", file.parent_path().string()));
    const std::string mark = mark_of(kind);
    const bool is_series = kind == VideoKind::png && choice.pictures.size() > 1;
    if (!is_series) require_replaceable(file, mark, kVideoKind, MarkAt::end);
    for (std::size_t k = 1; is_series && k <= choice.pictures.size(); ++k)
        require_replaceable(numbered(file, k), mark, kVideoKind, MarkAt::end);

    VideoSummary summary = choice.summary;
    // In letters of ASCII alone, which any place parts.
    const std::string scene = page_scene(*frames, times, choice.frames)
                                  .dump(-1, ' ', true, Json::error_handler_t::replace);
    try {
        Film film(scene, options, choice.pictures.size());
        if (kind == VideoKind::png) {
            write_pictures(file, choice, film);
        } else {
            const CodedVideo video = film.record(kind, summary.rate, choice.pictures);
            const std::string note(kNote);
            replace_file(file,
                         kind == VideoKind::mp4 ? mp4_file(video, note) : webm_file(video, note),
                         mark,
                         kVideoKind,
                         MarkAt::end);
        }
    } catch (const HeadlessPage::Interrupted&) {
        summary.is_complete = false;
    }
    return summary;
}

}  // namespace ancora
