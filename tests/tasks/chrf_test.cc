// chrF against sacreBLEU's (tests/golden/make_chrf_goldens.py).
#include "tasks/chrf.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/temporary_folder.h"

namespace fovea::chrf_test {
namespace {

TEST(Chrf, IsThatOfSacreBleu) {
  const auto golden = nlohmann::json::parse(read_bytes(std::string(FOVEA_TEST_DATA) + "/chrf.json"));
  ASSERT_GE(golden["pairs"].size(), 10u);
  Chrf together;
  for (std::size_t i = 0; i < golden["pairs"].size(); ++i) {
    const std::string target = golden["pairs"][i][0], answer = golden["pairs"][i][1];
    Chrf alone;
    alone.add(target, answer);
    together.add(target, answer);
    EXPECT_NEAR(alone.score(), golden["alone"][i].get<double>(), 1e-9) << target << " / " << answer;
    EXPECT_NEAR(together.score(), golden["together"][i].get<double>(), 1e-9) << i;
  }
}

TEST(Chrf, OfNothingIsZero) { EXPECT_EQ(Chrf().score(), 0); }

}  // namespace
}  // namespace fovea::chrf_test
