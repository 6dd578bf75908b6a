// The words of a command that takes one model or several, and then maybe a file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fovea {

struct ModelWords {
  std::vector<std::filesystem::path> models;
  std::string file;  // empty: there is none
};

// The first is a model. Of the others those that are folders or model files are models, too; the last, if it is
// neither, is the file. Throws a usage_error if another is.
ModelWords split_models(const std::vector<std::string>& words);

}  // namespace fovea
