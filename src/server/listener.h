// The door: an address that is listened at, and who is let in (server/session.h has the connections). One thread does
// all of it; what takes time is done by others (server/answer_queue.h).
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "server/api.h"
#include "server/server_options.h"

namespace fovea {

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
  struct Network;
  std::shared_ptr<Network> network_;
};

}  // namespace fovea
