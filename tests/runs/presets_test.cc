// Every preset is a model that can be trained, and says whose it is.
#include "runs/presets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "data/temporary_file.h"
#include "support/source_files.h"
#include "training/gradient.h"

namespace fovea::presets_test {
namespace {

class EveryPreset : public testing::TestWithParam<Preset> {};

// As it is but for its sizes; 8 is a multiple of all numbers of heads.
Config small(const Preset& preset) {
  Config config;
  read_toml(config, preset.toml, std::string(preset.name));
  for (const char* size :
       {"encoder.size", "encoder.embedding", "encoder.feed_forward", "attention.size", "self_attention.size",
        "intra_attention.size", "decoder.size", "decoder.embedding", "decoder.feed_forward", "generator.size"}) {
    set_field(config, std::string(size) + "=8");
  }
  return config;
}

const std::vector<Example> examples = {{"a b c", "x y z", "0-0 1-1 2-2", 1},
                                       {"c a", "z x", "0-0 1-1", 2},
                                       {"b b a", "y x", "0-0 2-1", 3},
                                       {"c", "z", "", 4}};

TEST_P(EveryPreset, ItsFirstLineSaysWhatItIs) {
  const std::string text(GetParam().toml), name(GetParam().name);
  const std::string line = text.substr(0, text.find('\n'));
  ASSERT_TRUE(line.starts_with("# ")) << line;
  std::smatch parts;
  if (std::regex_match(name, parts, std::regex("([a-z]+)([0-9]{4})(_[a-z_]+)?"))) {
    std::string author = parts[1];
    author[0] = static_cast<char>(author[0] - 'a' + 'A');
    EXPECT_NE(line.find(author), line.npos) << line;
    EXPECT_NE(line.find(parts[2].str()), line.npos) << line;
  } else {
    EXPECT_GT(line.size(), 20u) << line;
  }
}

TEST_P(EveryPreset, HasAFiniteLossAndGradient) {
  const Config config = small(GetParam());
  const TemporaryFile file("a\tx\t0.9\nb\ty\t0.8\nc\tz\t1\n");
  const Lexicon lexicon(file.path());
  const Model model(config, Task(config, examples, &lexicon));
  std::vector<Encoding> encoded;
  for (const Example& example : examples) encoded.push_back(model.task().encode(example));
  Workers workers(1);
  GradientWorker worker(model, encoded, workers);
  const std::vector<std::uint32_t> all = {0, 1, 2, 3};
  const GradientResult result = worker.compute({.examples = all,
                                                .random = Random(1, Purpose::dropout),
                                                .dropout = config.training.dropout,
                                                .scheduled_sampling = config.training.scheduled_sampling,
                                                .shards = 2});
  EXPECT_TRUE(std::isfinite(result.loss)) << result.loss;
  EXPECT_GT(result.nll, 0);
  EXPECT_TRUE(std::isfinite(result.norm)) << result.norm;
  EXPECT_GT(result.norm, 1e-3);
  for (const Real value : worker.gradient()) ASSERT_TRUE(std::isfinite(value));
}

INSTANTIATE_TEST_SUITE_P(Presets, EveryPreset, testing::ValuesIn(presets().begin(), presets().end()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Presets, AreTheFilesOfTheFolder) {
  std::set<std::string> names, files;
  for (const Preset& preset : presets()) {
    EXPECT_TRUE(names.emplace(preset.name).second) << preset.name;
    files.insert(std::string(preset.name) + ".toml");
  }
  const auto texts = read_texts(std::string(FOVEA_SOURCE_DIR) + "/presets");
  EXPECT_EQ(texts.size(), files.size());
  for (const auto& [name, text] : texts) EXPECT_TRUE(files.contains(name)) << name;
  for (const Preset& preset : presets()) EXPECT_EQ(preset.toml, texts.at(std::string(preset.name) + ".toml"));
}

TEST(Presets, HoldThePublishedSystems) {
  std::set<std::string_view> names;
  for (const Preset& preset : presets()) names.insert(preset.name);
  for (const char* name : {"sutskever2014",
                           "bahdanau2015",
                           "luong2015_global",
                           "luong2015_local_m",
                           "luong2015_local_p",
                           "vaswani2017",
                           "graves2014",
                           "xu2015_soft",
                           "xu2015_hard",
                           "yu2016",
                           "raffel2017",
                           "wu2018",
                           "wu2019",
                           "allamanis2016",
                           "gu2016",
                           "see2017",
                           "arthur2016",
                           "merity2016",
                           "cohn2016",
                           "mi2016",
                           "tu2016",
                           "chan2015",
                           "dates"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

}  // namespace
}  // namespace fovea::presets_test
