// SPDX-License-Identifier: BSD-3-Clause
// The child process: limits itself, opens the plugin, makes the checks, reports line by line.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "call_in_progress.hpp"
#include "check.hpp"
#include "fp_environment.hpp"
#include "process_state.hpp"
#include "processes.hpp"
#include "reference_systems.hpp"
#include "runner.hpp"

namespace ancora::verify {
namespace {

using Json = nlohmann::json;

// Backstop of the parent's clock.
constexpr rlim_t kProcessorSeconds = 300;
// Of what it writes, standard streams before all.
constexpr rlim_t kFileBytes = rlim_t{1} << 30;

void limit(int what, rlim_t value) {
    const rlimit both = {value, value};
    ::setrlimit(static_cast<__rlimit_resource>(what), &both);
}

void limit_process([[maybe_unused]] std::uint64_t mebibytes) {
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, kProcessorSeconds);
    limit(RLIMIT_FSIZE, kFileBytes);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    limit(RLIMIT_AS, static_cast<rlim_t>(mebibytes) << 20);
#endif
    // not left behind by a parent that was killed
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/// Ends this process as another one has ended.
[[noreturn]] void end_as(int status) {
    if (WIFSIGNALED(status)) {
        ::signal(WTERMSIG(status), SIG_DFL);
        ::kill(::getpid(), WTERMSIG(status));
    }
    ::_exit(1);
}

/// Goes on as a child of a guard, which is all that a plugin reaches as its parent. The guard waits
/// for it, ends what it has left behind, and says in the shared memory how it ended.
void go_on_under_guard(SharedPage& shared, int report) {
    adopt_orphans();
    const pid_t guard = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) ::_exit(1);
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // not inherited
        if (::getppid() != guard) ::_exit(1);
        adopt_orphans();
        shared.pid = ::getpid();
        return;
    }
    ::close(report);  // ends with the child's
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    end_children({});
    // A process that only waits for its check has been ended by it, as its parent.
    if (WIFSIGNALED(status) && shared.is_checking && shared.end_of_check == kNotEnded)
        end_as(status);
    shared.end = shared.end_of_check != kNotEnded ? shared.end_of_check : status;
    ::_exit(0);
}

class Line {
public:
    explicit Line(int descriptor) : descriptor_(descriptor) {}
    void send(const Json& message) const {
        std::string text = message.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
        const char* at = text.data();
        std::size_t left = text.size();
        while (left > 0) {
            const ssize_t count = ::write(descriptor_, at, left);
            if (count <= 0) ::_exit(1);  // the parent is gone
            at += count;
            left -= static_cast<std::size_t>(count);
        }
    }

private:
    int descriptor_;
};

struct Item {
    const TypeDescriptor* type;
    const Check* check;
};

std::vector<Item> items(const Plugin& plugin, const std::string& only) {
    std::vector<Item> list;
    for (const TypeDescriptor& type :
         std::span(plugin.descriptor->types, plugin.descriptor->num_types))
        for (const Check& check : checks()) {
            if ((check.kinds & bit(type.kind)) == 0) continue;
            // without an example the first check says what is missing and the others say nothing
            const bool can_be_made = type.examples[0] != nullptr || &check == &checks().front();
            if (only.empty() ? can_be_made : only == check.name) list.push_back({&type, &check});
        }
    return list;
}

Json make(const Item& item, Subject& subject) {
    const auto outcome = [](Status status, const std::string& reason) {
        return Json{{"status", to_text(status)}, {"reason", reason}};
    };
    try {
        item.check->run(subject);
        return outcome(Status::passed, subject.remark);
    } catch (const Skipped& reason) {
        return outcome(Status::skipped, reason.what());
    } catch (const NotMade& error) {
        return item.check->needs_object
                   ? outcome(Status::skipped,
                             fmt::format("no object or system can be made, see the check {}",
                                         kExamples))
                   : outcome(Status::failed, error.what());
    } catch (const Error& error) {
        return outcome(Status::failed, error.message());
    } catch (const std::bad_alloc&) {
        return outcome(Status::failed, "ran out of memory");
    } catch (const std::exception& error) {
        return outcome(Status::failed, error.what());
    } catch (...) {
        return outcome(Status::failed, "something was thrown that is not a std::exception");
    }
}

