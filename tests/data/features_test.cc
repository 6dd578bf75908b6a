#include "data/features.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace fovea::features_test {
namespace {

using Features = std::vector<std::string_view>;

TEST(SplitFeatures, AtEachSeparator) {
  EXPECT_EQ(split_features("pos=N,case=ABL"), (Features{"pos=N", "case=ABL"}));
  EXPECT_EQ(split_features("V;PST"), (Features{"V", "PST"}));
  EXPECT_EQ(split_features("a|b c"), (Features{"a", "b", "c"}));
}

TEST(SplitFeatures, EmptyOnesAreDropped) {
  EXPECT_EQ(split_features(""), Features{});
  EXPECT_EQ(split_features(" ;,|"), Features{});
  EXPECT_EQ(split_features(";V; ,PST|"), (Features{"V", "PST"}));
}

TEST(SplitFeatures, AllElseIsKept) {
  EXPECT_EQ(split_features("a.b-c:d/e\t=é"), (Features{"a.b-c:d/e\t=é"}));
  const std::string_view text = "x,yz";
  EXPECT_EQ(split_features(text)[1].data(), text.data() + 2);
}

}  // namespace
}  // namespace fovea::features_test
