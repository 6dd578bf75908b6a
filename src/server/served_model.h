// A model that is served, and what is told of it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "inference/predictor.h"
#include "server/answer_queue.h"
#include "server/run_journal.h"

namespace fovea {

struct ServedModel {
  std::string name;
  std::unique_ptr<RunJournal> journal = {};  // of the run it comes from; null: there is none
  std::unique_ptr<Predictor> predictor = {};
  std::string description = {};             // an object of /v1/models
  std::unique_ptr<AnswerQueue> queue = {};  // after the predictor: it goes first
};

// Opened, each with its own name. Throws what Predictor does.
std::vector<ServedModel> open_models(const std::vector<std::filesystem::path>& paths, int threads, Precision precision);

}  // namespace fovea
