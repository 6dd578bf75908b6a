#include "tasks/unreadable.h"

#include "base/error.h"

namespace fovea {

void leave_out_unreadable(Pairs& pairs, const Config& config, std::vector<SourcePtr>& known) {
  const auto options = config.sources();
  known.resize(options.size());
  const auto read = [&](const Example& example, std::size_t i) {
    const SourceKind& kind = sources().find(options[i]->kind);
    if (kind.symbols) return;  // any text will do
    const SourceCell cell(i == 0 ? example.source : example.others[i - 1], {.folder = example.folder()});
    std::vector<int> lengths;
    if (known[i]) {
      known[i]->encode(cell);
    } else {
      known[i] = kind.learn(*options[i], std::span(&cell, 1), lengths);
    }
  };
  leave_out(pairs, [&](const Example& example) -> std::string {
    try {
      for (std::size_t i = 0; i < options.size(); ++i) read(example, i);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::data) throw;
      return e.what();
    }
    return {};
  });
}

}  // namespace fovea
