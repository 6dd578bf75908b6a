// The frame of a stand-alone HTML page: strict content policy, style for light and dark. Nothing is fetched, and no
// script runs but the page's own, if it has one.
#pragma once

#include <string>
#include <string_view>

namespace fovea {

// The title is plain text; the body is markup, already escaped. Well-formed as XML too.
std::string page(std::string_view title, std::string_view body, std::string_view script = {});

// Text of models and users, isolated so that its direction cannot leak: <bdi>...</bdi>.
std::string bdi(std::string_view text);

}  // namespace fovea
