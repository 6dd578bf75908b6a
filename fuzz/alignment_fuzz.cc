// Links between words. Those taken are in order, each once, and within the sentence.
#include <tuple>

#include "data/alignment.h"
#include "fuzz.h"

using namespace fovea;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr int source = 12, target = 2'000'000'000;
  taken([&] {
    const std::vector<Link> links = parse_links(as_text(data, size), source, target);
    for (std::size_t i = 0; i < links.size(); ++i) {
      must(links[i].source >= 0 && links[i].source < source && links[i].target >= 0 && links[i].target < target);
      must(i == 0 || std::tie(links[i - 1].source, links[i - 1].target) < std::tie(links[i].source, links[i].target));
    }
  });
  return 0;
}
