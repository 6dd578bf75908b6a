// chrF and BLEU against sacreBLEU's (tests/golden/make_metric_goldens.py).
#include <gtest/gtest.h>

#include <sstream>

#include "support/temporary_folder.h"
#include "tasks/metrics/measurement.h"

namespace fovea::metric_golden_test {
namespace {

void expect_golden(const std::string& name, int wanted_lines) {
  std::istringstream lines(read_bytes(std::string(FOVEA_TEST_DATA) + "/" + name + ".tsv"));
  Measurement together;
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    std::istringstream cells(line);
    std::string target, answer, score, score_so_far;
    std::getline(std::getline(std::getline(std::getline(cells, target, '\t'), answer, '\t'), score, '\t'),
                 score_so_far);
    Measurement alone;
    for (Measurement* measured : {&alone, &together}) measured->add({.references = {&target, 1}, .text = answer});
    EXPECT_NEAR(alone.values().find(name).value(), std::stod(score), 1e-9) << line;
    EXPECT_NEAR(together.values().find(name).value(), std::stod(score_so_far), 1e-9) << line;
  }
  EXPECT_EQ(count, wanted_lines);
}

TEST(MetricGoldens, ChrfIsThatOfSacreBleu) { expect_golden("chrf", 10); }
TEST(MetricGoldens, BleuIsThatOfSacreBleu) { expect_golden("bleu", 18); }

}  // namespace
}  // namespace fovea::metric_golden_test
