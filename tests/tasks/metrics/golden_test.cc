// chrF and BLEU against sacreBLEU's (tests/golden/make_metric_goldens.py).
#include <gtest/gtest.h>

#include <sstream>

#include "support/temporary_folder.h"
#include "tasks/metrics/measurement.h"

namespace fovea::metric_golden_test {
namespace {

void expect_golden(const std::string& name, int wanted_lines, const std::string& file, const MeasureOptions& options) {
  std::istringstream lines(read_bytes(std::string(FOVEA_TEST_DATA) + "/" + file + ".tsv"));
  Measurement together(options);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    std::istringstream cells(line);
    std::string target, answer, score, score_so_far;
    std::getline(std::getline(std::getline(std::getline(cells, target, '\t'), answer, '\t'), score, '\t'),
                 score_so_far);
    Measurement alone(options);
    for (Measurement* measured : {&alone, &together}) measured->add({.references = {&target, 1}, .text = answer});
    EXPECT_NEAR(alone.values().find(name).value(), std::stod(score), 1e-9) << line;
    EXPECT_NEAR(together.values().find(name).value(), std::stod(score_so_far), 1e-9) << line;
  }
  EXPECT_EQ(count, wanted_lines);
}

TEST(MetricGoldens, ChrfIsThatOfSacreBleu) { expect_golden("chrf", 10, "chrf", {}); }
TEST(MetricGoldens, BleuIsThatOfSacreBleu) { expect_golden("bleu", 18, "bleu", {}); }
TEST(MetricGoldens, SoIsChrfOfLowerCase) { expect_golden("chrf", 5, "chrf_lc", {.lowercase = true}); }
TEST(MetricGoldens, SoIsBleuOfLowerCaseAlreadyTokenised) {
  expect_golden("bleu", 5, "bleu_lc_none", {.lowercase = true, .tokenization = "none"});
}
TEST(MetricGoldens, SoIsBleuOfInternationalWords) { expect_golden("bleu", 22, "bleu_intl", {.tokenization = "intl"}); }

TEST(MetricGoldens, SignaturesAreThoseOfSacreBleu) {
  const auto signature = [](const Measurement& measured, std::string_view name) {
    return measured.signature(metrics().find(name));
  };
  EXPECT_EQ(signature(Measurement(), "bleu"), "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp");
  EXPECT_EQ(signature(Measurement(), "chrf"), "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no");
  EXPECT_EQ(signature(Measurement({.lowercase = true, .tokenization = "none"}), "bleu"),
            "nrefs:1|case:lc|eff:no|tok:none|smooth:exp");
  Measurement several;
  const std::vector<std::string> two = {"a", "b"};
  several.add({.references = two, .text = "a"});
  EXPECT_EQ(signature(several, "chrf"), "nrefs:nearest|case:mixed|eff:yes|nc:6|nw:0|space:no");
  EXPECT_EQ(signature(several, "exact"), "");
  EXPECT_THROW(Measurement({.tokenization = "zh"}), Error);
}

}  // namespace
}  // namespace fovea::metric_golden_test
