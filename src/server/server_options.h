// Where a server listens, for whom, and what it lets clients have.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

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

}  // namespace fovea
