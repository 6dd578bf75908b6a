// The command line, one word a line, read but not run; and each word as what flags hold: a setting, an amount with a
// tokenizer, a name. What is taken reads back the same.
#include <algorithm>

#include "base/periods.h"
#include "cli/command_line.h"
#include "data/pairs.h"
#include "data/tokenizer.h"
#include "decoding/search_options.h"
#include "fuzz.h"
#include "tasks/config.h"

using namespace fovea;

namespace {

void read_values(const std::vector<std::string>& words) {
  Config config;
  SearchOptions search;
  for (const std::string& word : words) {
    taken([&] { set_field(config, word); });
    taken([&] { set_field(search, word); });
    taken([&] {
      const Period period = parse_period(word);
      must(parse_period(to_string(period)) == period);
    });
    taken([&] {
      const BatchSize batch = parse_batch_size(word);
      must(parse_batch_size(to_string(batch)) == batch);
    });
    taken([&] { parse_bad_lines(word); });
    taken([&] { tokenizer_kind(word); });
  }
  Config again;
  read_json(again, to_json(config), "again");
  must(to_json(again) == to_json(config));
  SearchOptions search_again;
  read_json(search_again, to_json(search), "again");
  must(to_json(search_again) == to_json(search));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = as_text(data, size);
  std::vector<std::string> words;
  while (!text.empty() && words.size() < 12) {
    words.emplace_back(text.substr(0, std::min(text.find('\n'), text.size())));
    text.remove_prefix(std::min(words.back().size() + 1, text.size()));
  }
  read_values(words);
  std::vector<const char*> pointers = {"fovea"};
  for (const std::string& word : words) pointers.push_back(word.c_str());  // to its first zero byte, as a shell would
  taken([&] { read_command_line(static_cast<int>(pointers.size()), pointers.data()); });
  return 0;
}
