// What several rules together let come next.
#include "decoding/rule.h"

#include <gtest/gtest.h>

#include <vector>

namespace fovea::rule_test {
namespace {

using Symbols = std::vector<std::int32_t>;

Symbols allowed(const NextSymbols& next) {
  Symbols symbols;
  for (std::int32_t symbol = 0; symbol < 9; ++symbol) {
    if (next.allows(symbol)) symbols.push_back(symbol);
  }
  return symbols;
}

TEST(NextSymbols, AreThoseThatAllRulesAllow) {
  NextSymbols next;
  EXPECT_EQ(allowed(next).size(), 9u);
  EXPECT_FALSE(next.listed());
  next.only({5, 2, 7, 3});
  EXPECT_EQ(allowed(next), (Symbols{2, 3, 5, 7}));
  next.only({8, 7, 5, 2, 1});
  EXPECT_EQ(allowed(next), (Symbols{2, 5, 7}));
  next.never(5);
  EXPECT_EQ(allowed(next), (Symbols{2, 7}));
  EXPECT_EQ(next.listed(), (Symbols{2, 7}));
  next.always(4);
  EXPECT_EQ(allowed(next), (Symbols{2, 4, 7}));
  EXPECT_EQ(next.listed(), (Symbols{2, 7, 4}));
}

}  // namespace
}  // namespace fovea::rule_test
