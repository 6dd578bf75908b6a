// Notices a rank that is stopped or cannot be reached any more: the others would wait for it for ever, without a word.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/ranks.h"

namespace fovea {

// Each rank has one. In a thread of its own, so that long work is no silence, it gives a sign of life now and then.
class Watchdog {
 public:
  using Tell = std::function<void(const Error&)>;

  // tell(error) by the lowest rank that lives once another has given no sign for as long as `patience`, by the others
  // if that does not end them. Does nothing alone, with a patience of 0, and where ranks cannot give signs.
  Watchdog(Ranks& ranks, std::chrono::duration<double> patience, Tell tell);
  // Waits for all ranks to come so far, or for one to be missing.
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  struct Seen {
    Clock::time_point at;
    bool left = false;
  };

  void watch();
  void look(Clock::time_point now);
  bool all_left() const;
  std::vector<int> missing(Clock::time_point now) const;
  void tell(const std::vector<int>& missing) const;

  Ranks& ranks_;
  Clock::duration patience_;
  Tell tell_;
  std::vector<Seen> seen_;  // by rank
  std::mutex mutex_;
  std::condition_variable changed_;
  bool leaving_ = false;
  std::thread thread_;
};

}  // namespace fovea
