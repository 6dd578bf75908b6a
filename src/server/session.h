// One connection: what it sends, what it gets, and how long each may take. Included by listener.cc alone: the compiler
// needs long for these templates.
#pragma once

#include <sys/socket.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "server/api.h"
#include "server/server_options.h"

namespace fovea {

namespace net = boost::asio;
namespace beast = boost::beast;
using tcp = net::ip::tcp;
using SteadyClock = std::chrono::steady_clock;
using BoostError = boost::system::error_code;
// One type for all that follows reading or writing, so that the compiler meets the templates below it once.
using Next = std::function<void(BoostError error, std::size_t count)>;

inline std::chrono::nanoseconds seconds(double value) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(value));
}

class Session;

// What all of them share.
struct Connections : std::enable_shared_from_this<Connections> {
  Connections(const ServerOptions& given, Api& routes) : options(given), api(routes) {}

  void end(const std::shared_ptr<Session>& session) {
    sessions.erase(session);
    api.count_connections(static_cast<int>(sessions.size()));
  }

  ServerOptions options;
  Api& api;
  std::size_t watchers = 0;  // before what its sessions are the last to hold
  net::io_context io{1};
  std::set<std::shared_ptr<Session>> sessions;
  bool stopping = false;
};

// A request, its reply, the next request.
class Session : public std::enable_shared_from_this<Session> {
 public:
  enum class State { idle, reading, answering, writing, watching, ending };

  Session(Connections& all, tcp::socket socket)
      : all_(all), stream_(std::move(socket)), timer_(all.io), buffer_(buffer_bytes) {}
  ~Session() {
    if (watches_) --all_.watchers;
  }

  State state() const { return state_; }
  SteadyClock::time_point since() const { return since_; }
  // The server waits for the client, and may as well do without it.
  bool quiet() const {
    return state_ == State::idle || state_ == State::reading || state_ == State::ending ||
           (state_ == State::writing && SteadyClock::now() - since_ > stalled);
  }

  void next_request() {
    enter(buffer_.size() == 0 ? State::idle : State::reading);
    if (all_.stopping && buffer_.size() == 0) return close();
    stream_.expires_after(seconds(buffer_.size() == 0 ? all_.options.idle : all_.options.head));
    request_ = {};
    take_head();
  }

  void close() {
    if (closed_) return;
    closed_ = true;
    if (abandon_) std::exchange(abandon_, {})();
    timer_.cancel();
    stream_.close();
    all_.end(shared_from_this());
  }

 private:
  static constexpr std::size_t buffer_bytes = 64 << 10;  // what may have come and not been read
  static constexpr std::chrono::milliseconds look_for_events{200};
  static constexpr std::chrono::seconds heartbeat{15}, linger{2};
  static constexpr std::chrono::seconds stalled{1};  // a reply of which nothing was taken for so long
  static constexpr std::size_t linger_bytes = 4 << 20;

  // What follows keeps the connection alive, and is nothing once it is closed.
  Next then(Next next) {
    return [self = shared_from_this(), next = std::move(next)](BoostError error, std::size_t count) {
      if (!self->closed_) next(error, count);
    };
  }
  void wait(std::chrono::nanoseconds time, Next next) {
    timer_.expires_after(time);
    timer_.async_wait([next = then(std::move(next))](BoostError error) { next(error, 0); });
  }
  void read_some(std::size_t most, Next next) { stream_.async_read_some(buffer_.prepare(most), then(std::move(next))); }
  void write_all(std::string_view head, std::string_view body, Next next) {
    const std::array<net::const_buffer, 2> parts = {net::buffer(head.data(), head.size()),
                                                    net::buffer(body.data(), body.size())};
    // Asked before each part of it how much to write.
    const auto progress = [self = shared_from_this()](BoostError error, std::size_t) -> std::size_t {
      self->since_ = SteadyClock::now();
      return error ? 0 : buffer_bytes;
    };
    net::async_write(stream_, parts, progress, then(std::move(next)));
  }

  void enter(State state) {
    state_ = state;
    since_ = SteadyClock::now();
  }

  std::string_view come() const { return {static_cast<const char*>(buffer_.data().data()), buffer_.size()}; }

  void take_head() {
    bool has_body = false;
    try {
      const std::size_t size = head_size(come());
      if (size == 0) return read_head();
      request_ = parse_head(come().substr(0, size));
      buffer_.consume(size);
      const std::string_view length = request_.field("content-length");
      has_body = !request_.field("transfer-encoding").empty() || length.find_first_not_of('0') != length.npos;
      if (has_body) all_.api.check_head(request_);
      const std::string_view expected = request_.field("expect");
      if (!expected.empty() && expected != "100-continue") throw HttpError(417, "Expect is not 100-continue");
    } catch (const HttpError& e) {
      return refuse(e);
    }
    enter(State::reading);
    stream_.expires_after(seconds(all_.options.body));
    if (!has_body || request_.field("expect").empty()) return take_body();
    static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    write_all(go_on, "", [this](BoostError error, std::size_t) { error ? close() : take_body(); });
  }

  void read_head() {
    read_some(4096, [this](BoostError error, std::size_t count) {
      if (error) return not_read(error);
      buffer_.commit(count);
      if (state_ == State::idle) {
        enter(State::reading);
        stream_.expires_after(seconds(all_.options.head));
      }
      take_head();
    });
  }

