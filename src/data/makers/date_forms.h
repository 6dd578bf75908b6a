// The forms of written dates and of what stands around them, by name: a small grammar that dates.cc writes from.
//
// In a form, {a|b} is one of what the bars divide, and {name} a field of dates.cc or one form of the list of that name;
// both may be within each other.
#pragma once

#include <span>
#include <string_view>

namespace fovea {

// Empty if no list has that name.
std::span<const std::string_view> date_forms(std::string_view name);

}  // namespace fovea
