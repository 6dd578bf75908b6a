// Settings: any text as TOML, and as the JSON that model files hold. What is taken reads back the same from both.
#include "fuzz.h"
#include "tasks/config.h"

using namespace fovea;

namespace {

void must_read_back(const Config& config) {
  const std::string json = to_json(config);
  Config again;
  read_toml(again, to_toml(config), "again.toml");
  must(to_json(again) == json);
  again = {};
  read_json(again, json, "again");
  must(to_json(again) == json);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = as_text(data, size);
  Config from_toml, from_json;
  if (taken([&] { read_toml(from_toml, text, "fuzz.toml"); })) must_read_back(from_toml);
  if (taken([&] { read_json(from_json, text, "fuzz"); })) must_read_back(from_json);
  return 0;
}
