// SPDX-License-Identifier: BSD-3-Clause
#include "headless_page.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ancora/framework/error.hpp"
#include "ancora/framework/printable.hpp"
#include "page_array.hpp"

extern char** environ;

namespace ancora {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

// Names that distributions and vendors give it.
constexpr const char* kPrograms[] = {
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"};

// Where the page is said to be: browsers give encoders to pages of safe origins alone. Nothing is
// asked of a network; the name is one that none has (RFC 2606).
constexpr const char* kAddress = "https://ancora.invalid/";

constexpr auto kPatience = std::chrono::seconds(300);  // without an answer
constexpr auto kGoodbye = std::chrono::seconds(3);     // until an end is forced
constexpr std::size_t kMostSaid = 8000;                // bytes of what the program has said

/// The first of these programs in PATH.
std::string find_browser() {
    const char* const path = std::getenv("PATH");
    const std::string_view folders = path != nullptr ? path : "/usr/bin:/bin";
    for (const char* name : kPrograms)
        for (std::size_t at = 0; at <= folders.size();) {
            const std::size_t end = std::min(folders.find(':', at), folders.size());
            const fs::path program = fs::path(folders.substr(at, end - at)) / name;
            std::error_code error;
            if (end > at && ::access(program.c_str(), X_OK) == 0 &&
                fs::is_regular_file(program, error))
                return program;
            at = end + 1;
        }
    throw Error(ErrorKind::file,
                "there is no Chromium, which draws the pictures; install it (Debian: apt-get "
                "install chromium; Chrome and Edge serve, too). Without it, `ancora report` makes "
                "a page that saves a video in any browser, and `ancora paraview` writes frames for "
                "ParaView");
}

/// A descriptor out of the way of those that the child gets, 3 and 4.
int moved_up(int descriptor) {
    const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 10);
    ::close(descriptor);
    return moved;
}

}  // namespace

struct HeadlessPage::Browser {
    /// A folder that goes with what is in it.
    class OwnFolder {
    public:
        OwnFolder() {
            std::error_code error;
            const fs::path folder = fs::temp_directory_path(error);
            if (error)
                throw Error(ErrorKind::file,
                            fmt::format("there is no folder for temporary files, which the browser "
                                        "needs: {}; TMPDIR may name another one",
                                        error.message()));
            std::string name = (folder / "ancora-browser-XXXXXX").string();
            if (::mkdtemp(name.data()) == nullptr)
                throw Error(ErrorKind::file,
                            fmt::format("cannot make the folder \"{}\" for the browser: {}",
                                        name,
                                        std::generic_category().message(errno)));
            path_ = name;
        }
        ~OwnFolder() {
            // What was killed may write for a moment yet.
            for (int k = 0; k < 20; ++k) {
                std::error_code error;
                fs::remove_all(path_, error);
                if (!error) return;
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
            }
        }
        OwnFolder(const OwnFolder&) = delete;
        OwnFolder& operator=(const OwnFolder&) = delete;
        const fs::path& path() const { return path_; }

    private:
        fs::path path_;
    };

    explicit Browser(std::function<bool()> ended) : is_ended(std::move(ended)) {}

    void start(Size size) {
        const std::string program = find_browser();
        std::vector<std::string> arguments = {
            program,
            "--headless=new",
            "--remote-debugging-pipe",
            "--user-data-dir=" + profile.path().string(),
            fmt::format("--window-size={},{}", size.width, size.height),
            // The same pictures with any graphics card, and with none.
            "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader",
            "--hide-scrollbars",
            "--mute-audio",
            "--no-first-run",
            "--no-default-browser-check",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-extensions",
            "--disable-dev-shm-usage",
            "--disable-breakpad",
            "--disable-crash-reporter",
            "about:blank"};
        // It refuses to run for root otherwise.
        if (::geteuid() == 0) arguments.insert(arguments.end() - 1, "--no-sandbox");
        spawn(program, arguments);
    }

