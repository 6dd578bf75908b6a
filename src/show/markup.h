// Text into SVG and HTML: everything from models and users passes through here on its way into a page.
#pragma once

#include <string>
#include <string_view>

namespace fovea {

// For element content and quoted attributes: & < > " ' escaped, and characters that XML 1.0 does not allow replaced.
std::string escape(std::string_view text);

// Escaped, with control characters and direction overrides made visible first.
std::string escape_text(std::string_view text);

}  // namespace fovea
