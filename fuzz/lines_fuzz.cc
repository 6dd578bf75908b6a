// Lines of training data, as columns and as one side of two files. Every line is kept or counted, and what is kept can
// be cut into symbols and put together again.
#include <algorithm>

#include "data/features.h"
#include "data/pairs.h"
#include "data/unit.h"
#include "fuzz.h"

using namespace fovea;

namespace {

void check_pairs(const Pairs& pairs) {
  std::int64_t skipped = 0;
  for (const Skipped& some : pairs.report.skipped) skipped += some.lines;
  must(pairs.report.kept + skipped == pairs.report.lines);
  must(pairs.report.kept == std::ssize(pairs.examples));
  must(!find_control(describe(pairs.report)));
  for (const Example& example : pairs.examples) {
    split_features(example.extra);
    for (const char* name : {"char", "word"}) {
      const Unit unit(name);
      std::vector<std::string> tokens;
      for (const Piece& piece : unit.cut(example.source)) tokens.emplace_back(piece.text);
      must(unit.join(tokens) == example.source);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = as_text(data, size);
  const MemoryFile file(text), other(text);
  for (const BadLines policy : {BadLines::fail, BadLines::skip}) {
    const PairOptions columns = {file.path(), "", "", policy, 50}, sides = {"", file.path(), other.path(), policy};
    taken([&] { check_pairs(read_pairs(columns)); });
    taken([&] { check_pairs(read_pairs(sides)); });
  }
  return 0;
}
