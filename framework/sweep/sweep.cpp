// SPDX-License-Identifier: BSD-3-Clause
// Runs a study in processes of its own: they take cases one after the other until none is left.
#include "ancora/framework/sweep.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ancora/framework/manifest_text.hpp"
#include "ancora/framework/printable.hpp"
#include "ancora/framework/simulation.hpp"
#include "ancora/framework/version.hpp"
#include "case_run.hpp"
#include "sha256.hpp"
#include "study_page.hpp"
#include "sweep_journal.hpp"
#include "wording.hpp"
#include "workers.hpp"

namespace ancora {
namespace {

constexpr int kMostWorkers = 1024;
constexpr std::size_t kNoCase = ~std::size_t{0};
// What a process that runs cases ends with.
constexpr int kDone = 0, kCannotWrite = 113;

/// What all processes share.
struct Board {
    std::atomic<std::size_t> next{0};  ///< in the list of cases that are to be done
    std::atomic<std::size_t> done{0}, failed{0};
    std::atomic<bool> stop{false};
    std::atomic<std::size_t> present[kMostWorkers];  ///< case that each is at
};
static_assert(std::atomic<std::size_t>::is_always_lock_free);

/// Memory that processes share with those that they fork.
class SharedBoard {
public:
    SharedBoard() {
        void* const memory = ::mmap(
            nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        board_ = new (memory) Board;
        for (auto& present : board_->present) present = kNoCase;
    }
    ~SharedBoard() { ::munmap(board_, sizeof(Board)); }
    SharedBoard(const SharedBoard&) = delete;
    SharedBoard& operator=(const SharedBoard&) = delete;
    Board* operator->() const { return board_; }

private:
    Board* board_;
};

/// What the rows of a sweep depend on, besides files that the model's parameters name.
std::string identity_of(const Study& study, const std::string& expanded) {
    Sha256 hash;
    for (const std::string* text : {&study.text, &study.files, &expanded})
        hash.add(text->data(), text->size());
    return fmt::format("{} {}", version(), hash.text());
}

bool has_failed(const Study& study, std::string_view row) {
    // The cell behind those of the keys; keys' values may hold commas in quotes.
    std::size_t cell = 0;
    bool in_quotes = false;
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (row[i] == '"') in_quotes = !in_quotes;
        if (row[i] != ',' || in_quotes) continue;
        if (++cell == 1 + study.keys().size()) return !row.substr(i + 1).starts_with("0,");
    }
    return true;
}

/// The processes of a sweep.
class Pool {
public:
    Pool(const Study& study,
         PluginRegistry& registry,
         const SweepFolder& folder,
         std::size_t part,
         std::vector<std::size_t> pending)
        : study_(study),
          registry_(registry),
          folder_(folder),
          part_(part),
          pending_(std::move(pending)) {}
    ~Pool() {
        board_->stop = true;
        for (const pid_t worker : workers_)
            if (worker > 0) ::waitpid(worker, nullptr, 0);
    }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    void start(int count) {
        workers_.assign(count, -1);
        for (std::size_t w = 0; w < workers_.size(); ++w) begin(w);
    }

    /// Looks after processes that ended; false when all have.
    bool watch() {
        bool some = false;
        for (std::size_t w = 0; w < workers_.size(); ++w) {
            if (workers_[w] <= 0) continue;
            int status = 0;
            const pid_t ended = ::waitpid(workers_[w], &status, WNOHANG);
            if (ended == 0) {
                some = true;
                continue;
            }
            workers_[w] = -1;
            if (WIFEXITED(status) && WEXITSTATUS(status) == kDone) continue;
            if (WIFEXITED(status) && WEXITSTATUS(status) == kCannotWrite)
                throw Error(ErrorKind::file,
                            "the rows of the sweep cannot be written; is the disk full?");
            take_over(w, status);
            if (!board_->stop && board_->next < pending_.size()) {
                begin(w);
                some = true;
            }
        }
        return some;
    }

    void stop() { board_->stop = true; }
    std::size_t done() const { return board_->done; }
    std::size_t failed() const { return board_->failed; }

private:
    void begin(std::size_t w) {
        const std::filesystem::path journal = folder_.new_journal(part_, w);
        const pid_t parent = ::getpid();
        const pid_t worker = ::fork();
        if (worker < 0)
            throw Error(ErrorKind::numerical,
                        fmt::format("no process can be started: {}", std::strerror(errno)));
        if (worker > 0) {
            workers_[w] = worker;
            return;
        }
        // Ends with its parent, and leaves Ctrl-C to it.
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(kDone);
        for (const int signal : {SIGINT, SIGHUP, SIGTERM}) std::signal(signal, SIG_IGN);
        ::_exit(work(w, journal));
    }

    int work(std::size_t w, const std::filesystem::path& file) {
        try {
            SweepJournal journal(file);
            const std::filesystem::path runs =
                study_.keep_runs ? folder_.runs() : std::filesystem::path();
            const auto stop = [&] {
                return board_->stop.load(std::memory_order_relaxed);
            };
            while (!stop()) {
                const std::size_t at = board_->next.fetch_add(1);
                if (at >= pending_.size()) break;
                board_->present[w] = pending_[at];
                const std::string row = run_case(study_, pending_[at], registry_, runs, stop);
                if (row.empty()) break;
                journal.add(row);
                board_->present[w] = kNoCase;
                if (has_failed(study_, row)) ++board_->failed;
                ++board_->done;
            }
            return kDone;
        } catch (...) {
            return kCannotWrite;
        }
    }

