// SPDX-License-Identifier: BSD-3-Clause
// Whose code runs: folders on the way, files that are swapped or written meanwhile, libraries that
// are only looked at, and the reader of their notes.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ancora/framework/lock.hpp"
#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/version.hpp"
#include "library_note.hpp"
#include "support/process.hpp"
#include "trusted_file.hpp"

using namespace ancora;
namespace fs = std::filesystem;

namespace {

const fs::path kZoo = ANCORA_TEST_ZOO_DIR;

using ancora::testing::TempFolder;

fs::path race(const char* variant) {
    return kZoo / fmt::format("race_{}", variant) / "race.so";
}

std::string bytes_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

bool has_run(const std::string& variant) {
    return std::getenv(("ANCORA_TEST_RACE_" + variant).c_str()) != nullptr;
}

std::string refusal(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        CHECK(error.kind() != ErrorKind::internal);
        return error.message();
    }
    return "nothing was refused";
}

std::string load_from(const fs::path& folder, const char* name = "test_load") {
    return refusal([&] {
        PluginRegistry registry;
        registry.add_folder(folder);
        registry.load(name);
    });
}

/// Runs `function` in a child process; its result, or 255 after a crash.
int in_child(const std::function<int()>& function) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        int status = 254;
        try {
            status = function();
        } catch (...) {
        }
        ::_exit(status);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/// Calls `function` again and again in a process of its own, until the end of the scope.
class Disturber {
public:
    /// @param function is called with what its pauses are to be multiplied by
    explicit Disturber(const std::function<void(unsigned patience)>& function)
        : patience_(static_cast<std::atomic<unsigned>*>(::mmap(nullptr,
                                                               sizeof(std::atomic<unsigned>),
                                                               PROT_READ | PROT_WRITE,
                                                               MAP_SHARED | MAP_ANONYMOUS,
                                                               -1,
                                                               0))) {
        REQUIRE(patience_ != MAP_FAILED);
        patience_->store(1);
        process_ = ::fork();
        REQUIRE(process_ >= 0);
        if (process_ == 0)
            while (true) function(*patience_);
    }
    ~Disturber() {
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
        ::munmap(patience_, sizeof(std::atomic<unsigned>));
    }
    /// Disturbs half as often from now on.
    void calm() { *patience_ = 2 * *patience_; }
    Disturber(const Disturber&) = delete;
    Disturber& operator=(const Disturber&) = delete;

private:
    std::atomic<unsigned>* patience_;
    pid_t process_ = -1;
};

struct Count {
    int loads = 0;
    int foreign = 0;
    int wrong_hashes = 0;
    int refused = 0;
    int crashed = 0;
};

constexpr int kGood = 0, kRefused = 1, kWrongHash = 2, kForeign = 3;

/// Loads `file` in one child process after the other, until one of many has been taken; on a
/// machine that is too slow or too busy for that, what disturbs slows down, too. `foreign` is the
/// variant that must not run, of which one has to be refused, or empty.
Count race_loads(const fs::path& file, const std::string& foreign, Disturber& disturber) {
    constexpr int kLoads = 150;
    constexpr int kRefusedInARow = 30;
    const std::string hashes[2] = {[] {
                                       PluginRegistry registry;
                                       return registry.load_file(race("one")).sha256;
                                   }(),
                                   [] {
                                       PluginRegistry registry;
                                       return registry.load_file(race("two")).sha256;
                                   }()};
    Count count;
    int in_a_row = 0;
    while (count.loads < kLoads || count.refused == count.loads ||
           (count.refused == 0 && !foreign.empty())) {
        const int result = in_child([&] {
            ::unsetenv("ANCORA_TEST_RACE_one");
            ::unsetenv("ANCORA_TEST_RACE_two");
            PluginRegistry registry;
            try {
                const Plugin& plugin = registry.load_file(file);
                const std::string& hash = hashes[plugin.version == "one" ? 0 : 1];
                if (plugin.sha256 != hash || !has_run(plugin.version)) return kWrongHash;
            } catch (const Error&) {
                return !foreign.empty() && has_run(foreign) ? kForeign : kRefused;
            }
            return !foreign.empty() && has_run(foreign) ? kForeign : kGood;
        });
        ++count.loads;
        count.foreign += result == kForeign;
        count.wrong_hashes += result == kWrongHash;
        count.refused += result == kRefused;
        count.crashed += result > kForeign;
        in_a_row = result == kRefused ? in_a_row + 1 : 0;
        if (in_a_row == kRefusedInARow) {
            disturber.calm();
            in_a_row = 0;
        }
    }
    MESSAGE(count.loads, " loads, ", count.refused, " refused");
    return count;
}

}  // namespace

