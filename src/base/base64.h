// Bytes as text that any JSON can hold (RFC 4648, section 4).
#pragma once

#include <string>
#include <string_view>

namespace fovea {

std::string base64(std::string_view bytes);

}  // namespace fovea
