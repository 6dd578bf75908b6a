#include "server/listener.h"

#include <fmt/core.h>
#include <pthread.h>

#include "base/error.h"
#include "server/session.h"

namespace fovea {

namespace {

constexpr std::chrono::milliseconds look_around(50);

}  // namespace

struct Listener::Network : Connections {
  Network(const ServerOptions& given, Api& routes) : Connections(given, routes) { listen(); }

  void listen();
  void accept();
  void accepted(tcp::socket socket);
  void watch(const std::atomic<int>& stop);
  void begin_to_stop();

  tcp::acceptor acceptor{io};
  net::steady_timer timer{io};
  int port = 0;
  SteadyClock::time_point give_up = {};
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

Listener::~Listener() = default;

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
  const auto left = network_->sessions;  // those that did not end in time
  for (const auto& session : left) session->close();
}

}  // namespace fovea
