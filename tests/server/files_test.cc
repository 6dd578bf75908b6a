// Models whose lines name files: which of them the server opens for whoever asks, and what of them it shows.
#include <gtest/gtest.h>

#include <future>

#include "base/base64.h"
#include "base/json.h"
#include "data/picture.h"
#include "server/api.h"
#include "support/process.h"
#include "training/tiny_run.h"

namespace fovea::files_test {
namespace {

void train(const std::filesystem::path& folder, const std::vector<Example>& examples,
           const std::vector<std::string>& settings) {
  Files files;
  Observer nobody;
  std::filesystem::create_directories(folder);
  Trainer(tiny_config(settings), {examples, examples}, {.folder = folder, .stop_after = {5, Period::Unit::updates}},
          files, nobody)
      .run();
}

Json ask(Api& api, const std::string& path, const Json& body) {
  HttpRequest request;
  request.method = "POST";
  request.path = path;
  request.fields = {{"host", "localhost"}, {"content-type", "application/json"}};
  request.body = body.dump();
  std::promise<std::string> reply;
  const Api::Abandon abandon = api.handle(request, [&](const HttpReply& sent) { reply.set_value(sent.body); });
  return Json::parse(reply.get_future().get());
}

Json lines_of(const Json& reply) { return reply.contains("answers") ? reply["answers"] : reply["explanations"]; }

class ServedFiles : public testing::Test {
 protected:
  ServedFiles() {
    std::filesystem::create_directories(folder_ / "open");
    train(folder_ / "rows", std::vector<Example>(20, {"1 2; 3 4", "a", "", 1}), {"source.kind=vectors"});
    folder_.write("open/rows.txt", "1 2; 3 4");
    folder_.write("secret.txt", "1 2; 3 4");
    std::filesystem::create_symlink(folder_ / "secret.txt", folder_ / "open" / "link.txt");
  }

  TemporaryFolder folder_;
};

TEST_F(ServedFiles, NoneIsOpenedForWhoeverAsks) {
  const std::string rows = (folder_ / "open" / "rows.txt").string();
  ASSERT_EQ(Predictor(folder_ / "rows", 1).predict(std::vector{rows}, {})[0].status, LineStatus::answered)
      << "for whoever has the files";
  Api api(open_models({folder_ / "rows"}, 1, Precision::full), {}, 4);
  for (const char* path : {"/v1/predict", "/v1/explain"}) {
    const Json answers = lines_of(ask(api, path, {{"lines", {"1 2; 3 4", rows, "/dev/zero", "rows.npy"}}}));
    EXPECT_EQ(answers[0]["status"], "answered");
    for (const int i : {1, 2, 3}) {
      EXPECT_EQ(answers[i]["status"], "unreadable") << i;
      EXPECT_TRUE(says(answers[i]["problem"], "names a file"));
    }
  }
}

TEST_F(ServedFiles, OfOneFolderAreOpenedAndNoOther) {
  Api api(open_models({folder_ / "rows"}, 1, Precision::full), {}, 4, (folder_ / "open").string());
  const Json lines = {"rows.txt", "../secret.txt", (folder_ / "secret.txt").string(),
                      "link.txt", "/etc/passwd",   "../open"};
  for (const char* path : {"/v1/predict", "/v1/explain"}) {
    const Json answers = lines_of(ask(api, path, {{"lines", lines}}));
    EXPECT_EQ(answers[0]["status"], "answered") << answers[0];
    for (std::size_t i = 1; i < lines.size(); ++i) {
      EXPECT_EQ(answers[i]["status"], "unreadable") << lines[i];
      EXPECT_TRUE(says(answers[i]["problem"], "names no file in the folder"));
    }
  }
  // Where a target is given the way is another.
  const auto given = [&](const char* line) {
    return ask(api, "/v1/explain", {{"text", line}, {"target", "a"}})["explanations"][0]["status"];
  };
  EXPECT_EQ(given("rows.txt"), "answered");
  EXPECT_EQ(given("../secret.txt"), "unreadable");
  EXPECT_THROW(Api({}, {}, 4, (folder_ / "none").string()), Error);
  EXPECT_THROW(Api({}, {}, 4, (folder_ / "secret.txt").string()), Error);
}

TEST_F(ServedFiles, APictureComesWithItsExplanation) {
  Picture picture = {16, 16, 1, {}};
  for (int i = 0; i < 256; ++i) picture.pixels.push_back(static_cast<std::uint8_t>(i));
  folder_.write("open/slope.png", encode_png(picture));
  const Example example = {"slope.png", "ab", "", 1, {}, {}, (folder_ / "open").string() + "/"};
  train(folder_ / "seen", std::vector<Example>(20, example),
        {"source.kind=image", "source.image.height=16", "source.image.rows=2", "source.image.region=8"});
  Api api(open_models({folder_ / "seen"}, 1, Precision::full), {}, 4, (folder_ / "open").string());
  const Json plain = ask(api, "/v1/explain", {{"text", "slope.png"}})["explanations"][0];
  EXPECT_EQ(plain["status"], "answered") << plain;
  EXPECT_FALSE(plain.contains("media")) << "only where it is asked for";
  const Json seen = ask(api, "/v1/explain", {{"text", "slope.png"}, {"media", true}})["explanations"][0];
  ASSERT_EQ(seen["media"].size(), 1U);
  EXPECT_EQ(seen["media"][0]["type"], "image/png");
  EXPECT_EQ(seen["media"][0]["width"], 16);
  const Picture colours = decode_picture(encode_png(picture), true);
  EXPECT_EQ(seen["media"][0]["data"], base64(encode_png(colours)));
  EXPECT_EQ(seen["source"]["tokens"][3]["box"], (Json{8, 8, 16, 16}));
  EXPECT_TRUE(ask(api, "/v1/explain", {{"lines", {"slope.png", "slope.png"}}, {"media", true}}).contains("error"))
      << "they are large: one at a time";
  EXPECT_TRUE(ask(api, "/v1/predict", {{"text", "slope.png"}, {"media", true}}).contains("error"));
}

}  // namespace
}  // namespace fovea::files_test
