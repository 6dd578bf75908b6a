// How BLEU sets words apart, by the names that sacreBLEU has for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fovea {

// The text with spaces between its words.
using CutWords = std::string (*)(std::string_view text);

std::vector<std::string> word_cutters();
CutWords word_cutter(std::string_view name);  // a usage_error if there is none

std::string cut_13a(std::string_view text);

}  // namespace fovea