TEST_SUITE("plugin trust: folders on the way") {
    TEST_CASE("a folder above that others may write to is refused, but for one like /tmp") {
        const TempFolder scratch;
        const fs::path shared = scratch / "shared";
        const fs::path folder = shared / "mine/plugins";
        fs::create_directories(folder);
        fs::copy(kZoo / "test_load.so", folder);
        ::chmod(shared.c_str(), 0777);
        CHECK(load_from(folder) ==
              fmt::format("plugin \"test_load\" ({0}/mine/plugins/test_load.so) is refused: others "
                          "may write to the folder \"{0}\" (mode 0777, owner uid {1}, group gid "
                          "{2}); mend it with chmod go-w \"{0}\", or allow it with "
                          "--unchecked-plugin-dirs (in a program: "
                          "PluginRegistry::allow_unchecked_folders)",
                          shared.string(),
                          ::geteuid(),
                          ::getegid()));
        ::chmod(shared.c_str(), 01777);
        CHECK(load_from(folder) == "nothing was refused");
        // the folder of the plugin itself has to be one that others cannot add to
        ::chmod(shared.c_str(), 0755);
        ::chmod(folder.c_str(), 01777);
        CHECK(load_from(folder).find("others may write to the folder") != std::string::npos);
    }

    TEST_CASE("a link does not hide the way") {
        const TempFolder scratch;
        fs::create_directories(scratch / "shared/plugins");
        fs::create_directories(scratch / "own");
        fs::copy(kZoo / "test_load.so", scratch / "shared/plugins");
        ::chmod((scratch / "shared").c_str(), 0777);
        fs::create_symlink("../shared/./plugins/../plugins", scratch / "own/link");
        CHECK(load_from(scratch / "own/link")
                  .find("write to the folder \"" + (scratch / "shared").string()) !=
              std::string::npos);
        // nor does one to a good folder, where others could bend it
        fs::create_directory_symlink(kZoo, scratch / "shared/zoo");
        CHECK(load_from(scratch / "shared/zoo").find("others may write") != std::string::npos);
        fs::create_symlink("loop", scratch / "own/loop");
        CHECK(load_from(scratch / "own/loop").find("was not found") != std::string::npos);
    }

    TEST_CASE("folders above, and links in /tmp, that belong to somebody else") {
        if (::geteuid() != 0) return;  // only root can give files away
        const TempFolder scratch;
        fs::create_directories(scratch / "his/plugins");
        fs::copy(kZoo / "test_load.so", scratch / "his/plugins");
        REQUIRE(::chown((scratch / "his").c_str(), 65534, 65534) == 0);
        CHECK(load_from(scratch / "his/plugins")
                  .find(fmt::format("the folder \"{}\" belongs neither to root nor to the user",
                                    (scratch / "his").string())) != std::string::npos);
        fs::create_directories(scratch / "tmp");
        ::chmod((scratch / "tmp").c_str(), 01777);
        fs::create_directory_symlink(kZoo, scratch / "tmp/link");
        CHECK(load_from(scratch / "tmp/link") == "nothing was refused");
        REQUIRE(::lchown((scratch / "tmp/link").c_str(), 65534, 65534) == 0);
        const std::string text = load_from(scratch / "tmp/link");
        // some systems do not follow such a link at all
        CHECK((text.find("the link \"") != std::string::npos ||
               text.find("was not found") != std::string::npos));
    }

    TEST_CASE("what is no file, and does not wait to be one") {
        const TempFolder scratch;
        REQUIRE(::mkfifo((scratch / "pipe.so").c_str(), 0600) == 0);
        CHECK(load_from(scratch.path(), "pipe").ends_with("is not a file"));
    }
}