  void take_body() {
    try {
      if (!incoming_) incoming_.emplace(request_, all_.options.body_bytes);
      buffer_.consume(incoming_->take(come()));
    } catch (const HttpError& e) {
      return refuse(e);
    }
    if (incoming_->complete()) {
      body_ = std::move(incoming_->text);
      incoming_.reset();
      return answer();
    }
    read_some(buffer_.max_size() - buffer_.size(), [this](BoostError failure, std::size_t count) {
      if (failure) return not_read(failure);
      buffer_.commit(count);
      take_body();
    });
  }

  void not_read(BoostError error) {
    if (error == beast::error::timeout) all_.api.metrics().answered("other", 408, 0);
    close();  // the client has left, or was cut off
  }

  // What may follow is not known, so nothing more is read as a request.
  void refuse(const HttpError& error) {
    all_.api.metrics().answered("other", error.status(), 0);
    request_.keep_alive = false;
    send(refusal(error));
  }

  HttpReply refusal(const HttpError& error) const {
    HttpReply reply = error.reply();
    const HttpFields fields = all_.api.reply_fields(request_);
    reply.fields.insert(reply.fields.end(), fields.begin(), fields.end());
    return reply;
  }

  void answer() {
    enter(State::answering);
    const int turn = ++turn_;
    stream_.expires_never();
    wait(seconds(all_.options.answer), [this, turn](BoostError error, std::size_t) {
      if (error || turn != turn_ || state_ != State::answering) return;
      if (abandon_) std::exchange(abandon_, {})();
      refuse(HttpError(504, "the answer takes too long; ask for less at once"));
    });
    notice_leaving(turn);
    HttpRequest asked = request_;
    asked.body = std::move(body_);
    // Called by another thread, maybe when all this is gone.
    const auto reply = [weak = weak_from_this(), turn, connections = all_.weak_from_this()](HttpReply made) {
      const std::shared_ptr<Connections> there = connections.lock();
      if (!there) return;
      net::post(there->io, [weak, turn, made = std::move(made)]() mutable {
        const std::shared_ptr<Session> self = weak.lock();
        if (!self || self->closed_ || self->turn_ != turn || self->state_ != State::answering) return;
        self->abandon_ = {};
        self->send(std::move(made));
      });
    };
    abandon_ = all_.api.handle(asked, reply);
  }

  // A client that closes its side while it waits does not want the answer any more.
  void notice_leaving(int turn) {
    const Next look = then([this, turn](BoostError error, std::size_t) {
      if (error || turn != turn_ || state_ != State::answering) return;
      char byte = 0;
      if (recv(stream_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) close();
    });
    stream_.socket().async_wait(tcp::socket::wait_read, [look](BoostError error) { look(error, 0); });
  }

  void send(HttpReply reply) {
    enter(State::writing);
    timer_.cancel();
    BoostError ignored;
    stream_.socket().cancel(ignored);  // of noticing that the client leaves
    if (all_.stopping || reply.events) request_.keep_alive = false;
    if (reply.events && all_.watchers >= all_.options.watchers) {
      reply = refusal(HttpError(503, "too many watch already", {{"Retry-After", "10"}}));
    }
    head_ = reply_head(reply, request_.keep_alive);
    body_ = request_.method == "HEAD" ? "" : std::move(reply.body);
    stream_.expires_after(seconds(all_.options.write));
    if (reply.events && request_.method != "HEAD") return begin_to_watch(reply);
    write_all(head_, body_, [this](BoostError error, std::size_t) {
      if (error) return close();
      request_.keep_alive ? next_request() : end_politely();
    });
  }

  void begin_to_watch(const HttpReply& reply) {
    ++all_.watchers;
    watches_ = true;
    events_ = reply.events;
    next_event_ = reply.first_event;
    enter(State::watching);
    write_all(head_, "", [this](BoostError error, std::size_t) { error ? close() : send_events(); });
  }

  void send_events() {
    body_ = events_->text_from(next_event_);
    if (body_.empty() && (all_.stopping || events_->ended_at(next_event_))) return end_politely();
    if (body_.empty() && SteadyClock::now() - since_ > heartbeat) body_ = ":\n\n";
    if (body_.empty()) {
      stream_.expires_never();
      return wait(look_for_events, [this](BoostError, std::size_t) { send_events(); });
    }
    enter(State::watching);
    stream_.expires_after(seconds(all_.options.write));
    write_all(body_, "", [this](BoostError error, std::size_t) { error ? close() : send_events(); });
  }

  // Closing with bytes unread would take back what was written last: what still comes is read and dropped, for a while.
  void end_politely() {
    enter(State::ending);
    BoostError ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.expires_after(linger);
    buffer_.clear();
    drop();
  }

  void drop() {
    if (dropped_ > linger_bytes) return close();
    read_some(buffer_bytes, [this](BoostError error, std::size_t count) {
      dropped_ += count;
      error ? close() : drop();
    });
  }

  Connections& all_;
  beast::tcp_stream stream_;
  net::steady_timer timer_;
  beast::flat_buffer buffer_;
  HttpRequest request_;
  std::optional<HttpBody> incoming_;  // while it comes
  Api::Abandon abandon_;
  std::shared_ptr<EventLog> events_;
  std::int64_t next_event_ = 0;
  std::string head_;
  std::string body_;  // of the request, then of the reply
  State state_ = State::idle;
  SteadyClock::time_point since_ = SteadyClock::now();  // it is in that state, or has taken some of a reply
  std::size_t dropped_ = 0;
  int turn_ = 0;  // of requests: a late answer to an earlier one is nobody's
  bool watches_ = false;
  bool closed_ = false;
};

}  // namespace fovea
