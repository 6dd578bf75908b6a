// JSON read and written. In one place, since the templates of the parser and the writer are most of what nlohmann/json
// costs a build.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace fovea {

using Json = nlohmann::json;                 // names in the order of the alphabet
using OrderedJson = nlohmann::ordered_json;  // names in the order they came

// Discarded (`is_discarded()`) if the text is not JSON, or if a list or object lies in more than `max_depth` others.
Json parse_json(std::string_view text, int max_depth = 64);

// In one line, or with an indent in many. Bytes that are not UTF-8 become U+FFFD.
std::string json_text(const Json& value, int indent = -1);
std::string json_text(const OrderedJson& value);

}  // namespace fovea
