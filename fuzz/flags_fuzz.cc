// What flags hold: settings, one a line, and amounts with a unit. What is taken reads back the same.
#include <algorithm>

#include "base/periods.h"
#include "data/pairs.h"
#include "data/unit.h"
#include "fuzz.h"
#include "tasks/config.h"

using namespace fovea;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = as_text(data, size);
  Config config;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, std::min(text.find('\n'), text.size()));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    taken([&] { set_field(config, word); });
    taken([&] {
      const Period period = parse_period(word);
      must(parse_period(to_string(period)) == period);
    });
    taken([&] {
      const BatchSize batch = parse_batch_size(word);
      must(parse_batch_size(to_string(batch)) == batch);
    });
    taken([&] { parse_bad_lines(word); });
    taken([&] { Unit unit(word); });
  }
  Config again;
  read_json(again, to_json(config), "again");
  must(to_json(again) == to_json(config));
  return 0;
}
