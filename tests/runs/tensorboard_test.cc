#include "runs/tensorboard.h"

#include <gtest/gtest.h>

#include "support/temporary_folder.h"

namespace fovea::tensorboard_test {
namespace {

// As TensorBoard's own classes write it (tests/golden/make_tensorboard_golden.py).
TEST(TensorBoard, SameBytesAsItsOwnWriter) {
  UpdateReport first, later;
  first.update = 50, first.seconds = 3.5;
  first.training_loss = 2.5, first.learning_rate = 0.002, first.gradient_norm = 0.75,
  first.tokens_per_second = 55707.142;
  later.update = 300, later.seconds = 100.25;
  later.training_loss = 1.5, later.learning_rate = 0.001, later.gradient_norm = 0.5, later.tokens_per_second = 55000;
  later.terms = {{"likelihood", 1.25}, {"coverage", 0.25}};
  ValidationReport validation;
  validation.update = 73, validation.seconds = 4, validation.held_out_loss = 1.25;
  validation.metrics = {{"exact", 0.3356678}, {"cer", 0.125}};
  EXPECT_EQ(tensorboard_events({{first, later}, {validation}}), read_bytes(FOVEA_TEST_DATA "/events.tfevents"));
}

}  // namespace
}  // namespace fovea::tensorboard_test
