// The inquiries that wait for one model. A thread of its own takes what waits, as many lines with the same options as
// go together, and has them answered at once; answers are as if each had been asked alone. A long inquiry is answered
// in parts, with others between them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "inference/predictor.h"
#include "server/http.h"
#include "server/inquiry.h"
#include "server/metrics.h"

namespace fovea {

HttpError too_many_wait();

class AnswerQueue {
 public:
  // Called once by the queue's thread: the answers as JSON texts, one a line, or what went wrong.
  using Done = std::function<void(std::vector<std::string> answers, std::exception_ptr failure)>;

  // All must outlive it. `files` is the folder whose files lines may name; empty: none is opened.
  AnswerQueue(std::string name, Predictor& predictor, std::size_t most, ServerMetrics& metrics, std::string files = {});
  ~AnswerQueue();  // what still runs is given up
  AnswerQueue(const AnswerQueue&) = delete;
  AnswerQueue& operator=(const AnswerQueue&) = delete;

  // Calling what it returns says that nobody waits for the answer any more: what nobody else waits for stops before
  // the next step of its search. `done` may still be called, if it was about to be. Throws an HttpError if too many
  // wait.
  std::function<void()> ask(Inquiry inquiry, Done done);

  std::size_t waiting() const;
  bool full() const { return waiting() >= most_; }

 private:
  struct Job;
  struct Part {
    std::shared_ptr<Job> job;
    std::size_t first;
    std::size_t count;
  };

  void work();
  std::vector<Part> take();  // with the lock held
  std::vector<std::string> answer(const std::vector<Part>& parts);
  void finish(const std::vector<Part>& parts, std::vector<std::string> answers, const std::exception_ptr& failure);
  void abandon(const std::shared_ptr<Job>& job);

  static constexpr std::size_t lines_together = 64;

  std::string name_;
  Predictor& predictor_;
  std::size_t most_;
  ServerMetrics& metrics_;
  std::string files_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Job>> jobs_;
  std::vector<std::shared_ptr<Job>> running_;
  std::atomic<int> give_up_ = 0;
  bool ended_ = false;
  std::thread thread_;  // last: it uses all the others
};

}  // namespace fovea
