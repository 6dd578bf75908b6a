// extract: sentences about people whose names are made up anew in each, so that nearly all of them are unknown words to
// a model that reads by words; the target says who gave what to whom, and the names can only be copied.
#include <fmt/core.h>

#include <array>

#include "base/random.h"
#include "data/makers/maker.h"

namespace fovea {

namespace {

constexpr std::array<std::string_view, 12> extract_things = {"lamp", "book",  "letter", "horse", "ring",   "clock",
                                                             "map",  "chair", "coat",   "boat",  "violin", "basket"};
constexpr std::array<std::string_view, 6> extract_verbs = {"gave", "sold", "sent", "lent", "showed", "promised"};
constexpr std::array<std::string_view, 8> extract_trades = {"baker",  "doctor", "sailor", "teacher",
                                                            "farmer", "singer", "tailor", "lawyer"};
constexpr std::array<std::string_view, 8> extract_towns = {"paris",  "london", "vienna", "rome",
                                                           "lisbon", "oslo",   "prague", "dublin"};
constexpr std::array<std::string_view, 7> extract_days = {"monday", "tuesday",  "wednesday", "thursday",
                                                          "friday", "saturday", "sunday"};
constexpr std::array<std::string_view, 6> extract_ends = {"because it was late",        "before the rain began",
                                                          "while nobody was looking",   "and then went home",
                                                          "though it was not the plan", "and was thanked for it"};

class ExtractDraws {
 public:
  explicit ExtractDraws(const Random& random) : random_(random) {}

  template <std::size_t count>
  std::string_view one(const std::array<std::string_view, count>& words) {
    return words[random_.below(count, counter_++)];
  }
  std::uint64_t below(std::uint64_t count) { return random_.below(count, counter_++); }
  // Two or three syllables.
  std::string name() {
    constexpr std::string_view consonants = "bdfgjklmnprstvz", vowels = "aeiou";
    std::string made;
    for (std::uint64_t i = 2 + below(2); i > 0; --i) {
      made += consonants[below(consonants.size())];
      made += vowels[below(vowels.size())];
    }
    return made + consonants[below(consonants.size())];
  }

 private:
  Random random_;
  std::uint64_t counter_ = 0;
};

Example make_extract(std::uint64_t seed, std::uint64_t index) {
  ExtractDraws draw(Random(seed, Purpose::data).at(index));
  const std::string giver = draw.name(), taker = draw.name(), other = draw.name();
  const std::string_view verb = draw.one(extract_verbs), thing = draw.one(extract_things);
  const std::string_view trade = draw.one(extract_trades), town = draw.one(extract_towns);
  const std::string_view day = draw.one(extract_days), end = draw.one(extract_ends);
  Example example;
  switch (draw.below(4)) {
    case 0:
      example.source =
          fmt::format("on {} {} , a {} from {} , {} the {} to {} {}", day, giver, trade, town, verb, thing, taker, end);
      break;
    case 1:
      example.source = fmt::format("{} heard from {} that {} {} the {} to the {} {} {}", other, town, giver, verb,
                                   thing, trade, taker, end);
      break;
    case 2:
      example.source = fmt::format("it was {} of {} to whom {} {} the {} on {} , and not {}", taker, town, giver, verb,
                                   thing, day, other);
      break;
    default:
      example.source = fmt::format("the {} that {} the {} {} {} was once owned by {} of {}", thing, giver, trade, verb,
                                   taker, other, town);
  }
  example.target = fmt::format("{} {} the {} to {}", giver, verb, thing, taker);
  example.line = static_cast<std::int64_t>(index) + 1;
  return example;
}

}  // namespace

extern const Maker Maker_extract = {"extract", "sentences with names nobody has; target: who gave what to whom",
                                    plain_maker<make_extract>};

}  // namespace fovea
