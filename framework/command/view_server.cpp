// SPDX-License-Identifier: BSD-3-Clause
// HTTP and WebSocket by Boost.Beast, which takes long to compile: this file alone includes it.
#include "view_server.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/random.h>

#include "ancora/framework/error.hpp"

namespace ancora::command {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t kMostSaid = 16 * 1024;     // bytes of one message of the viewer
constexpr std::size_t kMostEvents = 1000;        // that wait for the program
constexpr std::uint32_t kMostHeader = 8 * 1024;  // bytes
constexpr int kMostConnections = 32;
constexpr auto kPatience = std::chrono::seconds(10);

/// 128 bits by the system's generator, in hexadecimal digits.
std::string make_token() {
    std::array<unsigned char, 16> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw Error(ErrorKind::file, "the system gives no random numbers for the address");
    return fmt::format("{:02x}", fmt::join(bytes, ""));
}

/// Takes as long wherever the texts differ.
bool is_equal(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    unsigned differences = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        differences |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
    return differences == 0;
}

std::string_view view_of(beast::string_view text) {
    return {text.data(), text.size()};
}

/// Listens on the loopback interface.
tcp::acceptor open_port(asio::io_context& context, unsigned short port) {
    tcp::acceptor acceptor(context);
    const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), port);
    error_code error;
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error)
        throw Error(ErrorKind::file,
                    fmt::format("cannot listen on 127.0.0.1:{}: {}; without --port a port that is "
                                "free is taken",
                                port,
                                error.message()));
    return acceptor;
}

}  // namespace

struct ViewServer::Impl {
    struct Connection;
    struct Viewer;

    Impl(unsigned short port_wanted, const std::function<std::string(const std::string&)>& make)
        : acceptor(open_port(context, port_wanted)), token(make_token()) {
        port = acceptor.local_endpoint().port();
        hosts = {fmt::format("127.0.0.1:{}", port), fmt::format("localhost:{}", port)};
        address = fmt::format("http://{}/{}/", hosts[0], token);
        page = make(fmt::format("ws://{} ws://{}", hosts[0], hosts[1]));
        accept();
        // Signals are for the thread that computes.
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        thread = std::thread([this] {
            serve();
        });
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }

    ~Impl() {
        context.stop();
        thread.join();
    }

    /// An exception of one connection, such as for want of memory, ends that one.
    void serve() {
        while (true) try {
                context.run();
                return;
            } catch (const std::exception&) {
            }
    }

    void accept();
    void add(Event event) {
        {
            const std::scoped_lock lock(mutex);
            if (event.kind == Event::Kind::said && events.size() >= kMostEvents) return;
            events.push_back(std::move(event));
        }
        came.notify_one();
    }
    void send(std::string data, bool is_text);

    int connections = 0;  // as `viewer` of the server's thread; outlives what the context holds
    asio::io_context context{1};
    tcp::acceptor acceptor;
    std::string token, address, page;
    unsigned short port = 0;
    std::array<std::string, 2> hosts;
    std::weak_ptr<Viewer> viewer;  // the one that looks
    int viewers = 0;               // so far
    std::atomic<std::size_t> backlog = 0;

    int addressee = 0;  // of the program's thread: the viewer that it knows of

    std::mutex mutex;
    std::condition_variable came;
    std::vector<Event> events;
    std::thread thread;
};

/// The WebSocket of a viewer; it lives as long as something is to be read or written.
struct ViewServer::Impl::Viewer : std::enable_shared_from_this<Viewer> {
    Viewer(Impl& of, beast::tcp_stream&& stream) : impl(of), socket(std::move(stream)) {
        ++impl.connections;
    }
    ~Viewer() { --impl.connections; }

    void begin(const http::request<http::empty_body>& request) {
        beast::get_lowest_layer(socket).expires_never();
        socket.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
        socket.read_message_max(kMostSaid);
        socket.auto_fragment(false);
        socket.async_accept(request, [self = shared_from_this()](error_code error) {
            if (!error) self->join();
        });
    }

    void join() {
        if (!impl.viewer.expired()) {
            send(R"({"kind":"busy"})", true);
            is_leaving = true;
            read();
            return;
        }
        impl.viewer = weak_from_this();
        number = ++impl.viewers;
        impl.add({Event::Kind::joined, {}, number});
        read();
    }

    void read() {
        socket.async_read(buffer, [self = shared_from_this()](error_code error, std::size_t) {
            if (error) return self->leave();
            if (!self->is_leaving && self->socket.got_text())
                self->impl.add({Event::Kind::said,
                                beast::buffers_to_string(self->buffer.data()),
                                self->number});
            self->buffer.consume(self->buffer.size());
            self->read();
        });
    }

    void leave() {
        if (impl.viewer.lock().get() != this) return;
        impl.viewer.reset();
        for (const Message& message : queue) impl.backlog -= message.data.size();
        has_left = true;
        impl.add({Event::Kind::left, {}, number});
    }

    void send(std::string data, bool is_text) {
        queue.push_back({std::move(data), is_text});
        if (queue.size() == 1) write();
    }

    void write() {
        socket.text(queue.front().is_text);
        socket.async_write(asio::buffer(queue.front().data),
                           [self = shared_from_this()](error_code error, std::size_t) {
                               self->written(error);
                           });
    }

    void written(error_code error) {
        if (error) return;  // the read that is under way ends with one, too
        if (!has_left && !is_leaving) impl.backlog -= queue.front().data.size();
        queue.pop_front();
        if (!queue.empty()) return write();
        if (is_leaving)
            socket.async_close(websocket::close_code::try_again_later,
                               [self = shared_from_this()](error_code) {});
    }

