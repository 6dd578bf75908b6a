// chrF against sacreBLEU's (tests/golden/make_chrf_goldens.py).
#include "tasks/chrf.h"

#include <gtest/gtest.h>

#include <sstream>

#include "support/temporary_folder.h"

namespace fovea::chrf_test {
namespace {

TEST(Chrf, IsThatOfSacreBleu) {
  std::istringstream lines(read_bytes(std::string(FOVEA_TEST_DATA) + "/chrf.tsv"));
  Chrf together;
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    std::istringstream cells(line);
    std::string target, answer, score, score_so_far;
    std::getline(std::getline(std::getline(std::getline(cells, target, '\t'), answer, '\t'), score, '\t'),
                 score_so_far);
    Chrf alone;
    alone.add(target, answer);
    together.add(target, answer);
    EXPECT_NEAR(alone.score(), std::stod(score), 1e-9) << line;
    EXPECT_NEAR(together.score(), std::stod(score_so_far), 1e-9) << line;
  }
  EXPECT_EQ(count, 10);
}

TEST(Chrf, OfNothingIsZero) { EXPECT_EQ(Chrf().score(), 0); }

}  // namespace
}  // namespace fovea::chrf_test
