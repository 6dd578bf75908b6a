// The public face of the library. Everything is a plain value; what goes wrong is a fovea::Error (base/error.h).
//
//   fovea::TrainRequest request;
//   request.data.file = "dates.tsv";
//   request.folder = "runs/dates";
//   fovea::train(request);
//
//   fovea::Predictor predictor("runs/dates", 2);  // threads
//   const std::vector<std::string> lines = {"3rd of May 1999"};
//   for (const fovea::Prediction& p : predictor.predict(lines, {})) std::puts(p.output.text.c_str());
//
// docs/library.md tells more.
#pragma once

#include "benchmarks/bench.h"
#include "data/makers/maker.h"
#include "evaluation/difference.h"
#include "evaluation/evaluation.h"
#include "inference/explain.h"
#include "inference/line_report.h"
#include "inference/predictor.h"
#include "runs/check.h"
#include "runs/compare.h"
#include "runs/film.h"
#include "runs/presets.h"
#include "runs/run_report.h"
#include "runs/tensorboard.h"
#include "runs/train.h"
#include "show/comparison.h"
#include "show/evaluation.h"
#include "show/html.h"
#include "show/json.h"
#include "show/progress.h"
#include "show/svg.h"
#include "show/terminal.h"
#include "tasks/average.h"
#include "tasks/columns_for.h"
#include "tasks/fold_words.h"
#include "tasks/output.h"
#include "training/kept.h"
