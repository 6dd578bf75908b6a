// Who may ask: requests whose Host names this server, and no page of another site unless it was named.
#pragma once

#include <string>
#include <vector>

#include "server/http.h"

namespace fovea {

class Access {
 public:
  // `address` is where the server listens. A host may have a port (example.org:8000) or go with any.
  // Throws a usage_error for an origin that no browser would send.
  Access(const std::string& address, int port, const std::vector<std::string>& hosts,
         const std::vector<std::string>& origins);

  // Throws an HttpError.
  void check(const HttpRequest& request) const;
  // What lets the page of a named site read the reply; nothing for others.
  HttpFields reply_fields(const HttpRequest& request) const;
  bool allows_origin(std::string_view origin) const;

 private:
  bool is_here(std::string_view host) const;

  std::vector<std::string> hosts_;     // as Host must have them, port and all
  std::vector<std::string> any_port_;  // without
  std::vector<std::string> origins_;
  std::string port_;
  bool any_address_ = false;  // listens on all of the machine's
};

}  // namespace fovea
