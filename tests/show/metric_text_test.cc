#include "show/metric_text.h"

#include <gtest/gtest.h>

namespace fovea::metric_text_test {
namespace {

std::string text(MetricForm form, double value, int decimals = 1) {
  Metric metric = **metrics().begin();
  metric.form = form;
  return metric_text(metric, value, decimals);
}

TEST(MetricText, HasTheFormOfTheMetric) {
  EXPECT_EQ(text(MetricForm::share, 0.99999), "99.9%") << "not all";
  EXPECT_EQ(text(MetricForm::share, 0.99999, 2), "99.99%");
  EXPECT_EQ(text(MetricForm::share, 0.29), "29.0%") << "though 0.29 is a little less";
  EXPECT_EQ(text(MetricForm::share, 1), "100.0%");
  EXPECT_EQ(text(MetricForm::percent, 0.004), "0.4%");
  EXPECT_EQ(text(MetricForm::percent, 0.00449, 2), "0.45%");
  EXPECT_EQ(text(MetricForm::percent, 9.994), "999.4%");
  EXPECT_EQ(text(MetricForm::percent, 10.03), "1003%");
  EXPECT_EQ(text(MetricForm::percent, 123), "12300%");
  EXPECT_EQ(text(MetricForm::percent, 12345), "1e+06%");
  EXPECT_EQ(text(MetricForm::points, 43.26), "43.3");
  EXPECT_EQ(text(MetricForm::number, 0.01234), "0.0123");
  EXPECT_EQ(text(MetricForm::number, 1234), "1.23e+03");
}

TEST(MetricText, TheCriterionIsNamed) {
  const Metric& first = **metrics().begin();
  EXPECT_EQ(criterion_text(Criterion(first.name), 0.5), std::string(first.title) + " " + metric_text(first, 0.5));
  EXPECT_EQ(criterion_text(Criterion("loss"), 0.75), "loss 0.750");
  EXPECT_EQ(criterion_text(Criterion("loss"), 0.031), "loss 0.0310");
}

}  // namespace
}  // namespace fovea::metric_text_test
