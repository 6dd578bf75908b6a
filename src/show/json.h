// The explanation JSON: an Output as one line of text. One schema for --json, HTTP, Python and reports, described in
// docs/explanation.md.
#pragma once

#include <string>
#include <string_view>

#include "tasks/output.h"

namespace fovea {

inline constexpr const char* explanation_schema = "fovea.explanation/1";

// No line break inside or at the end. Numbers are the shortest that read back as the same value, what is not finite is
// null, and bytes that are not UTF-8 become U+FFFD.
std::string output_to_json(const Output& output);

// Throws a data error that names the field. Unknown fields are skipped, so that fields can be added within /1.
Output output_from_json(std::string_view text);

}  // namespace fovea
