// SPDX-License-Identifier: BSD-3-Clause
// Search, refusal and lookup of plugins; each bad plugin of the zoo with the message it causes.
#include "ancora/framework/plugin_registry.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ancora;
namespace fs = std::filesystem;

namespace {

const fs::path kZoo = ANCORA_TEST_ZOO_DIR;

/// A folder of our own that vanishes at the end of the test.
class ScratchFolder {
public:
    ScratchFolder() {
        std::string pattern = (fs::temp_directory_path() / "ancora_registry_XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        path_ = fs::canonical(pattern);
    }
    ~ScratchFolder() { fs::remove_all(path_); }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const fs::path& path() const { return path_; }
    fs::path folder(const std::string& name) const {
        fs::create_directories(path_ / name);
        return path_ / name;
    }

private:
    fs::path path_;
};

/// Sets or, with null, removes ANCORA_PLUGIN_PATH until the end of the scope.
class PluginPath {
public:
    explicit PluginPath(const char* value) {
        if (const char* old = std::getenv("ANCORA_PLUGIN_PATH")) {
            had_one_ = true;
            old_ = old;
        }
        set(value);
    }
    ~PluginPath() { set(had_one_ ? old_.c_str() : nullptr); }
    PluginPath(const PluginPath&) = delete;
    PluginPath& operator=(const PluginPath&) = delete;

private:
    static void set(const char* value) {
        if (value != nullptr)
            ::setenv("ANCORA_PLUGIN_PATH", value, 1);
        else
            ::unsetenv("ANCORA_PLUGIN_PATH");
    }

    bool had_one_ = false;
    std::string old_;
};

Error error_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error;
    }
    FAIL("nothing was thrown");
    std::abort();
}

Error refusal_of(const std::string& name) {
    PluginRegistry registry;
    registry.add_folder(kZoo);
    return error_of([&] {
        registry.load(name);
    });
}

/// 'plugin "NAME" (ZOO/NAME.so) '
std::string zoo_plugin(const std::string& name) {
    return fmt::format("plugin \"{}\" ({}/{}.so) ", name, kZoo.string(), name);
}

/// The list of searched folders in messages: `first`, then what every registry searches.
std::string searched(const std::vector<std::string>& first) {
    std::string text = "\n  searched, in this order:";
    for (const std::string& folder : first) text += "\n    " + folder;
    for (const fs::path& folder : PluginRegistry().folders())
        text += "\n    " + folder.string() + (fs::exists(folder) ? "" : " (does not exist)");
    return text;
}

constexpr const char* kOrAllow =
    "or allow it with --unchecked-plugin-dirs (in a program: "
    "PluginRegistry::allow_unchecked_folders)";

Place place_in_manifest() {
    return {std::make_shared<const std::string>("model/crane.toml"), 4, 12};
}

}  // namespace

