// The parts of the module.
#pragma once

#include <nanobind/nanobind.h>

namespace fovea::python {

void add_model(nanobind::module_& m);  // an opened model and its answers
void add_runs(nanobind::module_& m);   // training, comparing, and what there is to choose from

}  // namespace fovea::python
