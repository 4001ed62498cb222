// SPDX-License-Identifier: BSD-3-Clause
// Reads a study: a model, the parameters that are varied, the values that are reported of each
// case.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "ancora/framework/manifest.hpp"
#include "ancora/framework/sweep.hpp"
#include "case_run.hpp"
#include "file_writer.hpp"
#include "mistakes.hpp"
#include "sample_plans.hpp"
#include "toml_reader.hpp"
#include "toml_writer.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& message, const Place& place) {
    throw Error(ErrorKind::manifest, message, place);
}

/// A table of the study, whose keys are taken one by one; what is left over is unknown.
class Section {
public:
    Section(std::string what, const Table& table, Place place)
        : what_(std::move(what)), table_(table), place_(std::move(place)) {}

    const Value* find(std::string_view key) {
        if (std::ranges::find(known_, key) == known_.end()) known_.emplace_back(key);
        const Table::Entry* const entry = table_.find(key);
        return entry == nullptr ? nullptr : &entry->value;
    }
    const Value& required(std::string_view key) {
        const Value* const value = find(key);
        if (value == nullptr)
            refuse(fmt::format("{}: the key {} is missing", what_, in_quotes(key)), place_);
        return *value;
    }
    template <class T>
    const T& as(const Value& value, std::string_view key, const char* expected) const {
        const T* const data = value.as<T>();
        if (data == nullptr)
            refuse(
                fmt::format("{}: {}: expected {}, got {}", what_, key, expected, in_words(value)),
                value.place());
        return *data;
    }
    const std::string& text(std::string_view key) {
        return as<std::string>(required(key), key, "a text");
    }
    double number(const Value& value, std::string_view key) const {
        double x = std::numeric_limits<double>::quiet_NaN();
        if (const auto* const whole = value.as<std::int64_t>())
            x = static_cast<double>(*whole);
        else
            x = as<double>(value, key, "a number");
        if (!std::isfinite(x))
            refuse(fmt::format("{}: {}: the number is not finite", what_, key), value.place());
        return x;
    }
    /// A number, or one with a unit in quotes.
    struct Measured {
        double value;        ///< in that unit
        std::string unit;    ///< empty: none
        double scale = 1.0;  ///< of the unit in SI units
        Dimension dimension{};
    };
    Measured measured(std::string_view key) {
        const Value& value = required(key);
        const auto* const text = value.as<std::string>();
        if (text == nullptr) return {number(value, key), "", 1.0, {}};
        const std::optional<Quantity> whole = quantity_of(*text);
        const std::string unit = whole ? text->substr(text->find(' ') + 1) : "";
        const std::optional<Quantity> one = quantity_of("1 " + unit);
        if (!whole || !one)
            refuse(
                fmt::format("{}: {}: expected a number, or one with its unit such as \"10 deg\", "
                            "got {}",
                            what_,
                            key,
                            in_quotes(*text)),
                value.place());
        return {whole->value / one->value, unit, one->value, whole->dimension};
    }
    double number(std::string_view key) { return number(required(key), key); }
    std::int64_t whole(std::string_view key, std::int64_t least, std::int64_t most) {
        const Value& value = required(key);
        const auto x = as<std::int64_t>(value, key, "a whole number");
        if (x < least || x > most)
            refuse(fmt::format(
                       "{}: {} must lie between {} and {}, not be {}", what_, key, least, most, x),
                   value.place());
        return x;
    }
    std::vector<std::string> texts(std::string_view key) {
        std::vector<std::string> out;
        if (const Value* const value = find(key))
            for (const Value& entry : as<Array>(*value, key, "an array of texts"))
                out.push_back(as<std::string>(entry, key, "an array of texts"));
        return out;
    }
    /// Of a key's value, or the section's.
    Place place_of(std::string_view key) {
        const Value* const value = find(key);
        return value != nullptr ? value->place() : place_;
    }
    void finish() const {
        for (const Table::Entry& entry : table_.entries())
            if (std::ranges::find(known_, entry.key) == known_.end())
                refuse(fmt::format("{}: unknown key {}{}",
                                   what_,
                                   in_quotes(entry.key),
                                   hint(entry.key, known_, "there are")),
                       entry.place);
    }
    const std::string& what() const { return what_; }
    const Place& place() const { return place_; }

private:
    std::string what_;
    const Table& table_;
    Place place_;
    std::vector<std::string> known_;
};

