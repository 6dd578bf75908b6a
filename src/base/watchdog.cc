#include "base/watchdog.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/as_size.h"

namespace fovea {

namespace {

constexpr int signs_in_patience = 8;
constexpr std::chrono::seconds others_wait{2};  // for the lowest rank to end them

}  // namespace

Watchdog::Watchdog(Ranks& ranks, std::chrono::duration<double> patience, Tell tell)
    : ranks_(ranks), patience_(std::chrono::duration_cast<Clock::duration>(patience)), tell_(std::move(tell)) {
  if (ranks_.count() == 1 || patience_ == Clock::duration::zero() || !ranks_.gives_signs()) return;
  seen_.assign(as_size(ranks_.count()), {Clock::now()});
  thread_ = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
  {
    const std::scoped_lock lock(mutex_);
    leaving_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Watchdog::look(Clock::time_point now) {
  for (int rank = 0; rank < ranks_.count(); ++rank) {
    Seen& seen = seen_[as_size(rank)];
    if (rank == ranks_.rank()) seen.left = true;
    if (seen.left) continue;
    const auto sign = ranks_.take_sign(rank);
    if (sign) seen.at = now;
    seen.left = sign == Ranks::Sign::leaves;
  }
}

bool Watchdog::all_left() const { return std::ranges::all_of(seen_, &Seen::left); }

std::vector<int> Watchdog::missing(Clock::time_point now) const {
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < seen_.size(); ++rank) {
    if (!seen_[rank].left && now - seen_[rank].at > patience_) ranks.push_back(static_cast<int>(rank));
  }
  return ranks;
}

void Watchdog::watch() {
  bool said_goodbye = false;
  Clock::time_point looked = Clock::now();
  std::unique_lock lock(mutex_);
  while (!(said_goodbye && all_left())) {
    if (!said_goodbye) ranks_.give_sign(leaving_ ? Ranks::Sign::leaves : Ranks::Sign::lives);
    said_goodbye = leaving_;
    const Clock::time_point now = Clock::now();
    if (now - looked > patience_ / 2) {  // a process that was stopped itself does not know who else was
      for (Seen& seen : seen_) seen.at = now;
    }
    looked = now;
    look(now);
    if (const std::vector<int> ranks = missing(now); !ranks.empty()) {
      lock.unlock();
      return tell(ranks);
    }
    const Clock::duration pause = said_goodbye ? std::chrono::milliseconds(10) : patience_ / signs_in_patience;
    changed_.wait_for(lock, pause, [&] { return leaving_ && !said_goodbye; });
  }
}

void Watchdog::tell(const std::vector<int>& missing) const {
  int lowest = 0;
  while (std::ranges::find(missing, lowest) != missing.end()) ++lowest;
  if (ranks_.rank() != lowest) std::this_thread::sleep_for(others_wait);
  tell_(Error(
      ErrorKind::failure,
      fmt::format("rank {} has given no sign of life for {:.3g} s: stopped, or its machine cannot be reached; all "
                  "ranks end, and the same command goes on from the last checkpoint",
                  fmt::join(missing, " and rank "), std::chrono::duration<double>(patience_).count())));
}

}  // namespace fovea
