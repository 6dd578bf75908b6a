#include "server/listener.h"

#include <pthread.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <chrono>
#include <fmt/core.h>
#include <functional>
#include <optional>
#include <set>

#include "base/error.h"

namespace fovea {

namespace net = boost::asio;
namespace beast = boost::beast;
using tcp = net::ip::tcp;
using SteadyClock = std::chrono::steady_clock;
using BoostError = boost::system::error_code;
// One type for all that follows reading or writing, so that the compiler meets the templates below it once.
using Next = std::function<void(BoostError error, std::size_t count)>;

namespace {

constexpr std::size_t buffer_bytes = 64 << 10;  // what may have come and not been read
constexpr std::chrono::milliseconds look_around(50), look_for_events(200);
constexpr std::chrono::seconds heartbeat(15), linger(2);
constexpr std::chrono::seconds stalled(1);  // a reply of which nothing was taken for so long
constexpr std::size_t linger_bytes = 4 << 20;

std::chrono::nanoseconds seconds(double value) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(value));
}

}  // namespace

struct Listener::Network : std::enable_shared_from_this<Network> {
  Network(const ServerOptions& given, Api& routes) : options(given), api(routes) { listen(); }

  void listen();
  void accept();
  void accepted(tcp::socket socket);
  void watch(const std::atomic<int>& stop);
  void begin_to_stop();
  void end(const std::shared_ptr<Session>& session);

  ServerOptions options;
  Api& api;
  std::size_t watchers = 0;  // before what its sessions are the last to hold
  net::io_context io{1};
  tcp::acceptor acceptor{io};
  net::steady_timer timer{io};
  int port = 0;
  std::set<std::shared_ptr<Session>> sessions;
  bool stopping = false;
  SteadyClock::time_point give_up = {};
};

// One connection: a request, its reply, the next request.
class Listener::Session : public std::enable_shared_from_this<Session> {
 public:
  enum class State { idle, reading, answering, writing, watching, ending };

  Session(Network& network, tcp::socket socket)
      : network_(network), stream_(std::move(socket)), timer_(network.io), buffer_(buffer_bytes) {}
  ~Session() {
    if (watches_) --network_.watchers;
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
    if (network_.stopping && buffer_.size() == 0) return close();
    stream_.expires_after(seconds(buffer_.size() == 0 ? network_.options.idle : network_.options.head));
    request_ = {};
    take_head();
  }

  void close() {
    if (closed_) return;
    closed_ = true;
    if (abandon_) std::exchange(abandon_, {})();
    timer_.cancel();
    stream_.close();
    network_.end(shared_from_this());
  }

