#include "data/makers/maker.h"

#include <algorithm>

#include "base/error.h"
#include "base/nearest.h"

namespace fovea {

#define MAKER(name) extern const Maker Maker_##name;
#include "data/makers/makers.def"
#undef MAKER

const Registry<Maker>& makers() {
  static const Registry<Maker> list("maker", {
#define MAKER(name) &Maker_##name,
#include "data/makers/makers.def"
#undef MAKER
                                             });
  return list;
}

void MakerOptions::fields(FieldVisitor& visit) {
  visit("bad_typing", bad_typing,
        "of dates: a letter of some months' names is wrong, missing, twice or in its neighbour's place");
  visit("words", words,
        "of typos: a file of words, the last column of which may say how frequent each is (default: "
        "/usr/share/dict/words)",
        a_file());
  visit("answer", answer, "of typos: position or word; of scenes: caption or question; of series: symbols or series");
  visit("pictures", pictures, "of scenes: the folder that they are written to", a_file());
  visit("unseen", unseen, "of scenes: only combinations that there are never without it");
}

MakeLine Maker::start(const MakerOptions& asked, std::uint64_t seed) const {
  MakerOptions usual;
  const auto given = ConstFieldsRef(asked).visit().fields(), without = ConstFieldsRef(usual).visit().fields();
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (value_text(given[i]) == value_text(without[i])) continue;
    if (std::ranges::find(options, given[i].name) != options.end()) continue;
    throw usage_error("{} knows no `{}`", name, given[i].name);
  }
  MakerOptions full = asked;
  if (full.answer.empty() && !answers.empty()) full.answer = answers[0];
  if (!answers.empty() && std::ranges::find(answers, full.answer) == answers.end()) {
    throw unknown_name("answer of " + std::string(name), full.answer,
                       std::vector<std::string>(answers.begin(), answers.end()));
  }
  return begin(full, seed);
}

}  // namespace fovea
