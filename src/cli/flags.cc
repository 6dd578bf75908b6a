#include "cli/flags.h"

#include <algorithm>

namespace fovea {

std::span<const InputFlag> input_flags() {
  static constexpr InputFlag all[] = {
      {"abstain_below", "--abstain-below"},
      {"alignment_file", "--alignment"},
      {"allow_origin", "--allow-origin"},
      {"allowed", "--allowed"},
      {"answer", "--answer"},
      {"bad_typing", "--bad-typing"},
      {"beam", "--beam"},
      {"columns", "--columns"},
      {"config_file", "--config"},
      {"coverage_penalty", "--coverage-penalty"},
      {"detail", "--detail"},
      {"dev", "--dev"},
      {"dev_source", "--dev-source"},
      {"dev_target", "--dev-target"},
      {"each_line", "--each-line"},
      {"edits", "--edits"},
      {"files", "--files"},
      {"folder", "folder with -o"},  // a word of the sentence: choose another `folder`
      {"fresh", "--fresh"},
      {"from", "--from"},
      {"host", "--host"},
      {"int8", "--int8"},
      {"keep", "--keep"},
      {"lexicon", "--lexicon"},
      {"max", "--max"},
      {"max_length", "--max-length"},
      {"max_output", "--max-output"},
      {"min", "--min"},
      {"mode", "--mode"},
      {"nbest", "--nbest"},
      {"pictures", "--pictures"},
      {"prefix", "--prefix"},
      {"replace_unknown", "--replace-unknown"},
      {"saliency", "--saliency"},
      {"seeds", "--seeds"},
      {"self_attention", "--self-attention"},
      {"settings", "--set"},
      {"source_file", "--source"},
      {"stop_after", "--stop-after"},
      {"target_file", "--target"},
      {"unseen", "--unseen"},
      {"vary", "--vary"},
      {"word_list", "--word-list"},
      {"words", "--words"},
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
