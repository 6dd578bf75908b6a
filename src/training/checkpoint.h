// A checkpoint: one file with everything needed to go on.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tasks/model.h"
#include "training/optimizer.h"
#include "training/progress.h"

namespace fovea {

// Whether a run in the folder goes on where it stopped.
bool resumes(Files& files, const std::filesystem::path& folder, bool fresh);

void save_checkpoint(Files& files, const std::filesystem::path& folder, const Model& model, Optimizer& optimizer,
                     const Progress& progress, std::uint64_t data_hash, const std::string& from = {});

// Fills model, optimizer and progress. Throws a usage_error if the run in the folder had another config or other data,
// or began from another model (tasks/beginning.h).
void load_checkpoint(Files& files, const std::filesystem::path& folder, Model& model, Optimizer& optimizer,
                     Progress& progress, std::uint64_t data_hash, const std::string& from = {});
void check_same_beginning(const TensorHeader& checkpoint, const std::string& from, const std::filesystem::path& folder);

// What a checkpoint says of the progress; `name` is for errors.
std::string progress_to_json(Progress progress);
Progress progress_from_json(const std::string& text, const std::string& name);

// A model's files by name, as they are to be written.
using ModelFiles = std::vector<std::pair<const char*, std::string>>;
ModelFiles encode_model(const Model& model);
void save_model(Files& files, const std::filesystem::path& folder, const ModelFiles& model);

// Keeps the folder's model beside the one that will take its place, until the run goes on.
void set_best_aside(Files& files, const std::filesystem::path& folder, const ModelFiles& model);
void forget_aside(Files& files, const std::filesystem::path& folder);  // what another run there had
void restore_best(Files& files, const std::filesystem::path& folder);

}  // namespace fovea
