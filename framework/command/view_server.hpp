// SPDX-License-Identifier: BSD-3-Clause
// The server of `ancora view`: one page and one WebSocket, for this machine and who knows the
// token.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ancora::command {

/// Serves in a thread of its own, on 127.0.0.1 alone. What asks without the token, for another
/// host, or from another site's page is refused; so is a second viewer. It is called by one thread.
class ViewServer {
public:
    /// @param port 0 for one that is free
    /// @param page the page, made when the port is known, from the sources that it may connect to
    /// @throws Error (file) if the port cannot be had
    ViewServer(unsigned short port, const std::function<std::string(const std::string&)>& page);
    ~ViewServer();
    ViewServer(const ViewServer&) = delete;
    ViewServer& operator=(const ViewServer&) = delete;

    /// With the token: whoever has it may look and drive.
    const std::string& address() const;

    struct Event {
        enum class Kind { joined, left, said } kind;
        std::string text;  ///< what the viewer said
        int viewer = 0;    ///< its number
    };
    /// What came since the last call; waits for something to come, but no longer than this.
    std::vector<Event> wait(std::chrono::milliseconds patience);

    /// From now on what is sent is for the viewer that has joined.
    void address_to(const Event& joined);
    /// To that viewer, if it is still there.
    void send_text(std::string text);
    void send_bytes(std::string bytes);
    /// Bytes that the viewer has not taken yet.
    std::size_t backlog() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ancora::command