std::string checked_key(const std::string& key, const Section& in, const Place& place) {
    if (key.empty() || key.find('=') != std::string::npos || key.find('.') == std::string::npos)
        refuse(fmt::format("{}: {} is no key as after --set, TABLE.KEY or KIND.NAME.KEY",
                           in.what(),
                           in_quotes(key)),
               place);
    return key;
}

/// A number between two ends, evenly or by equal ratios.
struct Range {
    std::string key;
    double from = 0.0, to = 0.0;
    std::string unit{};  ///< of both; empty: none
    bool is_logarithmic = false;

    double at(double part) const {
        if (is_logarithmic) return from * std::pow(to / from, part);
        return from + (to - from) * part;
    }
    /// As after `--set KEY=`.
    std::string text(double x) const {
        return unit.empty() ? toml_number(x) : fmt::format("\"{} {}\"", toml_number(x), unit);
    }
};

Range read_range(Section& in) {
    Range range;
    const Value& key = in.required("key");
    range.key = checked_key(in.as<std::string>(key, "key", "a text"), in, key.place());
    const Section::Measured from = in.measured("from"), to = in.measured("to");
    if (from.unit.empty() != to.unit.empty())
        refuse(fmt::format("{}: from and to need units both, or none", in.what()),
               in.place_of(from.unit.empty() ? "from" : "to"));
    if (from.dimension != to.dimension)
        refuse(fmt::format("{}: to is in {} and from in {}", in.what(), to.unit, from.unit),
               in.place_of("to"));
    range.from = from.value;
    range.to = to.unit == from.unit ? to.value : to.value * to.scale / from.scale;
    range.unit = from.unit;
    if (const Value* const scale = in.find("scale")) {
        const auto& text = in.as<std::string>(*scale, "scale", "a text");
        if (text != "linear" && text != "log")
            refuse(fmt::format(
                       "{}: scale is \"linear\" or \"log\", not {}", in.what(), in_quotes(text)),
                   scale->place());
        range.is_logarithmic = text == "log";
        if (range.is_logarithmic && !(range.from * range.to > 0.0))
            refuse(
                fmt::format("{}: a logarithmic scale needs ends of one sign, and not 0", in.what()),
                scale->place());
    }
    return range;
}

/// The cells of a line of CSV: by RFC 4180, without line breaks in cells.
std::vector<std::string> cells_of(std::string_view line, const Section& in, std::size_t number) {
    std::vector<std::string> cells;
    std::size_t at = 0;
    while (true) {
        std::string cell;
        if (at < line.size() && line[at] == '"') {
            ++at;
            while (true) {
                if (at >= line.size())
                    refuse(fmt::format("{}: line {}: a quote is not closed", in.what(), number),
                           in.place());
                if (line[at] == '"') {
                    if (at + 1 < line.size() && line[at + 1] == '"')
                        ++at;
                    else
                        break;
                }
                cell += line[at++];
            }
            ++at;
        } else {
            while (at < line.size() && line[at] != ',') cell += line[at++];
        }
        const std::size_t first = cell.find_first_not_of(" \t");
        cells.push_back(first == std::string::npos
                            ? ""
                            : cell.substr(first, cell.find_last_not_of(" \t") - first + 1));
        if (at >= line.size()) return cells;
        if (line[at] != ',')
            refuse(fmt::format("{}: line {}: a comma is missing behind a quote", in.what(), number),
                   in.place());
        ++at;
    }
}

