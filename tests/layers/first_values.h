// What the first values of any weights keep to.
#pragma once

#include <gtest/gtest.h>

#include "layers/parameters.h"

namespace fovea {

inline void expect_biases_begin_at_zero(const Parameters& parameters) {
  for (const Parameters::Entry& entry : parameters.entries()) {
    if (!entry.name.ends_with(".bias")) continue;
    EXPECT_EQ(entry.initial.kind, Initial::Kind::constant) << entry.name;
    EXPECT_EQ(entry.initial.value, 0) << entry.name;
  }
}

}  // namespace fovea
