// Lines through the pipeline: in order, all of them, none held up, and every error arrives.
#include "inference/predictor.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <algorithm>
#include <stdexcept>
#include <thread>

#include "base/as_size.h"
#include "tensor/share_products.h"
#include "training/tiny_run.h"

namespace fovea::predictor_test {
namespace {

class PredictorTest : public testing::Test {
 protected:
  PredictorTest() { make_tiny_model(folder_.path()); }
  TemporaryFolder folder_;
};

std::vector<std::string> tiny_lines(int count) {
  std::vector<std::string> lines;
  for (const Example& example : tiny_examples(5, count)) lines.push_back(example.source);
  for (std::size_t i = 0; i < lines.size(); i += 7) lines[i] = "";
  return lines;
}

// Gives its lines in groups of several sizes.
class ListStream : public LineStream {
 public:
  explicit ListStream(std::vector<std::string> lines) : lines_(std::move(lines)) {}

  std::vector<std::string> read() override {
    const std::size_t count = std::min(lines_.size() - read_, 1 + read_ % 23);
    read_ += count;
    return {lines_.begin() + static_cast<std::ptrdiff_t>(read_ - count),
            lines_.begin() + static_cast<std::ptrdiff_t>(read_)};
  }
  bool ready() override { return true; }
  std::string render(const Prediction& p) const override { return p.output.source_text + " -> " + p.output.text; }
  void write(std::span<const Written> lines) override { written.insert(written.end(), lines.begin(), lines.end()); }

  std::size_t lines_read() const { return read_; }

  std::vector<Written> written;

 protected:
  std::vector<std::string> lines_;
  std::size_t read_ = 0;
};

TEST_F(PredictorTest, AStreamIsAnsweredInOrderAsItsLinesAre) {
  const std::vector<std::string> lines = tiny_lines(400);
  const PredictOptions options = {.answer = {.search = {.sample = 1}, .batch = 5, .first_line = 12}};
  const std::vector<Prediction> expected = Predictor(folder_.path(), 1).predict(lines, options);
  for (const int threads : {1, 2, 4}) {
    Predictor predictor(folder_.path(), threads);
    ListStream stream(lines);
    predictor.predict(stream, options);
    ASSERT_EQ(stream.written.size(), lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      EXPECT_EQ(stream.written[i].text, stream.render(expected[i])) << threads << " threads, line " << i;
      EXPECT_EQ(stream.written[i].status, expected[i].status);
    }
  }
}

TEST_F(PredictorTest, AStreamMayBeEmptyOrOfEmptyLines) {
  Predictor predictor(folder_.path(), 2);
  for (const std::size_t count : {0, 1, 100}) {
    ListStream stream(std::vector<std::string>(count, ""));
    predictor.predict(stream, {});
    EXPECT_EQ(stream.written.size(), count);
  }
}

// Whoever sends a line waits for its answer before sending another.
class AskingStream : public ListStream {
 public:
  using ListStream::ListStream;