StudyFactor read_csv(Section& in, const fs::path& folder, std::string& files) {
    const Value& value = in.required("file");
    const fs::path path = folder / in.as<std::string>(value, "file", "a text");
    const std::string text = read_text_file(path, "the table of cases");
    files += text;
    StudyFactor factor;
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t end = text.find('\n', begin);
        if (end == std::string::npos) end = text.size();
        std::string_view line(text.data() + begin, end - begin);
        if (line.ends_with('\r')) line.remove_suffix(1);
        begin = end + 1;
        ++number;
        if (number == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
        if (line.empty()) continue;
        std::vector<std::string> cells = cells_of(line, in, number);
        if (factor.keys.empty()) {
            for (const std::string& key : cells)
                factor.keys.push_back(checked_key(key, in, value.place()));
            continue;
        }
        if (cells.size() != factor.keys.size())
            refuse(fmt::format("{}: line {} of {} has {} cells, its first line {}",
                               in.what(),
                               number,
                               in_quotes(path.string()),
                               cells.size(),
                               factor.keys.size()),
                   value.place());
        // What is no TOML is a text: hinge and "hinge" are the same.
        for (std::string& cell : cells) cell = toml_value(parse_value(cell));
        factor.variants.push_back(std::move(cells));
    }
    return factor;
}

StudyFactor read_plan(Section& in) {
    const Value& value = in.required("method");
    const auto& method = in.as<std::string>(value, "method", "a text");
    const std::vector<std::string> methods = {"latin_hypercube", "sobol"};
    if (std::ranges::find(methods, method) == methods.end())
        refuse(fmt::format("{}: there is no method {}{}",
                           in.what(),
                           in_quotes(method),
                           hint(method, methods, "there are")),
               value.place());
    const auto count = static_cast<std::size_t>(in.whole("count", 1, kMostCases));
    std::uint64_t seed = method == "sobol" ? 0 : 1;
    if (in.find("seed") != nullptr)
        seed = static_cast<std::uint64_t>(
            in.whole("seed", 0, std::numeric_limits<std::int64_t>::max()));
    std::vector<Range> ranges;
    const Value& list = in.required("ranges");
    for (const Value& entry : in.as<Array>(list, "ranges", "an array of tables")) {
        Section range(
            in.what() + ": ranges", in.as<Table>(entry, "ranges", "a table"), entry.place());
        ranges.push_back(read_range(range));
        range.finish();
    }
    if (ranges.empty() || ranges.size() > kMostPlanDimensions)
        refuse(fmt::format("{}: ranges: 1 to {} of them, not {}",
                           in.what(),
                           kMostPlanDimensions,
                           ranges.size()),
               list.place());
    if (count * ranges.size() > kMostCases)
        refuse(fmt::format(
                   "{}: {} points in {} dimensions are too many", in.what(), count, ranges.size()),
               value.place());
    const auto points = method == "sobol" ? sobol(count, ranges.size(), seed)
                                          : latin_hypercube(count, ranges.size(), seed);
    StudyFactor factor;
    for (const Range& range : ranges) factor.keys.push_back(range.key);
    for (const std::vector<double>& point : points) {
        std::vector<std::string>& variant = factor.variants.emplace_back();
        for (std::size_t d = 0; d < ranges.size(); ++d)
            variant.push_back(ranges[d].text(ranges[d].at(point[d])));
    }
    return factor;
}

