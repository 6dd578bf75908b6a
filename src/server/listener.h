// The sockets: connections, what they send and how long they may take. One thread does all of it; what takes time is
// done by others (server/answer_queue.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "server/api.h"

namespace fovea {

struct ServerOptions {
  std::string host = "127.0.0.1";  // an address
  int port = 8000;                 // 0: any that is free
  std::vector<std::string> allow_hosts = {};
  std::vector<std::string> allow_origins = {};
  std::size_t connections = 256;
  std::size_t watchers = 16;  // of events
  std::size_t body_bytes = 1 << 20;
  // How long may take what, in seconds. Each is for the whole of it, however often a byte comes.
  double head = 10;
  double body = 30;
  double answer = 60;
  double write = 30;
  double idle = 30;  // between two requests
  double drain = 10;
};

class Listener {
 public:
  // Listens at once. Throws an Error if that is not possible. The Api must outlive it.
  Listener(const ServerOptions& options, Api& api);
  ~Listener();

  int port() const;
  std::string url() const;
  bool is_local() const;  // nobody but this machine reaches it

  // Answers until `stop` is not 0; then takes no more, and returns when what was begun is done or given up.
  void run(const std::atomic<int>& stop);

 private:
  class Session;
  struct Network;
  std::shared_ptr<Network> network_;
};

}  // namespace fovea
