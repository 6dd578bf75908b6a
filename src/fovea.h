// The public face of the library.
//
//   fovea::Predictor predictor("runs/dates", 2);  // threads
//   const std::vector<std::string> lines = {"3rd of May 1999"};
//   for (const fovea::Prediction& p : predictor.predict(lines, {})) std::puts(p.output.text.c_str());
#pragma once

#include "evaluation/evaluation.h"
#include "inference/predictor.h"
