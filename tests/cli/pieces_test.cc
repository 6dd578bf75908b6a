// Pieces of words through the command line: learned, kept with the model, and folded to words again.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/process.h"
#include "support/temporary_folder.h"
#include "training/tiny_run.h"

namespace fovea::pieces_cli_test {
namespace {

using nlohmann::json;

const std::string mark = "\xE2\x96\x81";

std::string lines() {
  const std::vector<std::string> stems = {"walk", "talk", "jump", "play", "call", "paint"},
                                 ends = {"", "s", "ed", "ing"};
  std::string text;
  for (int i = 0; i < 240; ++i) {
    const std::string one = stems[i % 6] + ends[i / 6 % 4], two = stems[i / 3 % 6] + ends[i / 5 % 4];
    text += one + " " + two + std::to_string(i) + "\t" + two + " " + one + "\n";
  }
  return text;
}

class PiecesCommandTest : public testing::Test {
 protected:
  Outcome train(const std::string& name, const std::string& updates, const std::vector<std::string>& more = {},
                const std::string& tokenizer = "pieces:60") const {
    Command command = fovea({"train", folder_.write("data.tsv", lines()), "-o", folder_ / name, "--progress", "none",
                             "--stop-after", updates});
    for (const std::string& setting : tiny_settings()) command.words.insert(command.words.end(), {"--set", setting});
    for (const std::string side : {"source", "target"}) {
      command.words.insert(command.words.end(), {"--set", side + ".tokenizer=" + tokenizer});
    }
    command.words.insert(command.words.end(), more.begin(), more.end());
    return run(command);
  }
  std::string model_of(const std::string& name) const {
    Files files;
    return files.read(folder_ / (name + "/model.safetensors"));
  }

  TemporaryFolder folder_;
};

TEST_F(PiecesCommandTest, SameBytesForAnyThreadsAndAfterAStop) {
  const Outcome whole = train("one", "60u", {"--threads", "1"});
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_EQ(whole.err.find("trainer_interface"), std::string::npos) << "SentencePiece is silent";
  ASSERT_EQ(train("two", "60u", {"--threads", "2"}).code, 0);
  EXPECT_TRUE(model_of("one") == model_of("two"));
  ASSERT_EQ(train("stopped", "25u").code, 0);
  const Outcome on = train("stopped", "60u");
  ASSERT_EQ(on.code, 0) << on.err;
  EXPECT_TRUE(model_of("one") == model_of("stopped"));
  EXPECT_NE(train("stopped", "60u", {}, "pieces:61").code, 0) << "other pieces are another run";
}

TEST_F(PiecesCommandTest, AnswersAndFoldsToWords) {
  ASSERT_EQ(train("run", "40u").code, 0);
  const std::string text = "walking  unheard";
  const Outcome plain = run(fovea({"predict", folder_ / "run", "--json"}), text + "\n");
  ASSERT_EQ(plain.code, 0) << plain.err;
  const json pieces = json::parse(plain.out);
  const Outcome folded = run(fovea({"predict", folder_ / "run", "--json", "--words"}), text + "\n");
  ASSERT_EQ(folded.code, 0) << folded.err;
  const json words = json::parse(folded.out);
  EXPECT_EQ(pieces["text"], words["text"]);
  EXPECT_EQ(words["text"].get<std::string>().find(mark), std::string::npos);
  EXPECT_GT(pieces["source"]["tokens"].size(), 3u);
  ASSERT_EQ(words["source"]["tokens"].size(), 3u);
  EXPECT_EQ(words["source"]["tokens"][0], (json{{"text", "walking"}, {"start", 0}, {"end", 7}}));
  EXPECT_EQ(words["source"]["tokens"][1], (json{{"text", "unheard"}, {"start", 9}, {"end", 16}}));
  for (const json& step : words["steps"]) {
    double sum = 0;
    for (const json& weight : step["looks"][0]["weights"]) sum += weight.get<double>();
    EXPECT_NEAR(sum, 1, 1e-5);
    EXPECT_EQ(step["looks"][0]["weights"].size(), 3u);
  }
  const Outcome drawn = run(fovea({"show", folder_ / "run", text, "--words"}));
  ASSERT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_NE(drawn.out.find("unheard"), std::string::npos) << drawn.out;
}

TEST_F(PiecesCommandTest, WordsAreOfPiecesAlone) {
  std::filesystem::create_directory(folder_ / "char");
  make_tiny_model(folder_ / "char");
  const Outcome refused = run(fovea({"show", folder_ / "char", "abc", "--words"}));
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("only pieces"), std::string::npos) << refused.err;
  EXPECT_EQ(run(fovea({"predict", folder_ / "char", "--words"}), "abc\n").code, 2);
}

TEST_F(PiecesCommandTest, ErrorsHelp) {
  const Outcome no_number = train("bad", "1u", {}, "pieces");
  EXPECT_EQ(no_number.code, 2);
  EXPECT_NE(no_number.err.find("source.tokenizer"), std::string::npos) << no_number.err;
  EXPECT_NE(no_number.err.find("pieces needs a number of pieces"), std::string::npos) << no_number.err;
  const Outcome few = train("bad", "1u", {}, "pieces:5");
  EXPECT_EQ(few.code, 2);
  EXPECT_NE(few.err.find("pieces:5: each character is a piece"), std::string::npos) << few.err;
  const Outcome listed = run(fovea({"list", "tokenizers"}));
  for (const char* name : {"char", "word", "bytes", "pieces:8000"}) {
    EXPECT_NE(listed.out.find(name), std::string::npos) << listed.out;
  }
}

}  // namespace
}  // namespace fovea::pieces_cli_test