 private:
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
      if (has_body) network_.api.check_head(request_);
      const std::string_view expected = request_.field("expect");
      if (!expected.empty() && expected != "100-continue") throw HttpError(417, "Expect is not 100-continue");
    } catch (const HttpError& e) {
      return refuse(e);
    }
    enter(State::reading);
    stream_.expires_after(seconds(network_.options.body));
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
        stream_.expires_after(seconds(network_.options.head));
      }
      take_head();
    });
  }

  void take_body() {
    try {
      if (!incoming_) incoming_.emplace(request_, network_.options.body_bytes);
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
    if (error == beast::error::timeout) network_.api.metrics().answered("other", 408, 0);
    close();  // the client has left, or was cut off
  }

  // What may follow is not known, so nothing more is read as a request.
  void refuse(const HttpError& error) {
    network_.api.metrics().answered("other", error.status(), 0);
    request_.keep_alive = false;
    send(refusal(error));
  }

  HttpReply refusal(const HttpError& error) const {
    HttpReply reply = error.reply();
    const HttpFields fields = network_.api.reply_fields(request_);
    reply.fields.insert(reply.fields.end(), fields.begin(), fields.end());
    return reply;
  }

  void answer() {
    enter(State::answering);
    const int turn = ++turn_;
    stream_.expires_never();
    wait(seconds(network_.options.answer), [this, turn](BoostError error, std::size_t) {
      if (error || turn != turn_ || state_ != State::answering) return;
      if (abandon_) std::exchange(abandon_, {})();
      refuse(HttpError(504, "the answer takes too long; ask for less at once"));
    });
    notice_leaving(turn);
    HttpRequest asked = request_;
    asked.body = std::move(body_);
    // Called by another thread, maybe when all this is gone.
    const auto reply = [weak = weak_from_this(), turn, network = network_.weak_from_this()](HttpReply made) {
      const std::shared_ptr<Network> there = network.lock();
      if (!there) return;
      net::post(there->io, [weak, turn, made = std::move(made)]() mutable {
        const std::shared_ptr<Session> self = weak.lock();
        if (!self || self->closed_ || self->turn_ != turn || self->state_ != State::answering) return;
        self->abandon_ = {};
        self->send(std::move(made));
      });
    };
    abandon_ = network_.api.handle(std::move(asked), reply);
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
    if (network_.stopping || reply.events) request_.keep_alive = false;
    if (reply.events && network_.watchers >= network_.options.watchers) {
      reply = refusal(HttpError(503, "too many watch already", {{"Retry-After", "10"}}));
    }
    head_ = reply_head(reply, request_.keep_alive);
    body_ = request_.method == "HEAD" ? "" : std::move(reply.body);
    stream_.expires_after(seconds(network_.options.write));
    if (reply.events && request_.method != "HEAD") return begin_to_watch(reply);
    write_all(head_, body_, [this](BoostError error, std::size_t) {
      if (error) return close();
      request_.keep_alive ? next_request() : end_politely();
    });
  }

  void begin_to_watch(const HttpReply& reply) {
    ++network_.watchers;
    watches_ = true;
    events_ = reply.events;
    next_event_ = reply.first_event;
    enter(State::watching);
    write_all(head_, "", [this](BoostError error, std::size_t) { error ? close() : send_events(); });
  }

  void send_events() {
    body_ = events_->text_from(next_event_);
    if (body_.empty() && (network_.stopping || events_->ended_at(next_event_))) return end_politely();
    if (body_.empty() && SteadyClock::now() - since_ > heartbeat) body_ = ":\n\n";
    if (body_.empty()) {
      stream_.expires_never();
      return wait(look_for_events, [this](BoostError, std::size_t) { send_events(); });
    }
    enter(State::watching);
    stream_.expires_after(seconds(network_.options.write));
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

  Network& network_;
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

void Listener::Network::listen() {
  BoostError error;
  const net::ip::address address =
      options.host == "localhost" ? net::ip::make_address("127.0.0.1") : net::ip::make_address(options.host, error);
  if (error) throw usage_error("`host` {}: an address is wanted, such as 127.0.0.1 or 0.0.0.0", options.host);
  const tcp::endpoint here(address, static_cast<std::uint16_t>(options.port));
  const auto refused = [&](BoostError why) {
    if (why == net::error::address_in_use) {
      return Error(
          ErrorKind::failure,
          fmt::format("port {} is taken by another program; choose another, or 0 for any that is free", options.port));
    }
    return Error(ErrorKind::failure,
                 fmt::format("cannot listen on {}, port {}: {}", options.host, options.port, why.message()));
  };
  acceptor.open(here.protocol(), error);
  if (error) throw refused(error);
  acceptor.set_option(net::socket_base::reuse_address(true), error);
  acceptor.bind(here, error);
  if (error) throw refused(error);
  acceptor.listen(net::socket_base::max_listen_connections, error);
  if (error) throw refused(error);
  port = acceptor.local_endpoint().port();
  api.set_access(Access(address.to_string(), port, options.allow_hosts, options.allow_origins));
}

void Listener::Network::accept() {
  acceptor.async_accept([this](BoostError error, tcp::socket socket) {
    if (!acceptor.is_open()) return;
    if (!error) {
      accepted(std::move(socket));
      return accept();
    }
    // No file handle is left: one will be soon.
    const auto wait = std::make_shared<net::steady_timer>(io, look_around);
    wait->async_wait([this, wait](BoostError) {
      if (acceptor.is_open()) accept();
    });
  });
}

void Listener::Network::accepted(tcp::socket socket) {
  BoostError ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  if (sessions.size() >= options.connections) {
    // The one that has been silent for longest makes room: slow ones cannot keep others out.
    std::shared_ptr<Session> oldest;
    for (const auto& session : sessions) {
      if (session->quiet() && (!oldest || session->since() < oldest->since())) oldest = session;
    }
    if (!oldest) {
      const HttpReply full = HttpError(503, "too many connections; come again", {{"Retry-After", "1"}}).reply();
      socket.non_blocking(true, ignored);
      socket.write_some(net::buffer(reply_head(full, false) + full.body), ignored);
      api.metrics().answered("other", full.status, 0);
      return;
    }
    oldest->close();
  }
  const auto session = std::make_shared<Session>(*this, std::move(socket));
  sessions.insert(session);
  api.count_connections(static_cast<int>(sessions.size()));
  session->next_request();
}

void Listener::Network::end(const std::shared_ptr<Session>& session) {
  sessions.erase(session);
  api.count_connections(static_cast<int>(sessions.size()));
}

void Listener::Network::begin_to_stop() {
  stopping = true;
  give_up = SteadyClock::now() + seconds(options.drain);
  BoostError ignored;
  acceptor.close(ignored);
  api.stop();
  const auto all = sessions;
  for (const auto& session : all) {
    if (session->state() == Session::State::idle) session->close();
  }
}

void Listener::Network::watch(const std::atomic<int>& stop) {
  if (stop != 0 && !stopping) begin_to_stop();
  if (stopping && (sessions.empty() || SteadyClock::now() > give_up)) return io.stop();
  timer.expires_after(look_around);
  timer.async_wait([this, &stop](BoostError) { watch(stop); });
}

Listener::Listener(const ServerOptions& options, Api& api) : network_(std::make_shared<Network>(options, api)) {}

Listener::~Listener() {
  const auto left = network_->sessions;
  for (const auto& session : left) session->close();
}

int Listener::port() const { return network_->port; }

std::string Listener::url() const {
  const ServerOptions& options = network_->options;
  const bool anywhere = options.host == "0.0.0.0" || options.host == "::";
  const bool six = options.host.find(':') != std::string::npos;
  const std::string host = anywhere ? "localhost" : six ? "[" + options.host + "]" : options.host;
  return fmt::format("http://{}:{}/", host, network_->port);
}

bool Listener::is_local() const { return network_->acceptor.local_endpoint().address().is_loopback(); }

void Listener::run(const std::atomic<int>& stop) {
  pthread_setname_np(pthread_self(), "fovea-http");
  network_->accept();
  network_->watch(stop);
  network_->io.run();
}

}  // namespace fovea
