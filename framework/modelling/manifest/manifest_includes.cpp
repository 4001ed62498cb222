// SPDX-License-Identifier: BSD-3-Clause
// include = ["common.toml"]: one manifest of several files.
#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "file_writer.hpp"
#include "manifest_reader.hpp"
#include "toml_reader.hpp"
#include "toml_writer.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;

// A key to which two included files give different values.
struct Conflict {
    std::vector<std::string> path;
    Place first;
    Place second;
};

std::string where(const Place& place) {
    return fmt::format("{}:{}:{}", *place.file, place.line, place.column);
}

// Adds the entries of `from` to `into`; where both have a key, `into` keeps its own. With
// `conflicts`, keys with different values are noted there.
void merge_table(Table& into,
                 Table from,
                 const std::vector<std::string>& path,
                 std::vector<Conflict>* conflicts) {
    // Those of `from` are different, so what is added need not be found again.
    std::unordered_map<std::string, std::size_t> places;
    for (const Table::Entry& entry : into.entries()) places.emplace(entry.key, places.size());
    for (Table::Entry& entry : from.entries()) {
        const auto place = places.find(entry.key);
        if (place == places.end()) {
            into.add(std::move(entry));
            continue;
        }
        Table::Entry* const known = &into.entries()[place->second];
        std::vector<std::string> path_here = path;
        path_here.push_back(entry.key);
        Table* const known_table = std::get_if<Table>(&known->value.data());
        Table* const table = std::get_if<Table>(&entry.value.data());
        if (known_table != nullptr && table != nullptr)
            merge_table(*known_table, std::move(*table), path_here, conflicts);
        else if (conflicts != nullptr && toml_value(known->value) != toml_value(entry.value))
            conflicts->push_back({path_here, known->place, entry.place});
    }
}

bool has_path(const Table& root, const std::vector<std::string>& path) {
    const Table* table = &root;
    for (const std::string& key : path) {
        const Table::Entry* const entry = table != nullptr ? table->find(key) : nullptr;
        if (entry == nullptr) return false;
        table = entry->value.as<Table>();
    }
    return true;
}

void append(Table& root, Table::Entry entry) {
    Table::Entry* const known = root.find(entry.key);
    if (known == nullptr) {
        root.add(std::move(entry));
        return;
    }
    auto& to = std::get<Array>(known->value.data());
    auto& from = std::get<Array>(entry.value.data());
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

class Joiner {
public:
    explicit Joiner(const fs::path& file) {
        std::error_code ignored;
        const fs::path identity = fs::canonical(file, ignored);
        chain_.emplace_back(identity.empty() ? file : identity, file);
    }

    void join(Table& root, const fs::path& file) {
        const Table::Entry* const include = root.find("include");
        if (include == nullptr) return;
        const Value names = include->value;
        root.erase("include");

        // files that are named together have equal rights
        Table joined;
        std::vector<Conflict> conflicts;
        for (const auto& [name, place] : texts(names)) {
            Table part = read(name, place, file);
            for (Table::Entry& entry : part.entries()) {
                if (table_form(entry.key) == TableForm::list) {
                    append(joined, std::move(entry));
                } else {
                    Table one;
                    one.add(std::move(entry));
                    merge_table(joined, std::move(one), {}, &conflicts);
                }
            }
        }
        for (const Conflict& conflict : conflicts)
            if (!has_path(root, conflict.path))
                throw Error(ErrorKind::manifest,
                            fmt::format("{}: this value and the one at {} differ, and both files "
                                        "are included; decide in {}",
                                        fmt::join(conflict.path, "."),
                                        where(conflict.first),
                                        file.empty() ? "the manifest" : file.string()),
                            conflict.second);

        // the including file goes first with its keys, and last with its objects
        for (Table::Entry& entry : root.entries()) {
            if (table_form(entry.key) != TableForm::list) continue;
            append(joined, std::move(entry));
            entry.value = Value(Array{}, entry.value.place());
        }
        for (Table::Entry& entry : joined.entries())
            if (table_form(entry.key) == TableForm::list) root.erase(entry.key);
        merge_table(root, std::move(joined), {}, nullptr);
    }

private:
    std::vector<PlacedText> texts(const Value& names) const {
        std::vector<PlacedText> out;
        if (const auto* const name = names.as<std::string>()) out.push_back({*name, names.place()});
        const Array* const array = names.as<Array>();
        bool is_right = array != nullptr || !out.empty();
        if (array != nullptr)
            for (const Value& entry : *array) {
                const auto* const name = entry.as<std::string>();
                is_right = is_right && name != nullptr;
                if (name != nullptr) out.push_back({*name, entry.place()});
            }
        if (!is_right)
            throw Error(ErrorKind::manifest,
                        fmt::format("include: expected an array of names of files, got {}",
                                    in_words(names)),
                        names.place());
        return out;
    }

    // One included file with all that it includes.
    Table read(const std::string& name, const Place& place, const fs::path& from) {
        const fs::path file = (from.parent_path() / name).lexically_normal();
        std::error_code error;
        const fs::path identity = fs::canonical(file, error);
        if (error) refuse(file, error.message(), place);
        if (!fs::is_regular_file(identity)) refuse(file, "this is no file", place);
        if (std::ranges::find(chain_, identity, &std::pair<fs::path, fs::path>::first) !=
            chain_.end())
            refuse_cycle(identity, file, place);
        // objects once, however many files include them
        if (const auto known = done_.find(identity); known != done_.end()) return known->second;

        auto text_file = std::make_shared<const std::string>(file.string());
        std::string text;
        try {
            text = read_text_file(file, "the included file");
        } catch (const Error& failure) {
            throw Error(ErrorKind::file,
                        fmt::format("include: {}: {}", in_quotes(file.string()), failure.message()),
                        place);
        }
        Table root = read_toml(text, text_file);
        Mistakes mistakes;
        check_outline(root, mistakes);
        mistakes.refuse();
        name_joints(root);
        chain_.emplace_back(identity, file);
        join(root, file);
        chain_.pop_back();

        Table singles;
        for (const Table::Entry& entry : root.entries())
            if (table_form(entry.key) == TableForm::single) singles.add(entry);
        done_.emplace(identity, std::move(singles));
        return root;
    }

    [[noreturn]] static void refuse(const fs::path& file,
                                    const std::string& why,
                                    const Place& place) {
        throw Error(ErrorKind::file,
                    fmt::format("include: cannot read {}: {}; a relative path begins at the folder "
                                "of the file that names it",
                                in_quotes(file.string()),
                                why),
                    place);
    }

    [[noreturn]] void refuse_cycle(const fs::path& identity,
                                   const fs::path& file,
                                   const Place& place) const {
        std::string chain;
        bool is_in_cycle = false;
        for (const auto& [known, name] : chain_) {
            is_in_cycle = is_in_cycle || known == identity;
            if (is_in_cycle) chain += name.string() + " -> ";
        }
        throw Error(ErrorKind::manifest,
                    fmt::format("include: the file includes itself: {}{}", chain, file.string()),
                    place);
    }

    std::vector<std::pair<fs::path, fs::path>> chain_;  // canonical, and as it is shown
    std::map<fs::path, Table> done_;                    // single tables by canonical path
};

}  // namespace

void join_includes(Table& root, const fs::path& file) {
    if (root.find("include") != nullptr) Joiner(file).join(root, file);
}

}  // namespace ancora