TEST_SUITE("plugin trust: what is not opened") {
    TEST_CASE("an unknown type runs no code, and still there is advice") {
        const TempFolder scratch;
        fs::copy(race("one"), scratch.path());
        CHECK(in_child([&] {
                  ::unsetenv("ANCORA_TEST_RACE_one");
                  PluginRegistry registry;
                  registry.add_folder(scratch.path());
                  const std::string text = refusal([&] {
                      registry.find_type(TypeKind::body, "race_mas");
                  });
                  if (text.find("did you mean \"race_mass\"?") == std::string::npos) return 1;
                  bool is_listed = false;
                  for (const ListedPlugin& one : registry.list())
                      is_listed |= one.name == "race" && one.version == "one" &&
                                   one.types.size() == 1 && one.types[0].second == "race_mass";
                  if (!is_listed) return 2;
                  if (has_run("one")) return 3;
                  // and the type itself is found, in this file alone
                  if (registry.find_type(TypeKind::body, "race_mass").plugin->name != "race")
                      return 4;
                  return has_run("one") ? 0 : 5;
              }) == 0);
    }

    TEST_CASE("a library that is no plugin is not opened to find out") {
        const TempFolder scratch;
        fs::copy(kZoo / "beside/lib/libbeside.so", scratch / "stranger.so");
        CHECK(in_child([&] {
                  ::unsetenv("ANCORA_TEST_BESIDE");
                  PluginRegistry registry;
                  registry.add_folder(scratch.path());
                  for (const FoundPlugin& found : registry.scan())
                      if (found.file == scratch / "stranger.so" &&
                          found.problem.find("was not opened, since it does not say which types") ==
                              std::string::npos)
                          return 1;
                  return std::getenv("ANCORA_TEST_BESIDE") == nullptr ? 0 : 2;
              }) == 0);
    }

    TEST_CASE("a lock is asked before the code runs") {
        Lock lock;
        {
            PluginRegistry registry;
            const Plugin& plugin = registry.load_file(kZoo / "test_load.so");
            lock.plugins.push_back({"race", "one", plugin.sha256, {}});
        }
        lock.kernel = version();
        lock.sdk = ANCORA_SDK_VERSION;
        for (const AbiEntry& entry : kAbiFingerprint) lock.abi.push_back({entry.name, entry.value});
        CHECK(in_child([&] {
                  ::unsetenv("ANCORA_TEST_RACE_one");
                  const TempFolder scratch;
                  fs::copy(race("one"), scratch.path());
                  PluginRegistry registry;
                  registry.lock_to(lock);
                  const std::string text = refusal([&] {
                      registry.load_file(scratch / "race.so");
                  });
                  if (text.find("is another file, though its version is one") == std::string::npos)
                      return 1;
                  return has_run("one") ? 2 : 0;
              }) == 0);
    }
}

