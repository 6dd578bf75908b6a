// /openapi.json: the interface for programs, from the same tables as the checks.
#pragma once

#include <string>

namespace fovea {

std::string openapi_text();

}  // namespace fovea
