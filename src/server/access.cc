#include "server/access.h"

#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"

namespace fovea {

namespace {

bool is_address(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) return true;
  return !host.empty() && host.find_first_not_of("0123456789.") == host.npos;
}

std::string_view without_port(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  const bool inside = host.find(']', colon == host.npos ? 0 : colon) != host.npos;  // of [::1]
  return colon == host.npos || inside ? host : host.substr(0, colon);
}

// scheme://host[:port], as browsers send it.
bool is_origin(std::string_view text) {
  constexpr std::string_view signs = "abcdefghijklmnopqrstuvwxyz0123456789-._:[]", digits = "0123456789";
  const std::size_t scheme = text.find("://");
  if (scheme == 0 || scheme == text.npos || text.find_first_not_of(signs) != scheme + 1) return false;
  const std::string_view place = text.substr(scheme + 3), host = without_port(place), port = place.substr(host.size());
  return !host.empty() && place.find_first_not_of(signs) == place.npos &&
         (port.empty() || (port.size() > 1 && port.find_first_not_of(digits, 1) == port.npos));
}

}  // namespace

Access::Access(const std::string& address, int port, const std::vector<std::string>& hosts,
               const std::vector<std::string>& origins)
    : port_(std::to_string(port)), any_address_(address == "0.0.0.0" || address == "::") {
  for (const std::string& given : origins) {
    origins_.push_back(ascii_lower(given));
    if (is_origin(origins_.back())) continue;
    throw usage_error(
        "`allow_origin` {}: wants scheme://host or scheme://host:port and no more, as https://example.org",
        beginning(given));
  }
  for (const std::string& host : hosts) {
    const std::string name = ascii_lower(host);
    (without_port(name) == name ? any_port_ : hosts_).push_back(name);
  }
  const std::string own = address.find(':') == address.npos ? address : "[" + address + "]";
  for (const std::string& name : {std::string("localhost"), std::string("127.0.0.1"), std::string("[::1]"), own}) {
    hosts_.push_back(name + ":" + port_);
    if (port == 80) hosts_.push_back(name);
  }
}

// A page elsewhere can have its own name lead here, but it cannot have the browser send another name than that; nor a
// bare address, which is safe where the server has many.
bool Access::is_here(std::string_view host) const {
  const std::string name = ascii_lower(host);
  const std::string_view bare = without_port(name);
  return std::ranges::find(hosts_, name) != hosts_.end() || std::ranges::find(any_port_, bare) != any_port_.end() ||
         (any_address_ && is_address(bare));
}

bool Access::allows_origin(std::string_view origin) const {
  return std::ranges::find(origins_, origin) != origins_.end();
}

void Access::check(const HttpRequest& request) const {
  if (!is_here(request.field("host"))) {
    throw HttpError(421, "Host names another server than this one (allow_host)");
  }
  const std::string_view origin = request.field("origin");
  if (allows_origin(origin)) return;
  const std::size_t scheme = origin.find("://");  // https, if a proxy before the server speaks it
  const bool own = origin.empty() || (scheme != origin.npos && is_here(origin.substr(scheme + 3)));
  const std::string_view site = request.field("sec-fetch-site");
  const bool visited = request.method == "GET" && request.field("sec-fetch-mode") == "navigate";  // a link to the page
  if (!own || ((site == "cross-site" || site == "same-site") && !visited)) {
    throw HttpError(403, "asked by the page of another site (allow_origin)");
  }
}

HttpFields Access::reply_fields(const HttpRequest& request) const {
  const std::string_view origin = request.field("origin");
  if (origins_.empty()) return {};
  HttpFields fields = {{"Vary", "Origin"}};
  if (allows_origin(origin)) fields.emplace_back("Access-Control-Allow-Origin", origin);
  return fields;
}

}  // namespace fovea