TEST_SUITE("plugin trust: what runs is what was hashed") {
    TEST_CASE("a file that is emptied or written over does not touch what is open") {
        CHECK(in_child([] {
                  const TempFolder scratch;
                  const fs::path file = scratch / "race.so";
                  fs::copy(race("one"), file);
                  PluginRegistry registry;
                  const Plugin& plugin = registry.load_file(file);
                  fs::resize_file(file, 0);
                  // constants and code that nobody touched so far
                  const TypeDescriptor& type = plugin.descriptor->types[0];
                  for (int i = 0; i < type.num_parameters; ++i)
                      if (std::strlen(type.parameters[i].doc) == 0) return 1;
                  // stack traces and debuggers see the file
                  Dl_info info = {};
                  if (::dladdr(plugin.descriptor, &info) == 0) return 2;
                  return file == info.dli_fname ? 0 : 3;
              }) == 0);
    }

    TEST_CASE("libraries are found beside the plugin, not beside its copy") {
        PluginRegistry registry;
        registry.add_folder(kZoo / "beside");
        CHECK(registry.load("links_beside").name == "links_beside");
        // examined like the plugin
        const TempFolder scratch;
        fs::copy(kZoo / "beside", scratch / "beside", fs::copy_options::recursive);
        ::chmod((scratch / "beside/lib").c_str(), 0777);
        CHECK(load_from(scratch / "beside", "links_beside")
                  .find("is linked with libbeside.so, and that is refused: others may write") !=
              std::string::npos);
    }

    // The loader would replace it once more, and open another file than the one examined.
    TEST_CASE("a folder that is called as the loader calls the plugin's") {
        for (const char* name : {"$ORIGIN", "${ORIGIN}", "a$LIB"}) {
            CAPTURE(name);
            const TempFolder scratch;
            fs::copy(kZoo / "beside", scratch / name, fs::copy_options::recursive);
            CHECK(in_child([&] {
                      const rlimit of_processor{20, 20};  // [s]
                      ::setrlimit(RLIMIT_CPU, &of_processor);
                      const std::string text = load_from(scratch / name, "links_beside");
                      return text.find(
                                 "/lib/libbeside.so\", the loader would take what begins "
                                 "with \"$\" for something else; rename the folder") !=
                                     std::string::npos
                                 ? 0
                                 : 1;
                  }) == 0);
        }
    }

    TEST_CASE("files of one folder, one after the other, are judged as each of them alone") {
        const TempFolder scratch;
        fs::create_directories(scratch / "plugins/inside");
        fs::create_directories(scratch / "elsewhere");
        fs::create_directories(scratch / "open");
        for (const char* name : {"plugins/a.so",
                                 "plugins/b.so",
                                 "plugins/written_by_all.so",
                                 "elsewhere/c.so",
                                 "open/d.so",
                                 "plugins/inside/e.so"})
            scratch.write(name, name);
        ::chmod((scratch / "plugins/written_by_all.so").c_str(), 0666);
        ::chmod((scratch / "open").c_str(), 0777);
        fs::create_symlink(scratch / "elsewhere/c.so", scratch / "plugins/link.so");
        fs::create_symlink(scratch / "open/d.so", scratch / "plugins/link_to_open.so");
        fs::create_symlink("a.so", scratch / "plugins/link_beside.so");
        fs::create_directory_symlink(scratch / "plugins", scratch / "way");

        std::vector<fs::path> files;
        for (const char* folder : {"plugins", "way", "plugins/../plugins"})
            for (const char* name : {"a.so",
                                     "b.so",
                                     "link.so",
                                     "b.so",
                                     "written_by_all.so",
                                     "b.so",
                                     "link_to_open.so",
                                     "none.so",
                                     "a.so",
                                     "inside",
                                     "inside/e.so",
                                     "link_beside.so",
                                     "../elsewhere/c.so",
                                     "b.so",
                                     "."})
                files.push_back(scratch / folder / name);
        std::mt19937 random(7);
        for (int round = 0; round < 20; ++round) {
            for (const bool allows_unchecked : {false, true}) {
                TrustedFiles all(allows_unchecked);
                for (const fs::path& file : files) {
                    CAPTURE(file);
                    const TrustedFile one = open_trusted(file, allows_unchecked);
                    const TrustedFile other = all.open(file);
                    CHECK(other.problem == one.problem);
                    CHECK(other.path == one.path);
                    CHECK(static_cast<bool>(other.descriptor) == static_cast<bool>(one.descriptor));
                    CHECK(other.status.st_ino == one.status.st_ino);
                }
            }
            std::shuffle(files.begin(), files.end(), random);
        }
    }

    TEST_CASE("a file that is cut off is refused in words") {
        const TempFolder scratch;
        const std::string all = bytes_of(race("one"));
        scratch.write("race.so",
                      all.substr(0, all.size() / 8));  // behind it may be what debuggers read
        CHECK(load_from(scratch.path(), "race").find("race.so) is cut off: ") != std::string::npos);
    }

    // The folder is exchanged for one that others may write to.
    TEST_CASE("race: no code of an unexamined folder runs") {
        const TempFolder scratch;
        for (const char* variant : {"one", "two"}) {
            fs::create_directories(scratch / variant);
            fs::copy(race(variant), scratch / variant);
        }
        ::chmod((scratch / "two").c_str(), 0777);
        fs::create_directory_symlink(scratch / "one", scratch / "plugins");
        const auto point_to = [&](const char* variant) {
            const std::string next = (scratch / "next").string();
            ::unlink(next.c_str());
            static_cast<void>(::symlink((scratch / variant).c_str(), next.c_str()) == 0 &&
                              ::rename(next.c_str(), (scratch / "plugins").c_str()) == 0);
        };
        Disturber disturber([&](unsigned patience) {
            point_to("two");
            point_to("one");
            if (patience > 1) ::usleep(1000 * patience);
        });
        const Count count = race_loads(scratch / "plugins/race.so", "two", disturber);
        CHECK(count.refused > 0);
        CHECK(count.refused < count.loads);
        CHECK(count.foreign == 0);
        CHECK(count.wrong_hashes == 0);
        CHECK(count.crashed == 0);
    }

    TEST_CASE("race: the hash is of the code that runs, also while the file is renamed over") {
        const TempFolder scratch;
        const std::string good[2] = {bytes_of(race("one")), bytes_of(race("two"))};
        scratch.write("race.so", good[0]);
        for (const char* variant : {"one", "two"})
            fs::copy(race(variant), scratch / fmt::format("kept_{}", variant));
        // A link more or less counts as a change of the file, and one that changed in the last
        // 20 ms is waited for: the pauses run through 15 to 60 ms, so that exchanges fall before,
        // into and after the moment of reading.
        unsigned exchanges = 0;
        Disturber disturber([&](unsigned patience) {
            for (const char* variant : {"one", "two"}) {
                ::unlink((scratch / "next").c_str());
                if (::link((scratch / fmt::format("kept_{}", variant)).c_str(),
                           (scratch / "next").c_str()) == 0)
                    ::rename((scratch / "next").c_str(), (scratch / "race.so").c_str());
                ::usleep(1000 * patience * (15 + 7 * exchanges++ % 46));
            }
        });
        const Count count = race_loads(scratch / "race.so", "", disturber);
        CHECK(count.wrong_hashes == 0);
        CHECK(count.crashed == 0);
        CHECK(count.refused < count.loads);
    }

    TEST_CASE("race: the hash is of the code that runs, also while the file is written over") {
        const TempFolder scratch;
        const std::string good[2] = {bytes_of(race("one")), bytes_of(race("two"))};
        scratch.write("race.so", good[0]);
        Disturber disturber([&](unsigned patience) {
            for (const std::string& bytes : good) {
                const int file = ::open((scratch / "race.so").c_str(), O_WRONLY | O_TRUNC);
                for (std::size_t at = 0; at < bytes.size(); at += 1024)
                    if (::write(file,
                                bytes.data() + at,
                                std::min<std::size_t>(1024, bytes.size() - at)) < 0)
                        break;
                ::close(file);
                ::usleep(45000 * patience);
            }
        });
        const Count count = race_loads(scratch / "race.so", "", disturber);
        CHECK(count.wrong_hashes == 0);
        CHECK(count.crashed == 0);
        CHECK(count.refused < count.loads);
    }
}

