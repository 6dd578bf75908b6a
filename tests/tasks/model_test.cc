// A model file decides everything a model is; one that does not fit together is refused in one line, before any memory
// is given to its weights.
#include "tasks/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "data/temporary_file.h"
#include "inference/answering.h"
#include "tasks/small_model.h"

namespace fovea::model_test {
namespace {

using Json = nlohmann::json;

TensorFile small_file() {
  const Model model = small_model(small_config(), 1);
  return {model.metadata(), model.arrays()};
}

// As it comes from the disk: with a right checksum.
std::unique_ptr<Model> read_back(const TensorFile& file) {
  const std::string bytes = encode_safetensors(file);
  return Model::decode(ByteSource::of(bytes), "m.safetensors");
}

// The most address space this process has had; nothing is gained by an allocation that is never touched.
long peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmPeak:")) return std::stol(line.substr(7)) / 1024;
  }
  return 0;
}

void expect_refused(const TensorFile& file, const std::string& reason) {
  const std::string bytes = encode_safetensors(file);
  const long before = peak_megabytes();
  try {
    read_back(file);
    ADD_FAILURE() << "accepted; wanted: " << reason;
  } catch (const Error& e) {
    const std::string message = e.what();
    EXPECT_EQ(e.kind(), ErrorKind::model) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_TRUE(message.starts_with("m.safetensors")) << message;
    EXPECT_NE(message.find(reason), std::string::npos) << message << "\nwanted: " << reason;
    EXPECT_LT(message.size(), 600u);
  }
  EXPECT_LT(peak_megabytes() - before, 64 + static_cast<long>(bytes.size() >> 17));
}

void expect_config_refused(const std::function<void(Json&)>& change, const std::string& reason) {
  TensorFile file = small_file();
  Json config = Json::parse(file.metadata["config"]);
  change(config);
  file.metadata["config"] = config.dump();
  expect_refused(file, reason);
}

NamedArray& array_of(TensorFile& file, const std::string& name) {
  return *std::ranges::find(file.arrays, name, &NamedArray::name);
}

TEST(Model, ReadsBackWhatItWrote) {
  const TensorFile file = small_file();
  const auto model = read_back(file);
  EXPECT_EQ(model->metadata(), file.metadata);
  EXPECT_EQ(model->arrays(), file.arrays);
  EXPECT_EQ(model->config().model.decoder.size, 13);
}

TEST(Model, NamesAreUniqueAndSayWhereTheyBelong) {
  Config config = small_config();
  config.model.encoder.layers = config.model.decoder.layers = 3;
  const Model model = small_model(config, 1);
  std::set<std::string> names;
  for (const Parameters::Entry& entry : model.parameters().entries()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    const std::string part = entry.name.substr(0, entry.name.find('.'));
    EXPECT_TRUE(part == "encoder" || part == "attention" || part == "decoder" || part == "generator") << entry.name;
  }
}

TEST(Model, StartsAsTheSeedSays) {
  Config config = small_config();
  const auto one = small_model(config, 1).arrays();
  EXPECT_EQ(small_model(config, 1).arrays(), one);
  config.training.seed = 2;
  EXPECT_NE(small_model(config, 1).arrays(), one);
}

TEST(HostileModel, MissingMetadata) {
  for (const std::string key : {"config", "source.vocabulary", "target.vocabulary"}) {
    TensorFile file = small_file();
    file.metadata.erase(key);
    expect_refused(file, key);
  }
}

