// Ready vectors, for the symbols of a small vocabulary.
#include <cmath>

#include "data/word_vectors.h"
#include "fuzz.h"

using namespace fovea;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(as_text(data, size));
  SymbolCounts counts;
  for (const char* symbol : {"a", "b", "<unk>"}) counts.add(symbol);
  const Vocabulary vocabulary(counts);
  taken([&] {
    for (const auto& [id, numbers] : read_word_vectors(file.path(), vocabulary, 3, "encoder.embedding")) {
      must(id >= Vocabulary::first_symbol && id < vocabulary.size() && numbers.size() == 3);
      for (const float number : numbers) must(std::isfinite(number));
    }
  });
  return 0;
}