TEST_SUITE("plugin trust: reader of notes") {
    std::optional<LibraryNote> read(const std::string& bytes, std::size_t& total) {
        return read_library_note([&](std::uint64_t offset, void* to, std::size_t size) {
            if (offset > bytes.size() || size > bytes.size() - offset) return false;
            total += size;
            std::memcpy(to, bytes.data() + offset, size);
            return true;
        });
    }

    TEST_CASE("a plugin's note, the libraries it needs, and its end") {
        std::size_t total = 0;
        const auto library = read(bytes_of(kZoo / "beside/links_beside.so"), total);
        REQUIRE(library);
        REQUIRE(library->plugin);
        CHECK(library->plugin->plugin == "links_beside");
        CHECK(library->plugin->version == "1.0.0");
        CHECK(library->plugin->sdk == ANCORA_SDK_VERSION);
        CHECK(library->plugin->offers(TypeKind::body, "linked_mass"));
        CHECK_FALSE(library->plugin->offers(TypeKind::force, "linked_mass"));
        CHECK(std::ranges::find(library->needed, "libbeside.so") != library->needed.end());
        REQUIRE(!library->run_path.empty());
        CHECK(library->run_path[0] == "$ORIGIN/lib");
        CHECK(library->end <= bytes_of(kZoo / "beside/links_beside.so").size());
        CHECK(total < 100'000);
    }

    // One long name, which each of many entries leads to, in each of many dynamic sections.
    TEST_CASE("a small file is not read without end") {
        constexpr std::size_t kSegments = 60, kEntries = 1000, kLength = 4000;
        constexpr std::size_t kEntriesAt = sizeof(ElfW(Ehdr)) + kSegments * sizeof(ElfW(Phdr));
        constexpr std::size_t kTextAt = kEntriesAt + (kEntries + 1) * sizeof(ElfW(Dyn));
        std::string bytes(kTextAt + kLength + 1, '\0');
        std::fill_n(bytes.begin() + kTextAt, kLength, 'a');

        const std::string plugin = bytes_of(kZoo / "test_mass.so");
        ElfW(Ehdr) header;
        REQUIRE(plugin.size() > sizeof(header));
        std::memcpy(&header, plugin.data(), sizeof(header));
        header.e_phoff = sizeof(header);
        header.e_phnum = kSegments;
        std::memcpy(bytes.data(), &header, sizeof(header));
        for (std::size_t i = 0; i < kSegments; ++i) {
            ElfW(Phdr) segment = {};
            segment.p_type = i == 0 ? PT_LOAD : PT_DYNAMIC;
            segment.p_offset = i == 0 ? 0 : kEntriesAt;
            segment.p_filesz = i == 0 ? bytes.size() : kTextAt - kEntriesAt;
            std::memcpy(
                bytes.data() + sizeof(header) + i * sizeof(segment), &segment, sizeof(segment));
        }
        for (std::size_t i = 0; i <= kEntries; ++i) {
            ElfW(Dyn) entry = {};
            entry.d_tag = i == 0 ? DT_STRTAB : DT_NEEDED;
            entry.d_un.d_ptr = kTextAt;
            if (i > 0) entry.d_un.d_val = 0;
            std::memcpy(bytes.data() + kEntriesAt + i * sizeof(entry), &entry, sizeof(entry));
        }

        std::size_t total = 0;
        const auto library = read(bytes, total);
        REQUIRE(library);
        CHECK(library->needed.size() > 100);
        CHECK(library->needed[0] == std::string(kLength, 'a'));
        CHECK(total > kMostLibraryBytes / 2);
        CHECK(total <= kMostLibraryBytes);
    }

    TEST_CASE("texts that are no note") {
        const std::string good = "plugin a\nversion 1\nsdk 5\nbody b\n";
        CHECK(parse_plugin_note(good));
        for (std::size_t cut = 1; cut < good.size(); ++cut)
            CHECK((!parse_plugin_note(good.substr(0, cut)) || good[cut - 1] == '\n'));
        for (const char* bad : {"",
                                "plugin a b\nversion 1\nsdk 5\n",
                                "plugin a\nversion 1\nsdk five\n",
                                "plugin a\nversion 1\nsdk -5\n",
                                "plugin a\nversion 1\nsdk 99999999999\n",
                                "plugin a\nversion \x1b[2J\nsdk 5\n",
                                "plugin a\nversion 1\nsdk 5\nspring b\n",
                                "plugin a\nversion 1\nsdk 5\nbody ../b\n"})
            CHECK_FALSE(parse_plugin_note(bad));
    }

    // Under the sanitizers each read out of bounds would show; here, crashes and endless loops do.
    TEST_CASE("damaged files: every number of the headers may be any number") {
        const std::string whole = bytes_of(kZoo / "test_mass.so");
        std::mt19937_64 random(7);
        std::size_t most = 0;
        int with_note = 0;
        for (int i = 0; i < 20'000; ++i) {
            std::string bytes = whole.substr(0, i % 5 == 0 ? random() % whole.size() : 4096);
            // the headers of file and segments are the first bytes, the notes follow
            const int changes = 1 + static_cast<int>(random() % 8);
            for (int k = 0; k < changes && bytes.size() > 16; ++k) {
                const std::size_t at = random() % std::min<std::size_t>(bytes.size() - 8, 1024);
                const std::uint64_t values[] = {0,
                                                1,
                                                random(),
                                                random() % 5000,
                                                ~std::uint64_t{0},
                                                ~std::uint64_t{0} >> 1,
                                                std::uint64_t{1} << 63};
                const std::uint64_t value = values[random() % 7];
                std::memcpy(bytes.data() + at, &value, 1 + random() % 8);
            }
            std::size_t total = 0;
            if (const auto library = read(bytes, total); library && library->plugin) ++with_note;
            most = std::max(most, total);
        }
        CHECK(most < 2'000'000);
        CHECK(with_note > 0);
        CHECK(with_note < 20'000);
    }
}
