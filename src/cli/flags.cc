#include "cli/flags.h"

#include <algorithm>

namespace fovea {

std::span<const InputFlag> input_flags() {
  static constexpr InputFlag all[] = {
      {"alignment_file", "--alignment"},
      {"columns", "--columns"},
      {"config_file", "--config"},
      {"dev", "--dev"},
      {"dev_source", "--dev-source"},
      {"dev_target", "--dev-target"},
      {"folder", "folder with -o"},  // a word of the sentence: choose another `folder`
      {"fresh", "--fresh"},
      {"from", "--from"},
      {"int8", "--int8"},
      {"keep", "--keep"},
      {"lexicon", "--lexicon"},
      {"max", "--max"},
      {"max_length", "--max-length"},
      {"min", "--min"},
      {"mode", "--mode"},
      {"seeds", "--seeds"},
      {"settings", "--set"},
      {"source_file", "--source"},
      {"target_file", "--target"},
      {"vary", "--vary"},
  };
  return all;
}

std::string with_flags(std::string_view text) {
  std::string out;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') quoted = !quoted;
    const std::size_t end = text[at] == '`' && !quoted ? text.find('`', at + 1) : text.npos;
    const std::string_view name = end == text.npos ? "" : text.substr(at + 1, end - at - 1);
    const auto found = std::ranges::find(input_flags(), name, &InputFlag::input);
    if (name.empty() || found == input_flags().end()) {
      out += text[at];
    } else {
      out += found->flag;
      at = end;
    }
  }
  return out;
}

}  // namespace fovea
