// SPDX-License-Identifier: BSD-3-Clause
// A page in a browser without a window, driven from here.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

namespace ancora {

/// A Chromium of its own, with a profile that goes with it. It is spoken to by the DevTools
/// protocol through a pair of sockets, so that no port is open and no file is written but the
/// profile; what the page asks of a network stays unanswered.
class HeadlessPage {
public:
    struct Size {
        int width, height;  ///< [px of the page]
        double ratio;       ///< pixels drawn per pixel of the page
    };

    /// Opens the page and waits until it is drawn.
    /// @param is_ended  is asked while it waits; true ends the wait with Interrupted
    /// @throws Error (file) if there is no Chromium or it does not start, with what it has said
    HeadlessPage(const std::string& html, Size size, std::function<bool()> is_ended);
    ~HeadlessPage();

    /// The value of an expression, also of a promise of one.
    /// @throws Error (file) with the message of what the page has thrown
    nlohmann::ordered_json evaluate(const std::string& expression);

    struct Interrupted {};

private:
    struct Browser;
    std::unique_ptr<Browser> browser_;
};

}  // namespace ancora
