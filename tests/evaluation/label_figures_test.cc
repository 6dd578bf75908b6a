// Accuracy and macro F1 against scikit-learn's (tests/golden/make_metric_goldens.py).
#include "evaluation/label_figures.h"

#include <gtest/gtest.h>

#include <sstream>

#include "support/temporary_folder.h"

namespace fovea::label_figures_test {
namespace {

TEST(LabelFigures, AreThoseOfScikitLearn) {
  std::istringstream lines(read_bytes(std::string(FOVEA_TEST_DATA) + "/labels.tsv"));
  std::vector<std::string> wanted, given;
  Workers workers(1);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    std::string target, answer, accuracy, f1;
    std::getline(std::getline(std::getline(std::getline(cells, target, '\t'), answer, '\t'), accuracy, '\t'), f1);
    wanted.push_back(target);
    given.push_back(answer);
    if (wanted.size() % 4 != 0) continue;
    const std::vector<Figure> figures = label_figures(wanted, given, false, workers);
    ASSERT_EQ(figures.size(), 2u);
    EXPECT_NEAR(figures[0].value, std::stod(accuracy), 1e-12) << line;
    EXPECT_NEAR(figures[1].value, std::stod(f1), 1e-12) << line;
    EXPECT_LE(figures[1].interval->low, figures[1].value);
    EXPECT_GE(figures[1].interval->high, figures[1].value);
  }
  EXPECT_EQ(wanted.size(), 40u);
}

TEST(LabelFigures, OfPositionsAreRightOrWrong) {
  Workers workers(1);
  const std::vector<std::string> wanted = {"1", "2", "3"}, given = {"1", "3", "3"};
  const std::vector<Figure> figures = label_figures(wanted, given, true, workers);
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_DOUBLE_EQ(figures[0].value, 2.0 / 3);
}

TEST(LabelFigures, AreAllKnown) {
  const std::vector<Figure> known = known_label_figures();
  for (const char* name : {"accuracy", "macro_f1", "top2", "top10"}) EXPECT_TRUE(find_figure(known, name)) << name;
}

}  // namespace
}  // namespace fovea::label_figures_test
