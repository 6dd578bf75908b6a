// The film of a run: bounded, the same after a stop, points that do not jump.
#include "runs/film.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "fovea.h"
#include "runs/embedding_points.h"
#include "runs/run_folder.h"
#include "training/tiny_run.h"

namespace fovea::film_test {
namespace {

TrainRequest request(const std::filesystem::path& folder, std::int64_t updates) {
  TrainRequest request;
  request.data.examples = tiny_examples(1, 200);
  request.config.settings = tiny_settings();
  request.folder = folder;
  request.threads = 1;
  request.stop_after = {updates, Period::Unit::updates};
  return request;
}

TEST(Film, IsTheSameAfterAStop) {
  const TemporaryFolder folder;
  train(request(folder / "whole", 60));
  for (const int updates : {7, 23, 41, 60}) train(request(folder / "parts", updates));
  const std::string whole = read_bytes(folder / "whole" / film_file_name);
  EXPECT_FALSE(whole.empty());
  if (files_are_exact) {
    EXPECT_EQ(read_bytes(folder / "parts" / film_file_name), whole);
  }
  Files files;
  const std::vector<FilmFrame> frames = read_film(files, folder / "whole");
  ASSERT_GE(frames.size(), 2U);
  for (const FilmFrame& frame : frames) {
    EXPECT_EQ(frame.tokens, frames[0].tokens);
    EXPECT_EQ(frame.points.size(), frame.tokens.size());
    EXPECT_GE(frame.tokens.size(), 3U);
    ASSERT_FALSE(frame.samples.empty());
    EXPECT_EQ(frame.samples[0].source_text, frames[0].samples[0].source_text);
  }
  EXPECT_LT(frames[0].update, frames[1].update);
}

TEST(Film, TheValidationOfAStopLeavesNoFrame) {
  const TemporaryFolder folder;
  train(request(folder / "run", 3));
  Files files;
  try {
    read_film(files, folder / "run");
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("stops leaves no frame: train on"), std::string::npos) << e.what();
  }
}

TEST(Film, IsLeftOutOnRequest) {
  const TemporaryFolder folder;
  TrainRequest without = request(folder / "run", 20);
  without.film = false;
  train(without);
  EXPECT_FALSE(std::filesystem::exists(folder / "run" / film_file_name));
  Files files;
  EXPECT_THROW(read_film(files, folder / "run"), Error);
}

TEST(Film, HasAtMostSoManyFrames) {
  for (int validations = 1; validations < 3000; ++validations) {
    const int stride = film_stride(validations);
    EXPECT_LE(validations / stride, 64) << validations;
    // The frame that the next one is turned towards is never thinned out.
    if (stride > film_stride(validations - 1)) {
      EXPECT_EQ((validations - stride / 2) % stride, 0) << validations;
    }
  }
  EXPECT_EQ(film_stride(64), 1);
  EXPECT_EQ(film_stride(65), 2);
}

TEST(Film, ADamagedOneIsRefusedInOneLine) {
  const TemporaryFolder folder;
  Files files;
  for (const std::string line :
       {"{", "[]", "{}", R"({"update":1})", R"({"update":1,"validation":1,"embeddings":[]})",
        R"({"update":1,"validation":1,"embeddings":{"tokens":["a"],"points":[]}})",
        R"({"update":1,"validation":1,"embeddings":{"tokens":["a"],"points":[[1,null]]}})",
        R"({"update":-1,"validation":1,"embeddings":{}})", R"({"update":1,"validation":1,"samples":[{}]})"}) {
    folder.write(film_file_name, line + "\n");
    EXPECT_THROW(read_film(files, folder.path()), Error) << line;
  }
}

TEST(EmbeddingPoints, FindThePlaneTheyLieIn) {
  // Five points of a plane in four dimensions, far apart along one line and less along another.
  std::vector<Real> vectors;
  const double along[] = {-4, -1, 0, 2, 3}, across[] = {1, -1, 0, -1, 1};
  for (int i = 0; i < 5; ++i) {
    for (const double value : {along[i] * 0.6, along[i] * 0.8, across[i], 7.0})
      vectors.push_back(static_cast<Real>(value));
  }
  const auto points = principal_points(vectors, 5, 4);
  for (int i = 0; i < 5; ++i) {
    for (int k = 0; k < 5; ++k) {
      const double wanted = std::hypot(along[i] - along[k], across[i] - across[k]);
      EXPECT_NEAR(std::hypot(points[i].x - points[k].x, points[i].y - points[k].y), wanted, 1e-5);
    }
  }
}

TEST(EmbeddingPoints, TurnBackWhatWasTurnedAndMirrored) {
  const std::vector<FilmPoint> before = {{1, 2}, {-3, 0.5}, {2, -2}, {0, -0.5}};
  for (const bool mirrored : {false, true}) {
    std::vector<FilmPoint> points;
    for (const FilmPoint& p : before) {
      const double y = mirrored ? -p.y : p.y;
      points.push_back({std::cos(2.0) * p.x - std::sin(2.0) * y, std::sin(2.0) * p.x + std::cos(2.0) * y});
    }
    turn_towards(before, points);
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_NEAR(points[i].x, before[i].x, 1e-12);
      EXPECT_NEAR(points[i].y, before[i].y, 1e-12);
    }
  }
  std::vector<FilmPoint> zeros(4);
  turn_towards(before, zeros);
  EXPECT_EQ(zeros[0].x, 0) << "nothing to go by";
}

}  // namespace
}  // namespace fovea::film_test
