// text: symbols, as the tokenizer cuts them.
#include "data/source.h"

namespace fovea {

std::map<std::string, std::string> TextSource::learned() const {
  auto all = SymbolSource::learned();
  if (std::string learned = tokenizer_->learned(); !learned.empty()) all["tokenizer"] = std::move(learned);
  return all;
}

extern const SourceKind Source_text = {.name = "text",
                                       .description = "text, cut into symbols by the tokenizer",
                                       .learn = learn_text<TextSource>,
                                       .restore = restore_text<TextSource>,
                                       .tokenized = true,
                                       .writable = true};

}  // namespace fovea
