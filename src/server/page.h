// The page, as the build has put it into the binary (cmake/page.cmake).
#pragma once

#include <string>
#include <string_view>

namespace fovea {

struct EmbeddedPage {
  std::string_view gzip;
  std::string_view hash;           // of these bytes
  std::string_view script_hashes;  // what a Content-Security-Policy says to let the page's own scripts run
  std::string_view style_hashes;
};

EmbeddedPage embedded_page();

// Its bytes for those who do not read gzip.
std::string plain_page();

}  // namespace fovea