    /// Writes the row of the case in which a process came to a bad end.
    void take_over(std::size_t w, int status) {
        const std::size_t index = board_->present[w].exchange(kNoCase);
        if (index == kNoCase || board_->stop) return;
        const std::string how = WIFSIGNALED(status)
                                    ? fmt::format("was ended by signal {} ({})",
                                                  WTERMSIG(status),
                                                  ::strsignal(WTERMSIG(status)))
                                    : fmt::format("ended with status {}", WEXITSTATUS(status));
        SweepJournal journal(folder_.new_journal(part_, w));
        journal.add(failed_row(study_,
                               index,
                               static_cast<int>(ErrorKind::plugin),
                               "crashed",
                               fmt::format("the process {} in this case", how)));
        ++board_->failed;
        ++board_->done;
    }

    const Study& study_;
    PluginRegistry& registry_;
    const SweepFolder& folder_;
    std::size_t part_;
    std::vector<std::size_t> pending_;
    SharedBoard board_;
    std::vector<pid_t> workers_;
};

/// Errors of an override are reported at its place in the study, and not as of a command line that
/// nobody wrote.
template <class Function>
void with_places_of(const Study& study, Function&& function) {
    try {
        function();
    } catch (const Error& error) {
        const std::vector<std::string> overrides = study.overrides(0);
        constexpr std::string_view kOption = "--set ", kTakes = "--set takes ";
        for (std::size_t i = 0; i < overrides.size(); ++i) {
            const std::string quoted = in_quotes(overrides[i]);
            const char* const owner = i < study.set.size() ? "[study]: set" : "[[vary]]";
            const bool is_of_value =
                error.place().file != nullptr &&
                *error.place().file == std::string(kOption).append(quoted, 1, quoted.size() - 2);
            if (is_of_value)
                throw Error(error.kind(),
                            fmt::format("{}: {}: {}", owner, quoted, error.message()),
                            study.place_of_override(i));
            if (error.message().starts_with(kTakes) && error.message().ends_with(quoted))
                throw Error(
                    ErrorKind::manifest,
                    fmt::format("{} takes {}", owner, error.message().substr(kTakes.size())),
                    study.place_of_override(i));
        }
        throw;
    }
}

}  // namespace

SweepResult run_sweep(const Study& study, PluginRegistry& registry, const SweepOptions& options) {
    if (options.parts == 0 || options.part >= options.parts)
        throw Error(ErrorKind::usage,
                    fmt::format("there is no part {} of {}", options.part, options.parts));
    if (options.workers < 0 || options.workers > kMostWorkers)
        throw Error(ErrorKind::usage,
                    fmt::format("{} workers; there may be {}", options.workers, kMostWorkers));
    // Mistakes of the model, or of a column's name, would be those of every case. What is opened
    // here need not be opened by each process.
    std::string expanded;
    with_places_of(study, [&] {
        Manifest manifest = Manifest::parse(study.model_text, study.model, study.set);
        expanded = expanded_text(manifest, registry);
        manifest.output.columns.reset();
        const Simulation simulation(manifest, registry);
        for (const StudyColumn& measure : study.measures) try {
                simulation.find_column(measure.column);
            } catch (const Error& error) {
                throw Error(ErrorKind::manifest, "[results]: " + error.message(), measure.place);
            }
        // The first case shows whether the keys are there.
        Manifest::parse(study.model_text, study.model, study.overrides(0));
    });

    SweepFolder folder(study, options.folder, identity_of(study, expanded));
    const bool is_part = options.parts > 1 || options.merge_only;
    folder.open(options.resume || is_part);
    std::map<std::size_t, std::string> rows = folder.rows();

    const std::size_t total = study.num_cases();
    SweepResult result;
    result.table = folder.table();
    result.page = folder.page();
    result.cases.total = total;
    std::vector<std::size_t> pending;
    const bool runs_none = options.merge_only || options.prepare_only;
    for (std::size_t i = 0; i < total && !runs_none; ++i)
        if (i % options.parts == options.part && !rows.contains(i)) pending.push_back(i);
    std::size_t failed_before = 0;
    for (const auto& [index, row] : rows) failed_before += has_failed(study, row) ? 1 : 0;

    if (!pending.empty()) {
        const std::size_t wanted =
            static_cast<std::size_t>(options.workers > 0 ? options.workers : available_cores());
        Pool pool(study, registry, folder, options.part, pending);
        pool.start(static_cast<int>(std::min({wanted, pending.size(), std::size_t{kMostWorkers}})));
        const auto tell = [&] {
            result.cases.done = rows.size() + pool.done();
            result.cases.failed = failed_before + pool.failed();
            if (options.progress) options.progress(result.cases);
        };
        while (pool.watch()) {
            if (options.stop && options.stop() && !result.was_interrupted) {
                result.was_interrupted = true;
                pool.stop();
            }
            tell();
            ::usleep(2000);
        }
        tell();
    }

    rows = folder.rows();
    result.cases.done = rows.size();
    result.cases.failed = 0;
    for (const auto& [index, row] : rows) result.cases.failed += has_failed(study, row) ? 1 : 0;
    result.is_complete = rows.size() == total;
    // The last part to end writes the table; journals stay until they are merged by one process.
    if (result.is_complete) {
        folder.write_table(rows);
        write_study_page(folder.page(), study, rows);
        if (!is_part || options.merge_only) folder.remove_journals();
    }
    return result;
}

}  // namespace ancora
