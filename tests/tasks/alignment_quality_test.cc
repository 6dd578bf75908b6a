#include "tasks/alignment_quality.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"
#include "support/golden.h"

namespace fovea::alignment_quality_test {
namespace {

using Links = std::vector<Link>;

Links links_of(const GoldenArray& array) {
  const auto numbers = array.as<int>();
  Links links;
  for (std::size_t i = 0; i < numbers.size(); i += 3) {
    links.push_back({numbers[i], numbers[i + 1], numbers[i + 2] == 1});
  }
  return links;
}

TEST(AlignmentQuality, IsWhatTheDefinitionsGive) {
  const Golden golden("alignment_quality.json");
  AlignmentQuality quality;
  for (const std::string line : {"0", "1", "2"}) {
    const GoldenArray& weights = golden.input("weights_" + line);
    quality.add(weights.as<float>(), static_cast<int>(weights.shape[0]), static_cast<int>(weights.shape[1]),
                links_of(golden.input("links_" + line)));
  }
  const GoldenArray& unlinked = golden.input("weights_unlinked");
  quality.add_unlinked(unlinked.as<float>(), static_cast<int>(unlinked.shape[0]), static_cast<int>(unlinked.shape[1]));

  EXPECT_NEAR(quality.aer(), golden.output("aer").values[0], 1e-12);
  EXPECT_NEAR(quality.mass(), golden.output("mass").values[0], 1e-12);
  EXPECT_NEAR(quality.shifted_mass(), golden.output("shifted_mass").values[0], 1e-12);
  EXPECT_NEAR(quality.shifted_back_mass(), golden.output("shifted_back_mass").values[0], 1e-12);
  EXPECT_NEAR(quality.entropy(), golden.output("entropy").values[0], 1e-12);
  EXPECT_NEAR(quality.stop_mass(), golden.output("stop_mass").values[0], 1e-12);
}

// Two words, two source words: attention is right, or one step late.
TEST(AlignmentQuality, TellsRightFromOffByOne) {
  const Links links = {{0, 0, true}, {1, 1, true}};
  AlignmentQuality right, late;
  right.add(std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1}, 3, 3, links);
  late.add(std::vector<float>{0, 0, 1, 1, 0, 0, 0, 1, 0}, 3, 3, links);
  EXPECT_EQ(right.aer(), 0.0);
  EXPECT_EQ(right.mass(), 1.0);
  EXPECT_EQ(right.shifted_mass(), 0.0);
  EXPECT_EQ(right.stop_mass(), 0.0);
  EXPECT_EQ(late.aer(), 1.0);
  EXPECT_EQ(late.mass(), 0.0);
  EXPECT_EQ(late.shifted_mass(), 1.0);
  EXPECT_EQ(late.shifted_back_mass(), 0.0);
  EXPECT_EQ(late.stop_mass(), 0.5);
  EXPECT_EQ(late.aer_next(), 0.0) << "the map of one step later";
  EXPECT_EQ(late.aer_previous(), 1.0);
  EXPECT_EQ(right.aer_next(), 1.0) << "the first word meets the second's, the second the stop symbol's";
  EXPECT_EQ(late.entropy(), 0.0);
}

TEST(AlignmentQuality, PossibleLinksDoNoHarm) {
  const std::vector<float> weights = {0.75f, 0.25f, 0, 0.5f, 0.5f, 0};
  AlignmentQuality missed, possible;
  missed.add(weights, 2, 3, Links{{1, 0, true}});
  possible.add(weights, 2, 3, Links{{1, 0, true}, {0, 0, false}});
  EXPECT_EQ(missed.aer(), 1.0);    // A 0-0, S = P 1-0
  EXPECT_EQ(possible.aer(), 0.5);  // A 0-0, S 1-0, P both: 1 - (0 + 1) / 2
  EXPECT_EQ(missed.mass(), 0.25);
  EXPECT_EQ(possible.mass(), 1.0);
  EXPECT_EQ(possible.shifted_back_mass(), 0);  // the only word has no step before it
}

TEST(AlignmentQuality, ALinkGivenTwiceCountsOnce) {
  const std::vector<float> weights = {0.75f, 0.25f, 0, 0.5f, 0.5f, 0};
  AlignmentQuality quality;
  quality.add(weights, 2, 3, Links{{0, 0, true}, {0, 0, true}, {0, 0, false}, {1, 0, true}});
  EXPECT_NEAR(quality.aer(), 1.0 / 3, 1e-12);  // A 0-0, S = P both
  EXPECT_EQ(quality.mass(), 1.0);
}

TEST(AlignmentQuality, NothingIsZeroAndNeverNaN) {
  AlignmentQuality quality;
  const auto expect_zero = [&] {
    for (const double value : {quality.aer(), quality.mass(), quality.shifted_mass(), quality.shifted_back_mass(),
                               quality.entropy(), quality.stop_mass()}) {
      EXPECT_EQ(value, 0.0);
    }
  };
  expect_zero();
  quality.add(std::vector<float>{1}, 1, 1, {});           // neither side has a word
  quality.add(std::vector<float>{0, 0, 0, 1}, 1, 4, {});  // no target word
  expect_zero();
  quality.add(std::vector<float>{1, 1, 1}, 3, 1, {});  // no source word
  EXPECT_EQ(quality.stop_mass(), 1.0);
  EXPECT_EQ(quality.aer(), 0.0);
}

TEST(AlignmentQuality, EntropyOfFlatWeightsIsTheLogarithmOfTheirNumber) {
  AlignmentQuality quality;
  quality.add_unlinked(std::vector<float>(12, 0.25f), 3, 4);
  EXPECT_NEAR(quality.entropy(), std::log(4.0), 1e-12);
  EXPECT_EQ(quality.stop_mass(), 0.25);
}

TEST(AlignmentQuality, WrongSizesAreRefused) {
  AlignmentQuality quality;
  const std::vector<float> weights(6, 0.5f);
  EXPECT_THROW(quality.add_unlinked(weights, 2, 2), Error);
  EXPECT_THROW(quality.add_unlinked({}, 0, 3), Error);
  EXPECT_THROW(quality.add_unlinked(weights, -2, -3), Error);
  for (const Link link : {Link{2, 0}, Link{0, 1}, Link{-1, 0}, Link{0, -1}}) {  // the stop symbols are no words
    EXPECT_THROW(quality.add(weights, 2, 3, Links{link}), Error);
  }
}

}  // namespace
}  // namespace fovea::alignment_quality_test
