// A server with tiny models on a free port, and a client that sends whatever bytes a test wants.
#pragma once

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "base/as_size.h"
#include "server/listener.h"
#include "training/tiny_run.h"

namespace fovea {

struct Reply {
  int status = 0;  // 0: the connection was closed without one
  std::map<std::string, std::string> fields = {};
  std::string body = {};
};

class Client {
 public:
  explicit Client(int port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in there = {};
    there.sin_family = AF_INET;
    there.sin_port = htons(static_cast<std::uint16_t>(port));
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (socket_ < 0 || connect(socket_, reinterpret_cast<sockaddr*>(&there), sizeof there) != 0) {
      throw std::runtime_error("no connection");
    }
  }
  ~Client() { leave(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void leave() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
  }

  // False if the server no longer takes it.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(as_size(count));
    }
    return true;
  }

  // The next reply; of HEAD, or while events come, only its head.
  Reply read(bool head_only = false) {
    Reply reply;
    std::size_t end = 0;
    while ((end = come_.find("\r\n\r\n")) == come_.npos) {
      if (!more()) return reply;
    }
    const std::string head = come_.substr(0, end + 2);
    come_.erase(0, end + 4);
    reply.status = std::atoi(head.c_str() + head.find(' '));
    for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
      const std::size_t stop = head.find("\r\n", at), colon = head.find(": ", at);
      std::string name = head.substr(at, colon - at);
      for (char& c : name) c = static_cast<char>(std::tolower(c));
      reply.fields[name] = head.substr(colon + 2, stop - colon - 2);
      at = stop + 2;
    }
    if (reply.status == 100) return read(head_only);
    if (head_only || !reply.fields.contains("content-length")) return reply;
    const std::size_t length = std::stoul(reply.fields["content-length"]);
    while (come_.size() < length && more()) continue;
    reply.body = come_.substr(0, length);
    come_.erase(0, length);
    return reply;
  }

  // Until there is that text among what has come, or nothing comes any more.
  bool read_until(std::string_view text) {
    while (come_.find(text) == come_.npos) {
      if (!more()) return false;
    }
    return true;
  }
  const std::string& come() const { return come_; }

  // Whether the server closes the connection, within the time.
  bool is_closed() {
    while (more()) continue;
    return ended_;
  }

  int seconds = 20;  // that anything may take

 private:
  bool more() {
    pollfd file = {socket_, POLLIN, 0};
    if (poll(&file, 1, seconds * 1000) <= 0) return false;
    char bytes[65536];
    const ssize_t count = recv(socket_, bytes, sizeof bytes, 0);
    if (count <= 0) {
      ended_ = true;
      return false;
    }
    come_.append(bytes, as_size(count));
    return true;
  }

  int socket_;
  std::string come_;
  bool ended_ = false;
};

// Models are made once: making one takes longer than all that is asked of it.
inline const std::filesystem::path& tiny_model_folder() {
  static TemporaryFolder folder;
  static const bool made =
      (std::filesystem::create_directories(folder / "tiny"), make_tiny_model(folder / "tiny"), true);
  static const std::filesystem::path path = made ? folder / "tiny" : std::filesystem::path();
  return path;
}

class TestServer {
 public:
  explicit TestServer(ServerOptions options = {}, std::size_t queue = 64, const LiveRun& live = {})
      : api_(live.events ? std::vector<ServedModel>() : open_models({tiny_model_folder()}, 2, Precision::full), live,
             queue),
        listener_(with_any_port(std::move(options)), api_),
        thread_([this] { listener_.run(stop_); }) {}
  ~TestServer() { stop(); }

  int port() const { return listener_.port(); }
  Api& api() { return api_; }
  void tell_to_stop() { stop_ = SIGTERM; }
  void stop() {
    tell_to_stop();
    if (thread_.joinable()) thread_.join();
  }

  std::string host() const { return fmt::format("Host: 127.0.0.1:{}\r\n", port()); }
  std::string get(std::string_view path, std::string_view more = "") const {
    return fmt::format("GET {} HTTP/1.1\r\n{}{}\r\n", path, host(), more);
  }
  std::string post(std::string_view path, std::string_view body, std::string_view more = "") const {
    return fmt::format("POST {} HTTP/1.1\r\n{}Content-Type: application/json\r\nContent-Length: {}\r\n{}\r\n{}", path,
                       host(), body.size(), more, body);
  }

  Reply ask(const std::string& bytes) const {
    Client client(port());
    client.send(bytes);
    return client.read(bytes.starts_with("HEAD"));
  }
  nlohmann::json ask_json(std::string_view path, std::string_view body) const {
    return nlohmann::json::parse(ask(post(path, body)).body);
  }
  bool healthy() const { return ask(get("/healthz")).body == R"({"status":"ok"})"; }

 private:
  static ServerOptions with_any_port(ServerOptions options) {
    options.port = 0;
    return options;
  }

  Api api_;
  Listener listener_;
  std::atomic<int> stop_ = 0;
  std::thread thread_;
};

}  // namespace fovea
