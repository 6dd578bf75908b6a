#include "server/events.h"

#include <algorithm>
#include <fmt/core.h>

namespace fovea {

void EventLog::add(std::string_view name, std::string json, bool may_be_thinned) {
  const std::scoped_lock lock(mutex_);
  Thinning& thinning = names_[std::string(name)];
  bytes_ += json.size();
  thinning.bytes += json.size();
  ++thinning.kept;
  events_.push_back({next_++, std::string(name), std::move(json), may_be_thinned, thinning.count++});
  if (bytes_ > bounds_.bytes || events_.size() > bounds_.events) thin();
}

void EventLog::forget(const Event& event) {
  Thinning& thinning = names_.find(event.name)->second;
  bytes_ -= event.json.size();
  thinning.bytes -= event.json.size();
  --thinning.kept;
}

// The newest stays whatever it is. What may not be thinned goes last, oldest first.
void EventLog::thin() {
  const auto too_much = [&] { return bytes_ > bounds_.bytes || events_.size() > bounds_.events; };
  const std::int64_t newest = events_.back().number;
  while (too_much()) {
    const bool by_bytes = bytes_ > bounds_.bytes;
    const auto room = [&](const auto& entry) { return by_bytes ? entry.second.bytes : entry.second.kept; };
    auto& largest = *std::ranges::max_element(names_, {}, room);
    Thinning& thinning = largest.second;
    const std::size_t before = events_.size();
    std::erase_if(events_, [&](const Event& event) {
      const bool gone = event.may_be_thinned && event.name == largest.first && event.place % thinning.every != 0;
      if (!gone || event.number == newest) return false;
      forget(event);
      return true;
    });
    if (thinning.every > thinning.count) break;  // what there is of it is not thinned
    if (events_.size() == before || too_much()) thinning.every *= 2;
  }
  while (too_much() && events_.size() > 1) {
    forget(events_.front());
    events_.pop_front();
  }
}

void EventLog::end() {
  const std::scoped_lock lock(mutex_);
  ended_ = true;
}

std::string EventLog::text_from(std::int64_t& next) const {
  constexpr std::size_t enough = 256 << 10;
  const std::scoped_lock lock(mutex_);
  std::string text;
  if (next > next_) next = 1;  // the number is of another run
  for (const Event& event : events_) {
    if (event.number < next) continue;
    if (text.size() > enough) return text;
    text += fmt::format("event: {}\nid: {}\ndata: {}\n\n", event.name, event.number, event.json);
    next = event.number + 1;
  }
  return text;
}

bool EventLog::ended_at(std::int64_t next) const {
  const std::scoped_lock lock(mutex_);
  return ended_ && (events_.empty() || events_.back().number < next);
}

std::string EventLog::list() const {
  const std::scoped_lock lock(mutex_);
  std::string text = "[";
  for (const Event& event : events_) {
    if (text.size() > 1) text += ',';
    text += event.json;
  }
  return text + "]";
}

}  // namespace fovea
