#include "server/answer_queue.h"

#include <pthread.h>

#include <algorithm>

#include "server/answers.h"

namespace fovea {

HttpError too_many_wait() { return {503, "too many requests wait; come again", {{"Retry-After", "1"}}}; }

struct AnswerQueue::Job {
  Inquiry inquiry;
  std::string key;
  Done done;
  std::vector<std::string> answers = {};
  std::size_t taken = 0;  // lines
  bool abandoned = false;
};

AnswerQueue::AnswerQueue(std::string name, Predictor& predictor, std::size_t most, ServerMetrics& metrics,
                         std::string files)
    : name_(std::move(name)),
      predictor_(predictor),
      most_(most),
      metrics_(metrics),
      files_(std::move(files)),
      thread_([this] { work(); }) {}

AnswerQueue::~AnswerQueue() {
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    give_up_ = 1;
  }
  changed_.notify_all();
  thread_.join();
}

std::function<void()> AnswerQueue::ask(Inquiry inquiry, Done done) {
  const auto job = std::make_shared<Job>();
  job->key = inquiry.key();
  job->inquiry = std::move(inquiry);
  job->done = std::move(done);
  {
    const std::scoped_lock lock(mutex_);
    if (jobs_.size() >= most_) throw too_many_wait();
    jobs_.push_back(job);
  }
  changed_.notify_all();
  return [this, job] { abandon(job); };
}

std::size_t AnswerQueue::waiting() const {
  const std::scoped_lock lock(mutex_);
  return jobs_.size();
}

void AnswerQueue::abandon(const std::shared_ptr<Job>& job) {
  const std::scoped_lock lock(mutex_);
  job->abandoned = true;
  job->done = nullptr;
  std::erase(jobs_, job);
  if (!running_.empty() && std::ranges::all_of(running_, &Job::abandoned)) give_up_ = 1;
}

std::vector<AnswerQueue::Part> AnswerQueue::take() {
  std::vector<Part> parts;
  std::size_t lines = 0;
  const std::string key = jobs_.front()->key;
  const bool alone = jobs_.front()->inquiry.alone();
  for (auto next = jobs_.begin(); next != jobs_.end() && lines < lines_together;) {
    const std::shared_ptr<Job> job = *next;
    if (!parts.empty() && (alone || job->key != key)) {
      ++next;
      continue;
    }
    const std::size_t count = std::min(job->inquiry.lines.size() - job->taken, lines_together - lines);
    parts.push_back({job, job->taken, count});
    job->taken += count;
    lines += count;
    next = jobs_.erase(next);
  }
  return parts;
}

std::vector<std::string> AnswerQueue::answer(const std::vector<Part>& parts) {
  const Inquiry& first = parts[0].job->inquiry;
  PredictOptions options = first.options.predict_options();
  options.answer.first_line = static_cast<std::int64_t>(parts[0].first);
  options.answer.search.stop_signal = &give_up_;
  if (!files_.empty()) {
    options.folder = files_;
    options.open_files = OpenFiles::below_folder;
  }
  std::vector<std::string> lines;
  for (const Part& part : parts) {
    const auto begin = part.job->inquiry.lines.begin() + static_cast<std::ptrdiff_t>(part.first);
    lines.insert(lines.end(), begin, begin + static_cast<std::ptrdiff_t>(part.count));
  }
  metrics_.batch(lines.size());
  std::vector<std::string> answers = answer_lines(predictor_, lines, first.options, options);
  metrics_.lines(name_, lines.size());
  return answers;
}

void AnswerQueue::finish(const std::vector<Part>& parts, std::vector<std::string> answers,
                         const std::exception_ptr& failure) {
  std::vector<std::pair<Done, std::shared_ptr<Job>>> complete;
  {
    const std::scoped_lock lock(mutex_);
    running_.clear();
    std::size_t at = 0;
    for (const Part& part : parts) {
      Job& job = *part.job;
      for (std::size_t i = 0; i < part.count && !failure; ++i) job.answers.push_back(std::move(answers[at++]));
      if (job.abandoned) continue;
      if (failure || job.taken == job.inquiry.lines.size()) {
        complete.emplace_back(std::move(job.done), part.job);
      } else {
        jobs_.push_back(part.job);  // behind the others
      }
    }
  }
  for (const auto& [done, job] : complete) done(std::move(job->answers), failure);
}

void AnswerQueue::work() {
  pthread_setname_np(pthread_self(), "fovea-answers");
  while (true) {
    std::vector<Part> parts;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ended_ || !jobs_.empty(); });
      if (ended_) return;
      parts = take();
      for (const Part& part : parts) running_.push_back(part.job);
      give_up_ = 0;
    }
    std::vector<std::string> answers;
    std::exception_ptr failure;
    try {
      answers = answer(parts);
    } catch (const SearchStopped&) {
      failure = std::make_exception_ptr(HttpError(503, "the server is stopping", {{"Retry-After", "1"}}));
    } catch (...) {
      failure = std::current_exception();
    }
    finish(parts, std::move(answers), failure);
  }
}

}  // namespace fovea