TEST_SUITE("plugin registry: search") {
    TEST_CASE("folders: added, then ANCORA_PLUGIN_PATH, then installed; none twice, none empty") {
        const PluginPath variable(":/opt/b:relative/c::/opt/b/:");
        PluginRegistry registry;
        registry.add_folder("/opt/z/");
        registry.add_folder("");
        registry.add_folder("a/../d");
        const std::vector<fs::path> folders = registry.folders();
        REQUIRE(folders.size() >= 5);
        CHECK(folders[0] == "/opt/z");
        CHECK(folders[1] == fs::current_path() / "d");
        CHECK(folders[2] == "/opt/b");
        CHECK(folders[3] == fs::current_path() / "relative/c");
        CHECK(folders[4].string().ends_with("/ancora/plugins"));
        for (const fs::path& folder : folders) CHECK(folder.is_absolute());
    }

    TEST_CASE("a plugin is named, not pathed") {
        PluginRegistry registry;
        const Error error = error_of([&] {
            registry.load("../zoo/test_mass.so", place_in_manifest());
        });
        CHECK(error.kind() == ErrorKind::plugin);
        CHECK(std::string(error.what()) ==
              "model/crane.toml:4:12: error: \"../zoo/test_mass.so\" is not the name of a plugin; "
              "a plugin is named, not pathed: write its name \"test_mass\", and its folder in "
              "plugin_dirs of [model] or after --plugin-dir");
        CHECK(error_of([&] {
                  registry.load("test_mass.so");
              }).message() ==
              "\"test_mass.so\" is not the name of a plugin; write \"test_mass\", without the "
              "ending");
        CHECK(error_of([&] {
                  registry.load("2fast");
              }).message() ==
              "\"2fast\" is not the name of a plugin; a name is a letter or \"_\" followed by "
              "letters, digits, \"_\" and \"-\"");
        CHECK(error_of([&] {
                  registry.load("");
              }).kind() == ErrorKind::plugin);
        CHECK(error_of([&] {
                  registry.load("..");
              }).kind() == ErrorKind::plugin);
    }

    TEST_CASE("nothing is loaded from the current directory by accident") {
        const PluginPath variable(":");
        const fs::path before = fs::current_path();
        fs::current_path(kZoo);
        PluginRegistry registry;
        const std::string text = error_of([&] {
                                     registry.load("test_mass");
                                 }).message();
        fs::current_path(before);
        CHECK(text.starts_with("plugin \"test_mass\" was not found" + searched({})));
    }

    TEST_CASE("not found: names the folders in order and the line that mends it") {
        const PluginPath variable(nullptr);
        const ScratchFolder scratch;
        std::ofstream(scratch.path() / "a_file") << "text";
        PluginRegistry registry;
        registry.add_folder("/nowhere");
        registry.add_folder(scratch.path());
        registry.add_folder(scratch.path() / "a_file");
        const Error error = error_of([&] {
            registry.load("qqqqqqqqqqqqq", place_in_manifest());
        });
        CHECK(error.kind() == ErrorKind::plugin);
        CHECK(error.place().line == 4);
        CHECK(std::string(error.what()) ==
              "model/crane.toml:4:12: error: plugin \"qqqqqqqqqqqqq\" was not found" +
                  searched({"/nowhere (does not exist)",
                            scratch.path().string(),
                            scratch.path().string() + "/a_file (is not a folder)"}) +
                  "\n  name the folder that holds qqqqqqqqqqqqq.so: plugin_dirs = [\"FOLDER\"] in "
                  "[model], --plugin-dir FOLDER, or ANCORA_PLUGIN_PATH");
    }

    TEST_CASE("not found: offers near misses") {
        const PluginPath variable(nullptr);
        const ScratchFolder scratch;
        const std::string folder = scratch.path().string();
        std::ofstream(scratch.path() / "trusses_xyz.so");
        std::ofstream(scratch.path() / "libropes_xyz.so");
        PluginRegistry registry;
        registry.add_folder(folder);
        CHECK(error_of([&] {
                  registry.load("truses_xyz");
              }).message() == "plugin \"truses_xyz\" was not found; did you mean \"trusses_xyz\"?" +
                                  searched({folder}) + "\n  found instead:\n    " + folder +
                                  "/trusses_xyz.so\n  write \"trusses_xyz\" in plugins of [model]");
        const std::string text = error_of([&] {
                                     registry.load("ropes_xyz");
                                 }).message();
        CHECK(text.find("\n  found instead:\n    " + folder + "/libropes_xyz.so") !=
              std::string::npos);
    }

    TEST_CASE("the first folder that has the file decides, even if the file is a broken link") {
        const ScratchFolder scratch;
        fs::create_symlink("/nowhere/test_mass.so", scratch.path() / "test_mass.so");
        PluginRegistry registry;
        registry.add_folder(scratch.path());
        registry.add_folder(kZoo);
        CHECK(error_of([&] {
                  registry.load("test_mass");
              }).message() ==
              fmt::format("plugin \"test_mass\" ({}/test_mass.so) cannot be opened: No such file "
                          "or directory",
                          scratch.path().string()));
    }
}