StudyFactor read_factor(Section& in, const fs::path& folder, std::string& files) {
    StudyFactor factor;
    if (in.find("file") != nullptr) return read_csv(in, folder, files);
    if (in.find("method") != nullptr) return read_plan(in);
    if (in.find("keys") != nullptr) {
        const Value& keys = in.required("keys");
        for (const std::string& key : in.texts("keys"))
            factor.keys.push_back(checked_key(key, in, keys.place()));
        for (const Value& row : in.as<Array>(in.required("rows"), "rows", "an array of rows")) {
            const Array& values = in.as<Array>(row, "rows", "a row, an array of values");
            if (values.size() != factor.keys.size())
                refuse(fmt::format("{}: rows: {} values for {} keys",
                                   in.what(),
                                   values.size(),
                                   factor.keys.size()),
                       row.place());
            std::vector<std::string>& variant = factor.variants.emplace_back();
            for (const Value& value : values) variant.push_back(toml_value(value));
        }
        return factor;
    }
    if (in.find("values") != nullptr) {
        const Value& key = in.required("key");
        factor.keys = {checked_key(in.as<std::string>(key, "key", "a text"), in, key.place())};
        for (const Value& value :
             in.as<Array>(in.required("values"), "values", "an array of values"))
            factor.variants.push_back({toml_value(value)});
        return factor;
    }
    const Range range = read_range(in);
    const auto count = static_cast<std::size_t>(in.whole("count", 1, kMostCases));
    factor.keys = {range.key};
    for (std::size_t i = 0; i < count; ++i) {
        // Both ends are met exactly.
        const double x = i == 0 ? range.from
                         : i + 1 == count
                             ? range.to
                             : range.at(static_cast<double>(i) / static_cast<double>(count - 1));
        factor.variants.push_back({range.text(x)});
    }
    return factor;
}

void read_measures(Section& in, std::vector<StudyColumn>& to) {
    const auto add_column = [&](StudyColumn column) {
        if (std::ranges::find(to, column.name, &StudyColumn::name) != to.end())
            refuse(fmt::format("[results]: {} is asked for twice", in_quotes(column.name)),
                   column.place);
        to.push_back(std::move(column));
    };
    const auto add = [&](const char* key, StudyColumn::Take take, const char* ending) {
        for (const std::string& column : in.texts(key))
            add_column({column + ending, column, take, 0.0, in.place_of(key)});
    };
    add("final", StudyColumn::Take::final, "");
    add("minimum", StudyColumn::Take::minimum, ".min");
    add("maximum", StudyColumn::Take::maximum, ".max");
    add("largest", StudyColumn::Take::largest, ".largest");
    add("integral", StudyColumn::Take::integral, ".integral");
    add("mean", StudyColumn::Take::mean, ".mean");
    if (const Value* const at = in.find("at"))
        for (const Value& entry : in.as<Array>(*at, "at", "an array of tables")) {
            Section item(in.what() + ": at", in.as<Table>(entry, "at", "a table"), entry.place());
            const std::string column = item.text("column");
            const double time = item.number("time");
            if (time < 0.0) refuse("[results]: at: the time is negative", entry.place());
            add_column({fmt::format("{} at {}", column, time),
                        column,
                        StudyColumn::Take::at,
                        time,
                        entry.place()});
            item.finish();
        }
}

}  // namespace

Study Study::load(const fs::path& file) {
    return parse(read_text_file(file, "the study"), file);
}

