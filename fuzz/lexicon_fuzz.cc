// A lexicon, and what it says of a source.
#include <algorithm>

#include "data/lexicon.h"
#include "fuzz.h"

using namespace fovea;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = as_text(data, size);
  const MemoryFile file(text);
  taken([&] {
    const Lexicon lexicon(file.path(), 1000);
    must(lexicon.size() > 0);
    for (const Lexicon::Entry& entry : lexicon.of(text.substr(0, std::min(text.find('\t'), text.size())))) {
      must(entry.probability > 0 && entry.probability <= 1 && !find_control(entry.target));
    }
  });
  return 0;
}