    struct Message {
        std::string data;
        bool is_text;
    };
    Impl& impl;
    int number = 0;
    websocket::stream<beast::tcp_stream> socket;
    beast::flat_buffer buffer{kMostSaid};
    std::deque<Message> queue;
    bool is_leaving = false;  // refused
    bool has_left = false;
};

/// One connection: a request, an answer, no more.
struct ViewServer::Impl::Connection : std::enable_shared_from_this<Connection> {
    Connection(Impl& of, tcp::socket&& socket) : impl(of), stream(std::move(socket)) {
        ++impl.connections;
    }
    ~Connection() { --impl.connections; }

    void begin() {
        parser.header_limit(kMostHeader);
        parser.body_limit(0);
        stream.expires_after(kPatience);
        http::async_read(
            stream, buffer, parser, [self = shared_from_this()](error_code error, std::size_t) {
                if (!error)
                    self->answer();
                else if (error != http::error::end_of_stream)
                    self->reply(http::status::bad_request, "bad request\n");
            });
    }

    void answer() {
        const auto& request = parser.get();
        const std::string_view host = view_of(request[http::field::host]);
        if (request.count(http::field::host) != 1 ||
            std::ranges::find(impl.hosts, host) == impl.hosts.end())
            return reply(http::status::misdirected_request, "this is no host of that name\n");
        const bool is_upgrade = websocket::is_upgrade(request);
        // Browsers say whose page asks; a WebSocket of theirs always does.
        const std::string_view origin = view_of(request[http::field::origin]);
        const std::size_t origins = request.count(http::field::origin);
        if (origins > 1 ||
            ((is_upgrade || origins == 1) && origin != "http://" + std::string(host)))
            return reply(http::status::forbidden, "this page may not ask here\n");
        const std::string_view target = view_of(request.target());
        const bool has_token =
            target.starts_with('/') && is_equal(target.substr(1, impl.token.size()), impl.token);
        if (!has_token)
            return reply(http::status::forbidden,
                         "the address must be the one that `ancora view` has printed\n");
        const std::string_view rest = target.substr(1 + impl.token.size());
        if (is_upgrade && rest == "/live") {
            std::make_shared<Viewer>(impl, std::move(stream))->begin(request);
            return;
        }
        if (rest != "/") return reply(http::status::not_found, "there is nothing here\n");
        if (request.method() != http::verb::get && request.method() != http::verb::head)
            return reply(http::status::method_not_allowed, "only GET is answered\n");
        reply(http::status::ok, impl.page);
    }

    void reply(http::status status, std::string text) {
        response.result(status);
        const bool is_page = status == http::status::ok;
        response.set(http::field::content_type,
                     is_page ? "text/html; charset=utf-8" : "text/plain; charset=utf-8");
        response.set(http::field::cache_control, "no-store");
        response.set("X-Content-Type-Options", "nosniff");
        response.set("Referrer-Policy", "no-referrer");
        response.set("Cross-Origin-Resource-Policy", "same-origin");
        response.set("X-Frame-Options", "DENY");
        response.keep_alive(false);
        response.content_length(text.size());
        if (parser.get().method() != http::verb::head) response.body() = std::move(text);
        serializer.emplace(response);
        http::async_write(
            stream, *serializer, [self = shared_from_this()](error_code, std::size_t) {
                error_code ignored;
                self->stream.socket().shutdown(tcp::socket::shutdown_send, ignored);
            });
    }

    Impl& impl;
    beast::tcp_stream stream;
    beast::flat_buffer buffer{2 * kMostHeader};
    http::request_parser<http::empty_body> parser;
    http::response<http::string_body> response;
    std::optional<http::response_serializer<http::string_body>> serializer;
};

void ViewServer::Impl::accept() {
    acceptor.async_accept([this](error_code error, tcp::socket socket) {
        if (error == asio::error::operation_aborted) return;
        // One too many is closed at once.
        if (!error && connections < kMostConnections)
            std::make_shared<Connection>(*this, std::move(socket))->begin();
        accept();
    });
}

void ViewServer::Impl::send(std::string data, bool is_text) {
    backlog += data.size();
    // What was meant for one that has left is not for the next.
    asio::post(context, [this, data = std::move(data), is_text, number = addressee]() mutable {
        if (const std::shared_ptr<Viewer> to = viewer.lock(); to && to->number == number)
            to->send(std::move(data), is_text);
        else
            backlog -= data.size();
    });
}

ViewServer::ViewServer(unsigned short port,
                       const std::function<std::string(const std::string&)>& page)
    : impl_(std::make_unique<Impl>(port, page)) {}
ViewServer::~ViewServer() = default;

const std::string& ViewServer::address() const {
    return impl_->address;
}

std::vector<ViewServer::Event> ViewServer::wait(std::chrono::milliseconds patience) {
    std::unique_lock lock(impl_->mutex);
    impl_->came.wait_for(lock, patience, [&] {
        return !impl_->events.empty();
    });
    return std::exchange(impl_->events, {});
}

void ViewServer::address_to(const Event& joined) {
    impl_->addressee = joined.viewer;
}

void ViewServer::send_text(std::string text) {
    impl_->send(std::move(text), true);
}
void ViewServer::send_bytes(std::string bytes) {
    impl_->send(std::move(bytes), false);
}
std::size_t ViewServer::backlog() const {
    return impl_->backlog;
}

}  // namespace ancora::command