Study Study::parse(std::string_view text, const fs::path& file) {
    Study study;
    study.file = file;
    study.text = text;
    const auto shown = std::make_shared<const std::string>(file.empty() ? "study" : file.string());
    const Table root = read_toml(text, shown);
    Place whole;
    whole.file = shown;
    const fs::path folder = file.parent_path();

    Mistakes mistakes;
    Section top("study", root, whole);
    mistakes.gather([&] {
        const Value& value = top.required("study");
        Section in("[study]", top.as<Table>(value, "study", "a table"), value.place());
        study.model = folder / in.text("model");
        study.name = in.find("name") != nullptr ? in.text("name") : file.stem().string();
        study.set = in.texts("set");
        study.set_place = in.place_of("set");
        if (const Value* const runs = in.find("runs"))
            study.keep_runs = in.as<bool>(*runs, "runs", "true or false");
        in.finish();
    });
    mistakes.gather([&] {
        const Value* const vary = top.find("vary");
        if (vary == nullptr) return;
        std::size_t number = 0;
        for (const Value& entry : top.as<Array>(*vary, "vary", "tables, [[vary]]")) {
            ++number;
            mistakes.gather([&] {
                Section in(fmt::format("[[vary]] {}", number),
                           top.as<Table>(entry, "vary", "a table"),
                           entry.place());
                study.factors.push_back(read_factor(in, folder, study.files));
                in.finish();
                for (const char* key : {"ranges", "file", "keys", "key"})
                    if (in.find(key) != nullptr) study.factors.back().place = in.place_of(key);
                if (study.factors.back().variants.empty())
                    refuse(fmt::format("[[vary]] {} has no values", number), entry.place());
            });
        }
    });
    mistakes.gather([&] {
        const Value* const value = top.find("results");
        if (value == nullptr) return;
        Section in("[results]", top.as<Table>(*value, "results", "a table"), value->place());
        read_measures(in, study.measures);
        in.finish();
    });
    mistakes.gather([&] {
        const Value* const value = top.find("slurm");
        if (value == nullptr) return;
        Section in("[slurm]", top.as<Table>(*value, "slurm", "a table"), value->place());
        if (in.find("tasks") != nullptr)
            study.slurm.tasks = static_cast<int>(in.whole("tasks", 1, 10'000));
        if (in.find("time") != nullptr) study.slurm.time = in.text("time");
        if (in.find("memory") != nullptr) study.slurm.memory = in.text("memory");
        study.slurm.options = in.texts("options");
        for (const std::string& line : study.slurm.options)
            if (line.find('\n') != std::string::npos)
                refuse("[slurm]: options: an option is one line", value->place());
        in.finish();
    });
    mistakes.gather([&] {
        top.find("optimise");  // of `ancora optimise`
        top.finish();
    });
    mistakes.refuse();

    std::vector<std::string> keys = study.keys();
    std::ranges::sort(keys);
    if (const auto twice = std::ranges::adjacent_find(keys); twice != keys.end())
        refuse(fmt::format("{} is varied twice", in_quotes(*twice)), whole);
    double count = 1.0;
    for (const StudyFactor& factor : study.factors)
        count *= static_cast<double>(factor.variants.size());
    if (count > static_cast<double>(kMostCases))
        refuse(fmt::format("{:.0f} cases are too many; there may be {}", count, kMostCases), whole);
    study.model_text = read_text_file(study.model, "the manifest");
    return study;
}

std::size_t Study::num_cases() const {
    std::size_t count = 1;
    for (const StudyFactor& factor : factors) count *= factor.variants.size();
    return count;
}

std::vector<std::string> Study::keys() const {
    std::vector<std::string> out;
    for (const StudyFactor& factor : factors)
        out.insert(out.end(), factor.keys.begin(), factor.keys.end());
    return out;
}

std::vector<std::string> Study::values(std::size_t index) const {
    std::vector<const std::vector<std::string>*> chosen(factors.size());
    for (std::size_t f = factors.size(); f-- > 0;) {
        const std::size_t count = factors[f].variants.size();
        chosen[f] = &factors[f].variants[index % count];
        index /= count;
    }
    std::vector<std::string> out;
    for (const auto* const variant : chosen)
        out.insert(out.end(), variant->begin(), variant->end());
    return out;
}

std::vector<std::string> Study::overrides(std::size_t index) const {
    std::vector<std::string> out = set;
    const std::vector<std::string> names = keys();
    const std::vector<std::string> texts = values(index);
    for (std::size_t i = 0; i < names.size(); ++i) out.push_back(names[i] + "=" + texts[i]);
    return out;
}

const Place& Study::place_of_override(std::size_t number) const {
    if (number < set.size()) return set_place;
    number -= set.size();
    for (const StudyFactor& factor : factors) {
        if (number < factor.keys.size()) return factor.place;
        number -= factor.keys.size();
    }
    throw std::out_of_range("there are fewer overrides");
}

std::string Study::header() const {
    std::string line = "case";
    for (const std::string& key : keys()) line.append(1, ',').append(csv_cell(key));
    line += ",status,exit,t,steps";
    for (const StudyColumn& measure : measures) line.append(1, ',').append(csv_cell(measure.name));
    return line.append(",message");
}

}  // namespace ancora