TEST_SUITE("plugin registry: who may write") {
    TEST_CASE("a folder that everybody may write to is refused, unless allowed") {
        const ScratchFolder scratch;
        const std::string folder = scratch.path().string();
        fs::copy(kZoo / "test_load.so", scratch.path());
        ::chmod(folder.c_str(), 0777);
        PluginRegistry registry;
        registry.add_folder(folder);
        const Error error = error_of([&] {
            registry.load("test_load");
        });
        CHECK(error.kind() == ErrorKind::plugin);
        CHECK(error.message() ==
              fmt::format("plugin \"test_load\" ({0}/test_load.so) is refused: others may write to "
                          "the folder \"{0}\" (mode 0777, owner uid {1}, group gid {2}); mend it "
                          "with chmod go-w \"{0}\", {3}",
                          folder,
                          ::geteuid(),
                          ::getegid(),
                          kOrAllow));
        registry.allow_unchecked_folders(true);
        CHECK(registry.load("test_load").name == "test_load");
    }

    TEST_CASE("an untrusted folder does not matter as long as the plugin is found before") {
        const ScratchFolder scratch;
        ::chmod(scratch.path().c_str(), 0777);
        PluginRegistry registry;
        registry.add_folder(scratch.path());
        registry.add_folder(kZoo);
        CHECK(registry.load("test_mass").name == "test_mass");
    }

    TEST_CASE("a file that everybody may write to is refused") {
        const ScratchFolder scratch;
        const fs::path file = scratch.path() / "test_load.so";
        fs::copy(kZoo / "test_load.so", file);
        ::chmod(file.c_str(), 0666);
        PluginRegistry registry;
        CHECK(error_of([&] {
                  registry.load_file(file);
              }).message() ==
              fmt::format("plugin \"test_load\" ({0}) is refused: others may write to the file "
                          "\"{0}\" (mode 0666, owner uid {1}, group gid {2}); mend it with chmod "
                          "go-w \"{0}\", {3}",
                          file.string(),
                          ::geteuid(),
                          ::getegid(),
                          kOrAllow));
    }

    TEST_CASE("another owner or a foreign group that may write is refused") {
        if (::geteuid() != 0) return;  // only root can give files away
        constexpr uid_t kStranger = 65534;
        const ScratchFolder scratch;
        const fs::path file = scratch.path() / "test_load.so";
        fs::copy(kZoo / "test_load.so", file);
        PluginRegistry registry;

        REQUIRE(::chown(file.c_str(), 0, kStranger) == 0);
        ::chmod(file.c_str(), 0664);
        CHECK(error_of([&] {
                  registry.load_file(file);
              })
                  .message()
                  .find("others may write") != std::string::npos);

        REQUIRE(::chown(file.c_str(), kStranger, 0) == 0);
        ::chmod(file.c_str(), 0644);
        CHECK(error_of([&] {
                  registry.load_file(file);
              }).message() ==
              fmt::format("plugin \"test_load\" ({0}) is refused: the file \"{0}\" belongs neither "
                          "to root nor to the user of this program, uid 0 (mode 0644, owner uid "
                          "65534, group gid 0); change its owner with chown, {1}",
                          file.string(),
                          kOrAllow));
    }
}

TEST_SUITE("plugin registry: loading") {
    TEST_CASE("a good plugin is opened with its version, file and hash") {
        const ScratchFolder scratch;
        PluginRegistry registry;
        registry.add_folder(kZoo);
        const Plugin& plugin = registry.load("test_mass");
        CHECK(plugin.name == "test_mass");
        CHECK(plugin.version == "1.0.0");
        CHECK(fs::equivalent(plugin.file, kZoo / "test_mass.so"));
        CHECK(plugin.descriptor->num_types == 1);
        CHECK(&registry.load("test_mass") == &plugin);
        CHECK(registry.plugins() == std::vector<const Plugin*>{&plugin});

        // sha256sum is the reference
        const fs::path out = scratch.path() / "sum";
        const std::string command =
            fmt::format("sha256sum '{}' > '{}'", plugin.file.string(), out.string());
        REQUIRE(std::system(command.c_str()) == 0);
        std::string sum;
        std::ifstream(out) >> sum;
        CHECK(plugin.sha256 == sum);
    }

    TEST_CASE("two registries share an open library, also through a link") {
        const ScratchFolder scratch;
        fs::create_symlink(kZoo / "test_mass.so", scratch.path() / "test_mass.so");
        PluginRegistry a, b, c;
        a.add_folder(kZoo);
        b.add_folder(kZoo);
        c.add_folder(scratch.path());
        CHECK(&a.load("test_mass") == &b.load("test_mass"));
        CHECK(&a.load("test_mass") == &c.load("test_mass"));
    }

    TEST_CASE("an open plugin survives its registry") {
        const Plugin* plugin = nullptr;
        {
            PluginRegistry registry;
            plugin = &registry.load_file(kZoo / "test_mass.so");
        }
        CHECK(std::string(plugin->descriptor->types[0].name) == "test_mass");
    }

    TEST_CASE("a file that was replaced on disk is refused in the next registry") {
        const ScratchFolder scratch;
        const fs::path file = scratch.path() / "test_drag.so";
        fs::copy(kZoo / "test_drag.so", file);
        PluginRegistry first;
        first.load_file(file);
        fs::copy(kZoo / "test_drag.so", scratch.path() / "new");
        fs::rename(scratch.path() / "new", file);
        PluginRegistry second;
        CHECK(error_of([&] {
                  second.load_file(file);
              }).message() ==
              fmt::format("plugin \"test_drag\" ({}) was replaced on disk since it was opened; "
                          "restart the program",
                          file.string()));
        CHECK(first.load("test_drag").name == "test_drag");
    }

    TEST_CASE("one name, two files: the second is refused in the same registry") {
        const ScratchFolder scratch;
        fs::copy(kZoo / "test_drag.so", scratch.path());
        PluginRegistry registry;
        registry.load_file(kZoo / "test_drag.so");
        CHECK(error_of([&] {
                  registry.load_file(scratch.path() / "test_drag.so");
              }).message() ==
              fmt::format("plugin \"test_drag\" ({}/test_drag.so) has the name of a plugin that is "
                          "in use, {}",
                          scratch.path().string(),
                          fs::canonical(kZoo / "test_drag.so").string()));
    }

    TEST_CASE("registries of several threads may open the same plugins at once") {
        const ScratchFolder scratch;
        fs::copy(kZoo / "test_mass.so", scratch.path());
        fs::copy(kZoo / "test_load.so", scratch.path());
        const Plugin* seen[8] = {};
        std::vector<std::thread> threads;
        for (const Plugin*& one : seen)
            threads.emplace_back([&one, &scratch] {
                PluginRegistry registry;
                registry.add_folder(scratch.path());
                registry.load("test_load");
                one = &registry.load("test_mass");
            });
        for (std::thread& thread : threads) thread.join();
        for (const Plugin* one : seen) CHECK(one == seen[0]);
    }
}

