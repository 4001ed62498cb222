// SPDX-License-Identifier: BSD-3-Clause
// A call of a plugin that failed, with its inputs, and the same call made again.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/framework/error.hpp"
#include "ancora/framework/export.hpp"
#include "ancora/framework/plugin_registry.hpp"

namespace ancora {

/// What the kernel throws when a call of a body, constraint, force or contact law throws or returns
/// a value that is not finite. The kernel writes no file; run() writes one among the results, the
/// command elsewhere, and a program of your own where it likes:
///
///     catch (const FailedCall& failure) { log(failure.written_to("failed_call.toml").what()); }
class ANCORA_FRAMEWORK_EXPORT FailedCall : public Error {
public:
    FailedCall(const std::string& message, Place place, std::string capture);

    /// TOML text that replay_call() reads: the plugin, the object with its parameters, the call and
    /// its inputs to the last bit.
    const std::string& capture() const { return *capture_; }
    /// Where that was written; empty: nowhere yet.
    const std::filesystem::path& file() const { return file_; }

    /// Writes it, replacing an earlier one, and reports it in the last line of the message. Where
    /// that fails the message says why.
    FailedCall written_to(const std::filesystem::path& file) const;

private:
    std::shared_ptr<const std::string> capture_;
    std::filesystem::path file_;
};

/// The name that run() and the command give the file.
inline constexpr const char* kFailedCallFile = "failed_call.toml";

/// Named numbers that go into a call or come out of it.
struct CallValues {
    std::string name;  ///< as in the SDK: "u", "A", "tau"
    int columns = 1;   ///< of a matrix, row by row
    std::vector<double> values;
};

/// A failed call made again.
struct Replay {
    std::string object;   ///< constraint "c" (type T of plugin P 1.0.0)
    std::string call;     ///< "evaluate_step of block 0"
    std::string failure;  ///< the message of the run
    std::vector<CallValues> inputs;
    std::vector<CallValues> outputs;  ///< none if it threw
    std::string thrown;               ///< what it threw this time; empty: nothing
    std::vector<std::string> bad;  ///< outputs that are not finite: "A is nan at row 0, column 2"
    bool has_failed = false;       ///< this time, too
    bool is_same_plugin = false;   ///< the very bytes that failed in the run
    std::filesystem::path plugin_file;    ///< of the plugin that was called
    std::filesystem::path recorded_file;  ///< of the one in the run
};

/// Makes the object from the recorded parameters and calls it with the recorded inputs. The plugin
/// is looked for on the registry's path only: the record, which may be anybody's, does not decide
/// what code runs.
/// @throws Error (file) if the file cannot be read or is no such record; (plugin, manifest) if the
///         object cannot be made with the plugin that is found
ANCORA_FRAMEWORK_EXPORT Replay replay_call(const std::filesystem::path& file,
                                           PluginRegistry& registry);

}  // namespace ancora