/// Makes a check in a copy of this process, so that what it leaves behind (statics, descriptors,
/// caches) hides nothing from the next one. This process ends as the copy does, unless that has
/// said all.
template <class Function>
void make_in_copy(SharedPage& shared, Function&& check) {
    shared.has_said = false;
    std::fill(std::begin(shared.left), std::end(shared.left), '\0');
    shared.is_checking = true;
    std::fflush(nullptr);
    const pid_t parent = ::getpid();
    const pid_t copy = ::fork();
    if (copy < 0) ::_exit(1);
    if (copy == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // not inherited
        if (::getppid() != parent) ::_exit(1);
        adopt_orphans();
        shared.pid = ::getpid();
        check();
        shared.has_said = true;
        ::_exit(0);
    }
    int status = 0;
    while (::waitpid(copy, &status, 0) < 0 && errno == EINTR) {
    }
    shared.pid = 0;
    if (!shared.has_said) {
        shared.end_of_check = status;
        end_children({});
        end_as(status);
    }
    shared.is_checking = false;
}

}  // namespace

int run_child(const std::vector<std::string>& arguments) {
    const Json order = Json::parse(arguments.at(0));
    const auto report = order.at("descriptor").get<int>();
    void* const page = ::mmap(nullptr,
                              sizeof(SharedPage),
                              PROT_READ | PROT_WRITE,
                              MAP_SHARED,
                              order.at("call").get<int>(),
                              0);
    if (page == MAP_FAILED) return 1;
    limit_process(order.at("memory").get<std::uint64_t>());
    SharedPage& shared = *static_cast<SharedPage*>(page);
    go_on_under_guard(shared, report);
    const Line line(report);
    CallInProgress::write_to(shared.call);
    // programs that a plugin may start are not to be watched
    ::unsetenv("LD_PRELOAD");
    ::unsetenv("GLIBC_TUNABLES");
    give_standard_output_a_file();

    const FpEnvironment environment = FpEnvironment::capture();
    PluginRegistry registry;
    for (const Json& folder : order.at("plugin_dirs"))
        registry.add_folder(folder.get<std::string>());
    registry.allow_unchecked_folders(order.at("unchecked").get<bool>());
    const auto name = order.at("plugin").get<std::string>();
    const Plugin* plugin = nullptr;
    const ProcessState process = ProcessState::capture();
    try {
        plugin = order.at("is_file").get<bool>() ? &registry.load_file(name) : &registry.load(name);
    } catch (const Error& error) {
        line.send({{"refused", error.message()}});
        return 0;
    }

    const std::string changes = process.changes();
    process.restore();

    const std::vector<Item> list = items(*plugin, order.at("check").get<std::string>());
    Json announced = Json::array();
    for (const Item& item : list)
        announced.push_back({ancora::to_text(item.type->kind), item.type->name, item.check->name});
    line.send({{"name", plugin->name},
               {"version", plugin->version},
               {"file", plugin->file.string()},
               {"changes", changes},
               {"items", std::move(announced)}});

    // What the kit's systems are built of, once for all checks.
    load_reference_types(registry);
    std::string earlier;
    for (std::size_t k = order.at("from").get<std::size_t>(); k < list.size(); ++k) {
        line.send({{"begin", k}});
        Subject subject{
            registry, *plugin, *list[k].type, order.at("seed").get<std::uint64_t>(), {}, earlier};
        make_in_copy(shared, [&] {
            environment.restore();
            const ProcessState before = ProcessState::capture();
            const auto start = std::chrono::steady_clock::now();
            Json outcome = make(list[k], subject);
            outcome["end"] = k;
            outcome["seconds"] =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            // the first that is found counts
            if (earlier.empty()) {
                const std::string its = before.changes(false);
                its.copy(shared.left, sizeof(shared.left) - 1);
            }
            before.restore();
            line.send(outcome);
        });
        if (shared.left[0] != '\0' && earlier.empty())
            earlier = fmt::format("in the check {}, {}", list[k].check->name, shared.left);
        // of another type it is another's
        if (k + 1 < list.size() && list[k + 1].type != list[k].type) earlier.clear();
    }
    line.send({{"done", true}});
    // what the plugin's own destructors of statics do is not the parent's business
    ::_exit(0);
}

}  // namespace ancora::verify
