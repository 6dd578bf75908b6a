// Settings as TOML or JSON gives them: a flat list of dotted names and values, not yet matched with what anyone wants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fovea {

struct EmptyTable {};
struct Unfit {
  std::string what;  // "a date": a kind of value that no setting takes
};
using Given = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>, EmptyTable, Unfit>;

struct Setting {
  std::string name;  // encoder.layers
  Given given;
  std::string where;  // run.toml:3:1: encoder.layers
};

// For error messages: short, and harmless on a terminal.
std::string shown(const Given& given);

inline constexpr std::size_t max_settings_bytes = std::size_t{1} << 20;
inline constexpr std::size_t max_settings_depth = 16;
inline constexpr std::size_t max_settings_list = 1024;

// "encoder" and "layers" make "encoder.layers". A key that is empty or has a dot is quoted and one beyond measure is
// cut, so that none of them can pass for a known name and names stay short whatever the input.
std::string dotted(std::string_view group, std::string_view key);

// Throws a usage_error with file:line:column for text that is not TOML.
std::vector<Setting> parse_toml(std::string_view text, std::string_view file_name);

// Throws a model_error that starts with `where` for text that is not JSON, is nested deeply, gives a key twice or has
// lists of anything but text.
std::vector<Setting> parse_json(std::string_view json, std::string_view where);

// How TOML and JSON alike write a value. Numbers are the shortest that read back as the same; text must be UTF-8.
std::string literal(double value);
std::string literal(std::string_view text);
std::string literal(const std::vector<std::string>& texts, std::string_view separator);

// Joins lambdas into one visitor of a std::variant.
template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;  // clang before 17 does not find it by itself

}  // namespace fovea
