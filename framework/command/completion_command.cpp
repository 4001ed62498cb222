// SPDX-License-Identifier: BSD-3-Clause
// `ancora completion`: scripts that let a shell complete command lines, made of the same tables as
// the help.
#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "ancora/framework/plugin_registry.hpp"
#include "commands.hpp"
#include "table.hpp"

namespace ancora::command {
namespace {

// --- what is completed

/// What may stand where help says WORD.
enum class Kind { nothing, model, file, folder, type, plugin, kind, shell };

Kind kind_of(std::string_view word) {
    if (word == "MODEL.toml") return Kind::model;
    if (word == "FILE") return Kind::file;
    if (word == "DIR" || word == "[OTHER]") return Kind::folder;
    if (word == "TYPE") return Kind::type;
    if (word == "PLUGIN") return Kind::plugin;
    if (word == "KIND") return Kind::kind;
    if (word == "SHELL") return Kind::shell;
    return Kind::nothing;
}

constexpr const char* kKinds = "body constraint force integrator";
constexpr const char* kShells = "bash zsh fish";

/// The words by which help names a command's operands.
std::vector<std::string> operands(const Command& command) {
    std::istringstream words(command.operand != nullptr ? command.operand : "");
    std::vector<std::string> out;
    for (std::string word; words >> word;) out.push_back(word);
    return out;
}

/// Replaces each of `characters` by itself behind a backslash.
std::string escaped(std::string_view text, std::string_view characters) {
    std::string out;
    for (const char c : text) {
        if (characters.find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

/// In single quotes of a POSIX shell.
std::string shell_quoted(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'')
            out += "'\\''";
        else
            out += c;
    }
    return out + '\'';
}

// The first clause; lists of a shell have one line for each.
std::string short_doc(const std::string& doc) {
    return doc.substr(0, doc.find_first_of(";("));
}

// --- bash

std::string bash_words(Kind kind) {
    switch (kind) {
        case Kind::model:
            return "_ancora_files '*.toml'";
        case Kind::file:
            return "_ancora_files '*'";
        case Kind::folder:
            return "_ancora_folders";
        case Kind::type:
            return "_ancora_words \"$(\"$ancora\" completion types 2>/dev/null)\"";
        case Kind::plugin:
            return "_ancora_words \"$(\"$ancora\" completion plugins 2>/dev/null)\"; "
                   "[[ ${COMPREPLY[*]} ]] || _ancora_files '*.so'";
        case Kind::kind:
            return fmt::format("_ancora_words '{}'", kKinds);
        case Kind::shell:
            return fmt::format("_ancora_words '{}'", kShells);
        case Kind::nothing:
            break;
    }
    return ":";
}

std::string bash_script(std::span<const Command> commands) {
    std::string names;
    std::string cases;
    for (const Command& command : commands) {
        names += fmt::format("{} ", command.name);
        std::string options;
        std::string values;
        for (const OptionText& option : option_texts(command)) {
            options += fmt::format("--{} ", option.name);
            if (!option.value.empty())
                values += fmt::format("                --{}) {}; return ;;\n",
                                      option.name,
                                      bash_words(kind_of(option.value)));
        }
        std::string places;
        int place = 0;
        for (const std::string& word : operands(command))
            places +=
                fmt::format("                {}) {} ;;\n", place++, bash_words(kind_of(word)));
        cases += fmt::format(
            "        {})\n            case $before in\n{}            esac\n"
            "            if [[ $word == -* ]]; then _ancora_words '{}'; return; fi\n",
            command.name,
            values,
            options);
        if (!places.empty())
            cases += fmt::format("            case $operands in\n{}            esac\n", places);
        cases += "            ;;\n";
    }
    std::string global;
    for (const OptionText& option : common_option_texts())
        global += fmt::format("--{} ", option.name);
    return fmt::format(R"bash(# bash completion for ancora, made by "ancora completion bash"

_ancora_words() {{
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word")
}}

_ancora_files() {{
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$word"; compgen -f -X "!$1" -- "$word")
}}

_ancora_folders() {{
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$word")
}}

_ancora() {{
    local ancora=${{COMP_WORDS[0]}} word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
    local command='' operands=0 i
    COMPREPLY=()
    # --out=DIR is three words here
    if [[ $word == = ]]; then
        word=''
    elif [[ $before == = ]]; then
        before=${{COMP_WORDS[COMP_CWORD-2]}}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${{COMP_WORDS[i]}} in
            {}) [[ ${{COMP_WORDS[i+1]}} == = ]] && ((i++)); ((i++)) ;;
            -* | =) ;;
            *) if [[ -z $command ]]; then command=${{COMP_WORDS[i]}}; else ((operands++)); fi ;;
        esac
    done
    case $command in
        '') _ancora_words '{}{}--version' ;;
{}    esac
}}

complete -F _ancora ancora
)bash",
                       fmt::join(options_with_values(commands), " | "),
                       names,
                       global,
                       cases);
}

// --- zsh

std::string zsh_action(Kind kind) {
    switch (kind) {
        case Kind::model:
            return "_files -g \"*.toml(-.)\"";
        case Kind::file:
            return "_files";
        case Kind::folder:
            return "_files -/";
        case Kind::type:
            return "{_ancora_listed types}";
        case Kind::plugin:
            return "{_ancora_listed plugins}";
        case Kind::kind:
            return fmt::format("({})", kKinds);
        case Kind::shell:
            return fmt::format("({})", kShells);
        case Kind::nothing:
            break;
    }
    return " ";
}

