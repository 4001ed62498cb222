// SPDX-License-Identifier: BSD-3-Clause
// The parent's side: starts children, reads what they report, and names what became of them.
#include "runner.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <set>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ancora/framework/error.hpp"
#include "call_in_progress.hpp"
#include "check.hpp"
#include "processes.hpp"

namespace ancora::verify {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr int kMostDeaths = 3;  // of children at one type, before the rest of it is skipped

[[noreturn]] void fail(const char* what) {
    throw Error(ErrorKind::internal, fmt::format("{}: {}", what, std::strerror(errno)));
}

/// The descriptor under a number above 10; the old one is closed.
int raised(int descriptor) {
    const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 10);
    if (moved < 0) fail("fcntl");
    ::close(descriptor);
    return moved;
}

/// A child process, what it reports on its own pipe, and what it or its plugin says on standard
/// error, which is a file: the child sees by its size that something was said.
class Child {
public:
    Child(Json order, const std::filesystem::path& probe) {
        int report[2];
        if (::pipe2(report, O_CLOEXEC) != 0) fail("pipe");
        report_ = report[0];
        complaint_ = ::memfd_create("ancora-error", MFD_CLOEXEC);
        if (complaint_ < 0) fail("shared memory");

        const int shared = ::memfd_create("ancora-call", MFD_CLOEXEC);
        if (shared < 0 || ::ftruncate(shared, sizeof(SharedPage)) != 0) fail("shared memory");
        void* const page =
            ::mmap(nullptr, sizeof(SharedPage), PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
        if (page == MAP_FAILED) fail("shared memory");
        shared_ = static_cast<SharedPage*>(page);
        shared_->end = kNotEnded;
        shared_->end_of_check = kNotEnded;
        // above the numbers that they get in the child, so that none is in another's way
        const int out = raised(report[1]), err = raised(::dup(complaint_)), call = raised(shared);

        order["descriptor"] = 3;
        order["call"] = 4;
        std::string program = "/proc/self/exe";
        std::string command = kChildCommand;
        std::string text = order.dump(-1, ' ', false, Json::error_handler_t::replace);
        char* const arguments[] = {program.data(), command.data(), text.data(), nullptr};

        std::vector<std::string> variables;
        for (char** entry = environ; *entry != nullptr; ++entry)
            if (std::strncmp(*entry, "LD_PRELOAD=", 11) != 0 &&
                std::strncmp(*entry, "GLIBC_TUNABLES=", 15) != 0)
                variables.emplace_back(*entry);
        // What threads keep for themselves of freed memory would count as in use, see check_leaks
        variables.emplace_back("GLIBC_TUNABLES=glibc.malloc.tcache_count=0");
        std::error_code failed;
        if (std::filesystem::exists(probe, failed))
            variables.push_back("LD_PRELOAD=" + probe.string());
        std::vector<char*> environment;
        for (std::string& variable : variables) environment.push_back(variable.data());
        environment.push_back(nullptr);

        // What its plugin does to its process group stays there.
        posix_spawnattr_t attributes;
        ::posix_spawnattr_init(&attributes);
        ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        ::posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
        ::posix_spawn_file_actions_adddup2(&actions, err, 2);
        ::posix_spawn_file_actions_adddup2(&actions, out, 3);
        ::posix_spawn_file_actions_adddup2(&actions, call, 4);
        errno = ::posix_spawn(
            &pid_, program.c_str(), &actions, &attributes, arguments, environment.data());
        const int error = errno;
        ::posix_spawn_file_actions_destroy(&actions);
        ::posix_spawnattr_destroy(&attributes);
        for (const int descriptor : {out, err, call}) ::close(descriptor);
        if (error != 0) {
            errno = error;
            pid_ = -1;
            fail("cannot start a child process");
        }
    }
    ~Child() {
        end();
        ::close(report_);
        ::close(complaint_);
        ::munmap(shared_, sizeof(SharedPage));
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// The next line of its report; false if the child ended before, or has worked for `seconds`,
    /// or has not come with it in kPatience times as many by the clock.
    bool read(double seconds, Json& message) {
        const Clock::time_point start = Clock::now();
        const double worked = processor_seconds();
        const double queued = queued_seconds();
        for (;;) {
            const std::size_t at = buffer_.find('\n');
            if (at != std::string::npos) {
                message = Json::parse(buffer_.substr(0, at), nullptr, false);
                buffer_.erase(0, at + 1);
                if (!message.is_discarded()) return true;
                continue;
            }
            if (has_ended_) return false;
            const double work_left = seconds - (processor_seconds() - worked);
            const double waited = std::chrono::duration<double>(Clock::now() - start).count() -
                                  (queued_seconds() - queued);
            const double left = std::min(work_left, kPatience * seconds - waited);
            if (left <= 0.0) {
                late_after_ = work_left <= 0.0 ? seconds : kPatience * seconds;
                return false;
            }
            constexpr double kMostMilliseconds = 1e6;
            pollfd report = {report_, POLLIN, 0};
            if (::poll(&report, 1, static_cast<int>(std::min(1e3 * left, kMostMilliseconds)) + 1) <
                0) {
                if (errno == EINTR) continue;
                fail("poll");
            }
            if (report.revents != 0 && !take(report_, buffer_)) has_ended_ = true;
        }
    }

    /// Ends it if it has not ended itself; in words, what it died of.
    std::string end() {
        if (pid_ < 0) return end_;
        bool is_ended_here = !has_ended_;
        if (is_ended_here) ::kill(pid_, SIGKILL);
        int status = 0;
        // a child that closed its pipe may still be at work, as may its guard
        constexpr int kMostWaits = 1000;
        for (int k = 0; ::waitpid(pid_, &status, WNOHANG) == 0; ++k) {
            if (k == kMostWaits) {
                is_ended_here = true;
                ::kill(pid_, SIGKILL);
                ::waitpid(pid_, &status, 0);
                break;
            }
            ::usleep(2000);
        }
        pid_ = -1;
        end_children(others_);  // whose guard was ended before it could
        // The guard's own end says nothing of the plugin's, unless it was the plugin that ended it.
        const bool was_guarded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (was_guarded && shared_->end != kNotEnded) status = shared_->end;
        if (is_late())
            end_ = "does not return";
        else if (WIFSIGNALED(status) && !was_guarded && !is_ended_here)
            end_ = fmt::format("ends the process that has started its own: {}",
                               ::strsignal(WTERMSIG(status)));
        else if (WIFSIGNALED(status))
            end_ = fmt::format("ends the process: {}", ::strsignal(WTERMSIG(status)));
        else
            end_ = fmt::format("ends the process with status {}", WEXITSTATUS(status));
        if (const std::string line = first_line(); !line.empty() && !is_late())
            end_ += fmt::format(" ({})", line);
        return end_;
    }
    bool is_late() const { return late_after_ > 0.0; }
    /// What it was given [s].
    double late_after() const { return late_after_; }
    /// The call of the plugin that it was in, as far as it said.
    std::string call() const {
        const std::string name(shared_->call, ::strnlen(shared_->call, kCallNameBytes));
        return name.empty() ? "a call" : name;
    }

private:
    /// That the plugin's process has worked so far, all its threads; 0 where that is not known.
    double processor_seconds() const {
        clockid_t clock = 0;
        timespec time = {};
        if (shared_->pid <= 0 || ::clock_getcpuclockid(shared_->pid, &clock) != 0 ||
            ::clock_gettime(clock, &time) != 0)
            return 0.0;
        return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    }
    /// That its main thread could have worked but had no processor; 0 where that is not known.
    double queued_seconds() const {
        std::ifstream file(fmt::format("/proc/{}/schedstat", shared_->pid));
        double worked = 0.0, queued = 0.0;  // [ns]
        return shared_->pid > 0 && file >> worked >> queued ? 1e-9 * queued : 0.0;
    }
    static bool take(int descriptor, std::string& text) {
        char part[4096];
        const ssize_t count = ::read(descriptor, part, sizeof(part));
        if (count <= 0) return false;
        if (text.size() < 1u << 20) text.append(part, static_cast<std::size_t>(count));
        return true;
    }
    std::string first_line() const {
        std::string text(200, '\0');
        const ssize_t count = ::pread(complaint_, text.data(), text.size(), 0);
        text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
        for (char& c : text)
            if (c == '\n') c = ' ';
        while (!text.empty() && text.back() == ' ') text.pop_back();
        return text;
    }

    const std::set<pid_t> others_ = running_children();  // of this process
    pid_t pid_ = -1;
    int report_ = -1;
    int complaint_ = -1;
    SharedPage* shared_ = nullptr;
    bool has_ended_ = false;
    double late_after_ = 0.0;
    std::string buffer_;
    std::string end_;
};

Status status_of(const std::string& text) {
    for (const Status status : {Status::passed, Status::failed, Status::skipped})
        if (text == to_text(status)) return status;
    return Status::failed;
}

/// Results in the making.
class Session {
public:
    explicit Session(const Settings& settings) : settings_(settings) {}

    Report run() {
        std::size_t from = 0;
        while (run_child_from(from)) {
        }
        return std::move(report_);
    }

private:
    /// One child's life from item `from`, which it moves on; false if nothing is left to do.
    bool run_child_from(std::size_t& from) {
        const bool is_file = settings_.plugin.find('/') != std::string::npos;
        Json folders = Json::array();
        for (const auto& folder : settings_.plugin_dirs) folders.push_back(folder.string());
        Child child({{"plugin", settings_.plugin},
                     {"is_file", is_file},
                     {"plugin_dirs", folders},
                     {"unchecked", settings_.unchecked_plugin_dirs},
                     {"seed", settings_.seed},
                     {"check", settings_.check},
                     {"memory", settings_.memory},
                     {"from", from}},
                    settings_.probe);
        Json message;
        if (!child.read(settings_.seconds, message)) {
            add({"", "", kLoad, Status::failed, "opening it " + child.end(), 0.0});
            return false;
        }
        if (message.contains("refused")) {
            add({"", "", kLoad, Status::failed, message["refused"], 0.0});
            return false;
        }
        if (report_.name.empty()) {
            report_.name = message["name"];
            report_.version = message["version"];
            report_.file = message["file"];
            items_ = message["items"];
            const std::string changes = message["changes"];
            if (settings_.check.empty() || settings_.check == kLoad)
                add({"",
                     "",
                     kLoad,
                     changes.empty() ? Status::passed : Status::failed,
                     changes.empty() ? "" : "opening it " + changes,
                     0.0});
        }

        bool is_at_work = false;
        while (child.read(settings_.seconds, message)) {
            if (message.contains("done")) return false;
            if (message.contains("begin")) {
                from = message["begin"];
                is_at_work = true;
                continue;
            }
            is_at_work = false;
            Result result = result_of(from);
            result.status = status_of(message["status"]);
            result.reason = message["reason"];
            result.seconds = message["seconds"];
            add(std::move(result));
            ++from;
        }
        if (from >= items_.size()) return false;
        Result result = result_of(from);
        const std::string how = child.end();
        result.status = Status::failed;
        result.reason =
            child.is_late()
                ? fmt::format("{} does not return within {:g} s", child.call(), child.late_after())
                : child.call() + ' ' + how;
        if (!is_at_work) result.reason = "after the check before it, the plugin " + how;
        add(std::move(result));
        const std::string type = items_[from][1];
        const bool is_made = items_[from][2] != kExamples;
        ++from;
        if (++deaths_[type] >= kMostDeaths || !is_made)
            for (; from < items_.size() && items_[from][1] == type; ++from) {
                Result rest = result_of(from);
                rest.reason =
                    is_made ? fmt::format("{} child processes died at this type", kMostDeaths)
                            : fmt::format("no object can be made, see the check {}", kExamples);
                add(std::move(rest));
            }
        return from < items_.size();
    }

    Result result_of(std::size_t item) const {
        return {items_[item][0], items_[item][1], items_[item][2], Status::skipped, "", 0.0};
    }
    void add(Result result) { report_.results.push_back(std::move(result)); }

    const Settings& settings_;
    Report report_;
    Json items_ = Json::array();
    std::map<std::string, int> deaths_;
};

}  // namespace

Report verify(const Settings& settings) {
    adopt_orphans();
    return Session(settings).run();
}

}  // namespace ancora::verify