TEST_SUITE("plugin registry: the zoo") {
    TEST_CASE("all refusals are plugin errors, exit status 4") {
        for (const char* name : {"no_symbol",
                                 "wrong_magic",
                                 "old_sdk",
                                 "wrong_fingerprint",
                                 "fast_math",
                                 "wrong_name",
                                 "duplicate_types",
                                 "undefined_symbol"}) {
            CAPTURE(name);
            const Error error = refusal_of(name);
            CHECK(error.kind() == ErrorKind::plugin);
            CHECK(error.message().starts_with(zoo_plugin(name)));
        }
    }

    TEST_CASE("not a library") {
        const ScratchFolder scratch;
        const fs::path file = scratch.path() / "not_a_library.so";
        std::ofstream(file) << "This is a text, long enough to be taken for the head of a library: "
                               "the loader reads sixty-four bytes before it complains.\n";
        PluginRegistry registry;
        registry.add_folder(scratch.path());
        const Error error = error_of([&] {
            registry.load("not_a_library");
        });
        CHECK(error.kind() == ErrorKind::plugin);
        CHECK(error.message() ==
              fmt::format("plugin \"not_a_library\" ({}) is not a shared library (the loader says: "
                          "invalid ELF header); name the library that was built",
                          file.string()));
    }

    TEST_CASE("a folder, or a missing file, where the library should be") {
        const ScratchFolder scratch;
        const fs::path folder = scratch.folder("a_folder.so");
        PluginRegistry registry;
        CHECK(error_of([&] {
                  registry.load_file(folder);
              }).message() ==
              fmt::format("plugin \"a_folder\" ({}) is not a file", folder.string()));
        CHECK(error_of([&] {
                  registry.load_file("/nowhere/x.so");
              }).message() ==
              "plugin \"x\" (/nowhere/x.so) cannot be opened: No such file or directory");
    }

    TEST_CASE("no symbol") {
        CHECK(refusal_of("no_symbol").message() ==
              zoo_plugin("no_symbol") +
                  "is a shared library but not an Ancora plugin: it does not export "
                  "ancora_plugin_descriptor; write ANCORA_PLUGIN(name, version, types) once in its "
                  "sources");
    }

    TEST_CASE("undefined symbol") {
        CHECK(refusal_of("undefined_symbol").message() ==
              zoo_plugin("undefined_symbol") +
                  "cannot be loaded: undefined symbol: _ZN6ancora3zoo12missing_massEi; neither the "
                  "plugin nor a library that it is linked with defines "
                  "ancora::zoo::missing_mass(int); add the missing source or library and link with "
                  "-Wl,-z,defs, as ancora_add_plugin() does, to see this at build time");
    }

    TEST_CASE("wrong magic") {
        CHECK(refusal_of("wrong_magic").message() ==
              zoo_plugin("wrong_magic") +
                  "is not an Ancora plugin: its ancora_plugin_descriptor begins with "
                  "0x000000000000002a instead of 0x313041524f434e41; write the descriptor with "
                  "ANCORA_PLUGIN and rebuild it");
    }

    TEST_CASE("other SDK") {
        CHECK(refusal_of("old_sdk").message() ==
              zoo_plugin("old_sdk") +
                  fmt::format("was built for SDK {}, this program speaks SDK {}; rebuild it with "
                              "the installed SDK",
                              ANCORA_SDK_VERSION + 1,
                              ANCORA_SDK_VERSION));
    }

    TEST_CASE("other fingerprint: every entry that differs, with both values") {
        CHECK(refusal_of("wrong_fingerprint").message() ==
              zoo_plugin("wrong_fingerprint") +
                  "was built in a way that does not fit this program; rebuild it through the CMake "
                  "target Ancora::sdk of the installed SDK:"
                  "\n  pointer size: plugin 4, program 8"
                  "\n  EIGEN_MAX_ALIGN_BYTES: plugin 16, program 64");
    }

    TEST_CASE("flags that change the layout of structs are named, before anything is called") {
        PluginRegistry registry;
        registry.add_folder(kZoo / "short_enums");
        const std::string message = error_of([&] {
                                        registry.load("second_test_mass");
                                    }).message();
        CHECK(message.find("\n  size of an enumeration: plugin 001, program 004") !=
              std::string::npos);
    }

    TEST_CASE("fast math: refused at every try, and denormal numbers stay what they are") {
        const std::string text = zoo_plugin("fast_math") +
                                 "changed the floating-point environment of the whole program "
                                 "while it was loaded (flush to zero); link it without "
                                 "-ffast-math, -Ofast and -funsafe-math-optimizations, which add "
                                 "crtfastmath.o";
        CHECK(refusal_of("fast_math").message() == text);
        CHECK(refusal_of("fast_math").message() == text);
        volatile double smallest = std::numeric_limits<double>::min();
        CHECK(smallest / 2.0 > 0.0);
    }

    TEST_CASE("other name") {
        CHECK(refusal_of("wrong_name").message() ==
              zoo_plugin("wrong_name") +
                  "calls itself \"other_name\"; rename the file to other_name.so or the plugin in "
                  "ANCORA_PLUGIN");
    }

    TEST_CASE("a plugin under another file name") {
        const ScratchFolder scratch;
        const fs::path file = scratch.path() / "tst_mass.so";
        fs::create_symlink(kZoo / "test_mass.so", file);
        PluginRegistry registry;
        CHECK(error_of([&] {
                  registry.load_file(file);
              }).message() ==
              fmt::format("plugin \"tst_mass\" ({}) calls itself \"test_mass\"; rename the file to "
                          "test_mass.so or the plugin in ANCORA_PLUGIN",
                          file.string()));
    }

    TEST_CASE("duplicate types") {
        CHECK(refusal_of("duplicate_types").message() ==
              zoo_plugin("duplicate_types") +
                  "offers two body types \"twin\"; give one of them another name");
    }

    TEST_CASE("those that misbehave later get through") {
        PluginRegistry registry;
        registry.add_folder(kZoo);
        for (const char* name : {"bad_sizes",
                                 "changes_fp_in_call",
                                 "nan_in_call",
                                 "test_drag",
                                 "test_load",
                                 "test_mass",
                                 "test_plane",
                                 "throwing_factory",
                                 "throws_in_call"})
            CHECK(registry.load(name).name == name);
    }
}

