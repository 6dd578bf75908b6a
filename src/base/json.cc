#include "base/json.h"

namespace fovea {

Json parse_json(std::string_view text, int max_depth) {
  struct TooDeep {};
  try {
    const auto watch = [&](int depth, Json::parse_event_t, Json&) {
      if (depth > max_depth) throw TooDeep();
      return true;
    };
    return Json::parse(text, watch, false);
  } catch (const TooDeep&) {
    return Json::value_t::discarded;
  }
}

std::string json_text(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}
std::string json_text(const OrderedJson& value) {
  return value.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace fovea
