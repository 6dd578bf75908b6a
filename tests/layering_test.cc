// The folder is the layer: src/LAYERS lists the folders of src/, lowest first ("." is src/ itself), and no file
// includes one from a higher layer. Files of src/ are included in quotes, with their path from src/, all others in
// angle brackets.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/source_files.h"

namespace fovea::layering_test {
namespace {

using Texts = std::map<std::string, std::string>;  // path from src/ -> text

// Layer -> height, 0 is the lowest.
std::map<std::string, int> read_layers(const std::string& text, std::vector<std::string>& problems) {
  std::map<std::string, int> heights;
  std::istringstream lines(text);
  for (std::string name; lines >> name;) {
    if (!heights.emplace(name, static_cast<int>(heights.size())).second) {
      problems.push_back(fmt::format("LAYERS: {} is listed twice", name));
    }
  }
  return heights;
}

std::string layer_of(const std::string& path) {
  const auto slash = path.find('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

struct Include {
  bool in_quotes;
  std::string target;
};

std::optional<Include> read_include(std::string_view line) {
  for (const std::string_view word : {"#", "include"}) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with(word)) return std::nullopt;
    line.remove_prefix(word.size());
  }
  const auto open = line.find_first_of("\"<");
  const auto close = line.find_first_of("\">", open + 1);
  if (open == line.npos || close == line.npos) return std::nullopt;
  return Include{line[open] == '"', std::string(line.substr(open + 1, close - open - 1))};
}

// What is wrong with the includes of these files, one line each.
std::vector<std::string> find_problems(const std::string& layers_text, const Texts& files) {
  std::vector<std::string> problems;
  const auto heights = read_layers(layers_text, problems);
  for (const auto& [path, text] : files) {
    const auto own = heights.find(layer_of(path));
    if (own == heights.end()) {
      problems.push_back(fmt::format("{}: the folder {} is not in LAYERS", path, layer_of(path)));
      continue;
    }
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      const auto include = read_include(line);
      if (!include) continue;
      const bool exists = files.contains(include->target);
      if (!exists && include->in_quotes) {
        problems.push_back(fmt::format("{}:{}: there is no {} in src/", path, number, include->target));
      }
      const auto other = heights.find(layer_of(include->target));
      if (exists && other != heights.end() && other->second > own->second) {
        problems.push_back(fmt::format("{}:{}: includes {} from a higher layer", path, number, include->target));
      }
    }
  }
  return problems;
}

TEST(Layers, NoIncludePointsUp) {
  const std::filesystem::path source = std::filesystem::path(FOVEA_SOURCE_DIR) / "src";
  Texts files = read_texts(source);
  const std::string layers_text = files.at("LAYERS");
  files.erase("LAYERS");
  EXPECT_TRUE(files.contains("base/error.h")) << "looked in the wrong folder?";
  for (const std::string& problem : find_problems(layers_text, files)) ADD_FAILURE() << "src/" << problem;
}

const Texts sound = {
    {"base/error.h", "#pragma once\n#include <string>\n"},
    {"base/error.cc", "#include \"base/error.h\"\n"},
    {"tensor/ops/add.cc", "#include \"base/error.h\"\n// #include \"fovea.h\"\n"},
    {"fovea.h", "#include \"tensor/ops/add.cc\"\n"},
    {"cli/main.cc", "#include \"fovea.h\"\n"},
};
const std::string sound_layers = "base\ntensor\n.\ncli\n";

std::vector<std::string> problems_with(const std::string& path, const std::string& text) {
  Texts files = sound;
  files[path] = text;
  return find_problems(sound_layers, files);
}

TEST(Layers, SoundExampleHasNoProblems) { EXPECT_EQ(find_problems(sound_layers, sound), std::vector<std::string>{}); }

TEST(Layers, EachKindOfProblemIsFound) {
  using Problems = std::vector<std::string>;
  EXPECT_EQ(problems_with("base/a.cc", "\n#include \"tensor/ops/add.cc\"\n"),
            Problems{"base/a.cc:2: includes tensor/ops/add.cc from a higher layer"});
  EXPECT_EQ(problems_with("base/a.cc", "  #  include <cli/main.cc>"),
            Problems{"base/a.cc:1: includes cli/main.cc from a higher layer"});
  EXPECT_EQ(problems_with("tensor/a.cc", "#include \"fovea.h\""),
            Problems{"tensor/a.cc:1: includes fovea.h from a higher layer"});
  EXPECT_EQ(problems_with("fovea.cc", "#include \"cli/main.cc\""),
            Problems{"fovea.cc:1: includes cli/main.cc from a higher layer"});
  EXPECT_EQ(problems_with("base/a.cc", "#include \"error.h\""), Problems{"base/a.cc:1: there is no error.h in src/"});
  EXPECT_EQ(problems_with("utils/a.cc", ""), Problems{"utils/a.cc: the folder utils is not in LAYERS"});
  EXPECT_EQ(find_problems(sound_layers + "base\n", sound), Problems{"LAYERS: base is listed twice"});
}

}  // namespace
}  // namespace fovea::layering_test
