// SPDX-License-Identifier: BSD-3-Clause
// Child processes and temporary folders for tests.
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ancora::testing {

/// A new folder that goes away with the object.
class TempFolder {
public:
    TempFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "ancora-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            throw std::system_error(errno, std::generic_category(), name);
        path_ = std::filesystem::canonical(name);
    }
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

    /// Writes a file of this folder, and the folders above it.
    void write(const std::string& name, std::string_view text) const {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name, std::ios::binary) << text;
    }
    /// The text of a file of this folder; empty if there is none.
    std::string read(const std::string& name) const {
        std::ifstream in(path_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

private:
    std::filesystem::path path_;
};

/// What a process left behind.
struct ProcessResult {
    int status = -1;  ///< exit status; 128 + signal if a signal ended it
    std::string out;
    std::string err;
};

struct ProcessOptions {
    std::filesystem::path folder;  ///< to run in
    std::vector<std::pair<std::string, std::string>> environment;
    rlim_t file_size_limit = RLIM_INFINITY;  ///< [bytes] for each file
    std::string out_file;                    ///< where standard output goes, if not into `out`
};

/// A program that runs beside the test.
class ChildProcess {
public:
    ChildProcess(std::vector<std::string> arguments, const ProcessOptions& options) {
        if (::pipe2(out_.data(), O_CLOEXEC) != 0 || ::pipe2(err_.data(), O_CLOEXEC) != 0)
            throw std::system_error(errno, std::generic_category(), "pipe");
        std::vector<char*> argv;
        argv.reserve(arguments.size() + 1);
        for (std::string& argument : arguments) argv.push_back(argument.data());
        argv.push_back(nullptr);

        pid_ = ::fork();
        if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
        if (pid_ == 0) execute(argv.data(), options);
        ::close(out_[1]);
        ::close(err_[1]);
        pipes_ = {{{out_[0], POLLIN, 0}, {err_[0], POLLIN, 0}}};
    }
    ~ChildProcess() {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
        }
        ::close(out_[0]);
        ::close(err_[0]);
    }
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    void send(int signal) const { ::kill(pid_, signal); }

    /// Waits until something holds, however long that takes: how fast the machine is, and what else
    /// it does, is nothing that a test may depend on.
    /// @returns false if the program has ended before
    template <class Condition>
    bool wait_until(const Condition& holds) const {
        while (!holds()) {
            siginfo_t ended{};
            ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
            if (ended.si_pid == pid_) return holds();
            ::usleep(5000);
        }
        return true;
    }
    /// The same until it has said this on standard error.
    bool wait_until_said(std::string_view text) {
        while (result_.err.find(text) == std::string::npos)
            if (!read_more()) return false;
        return true;
    }

    /// Reads both pipes to their ends and waits.
    ProcessResult wait() {
        while (read_more()) {
        }
        int status = 0;
        ::waitpid(std::exchange(pid_, -1), &status, 0);
        result_.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        return result_;
    }

private:
    [[noreturn]] void execute(char** argv, const ProcessOptions& options) const {
        ::dup2(out_[1], STDOUT_FILENO);
        ::dup2(err_[1], STDERR_FILENO);
        if (!options.out_file.empty()) {
            const int file = ::open(options.out_file.c_str(), O_WRONLY | O_CLOEXEC);
            ::dup2(file, STDOUT_FILENO);
        }
        for (const auto& [name, value] : options.environment)
            ::setenv(name.c_str(), value.c_str(), 1);
        const rlimit limit{options.file_size_limit, options.file_size_limit};
        const bool is_ready =
            (options.folder.empty() || ::chdir(options.folder.c_str()) == 0) &&
            (limit.rlim_cur == RLIM_INFINITY || ::setrlimit(RLIMIT_FSIZE, &limit) == 0);
        if (is_ready) ::execv(argv[0], argv);
        std::perror(argv[0]);
        std::_Exit(127);
    }

    /// Waits for output and takes it; false if both pipes have ended.
    bool read_more() {
        if (pipes_[0].fd < 0 && pipes_[1].fd < 0) return false;
        ::poll(pipes_.data(), pipes_.size(), -1);
        read_ready(pipes_[0], result_.out);
        read_ready(pipes_[1], result_.err);
        return true;
    }

    static void read_ready(pollfd& pipe, std::string& text) {
        if (pipe.fd < 0 || pipe.revents == 0) return;
        std::array<char, 4096> buffer{};
        const ssize_t count = ::read(pipe.fd, buffer.data(), buffer.size());
        if (count > 0)
            text.append(buffer.data(), static_cast<std::size_t>(count));
        else if (count == 0 || errno != EINTR)
            pipe.fd = -1;
    }

    std::array<int, 2> out_{-1, -1};
    std::array<int, 2> err_{-1, -1};
    std::array<pollfd, 2> pipes_{};
    ProcessResult result_;
    pid_t pid_ = -1;
};

/// What the program says, without the lines of files that it shows below its messages.
inline std::string without_excerpts(const std::string& text) {
    std::string out;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
        const std::string line = text.substr(begin, end - begin);
        const std::size_t bar = line.find_first_not_of(" 0123456789");
        const bool is_excerpt =
            bar != std::string::npos && bar >= 6 && line.substr(bar - 1, 3) == " | ";
        if (!is_excerpt) out += line;
        begin = end;
    }
    return out;
}

/// Runs a program to its end.
inline ProcessResult run_process(std::vector<std::string> arguments,
                                 const ProcessOptions& options = {}) {
    return ChildProcess(std::move(arguments), options).wait();
}

/// The same, with messages alone on standard error.
inline ProcessResult run_for_messages(std::vector<std::string> arguments,
                                      const ProcessOptions& options = {}) {
    ProcessResult result = run_process(std::move(arguments), options);
    result.err = without_excerpts(result.err);
    return result;
}

}  // namespace ancora::testing