    ~Browser() {
        if (process > 0) stop();
        if (channel >= 0) ::close(channel);
        if (said != nullptr) std::fclose(said);
    }

    void spawn(const std::string& program, std::vector<std::string>& arguments) {
        std::array<int, 2> ends{-1, -1};
        said = std::tmpfile();
        if (said == nullptr ||
            ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
            fail(fmt::format("cannot be started: {}", std::generic_category().message(errno)));
        channel = moved_up(ends[0]);
        const int theirs = moved_up(ends[1]);

        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, ::fileno(said), STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions, ::fileno(said), STDERR_FILENO);
        posix_spawn_file_actions_adddup2(&actions, theirs, 3);
        posix_spawn_file_actions_adddup2(&actions, theirs, 4);
        // A group of its own: Ctrl-C is for the caller, and the end of it for all its processes.
        posix_spawnattr_t attributes;
        posix_spawnattr_init(&attributes);
        sigset_t all, none;
        sigfillset(&all);
        sigemptyset(&none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setflags(
            &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
        std::vector<char*> words;
        for (std::string& argument : arguments) words.push_back(argument.data());
        words.push_back(nullptr);
        const int error =
            posix_spawn(&process, program.c_str(), &actions, &attributes, words.data(), environ);
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
        ::close(theirs);
        if (error != 0) {
            process = 0;
            fail(fmt::format("cannot be started: {}", std::generic_category().message(error)));
        }
    }

    /// Asks it to end, then makes it.
    void stop() {
        send({{"id", ++number}, {"method", "Browser.close"}});
        const auto end = Clock::now() + kGoodbye;
        bool has_ended = false;
        while (!has_ended && Clock::now() < end) {
            has_ended = ::waitpid(process, nullptr, WNOHANG) != 0;
            if (!has_ended) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        ::kill(-process, SIGKILL);
        while (!has_ended && ::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
        }
    }

    [[noreturn]] static void fail_to_draw(const std::string& what) {
        throw Error(ErrorKind::file, "the browser that draws the pictures " + what);
    }

    /// With what the program has said, which on any machine complains of much that is nothing.
    [[noreturn]] void fail(const std::string& what) {
        std::string text;
        if (said != nullptr) {
            std::fseek(said, 0, SEEK_END);
            const long size = std::ftell(said);
            std::fseek(said, std::max(0L, size - static_cast<long>(kMostSaid)), SEEK_SET);
            text.resize(kMostSaid);
            text.resize(std::fread(text.data(), 1, text.size(), said));
        }
        std::string lines;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            const std::string_view line = std::string_view(text).substr(at, end - at);
            if (!line.empty() && line.find("dbus") == std::string_view::npos)
                lines += "\n  " + printable(line);
            at = end + 1;
        }
        fail_to_draw(what + (lines.empty() ? "" : "; it has said:" + lines));
    }

    /// False if it is gone.
    bool send(const Json& message) {
        const std::string text =
            message.dump(-1, ' ', false, Json::error_handler_t::replace) + '\0';
        for (std::size_t at = 0; at < text.size();) {
            const ssize_t count = ::send(channel, text.data() + at, text.size() - at, MSG_NOSIGNAL);
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) return false;
            at += static_cast<std::size_t>(count);
        }
        return true;
    }

    /// The next message.
    Json receive() {
        const auto end = Clock::now() + kPatience;
        while (true) {
            if (const std::size_t at = buffer.find('\0', looked); at != std::string::npos) {
                Json out = Json::parse(
                    buffer.begin(), buffer.begin() + static_cast<long>(at), nullptr, false);
                buffer.erase(0, at + 1);
                looked = 0;
                return out;
            }
            looked = buffer.size();
            pollfd wait{channel, POLLIN, 0};
            const int count = ::poll(&wait, 1, 100);
            if (is_ended && is_ended()) throw Interrupted{};
            if (Clock::now() > end) fail("does not answer");
            if (count <= 0) continue;
            std::array<char, 1 << 16> bytes;
            const ssize_t size = ::recv(channel, bytes.data(), bytes.size(), 0);
            if (size < 0 && errno == EINTR) continue;
            if (size <= 0) fail("has ended");
            buffer.append(bytes.data(), static_cast<std::size_t>(size));
        }
    }

    /// @param session  the page; empty: the browser
    Json call(const char* method, Json parameters, const std::string& session = {}) {
        const long own = ++number;
        Json message = {{"id", own}, {"method", method}, {"params", std::move(parameters)}};
        if (!session.empty()) message["sessionId"] = session;
        if (!send(message)) fail("has ended");
        while (true) {
            Json answer = receive();
            if (answer.value("method", "") == "Fetch.requestPaused") answer_request(answer);
            if (answer.value("method", "") == "Inspector.targetCrashed")
                fail("has lost the page, for want of memory perhaps");
            if (answer.value("id", 0L) != own) continue;
            if (answer.contains("error"))
                fail(fmt::format("refuses {}: {}", method, answer["error"].value("message", "")));
            return std::move(answer["result"]);
        }
    }

    /// The page itself is answered, and nothing else.
    void answer_request(const Json& event) {
        const Json& request = event["params"];
        const bool is_page = request["request"].value("url", "") == kAddress;
        Json parameters = {{"requestId", request["requestId"]}};
        if (is_page) {
            parameters["responseCode"] = 200;
            parameters["responseHeaders"] = {
                {{"name", "Content-Type"}, {"value", "text/html; charset=utf-8"}}};
            parameters["body"] = base64(html);
        } else {
            parameters["errorReason"] = "BlockedByClient";
        }
        send({{"id", ++number},
              {"method", is_page ? "Fetch.fulfillRequest" : "Fetch.failRequest"},
              {"params", std::move(parameters)},
              {"sessionId", page}});
    }

    void open(std::string text, Size size) {
        html = std::move(text);
        const Json target = call("Target.createTarget", {{"url", "about:blank"}});
        const Json session = call("Target.attachToTarget",
                                  {{"targetId", target.value("targetId", "")}, {"flatten", true}});
        page = session.value("sessionId", "");
        call("Emulation.setDeviceMetricsOverride",
             {{"width", size.width},
              {"height", size.height},
              {"deviceScaleFactor", size.ratio},
              {"mobile", false}},
             page);
        call("Fetch.enable", {{"patterns", {{{"urlPattern", "*"}}}}}, page);
        call("Page.navigate", {{"url", kAddress}}, page);
    }

    std::function<bool()> is_ended;
    OwnFolder profile;
    std::string html;
    std::FILE* said = nullptr;  // what it writes
    int channel = -1;
    pid_t process = 0;
    std::string page;  // the session of the page
    long number = 0;
    std::string buffer;
    std::size_t looked = 0;  // of the buffer, without an end of a message
};

HeadlessPage::HeadlessPage(const std::string& html, Size size, std::function<bool()> is_ended)
    : browser_(std::make_unique<Browser>(std::move(is_ended))) {
    browser_->start(size);
    browser_->open(html, size);
    while (true) {
        const Json ready = evaluate("document.documentElement?.dataset.ready ?? ''");
        if (ready == "true") return;
        if (ready == "error") Browser::fail_to_draw("could not read its page");
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

HeadlessPage::~HeadlessPage() = default;

Json HeadlessPage::evaluate(const std::string& expression) {
    Json answer = browser_->call(
        "Runtime.evaluate",
        {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}},
        browser_->page);
    if (answer.contains("exceptionDetails")) {
        const Json& details = answer["exceptionDetails"];
        std::string text = details.value("text", "");
        if (details.contains("exception")) text = details["exception"].value("description", text);
        Browser::fail_to_draw(
            fmt::format("could not draw: {}", printable(text.substr(0, text.find('\n')))));
    }
    return std::move(answer["result"]["value"]);
}

}  // namespace ancora