std::string zsh_option(const OptionText& option) {
    const std::string doc = escaped(short_doc(option.doc), "[]:\\");
    const std::string value =
        option.value.empty()
            ? ""
            : fmt::format(":{}:{}", option.value, zsh_action(kind_of(option.value)));
    const bool takes_value = !option.value.empty();
    return shell_quoted(fmt::format("{}--{}{}[{}]{}",
                                    option.is_repeatable ? "*" : "",
                                    option.name,
                                    takes_value ? "=" : "",
                                    doc,
                                    value));
}

std::string zsh_script(std::span<const Command> commands) {
    std::string names;
    std::string cases;
    for (const Command& command : commands) {
        names += fmt::format(
            "        {}\n",
            shell_quoted(fmt::format("{}:{}", command.name, escaped(command.doc, ":\\"))));
        cases += fmt::format("        {})\n            _arguments", command.name);
        for (const OptionText& option : option_texts(command))
            cases += fmt::format(" \\\n                {}", zsh_option(option));
        int place = 1;
        for (const std::string& word : operands(command))
            cases += fmt::format(
                " \\\n                {}",
                shell_quoted(fmt::format("{}:{}:{}", place++, word, zsh_action(kind_of(word)))));
        cases += "\n            ;;\n";
    }
    std::string global;
    for (const OptionText& option : common_option_texts())
        global += fmt::format("        {} \\\n", zsh_option(option));
    return fmt::format(R"zsh(#compdef ancora
# zsh completion for ancora, made by "ancora completion zsh"

_ancora_listed() {{
    local -a names
    names=(${{(f)"$($ancora_program completion $1 2>/dev/null)"}})
    compadd -a names
    [[ $1 == plugins ]] && _files -g "*.so(-.)"
}}

_ancora() {{
    local curcontext="$curcontext" state line ancora_program=$words[1]
    local -a commands
    commands=(
{}    )
    _arguments -C \
{}        '--version[show the version]' \
        '1:command:->command' \
        '*::argument:->argument'
    case $state in
        command) _describe command commands; return ;;
        argument) ;;
        *) return ;;
    esac
    case $words[1] in
{}    esac
}}

_ancora "$@"
)zsh",
                       names,
                       global,
                       cases);
}

// --- fish

std::string fish_action(Kind kind) {
    switch (kind) {
        case Kind::model:
            return " -k -a '(__fish_complete_suffix .toml)'";
        case Kind::file:
            return " -F";
        case Kind::folder:
            return " -a '(__fish_complete_directories)'";
        case Kind::type:
            return " -a '(ancora completion types 2>/dev/null)'";
        case Kind::plugin:
            return " -k -a '(ancora completion plugins 2>/dev/null; __fish_complete_suffix .so)'";
        case Kind::kind:
            return fmt::format(" -a '{}'", kKinds);
        case Kind::shell:
            return fmt::format(" -a '{}'", kShells);
        case Kind::nothing:
            break;
    }
    return "";
}

std::string fish_quoted(std::string_view text) {
    return fmt::format("'{}'", escaped(text, "'\\"));
}

std::string fish_script(std::span<const Command> commands) {
    std::string text =
        "# fish completion for ancora, made by \"ancora completion fish\"\n\n"
        "complete -c ancora -f\n"
        "complete -c ancora -n __fish_use_subcommand -l version -d 'show the "
        "version'\n";
    for (const Command& command : commands) {
        text += fmt::format("\ncomplete -c ancora -n __fish_use_subcommand -a {} -d {}\n",
                            command.name,
                            fish_quoted(command.doc));
        const std::string condition =
            fmt::format("complete -c ancora -n '__fish_seen_subcommand_from {}'", command.name);
        for (const std::string& word : operands(command))
            if (const std::string action = fish_action(kind_of(word)); !action.empty())
                text += fmt::format("{}{}\n", condition, action);
        for (const OptionText& option : option_texts(command))
            text +=
                fmt::format("{} -l {} -d {}{}\n",
                            condition,
                            option.name,
                            fish_quoted(short_doc(option.doc)),
                            option.value.empty() ? "" : " -x" + fish_action(kind_of(option.value)));
    }
    return text;
}

// --- names that the scripts ask for

std::string listed(bool plugins) {
    PluginRegistry registry;
    std::set<std::string> names;
    for (const ListedPlugin& listed : registry.list()) {
        if (!listed.problem.empty()) continue;
        if (plugins) names.insert(listed.name);
        for (const auto& [kind, name] : listed.types)
            if (!plugins) names.insert(name);
    }
    std::string text;
    for (const std::string& name : names) text += name + "\n";
    return text;
}

}  // namespace

int completion(const Options& options) {
    const std::string& what = options.operand;
    if (what == "bash")
        write_out(bash_script(commands()));
    else if (what == "zsh")
        write_out(zsh_script(commands()));
    else if (what == "fish")
        write_out(fish_script(commands()));
    else if (what == "types" || what == "plugins")
        write_out(listed(what == "plugins"));
    else
        throw Error(ErrorKind::usage,
                    fmt::format("there is no script for \"{}\"; write bash, zsh or fish", what));
    return 0;
}

}  // namespace ancora::command
