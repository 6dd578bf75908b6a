// Ranks that are threads of the test: no MPI, the same messages.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "base/as_size.h"
#include "base/ranks.h"

namespace fovea {

class Post {
 public:
  void send(int from, int to, std::span<const std::byte> bytes) {
    const std::scoped_lock lock(mutex_);
    boxes_[{from, to}].emplace_back(bytes.begin(), bytes.end());
    sent_[from] += bytes.size();
    changed_.notify_all();
  }
  std::vector<std::byte> receive(int from, int to) {
    std::unique_lock lock(mutex_);
    auto& box = boxes_[{from, to}];
    if (!changed_.wait_for(lock, std::chrono::seconds(60), [&] { return !box.empty(); })) {
      throw std::runtime_error("a rank waits for a message that does not come");
    }
    std::vector<std::byte> bytes = std::move(box.front());
    box.pop_front();
    return bytes;
  }
  void give_sign(int from, int to, Ranks::Sign sign) {
    const std::scoped_lock lock(mutex_);
    signs_[{from, to}] = sign;
  }
  std::optional<Ranks::Sign> take_sign(int from, int to) {
    const std::scoped_lock lock(mutex_);
    return std::exchange(signs_[{from, to}], std::nullopt);
  }
  // Bytes.
  std::size_t sent(int from) {
    const std::scoped_lock lock(mutex_);
    return sent_[from];
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> boxes_;
  std::map<std::pair<int, int>, std::optional<Ranks::Sign>> signs_;
  std::map<int, std::size_t> sent_;
};

class ThreadRanks : public Ranks {
 public:
  ThreadRanks(int rank, int count, Post& post) : Ranks(rank, count), post_(post) {}
  void exchange(std::span<const Sending> out, std::span<const Receiving> in) override {
    for (const auto& [to, bytes] : out) post_.send(rank(), to, bytes);
    for (const auto& [from, bytes] : in) {
      const std::vector<std::byte> got = post_.receive(from, rank());
      if (got.size() != bytes.size()) throw std::runtime_error("a message has another size than it should have");
      std::ranges::copy(got, bytes.begin());
    }
  }
  bool gives_signs() const override { return true; }
  void give_sign(Sign sign) override {
    for (int other = 0; other < count(); ++other) post_.give_sign(rank(), other, sign);
  }
  std::optional<Sign> take_sign(int from) override { return post_.take_sign(from, rank()); }

 private:
  Post& post_;
};

// work(ranks) once for each rank, at the same time. Of what they throw, the lowest rank's is thrown on. Returns how
// many bytes each sent.
inline std::vector<std::size_t> run_ranks(int count, const std::function<void(Ranks&)>& work) {
  Post post;
  std::vector<std::exception_ptr> thrown(as_size(count));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadRanks ranks(rank, count, post);
      try {
        work(ranks);
      } catch (...) {
        thrown[as_size(rank)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& one : thrown) {
    if (one) std::rethrow_exception(one);
  }
  std::vector<std::size_t> sent;
  for (int rank = 0; rank < count; ++rank) sent.push_back(post.sent(rank));
  return sent;
}

}  // namespace fovea
