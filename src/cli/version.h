// What this program is and what was built into it.
#pragma once

#include <string>

namespace fovea {

// One fact a line, the version first; no newline at the end.
std::string version_text();

}  // namespace fovea