  std::vector<std::string> read() override {
    std::unique_lock lock(mutex_);
    const bool answered = changed_.wait_for(lock, std::chrono::seconds(20), [&] { return written.size() == read_; });
    if (!answered) throw std::runtime_error("a line was not answered before the next");
    if (read_ == lines_.size()) return {};
    return {lines_[read_++]};
  }
  bool ready() override { return false; }
  void write(std::span<const Written> lines) override {
    const std::scoped_lock lock(mutex_);
    ListStream::write(lines);
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

TEST_F(PredictorTest, NoLineWaitsForTheNext) {
  for (const int threads : {1, 2, 3}) {
    Predictor predictor(folder_.path(), threads);
    AskingStream stream(tiny_lines(40));
    predictor.predict(stream, {});
    EXPECT_EQ(stream.written.size(), 40u);
  }
}

std::ptrdiff_t threads_of_this_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

// Looks whether a line's products are shared while it is answered, and by how many threads.
class LookingStream : public AskingStream {
 public:
  using AskingStream::AskingStream;
  std::string render(const Prediction& p) const override {
    const Workers* sharing = ShareProducts::workers();
    shared.push_back(sharing && sharing->count() == 2);
    threads.push_back(threads_of_this_process());
    return AskingStream::render(p);
  }
  mutable std::vector<bool> shared;
  mutable std::vector<std::ptrdiff_t> threads;
};

TEST_F(PredictorTest, ALineThatIsAloneHasTheWorkersForItsProductsAndTheseAreAllThreadsThereAre) {
  const std::ptrdiff_t others = threads_of_this_process();
  Predictor predictor(folder_.path(), 2);
  LookingStream stream({"abc", "abd", "", "acd"});
  predictor.predict(stream, {});
  EXPECT_EQ(stream.shared, (std::vector{true, true, false, true}));
  EXPECT_EQ(stream.threads, std::vector(4, others + 1));
}

// Two lines are there, each answered only once the other is about to be, and no more come before both are written.
class PairedStream : public AskingStream {
 public:
  PairedStream() : AskingStream({"abc", "abcd"}) {}

  std::vector<std::string> read() override {
    if (read_ < 2) return {lines_[read_++]};
    return AskingStream::read();
  }
  bool ready() override { return read_ < 2; }
  std::string render(const Prediction& p) const override {
    std::unique_lock lock(meeting_);
    if (++rendering_ == 2) met_.notify_all();
    if (!met_.wait_for(lock, std::chrono::seconds(5), [&] { return rendering_ == 2; })) {
      throw std::runtime_error("one line waits while nobody answers the other");
    }
    return ListStream::render(p);
  }

 private:
  mutable std::mutex meeting_;
  mutable std::condition_variable met_;
  mutable int rendering_ = 0;
};

TEST_F(PredictorTest, NobodyWaitsForLinesWhileOneIsToBeAnswered) {
  Predictor predictor(folder_.path(), 2);
  PairedStream stream;
  predictor.predict(stream, {});
  EXPECT_EQ(stream.written.size(), 2u);
}

enum class Place { read, render, write };

class FailingStream : public ListStream {
 public:
  FailingStream(std::vector<std::string> lines, Place place) : ListStream(std::move(lines)), place_(place) {}
  std::vector<std::string> read() override {
    if (read_ > 50) fail(Place::read);
    return ListStream::read();
  }
  std::string render(const Prediction& p) const override {
    if (p.output.source_text == lines_[55]) fail(Place::render);
    return ListStream::render(p);
  }
  void write(std::span<const Written> lines) override {
    ListStream::write(lines);
    if (written.size() > 50) fail(Place::write);
  }

 private:
  void fail(Place here) const {
    if (here == place_) throw std::runtime_error("failed");
  }
  Place place_;
};

TEST_F(PredictorTest, EveryErrorArrivesAndEndsTheStream) {
  for (const Place place : {Place::read, Place::render, Place::write}) {
    for (const int threads : {1, 3}) {
      Predictor predictor(folder_.path(), threads);
      FailingStream stream(tiny_lines(400), place);
      EXPECT_THROW(predictor.predict(stream, {}), std::runtime_error);
      EXPECT_LT(stream.written.size(), 400u);
      // What was read before the input broke off is answered.
      if (place == Place::read) {
        EXPECT_EQ(stream.written.size(), stream.lines_read());
      }
      ListStream whole(tiny_lines(30));  // and the predictor can go on
      predictor.predict(whole, {});
      EXPECT_EQ(whole.written.size(), 30u);
    }
  }
}

// Other options, and what is answered with them.
std::vector<PredictOptions> different_options() {
  std::vector<PredictOptions> all(8);
  all[1].answer.search.beam = all[1].answer.search.nbest = 3;
  all[2].answer.search.sample = 1;
  all[3].answer.search.alternatives = 2;
  for (const auto& [place, setting] : std::vector<std::pair<int, std::string>>{
           {4, "no_repeat_ngram=1"}, {5, "prefix=y"}, {6, "min_output=6"}, {7, "allowed=xyx,yyy"}}) {
    set_field(all[as_size(place)].answer.search, setting);
  }
  for (std::size_t i = 0; i < all.size(); ++i) all[i].answer.batch = 1 + static_cast<int>(i) * 5;
  return all;
}

void expect_same(const std::vector<Prediction>& found, const std::vector<Prediction>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Output &a = found[i].output, &b = wanted[i].output;
    EXPECT_EQ(a.text, b.text);
    EXPECT_EQ(a.score, b.score);
    ASSERT_EQ(a.nbest.size(), b.nbest.size());
    for (std::size_t n = 0; n < a.nbest.size(); ++n) EXPECT_EQ(a.nbest[n].score, b.nbest[n].score);
    ASSERT_EQ(a.steps.size(), b.steps.size());
    for (std::size_t t = 0; t < a.steps.size(); ++t)
      EXPECT_EQ(a.steps[t].looks[0].weights, b.steps[t].looks[0].weights);
  }
}

TEST_F(PredictorTest, ManyThreadsAskAtOnceAndGetWhatTheyWouldAlone) {
  const std::vector<std::string> lines = tiny_lines(60);
  const std::vector<PredictOptions> options = different_options();
  std::vector<std::vector<Prediction>> wanted;
  for (const PredictOptions& one : options) wanted.push_back(Predictor(folder_.path(), 1).predict(lines, one));
  for (std::size_t i = 1; i < wanted.size(); ++i) {
    const auto text = [](const Prediction& p) { return p.output.text + std::to_string(p.output.nbest.size()); };
    if (i == 3) continue;  // only explains
    EXPECT_FALSE(std::ranges::equal(wanted[0], wanted[i], {}, text, text)) << "options " << i << " change nothing";
  }
  for (const int workers : {1, 2, 3}) {
    Predictor predictor(folder_.path(), workers);
    std::vector<std::vector<Prediction>> found(options.size());
    ListStream stream(lines);
    std::vector<std::thread> askers;
    for (std::size_t i = 0; i < options.size(); ++i) {
      askers.emplace_back([&, i] {
        for (int again = 0; again < 3; ++again) found[i] = predictor.predict(lines, options[i]);
      });
    }
    askers.emplace_back([&] { predictor.predict(stream, {}); });
    for (std::thread& asker : askers) asker.join();
    for (std::size_t i = 0; i < options.size(); ++i) expect_same(found[i], wanted[i]);
    ASSERT_EQ(stream.written.size(), lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(stream.written[i].text, stream.render(wanted[0][i]));
  }
}

}  // namespace
}  // namespace fovea::predictor_test
