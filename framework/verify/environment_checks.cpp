// SPDX-License-Identifier: BSD-3-Clause
// Checks of what a plugin does to its process: while it works, and when the process ends.
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.hpp"
#include "fp_environment.hpp"
#include "process_state.hpp"
#include "processes.hpp"

namespace ancora::verify {
namespace {

namespace fs = std::filesystem;

constexpr int kEndSeconds = 5;

/// Runs a call of the plugin and refuses what it changed in the process.
template <class Call>
void require_left_alone(const std::string& name, Call&& call) {
    const ProcessState before = ProcessState::capture();
    const FpEnvironment numbers = FpEnvironment::capture();
    call();
    std::string changes;
    if (numbers.differs())
        changes =
            "changed the floating-point environment (rounding, flush to zero or exceptions) "
            "and did not restore it";
    numbers.restore();
    if (const std::string more = before.changes(); !more.empty())
        changes += (changes.empty() ? "" : ", ") + more;
    before.restore();
    if (!changes.empty()) throw Failure(name + ' ' + changes);
}

/// A folder of its own, which goes away with the object.
class EmptyFolder {
public:
    EmptyFolder() {
        std::string name = (fs::temp_directory_path() / "ancora-verify-XXXXXX").string();
        if (::mkdtemp(name.data()) != nullptr) path_ = name;
    }
    ~EmptyFolder() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }
    EmptyFolder(const EmptyFolder&) = delete;

    const fs::path& path() const { return path_; }
    /// Name of something in it; empty if there is nothing.
    std::string content() const {
        std::error_code failed;
        // The record of a call that was ended is the kernel's.
        for (const auto& entry : fs::directory_iterator(path_, failed))
            if (entry.path().filename() != "failed_call.toml")
                return entry.path().filename().string();
        return "";
    }

private:
    fs::path path_;
};

/// Makes an object, its calls and a short run in a copy of this process whose working folder is
/// empty. What ends it is for other checks to tell.
void require_no_files(Subject& subject, const Example& example) {
    const EmptyFolder folder;
    if (folder.path().empty()) return;
    std::fflush(nullptr);
    std::cout.flush();
    const pid_t copy = ::fork();
    if (copy < 0) return;
    if (copy == 0) {
        std::error_code failed;
        fs::current_path(folder.path(), failed);
        if (failed) ::_exit(1);
        try {
            if (subject.type.kind == TypeKind::integrator) {
                static_cast<void>(example.make());
            } else {
                const Bench bench(example);
                Random random(subject.seed);
                for (const StepCall& call : bench.calls)
                    for (int k = 0; k < 2; ++k)
                        results(call, bench.object, inputs(call, random), 0.0);
            }
            RunSettings settings;
            settings.integrator = example.integrators().front();
            Simulation simulation = example.simulate(settings);
            for (int k = 0; k < 3 && !simulation.done(); ++k) simulation.step();
        } catch (...) {
            ::_exit(1);
        }
        ::_exit(0);
    }
    bool has_ended = false;
    for (int k = 0; k < kEndSeconds * 1000 && !has_ended; ++k) {
        has_ended = ::waitpid(copy, nullptr, WNOHANG) == copy;
        if (!has_ended) ::usleep(1000);
    }
    end_children({});
    if (const std::string name = folder.content(); !name.empty())
        throw Failure(fmt::format("leaves the file \"{}\" in the working folder", name));
}

void check_environment(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        require_no_files(subject, example);
        {
            const BoundArguments arguments = example.bind();
            require_left_alone("its factory, or the object's destructor,", [&] {
                static_cast<void>(example.make(arguments));
            });
        }
        if (subject.type.kind == TypeKind::integrator) {
            RunSettings settings;
            settings.integrator = subject.type.name;
            Simulation simulation = example.simulate(settings);
            for (int k = 0; k < 3 && !simulation.done(); ++k)
                require_left_alone("step", [&] {
                    simulation.step();
                });
            return;
        }
        const Bench bench(example);
        Random random(subject.seed);
        for (const StepCall& call : bench.calls)
            for (int k = 0; k < 4; ++k) {
                const Numbers in = inputs(call, random);
                require_left_alone(call.name, [&] {
                    results(call, bench.object, in, 0.0);
                });
            }
    });
    // what is done but once was done before
    if (!subject.earlier.empty()) throw Failure("the plugin, " + subject.earlier);
}

// --- the end of the process

/// Ends a copy of this process as a program ends: by exit(). What it then says goes to `said`.
[[noreturn]] void end_in_copy(Subject& subject, int said) {
    try {
        const Example example(subject, subject.examples().front());
        const Object object = example.make();
        if (subject.type.kind != TypeKind::integrator) {
            const Bench bench(example);
            Random random(subject.seed);
            for (const StepCall& call : bench.calls)
                results(call, bench.object, inputs(call, random), 0.0);
        }
    } catch (...) {
        // other checks report it
        ::_exit(0);
    }
    std::fflush(nullptr);
    std::cout.flush();
    ::dup2(said, STDOUT_FILENO);
    ::dup2(said, STDERR_FILENO);
    std::exit(0);
}

void check_ending(Subject& subject) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    throw Skipped("a sanitizer has an end of its own");
#endif
    if (subject.examples().empty()) throw Skipped("the type has no example");
    try {
        static_cast<void>(Example(subject, subject.examples().front()).make());
    } catch (const Error& error) {
        throw NotMade(error.message());
    }
    const int said = ::memfd_create("ancora-last-words", MFD_CLOEXEC);
    const pid_t copy = said < 0 ? -1 : ::fork();
    if (copy < 0) throw Skipped(fmt::format("no copy of the process: {}", std::strerror(errno)));
    if (copy == 0) end_in_copy(subject, said);
    int status = 0;
    bool has_ended = false;
    for (int k = 0; k < kEndSeconds * 1000 && !has_ended; ++k) {
        has_ended = ::waitpid(copy, &status, WNOHANG) == copy;
        if (!has_ended) ::usleep(1000);
    }
    if (!has_ended) {
        ::kill(copy, SIGKILL);
        ::waitpid(copy, &status, 0);
    }
    struct stat words = {};
    ::fstat(said, &words);
    ::close(said);
    const char* const who =
        "when the process ends (exit), statics' destructors or functions given to atexit()";
    if (!has_ended) throw Failure(fmt::format("{} do not return within {} s", who, kEndSeconds));
    if (WIFSIGNALED(status))
        throw Failure(fmt::format("{} end it by a signal: {}", who, ::strsignal(WTERMSIG(status))));
    if (WEXITSTATUS(status) != 0)
        throw Failure(fmt::format("{} change its status to {}", who, WEXITSTATUS(status)));
    if (words.st_size > 0)
        throw Failure(fmt::format("{} write {} bytes to a standard stream", who, words.st_size));
}

constexpr Check kEnvironmentChecks[] = {
    {"environment",
     kEvery,
     "factories and [step] functions leave the process alone: floating-point unit, standard "
     "streams, signals, folder, locale, umask, variables, processes, threads, descriptors, and no "
     "file in the working folder",
     check_environment},
    {"ending",
     kEvery,
     "when the process ends, what the library runs then neither crashes nor hangs nor speaks",
     check_ending},
};

}  // namespace

std::span<const Check> environment_checks() {
    return kEnvironmentChecks;
}

}  // namespace ancora::verify