TEST(HostileModel, ConfigThatIsNone) {
  for (const std::string text : {"", "[]", "null", "{", "{\"encoder\": 3}", "{\"encoder\": {\"size\": \"big\"}}",
                                 "{\"encoder\": {\"size\": 1e300}}", "{\"no_such\": 1}"}) {
    TensorFile file = small_file();
    file.metadata["config"] = text;
    expect_refused(file, "config");
  }
  TensorFile deep = small_file();
  deep.metadata["config"] = std::string(100'000, '[');
  expect_refused(deep, "config");
}

TEST(HostileModel, ConfigOutOfRange) {
  expect_config_refused([](Json& c) { c["encoder"]["size"] = 0; }, "encoder.size");
  expect_config_refused([](Json& c) { c["encoder"]["size"] = -5; }, "encoder.size");
  expect_config_refused([](Json& c) { c["encoder"]["size"] = 1'000'000'000; }, "encoder.size");
  expect_config_refused([](Json& c) { c["encoder"]["layers"] = 1'000'000; }, "encoder.layers");
  expect_config_refused([](Json& c) { c["decoder"]["embedding"] = 99'999; }, "decoder.embedding");
  expect_config_refused([](Json& c) { c["attention"]["size"] = 1e9; }, "attention.size");
  expect_config_refused([](Json& c) { c["encoder"]["cell"] = "perceptron"; }, "encoder.cell");
  expect_config_refused([](Json& c) { c["decoder"]["bridge"] = "drawbridge"; }, "decoder.bridge");
  expect_config_refused([](Json& c) { c["attention"]["score"] = "\n\x1b[31m"; }, "attention.score");
  expect_config_refused([](Json& c) { c["source"]["tokenizer"] = "parsec"; }, "source.tokenizer");
}

TEST(HostileModel, PiecesThatAreNone) {
  const auto with_pieces = [](const std::string& learned) {
    TensorFile file = small_file();
    Json config = Json::parse(file.metadata.at("config"));
    config["target"]["tokenizer"] = "pieces:100";
    file.metadata["config"] = config.dump();
    file.metadata["target.tokenizer"] = learned;
    return file;
  };
  for (const std::string learned : {"", "{}", "[\"bpe\"]", "[\"bpe\",\"a\",1e30]", "[\"bpe\",\"a\",0,\"a\",1]"}) {
    expect_refused(with_pieces(learned), "target.tokenizer");
  }
  TensorFile none = with_pieces("");
  none.metadata.erase("target.tokenizer");
  expect_refused(none, "target.tokenizer");
  const std::string sound = encode_safetensors(with_pieces("[\"bpe\",\"\u2581a\",0,\"b\",-1]"));
  EXPECT_EQ(Model::decode(ByteSource::of(sound), "x")->task().encode_target("ab").size(), 2u);
}

// Opening a model reads no file that its config names.
TEST(HostileModel, PiecesOfAFileAreThoseInTheModel) {
  TensorFile file = small_file();
  Json config = Json::parse(file.metadata.at("config"));
  config["source"]["tokenizer"] = "pieces:/no/such/file.model";
  file.metadata["config"] = config.dump();
  expect_refused(file, "source.tokenizer");
  file.metadata["source.tokenizer"] = "[\"unigram\",\"a\",-1]";
  EXPECT_NO_THROW(Model::decode(ByteSource::of(encode_safetensors(file)), "x"));
}

TEST(HostileModel, UnknownBias) {
  expect_config_refused([](Json& c) { c["attention"]["bias"] = {"no_such"}; }, "no_such");
}

TEST(HostileModel, HugeSizesThatTheRulesAllow) {
  const auto huge = [](Json& c) {
    for (const char* part : {"encoder", "decoder", "attention", "generator"}) c[part]["size"] = 16384;
    for (const char* part : {"encoder", "decoder"}) c[part]["embedding"] = 16384, c[part]["layers"] = 32;
  };
  expect_config_refused(huge, "weight");
}

TEST(HostileModel, ConfigOfAnotherModel) {
  expect_config_refused([](Json& c) { c["encoder"]["size"] = 13; }, "shape");
  expect_config_refused([](Json& c) { c["encoder"]["layers"] = 2; }, "missing");
  expect_config_refused([](Json& c) { c["encoder"]["cell"] = "gru"; }, "encoder.layer0.forward");
  expect_config_refused([](Json& c) { c["encoder"]["bidirectional"] = false; }, "weight");
  expect_config_refused([](Json& c) { c["decoder"]["style"] = "plain"; }, "weight");
  expect_config_refused([](Json& c) { c["decoder"]["bridge"] = "zero"; }, "weights where");
  expect_config_refused([](Json& c) { c["generator"]["size"] = 11; }, "shape");
}

TEST(HostileModel, VocabularyThatIsNone) {
  const std::vector<std::string> texts = {
      "", "{}", "[1, 2, 3, 4]", R"(["a"])", R"(["<pad>", "<unk>", "<s>")", R"([["<pad>"]])", std::string(5000, '[')};
  for (const std::string& text : texts) {
    for (const char* key : {"source.vocabulary", "target.vocabulary"}) {
      TensorFile file = small_file();
      file.metadata[key] = text;
      expect_refused(file, key);
    }
  }
}

TEST(HostileModel, VocabularyOfAnotherSize) {
  for (const char* key : {"source.vocabulary", "target.vocabulary"}) {
    TensorFile file = small_file();
    Json vocabulary = Json::parse(file.metadata[key]);
    vocabulary.push_back("one more");
    file.metadata[key] = vocabulary.dump();
    expect_refused(file, "shape");
    vocabulary.erase(vocabulary.size() - 1);
    vocabulary.erase(vocabulary.size() - 1);
    file.metadata[key] = vocabulary.dump();
    expect_refused(file, "shape");
  }
}

TEST(HostileModel, HugeVocabularyForHugeSizes) {
  TensorFile file = small_file();
  Json vocabulary = Json::parse(file.metadata["target.vocabulary"]);
  for (int i = 0; i < 150'000; ++i) vocabulary.push_back(std::to_string(i));  // x 16384: more than an int counts
  file.metadata["target.vocabulary"] = vocabulary.dump();
  Json config = Json::parse(file.metadata["config"]);
  config["decoder"]["embedding"] = config["generator"]["size"] = 16384;
  file.metadata["config"] = config.dump();
  expect_refused(file, "weight");
}

TEST(HostileModel, MissingAndExtraWeights) {
  const TensorFile whole = small_file();
  for (std::size_t i = 0; i < whole.arrays.size(); ++i) {
    TensorFile file = whole;
    file.arrays.erase(file.arrays.begin() + static_cast<std::ptrdiff_t>(i));
    expect_refused(file, whole.arrays[i].name);
    file = whole;
    file.arrays[i].name += "x";
    expect_refused(file, whole.arrays[i].name);
  }
  TensorFile file = whole;
  file.arrays.push_back({"zzz", {2}, {1, 2}});
  expect_refused(file, "weights");
  file = whole;
  file.arrays.clear();
  expect_refused(file, "missing");
}

TEST(HostileModel, WeightsOfAnotherShape) {
  const TensorFile whole = small_file();
  for (std::size_t i = 0; i < whole.arrays.size(); ++i) {
    TensorFile file = whole;
    NamedArray& array = file.arrays[i];
    if (array.shape.size() == 2 && array.shape[0] != array.shape[1]) {
      std::swap(array.shape[0], array.shape[1]);  // as many numbers, so only the shape tells
      expect_refused(file, array.name);
    }
    array.shape = {static_cast<std::int64_t>(array.values.size()), 1};
    expect_refused(file, array.name);
    array.shape.insert(array.shape.begin(), 1);
    expect_refused(file, array.name);
    array.shape = {0};
    array.values.clear();
    expect_refused(file, array.name);
  }
  TensorFile swapped = whole;
  std::swap(array_of(swapped, "decoder.layer0.input").name, array_of(swapped, "encoder.layer0.forward.input").name);
  expect_refused(swapped, "shape");
}

TEST(LoadModel, SaysWhereItLookedAndHowToGetOne) {
  Files files;
  try {
    load_model(files, testing::TempDir() + "no_such_folder");
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::model);
    EXPECT_NE(std::string(e.what()).find("no_such_folder"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("train one into the `folder`"), std::string::npos);
  }
}

// In megabytes: what the process holds now, and the most it held since it was last asked to forget.
long resident(const char* which) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(which)) return std::stol(line.substr(6)) / 1024;
  }
  return 0;
}

TEST(LoadModel, HoldsTheFileOnce) {
  const TemporaryFile file("");
  Config config = small_config();
  config.model.encoder.embedding = 8000;
  config.model.encoder.size = 100;
  Files files;
  {
    const Model model = small_model(config, 1);
    files.write_atomically(file.path(), encode_safetensors({model.metadata(), model.arrays()}));
  }
  const auto size = static_cast<long>(std::filesystem::file_size(file.path()) >> 20);
  ASSERT_GT(size, 20);
  std::ofstream("/proc/self/clear_refs") << "5";
  const long before = resident("VmRSS:");
  if (resident("VmHWM:") > before + 2) GTEST_SKIP() << "this system does not forget the peak";
  const auto model = load_model(files, file.path());
  EXPECT_LT(static_cast<double>(resident("VmHWM:") - before), 1.1 * static_cast<double>(size) + 4);
}

TEST(LoadModel, TakesTheFolderOrTheFile) {
  const std::filesystem::path folder = testing::TempDir() + "fovea_load_model";
  std::filesystem::create_directories(folder);
  Files files;
  const TensorFile file = small_file();
  files.write_atomically(folder / model_file_name, encode_safetensors(file));
  EXPECT_EQ(load_model(files, folder)->arrays(), file.arrays);
  EXPECT_EQ(load_model(files, folder / model_file_name)->arrays(), file.arrays);
  std::filesystem::remove_all(folder);
}

// Each letter is looked up as another one.
Model looking_up_model() {
  Config config = small_config();
  config.model.generator.kind = "lexicon_bias";
  std::string lines;
  for (char letter = 'a'; letter < 't'; ++letter)
    lines += fmt::format("{0}\t{1}\t0.7\n{0}\t{0}\t0.1\n", letter, char(letter + 1));
  const TemporaryFile file(lines);
  const Lexicon lexicon(file.path());
  std::vector<Example> examples;
  for (const std::string& line : random_lines(50, 20, 9)) examples.push_back({line, line, "", 0});
  return {config, Task(config, examples, &lexicon)};
}

std::vector<std::vector<Answer>> answers_of(const Model& model) {
  std::vector<Reading> encoded;
  for (const std::string& line : random_lines(20, 10, 3)) encoded.push_back(model.task().encode_source(line));
  std::vector<const Reading*> sources;
  for (const Reading& source : encoded) sources.push_back(&source);
  Workers workers(1);
  return Answering(model, workers).answer(sources, {});
}

// Scores with ==: the same bits.
bool same_answers(const Model& a, const Model& b) {
  return std::ranges::equal(answers_of(a), answers_of(b), [](const auto& one, const auto& other) {
    return one[0].symbols == other[0].symbols && one[0].score == other[0].score;
  });
}

TEST(LexiconModel, KeepsItsLexicon) {
  const Model model = looking_up_model();
  TensorFile file = {model.metadata(), model.arrays()};
  const auto again = read_back(file);
  EXPECT_EQ(again->task().lexicon(), model.task().lexicon());
  EXPECT_EQ(again->metadata(), file.metadata);
  EXPECT_TRUE(same_answers(*again, model) || sizeof(Real) != sizeof(float)) << "files hold floats";
  file.metadata["lexicon"] = "[]";
  EXPECT_FALSE(same_answers(*read_back(file), model)) << "it says nothing of use";
}

TEST(LexiconModel, RefusesAHostileLexicon) {
  const Model model = looking_up_model();
  const int sources = model.task().source().size(), targets = model.task().target().size();
  TensorFile file = {model.metadata(), model.arrays()};
  const std::vector<std::string> texts = {"",
                                          "{}",
                                          "null",
                                          "[4,4",
                                          "[4,4]",
                                          "[4,4,0.5,4]",
                                          "[[4,4,0.5]]",
                                          "[[],[],[]]",
                                          "[4,4,[0.5]]",
                                          "[\"4\",4,0.5]",
                                          "[4.5,4,0.5]",
                                          "[4,4,null]",
                                          "[4,4,2]",
                                          "[4,4,0]",
                                          "[4,4,-0.5]",
                                          "[4,4,1e300]",
                                          "[4,4,1e999]",
                                          "[-1,4,0.5]",
                                          "[4,-1,0.5]",
                                          "[18446744073709551615,4,0.5]",
                                          std::string(100'000, '['),
                                          fmt::format("[{},4,0.5]", sources),
                                          fmt::format("[4,{},0.5]", targets)};
  for (const std::string& text : texts) {
    file.metadata["lexicon"] = text;
    SCOPED_TRACE(text.substr(0, 40));
    expect_refused(file, "lexicon");
  }
  file.metadata["lexicon"] = fmt::format("[{},{},1]", sources - 1, targets - 1);
  EXPECT_NO_THROW(read_back(file));
  file.metadata.erase("lexicon");
  expect_refused(file, "lexicon");
}

TEST(ModelFile, KeepsTheLengthsOfTheTrainingData) {
  const Model model = small_model(small_config(), 3);
  TensorFile file = {model.metadata(), model.arrays()};
  ASSERT_TRUE(model.task().learned().lengths);
  const auto read = read_back(file);
  ASSERT_TRUE(read->task().learned().lengths);
  const auto reading_of = [](int symbols) { return Reading{{SourceData{{}, {}, symbols}}}; };
  for (const int source : {1, 7, 500}) {
    EXPECT_EQ(read->task().max_steps(reading_of(source)), model.task().max_steps(reading_of(source)));
  }
  EXPECT_EQ(read->metadata(), file.metadata);
  for (const char* bad : {"", "{}", "[1,2,3]", R"({"source":1,"target":2})", R"({"source":-1,"target":2,"ratio":1})",
                          R"({"source":1,"target":"2","ratio":1})", R"({"source":1,"target":1e300,"ratio":1})"}) {
    file.metadata["lengths"] = bad;
    SCOPED_TRACE(bad);
    expect_refused(file, "lengths");
  }
  file.metadata.erase("lengths");
  EXPECT_EQ(read_back(file)->task().max_steps(reading_of(10)), 71) << "as it was before files said";
}

TEST(ModelFile, KeepsWhichSymbolsAreRare) {
  std::vector<Example> examples(10, {"x", "ab", ""});
  examples.push_back({"x", "ac", ""});
  const Model model(small_config(), Task(small_config(), examples));
  TensorFile file = {model.metadata(), model.arrays()};
  const auto first_rare = read_back(file)->task().learned().first_rare;
  ASSERT_TRUE(first_rare);
  EXPECT_EQ(model.task().target().text(*first_rare), "c") << "a and b were seen ten times and more";
  for (const char* bad : {"", "x", "3", "-1", "6.5", "99999999999"}) {
    file.metadata["target.first_rare"] = bad;
    SCOPED_TRACE(bad);
    expect_refused(file, "first_rare");
  }
  file.metadata.erase("target.first_rare");
  EXPECT_FALSE(read_back(file)->task().learned().first_rare);
}

TEST(ModelFile, OfBeforeColumnsHadNamesIsUnderstood) {
  const Model model = small_model(small_config(), 3);
  TensorFile file = {model.metadata(), model.arrays()};
  auto config = nlohmann::json::parse(file.metadata["config"]);
  config.erase("columns");
  config.erase("max_length");
  for (const char* extra : {"none", "alignment"}) {
    config["extra"] = extra;
    file.metadata["config"] = config.dump();
    const auto read = read_back(file);
    EXPECT_EQ(read->task().columns().text(),
              extra == std::string("none") ? "source,target" : std::string("source,target,") + extra);
    EXPECT_EQ(read->config().max_length, 1000);
  }
  config["extra"] = "features";
  file.metadata["config"] = config.dump();
  expect_refused(file, "train it again");
  config["extra"] = "tags";
  file.metadata["config"] = config.dump();
  expect_refused(file, "extra");
  config.erase("extra");
  config["columns"] = {"source", "source"};
  file.metadata["config"] = config.dump();
  expect_refused(file, "columns");
}

TEST(OneWay, EachHasItsOwnSidesAndWeights) {
  Config config = small_config();
  set_field(config.model.objective, "agreement=1");
  config.source.tokenizer = "pieces:80";
  config.target.max_symbols = 7;
  std::vector<Example> examples;
  for (const std::string& line : random_lines(50, 5, 9)) examples.push_back({line + " a", line, "", 0});
  const Model both(config, Task(config, examples));
  std::size_t weights = 0;
  for (const bool reverse : {false, true}) {
    const auto one = both.one_way(reverse);
    EXPECT_FALSE(one->config().model.objective.asked(&ObjectiveTraits::both_directions));
    EXPECT_EQ(one->config().source.tokenizer, reverse ? "char" : "pieces:80");
    EXPECT_EQ(one->config().target.tokenizer, reverse ? "pieces:80" : "char");
    const std::string pieces = both.metadata().at("source.tokenizer");
    EXPECT_EQ(one->metadata().at(reverse ? "target.tokenizer" : "source.tokenizer"), pieces);
    EXPECT_FALSE(one->metadata().contains(reverse ? "source.tokenizer" : "target.tokenizer"));
    EXPECT_EQ(one->config().source.max_symbols, reverse ? 7 : 50000);
    EXPECT_EQ(one->task().columns().text(), reverse ? "target,source" : "source,target") << "of the same file";
    EXPECT_EQ(one->task().learned().lengths->longest_target,
              reverse ? both.task().learned().lengths->longest_source : both.task().learned().lengths->longest_target);
    EXPECT_EQ(one->task().source().to_json(), (reverse ? both.task().target() : both.task().source()).to_json());
    EXPECT_EQ(one->task().target().to_json(), (reverse ? both.task().source() : both.task().target()).to_json());
    const auto all = both.arrays();
    for (const NamedArray& array : one->arrays()) {
      EXPECT_FALSE(array.name.starts_with("reverse.")) << array.name;
      const auto found = std::ranges::find(all, (reverse ? "reverse." : "") + array.name, &NamedArray::name);
      ASSERT_NE(found, all.end()) << array.name;
      EXPECT_EQ(array.values, found->values) << array.name;
      ++weights;
    }
    const TensorFile file = {one->metadata(), one->arrays()};
    EXPECT_EQ(read_back(file)->arrays(), file.arrays) << "a model like any other";
  }
  EXPECT_EQ(weights, both.arrays().size());
}

}  // namespace
}  // namespace fovea::model_test
