// Lines of training data, as columns and as one side of two files. Every line is kept or counted, and what is kept can
// be cut into symbols and put together again.
#include <algorithm>

#include "data/columns.h"
#include "data/features.h"
#include "data/pairs.h"
#include "data/tokenizer.h"
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
    split_features(example.features);
    for (const char* name : {"char", "word", "bytes"}) {
      if (name == std::string_view("bytes") && find_control(example.source)) continue;  // not written as it was
      const TokenizerPtr tokenizer = make_tokenizer(name);
      std::vector<std::string> tokens;
      for (const Token& token : tokenizer->cut(example.source)) tokens.emplace_back(token.text);
      const std::string joined = tokenizer->join(tokens);
      must(name == std::string_view("word") || joined == example.source);
      must(tokenizer->cut(joined).size() == tokens.size());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = as_text(data, size);
  const MemoryFile file(text), other(text);
  for (const BadLines policy : {BadLines::fail, BadLines::skip}) {
    PairOptions options = {.bad_lines = policy, .max_length = 50};
    options.file = file.path();
    taken([&] { check_pairs(read_pairs(options)); });
    options.alignment_file = other.path();
    options.columns = {"skip", "source", "features", "target"};
    taken([&] { check_pairs(read_pairs(options)); });
    options.file.clear();
    options.source_file = file.path();
    options.target_file = other.path();
    taken([&] { check_pairs(read_pairs(options)); });
  }
  for (const char* columns : {"source", "source,features,target", "skip,features,skip,source"}) {
    const auto cells = Columns::parse(columns).question(text);
    must(!cells || cells->source.find('\t') == cells->source.npos);
  }
  taken([&] { Columns::parse(text); });
  return 0;
}