TEST_SUITE("plugin registry: types") {
    TEST_CASE("a type of a plugin in use is found without a look at the search path") {
        const PluginPath variable(nullptr);
        PluginRegistry registry;
        const Plugin& plugin = registry.load_file(kZoo / "test_mass.so");
        const PluginType found = registry.find_type(TypeKind::body, "test_mass");
        CHECK(found.plugin == &plugin);
        CHECK(std::string(found.type->name) == "test_mass");
    }

    TEST_CASE("a type that no plugin in use offers is found on the search path") {
        const PluginPath variable(kZoo.c_str());
        PluginRegistry registry;
        const PluginType found = registry.find_type(TypeKind::force, "test_drag");
        CHECK(found.plugin->name == "test_drag");
        // all were looked at, but only this one is in use
        CHECK(registry.plugins() == std::vector<const Plugin*>{found.plugin});
    }

    TEST_CASE("a type that two plugins offer is refused, unless one of them is in use") {
        const PluginPath variable(nullptr);
        const std::string a = fs::canonical(kZoo / "second/second_test_mass.so").string();
        const std::string b = fs::canonical(kZoo / "test_mass.so").string();
        PluginRegistry registry;
        registry.add_folder(kZoo / "second");
        registry.add_folder(kZoo);
        const auto find = [&] {
            registry.find_type(TypeKind::body, "test_mass");
        };
        const Error error = error_of(find);
        CHECK(error.kind() == ErrorKind::plugin);
        CHECK(error.message() ==
              fmt::format("body type \"test_mass\" is offered by two plugins, "
                          "\"second_test_mass\" ({}) and \"test_mass\" ({}); name one of them in "
                          "plugins of [model]",
                          a,
                          b));
        registry.load("test_mass");
        CHECK(registry.find_type(TypeKind::body, "test_mass").plugin->name == "test_mass");
        registry.load("second_test_mass");
        CHECK(error_of(find).message() ==
              fmt::format("body type \"test_mass\" is offered by two plugins, \"test_mass\" ({}) "
                          "and \"second_test_mass\" ({}); keep only one of them in plugins of "
                          "[model]",
                          b,
                          a));
    }

    TEST_CASE("an unknown type: nearest name, plugins in use, folders, refused plugins") {
        const PluginPath variable(nullptr);
        const ScratchFolder scratch;
        const std::string folder = scratch.path().string();
        fs::copy(kZoo / "test_mass.so", scratch.path());
        fs::copy(kZoo / "no_symbol.so", scratch.path());
        PluginRegistry registry;
        registry.add_folder(folder);
        registry.load("test_mass");
        registry.load_file(kZoo / "test_plane.so");
        const Error error = error_of([&] {
            registry.find_type(TypeKind::body, "test_mas", place_in_manifest());
        });
        CHECK(error.kind() == ErrorKind::manifest);
        const std::string text = error.what();
        CHECK(text.starts_with(
            "model/crane.toml:4:12: error: unknown body type \"test_mas\"; did you mean "
            "\"test_mass\"? (plugins in use: test_mass, test_plane)" +
            searched({folder})));
        CHECK(text.find("\n  refused: plugin \"no_symbol\" (" + folder + "/no_symbol.so) ") !=
              std::string::npos);
    }

    TEST_CASE("a type of another kind: says where it belongs") {
        const PluginPath variable(nullptr);
        PluginRegistry registry;
        registry.load_file(kZoo / "test_plane.so");
        CHECK(error_of([&] {
                  registry.find_type(TypeKind::body, "test_plane");
              })
                  .message()
                  .starts_with("unknown body type \"test_plane\"; \"test_plane\" is a constraint, "
                               "write [[joint]] or [[constraint]], which are the same (plugins in "
                               "use: test_plane)"));
        CHECK(error_of([&] {
                  PluginRegistry().find_type(TypeKind::body, "qqqqqqqqqqqq");
              })
                  .message()
                  .starts_with("unknown body type \"qqqqqqqqqqqq\" (plugins in use: none)"));
    }

    TEST_CASE("scan: everything on the path, with what hides or refuses it; nothing is in use") {
        const PluginPath variable(nullptr);
        const ScratchFolder scratch;
        const fs::path a = scratch.folder("a");
        const fs::path b = scratch.folder("b");
        fs::copy(kZoo / "test_mass.so", a);
        fs::copy(kZoo / "no_symbol.so", a);
        fs::copy(kZoo / "test_mass.so", b);
        std::ofstream(a / "notes.txt");
        std::ofstream(a / "not a name.so");
        PluginRegistry registry;
        registry.add_folder(a);
        registry.add_folder(b);
        const std::vector<FoundPlugin> found = registry.scan();
        REQUIRE(found.size() >= 3);
        CHECK(found[0].file == a / "no_symbol.so");
        CHECK(found[0].plugin == nullptr);
        CHECK(found[0].problem.starts_with("plugin \"no_symbol\" (" + a.string()));
        CHECK(found[1].file == a / "test_mass.so");
        CHECK(found[1].plugin != nullptr);
        CHECK(found[1].problem.empty());
        CHECK(found[2].plugin == nullptr);
        CHECK(found[2].problem == fmt::format("plugin \"test_mass\" ({0}/b/test_mass.so) is hidden "
                                              "by {0}/a/test_mass.so, which comes first",
                                              scratch.path().string()));
        CHECK(registry.plugins().empty());
    }
}
